# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Generated C of single precision, and constants below rounding."""

import ctypes
import re
import subprocess

import numpy as np
import pytest
from c_compiler import COMPILER, STRICT, needs_gcc, write
from oracles.random_models import BodyRecipe, random_joint_jet, random_model

import screw_dynamics as sd
from screw_dynamics.codegen.robot import QUANTITIES
from screw_dynamics.theory.inverse_dynamics import body_fixed

pytestmark = [pytest.mark.long, pytest.mark.processes]

RECIPES = [
    BodyRecipe(),
    BodyRecipe('prismatic'),
    BodyRecipe('helical', parent_back=2),
    BodyRecipe('prismatic', mimics=1),
]


def drives(model):
    spring = sd.JointDrive(
        sd.CubicSpring(2000.0, 5e4),
        motor=sd.Motor(2e-3, 10.0, 1e-2, 2e-2, 1.0),
        friction=sd.JointFriction(0.4, 1.0, 0.5),
        parallel_spring=sd.TorsionSpring(40.0, rest_position=0.3),
    )
    return sd.Drives({name: spring for name in model.joint_names})


@needs_gcc
@pytest.mark.parametrize('seed', range(3))
def test_floats_have_the_digits_of_their_format(seed, tmp_path):
    rng = np.random.default_rng(seed)
    model = random_model(rng, RECIPES)
    code = sd.generate_c(sd.Robot(model, drives(model)), quantities=QUANTITIES, frames=['tool_3'],
                         real='float')  # fmt: skip
    assert 'double' not in code.header + code.source
    write(code, tmp_path)
    build = [COMPILER, *STRICT, '-O1', '-o', 'test', 'robot.c', 'robot_self_test.c', '-lm']
    subprocess.run(build, check=True, cwd=tmp_path)
    subprocess.run(['./test'], check=True, cwd=tmp_path)
    build = [COMPILER, *STRICT, '-fPIC', '-shared', '-o', 'robot.so', 'robot.c', '-lm']
    subprocess.run(build, check=True, cwd=tmp_path)
    function = ctypes.CDLL(str(tmp_path / 'robot.so')).robot_inverse_dynamics
    for _ in range(5):
        jet = random_joint_jet(rng, model.n, 2).astype(np.float32)
        tau = np.empty((3, model.n), np.float32)
        function(*(x.ctypes.data_as(ctypes.c_void_p) for x in (jet, tau)))
        expected = body_fixed.inverse_dynamics(model, jet.astype(float))
        scale = np.abs(expected).max(axis=1, keepdims=True)
        # some hundred rounded products of 24 bits
        assert (np.abs(tau - expected) <= 1e-5 * scale).all()


def test_constants_below_rounding_are_zero():
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    angles = model.kernel_tables.parameters
    assert ((np.abs(angles) < 1e-15) & (angles != 0.0)).any()  # of angles such as pi / 2
    numbers = re.findall(r'(?<![\w.])\d+\.\d*(?:e-?\d+)?', sd.generate_c(model).source)
    assert all(float(number) == 0.0 or float(number) > 1e-12 for number in numbers)


@needs_gcc
def test_numbers_that_floats_do_not_have(tmp_path):
    light = BodyRecipe(mass_scale=1e-50)
    code = sd.generate_c(random_model(np.random.default_rng(3), [BodyRecipe(), light]),
                         quantities=['mass_matrix'], real='float')  # fmt: skip
    write(code, tmp_path)
    subprocess.run([COMPILER, *STRICT, '-c', 'robot.c'], check=True, cwd=tmp_path)
