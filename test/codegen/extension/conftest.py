# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""An extension module of the kernels of `language`."""

import importlib.util
import shutil
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from language import KERNELS

from screw_dynamics.codegen.extension.write import write_kernels

COMPILER = shutil.which('cc')
FOLDER = Path(__import__('screw_dynamics').__file__).parent / 'codegen' / 'extension'


@pytest.fixture(scope='session')
def build_module():
    """Return the function that compiles kernels to a module which checks indices."""
    if COMPILER is None:
        pytest.skip('needs a C compiler')
    return _build_module


def _build_module(folder, name, kernels, *options, stamp=''):
    """Return the path of the module."""
    (folder / 'kernels.inc').write_text(f'#define STAMP "{stamp}"\n{write_kernels(kernels)}')
    target = folder / f'{name}{sysconfig.get_config_var("EXT_SUFFIX")}'
    includes = [sysconfig.get_path('include'), np.get_include(), folder]
    command = [
        COMPILER, '-shared', '-fPIC', '-std=gnu11', '-Wno-psabi', f'-DNAME={name}',
        '-DCHECK_INDICES', *options, *(f'-I{one}' for one in includes),
        FOLDER / 'module.c', '-o', target, '-lm', '-lpthread',
    ]  # fmt: skip
    subprocess.run(command, check=True)
    return target


@pytest.fixture(scope='session')
def language(tmp_path_factory, build_module):
    """Return the kernels of `language`, compiled."""
    warnings = [
        '-Wall', '-Wextra', '-Werror', '-Wno-unused-function', '-Wno-unused-variable',
        '-Wno-unused-but-set-variable', '-Wno-missing-field-initializers', '-Wno-unused-parameter',
    ]  # fmt: skip
    target = build_module(
        tmp_path_factory.mktemp('language'), '_language', KERNELS, '-O1', *warnings
    )
    spec = importlib.util.spec_from_file_location('_language', target)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: getattr(module, name) for name in KERNELS}
