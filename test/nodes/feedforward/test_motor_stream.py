# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motor commands tick by tick: dampers along uneven ticks, new starts, leftovers."""

from __future__ import annotations

import gc
from dataclasses import replace

import numpy as np
import pytest
from helpers.memory import bytes_kept
from helpers.planar_sea import NAMES, motor_feedforward
from scipy.integrate import solve_ivp

import screw_dynamics as sd
from screw_dynamics.nodes.feedforward.outputs.effort_outputs import EffortSample
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline
from screw_dynamics.nodes.feedforward.tick_cost import compile_tick
from screw_dynamics.reference.reference import Source
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import waypoints_from_points

START = 1_700_000_000 * 10**9
TICKS = 4000
STIFFNESS, DAMPING = np.array([200.0, 100.0]), np.array([4.0, 10.0])
LINEAR = sd.ElasticJoints(
    {
        'joint_1': sd.ElasticJoint(sd.LinearSpring(600.0), sd.Motor(rotor_inertia=0.3)),
        'joint_2': sd.ElasticJoint(sd.LinearSpring(300.0), sd.Motor(rotor_inertia=0.1)),
    }
)
DAMPED = sd.ElasticJoints(
    {
        name: sd.ElasticJoint(sd.LinearSpring(k, damping=d), sd.Motor(rotor_inertia=0.1))
        for name, k, d in zip(NAMES, STIFFNESS, DAMPING, strict=True)
    }
)
PAIR = sd.ElasticJoints(
    {
        'joint_2': sd.ElasticJoint(
            sd.AntagonisticPair('exponential', stiffness=120.0, spring_stiffness=20.0, rate=8.0),
            sd.Motor(rotor_inertia=0.1),
        )
    }
)


def pair_stiffness(first, second):
    """Return the stiffness of the pair from the deflections of its springs."""
    return 20.0 * (np.exp(8.0 * first) + np.exp(-8.0 * second))


class Recorder:
    """Takes the place of the publishers of motor commands."""

    def __init__(self, stream):
        self._stream, self.rows = stream, []
        stream.motors._outputs.append(self)

    def publish(self, sample, rows):
        motors = self._stream.motors._motors[rows]
        self.rows.append(
            [1e-9 * (sample.instant - START), *(
                row.copy()
                for row in (motors.motor_position, motors.motor_velocity, motors.motor_effort)
            )]
        )  # fmt: skip

    def destroy(self):
        pass


@pytest.fixture
def follow(ros, planar):
    """Return a function that makes a stream with springs that follows a motion of a second."""
    model = sd.read_urdf(planar)
    streams = []

    def follow(elastic, **parameters):
        robot = Robot(model, elastic)
        compile_tick(robot)
        stream = FeedforwardPipeline(ros.node, robot, FeedforwardParameters(**parameters))
        points = [(0.0, [-1.4, 0.5]), (0.6, [-1.0, 0.2]), (1.0, [-0.6, -0.4])]
        waypoints = waypoints_from_points(NAMES, points, model.joint_names)
        stream.reference.add(waypoints, START, START)
        streams.append(stream)
        return stream

    yield follow
    for stream in streams:
        stream.destroy()


def test_springs(follow):
    stream = follow(LINEAR)
    recorder = Recorder(stream)
    instants = START + np.array([0, 300, 301, 950]) * 10**6
    for now in instants:
        stream.publish(int(now))
    curve = stream.reference.newest.curve
    for time, theta, rate, effort in recorder.rows:
        expected = motor_feedforward(curve.jets([time])[0])
        np.testing.assert_allclose(theta, expected[0], rtol=0, atol=1e-12)
        np.testing.assert_allclose(rate, expected[1], rtol=0, atol=1e-6)
        np.testing.assert_allclose(effort, expected[3], rtol=0, atol=1e-4)
    assert len(recorder.rows) == 4


