# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Generated C against the library for random trees, near-singular ones among them."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
from c_compiler import COMPILER, STRICT, Compiled, needs_gcc, write
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_model
from oracles.strategies import joint_jets, models

import screw_dynamics as sd
from screw_dynamics.codegen.robot import QUANTITIES

# Both run the same recursion; sines of two libraries differ by a unit in the last place, which
# loads carry to efforts, however small.
BOUND = 1e-13

CPP = shutil.which('g++')


def loads(model, jet):
    return reference_efforts(model, np.asarray(jet)).scale


def close(got, expected, scale):
    size = np.maximum(np.abs(expected).max(axis=-1, initial=0.0), scale)
    error = np.abs(got - expected).max(axis=-1, initial=0.0)
    assert (error <= BOUND * size).all(), (error, size)


@st.composite
def cases(draw):
    model, order = draw(models(max_bodies=6)), draw(st.integers(0, 3))
    jets = [draw(joint_jets(model.n, order)) for _ in range(2)]
    return model, order, jets


@needs_gcc
@settings(max_examples=10)
@given(case=cases())
def test_random_trees_move_as_in_the_library(case):
    model, order, jets = case
    with tempfile.TemporaryDirectory() as folder:
        code = sd.generate_c(model, order=order, quantities=QUANTITIES[:6])
        compiled = Compiled(code, Path(folder))
        n = model.n
        for jet in jets:
            q, qd = jet[:2]
            got = compiled('inverse_dynamics', jet, shape=(order + 1, n))
            close(got, sd.inverse_dynamics(model, jet), loads(model, jet))
            got = compiled('gravity_forces', q, shape=(n,))
            close(got, sd.gravity_forces(model, q), loads(model, [q, 0 * q, 0 * q])[0])
            moving = loads(model, [q, qd, 0 * q])[0]
            got = compiled('bias_forces', q, qd, shape=(n,))
            close(got, sd.bias_forces(model, q, qd), moving)
            got = compiled('coriolis_forces', q, qd, shape=(n,))
            close(got, sd.bias_forces(model.without_gravity(), q, qd), moving)
            mass = sd.mass_matrix(model, q).ravel()
            close(compiled('mass_matrix', q, shape=(n, n)).ravel(), mass, 0.0)
            coriolis = sd.coriolis_matrix(model, q, qd).ravel()
            close(compiled('coriolis_matrix', q, qd, shape=(n, n)).ravel(), coriolis, moving)


@needs_gcc
@pytest.mark.skipif(CPP is None, reason='g++ is not installed')
@pytest.mark.parametrize('standard', ['c++11', 'c++20'])
def test_header_is_one_of_c_plus_plus(standard, tmp_path):
    model = random_model(np.random.default_rng(1), [BodyRecipe(), BodyRecipe('helical')])
    code = sd.generate_c(model, 'arm', quantities=QUANTITIES[:-1], frames=['tool_1'])
    write(code, tmp_path)
    jet = np.random.default_rng(2).normal(size=10)
    main = f"""
        #include "arm.h"
        #include "arm.h"
        #include <cstdio>
        int main()
        {{
            const double jet[(ARM_ORDER + 3) * ARM_N] = {{{', '.join(map(repr, jet.tolist()))}}};
            double tau[(ARM_ORDER + 1) * ARM_N];
            arm_inverse_dynamics(jet, tau);
            for (double number : tau) std::printf("%.17g\\n", number);
        }}
    """
    (tmp_path / 'main.cpp').write_text(main, encoding='ascii')
    subprocess.run([COMPILER, *STRICT, '-c', 'arm.c'], check=True, cwd=tmp_path)
    flags = [f'-std={standard}', '-Wall', '-Wextra', '-Wpedantic', '-Werror']
    build = [CPP, *flags, 'main.cpp', 'arm.o', '-o', 'main', '-lm']
    subprocess.run(build, check=True, cwd=tmp_path)
    out = subprocess.run(['./main'], check=True, cwd=tmp_path, capture_output=True, text=True)
    got = np.array(out.stdout.split(), dtype=float).reshape(3, 2)
    close(got, sd.inverse_dynamics(model, jet.reshape(5, 2)), 0.0)


@needs_gcc
@pytest.mark.skipif(CPP is None, reason='g++ is not installed')
def test_source_is_also_one_of_c_plus_plus(tmp_path):
    model = random_model(np.random.default_rng(4), [BodyRecipe(), BodyRecipe(mimics=0)])
    write(sd.generate_c(model, 'arm', quantities=QUANTITIES[:-1], frames=['base']), tmp_path)
    flags = ['-x', 'c++', '-std=c++17', '-Wall', '-Wextra', '-Wpedantic', '-Werror']
    for name in ('arm.c', 'arm_self_test.c'):
        subprocess.run([CPP, *flags, '-c', name], check=True, cwd=tmp_path)
