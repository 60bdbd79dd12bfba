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
    """Return whether kernels are compiled in this process."""
    return (
        os.environ.get('SCREW_DYNAMICS_JIT', '1') != '0'
        and os.environ.get('NUMBA_DISABLE_JIT', '0') in ('', '0')
        and importlib.util.find_spec('numba') is not None
    )


def read_only(dimensions: int, dtype: str = 'float64') -> str:
    """
    Return the signature of a C-contiguous array that a kernel only reads.

    Writable arrays are accepted too, at no cost; plain ``float64[::1]`` refuses read-only ones.
    """
    return f"Array({dtype}, {dimensions}, 'C', readonly=True)"


class Kernel:
    """A function of plain arrays, compiled at first use for one signature."""

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
        """Return the compiled function, or the plain one where nothing is to be compiled."""
        compiled = self.compiled()
        if compiled is not None:
            return compiled
        if self._plain is None:
            # like compiled code: the numbers say what overflows, no warning does
            self._plain = np.errstate(all='ignore')(self._function)
        return self._plain

    def compiled(self) -> Callable[..., Any] | None:
        """Return the compiled function, compiled now where it has to be."""
        if self._compiled is None and jit_enabled() and not postponed(self):
            with self._lock:
                if self._compiled is None:
                    made = self._made()
                    self._compiled = made.load() or made.compile()
        return self._compiled

    def load(self) -> bool:
        """Load the compiled function from the cache on disk."""
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
    """Return what a source file holds, or its name where it is in no folder, as in a zip archive."""
    path = Path(file)
    return path.read_bytes() if path.is_file() else file.encode()


def _stamped(
    function: Callable[..., Any], helpers: Sequence[Callable[..., Any]]
) -> Callable[..., Any]:
    """
    Return the function under a name that changes with all that is compiled into it.

    numba's cache watches the file of the kernel alone and finds its entries by qualified name;
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
