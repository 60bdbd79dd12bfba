# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""An extension module of the kernels of `language`."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from language import KERNELS

from screw_dynamics.extension.write import write_kernels

COMPILER = shutil.which('cc')
FOLDER = Path(__import__('screw_dynamics').__file__).parent / 'extension'


@pytest.fixture(scope='session')
def language(tmp_path_factory):
    """Return the kernels of `language`, compiled."""
    if COMPILER is None:
        pytest.skip('needs a C compiler')
    folder = tmp_path_factory.mktemp('language')
    text = write_kernels(KERNELS)
    (folder / 'kernels.inc').write_text(f'#define STAMP ""\n{text}')
    target = folder / f'_language{sysconfig.get_config_var("EXT_SUFFIX")}'
    includes = [sysconfig.get_path('include'), np.get_include(), folder]
    command = [
        COMPILER, '-shared', '-fPIC', '-std=gnu11', '-O1', '-Wall', '-Wextra', '-Werror',
        '-Wno-unused-function', '-Wno-unused-variable', '-Wno-unused-but-set-variable',
        '-Wno-missing-field-initializers', '-Wno-psabi', '-Wno-unused-parameter',
        '-DNAME=_language', '-DCHECK_INDICES', *(f'-I{one}' for one in includes),
        FOLDER / 'module.c', '-o', target, '-lm', '-lpthread',
    ]  # fmt: skip
    subprocess.run(command, check=True)
    spec = importlib.util.spec_from_file_location('_language', target)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: getattr(module, name) for name in KERNELS}
