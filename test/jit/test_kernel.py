# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import importlib
import importlib.util
import os
import sys

import numpy as np
import pytest

from screw_dynamics.errors import InputError
from screw_dynamics.jit import Kernel, jit_enabled, kernel_form, read_only

needs_numba = pytest.mark.skipif(not jit_enabled(), reason='needs numba')

# a kernel, and what it takes from another file
HELPER = (
    """
from screw_dynamics.jit import Kernel
from {helper} import scale
def run(x):
    return scale(x)
kernel = Kernel(run, 'float64(float64)')
""",
    'def scale(x):\n    return {factor} * x\n',
)
HELPER_OF_A_HELPER = (
    """
from screw_dynamics.jit import Kernel
from {helper} import scale
def same(x):
    return scale(x)
def run(x):
    return same(x)
kernel = Kernel(run, 'float64(float64)')
""",
    HELPER[1],
)
REGISTERED = (
    """
from numba.extending import register_jitable
import {helper}
from screw_dynamics.jit import Kernel
SOURCES = ({helper},)
scale = register_jitable(forceinline=True)({helper}.scale)
def run(x):
    return scale(x)
kernel = Kernel(run, 'float64(float64)', numba_module=__name__)
""",
    HELPER[1],
)
CONSTANT = (
    """
from screw_dynamics.jit import Kernel
from {helper} import FACTOR
def run(x):
    return FACTOR * x
kernel = Kernel(run, 'float64(float64)')
""",
    'FACTOR = {factor}\n',
)


def _first(x):
    return x[0]


@needs_numba
def test_read_only_signature_takes_every_contiguous_array():
    kernel = Kernel(_first, f'float64({read_only(1)})')
    values = np.array([3.0, 4.0])
    assert kernel(values) == 3.0
    values.flags.writeable = False
    assert kernel(values) == 3.0
    with pytest.raises(TypeError, match='No matching definition'):
        kernel(np.array([3, 4]))


@needs_numba
@pytest.mark.parametrize(
    'sources',
    [HELPER, HELPER_OF_A_HELPER, REGISTERED, CONSTANT],
    ids=['helper', 'helper of a helper', 'registered', 'constant'],
)
def test_cached_kernel_follows_another_file(sources, tmp_path, monkeypatch):
    kernel_source, helper_source = sources
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv('NUMBA_CACHE_DIR', raising=False)
    monkeypatch.setattr(sys, 'pycache_prefix', None)
    kernel_file, helper_file = (
        tmp_path / 'kernel_in_one_file.py',
        tmp_path / 'helper_in_another.py',
    )
    kernel_file.write_text(kernel_source.format(helper=helper_file.stem))
    for factor in (2.0, 5.0, 2.0):
        helper_file.write_text(helper_source.format(factor=factor))
        for name in (kernel_file.stem, helper_file.stem):
            sys.modules.pop(name, None)
        # same size and, on a coarse clock, same time: Python's own cache must not answer
        for cached in tmp_path.glob('__pycache__/*.pyc'):
            os.remove(cached)
        importlib.invalidate_caches()
        module = importlib.import_module(kernel_file.stem)
        assert module.kernel(10.0) == 10.0 * factor
    # the third round finds what the first one compiled
    assert len(list(tmp_path.glob('__pycache__/*.nbc'))) == 2


def test_uncompiled_kernel_is_the_plain_function(monkeypatch):
    monkeypatch.setenv('SCREW_DYNAMICS_JIT', '0')
    assert Kernel(_first, f'float64({read_only(1)})').compile().__wrapped__ is _first


def test_numba_that_is_asked_for_must_be_there(monkeypatch):
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: None)
    monkeypatch.delenv('NUMBA_DISABLE_JIT', raising=False)
    for choice, forms in (('', ('c', 'numpy')), ('numpy', ('numpy',))):
        monkeypatch.setenv('SCREW_DYNAMICS_KERNELS', choice)
        assert kernel_form() in forms
    monkeypatch.setenv('SCREW_DYNAMICS_KERNELS', 'numba')
    with pytest.raises(InputError, match='SCREW_DYNAMICS_KERNELS: expected the package numba'):
        kernel_form()
