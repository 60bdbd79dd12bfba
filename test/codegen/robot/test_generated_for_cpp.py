# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Generated C in programs of C++."""

import shutil
import subprocess

import numpy as np
import pytest
from c_compiler import COMPILER, STRICT, needs_gcc, write
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from screw_dynamics.codegen.robot import QUANTITIES

pytestmark = [pytest.mark.long, pytest.mark.processes]

CPP = shutil.which('g++')


@needs_gcc
@pytest.mark.skipif(CPP is None, reason='g++ is not installed')
@pytest.mark.parametrize('standard', ['c++11', 'c++20'])
def test_header_is_one_of_c_plus_plus(standard, tmp_path):
    model = random_model(np.random.default_rng(1), [BodyRecipe(), BodyRecipe('helical')])
    code = sd.generate_c(model, 'arm', quantities=QUANTITIES[:-2], frames=['tool_1'])
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
    expected = sd.inverse_dynamics(model, jet.reshape(5, 2))
    scale = np.abs(expected).max(axis=1, keepdims=True)
    # the same recursion; sines of two libraries differ by a unit in the last place
    np.testing.assert_allclose(got / scale, expected / scale, rtol=0.0, atol=1e-13)


@needs_gcc
@pytest.mark.skipif(CPP is None, reason='g++ is not installed')
def test_source_is_also_one_of_c_plus_plus(tmp_path):
    model = random_model(np.random.default_rng(4), [BodyRecipe(), BodyRecipe(mimics=0)])
    write(sd.generate_c(model, 'arm', quantities=QUANTITIES[:-2], frames=['base']), tmp_path)
    flags = ['-x', 'c++', '-std=c++17', '-Wall', '-Wextra', '-Wpedantic', '-Werror']
    for name in ('arm.c', 'arm_self_test.c'):
        subprocess.run([CPP, *flags, '-c', name], check=True, cwd=tmp_path)
