# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The robot inside sea_simulator, its steps and their times."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.planar_sea import (
    MAX_EFFORT,
    ROTOR_INERTIA,
    STIFFNESS,
    gravity_efforts,
    mass_matrix,
    velocity_efforts,
    write_joints,
)
from scipy.integrate import solve_ivp

import screw_dynamics as sd
from screw_dynamics.common.times import nanoseconds
from screw_dynamics.control.report import ERROR, OK, WARN
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.sea_simulator import simulated_time
from screw_dynamics.nodes.sea_simulator.motor_drives import MotorCommand
from screw_dynamics.nodes.sea_simulator.parameters import SeaSimulatorParameters
from screw_dynamics.nodes.sea_simulator.simulated_robot import SimulatedRobot, substeps_for
from screw_dynamics.nodes.sea_simulator.simulated_time import LockStep, RealTime, SimulationReport

HOME = np.array([-1.2, 0.5])
PERIOD = 0.01
PROPORTIONAL, DERIVATIVE = np.array([200.0, 100.0]), np.array([4.0, 2.0])
EFFORT, RATE = np.array([5.0, -3.0]), np.array([1.5, -2.0])


@pytest.fixture
def elastic(tmp_path):
    return sd.Drives.from_yaml(write_joints(tmp_path))


@pytest.fixture
def robot(planar, elastic):
    parameters = SeaSimulatorParameters(
        drives_path='joints.yaml',
        rate=1.0 / PERIOD,
        substeps=1000,
        initial_position=tuple(HOME),
        input='motor_feedforward',
        proportional=tuple(PROPORTIONAL),
        derivative=tuple(DERIVATIVE),
    )
    return SimulatedRobot(Robot(sd.read_urdf(planar), elastic), parameters)


def test_feedback_follows_the_motion_that_is_asked_for_during_a_step(robot):
    """Motor positions are asked for at an instant that has passed, and go on from there."""
    age = 0.02
    start = robot.motor_state()[0].copy()
    reference = start - age * RATE
    robot.release()
    robot.drives.command(MotorCommand(EFFORT, reference, RATE), age)
    robot.advance()

    def slope(t, x):
        q, qd, theta, theta_rate = x.reshape(4, 2)
        tau = STIFFNESS * (theta - q)
        motor = EFFORT + PROPORTIONAL * (reference + (age + t) * RATE - theta)
        motor += DERIVATIVE * (RATE - theta_rate)
        qdd = np.linalg.solve(mass_matrix(q), tau - velocity_efforts(q, qd) - gravity_efforts(q))
        return np.concatenate([qd, qdd, theta_rate, (motor - tau) / ROTOR_INERTIA])

    state = np.concatenate([HOME, np.zeros(2), start, np.zeros(2)])
    expected = solve_ivp(slope, (0.0, PERIOD), state, rtol=1e-11, atol=1e-13).y[:, -1]
    got = np.concatenate([*robot.link_state()[:2], *robot.motor_state()[:2]])
    # efforts are constant for 10 us each: half of that late
    np.testing.assert_allclose(got, expected, rtol=0, atol=2e-4 * np.abs(expected).max())
    assert np.abs(got[6:]).min() > 0.05


def test_published_efforts_are_those_that_moved_the_motors(planar, tmp_path):
    """Without springs to speak of, a rotor gains its effort times the period over its inertia."""
    weak = 'spring: {type: linear, stiffness: 1.0e-6}'
    text = f"""
drives:
  joint_1: {{{weak}, motor: {{rotor_inertia: 0.3}}}}
  joint_2: {{{weak}, motor: {{rotor_inertia: 0.1}}}}
"""
    elastic = sd.Drives.from_yaml(write_joints(tmp_path, text))
    parameters = SeaSimulatorParameters(
        drives_path='joints.yaml',
        gravity=(0.0, 0.0, 0.0),
        rate=1.0 / PERIOD,
        substeps=20,
        input='motor_feedforward',
        proportional=tuple(PROPORTIONAL),
        derivative=tuple(DERIVATIVE),
    )
    model = replace(sd.read_urdf(planar), gravity=np.zeros(3))
    robot = SimulatedRobot(Robot(model, elastic), parameters)
    robot.release()
    robot.drives.command(MotorCommand(EFFORT, np.zeros(2), RATE))
    before = np.zeros(2)
    for _ in range(3):
        robot.advance()
        _, rate, effort = robot.motor_state()
        gained = ROTOR_INERTIA * (rate - before) / PERIOD
        np.testing.assert_allclose(effort, gained, rtol=0, atol=1e-6)  # the springs
        before = rate.copy()


