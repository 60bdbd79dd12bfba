# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Work that runs on NumPy for now: blocks of `uncompiled`, small work of the command line."""

from __future__ import annotations

import sys
import threading
import time

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.command_line.evaluation import kernels_for, kernels_of_a_command
from screw_dynamics.jit import (
    BackgroundCompiler,
    CompileProgress,
    Kernel,
    compile_kernels,
    jit_enabled,
    uncompiled,
)
from screw_dynamics.kernels.taylor.compiled import batch_kernel, single_kernel

pytestmark = pytest.mark.skipif(not jit_enabled(), reason='needs numba')


@pytest.fixture(autouse=True)
def by_numba(monkeypatch):
    monkeypatch.setenv('SCREW_DYNAMICS_KERNELS', 'numba')


def _double(x):
    return 2.0 * x


def _triple(x):
    return 3.0 * x


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """Return two kernels that no cache has."""
    monkeypatch.setattr('numba.config.CACHE_DIR', str(tmp_path))
    return [Kernel(function, 'float64(float64)') for function in (_double, _triple)]


def _is_compiled(kernel):
    with uncompiled() as postponed:
        kernel(1.0)
    return not postponed.kernels


def test_a_block_collects_what_it_postpones(kernels):
    double, triple = kernels
    triple.compile()
    with uncompiled() as postponed:
        assert [double(2.0), triple(2.0), double(3.0)] == [4.0, 6.0, 6.0]
    assert postponed.kernels == (double,)
    assert double(2.0) == 4.0
    assert _is_compiled(double)


def test_a_block_may_load(kernels):
    double, triple = kernels
    double.compile()
    again = Kernel(_double, 'float64(float64)')
    with uncompiled(load=True) as postponed:
        again(1.0)
        triple(1.0)
    assert postponed.kernels == (triple,)
    assert _is_compiled(again)


def test_a_block_holds_for_its_thread(kernels):
    double, _ = kernels
    with uncompiled():
        thread = threading.Thread(target=double, args=(1.0,))
        thread.start()
        thread.join()
    assert _is_compiled(double)


def test_progress_counts_all_that_is_missing(kernels):
    double, triple = kernels
    reports = []
    results = []
    compile_kernels(lambda: results.append(double(1.0) + triple(1.0)), reports.append)
    assert reports == [
        CompileProgress(0, 2, 'double'),
        CompileProgress(1, 2, 'triple'),
        CompileProgress(2, 2),
    ]
    assert results == [5.0, 5.0]
    compile_kernels(lambda: double(1.0), pytest.fail)


def test_in_the_background(kernels):
    compiler = BackgroundCompiler()
    compiler.compile(kernels)
    compiler.compile(kernels)
    while not all(map(_is_compiled, kernels)):
        time.sleep(0.01)  # a loop that is busy would hardly let the other thread compile
    assert [kernel(2.0) for kernel in kernels] == [4.0, 6.0]


@pytest.mark.parametrize('samples, compiled', [(19_999, False), (20_000, True)])
def test_a_command_compiles_for_many_samples(kernels, capsys, samples, compiled):
    with kernels_of_a_command(), kernels_for(samples):
        assert [kernel(2.0) for kernel in kernels] == [4.0, 6.0]
    assert [_is_compiled(kernel) for kernel in kernels] == [compiled] * 2
    lines = capsys.readouterr().err.splitlines()
    assert lines == ['compiling kernels (once, about a minute)...'] * compiled


@pytest.mark.parametrize('order', [0, 2, 7])
@pytest.mark.parametrize('samples', [(), (9,)], ids=['single', 'batch'])
def test_the_recursion_gives_the_same_numbers(order, samples, rng, monkeypatch):
    model = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
    jet = rng.normal(size=(*samples, order + 3, model.n))
    # in C if possible: kernels that numba compiles would stay in this process for other tests
    with monkeypatch.context() as patch:
        patch.delenv('SCREW_DYNAMICS_KERNELS')
        expected = sd.inverse_dynamics(model, jet)
    kernel = (batch_kernel if samples else single_kernel)(order)
    monkeypatch.setattr(kernel, '_compiled', None)
    inverse_dynamics = sys.modules['screw_dynamics.dynamics.inverse_dynamics']
    monkeypatch.setattr(inverse_dynamics, '_single_kernels', {})
    with uncompiled() as postponed:
        got = sd.inverse_dynamics(model, jet)
    assert postponed.kernels == (kernel,)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-13 * np.abs(expected).max())