def test_dampers_are_filters_of_the_effort_however_uneven_the_ticks(follow, rng):
    stream = follow(DAMPED)
    recorder = Recorder(stream)
    steps = rng.integers(2 * 10**6, 30 * 10**6, 60)
    for now in START + np.cumsum([0, *steps]):
        stream.publish(int(now))
    curve = stream.reference.newest.curve

    def slope(t, phi):
        jet = curve.jets([min(t, curve.breaks[-1])])[0]
        return (sd.inverse_dynamics(stream.model, jet[:3])[0] - STIFFNESS * phi) / DAMPING

    times = np.array([row[0] for row in recorder.rows])
    rest = sd.gravity_forces(stream.model, [-1.4, 0.5]) / STIFFNESS
    motion = solve_ivp(slope, (0.0, times[-1]), rest, t_eval=times, rtol=1e-9, atol=1e-12)
    positions = curve.jets(np.minimum(times, curve.breaks[-1]))[:, 0]
    theta = np.array([row[1] for row in recorder.rows])
    np.testing.assert_allclose(theta - positions, motion.y.T, rtol=0, atol=2e-7)


def test_a_new_start_forgets_and_a_new_model_does_not(follow, planar):
    stream = follow(DAMPED)
    recorder = Recorder(stream)
    rest = sd.gravity_forces(stream.model, [-0.6, -0.4]) / STIFFNESS

    def deflections():
        return recorder.rows[-1][1] - np.array([-0.6, -0.4])

    for k in range(12):
        stream.publish(START + k * 10**8)
    assert np.abs(deflections() - rest).max() > 1e-6  # still creeping
    # an equal model: the one before is gone
    assert stream.replace_model(sd.read_urdf(planar))
    gc.collect()
    creeping = deflections()
    stream.publish(START + 11 * 10**8)
    np.testing.assert_allclose(deflections(), creeping, rtol=0, atol=1e-12)
    # a gap without output: the next sample is the first
    stream.publish(START - 10**9)
    stream.publish(START + 2 * 10**9)
    np.testing.assert_allclose(deflections(), rest, rtol=0, atol=1e-12)
    stream.forget()
    assert stream.motors.report().values == {'published': 14, 'not published': 0}


def test_a_damper_goes_on_with_fewer_derivatives(follow):
    stream = follow(DAMPED)
    recorder = Recorder(stream)
    for k in range(4):
        stream.publish(START + k * 10**8)
    # the same instant without its snap: another filter, in the same state
    stream.motors.publish(EffortSample(START + 3 * 10**8, Source.STREAM, 3, rows=4), {}, START)
    np.testing.assert_allclose(recorder.rows[-1][1], recorder.rows[-2][1], rtol=0, atol=1e-12)


def test_a_damper_begins_anew_after_what_could_not_be_computed(follow):
    stream = follow(DAMPED)
    recorder = Recorder(stream)
    now = START + 3 * 10**8
    stream.publish(START)
    stream.publish(now)
    passing = recorder.rows[-1][1]
    stream.publish(now)
    np.testing.assert_array_equal(recorder.rows[-1][1], passing)
    stream.motors.publish(EffortSample(now, Source.STREAM, 2, rows=3), {}, now)
    assert stream.motors.report().values == {'published': 3, 'not published': 1}
    stream.publish(now)
    fresh = follow(DAMPED)
    first = Recorder(fresh)
    fresh.publish(now)
    np.testing.assert_array_equal(recorder.rows[-1][1], first.rows[0][1])
    assert np.abs(first.rows[0][1] - passing).max() > 1e-6


def test_another_stiffness_comes_smoothly(follow):
    """The two springs of a pair, differentiated: their rates belong to their values."""
    stream = follow(PAIR)
    recorder = Recorder(stream)
    step = 2 * 10**6
    for k in range(500):
        if k == 100:
            stream.apply(FeedforwardParameters(stiffness=(250.0,), stiffness_transition=0.4))
        if k == 200:  # on the way
            stream.apply(FeedforwardParameters(stiffness=(90.0,), stiffness_transition=0.4))
        stream.publish(START + k * step)
    times = np.array([row[0] for row in recorder.rows])
    theta, rate = (np.array([row[i] for row in recorder.rows])[:, 1:] for i in (1, 2))
    q = stream.reference.newest.curve.jets(times)[:, 0, 1:]
    sigma = pair_stiffness(*(theta - q).T)
    np.testing.assert_allclose(sigma[[0, 99, -1]], [120.0, 120.0, 90.0], rtol=1e-12)
    assert 140.0 < sigma.max() < 250.0
    # a jump of the second derivative would show in the third differences
    assert np.abs(np.diff(sigma, 3)).max() < 0.2 * np.abs(np.diff(sigma, 2)).max()
    central = (theta[2:] - theta[:-2]) / (2e-9 * step)
    np.testing.assert_allclose(rate[1:-1], central, rtol=0, atol=2e-3 * np.abs(rate).max())
    assert stream.robot.drives.joints['joint_2'].spring.stiffness == 90.0
    for bad in ([1.0, 2.0], [-1.0]):
        with pytest.raises(sd.errors.InputError, match=r'variable stiffness \(joint_2\), got'):
            stream.motors.stiffness.check(bad)


