# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motor efforts of `elastic_feedforward` alone make the simulated robot follow the motion."""

import numpy as np
import pytest
from oracles import two_links
from scipy.interpolate import make_interp_spline

import screw_dynamics as sd
from screw_dynamics.simulation import ElasticRobot

B = two_links.ROTORS
TIMES = np.linspace(0.0, two_links.DURATION, 201)
REFERENCE = np.array([two_links.reference(t)[0] for t in TIMES])
FRICTION = {'viscous_friction': 0.3, 'coulomb_friction': 0.4, 'coulomb_velocity': 0.5}
TOLERANCES = (1e-6, 1e-9, 1e-12)


@pytest.fixture(scope='module')
def model():
    return two_links.model()


def tracking_errors(robot, rows=5, wrenches=None, stiffness=None, tolerances=TOLERANCES):
    """Largest |q - q_ref| for each tolerance; `wrenches` and `stiffness` give jets at a time."""
    simulation = ElasticRobot(robot)

    def command(t):
        return sd.elastic_feedforward(
            robot,
            two_links.reference(t, rows),
            wrenches(t) if wrenches else None,
            stiffness_jets=stiffness(t) if stiffness else None,
        )

    start = simulation.initial_state(two_links.reference(0.0, 2), command(0.0))
    errors = []
    for rtol in tolerances:
        motion = simulation.integrate(
            TIMES,
            lambda t, state: command(t).motor_effort,
            start,
            rtol=rtol,
            wrenches=(lambda t: {k: w[0] for k, w in wrenches(t).items()}) if wrenches else None,
            stiffness=(lambda t: [k[0] for k in stiffness(t).values()]) if stiffness else None,
        )
        errors.append(np.abs(motion.position - REFERENCE).max())
    return np.array(errors)


def assert_falls_with_the_tolerance(errors):
    assert (errors < [2e-6, 2e-9, 4e-12]).all(), errors


def joint(spring, **friction):
    return lambda i: sd.JointDrive(spring, sd.Motor(B[i], **friction))


TABLE = np.linspace(-0.4, 0.4, 9)
SPRINGS = {
    'linear': sd.LinearSpring(150.0),
    'cubic': sd.CubicSpring(150.0, 4000.0),
    'exponential': sd.ExponentialSpring(100.0, 5.0),
    'variable': sd.VariableStiffness(120.0),
}


@pytest.mark.parametrize('name', SPRINGS)
def test_springs_with_motor_friction(name):
    make = joint(SPRINGS[name], **FRICTION)
    assert_falls_with_the_tolerance(tracking_errors(two_links.robot(make(0), make(1))))


def test_tabulated_spring():
    spring = sd.TabulatedSpring(TABLE, 120.0 * TABLE + 300.0 * TABLE**3)
    make = joint(spring)
    errors = tracking_errors(two_links.robot(make(0), make(1)), tolerances=(1e-6, 1e-9))
    # C2 at its knots, so that the integrator's order drops there
    assert errors[0] < 2e-6 and errors[1] < 1e-8


def test_one_joint_rigid():
    rigid = sd.JointDrive(motor=sd.Motor(B[0]))
    errors = tracking_errors(two_links.robot(rigid, None))
    # measured in another program: 1.1e-7, 2.9e-10, 4.5e-13
    assert (errors < [4e-7, 4e-9, 2e-12]).all(), errors


@pytest.mark.parametrize(
    ('law', 'parameters'),
    [
        ('exponential', {'spring_stiffness': 20.0, 'rate': 8.0}),
        ('quadratic', {'quadratic_stiffness': 250.0}),
        ('cubic', {'spring_stiffness': 20.0, 'cubic_stiffness': 900.0}),
    ],
)
def test_antagonistic_pair_with_a_stiffness_trajectory(law, parameters):
    pair = sd.AntagonisticPair(law, stiffness=120.0, **parameters)
    robot = two_links.robot(None, sd.JointDrive(pair, sd.Motor(B[1]), sd.Motor(2.0 * B[1])))
    omega = 4.0

    def sigma(t):
        s, c = np.sin(omega * t), np.cos(omega * t)
        return {'joint_2': [120.0 + 30.0 * s, 30.0 * omega * c, -30.0 * omega**2 * s]}

    assert_falls_with_the_tolerance(tracking_errors(robot, stiffness=sigma))


