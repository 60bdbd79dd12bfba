# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Where commands begin, stop and return: at the robot, without a step."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.command_node import HANGING, MIT, PERIOD, START, command_nodes
from helpers.planar_sea import LENGTHS, MASSES, NAMES, STIFFNESS

import screw_dynamics as sd
from screw_dynamics.control.report import OK
from screw_dynamics.trajectory import waypoints_from_points

SPRUNG = sd.ElasticJoints(
    {
        name: sd.ElasticJoint(sd.LinearSpring(k), sd.Motor(rotor_inertia=0.1))
        for name, k in zip(NAMES, STIFFNESS, strict=True)
    }
)


@pytest.fixture
def node(ros, planar):
    with command_nodes(ros, planar) as make:
        yield make


def test_a_stop_at_the_offset_limit_lasts_until_a_motion_begins_at_the_robot(node):
    stiffness = np.array([200.0, 100.0])
    servos = node(
        command_fields=('position', 'velocity'),
        servo_stiffness=tuple(stiffness),
        servo_offset_limit=0.1,
        ramp_time=0.1,
        max_joint_state_age=60.0,
    )
    servos.measure(HANGING)
    servos.follow([0.0, 0.0], times=[1.0])  # where the weight is 18.6 N m, at 200 N m/rad
    commands, reference = [], np.zeros((5, 2))
    while True:
        command = servos.tick()
        if command is None or (commands and (command[0] == commands[-1][0]).all()):
            break
        commands.append(command)
        servos.pipeline.reference.sample(servos.now - PERIOD, reference)
    assert 20 < len(commands) < 240
    offsets = np.abs(commands[-1][0] - reference[0])
    assert 0.09 < offsets.max() <= 0.1
    assert commands[-1][1].any()
    assert not servos.pipeline.reference.driven
    # positions stay, velocities lead to 0
    ends = []
    while (command := servos.tick()) is not None:
        ends.append(command)
    assert 20 <= len(ends) <= 26
    assert all((end[0] == commands[-1][0]).all() for end in ends)
    assert (np.diff(np.abs([end[1] for end in ends]), axis=0) <= 0.0).all()
    np.testing.assert_array_equal(ends[-1][1], 0.0)
    while servos.pipeline.reference.sample(servos.now, reference).name != 'HOLD':
        assert servos.tick() is None
    for _ in range(10):  # at rest it is stopped all the same
        assert servos.tick() is None
    stood = reference[0] + [-0.2, 0.1]  # not at the reference
    servos.measure(stood)
    servos.follow(HANGING, times=[1.0])
    first = servos.tick()
    gravity = sd.gravity_forces(servos.model, stood)
    np.testing.assert_allclose(first[0], stood + gravity / stiffness, rtol=0.0, atol=1e-4)
    assert servos.pipeline.reference.driven


def test_a_stream_that_moves_already_is_joined_without_a_step(node):
    mit = node(**MIT, ramp_time=0.2, max_reference_age=1.0)
    stood = np.array([0.5, 0.2])
    mit.measure(stood)
    jet, commands = np.zeros((5, 2)), []
    for i in range(100):
        jet[0], jet[1] = stood + 0.02 + [0.004 * i, 0.0], [1.0, 0.0]
        mit.pipeline.streamed.add_sample(jet, 5, mit.now, mit.now)
        commands.append(mit.tick())
    commands = np.array(commands)
    np.testing.assert_allclose(commands[0, 0], stood, rtol=0.0, atol=1e-12)
    np.testing.assert_array_equal(commands[0, 1], 0.0)
    np.testing.assert_array_equal(commands[-1, :2], jet[:2])
    # the steepest of the two quintics, see the tests of the ramp
    bound = 4e-3 * (5.78 * 0.02 / 0.2**2 + 4.0 * 1.0 / 0.2)
    assert np.abs(np.diff(commands[:, 1], axis=0)).max() <= bound
    np.testing.assert_array_equal(commands[:, 2:4], np.tile([[20, 10], [1, 0.5]], (100, 1, 1)))
    np.testing.assert_array_equal(commands[0, 4], 0.0)
    assert mit.dims == [('fields', 5, 10), ('joints', 2, 2)]


def test_a_step_of_the_reference_is_not_commanded(node):
    positions = node(command_fields=('position',), max_joint_state_age=60.0, ramp_time=0.1)
    positions.measure(HANGING)
    positions.follow([-0.3, 1.0], HANGING, times=[0.5, 1.0])  # fast: up to 5 rad/s
    commands, peak = [], 0.0
    for i in range(300):
        positions.now += (i == 60) * 9 * PERIOD  # ticks that are missed
        commands.append(positions.tick())
        peak = max(peak, np.abs(positions.pipeline._jet[1]).max())
    assert all(command is not None for command in commands) and peak > 4.0
    # a trajectory at whose first point the robot is not, as with start_state: first_point
    positions.pipeline.reference.clear()
    positions.follow([-1.6, 0.06], times=[0.0], measured=False)
    assert [positions.tick() for _ in range(5)] == [None] * 5
    assert 'joint_2 within 0.05 rad of the' in positions.pipeline.commands.report()[1]
    positions.measure([-1.6, 0.04])
    assert positions.tick() is not None
    # a step to where the robot is within the tolerance is blended from the last command
    for _ in range(30):
        last = positions.tick()[0]
    positions.pipeline.reference.clear()
    positions.measure([-1.6, 0.1])
    positions.follow([-1.6, 0.12], times=[0.0], measured=False)
    commands = np.array([last, *(positions.tick()[0] for _ in range(30))])
    np.testing.assert_array_equal(commands[:2], [[-1.6, 0.06]] * 2)
    np.testing.assert_array_equal(commands[-1], [-1.6, 0.12])
    assert np.abs(np.diff(commands, axis=0)).max() < 1.875 * 0.06 * 4e-3 / 0.1


