# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Generated motor commands against the stages of the library, for all springs and friction."""

import subprocess
from dataclasses import astuple

import numpy as np
import pytest
from c_compiler import COMPILER, STRICT, Compiled, needs_gcc, write
from oracles.random_models import BodyRecipe, random_joint_jet, random_model

import screw_dynamics as sd
from screw_dynamics.drives import (
    link_efforts,
    motor_efforts,
    spring_deflections,
    transmitted_efforts,
)
from screw_dynamics.errors import InputError

pytestmark = needs_gcc

# relative to the largest number of an order: the stages do the same operations in another order
BOUND = 1e-13

TABLE = np.linspace(-2.0, 2.0, 7)
TABULATED = sd.TabulatedSpring(TABLE, 800.0 * TABLE + 300.0 * TABLE**3)
PAIRS = [
    sd.AntagonisticPair('exponential', 4000.0, spring_stiffness=30.0, rate=6.0),
    sd.AntagonisticPair('quadratic', 5000.0, quadratic_stiffness=2000.0),
    sd.AntagonisticPair('cubic', 5000.0, spring_stiffness=1000.0, cubic_stiffness=2e5),
    sd.AntagonisticPair('quadratic', 5000.0, quadratic_stiffness=2000.0, pull_only=True),
]
SPRINGS = {
    'rigid': [None],
    'mixed': [
        sd.VariableStiffness(5000.0),
        sd.ExponentialSpring(1000.0, 3.0),
        TABULATED,
        None,
        sd.CubicSpring(2000.0, 5e4),
        *PAIRS,
        sd.LinearSpring(3000.0),
        sd.VariableStiffness(2000.0),
    ],
}
PLAIN = {'motor': sd.Motor(2e-3, 10.0)}
MOTOR = sd.Motor(2e-3, 10.0, 1e-2, 2e-2, 1.0, breakaway_friction=0.03, load_friction=0.03)
RUBBING = {
    'motor': MOTOR,
    'friction': sd.JointFriction(0.4, 1.0, 0.5, breakaway=1.3, stribeck_velocity=1.0, load=0.05),
}
PARALLEL = [
    sd.TorsionSpring(40.0, rest_position=0.3),
    sd.BalancingSpring(90.0, (0.1, 0.2, 0.3), (0.4, 0.0, 0.1)),
    sd.BalancingSpring(90.0, (0.1, 0.2, 0.3), (0.4, 0.0, 0.1), 0.7),
    sd.GasSpring(30.0, 90.0, 89.9, (0.1, 0.2, 0.3), (0.4, 0.0, 0.1), progression=1.4),
    None,
]


def elastic(model, springs, parallel=(None,), **parts):
    return sd.Drives(
        {
            name: sd.JointDrive(
                springs[i % len(springs)], **parts, parallel_spring=parallel[i % len(parallel)]
            )
            for i, name in enumerate(model.joint_names)
        }
    )


def robot(rng, n):
    kinds = ('revolute', 'prismatic', 'helical')
    recipes = [BodyRecipe(kinds[i % 3], parent_back=1 + i % 2, mass_scale=0.1) for i in range(n)]
    return random_model(rng, [*recipes, BodyRecipe('helical', mimics=0)], length=0.3)


def by_stages(model, drives, jet):
    efforts = transmitted_efforts(
        sd.Robot(model, drives), jet, link_efforts(sd.Robot(model, drives), jet)
    )
    deflections = spring_deflections(sd.Robot(model, drives), efforts)
    return motor_efforts(sd.Robot(model, drives), jet, efforts, deflections)


def close(got, expected):
    scale = np.maximum(np.abs(expected).max(axis=1, keepdims=True), 1.0)
    np.testing.assert_allclose(got / scale, expected / scale, rtol=0.0, atol=BOUND)


@pytest.mark.parametrize(
    ('n', 'order', 'springs', 'parts'),
    [(4, 3, 'mixed', 'plain'), (13, 2, 'mixed', 'rubbing'), (2, 2, 'rigid', 'rubbing')],
)
def test_motor_positions_and_efforts_are_those_of_the_stages(n, order, springs, parts, tmp_path):
    rng = np.random.default_rng(n + order)
    model = robot(rng, n)
    options = {'parallel': PARALLEL, **RUBBING} if parts == 'rubbing' else PLAIN
    drives = elastic(model, SPRINGS[springs], **options)
    code = sd.generate_c(
        sd.Robot(model, drives), order=order, quantities=['motor_commands', 'mass_matrix']
    )
    compiled = Compiled(code, tmp_path)
    for _ in range(4):
        jet = 0.3 * random_joint_jet(rng, model.n, order)
        theta, efforts = by_stages(model, drives, jet)
        got = np.full(theta.shape, np.nan), np.full(efforts.shape, np.nan)
        assert compiled.status('motor_commands', jet, *got) == 0
        close(got[0], theta)
        close(got[1], efforts)


