# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The C extension of the kernels, if it was built from the present sources."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from screw_dynamics.errors import InputError, shown

_log = logging.getLogger(__name__)

CHOICES = ('c', 'numba', 'numpy')
_PACKAGE = Path(__file__).resolve().parents[1]
_SOURCES = ('kernels', 'extension')


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
    """Return a digest of all that the extension is made from."""
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for path in sorted((_PACKAGE / folder).rglob('*.[cph]*')):
            if path.suffix in ('.c', '.h', '.py'):
                digest.update(path.relative_to(_PACKAGE).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


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
    try:
        modules = [import_module('screw_dynamics._kernels')]
    except ImportError as error:
        return {}, str(error)
    if modules[0].WIDE:
        with suppress(ImportError):
            modules.insert(0, import_module('screw_dynamics._kernels_wide'))
    stamp = sources_stamp()
    for module in modules:
        if module.STAMP == stamp:
            return {name: one for name, one in vars(module).items() if '.' in name}, ''
    problem = f'{modules[0].__file__} was built from other sources'
    _log.warning('compiled kernels: %s and is not used: build the package again', problem)
    return {}, problem
