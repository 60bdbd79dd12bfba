# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The C extension of the kernels, if it was built from the present sources."""

from __future__ import annotations

import hashlib
import logging
import os
import struct
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from screw_dynamics.errors import InputError, short, shown

_log = logging.getLogger(__name__)

CHOICES = ('c', 'numba', 'numpy')
_PACKAGE = Path(__file__).resolve().parents[1]
_SOURCES = ('kernels', 'codegen/translator', 'codegen/extension')


def chosen() -> str:
    """
    Return 'c', 'numba' or 'numpy' if the environment asks for one of them, else ''.

    The variables are SCREW_DYNAMICS_KERNELS, and SCREW_DYNAMICS_JIT=0 for 'numpy'.
    """
    if os.environ.get('SCREW_DYNAMICS_JIT', '1') == '0':
        return 'numpy'
    choice = os.environ.get('SCREW_DYNAMICS_KERNELS', '')
    if choice and choice not in CHOICES:
        raise InputError(
            f'environment variable SCREW_DYNAMICS_KERNELS: expected one of {", ".join(CHOICES)}, '
            f'got {shown(choice)}'
        )
    return choice


def sources_stamp() -> str:
    """Return a digest of all that the extension is made from; '' where there is no source."""
    digest = hashlib.sha256()
    suffixes = set()
    for folder in _SOURCES:
        for path in sorted((_PACKAGE / folder).rglob('*.[cph]*')):
            if path.suffix in ('.c', '.h', '.py'):
                suffixes.add(path.suffix)
                digest.update(path.relative_to(_PACKAGE).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest() if '.py' in suffixes else ''  # bytecode alone


def extension_kernels() -> Mapping[str, Callable[..., Any]]:
    """
    Return the functions of the extension by the name of the kernel; none if it does not serve.

    Raises InputError if the environment asks for it and it cannot be imported.
    """
    choice = chosen()
    if choice not in ('', 'c'):
        return {}
    found, problem = _loaded()
    if problem and choice == 'c':
        raise InputError(
            'environment variable SCREW_DYNAMICS_KERNELS: expected an extension module for c, '
            f'got none: {problem}'
        )
    return found


@cache
def _loaded() -> tuple[Mapping[str, Callable[..., Any]], str]:
    """Return the functions of the extension, and why there are none."""
    module, problem = _imported('_kernels')
    if module is not None and module.WIDE:
        module = _imported('_kernels_wide')[0] or module
    if module is None:
        return {}, problem
    return {name: one for name, one in vars(module).items() if '.' in name}, ''


def _imported(name: str) -> tuple[ModuleType | None, str]:
    """Return an extension module, or None and why it is not used; warn unless it is not there."""
    spec = find_spec(f'screw_dynamics.{name}')
    if spec is None or spec.origin is None:
        return None, f'the package was built without screw_dynamics.{name}'
    path = Path(spec.origin)
    try:
        if not is_whole(path):
            problem = 'is cut off'
        else:
            module = import_module(spec.name)
            if sources_stamp() in ('', module.STAMP):
                return module, ''
            problem = 'was built from other sources'
    except Exception as error:  # what an unsuitable file raises is up to the loader and to NumPy
        cause = ' '.join(str(error).split())
        problem = f'cannot be loaded ({short(cause, 200)})'
    _log.warning('compiled kernels: %s %s and is not used: build the package again', path, problem)
    return None, f'{path} {problem}'


_ELF_HEADER = struct.Struct('@16s2HI3QI6H')
_ELF_SEGMENT = struct.Struct('@2I6Q')
_ELF_OF_64_BITS = b'\x7fELF\x02'


def is_whole(path: Path) -> bool:
    """
    Return whether an extension module has all bytes that it needs; True if it is no ELF file.

    A build or copy that was interrupted leaves less, and to load that would end the process.
    """
    with open(path, 'rb') as file:
        start = file.read(_ELF_HEADER.size)
        if not start.startswith(_ELF_OF_64_BITS):
            return True
        if len(start) < _ELF_HEADER.size:
            return False
        table, count = (_ELF_HEADER.unpack(start)[k] for k in (5, 10))
        file.seek(table)
        segments = file.read(_ELF_SEGMENT.size * count)
        size = os.fstat(file.fileno()).st_size
    if len(segments) < _ELF_SEGMENT.size * count:
        return False
    return all(row[2] + row[5] <= size for row in _ELF_SEGMENT.iter_unpack(segments))
