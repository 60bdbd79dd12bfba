# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Feedback around the motor feedforward: limits, begin and loss, parameters."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from helpers.feedback_loop import GAINS, KP, LIMIT, MS, POINTS, START, UPRIGHT, steps_of
from helpers.memory import bytes_kept
from helpers.planar_sea import MAX_EFFORT, NAMES, STIFFNESS, gravity_efforts, motor_feedforward

import screw_dynamics as sd
from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import set_stamp
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.trajectory import waypoints_from_points

STEEPEST = 1.875  # slope of a quintic from 0 to 1


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


def test_a_stall_delays_the_feedback(loop):
    """Without, and with gains that change meanwhile."""
    one, off, added = loop(points=POINTS[:1], **GAINS), UPRIGHT - [0.05, -0.05], []
    full = np.minimum(KP * 0.05, LIMIT) * [1.0, -1.0]
    for k in range(600):
        if k == 250:
            one.apply(**{**GAINS, 'feedback_proportional': (40.0, 20.0)})
        one.now += 10**9 * (k in (20, 80, 300))
        one.measure(off, [0.0, 0.0])
        added.append(one.tick() - one.feedforward)
    np.testing.assert_allclose(added[249], full, atol=1e-9)
    np.testing.assert_allclose(added[-1], 0.2 * full, atol=1e-9)
    assert (steps_of(added) <= STEEPEST / 20.0 * np.abs(full)).all()


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
