# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Generated C, compiled and called."""

from __future__ import annotations

import ctypes
import itertools
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

STRICT = [
    *('-std=c99', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-Wconversion', '-Wshadow'),
    *('-Wcast-qual', '-Wdouble-promotion', '-Wmissing-prototypes', '-Wundef'),
]
COMPILER = shutil.which('gcc')
needs_gcc = pytest.mark.skipif(COMPILER is None, reason='gcc is not installed')
_numbers = itertools.count()


class Compiled:
    """The functions of generated code, compiled without warnings."""

    def __init__(self, code, folder: Path) -> None:
        folder = folder / f'build_{next(_numbers)}'
        folder.mkdir()
        write(code, folder)
        source, library = folder / f'{code.prefix}.c', folder / 'library.so'
        command = [COMPILER, *STRICT, '-fPIC', '-shared', '-o', library, source]
        subprocess.run([*command, '-lm'], check=True)
        self.library, self.prefix = ctypes.CDLL(str(library)), code.prefix

    def __call__(self, name: str, *inputs, shape):
        out = np.full(shape, np.nan)
        self.status(name, *(np.ascontiguousarray(x, dtype=float) for x in inputs), out)
        return out

    def status(self, name: str, *arguments):
        """Return what a function returns; arguments are arrays, integers and doubles."""
        function = getattr(self.library, f'{self.prefix}_{name}')
        kinds = {float: ctypes.c_double, int: ctypes.c_int}
        return function(
            *(
                x.ctypes.data_as(ctypes.c_void_p)
                if isinstance(x, np.ndarray)
                else kinds[type(x)](x)
                for x in arguments
            )
        )


def write(code, folder: Path) -> None:
    for name, text in code.files.items():
        (folder / name).write_text(text, encoding='ascii')
    (folder / f'{code.prefix}_self_test.c').write_text(code.self_test, encoding='ascii')