def test_efforts_are_cut_at_the_limits_of_the_motors(robot):
    robot.drives.command(MotorCommand(np.array([-1e3, 1.0])))
    np.testing.assert_array_equal(robot.drives.efforts(), [-MAX_EFFORT[0], 1.0])
    assert robot.drives.saturated == 1
    robot.drives.command(MotorCommand(np.array([1.0, 2.0])))
    np.testing.assert_array_equal(robot.drives.efforts(), [1.0, 2.0])
    assert robot.drives.saturated == 1


def test_another_weight_bends_the_springs_of_a_robot_that_stands_still(robot, planar, elastic):
    moon = sd.read_urdf(planar, gravity=[0.0, 0.0, -1.62])
    robot.set_robot(Robot(moon, elastic))
    weight = gravity_efforts(HOME) * 1.62 / 9.81
    q, qd, effort = robot.link_state()
    np.testing.assert_array_equal(q, HOME)
    np.testing.assert_allclose(effort, weight, rtol=1e-12)
    np.testing.assert_allclose(robot.motor_state()[0], HOME + weight / STIFFNESS, rtol=1e-12)
    robot.release()
    robot.drives.command(MotorCommand(EFFORT))
    robot.advance()
    moving = [row.copy() for row in robot.motor_state()[:2]]
    robot.set_robot(Robot(sd.read_urdf(planar), elastic))
    np.testing.assert_array_equal(robot.motor_state()[:2], moving)


def test_what_carries_the_weight_beside_the_drive(planar, elastic):
    """A parallel spring and friction: effort of the drive, and steps short enough for both."""
    spring = sd.TorsionSpring(3000.0, rest_position=-1.19)
    joint = replace(elastic.joints['joint_1'], parallel_spring=spring)
    balanced = replace(elastic, joints={**elastic.joints, 'joint_1': joint})
    parameters = SeaSimulatorParameters(
        drives_path='joints.yaml', rate=100.0, initial_position=tuple(HOME)
    )
    robot = SimulatedRobot(Robot(sd.read_urdf(planar), balanced), parameters)
    carried = gravity_efforts(HOME) + [3000.0 * (HOME[0] + 1.19), 0.0]
    np.testing.assert_allclose(robot.link_state()[2], carried, rtol=1e-12)
    np.testing.assert_allclose(robot.motor_state()[0], HOME + carried / STIFFNESS, rtol=1e-12)
    robot.release()
    robot.drives.command(MotorCommand(carried))
    robot.advance()
    q, qd, effort = robot.link_state()
    np.testing.assert_allclose(q, HOME, rtol=0, atol=1e-9)
    np.testing.assert_allclose(effort, carried, rtol=0, atol=1e-6)

    model, mobility = sd.read_urdf(planar), np.diag(np.linalg.inv(mass_matrix(HOME)))
    steps = substeps_for(sd.Robot(model, elastic), HOME, 1.0, np.zeros(2))
    with_spring = substeps_for(sd.Robot(model, balanced), HOME, 1.0, np.zeros(2))
    assert with_spring - steps == pytest.approx(10.0 * math.sqrt(3000.0 * mobility[0]), abs=1)
    rubbing = replace(
        joint, parallel_spring=None, friction=sd.JointFriction(2.0, 3.0, 0.05, 4.0, load=0.1)
    )
    drives = replace(elastic, joints={**elastic.joints, 'joint_1': rubbing})
    load = math.hypot(gravity_efforts(HOME)[0], 0.1)
    slope = 2.0 + (4.0 + 0.1 * load) / 0.05
    with_friction = substeps_for(sd.Robot(model, drives), HOME, 1.0, np.zeros(2))
    assert with_friction - steps == pytest.approx(10.0 * slope * mobility[0], abs=1)


def test_steps_are_a_tenth_of_the_fastest_time_constant(planar, elastic):
    """Frequencies by hand, then rates of feedback and of dampers on top."""
    model = sd.read_urdf(planar)
    inertia = np.zeros((4, 4))
    inertia[:2, :2], inertia[2:, 2:] = mass_matrix(HOME), np.diag(ROTOR_INERTIA)
    springs = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.diag(STIFFNESS))
    fastest = math.sqrt(np.linalg.eigvals(np.linalg.solve(inertia, springs)).real.max())
    gains = np.array([30.0, 25.0])
    damped = sd.Drives(
        {
            name: sd.JointDrive(
                sd.LinearSpring(k, damping=7.0), sd.Motor(rotor_inertia=b, viscous_friction=1.0)
            )
            for name, k, b in zip(model.joint_names, STIFFNESS, ROTOR_INERTIA, strict=True)
        }
    )
    mobility = np.diag(np.linalg.inv(mass_matrix(HOME)))
    for springs, derivative, rate in (
        (elastic, np.zeros(2), 0.0),
        (elastic, gains, (gains / ROTOR_INERTIA).max()),
        (damped, gains, ((8.0 + gains) / ROTOR_INERTIA + 7.0 * mobility).max()),
    ):
        for period in (1.0, 0.002, 1e-6):
            expected = max(1, math.ceil(period * (fastest + rate) / 0.1))
            assert substeps_for(sd.Robot(model, springs), HOME, period, derivative) == expected


