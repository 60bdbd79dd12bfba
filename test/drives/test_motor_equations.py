# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands put into the equations of motion, every derivative taken independently."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp
from oracles.elastic_laws import (
    DIGITS,
    damped_deflection,
    deflections,
    jet_of,
    motor_effort,
    polynomial,
    spring_efforts,
)
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_joint_jet, random_model, random_wrench_jets

import screw_dynamics as sd

TABLE = np.linspace(-3.0, 3.0, 9)
SPRINGS = {
    'rigid': None,
    'linear': sd.LinearSpring(300.0),
    'damped': sd.LinearSpring(300.0, 15.0),
    'cubic': sd.CubicSpring(150.0, 4000.0),
    'exponential': sd.ExponentialSpring(120.0, 4.0),
    'tabulated': sd.TabulatedSpring(TABLE, 40.0 * TABLE + 30.0 * TABLE**3 + 9.0 * np.sin(TABLE)),
    'variable': sd.VariableStiffness(400.0),
    'exponential pair': sd.AntagonisticPair(
        'exponential', stiffness=900.0, spring_stiffness=30.0, rate=6.0
    ),
    'quadratic pair': sd.AntagonisticPair('quadratic', stiffness=900.0, quadratic_stiffness=500.0),
    'cubic pair': sd.AntagonisticPair(
        'cubic', stiffness=2000.0, spring_stiffness=100.0, cubic_stiffness=900.0
    ),
}
VARY = ('variable', 'exponential pair', 'quadratic pair', 'cubic pair')
MOTOR = sd.Motor(
    rotor_inertia=2e-4,
    gear_ratio=40.0,
    viscous_friction=1e-3,
    coulomb_friction=0.02,
    coulomb_velocity=25.0,
)
RECIPES = [BodyRecipe(), BodyRecipe(joint_type='prismatic'), BodyRecipe(parent_back=2)]


def assert_relative(actual, expected, bound=1e-12):
    """Every row, relative to the largest of the row's rows before it: what rounding can hold."""
    assert actual.shape == expected.shape
    assert np.abs(actual - expected).max() <= bound * np.abs(expected).max()
    scale = np.maximum.accumulate(np.abs(expected))
    assert (np.abs(actual - expected) <= bound * scale).all(), (actual, expected)


def compose(outer, inner):
    return lambda t: outer(inner(t))


@pytest.mark.parametrize('name', SPRINGS)
def test_springs_and_motors(name, rng):
    rows = 6
    spring = SPRINGS[name]
    model = random_model(rng, RECIPES, length=0.5)
    drives = sd.Drives(
        dict.fromkeys(
            model.joint_names, sd.JointDrive(spring, MOTOR, MOTOR if 'pair' in name else None)
        )
    )
    jet = random_joint_jet(rng, model.n, rows - 3)
    stiffness = 100.0 * rng.uniform(-1.0, 1.0, (model.n, rows))
    stiffness[:, 0] = [0.0 if spring is None else getattr(spring, 'stiffness', 0.0)] * model.n
    varied = dict(zip(model.joint_names, stiffness, strict=True)) if name in VARY else None
    start = dict.fromkeys(model.joint_names, 0.03) if name == 'damped' else None
    result = sd.elastic_feedforward(
        sd.Robot(model, drives), jet, stiffness_jets=varied, deflection=start
    )
    table = sd.Robot(model, drives).motors
    with mp.workdps(DIGITS):
        for j in range(model.n):
            motors = np.flatnonzero(table.joint_of_motor == j)
            phi = result.deflection_jet[:, motors]
            count = len(phi)
            tau = polynomial(result.effort_jet[:, j])
            if name == 'damped':
                functions = [damped_deflection(spring, result.effort_jet[:, j], 0.03)]
            else:
                functions = deflections(spring, tau, polynomial(stiffness[j]), phi[0])
            for i, motor in enumerate(motors):
                expected = jet_of(functions[i], count)
                assert_relative(phi[:, i], expected)
                theta = jet[:count, j] + expected
                assert_relative(result.motor_jet[:, motor], theta)
                force = result.effort_jet[:, j]
                if len(motors) > 1:
                    law = spring_efforts(spring, phi[0])[i]
                    force = jet_of(compose(law, functions[i]), count - 2)
                commands = jet_of(motor_effort(MOTOR, theta, force), count - 2)
                assert_relative(result.motor_effort_jet[:, motor], commands)


decades = st.floats(-2.0, 3.0)
stiffnesses = decades.map(lambda x: 10.0**x)
drawn_springs = st.one_of(
    st.builds(sd.LinearSpring, stiffnesses),
    st.builds(sd.CubicSpring, stiffnesses, stiffnesses),
    st.builds(sd.ExponentialSpring, stiffnesses, stiffnesses),
)
MASS = sd.ScrewModel.from_screws(
    [-1], [np.eye(4)], [[0, 0, 0, 0, 0, 1]], [np.diag([0, 0, 0, 1.0, 1.0, 1.0])], np.zeros(3)
)


@example(sd.ExponentialSpring(0.01, 1000.0), [5, -900, 3, 1, 0], 0.0)
@settings(max_examples=20)
@given(drawn_springs, st.lists(st.integers(-999, 999), min_size=5, max_size=5), decades)
def test_any_parameters(spring, tau, size):
    tau = np.array(tau) * 10.0 ** (size - 3.0)
    jet = np.zeros((7, 1))
    jet[2:, 0] = tau  # the effort on a mass of 1 kg
    drives = sd.Drives({'joint_1': sd.JointDrive(spring)})
    phi = sd.elastic_feedforward(sd.Robot(MASS, drives), jet).deflection_jet[:, 0]
    with mp.workdps(DIGITS):
        function = deflections(spring, polynomial(tau), None, phi[:1])[0]
        expected = jet_of(function, 5)
    assert_relative(phi, expected)


def test_the_effort_is_that_of_inverse_dynamics(rng):
    model = random_model(rng, [*RECIPES, BodyRecipe(mimics=0)])
    joint = sd.JointDrive(sd.LinearSpring(300.0), MOTOR)
    drives = sd.Drives(dict.fromkeys(model.joint_names[1:], joint))
    jet = random_joint_jet(rng, model.n, 2)
    wrenches = random_wrench_jets(rng, model, 2)
    result = sd.elastic_feedforward(sd.Robot(model, drives), jet, wrenches)
    efforts = reference_efforts(model, jet, wrenches).efforts
    phi = efforts / 300.0
    phi[:, 0] = 0.0
    np.testing.assert_allclose(result.effort_jet, efforts, rtol=1e-12)
    np.testing.assert_allclose(result.deflection_jet, phi, rtol=1e-12)
    np.testing.assert_allclose(result.motor_jet, jet[:3] + phi, rtol=1e-12)