def test_variable_stiffness_that_varies():
    spring = sd.JointDrive(sd.VariableStiffness(100.0), sd.Motor(B[1]))

    def stiffness(t):
        return {'joint_2': [100.0 + 40.0 * np.sin(5.0 * t), 200.0 * np.cos(5.0 * t),
                            -1000.0 * np.sin(5.0 * t)]}  # fmt: skip

    robot = two_links.robot(None, spring)
    assert_falls_with_the_tolerance(tracking_errors(robot, stiffness=stiffness))


def test_external_wrench():
    def wrenches(t):
        wave = [np.sin(3.0 * t), 3.0 * np.cos(3.0 * t), -9.0 * np.sin(3.0 * t)]
        return {'body_2': np.outer(wave, [0.3, -0.2, 1.5, 4.0, -6.0, 2.0])}

    assert_falls_with_the_tolerance(tracking_errors(two_links.robot(), wrenches=wrenches))
    without = ElasticRobot(two_links.robot())
    state = without.state(two_links.START)
    pushed = without.derivatives(state, [0.0, 0.0], wrenches={'body_2': [0, 0, 1.0, 0, 0, 0]})
    free = without.derivatives(state, [0.0, 0.0])
    push = np.linalg.solve(two_links.mass_matrix(two_links.START), [1.0, 1.0])
    assert np.allclose((pushed - free)[2:4], push, rtol=1e-12)


def test_damped_joints():
    damping = (4.0, 1.0)
    damped = two_links.robot(
        *(
            sd.JointDrive(sd.LinearSpring(k, d), sd.Motor(b))
            for k, d, b in zip(two_links.STIFFNESS, damping, B, strict=True)
        )
    )
    times = np.linspace(0.0, two_links.DURATION, 8001)
    jets = np.array([two_links.reference(t) for t in times])
    simulation = ElasticRobot(damped)

    def error(robot, rtol):
        commands = sd.elastic_feedforward(robot, jets, times=times)
        effort = make_interp_spline(times, commands.motor_effort, k=7)
        start = simulation.initial_state(jets[0], commands)
        motion = simulation.integrate(TIMES, lambda t, y: effort(t), start, rtol=rtol)
        return np.abs(motion.position - REFERENCE).max()

    # measured in another program: 1.3e-8, 1.3e-11, 7.6e-14
    assert error(damped, 1e-6) < 4e-7
    assert error(damped, 1e-9) < 4e-10
    assert error(damped, 1e-12) < 1e-12
    # commands that do not know of the dampers
    assert error(two_links.robot(), 1e-9) == pytest.approx(5.2e-4, rel=0.02)


def test_rotors_on_moving_links(model):
    drives = sd.Drives(
        {
            f'joint_{i + 1}': sd.JointDrive(
                sd.LinearSpring(k), sd.Motor(b / 100.0, gear_ratio=10.0)
            )
            for i, (k, b) in enumerate(zip(two_links.STIFFNESS, B, strict=True))
        },
        rotor_coupling=True,
    )
    coupled, plain = sd.Robot(model, drives), sd.Robot(model, sd.Drives(drives.joints))
    rows = coupled.required_rows
    assert rows == 7
    simulation = ElasticRobot(coupled)
    # C6 at both ends, as these rotors want it
    blend = np.polynomial.Polynomial([1.0])
    for _ in range(7):
        blend = blend * np.polynomial.Polynomial([0.0, 1.0, -1.0])
    blend = blend.integ()
    blend = blend / blend(1.0)

    def jet(t):
        u = min(t, 1.0)
        columns = np.array([blend.deriv(d)(u) if d else blend(u) for d in range(rows)])
        motion = np.outer(columns, two_links.END - two_links.START)
        motion[0] += two_links.START
        return motion

    def largest(robot, rtol):
        commands = sd.elastic_feedforward(robot, jet(0.0))
        motion = simulation.integrate(
            TIMES,
            lambda t, y: sd.elastic_feedforward(robot, jet(t)).motor_effort,
            simulation.initial_state(jet(0.0), commands),
            rtol=rtol,
        )
        return np.abs(motion.position - [jet(t)[0] for t in TIMES]).max()

    assert largest(coupled, 1e-6) < 1e-5
    assert largest(coupled, 1e-10) < 1e-9
    # without the coupling the error grows
    assert largest(plain, 1e-10) > 1e-6
