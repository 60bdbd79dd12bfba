# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Feedback around the motor feedforward: its law, limits and ramps, and loops with a plant."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from helpers.memory import bytes_kept
from helpers.planar_sea import (
    MAX_EFFORT,
    NAMES,
    STIFFNESS,
    gravity_efforts,
    integrate,
    motor_feedforward,
)
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import set_stamp
from screw_dynamics.nodes.feedforward.outputs.motor_feedback import feedback_gains
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline, compile_tick
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import waypoints_from_points

START = 1_700_000_000 * 10**9
MS = 10**6
UPRIGHT = np.array([np.pi / 2, 0.0])
POINTS = [(0.0, UPRIGHT), (1.0, UPRIGHT + [-0.4, 0.3]), (2.0, UPRIGHT)]
SPRINGS = sd.ElasticJoints(
    {
        name: sd.ElasticJoint(
            sd.LinearSpring(stiffness), sd.Motor(rotor_inertia=inertia, max_effort=most)
        )
        for name, stiffness, inertia, most in zip(
            NAMES, STIFFNESS, (0.3, 0.1), MAX_EFFORT, strict=True
        )
    }
)
KP, KD, LIMIT = np.array([200.0, 100.0]), np.array([20.0, 5.0]), np.array([20.0, 10.0])
GAINS = {
    'feedback_proportional': tuple(KP),
    'feedback_derivative': tuple(KD),
    'feedback_limit': tuple(LIMIT),
}
UNLIMITED = {'feedback_limit': (1e9,)}
STEEPEST = 1.875  # slope of a quintic from 0 to 1


class Loop:
    """The pipeline of a node that follows POINTS, and measurements of its motors."""

    def __init__(self, ros, model, drives=SPRINGS, points=POINTS, **parameters):
        robot = Robot(model, drives)
        compile_tick(robot)
        self._base = {
            'publish_commands': True,
            'commands_content': 'motor_efforts',
            'elastic_joints_path': 'joints.yaml',
            'ramp_time': 0.0,
        }
        self.pipeline = FeedforwardPipeline(
            ros.node, robot, FeedforwardParameters(**self._base, **parameters)
        )
        waypoints = waypoints_from_points(NAMES, points, model.joint_names)
        self.pipeline.reference.add(waypoints, START, START)
        self.now = START

    @property
    def feedback(self):
        return self.pipeline.motors.feedback

    @property
    def feedforward(self):
        """Motor efforts of the last tick without feedback."""
        motors = self.pipeline.motors
        return motors._motors[motors._rows].motor_effort.copy()

    def jet(self, time):
        """Return the reference at a time [ns] from the start; its last position is held."""
        curve = self.pipeline.reference.newest.curve
        jet = curve.jets([min(1e-9 * time, curve.breaks[-1])])[0]
        if 1e-9 * time >= curve.breaks[-1]:
            jet[1:] = 0.0
        return jet

    def apply(self, **parameters):
        self.pipeline.apply(FeedforwardParameters(**self._base, **parameters))

    def measure(self, position, velocity=(), effort=(), age=0, names=NAMES):
        self.feedback.receive(self.state(position, velocity, effort, age, names), self.now)

    def measure_links(self, position, velocity=(), age=0):
        self.pipeline.measured.update(self.state(position, velocity, (), age, NAMES), self.now)

    def state(self, position, velocity, effort, age, names):
        message = JointState(name=list(names))
        message.position, message.velocity = list(position), list(velocity)
        message.effort = list(effort)
        set_stamp(message.header.stamp, self.now - age)
        return message

    def tick(self, step=2 * MS):
        """Publish and return the commands of this tick."""
        self.pipeline.publish(self.now)
        self.now += step
        return self.pipeline.motors._commands.ramp.values.copy()


@pytest.fixture
def loop(ros, planar):
    """Return a function that makes a loop."""
    model, made = sd.read_urdf(planar), []

    def loop(drives=SPRINGS, *, model=model, **parameters):
        made.append(Loop(ros, model, drives, **parameters))
        return made[-1]

    yield loop
    for one in made:
        one.pipeline.destroy()


