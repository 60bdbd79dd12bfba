# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Kernel`: a plain Python function of arrays, and its C in the extension module."""

from __future__ import annotations

import hashlib
import logging
import os
import struct
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from screw_dynamics.errors import InputError, short, shown

_log = logging.getLogger(__name__)
_VARIABLE = 'SCREW_DYNAMICS_KERNELS'
_REMEDY = (
    'build the package again with a C compiler (apt install gcc python3-dev; '
    'pip install --force-reinstall --no-deps .), or install a wheel'
)
_PACKAGE = Path(__file__).resolve().parents[1]
_SOURCES = ('kernels', 'codegen/translator', 'codegen/extension')


def read_only(dimensions: int, dtype: str = 'float64') -> str:
    """Return the type of a C-contiguous array that a kernel only reads, writable or not."""
    return f'const {dtype}[{":, " * (dimensions - 1)}::1]'


class Kernel:
    """
    A function of plain arrays that runs in C, or as Python without the extension module.

    `signature` is for example ``'int64(float64[:, ::1], const float64[::1])'``; in C, other types
    of arguments raise TypeError. `python` has the same arguments and results and runs in place of
    the function if that is translated only. With `releases_gil`, other threads run during a call;
    a call of less than a microsecond is faster without.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        signature: str,
        python: Callable[..., Any] | None = None,
        releases_gil: bool = True,
    ) -> None:
        self.function, self.signature, self.releases_gil = function, signature, releases_gil
        self._python = python or function

    @property
    def name(self) -> str:
        """Name of the function, with its module in `kernels`."""
        module = self.function.__module__.removeprefix('screw_dynamics.kernels.')
        return f'{module}.{self.function.__name__}'

    @cached_property
    def compiled(self) -> Callable[..., Any] | None:
        """The function in C, None if kernels run as Python."""
        return c_functions().get(self.name)

    @cached_property
    def run(self) -> Callable[..., Any]:
        """The function in C or as Python; of both, an overflow shows in the results alone."""
        return self.compiled or np.errstate(all='ignore')(self._python)

    def __call__(self, *args: Any) -> Any:
        """Call the function in C or as Python."""
        return self.run(*args)


def kernel_form() -> str:
    """
    Return the form in which kernels run.

    Returns
    -------
    str
        'c' with the extension module of the package; 'python', which is slow, without it.

    Raises
    ------
    InputError
        If the environment variable SCREW_DYNAMICS_KERNELS asks for a form that is not there.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> sd.kernel_form() in ('c', 'python')
    True
    """
    return 'c' if c_functions() else 'python'


@cache
def c_functions() -> Mapping[str, Callable[..., Any]]:
    """Return the functions of the extension module by the names of their kernels; {}: Python."""
    choice = os.environ.get(_VARIABLE, '')
    if choice not in ('', 'c', 'python'):
        expected = f'environment variable {_VARIABLE}: expected one of c, python'
        raise InputError(f'{expected}, got {shown(choice)}')
    if choice == 'python':
        return {}
    try:
        module = _module('_kernels')
    except ImportError as error:
        if choice:
            expected = f'environment variable {_VARIABLE}: expected an extension module for c'
            raise InputError(f'{expected}, got none: {error}') from None
        _log.warning('kernels run as Python, which is slow: %s: %s', error, _REMEDY)
        return {}
    if module.WIDE:  # this processor can run the other one
        try:
            module = _module('_kernels_wide')
        except ImportError as error:
            _log.warning('kernels run at half speed: %s: %s', error, _REMEDY)
    return {name: one for name, one in vars(module).items() if '.' in name}


def _module(name: str) -> ModuleType:
    """Return an extension module that was built from the present sources, or raise ImportError."""
    spec = find_spec(f'screw_dynamics.{name}')
    if spec is None or spec.origin is None:
        raise ImportError(f'the package was built without screw_dynamics.{name}')
    path = Path(spec.origin)
    try:
        if not is_whole(path):
            problem = 'is cut off'
        else:
            module = import_module(spec.name)
            # a module of other sources would compute something else than the Python beside it
            if sources_stamp() in ('', module.STAMP):
                return module
            problem = 'was built from other sources'
    except Exception as error:  # what an unsuitable file raises is up to the loader and to NumPy
        problem = f'cannot be loaded ({short(" ".join(str(error).split()), 200)})'
    raise ImportError(f'{path} {problem}')


def sources_stamp() -> str:
    """Return a digest of all that the extension is made from; '' if there is no source."""
    digest = hashlib.sha256()
    suffixes = set()
    for folder in _SOURCES:
        for path in sorted((_PACKAGE / folder).rglob('*.[cph]*')):
            if path.suffix in ('.c', '.h', '.py'):
                suffixes.add(path.suffix)
                digest.update(path.relative_to(_PACKAGE).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest() if '.py' in suffixes else ''  # bytecode alone


def is_whole(path: Path) -> bool:
    """
    Return whether an ELF file of 64 bits reaches to the end of its table of sections; else True.

    A build or copy that was interrupted leaves less, and to load that would end the process.
    """
    with open(path, 'rb') as file:
        header, size = file.read(64), os.fstat(file.fileno()).st_size
    if not header.startswith(b'\x7fELF\x02'):
        return True
    if len(header) < 64:
        return False
    start, length, count = struct.unpack('@40xQ10x2H2x', header)
    return bool(start + length * count <= size)
