# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Kernel`: a plain Python function with its compiled forms."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from screw_dynamics.errors import InputError
from screw_dynamics.jit.compile_turn import import_numba
from screw_dynamics.jit.extension import chosen, extension_kernels

if TYPE_CHECKING:
    from screw_dynamics.jit.compiled_function import CompiledFunction


def jit_enabled() -> bool:
    """Return whether kernels are compiled: by the extension, or by numba in this process."""
    return bool(extension_kernels()) or _numba_enabled()


def _numba_enabled() -> bool:
    choice = chosen()
    if choice not in ('', 'numba') or os.environ.get('NUMBA_DISABLE_JIT', '0') not in ('', '0'):
        return False
    if importlib.util.find_spec('numba') is not None:
        return True
    if choice:
        raise InputError(
            'environment variable SCREW_DYNAMICS_KERNELS: expected the package numba for numba, '
            'got none'
        )
    return False


def kernel_form() -> str:
    """
    Return the form in which kernels run: 'c', 'numba' or 'numpy'.

    Raises InputError if the environment asks for a form that is not there.
    """
    if extension_kernels():
        return 'c'
    return 'numba' if _numba_enabled() else 'numpy'


def read_only(dimensions: int, dtype: str = 'float64') -> str:
    """Return the numba type of a C-contiguous array that a kernel only reads, writable or not."""
    return f"Array({dtype}, {dimensions}, 'C', readonly=True)"


class Kernel:
    """
    A function of plain arrays that runs compiled, for one signature.

    `signature` is for example ``'int64(float64[:, ::1], float64[::1])'``; other argument types
    raise TypeError. The functions that the kernel calls by global names, directly or not, belong
    to it. If they have other forms for numba, `numba_module` is the name of the module that
    registers them and has in `SOURCES` the modules that contain them. With `releases_gil`, other
    threads run during a call; a call of less than a microsecond is faster without.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        signature: str,
        numba_module: str = '',
        releases_gil: bool = True,
    ) -> None:
        self.function, self.signature, self._numba_module = function, signature, numba_module
        self.releases_gil = releases_gil
        self._compiled: Callable[..., Any] | None = None
        self._plain: Callable[..., Any] | None = None
        self._lock = threading.RLock()

    @property
    def name(self) -> str:
        """Name of the function, with its module in this package."""
        module = self.function.__module__.removeprefix('screw_dynamics.').removeprefix('kernels.')
        return f'{module}.{self.function.__name__}'

    def compile(self) -> Callable[..., Any]:
        """Return the compiled function, or the plain one if it is not to be compiled."""
        compiled = self.compiled()
        if compiled is not None:
            return compiled
        if self._plain is None:
            # like compiled code: an overflow shows in the results, without a warning
            self._plain = np.errstate(all='ignore')(self.function)
        return self._plain

    def compiled(self) -> Callable[..., Any] | None:
        """Return the compiled function, compiled now if allowed; None if it is not compiled."""
        if self._compiled is None:
            self._compiled = extension_kernels().get(self.name)
        if self._compiled is None and _numba_enabled() and not _postponed(self):
            with self._lock:
                if self._compiled is None:
                    self._compiled = self.made_by_numba()
        return self._compiled

    def made_by_numba(self) -> Callable[..., Any]:
        """Return the function by numba, compiled now if it is not on disk."""
        made = self._made()
        return made.load() or made.compile()

    def load(self) -> bool:
        """Load the compiled function from the cache on disk; return False if it is not there."""
        if self._compiled is None:
            self._compiled = extension_kernels().get(self.name)
        if self._compiled is None and _numba_enabled():
            with self._lock:
                self._compiled = self._compiled or self._made().load()
        return self._compiled is not None

    def _made(self) -> CompiledFunction:
        import_numba()
        from numba.extending import register_jitable

        from screw_dynamics.jit.compiled_function import CompiledFunction

        sources: Sequence[ModuleType] = ()
        if self._numba_module:
            sources = importlib.import_module(self._numba_module).SOURCES
        parts = [self.function] if sources else _with_helpers(self.function)
        for helper in parts[1:]:
            if helper not in _registered:
                _registered.add(helper)
                register_jitable(helper)
        return CompiledFunction(_stamped(parts, sources), self.signature, self.releases_gil)

    def __call__(self, *args: Any) -> Any:
        """Call the compiled function, or the plain one; see `compile`."""
        compiled = self._compiled
        return self.compile()(*args) if compiled is None else compiled(*args)


_registered: set[Callable[..., Any]] = set()


def _with_helpers(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """Return the function and all plain functions that it calls by global names."""
    parts = [function]
    for part in parts:  # grows in the loop
        for value in _globals(part).values():
            if isinstance(value, FunctionType) and value not in parts:
                parts.append(value)
    return parts


def _globals(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the global values that a function uses, by name."""
    if not isinstance(function, FunctionType):
        return {}
    names = function.__globals__
    return {name: names[name] for name in function.__code__.co_names if name in names}


def _stamped(
    parts: Sequence[Callable[..., Any]], sources: Sequence[ModuleType]
) -> Callable[..., Any]:
    """Return the first function, named after the content of everything compiled into it."""
    # numba's cache checks only the file of the kernel and finds its entries by qualified name
    function = parts[0]
    if not isinstance(function, FunctionType):
        return function
    files = {part.__code__.co_filename for part in parts if isinstance(part, FunctionType)}
    files |= {str(module.__file__) for module in sources}
    files.remove(function.__code__.co_filename)
    constants = {
        f'{name} = {value!r}'
        for part in parts
        for name, value in _globals(part).items()
        if isinstance(value, (int, float, tuple))
    }
    if not files and not constants:
        return function
    digest = hashlib.sha256('\n'.join(sorted(constants)).encode())
    for name in sorted(files):
        digest.update(_source_bytes(name))
    copy = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__qualname__ = f'{function.__qualname__}_{digest.hexdigest()[:16]}'
    return copy


def _source_bytes(file: str) -> bytes:
    """Return the content of a source file, or its name if it is not a file (zip archive)."""
    path = Path(file)
    return path.read_bytes() if path.is_file() else file.encode()


class Postponed:
    """Kernels that ran uncompiled in a block; with `load`, cached ones are loaded instead."""

    def __init__(self, load: bool) -> None:
        self._load = load
        self._kernels: dict[Kernel, None] = {}

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels without duplicates, in the order of their first call."""
        return tuple(self._kernels)

    def add(self, kernel: Kernel) -> bool:
        """Add a kernel that is not compiled; return False if it was loaded instead."""
        if kernel not in self._kernels:
            if self._load and kernel.load():
                return False
            self._kernels[kernel] = None
        return True


_block: ContextVar[Postponed | None] = ContextVar('uncompiled', default=None)


@contextmanager
def uncompiled(*, load: bool = False) -> Iterator[Postponed]:
    """
    Compile nothing in a ``with`` block of this thread: kernels run on NumPy if not compiled yet.

    Yields the `Postponed` kernels. With `load`, kernels are still loaded from the cache on disk.
    """
    postponed = Postponed(load)
    token = _block.set(postponed)
    try:
        yield postponed
    finally:
        _block.reset(token)


@contextmanager
def compiled_again() -> Iterator[None]:
    """Compile as usual in a ``with`` block inside a block of `uncompiled`."""
    token = _block.set(None)
    try:
        yield
    finally:
        _block.reset(token)


def _postponed(kernel: Kernel) -> bool:
    """Return whether a kernel that is not compiled must run uncompiled now; record it if so."""
    block = _block.get()
    return block is not None and block.add(kernel)