# without feedback of efforts rounding and 1e-6 rad/s of `motor_feedforward` are left; chords of
# the efforts are off by 1e4 N m/s^2 x (2 ms)^2 / 8, and the links by 5 rad/s^2 x (1 ms)^2 / 2
@pytest.mark.parametrize('gain, bound', [(0.0, 5e-5), (0.5, 5e-3)])
@pytest.mark.parametrize('lead, age', [(0.0, 0), (0.0, 3 * MS), (0.05, 3 * MS), ('auto', 7 * MS)])
def test_it_compares_with_the_reference_at_the_instant_of_the_measurement(
    loop, lead, age, gain, bound
):
    """A motor on its path gets no feedback, however late or early command and measurement are."""
    one = loop(lead_time=lead, **{**GAINS, **UNLIMITED}, feedback_effort=(gain,))
    largest = fastest = 0.0
    for k in range(500):
        jet = one.jet(max(0, one.now - age - START))
        theta, rate, _, _ = motor_feedforward(jet)
        one.measure(theta, rate, age=age)
        # the links a little earlier than the motors: their velocity makes up for it
        one.measure_links(jet[0] - 1e-3 * jet[1], jet[1], age=age + MS)
        added = one.tick() - one.feedforward
        if k > 250:  # beyond the ramp
            largest, fastest = max(largest, np.abs(added).max()), max(fastest, abs(rate[0]))
    assert largest < bound
    # what the reference of the command would have asked for
    ahead = one.pipeline.sampled(0) + age
    if ahead > MS:
        assert KP[0] * fastest * 1e-9 * ahead > 50.0 * largest


def test_the_law(loop):
    gain = np.array([0.5, 0.25])
    one = loop(feedback_effort=tuple(gain), **{**GAINS, **UNLIMITED})
    for k in range(300):
        jet = one.jet(one.now - START)
        theta, rate, _, _ = motor_feedforward(jet)
        off, fast, deflected = 0.01 * np.sin([k, 2 * k]), 0.1 * np.cos([k, 3 * k]), [2e-3, -1e-3]
        one.measure(theta + off, rate + fast)
        one.measure_links(jet[0] + off - deflected, jet[1])
        added = one.tick() - one.feedforward
        expected = -KP * off - KD * fast - gain * STIFFNESS * deflected
        if k > 150:
            np.testing.assert_allclose(added, expected, rtol=0, atol=1e-3)


def test_a_sensor_of_the_effort(loop):
    one = loop(
        feedback_effort=(2.0,),
        feedback_effort_source='motor_states',
        **UNLIMITED,
        points=POINTS[:1],
    )
    weight = gravity_efforts(UPRIGHT)
    for _ in range(200):
        one.measure(UPRIGHT, effort=weight - [1.0, -2.0])
        commands = one.tick()
    np.testing.assert_allclose(commands - one.feedforward, [2.0, -4.0], atol=1e-9)


def test_saturation_by_limit_and_by_what_the_motor_can_do(loop):
    one = loop(feedback_proportional=(1e4,), feedback_limit=(7.0, 1e3), points=[(0.0, [0.3, 0.2])])
    weight = gravity_efforts([0.3, 0.2])
    home = np.array([0.3, 0.2]) + weight / STIFFNESS
    for _ in range(200):
        one.measure(home - [1.0, 1.0])
        upper = one.tick()
    np.testing.assert_allclose(upper, [weight[0] + 7.0, MAX_EFFORT[1]], atol=1e-9)
    assert (upper <= MAX_EFFORT).all()
    for _ in range(200):
        one.measure(home + [1.0, 1.0])
        lower = one.tick()
    np.testing.assert_allclose(lower, [weight[0] - 7.0, -MAX_EFFORT[1]], atol=1e-9)
    report = one.feedback.report()
    assert report.level == b'\x01'
    assert report.values['samples at feedback.limit'] == report.values['samples'] == 400
    assert 300 < report.values['samples at max_effort'] < 400
    assert float(report.values['largest position error [rad or m]']) == pytest.approx(1.0)


