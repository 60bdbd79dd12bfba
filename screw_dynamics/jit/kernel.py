# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Kernel`: a plain Python function that numba compiles at its first use."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from screw_dynamics.jit.numba_import import import_numba
from screw_dynamics.jit.uncompiled import postponed

if TYPE_CHECKING:
    from screw_dynamics.jit.compiled_function import CompiledFunction


def jit_enabled() -> bool:
    """
    Return whether kernels are compiled in this process.

    False without numba, with ``SCREW_DYNAMICS_JIT=0`` or ``NUMBA_DISABLE_JIT=1``.
    """
    return (
        os.environ.get('SCREW_DYNAMICS_JIT', '1') != '0'
        and os.environ.get('NUMBA_DISABLE_JIT', '0') in ('', '0')
        and importlib.util.find_spec('numba') is not None
    )


def read_only(dimensions: int, dtype: str = 'float64') -> str:
    """
    Return the numba type of a C-contiguous array that a kernel only reads.

    It also accepts writable arrays, at no cost; plain ``float64[::1]`` rejects read-only ones.
    """
    return f"Array({dtype}, {dimensions}, 'C', readonly=True)"


class Kernel:
    """
    A function of plain arrays, compiled at its first use for one signature.

    `signature` is for example ``'int64(float64[:, ::1], float64[::1])'``; other argument types
    raise TypeError instead of compiling in a control loop. `helpers` are all functions that the
    kernel calls, directly or not, also from other files.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        signature: str,
        helpers: Sequence[Callable[..., Any]] = (),
    ) -> None:
        self._function, self._signature, self._helpers = function, signature, helpers
        self._compiled: Callable[..., Any] | None = None
        self._plain: Callable[..., Any] | None = None
        self._lock = threading.RLock()

    def compile(self) -> Callable[..., Any]:
        """Return the compiled function, or the plain one if it is not to be compiled."""
        compiled = self.compiled()
        if compiled is not None:
            return compiled
        if self._plain is None:
            # like compiled code: an overflow shows in the results, without a warning
            self._plain = np.errstate(all='ignore')(self._function)
        return self._plain

    def compiled(self) -> Callable[..., Any] | None:
        """
        Return the compiled function; compile it if necessary.

        None if the JIT is disabled, or in a block of `uncompiled` if it is not compiled yet.
        """
        if self._compiled is None and jit_enabled() and not postponed(self):
            with self._lock:
                if self._compiled is None:
                    made = self._made()
                    self._compiled = made.load() or made.compile()
        return self._compiled

    def load(self) -> bool:
        """Load the compiled function from the cache on disk; return False if it is not there."""
        if self._compiled is None and jit_enabled():
            with self._lock:
                self._compiled = self._compiled or self._made().load()
        return self._compiled is not None

    def _made(self) -> CompiledFunction:
        import_numba()
        from numba.extending import register_jitable

        from screw_dynamics.jit.compiled_function import CompiledFunction

        for helper in self._helpers:
            register_jitable(helper)
        return CompiledFunction(_stamped(self._function, self._helpers), self._signature)

    def __call__(self, *args: Any) -> Any:
        """Call the compiled function, or the plain one; see `compile`."""
        compiled = self._compiled
        return self.compile()(*args) if compiled is None else compiled(*args)


def source_bytes(file: str) -> bytes:
    """Return the content of a source file, or its name if it is not a file (zip archive)."""
    path = Path(file)
    return path.read_bytes() if path.is_file() else file.encode()


def _stamped(
    function: Callable[..., Any], helpers: Sequence[Callable[..., Any]]
) -> Callable[..., Any]:
    """
    Return the function under a qualified name that depends on everything compiled into it.

    numba's cache checks only the file of the kernel and finds its entries by qualified name, but
    helpers and constants may come from other files.
    """
    if not isinstance(function, FunctionType):
        return function
    parts = [function, *(helper for helper in helpers if isinstance(helper, FunctionType))]
    files = {part.__code__.co_filename for part in parts} - {function.__code__.co_filename}
    constants = {text for part in parts for text in _constants(part)}
    if not files and not constants:
        return function
    digest = hashlib.sha256('\n'.join(sorted(constants)).encode())
    for name in sorted(files):
        digest.update(source_bytes(name))
    copy = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__qualname__ = f'{function.__qualname__}_{digest.hexdigest()[:16]}'
    return copy


def _constants(function: FunctionType) -> Iterator[str]:
    """Yield the global numbers and tuples that a function reads, with their names."""
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, (int, float, tuple)):
            yield f'{name} = {value!r}'
