# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Build of the extension modules by setuptools: one for every processor, one for newer ones."""

from __future__ import annotations

import os
import platform
import shlex
from pathlib import Path

import numpy as np
from setuptools import Extension
from setuptools.command.build_ext import build_ext

from screw_dynamics.codegen.extension.all_kernels import all_kernels
from screw_dynamics.codegen.extension.write import write_kernels
from screw_dynamics.kernels.kernel import is_whole, sources_stamp

_FOLDER = Path(__file__).parent
# No products and sums are fused: a state then has the same digits alone, in a batch and in both
# modules; fused ones would save 2 to 15 % of the time. NaN and infinity keep their meaning. Pairs
# of doubles in straight code do not pay. Of a file of this size, GCC would inline less: springs
# would take 1.3 to 1.6 times as long.
_OPTIONS = ('-std=gnu11', '-g0', '-ffp-contract=off', '-fno-math-errno', '-fno-trapping-math',
            '-fno-tree-slp-vectorize', '--param=large-unit-insns=1000000', '-Wno-psabi',
            '-Wno-unused-function',
            '-Wno-unused-variable', '-Wno-unused-but-set-variable')  # fmt: skip


def extension_modules() -> list[Extension]:
    """
    Return the modules; a build goes on without one that cannot be compiled.

    With SCREW_DYNAMICS_EXTENSION=1 in the environment it fails. SCREW_DYNAMICS_CFLAGS has further
    options of the compiler. Those of CFLAGS come before ours, so that distributions do not make
    all kernels slower with theirs.
    """
    optional = os.environ.get('SCREW_DYNAMICS_EXTENSION') != '1'
    further = shlex.split(os.environ.get('SCREW_DYNAMICS_CFLAGS', ''))
    names: dict[str, tuple[str, ...]] = {'_kernels': ('-O3',)}
    if platform.machine().lower() in ('x86_64', 'amd64'):
        # the first one serves processors of before 2013, and is built in less time
        names = {'_kernels': ('-O1',), '_kernels_wide': ('-O3', '-mavx2', '-mfma', '-mbmi2')}
    return [
        Extension(
            f'screw_dynamics.{name}',
            ['screw_dynamics/codegen/extension/module.c'],
            define_macros=[('NAME', name)],
            include_dirs=[np.get_include()],
            extra_compile_args=[*_OPTIONS, *options, *further],
            libraries=['m', 'pthread'],
            optional=optional,
        )
        for name, options in names.items()
    ]


class BuildKernels(build_ext):
    """The command that translates the kernels before it compiles them."""

    def finalize_options(self) -> None:
        """Compile both modules at a time."""
        super().finalize_options()
        self.parallel: int | bool = self.parallel or 2

    def build_extensions(self) -> None:
        """Write the kernels in C and compile the modules."""
        folder = Path(self.build_temp)
        folder.mkdir(parents=True, exist_ok=True)
        text = f'#define STAMP "{sources_stamp()}"\n{write_kernels(all_kernels())}'
        file = folder / 'kernels.inc'
        _write(file, text)
        for extension in self.extensions:
            # setuptools names an object file by its source, and builds both at a time
            source = folder / f'{extension.name.rpartition(".")[2]}.c'
            _write(source, '#include "module.c"\n')
            extension.sources = [str(source)]
            extension.include_dirs += [str(folder), str(_FOLDER)]
            extension.depends = [str(file), str(_FOLDER / 'module.c')]
            built = Path(self.get_ext_fullpath(extension.name))
            if built.exists() and not is_whole(built):  # a link that was killed
                built.unlink()
        super().build_extensions()

    def copy_extensions_to_source(self) -> None:
        """Copy the modules beside the sources, over files that setuptools takes for the newest."""
        for extension in self.extensions:
            Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
        super().copy_extensions_to_source()


def _write(file: Path, text: str) -> None:
    """Write a file unless it has this text: what is built from it is as old."""
    if not file.exists() or file.read_text(encoding='utf-8') != text:
        file.write_text(text, encoding='utf-8')