def test_the_feedforward_is_not_clipped(loop):
    """A motor at its limit: only feedback that leads away from it is added."""
    weight = gravity_efforts([0.3, 0.2])
    drives = sd.ElasticJoints(
        {
            name: sd.ElasticJoint(sd.LinearSpring(k), sd.Motor(rotor_inertia=0.1, max_effort=most))
            for name, k, most in zip(NAMES, STIFFNESS, weight * (1.0 - 5e-10), strict=True)
        }
    )
    one = loop(
        drives, feedback_proportional=(100.0,), feedback_limit=(5.0,), points=[(0.0, [0.3, 0.2])]
    )
    home = np.array([0.3, 0.2]) + weight / STIFFNESS
    for _ in range(200):
        one.measure(home - [0.1, -0.01])
        commands = one.tick()
    assert commands[0] == one.feedforward[0] == pytest.approx(weight[0], rel=1e-12)
    assert commands[1] == pytest.approx(weight[1] - 1.0)


def steps_of(values):
    return np.abs(np.diff(values, axis=0)).max(axis=0)


def test_no_step_at_begin_loss_return_and_changes_of_the_gains(loop):
    """At rest, 0.05 rad off; each step is at most that of a quintic within the ramp time."""
    one = loop(feedback_ramp_time=0.1, points=POINTS[:1], **GAINS)
    off, added = UPRIGHT - [0.05, -0.05], []
    full = np.minimum(KP * 0.05, LIMIT) * [1.0, -1.0]

    def run(count, measured=True):
        for _ in range(count):
            if measured:
                one.measure(off, [0.0, 0.0])
            added.append(one.tick(MS) - one.feedforward)
        return added[-1]

    def weight(passed):
        s = passed / 0.1
        return s**3 * (10.0 + s * (6.0 * s - 15.0))

    np.testing.assert_array_equal(run(1), 0.0)
    np.testing.assert_allclose(run(50), weight(0.05) * full, atol=1e-9)
    np.testing.assert_allclose(run(60), full, atol=1e-9)
    # the newest measurement acts for feedback.timeout
    np.testing.assert_allclose(run(20, measured=False), full, atol=1e-9)
    np.testing.assert_allclose(run(51, measured=False), (1.0 - weight(0.05)) * full, atol=1e-9)
    assert one.feedback.report().level == b'\x01'
    assert one.feedback.report().message == 'no feedback: no usable ~/motor_states for 0.02 s'
    half = added[-1]
    np.testing.assert_allclose(run(51), half + weight(0.05) * (full - half), atol=1e-9)
    np.testing.assert_allclose(run(60), full, atol=1e-9)
    assert one.feedback.report().level == b'\x00'
    np.testing.assert_array_equal(run(200, measured=False), 0.0)
    np.testing.assert_allclose(run(110), full, atol=1e-9)
    # other gains, then others again on the way
    gains = {**GAINS, 'feedback_proportional': (40.0, 20.0)}
    one.apply(feedback_ramp_time=0.1, **gains)
    np.testing.assert_allclose(run(51), full * (1.0 - 0.8 * weight(0.05)), atol=1e-9)
    one.apply(feedback_ramp_time=0.1, **GAINS)
    run(110)
    np.testing.assert_allclose(added[-1], full, atol=1e-9)
    # no gains at all, and with them again
    one.apply(feedback_ramp_time=0.1)
    np.testing.assert_allclose(run(51), (1.0 - weight(0.05)) * full, atol=1e-9)
    np.testing.assert_array_equal(run(110), 0.0)
    one.apply(feedback_ramp_time=0.1, **GAINS)
    np.testing.assert_allclose(run(120), full, atol=1e-9)
    assert (steps_of(added) <= STEEPEST * 0.01 * np.abs(full) * (1.0 + 1e-9)).all()