def test_a_stall_is_no_missing_state_and_kinds_of_problems_are_named_once(node, monkeypatch):
    """No command begins from a state that is too old; a newer one may wait in the node's queue."""
    positions = node(command_fields=('position',), max_joint_state_age=0.5)
    output, said = positions.pipeline.commands, []
    logger = SimpleNamespace(warning=said.append, info=said.append)
    monkeypatch.setattr(output, '_logger', logger)
    far, second = np.add(HANGING, [0.0, 0.1]), 10**9

    def heard():
        texts = [text.split(' of ')[0].split(' with ')[0] for text in said]
        said.clear()
        return texts

    unknown = 'Commands do not begin: expected joint_states'
    positions.measure(HANGING)
    positions.follow(HANGING, times=[0.0], measured=False)
    positions.now += second
    assert positions.tick() is None  # it was there, but is too old
    assert (heard(), output.report().level) == ([], OK)
    positions.measure(far)  # the node has looked at its queue
    assert positions.tick() is None
    [distant] = said
    assert 'joint_2 within 0.05 rad of the reference 0, got 0.1' in distant
    said.clear()
    for _ in range(3):  # stalls again and again
        positions.now += second
        assert positions.tick() is None
        positions.measure(far)
        assert positions.tick() is None
        assert heard() == []
    positions.now += second
    for _ in range(10):
        assert positions.tick() is None
    assert heard() == [unknown]
    assert 'expected joint_states of joint_1, joint_2 within 0.5 s' in output.report().message
    positions.measure(far)
    assert positions.tick() is None
    assert 'joint_2 within 0.05 rad' in output.report().message
    positions.now += second
    for _ in range(10):
        assert positions.tick() is None
    assert heard() == []
    positions.measure(HANGING)
    assert positions.tick() is not None
    assert heard() == ['Commands begin: the robot is at the reference']
    # another motion
    positions.pipeline.clear()
    positions.tick()
    positions.now += second
    positions.follow(HANGING, times=[0.0], measured=False)
    for _ in range(10):
        assert positions.tick() is None
    assert heard() == [unknown]


def test_motors_begin_at_the_deflected_spring(node):
    motors = node(
        SPRUNG, commands_content='motor_efforts', command_fields=('position',), ramp_time=0.1
    )
    reference = np.array([0.5, 0.2])
    stood = reference + [0.03, -0.02]
    motors.follow(reference, times=[0.0])
    motors.measure(stood)
    (l1, l2), (m1, m2) = LENGTHS, MASSES
    outer = 9.81 * m2 * l2 * np.cos(reference.sum())
    weights = np.array([9.81 * (m1 + m2) * l1 * np.cos(reference[0]) + outer, outer])
    deflection = weights / STIFFNESS
    np.testing.assert_allclose(motors.tick()[0], stood + deflection, rtol=0.0, atol=1e-12)
    commands = [motors.tick()[0] for _ in range(30)]
    np.testing.assert_allclose(commands[-1], reference + deflection, rtol=0.0, atol=1e-12)
    assert motors.dims == [('motors', 2, 2)]


def rated(rate):
    return sd.ElasticJoints({name: sd.ElasticJoint(max_effort_rate=rate) for name in NAMES})


def test_a_motion_that_was_accepted_before_a_stop_does_not_bring_commands_back(node):
    guarded = node(rated(1e9), output_guard='stop', ramp_time=0.0)
    guarded.follow(HANGING, [0.5, 0.5], times=[0.0, 1.0], measured=False)
    guarded.now += 4 * PERIOD
    assert guarded.tick() is not None
    later = waypoints_from_points(NAMES, [(1.0, [0.8, 0.1])], tuple(NAMES))
    guarded.pipeline.reference.add(later, START + 2 * 10**9, guarded.now)
    guarded.pipeline.guard._limits[:] = 1e-3
    assert guarded.tick() is None
    assert 'effort' in guarded.pipeline.guard.reason
    guarded.pipeline.guard._limits[:] = 1e6
    while guarded.now < START + 4 * 10**9:
        assert guarded.tick() is None
    # it begins where the robot is measured
    guarded.measure([0.1, 0.2])
    guarded.follow([0.2, 0.2], times=[1.0])
    assert guarded.tick() is not None


def test_a_change_of_the_lead_time_is_a_step_of_the_reference(node):
    positions = node(command_fields=('position',), ramp_time=0.1)
    positions.measure(HANGING)
    positions.follow([0.5, 0.5], times=[2.0])
    for _ in range(250):
        last = positions.tick()
        positions.measure(last[0])
    parameters = replace(positions.pipeline._parameters, lead_time=0.3)
    positions.pipeline.apply(parameters)
    assert positions.tick() is None
    assert 'expected joint_states with' in positions.pipeline.commands.report().message


def test_motors_of_a_measured_robot_resume_after_clear(node):
    weak = sd.ElasticJoints({n: sd.ElasticJoint(motor=sd.Motor(max_effort=5.0)) for n in NAMES})
    hand = node(weak, mode='compensate', commands_content='motor_efforts', ramp_time=0.0)
    for position, passes in (([-np.pi / 2, 0.0], True), ([0.0, 0.0], False)):
        hand.measure(position)
        hand.pipeline.compensate(hand.now)
        assert hand.pipeline.motors.stopped is not passes
    assert hand.pipeline.motors.report().message.endswith('; they resume after ~/clear')
    hand.measure([-np.pi / 2, 0.0])
    hand.pipeline.compensate(hand.now)
    assert hand.pipeline.motors.stopped
    hand.pipeline.clear()
    hand.pipeline.compensate(hand.now)
    assert not hand.pipeline.motors.stopped
