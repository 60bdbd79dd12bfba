# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Feedback around the motor feedforward: its law, with all springs."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.feedback_loop import GAINS, KD, KP, MS, POINTS, START, UNLIMITED, UPRIGHT
from helpers.planar_sea import NAMES, STIFFNESS, gravity_efforts, motor_feedforward

import screw_dynamics as sd
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.feedforward.outputs.motor_feedback import feedback_gains
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters


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
    ahead = one.pipeline.followed.sampled(0) + age
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