def test_limits_are_watched_unless_nobody_asks(follow):
    motor = sd.Motor(rotor_inertia=0.1, max_effort=1.0)
    stream = follow(sd.ElasticJoints({'joint_2': sd.ElasticJoint(sd.LinearSpring(300.0), motor)}))
    stream.publish(START)
    motors = stream.motors._motors[5]
    value = f'{motors.motor_effort[1]:g} N m, limit 1 N m'
    assert stream.limits.report().values == {'joint_2: motor effort': value}
    limits = replace(stream.model.limits, effort=np.array([2.0, 50.0]))
    stream.publish(START)
    assert stream.replace_model(replace(stream.model, limits=limits))
    assert stream.limits.report().message == 'nothing published'
    stream.publish(START)
    assert stream.limits.report().values == {
        'joint_1: effort': f'{motors.effort[0]:g} N m, limit 2 N m',
        'joint_2: motor effort': value,
    }
    stream.apply(FeedforwardParameters(check_limits='off'))
    stream.publish(START)
    assert stream.limits.report().message == 'nothing published'
    rigid = follow(None)
    assert rigid.replace_model(stream.model)
    rigid.publish(START)
    assert rigid.limits.report().values == {
        'joint_1: effort': f'{motors.effort[0]:g} N m, limit 2 N m'
    }


def test_after_a_jump_of_the_clock_the_stiffness_is_there(follow):
    stream = follow(PAIR)
    recorder = Recorder(stream)
    stream.publish(START)
    stream.apply(FeedforwardParameters(stiffness=(250.0,), stiffness_transition=0.4))
    waypoints = stream.reference.newest.waypoints
    stream.forget()
    stream.reference.add(waypoints, START // 2, START // 2)
    stream.publish(START // 2)
    q = waypoints.positions[0, 1]
    before, after = (pair_stiffness(*(row[1][1:] - q)) for row in recorder.rows)
    np.testing.assert_allclose([before, after], [120.0, 250.0], rtol=1e-12)


def test_a_tick_leaves_nothing_behind(follow):
    stream = follow(DAMPED, publish_commands=True, commands_content='motor_efforts')
    now = START

    def run(count):
        nonlocal now
        for _ in range(count):
            stream.publish(now)
            now += 200_000

    run(100)
    gc.collect()
    gc.disable()
    try:
        run(1000)  # the collection has emptied free lists, which fill again
        before = gc.get_count()[0]
        run(3000)
        assert gc.get_count()[0] - before < 30
    finally:
        gc.enable()
    assert bytes_kept(run, TICKS) < 8 * TICKS  # half of the smallest object per tick


def test_commands_of_a_stream_that_is_slower_than_the_ticks(ros, planar):
    """Ticks without a sample of their own neither end the commands nor delay their end."""
    robot = Robot(sd.read_urdf(planar), LINEAR)
    commanding = {'publish_commands': True, 'commands_content': 'motor_efforts'}
    parameters = FeedforwardParameters(
        elastic_joints_path='joints.yaml', ramp_time=0.1, **commanding
    )
    stream = FeedforwardPipeline(ros.node, robot, parameters)
    jet = np.zeros((5, 2))
    jet[0] = [0.5, 0.2]
    period = 4 * 10**6

    def tick(count, jet):
        nonlocal now
        for k in range(count):
            if k % 3 == 0:
                stream.streamed.add_sample(jet, 5, now, now)
            stream.publish(now)
            now += period

    now, ramp = START, stream.motors._commands.ramp
    tick(50, jet)
    np.testing.assert_array_equal(ramp.values, stream.motors._motors[5].motor_effort)
    assert ramp.values[0] > 10.0
    stream.motors.guard.stop('a limit')
    tick(12, jet)  # half of the ramp, of which a third of the ticks have a sample
    middle = ramp.values.copy()
    assert (0.1 < middle / stream.motors._motors[5].motor_effort).all()
    tick(20, jet)
    np.testing.assert_array_equal(ramp.values, 0.0)
    stream.destroy()
