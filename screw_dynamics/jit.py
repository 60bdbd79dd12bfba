# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The one place that knows numba: kernels are plain Python functions, compiled at first use.

Nothing is compiled at import. Without numba (or with ``SCREW_DYNAMICS_JIT=0``) the same source
runs on NumPy: slower, same numbers.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

_log = logging.getLogger(__name__)

# contract lets a multiply and an add become one rounding; no other liberty is taken, so NaN and
# infinity keep their meaning
OPTIONS: dict[str, Any] = {'nogil': True, 'error_model': 'numpy', 'fastmath': {'contract'}}


def jit_enabled() -> bool:
    """
    Say whether kernels are compiled in this process.

    Returns
    -------
    bool
        False without numba, with ``SCREW_DYNAMICS_JIT=0`` or ``NUMBA_DISABLE_JIT=1``.

    """
    return (
        os.environ.get('SCREW_DYNAMICS_JIT', '1') != '0'
        and os.environ.get('NUMBA_DISABLE_JIT', '0') in ('', '0')
        and importlib.util.find_spec('numba') is not None
    )


def read_only(dimensions: int, dtype: str = 'float64') -> str:
    """
    Return the signature of a C-contiguous array that a kernel only reads.

    Writable arrays are accepted too, at no cost; plain ``float64[::1]`` refuses read-only ones.

    Parameters
    ----------
    dimensions : int
    dtype : str
        A numba type name.

    Returns
    -------
    str

    Examples
    --------
    >>> read_only(2)
    "Array(float64, 2, 'C', readonly=True)"

    """
    return f"Array({dtype}, {dimensions}, 'C', readonly=True)"


def compile_kernel(function: Callable[..., Any], signature: str) -> Callable[..., Any]:
    """
    Compile a kernel for one explicit signature, from numba's on-disk cache where it can.

    Parameters
    ----------
    function : callable
        A function numba can compile.
    signature : str
        For example ``'int64(float64[:, ::1], float64[::1])'``. Other argument types raise
        TypeError instead of compiling anew in the middle of a control loop.

    Returns
    -------
    callable
        The compiled function.

    """
    import numba

    try:
        return numba.njit(signature, cache=True, **OPTIONS)(function)  # type: ignore[no-any-return]
    except (RuntimeError, OSError) as error:
        if isinstance(error, RuntimeError) and 'cannot cache' not in str(error):
            raise
        _log.warning(
            'no writable cache folder for compiled kernels (%s): every process compiles anew; '
            'set NUMBA_CACHE_DIR to a writable folder',
            error,
        )
        return numba.njit(signature, **OPTIONS)(function)  # type: ignore[no-any-return]


class Kernel:
    """
    A function of plain arrays, compiled at first use for one signature.

    Parameters
    ----------
    function : callable
        The kernel.
    signature : str
        See `compile_kernel`.
    helpers : sequence of callable
        Functions that the kernel calls, directly or not. They may live in other files.

    Examples
    --------
    >>> def double(x):
    ...     return 2.0 * x
    >>> Kernel(double, 'float64(float64)')(1.5)
    3.0

    """

    def __init__(
        self,
        function: Callable[..., Any],
        signature: str,
        helpers: Sequence[Callable[..., Any]] = (),
    ) -> None:
        self._function, self._signature, self._helpers = function, signature, helpers
        self._compiled: Callable[..., Any] | None = None

    def compile(self) -> Callable[..., Any]:
        """
        Return the compiled function (the plain one without numba).

        Returns
        -------
        callable

        """
        if self._compiled is None:
            if jit_enabled():
                from numba.extending import register_jitable

                for helper in self._helpers:
                    register_jitable(helper)
                stamped = _stamped(self._function, self._helpers)
                self._compiled = compile_kernel(stamped, self._signature)
            else:
                # like compiled code: the numbers say what overflows, no warning does
                self._compiled = np.errstate(all='ignore')(self._function)
        return self._compiled

    def __call__(self, *args: Any) -> Any:
        """Call the compiled function."""
        return self.compile()(*args)


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
        path = Path(name)
        digest.update(path.read_bytes() if path.is_file() else name.encode())
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