def test_no_step_in_motion(loop):
    """Measurements of motors 0.03 rad behind their path come, are lost and return on the way."""
    one, added = loop(feedback_ramp_time=0.1, **GAINS), []
    for k in range(500):
        theta, rate, _, _ = motor_feedforward(one.jet(one.now - START))
        if 100 <= k < 250 or k >= 300:
            one.measure(theta - 0.03, rate)
        added.append(one.tick() - one.feedforward)
    np.testing.assert_array_equal(added[100], 0.0)
    for k in (200, 499):
        np.testing.assert_allclose(added[k], KP * 0.03, atol=1e-4)
    assert (np.abs(added[290:300]) < 0.5 * KP * 0.03).all()
    assert (steps_of(added) <= STEEPEST * 0.02 * KP * 0.03 + 1e-4).all()


def test_each_motion_begins_without_feedback(loop):
    one = loop(points=POINTS[:1], **GAINS)
    for _ in range(300):
        one.measure(UPRIGHT + 0.05, [0.0, 0.0])
        commands = one.tick()
    assert np.abs(commands - one.feedforward).min() > 1.0
    one.pipeline.clear()
    one.measure(UPRIGHT + 0.05, [0.0, 0.0])
    one.tick()
    waypoints = waypoints_from_points(NAMES, POINTS[:1], NAMES)
    one.pipeline.reference.add(waypoints, one.now, one.now)
    one.measure(UPRIGHT + 0.05, [0.0, 0.0])
    np.testing.assert_array_equal(one.tick(), one.feedforward)


def test_nothing_is_fed_back_before_the_reference_of_the_measurement_is_known(loop):
    one = loop(lead_time=0.03, points=POINTS[:1], **GAINS)
    for k in range(40):
        one.measure(UPRIGHT + 0.05, [0.0, 0.0])
        added = one.tick() - one.feedforward
        assert added.any() == (k > 15)  # 30 ms of 2 ms each, where the ramp begins
    assert one.feedback.report().level == b'\x00'


def test_a_late_measurement_of_the_links_counts_as_none(loop):
    one = loop(feedback_effort=(0.5,), points=POINTS[:1], **GAINS)
    for _ in range(50):
        one.measure(UPRIGHT, [0.0, 0.0])
        one.tick()
    report = one.feedback.report()
    assert report.message == 'no feedback: no joint_states within 0.02 s of ~/motor_states'
    for _ in range(50):
        one.measure(UPRIGHT, [0.0, 0.0])
        one.measure_links(UPRIGHT, age=5 * MS)
        one.tick()
    assert one.feedback.report().message == 'ok'


@pytest.mark.parametrize(
    'change, text',
    [
        ({'names': ['joint_1']}, 'name: expected each of joint_1, joint_2 once, got joint_1; mis'),
        ({'names': []}, 'got none; missing: joint_1, joint_2'),
        ({'names': ['joint_1', 'joint_2', 'joint_1']}, 'twice: joint_1'),
        ({'position': [0.0]}, 'position: expected 2 values, one per name, got 1'),
        ({'position': []}, 'position: expected 2 values, one per name, got 0'),
        ({'velocity': []}, 'velocity: expected 2 values, one per name, got 0'),
        ({'velocity': [0.0, np.nan]}, 'velocity of joint_2: expected a finite number, got nan'),
        ({'position': [np.inf, 0.0]}, 'position of joint_1: expected a finite number, got inf'),
        ({'age': 21 * MS}, 'header.stamp: expected an instant within 0.02 s of now'),
        ({'effort': [1.0]}, 'effort: expected 2 values, one per name, got 1'),
    ],
)
def test_wrong_messages_are_named_and_count_as_no_measurement(loop, change, text):
    one = loop(points=POINTS[:1], **GAINS)
    fields = {'position': UPRIGHT, 'velocity': [0.0, 0.0], **change}
    with pytest.raises(InputError) as raised:
        one.measure(**fields)
    assert text in str(raised.value)
    assert one.feedback.states.instant is None


def test_motors_are_found_by_name_and_older_messages_do_not_replace_newer_ones(loop):
    one = loop(points=POINTS[:1], **GAINS)
    names = ['joint_2', 'other', 'joint_1']
    one.measure([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], names=names, age=MS)
    np.testing.assert_array_equal(one.feedback.states.values[:2], [[3.0, 1.0], [6.0, 4.0]])
    one.measure([7.0, 8.0, 9.0], [4.0, 5.0, 6.0], names=names, age=2 * MS)
    assert one.feedback.states.values[0, 0] == 3.0
    one.now -= 10**10  # the clock was set back
    one.measure([7.0, 8.0, 9.0], [4.0, 5.0, 6.0], names=names)
    assert one.feedback.states.values[0, 0] == 9.0