@pytest.mark.parametrize(
    ('spring', 'parallel'),
    [
        (TABULATED, None),
        (PAIRS[3], None),
        (sd.LinearSpring(3000.0), sd.GasSpring(30.0, 0.4, 0.3, (0, 0, 0), (0.1, 0, 0.8))),
    ],
)
def test_springs_out_of_range_are_reported(spring, parallel, tmp_path):
    model = robot(np.random.default_rng(1), 2)
    drives = elastic(model, [spring], [parallel], **PLAIN)
    code = sd.generate_c(sd.Robot(model, drives), quantities=['motor_commands'])
    compiled = Compiled(code, tmp_path)
    jet = 1e6 * np.ones((5, 2))
    out = np.empty((3, 4)), np.empty((1, 4))
    with pytest.raises(sd.errors.SpringRangeError):
        sd.elastic_feedforward(sd.Robot(model, drives), jet)
    assert compiled.status('motor_commands', jet, *out) not in (0, -2)
    # also where no state of the self-test is within the range
    build = [COMPILER, *STRICT, '-o', 'test', 'robot.c', 'robot_self_test.c', '-lm']
    write(code, tmp_path)
    subprocess.run(build, check=True, cwd=tmp_path)
    assert subprocess.run(['./test'], cwd=tmp_path, check=False).returncode == 0


def friction_law(r, v, viscous, coulomb, velocity, breakaway, stribeck, load, rounding):
    """Return the friction as documented, of a motor by its own numbers, on the joint side."""
    level = coulomb + max(breakaway - coulomb, 0.0) * np.exp(-((r * v / stribeck) ** 2))
    return r * (viscous * r * v + np.tanh(r * v / velocity) * (level + load * rounding))


def test_drive_forces_are_friction_without_load_and_parallel_springs(rng, tmp_path):
    model = robot(rng, 13)
    drives = elastic(model, SPRINGS['mixed'], PARALLEL, **RUBBING)
    compiled = Compiled(
        sd.generate_c(sd.Robot(model, drives), quantities=['drive_forces']), tmp_path
    )
    rubs = RUBBING['friction']
    own = [MOTOR.viscous_friction, MOTOR.coulomb_friction, MOTOR.coulomb_velocity]
    own += [MOTOR.breakaway_friction, MOTOR.stribeck_velocity, MOTOR.load_friction]
    still = sd.Robot(model, elastic(model, [None], PARALLEL))
    for _ in range(4):
        q, v = 0.3 * random_joint_jet(rng, model.n)[:2]
        springs, friction = np.full((2, model.n), np.nan)
        compiled.status('drive_forces', q, v, springs, friction)
        jet = np.array([q, np.zeros(model.n)])
        close([springs], -transmitted_efforts(still, jet, np.zeros((1, model.n))))
        expected = friction_law(1.0, v, *astuple(rubs))
        rigid = np.array([drives.joints[name].spring is None for name in model.joint_names])
        assert 0 < rigid.sum() < model.n
        expected += rigid * friction_law(MOTOR.gear_ratio, v, *own, MOTOR.load_effort)
        close([friction], expected[np.newaxis])


def test_numbers_that_are_not_finite_are_reported(tmp_path):
    model = robot(np.random.default_rng(1), 2)
    drives = elastic(model, [sd.LinearSpring(3000.0), sd.CubicSpring(2000.0, 5e4)], **PLAIN)
    code = sd.generate_c(sd.Robot(model, drives), quantities=['motor_commands'])
    compiled, out = Compiled(code, tmp_path), (np.empty((3, 2)), np.empty((1, 2)))
    for joint in range(2):
        jet = np.zeros((5, 2))
        jet[4, joint] = np.inf
        assert compiled.status('motor_commands', jet, *out) == -2


def test_function_of_the_efforts_is_public_only_if_wanted(tmp_path):
    model = robot(np.random.default_rng(1), 2)
    drives = elastic(model, [sd.LinearSpring(3000.0)], **PLAIN)
    for wanted in (['motor_commands'], ['motor_commands', 'inverse_dynamics']):
        code = sd.generate_c(sd.Robot(model, drives), quantities=wanted)
        assert code.source.count('void f_inverse_dynamics(') == 1
        assert ('void robot_inverse_dynamics(' in code.source) == (len(wanted) == 2)
        assert '#define ROBOT_MOTORS 2' in code.header
        Compiled(code, tmp_path)


@pytest.mark.parametrize(
    ('drives', 'order', 'text'),
    [
        (None, 2, 'robot: expected one with drives for motor_commands, got none'),
        (sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(9.0, 1.0))}), 2, 'damper'),
        (sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(9.0))}), 1, 'order: exp'),
    ],
)
def test_what_cannot_be_generated_is_refused(drives, order, text):
    model = robot(np.random.default_rng(1), 2)
    with pytest.raises(InputError, match=text):
        sd.generate_c(sd.Robot(model, drives), order=order, quantities=['motor_commands'])