@pytest.mark.parametrize(
    ('stiffness', 'inertia', 'message'),
    [
        (1e15, 1e-4, "'substeps': expected 1 or more, as 0 takes .* above 10000: something"),
        (1e300, 1e-300, "'substeps': .* stiffness over inertia that is a finite number"),
    ],
)
def test_joints_too_stiff_to_simulate_are_refused(stiffness, inertia, message, planar):
    joint = sd.JointDrive(sd.LinearSpring(stiffness), sd.Motor(rotor_inertia=inertia))
    elastic = sd.Drives({'joint_1': joint})
    with pytest.raises(InputError, match=message):
        substeps_for(sd.Robot(sd.read_urdf(planar), elastic), HOME, 0.002, np.zeros(2))


SECOND = 10**9
STEP_RATE = 100.0
STEP_PERIOD = SECOND // 100
START = 1_700_000_000 * SECOND
SETTINGS = SimpleNamespace(values=SeaSimulatorParameters(rate=STEP_RATE))


@pytest.fixture
def calls():
    """Return what the time calls: instant and time left out of each begin, steps since then."""
    calls = SimpleNamespace(begun=[], steps=[], published=[])
    calls.begin = lambda *call: (calls.begun.append(call), calls.steps.append(0))
    calls.step = lambda: calls.steps.append(calls.steps.pop() + 1)
    return calls


@pytest.fixture
def lock_step(ros, calls):
    """Return a function that makes the source of /clock with some parameters."""
    made = []

    def lock_step(**values):
        settings = SimpleNamespace(values=SeaSimulatorParameters(rate=STEP_RATE, **values))
        made.append(LockStep(ros.node, settings, calls.begin, calls.step, calls.published.append))
        return made[-1]

    yield lock_step
    for each in made:
        each.stop()


def test_real_time_takes_as_many_steps_as_time_has_passed(ros, calls):
    real = RealTime(ros.node, SETTINGS, calls.begin, calls.step, calls.published.append)
    real.stop()  # its ticks are made here
    real._tick(START)
    assert (calls.begun, calls.steps, calls.published) == ([], [], [START])
    real._tick(START + STEP_PERIOD - 1)
    assert len(calls.published) == 1 and not calls.begun
    real._tick(START + 3 * STEP_PERIOD + 1)
    assert (calls.begun, calls.steps) == ([(START + STEP_PERIOD, 0)], [3])
    assert calls.published == [START, START + 3 * STEP_PERIOD]
    # a tenth of a second is caught up with, what is more is left out
    real._tick(START + 100 * STEP_PERIOD)
    assert calls.begun[1:] == [(START + 91 * STEP_PERIOD, 87 * STEP_PERIOD)]
    assert calls.steps == [3, 10]
    assert calls.published[2:] == [START + 100 * STEP_PERIOD]
    assert real.skipped == 87


def test_a_step_waits_for_the_efforts_of_its_beginning(calls, lock_step):
    clock = lock_step(real_time_factor=0.0, lock_step_timeout=60.0)
    assert (clock.time, calls.published) == (STEP_PERIOD, [STEP_PERIOD])
    clock.cover(clock.time)
    assert (calls.begun, calls.steps) == ([(2 * STEP_PERIOD, 0)], [1])
    clock._look()  # others came at the step before: these are waited for
    for _ in range(3):  # late ones, of a sender that catches up: each is in force until the next
        clock.cover(STEP_PERIOD)
        clock._look()
    assert clock.time == 2 * STEP_PERIOD
    clock.cover(clock.time)
    assert clock.time == 3 * STEP_PERIOD
    clock.cover(None)  # of an instant that is not known
    assert clock.time == 4 * STEP_PERIOD
    assert calls.published == [k * STEP_PERIOD for k in (1, 2, 3, 4)]
    assert clock.waited == 0