@pytest.mark.parametrize(
    'spring, effort',
    [
        (sd.LinearSpring(200.0, damping=4.0), None),
        (sd.CubicSpring(150.0, 4000.0), None),
        (sd.ExponentialSpring(100.0, 5.0), None),
        (sd.TabulatedSpring([-0.3, 0.0, 0.3], [-60.0, 0.0, 40.0]), None),
        (sd.VariableStiffness(90.0), None),
        (
            sd.AntagonisticPair('exponential', stiffness=120.0, spring_stiffness=20.0, rate=8.0),
            None,
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_efforts_of_all_springs(loop, spring, effort):
    """Measured deflections against the laws of the records."""
    pair = isinstance(spring, sd.AntagonisticPair)
    names = ['joint_1/1', 'joint_1/2', 'joint_2'] if pair else NAMES
    count = len(names)
    drives = sd.ElasticJoints(
        {
            'joint_1': sd.ElasticJoint(spring, sd.Motor(rotor_inertia=0.1)),
            'joint_2': sd.ElasticJoint(sd.LinearSpring(300.0), sd.Motor(rotor_inertia=0.1)),
        }
    )
    one = loop(drives, feedback_effort=(1.0,), **UNLIMITED, points=POINTS[:1])
    phi, rate = np.array([0.05, -0.02, 0.03][:count]), np.array([0.1, -0.2, 0.3][:count])
    owner = [0, 0, 1] if pair else [0, 1]
    for _ in range(200):
        one.measure(UPRIGHT[owner] + phi, rate, names=names)
        one.measure_links(UPRIGHT, [0.0, 0.0])
        added = one.tick() - one.feedforward
    motors = one.pipeline.motors._motors[5]
    if pair:
        measured = np.array(spring.efforts(phi[0], phi[1]))
        desired = np.array(spring.efforts(*motors.deflection[:2]))
        np.testing.assert_allclose(added[:2], desired - measured, rtol=1e-9, atol=1e-9)
        return
    damped = isinstance(spring, sd.LinearSpring)
    measured = spring.effort(phi[0], rate[0]) if damped else spring.effort(phi[0])
    expected = motors.effort - [measured, 300.0 * phi[1]]
    np.testing.assert_allclose(added, expected, rtol=1e-9, atol=1e-9)


def test_a_deflection_outside_of_its_table_is_no_measurement(loop):
    table = sd.TabulatedSpring([-0.3, 0.0, 0.3], [-60.0, 0.0, 60.0])
    drives = sd.ElasticJoints({'joint_1': sd.ElasticJoint(table, sd.Motor(rotor_inertia=0.1))})
    one = loop(drives, feedback_effort=(1.0, 0.0), feedback_limit=(5.0,), points=POINTS[:1])
    for _ in range(50):
        one.measure(UPRIGHT + [0.4, 0.0])
        one.measure_links(UPRIGHT)
        np.testing.assert_array_equal(one.tick(), one.feedforward)
    message = one.feedback.report().message
    assert message.endswith('deflection of joint_1 is outside of the table of its spring')


def test_rigid_joints_with_rotors(loop):
    """theta is the position of the joint; an effort needs a sensor."""
    drives = sd.ElasticJoints({name: sd.ElasticJoint(motor=sd.Motor(0.1)) for name in NAMES})
    one = loop(drives, **{**GAINS, **UNLIMITED})
    for k in range(300):
        jet = one.jet(one.now - START)
        one.measure(jet[0] - 0.01, jet[1])
        added = one.tick() - one.feedforward
        if k > 150:
            np.testing.assert_allclose(added, KP * 0.01, atol=1e-6)
    table = one.pipeline.robot.motors
    parameters = FeedforwardParameters(feedback_effort=(0.0, 0.5))
    with pytest.raises(InputError, match="'feedback.effort': expected 0 for motor 'joint_2', wh"):
        feedback_gains(table, parameters)
    feedback_gains(
        table,
        FeedforwardParameters(feedback_effort=(0.5,), feedback_effort_source='motor_states'),
    )


def test_whole_turns_of_continuous_joints(loop, planar, tmp_path):
    path = tmp_path / 'endless.urdf'
    path.write_text(planar.read_text().replace('"revolute"', '"continuous"'))
    one = loop(
        model=sd.read_urdf(path),
        feedback_effort=(0.5,),
        **{**GAINS, **UNLIMITED},
        points=POINTS[:1],
    )
    for _ in range(200):
        one.measure(UPRIGHT - 0.01 + [2.0 * np.pi, -4.0 * np.pi], [0.0, 0.0])
        one.measure_links(UPRIGHT - 0.01)
        added = one.tick() - one.feedforward
    np.testing.assert_allclose(added, KP * 0.01, atol=1e-9)


def test_the_sum_has_the_format_of_the_robot(loop):
    taken = {'effort_sign': (1.0, -1.0), 'effort_scale': (2.0, 0.5), 'effort_offset': (1.0, 3.0)}
    one = loop(effort_content='without_gravity', **taken, points=POINTS[:1], **GAINS)
    for _ in range(200):
        one.measure(UPRIGHT - 0.02, [0.0, 0.0])
        commands = one.tick()
    # at rest nothing but the feedback is left of the efforts
    np.testing.assert_allclose(commands, [1.0 + 2.0 * 4.0, 3.0 - 0.5 * 2.0], atol=1e-9)
    # ~/motor_feedforward has none of it
    sent = one.pipeline.motors._sent[5].motor_effort
    np.testing.assert_allclose(sent, [1.0, 3.0], atol=1e-9)


def test_parameters_that_do_not_fit():
    elastic = {'elastic_joints_path': 'x', 'commands_content': 'motor_efforts'}
    with pytest.raises(InputError, match="'feedback.limit': expected the largest feedback of eac"):
        FeedforwardParameters(**elastic, feedback_derivative=(1.0,)).check()
    FeedforwardParameters(**elastic, **GAINS).check()
    for other in ({'commands_content': 'link_efforts'}, {'mode': 'compensate'}):
        parameters = FeedforwardParameters(**{**elastic, **other}, **GAINS)
        with pytest.raises(InputError, match="'feedback.proportional': expected no value without"):
            parameters.check()


def test_the_number_of_gains(loop):
    one = loop(**GAINS)
    for values in ((1.0,), (1.0, 2.0), ()):
        one.pipeline.motors.check(FeedforwardParameters(feedback_derivative=values))
    text = r"'feedback.limit': expected no value, one, or 2 \(joint_1, joint_2\), got 3"
    with pytest.raises(InputError, match=text):
        one.pipeline.motors.check(FeedforwardParameters(feedback_limit=(1.0, 2.0, 3.0)))


def test_a_tick_keeps_nothing(loop):
    one = loop(feedback_effort=(0.5,), **GAINS)
    motors = one.state(UPRIGHT, [0.0, 0.0], (), 0, NAMES)
    links = one.state(UPRIGHT, (), (), 0, NAMES)

    def run(count):
        for _ in range(count):
            for message in (motors, links):
                set_stamp(message.header.stamp, one.now)
            one.feedback.receive(motors, one.now)
            one.pipeline.measured.update(links, one.now)
            one.pipeline.publish(one.now)
            one.now += MS

    run(2100)  # the history is full
    assert bytes_kept(run, 1000) < 8000  # half of the smallest object per tick
    gc.collect()
    gc.disable()
    try:
        before = gc.get_count()[0]
        run(2000)
        left = gc.get_count()[0] - before
    finally:
        gc.enable()
    assert left < 200  # one per ten ticks and messages


# loops with a plant ------------------------------------------------------------


def closed(one, position, ticks, period=2 * MS, lost=()):
    """Return errors of the links and the commands; the plant is that of `planar_sea`."""
    theta = position + gravity_efforts(position) / STIFFNESS
    state = np.concatenate([position, np.zeros(2), theta, np.zeros(2)])
    states, commands = [], []
    for k in range(ticks):
        if one.feedback is not None and k not in lost:
            one.measure(state[4:6], state[6:])
        states.append(state)
        commands.append(one.tick(period))
        state = integrate(state, commands[-1], 1e-9 * period)
        if np.abs(state[:2] - UPRIGHT).max() > 1.0:
            break  # it has fallen
    return np.array(states), np.array(commands)


def independent(one, position, ticks, period=2 * MS, ramp=0.25):
    """Return states of the same loop with a law of its own: reference by differences."""
    theta = position + gravity_efforts(position) / STIFFNESS
    state = np.concatenate([position, np.zeros(2), theta, np.zeros(2)])
    states = []
    for k in range(ticks):
        wanted, rate, _, effort = motor_feedforward(one.jet(k * period))
        s = min(1.0, k * period * 1e-9 / ramp)
        feedback = KP * (wanted - state[4:6]) + KD * (rate - state[6:])
        blend = 10.0 * s**3 - 15.0 * s**4 + 6.0 * s**5
        states.append(state)
        state = integrate(state, effort + blend * np.clip(feedback, -LIMIT, LIMIT), 1e-9 * period)
    return np.array(states)


def test_an_upright_arm_falls_without_and_stands_with_feedback(loop):
    """0.02 rad off its reference at the start; the closed loop is that of another simulation."""
    begin = UPRIGHT + 0.02
    states, _ = closed(loop(), begin, 1250)
    assert len(states) < 1000  # it has fallen within 2 s
    one = loop(**GAINS)
    states, _ = closed(one, begin, 1250)
    expected = independent(one, begin, 1250)
    # differences of the reference are good for 1e-6 rad/s and 1e-4 N m
    np.testing.assert_allclose(states, expected, rtol=0, atol=1e-5)
    errors = np.abs([x[:2] - one.jet(2 * MS * k)[0] for k, x in enumerate(states)])
    assert errors.max() < 0.025
    # what is left is the command of the tick instead of that of the middle
    assert errors[-1].max() < 1e-4


def test_a_payload_that_is_not_known(loop, planar, tmp_path):
    """Links that are 10 % heavier than those of the model: it leans by what Kp carries."""
    path = tmp_path / 'light.urdf'
    text = planar.read_text()
    for mass in ('2.0', '1.0'):
        assert text.count(f'<mass value="{mass}"/>') == 1
        text = text.replace(f'<mass value="{mass}"/>', f'<mass value="{float(mass) / 1.1}"/>')
    path.write_text(text)
    light, home = sd.read_urdf(path), UPRIGHT - [0.3, -0.1]
    points = [(0.0, UPRIGHT), (1.0, home)]
    states, _ = closed(loop(model=light, points=points), UPRIGHT, 1500)
    assert len(states) < 1500
    states, _ = closed(loop(model=light, points=points, **GAINS), UPRIGHT, 2500)
    q, theta = states[-1, :2], states[-1, 4:6]
    lean = theta - (home + gravity_efforts(home) / 1.1 / STIFFNESS)
    # balance: the springs carry the true weight, feedforward and Kp the motors
    np.testing.assert_allclose(STIFFNESS * (theta - q), gravity_efforts(q), atol=1e-3)
    np.testing.assert_allclose(
        gravity_efforts(home) / 1.1 - KP * lean, gravity_efforts(q), atol=1e-3
    )
    assert 1e-3 < np.abs(q - home).max() < 0.02


def test_it_stands_although_measurements_are_lost_now_and_then(loop):
    lost = {k for begin in range(200, 2000, 400) for k in range(begin, begin + 25)}
    states, commands = closed(loop(points=POINTS[:1], **GAINS), UPRIGHT + 0.02, 2000, lost=lost)
    assert len(states) == 2000
    assert np.abs(states[-1, :2] - UPRIGHT).max() < 1e-3
    assert (steps_of(commands) < 1.5).all()
