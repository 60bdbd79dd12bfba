# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Generated C as an external function of CasADi, with its Jacobian."""

import ctypes
import subprocess

import numpy as np
import pytest
from c_compiler import COMPILER, Compiled, needs_gcc, write
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd

pytestmark = needs_gcc
ORDER = 2
TREE = [BodyRecipe(), BodyRecipe('prismatic'), BodyRecipe(mimics=0, parent_back=2), BodyRecipe()]
MODEL = random_model(np.random.default_rng(1), TREE)
JET = np.random.default_rng(2).normal(size=(ORDER + 3, MODEL.n))
EFFORTS = sd.inverse_dynamics(MODEL, JET)
JACOBIAN = sd.effort_partials(MODEL, JET).swapaxes(1, 2).reshape(EFFORTS.size, JET.size)
CODE = sd.generate_c(MODEL, 'arm', order=ORDER, casadi=True)


def assert_close(got, expected):
    """Rounding of another compiler."""
    assert np.abs(got - expected).max() <= 1e-12 * np.abs(expected).max()


def test_the_interface_without_casadi(tmp_path):
    """Sizes and numbers, matrices by columns; an argument of zeros is a null pointer."""
    library = Compiled(CODE, tmp_path).library
    pointer = ctypes.POINTER(ctypes.c_double)
    for name, expected in (('jac_arm_efforts', JACOBIAN), ('arm_efforts', EFFORTS.T)):
        sparsity = getattr(library, f'{name}_sparsity_out')
        sparsity.restype = ctypes.POINTER(ctypes.c_longlong)
        assert sparsity(ctypes.c_longlong(0))[:3] == [*expected.shape, 1]
        sizes = (ctypes.c_longlong * 4)()
        parts = [ctypes.byref(sizes, 8 * k) for k in range(4)]
        assert getattr(library, f'{name}_work')(*parts) == 0
        work, out = np.empty(max(sizes[3], 1)), np.empty(expected.shape[::-1])
        inputs = (pointer * sizes[0])(JET.ctypes.data_as(pointer))
        results = (pointer * 1)(out.ctypes.data_as(pointer))
        assert getattr(library, name)(inputs, results, None, work.ctypes.data_as(pointer), 0) == 0
        assert_close(out.T, expected)
    assert library.arm_efforts((pointer * 1)(), results, None, None, 0) == 0
    assert_close(out[0], sd.gravity_forces(MODEL, np.zeros(MODEL.n)))


def test_casadi_reads_it_and_generates_code_that_calls_it(tmp_path, monkeypatch):
    """Its finite differences, ours, and C of CasADi as acados compiles it."""
    casadi = pytest.importorskip('casadi', reason='CasADi is not installed: pip install casadi')
    monkeypatch.chdir(tmp_path)
    write(CODE, tmp_path)
    build = [COMPILER, '-O2', '-shared', '-fPIC', '-o']
    subprocess.run([*build, 'arm.so', 'arm.c', '-lm'], check=True)
    efforts = casadi.external('arm_efforts', './arm.so')
    assert_close(np.array(efforts(JET.T)), EFFORTS.T)
    jet = casadi.MX.sym('jet', MODEL.n, ORDER + 3)
    outputs = casadi.jacobian(casadi.vec(efforts(jet)), casadi.vec(jet))
    jacobian = casadi.Function('jacobian_of_arm', [jet], [outputs])
    assert_close(np.array(jacobian(JET.T)), JACOBIAN)
    options = {'enable_fd': True, 'enable_forward': False, 'enable_reverse': False}
    options |= {'enable_jacobian': False, 'fd_method': 'central'}
    differences = casadi.external('arm_efforts', './arm.so', options)
    by_differences = casadi.jacobian(casadi.vec(differences(jet)), casadi.vec(jet))
    found = np.array(casadi.Function('differences', [jet], [by_differences])(JET.T))
    # central differences with CasADi's steps
    assert np.abs(found - JACOBIAN).max() <= 1e-6 * np.abs(JACOBIAN).max()
    jacobian.generate('generated.c')
    subprocess.run([*build, 'generated.so', 'generated.c', 'arm.c', '-lm'], check=True)
    compiled = casadi.external('jacobian_of_arm', './generated.so')
    assert_close(np.array(compiled(JET.T)), JACOBIAN)


def test_floats_are_refused():
    with pytest.raises(sd.errors.InputError, match="expected double for CasADi, got 'float'"):
        sd.generate_c(MODEL, casadi=True, real='float')