def test_a_time_that_was_lost_comes_again(monkeypatch, calls, lock_step):
    monkeypatch.setattr(simulated_time, '_REPETITION', 0.0)
    clock, sent = lock_step(real_time_factor=0.0, lock_step_timeout=60.0), []
    clock.cover(clock.time)
    monkeypatch.setattr(
        clock,
        '_publisher',
        SimpleNamespace(publish=lambda time: sent.append(nanoseconds(time.clock))),
    )
    clock._look()
    clock._look()
    assert (sent, calls.published) == ([2 * STEP_PERIOD] * 2, [STEP_PERIOD, 2 * STEP_PERIOD])
    clock.cover(clock.time)
    assert sent == [2 * STEP_PERIOD] * 2 + [3 * STEP_PERIOD]
    monkeypatch.setattr(simulated_time, '_REPETITION', 60.0)
    clock._look()
    assert len(sent) == 3
    monkeypatch.undo()  # the publisher ends with the clock


def test_it_does_not_wait_for_ever(calls, lock_step):
    clock = lock_step(real_time_factor=0.0, lock_step_timeout=0.0)
    clock.cover(clock.time)
    clock._look()
    assert (clock.time, clock.waited) == (2 * STEP_PERIOD, 0)
    clock._look()
    assert (clock.time, clock.waited) == (3 * STEP_PERIOD, 1)
    clock._look()  # nobody is expected any more
    assert (clock.time, clock.waited) == (4 * STEP_PERIOD, 1)


def test_efforts_that_wait_in_the_queue_at_the_end_of_the_wait_count(calls, lock_step):
    """Timers come before subscriptions: the look at the end of the wait does not know of them."""
    clock = lock_step(real_time_factor=0.0, lock_step_timeout=0.0)
    clock.cover(clock.time)
    for k in (3, 4):
        clock._look()
        clock.cover(clock.time)
        assert (clock.time, clock.waited) == (k * STEP_PERIOD, 0)
    clock._look()
    assert clock.waited == 0  # each wait has a last look of its own
    clock._look()
    assert (clock.time, clock.waited) == (5 * STEP_PERIOD, 1)
    assert calls.steps == [1] * 4


def test_only_a_little_time_lost_is_made_up_for(calls, lock_step, monkeypatch):
    seconds = [1e6]  # of a clock of ours
    monkeypatch.setattr(simulated_time, 'time', SimpleNamespace(monotonic=lambda: seconds[0]))
    clock = lock_step(real_time_factor=1.0)
    seconds[0] += 0.5
    for _ in range(100):
        clock._look()
    assert 10 <= len(calls.steps) <= 11  # of 0.1 s, where rounding decides on the last one


def report_of(**changes):
    """Return the report on a simulation after a change."""
    drives = SimpleNamespace(saturated=0)
    robot = SimpleNamespace(braked=False, failure='', substeps=4, drives=drives)
    clock = SimpleNamespace(time=SECOND, skipped=0, waited=0)
    report = SimulationReport()
    state = robot, clock, SeaSimulatorParameters().rate
    assert report.task(*state)[:2] == (OK, 'ok')
    for name, value in changes.items():
        (owner,) = (each for each in (drives, robot, clock) if hasattr(each, name))
        setattr(owner, name, value)
    first = report.task(*state)
    # everything is reported once, a failure until it is over
    assert report.task(*state).level == (ERROR if robot.failure else OK)
    return first


@pytest.mark.parametrize(
    'changes, level, message',
    [
        ({'saturated': 3}, WARN, 'motor efforts beyond the limit of a motor are cut'),
        ({'skipped': 2}, WARN, 'too slow for real time: states are left out'),
        ({'waited': 1, 'saturated': 1}, WARN, 'no motor efforts within lock_step_timeout: is '),
        ({'failure': 'not finite', 'skipped': 1}, ERROR, 'not finite'),
    ],
)
def test_reports(changes, level, message):
    found = report_of(**changes)
    assert found.level == level
    assert found.message.startswith(message)


def test_late_efforts_and_noise_of_the_encoders(robot, planar, elastic):
    """Efforts of step k act in step k + 2, except for the first, which begins the motion."""
    values = replace(robot._parameters, effort_delay=2 * PERIOD, encoder_noise=1e-3)
    late = SimulatedRobot(Robot(sd.read_urdf(planar), elastic), values)
    for one in (robot, late):
        one.release()
    for k in range(6):
        late.drives.command(MotorCommand(EFFORT + k))
        robot.drives.command(MotorCommand(EFFORT + max(k - 2, 0)), PERIOD * min(k, 2))
        for one in (robot, late):
            one.advance()
    exact, noisy = robot.link_state(), late.link_state()
    assert np.array_equal(exact[1], noisy[1])
    draws = np.array([late.motor_state()[0] for _ in range(500)])
    assert draws.std(axis=0) == pytest.approx(1e-3, rel=0.15)
    assert np.abs(draws.mean(axis=0) - robot.motor_state()[0]).max() < 2e-4
