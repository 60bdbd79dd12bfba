# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams, wrenches, limits of samples and motors through the core."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.rig import Rig
from helpers.streams import limited, stream, wave

import screw_dynamics as sd
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.feedforward_reports import report
from screw_dynamics.control.inputs import ParametersChanged, RobotChanged, Speed
from screw_dynamics.control.report import ERROR
from screw_dynamics.drives.robot import Robot
from screw_dynamics.recordings.messages.feedforward import Course
from screw_dynamics.trajectory.reference.reference import Source

SPRING = sd.JointDrive(
    sd.LinearSpring(500.0), sd.Motor(rotor_inertia=1e-4, gear_ratio=50.0), max_deflection=0.5
)


def driven(arm, joint=SPRING, **parameters):
    """Return a rig of an arm with the same drive in all joints."""
    return Rig(Robot(arm, sd.Drives(dict.fromkeys(arm.joint_names, joint))), **parameters)


def test_samples_pass_with_all_derivatives(arm):
    rig = Rig(arm)
    rig.run(0.4, every=stream(rig, wave))
    assert {sample.source for sample in rig.published.samples} == {Source.STREAM}
    for jet, tau in zip(rig.published.jets, rig.published.efforts, strict=True):
        np.testing.assert_allclose(tau, sd.inverse_dynamics(arm, jet), rtol=0, atol=1e-11)


@pytest.mark.parametrize('rows', [3, 4])
def test_a_stream_may_leave_derivatives_out(arm, rows):
    rig = Rig(arm)
    rig.run(0.1, every=stream(rig, wave, rows))
    assert {sample.rows for sample in rig.published.samples} == {rows}


def test_a_stream_that_ends_says_so_once_and_once_when_it_comes_back(arm):
    """R9."""
    rig = Rig(arm)
    rig.run(0.2, every=stream(rig, wave))
    count = len(rig.published)
    rig.run(2.0)
    assert rig.lines == [
        'warning: ~/joint_reference has ended: no sample for 0.1 s; nothing is published until '
        'the next motion'
    ]
    assert len(rig.published) == count
    rig.run(0.2, every=stream(rig, wave))
    assert rig.lines[1:] == ['info: ~/joint_reference is followed again']
    assert rig.published.motions[-1] == rig.published.motions[0] + 1


@pytest.mark.parametrize('offset', [-1.0, 1.0])
def test_samples_of_another_time_are_rejected(arm, offset):
    rig = Rig(arm)
    rig.sample(wave(0.0), stamp=rig.now + round(offset * SECOND))
    rig.run(0.1)
    assert 'too old, or of another clock' in rig.lines[0]
    assert not len(rig.published)


def test_positions_are_followed_through_the_filter(arm):
    rig = Rig(limited(arm, 10.0, 1e3))
    begin = rig.now
    rig.run(3.0, every=lambda: rig.positions([0.3 if rig.now - begin > SECOND else 0.0, 0.1]))
    np.testing.assert_allclose(rig.published.jet[-1, 0], [0.3, 0.1], atol=1e-6)
    assert np.abs(np.diff(rig.published.jet[:, 0], axis=0)).max() < 0.05


def test_positions_beyond_the_limits_are_rejected(arm):
    rig = Rig(limited(arm))
    rig.positions([7.0, 0.0])
    rig.run(0.1)
    assert 'position of joint joint_1' in rig.lines[0]
    assert not len(rig.published)


def test_a_velocity_beyond_its_limit_is_never_published(arm):
    """R5: 2.4 rad/s in a stream, on joints of 1 rad/s."""
    rig = Rig(limited(arm, velocity=1.0))
    rig.run(1.0, every=stream(rig, lambda time: wave(time, amplitude=1.2)))
    assert np.abs(rig.published.jet[:, 1]).max() <= 1.0
    stops = [line for line in rig.lines if 'joint_1: velocity' in line]
    assert len(stops) == 1


@pytest.mark.parametrize(('quantity', 'order'), [('acceleration', 2), ('jerk', 3)])
def test_derivatives_beyond_their_limits_are_never_published(arm, quantity, order):
    peak = np.abs([wave(time)[order] for time in np.arange(0.0, 1.0, 1e-3)]).max()
    rig = Rig(limited(arm, 10.0, 1e3, **{quantity: 0.9 * peak}))
    rig.run(1.0, every=stream(rig, wave))
    published = [jet[order] for jet in rig.published.jets]
    assert np.abs(published).max(initial=0.0) <= 0.9 * peak  # the wave begins at its peak
    assert len([line for line in rig.lines if f': {quantity} ' in line]) == 1


def beyond_once(time):
    """Return a wave whose accelerations are beyond every limit at 0.3 s."""
    jet = wave(time)
    if 0.3 <= time < 0.31:
        jet[2] += 1e3
    return jet


def test_a_stop_lasts_until_another_motion_begins_from_rest(arm):
    """R6: a gap longer than the timeout in mid-motion does not lift it."""
    rig = Rig(limited(arm))
    begin = rig.now

    def send():
        time = (rig.now - begin) / SECOND
        if not 0.6 <= time < 0.9:  # a gap
            rig.sample(beyond_once(time))

    rig.run(1.4, every=send)
    after = rig.published.instants > begin + 0.31 * SECOND
    assert not after.any()
    assert sum('limit exceeded' in line for line in rig.lines) == 1
    assert rig.core.state == 'STOPPED'
    rig.run(0.3)
    begin = rig.now
    rig.run(0.2, every=stream(rig, wave))
    assert 'info: Efforts are published again' in rig.lines
    assert rig.published.instants[-1] > begin


def test_a_stop_is_not_lifted_by_clear(arm):
    rig = Rig(limited(arm))
    rig.run(0.5, every=stream(rig, beyond_once))
    count = len(rig.published)
    rig.clear_motion()
    begin = rig.now

    def goes_on():
        rig.sample(wave(0.5 + (rig.now - begin) / SECOND))

    rig.run(0.1, every=goes_on)
    assert len(rig.published) == count


def test_a_trajectory_after_a_stop_starts_where_the_robot_is(arm):
    rig = Rig(limited(arm))
    rig.run(0.5, every=stream(rig, beyond_once))
    rig.joint_states([0.1, 0.2])
    count = len(rig.published)
    rig.send((1.0, [0.0, 0.0]))
    rig.run(1.5)
    np.testing.assert_allclose(rig.published.jet[count, 0], [0.1, 0.2], atol=1e-5)
    assert list(rig.published.jet[-1, 0]) == [0.0, 0.0]


def test_without_limits_nothing_stops(arm):
    rig = Rig(limited(arm), limits='off')
    rig.run(0.5, every=stream(rig, beyond_once))
    assert np.abs(rig.published.tau[:, 0]).max() > 80.0
    assert not rig.lines


def test_a_wrench_counts_until_it_is_old(arm):
    rig = Rig(arm)
    rig.send((0.0, [0.2, 0.4]), (0.1, [0.2, 0.4]))
    rig.run(0.3)
    alone = rig.published.tau[-1, 0]
    rig.wrench('tool', [0.0] * 3, [0.0, -10.0, 5.0])
    rig.run(0.1)
    loaded = rig.published.tau[-1, 0]
    jacobian = sd.frame_jacobian(arm, np.array([0.2, 0.4]), 'tool', 'body')
    expected = alone - jacobian.T @ np.array([0.0, 0.0, 0.0, 0.0, -10.0, 5.0])
    assert np.abs(loaded - alone).min() > 1.0
    np.testing.assert_allclose(loaded, expected, atol=1e-11)
    rig.run(0.3)
    np.testing.assert_array_equal(rig.published.tau[-1, 0], alone)
    assert len(rig.lines) == 1
    assert 'no longer in force' in rig.lines[0]
    rig.wrench('tool', [0.0] * 3, [0.0, -10.0, 5.0])
    rig.run(0.1)
    np.testing.assert_array_equal(rig.published.tau[-1, 0], loaded)
    assert len(rig.lines) == 2
    assert 'in force again' in rig.lines[1]


@pytest.mark.parametrize('frame', ['nowhere', 'base_link'])
def test_a_wrench_on_no_moving_link_is_ignored(arm, frame):
    rig = Rig(arm)
    rig.wrench(frame, [0.0] * 3, [0.0] * 3)
    assert rig.lines[0].startswith('warning: ~/external_wrench ignored')


@pytest.mark.parametrize('coupling', [False, True])
def test_motors_of_elastic_joints_are_those_of_the_library(arm, coupling):
    joints = arm.joint_names[: 1 if coupling else 2]
    rig = Rig(Robot(arm, sd.Drives(dict.fromkeys(joints, SPRING), rotor_coupling=coupling)))
    rig.send((0.0, [0.0, 0.0]), (1.0, [0.4, 0.2]))
    rig.run(0.6)
    rig.wrench('tool', [0.0] * 3, [0.0, -10.0, 5.0])
    rig.run(0.02)
    assert all(rig.published.motors)
    wrench = {'tool': np.zeros((3, 6))}
    wrench['tool'][0, 4:] = -10.0, 5.0
    expected = sd.elastic_feedforward(rig.robot, rig.published.jets[-1], wrench)
    got = rig.core.motors.buffers[5]
    np.testing.assert_allclose(got.motor_effort, expected.motor_effort, rtol=0, atol=1e-12)


def test_motors_need_more_derivatives_than_a_short_stream_has(arm):
    rig = driven(arm)
    rig.run(0.1, every=stream(rig, wave, 3))
    assert not any(rig.published.motors)
    assert len(rig.published)
    assert any('derivatives up to order 4' in line for line in rig.lines)


def test_a_motor_beyond_its_limit_stops_the_motors_of_the_motion(arm):
    weak = replace(SPRING, max_deflection=0.03)
    rig = driven(arm, weak)
    rig.run(1.0, every=stream(rig, lambda time: wave(time, 1.4, 2.0)))
    stops = [line for line in rig.lines if 'deflection' in line]
    assert len(stops) == 1
    assert rig.published.motors[0]
    assert not rig.published.motors[-1]


def test_the_stiffness_changes_smoothly(arm):
    spring = sd.VariableStiffness(400.0, min_stiffness=100.0, max_stiffness=900.0)
    joint = replace(SPRING, spring=spring)
    rig = driven(arm, joint, drives_path='given', stiffness_transition=0.5)
    rig.send((0.0, [0.3, 0.2]), (0.1, [0.3, 0.2]))
    rig.run(0.3)
    before = rig.core.motors.buffers[5].deflection.copy()
    rig.step(ParametersChanged(replace(rig.parameters, stiffness=(800.0, 800.0))))
    steps = []

    def record():
        steps.append(rig.core.motors.buffers[5].deflection.copy())

    rig.run(0.7, every=record)
    np.testing.assert_allclose(steps[-1], before * 400.0 / 800.0, rtol=1e-9)
    assert np.abs(np.diff(steps, axis=0)).max() < 0.05 * np.abs(before).max()


def test_the_same_motion_keeps_its_number_whatever_parameters_change(arm):
    rig = Rig(limited(arm), hold_time=0.1)
    rig.send((0.0, [0.0, 0.0]), (0.5, [0.2, 0.1]))
    rig.run(1.0)
    count = len(rig.published)
    rig.step(ParametersChanged(replace(rig.parameters, hold_time=-1.0)))
    rig.run(0.3)
    assert len(rig.published) == count  # it was released
    rig.joint_states([0.1, 0.0])
    rig.send((0.5, [0.0, 0.0]))
    rig.run(0.7)
    np.testing.assert_allclose(rig.published.jet[count, 0], [0.1, 0.0], atol=1e-5)
    assert rig.published.motions[count] == rig.published.motions[0] + 1


def test_a_trajectory_from_a_held_end_has_a_number_of_its_own(arm):
    """Commands that were stopped resume with it."""
    rig = Rig(arm)
    rig.send((0.0, [0.0, 0.0]), (0.5, [0.2, 0.1]))
    rig.run(1.0)
    rig.send((0.8, [0.0, 0.0]))
    rig.run(1.0)
    assert rig.published.motions[-1] == rig.published.motions[0] + 1


def test_a_spring_that_fails_in_a_stream_stops_the_motors_of_that_motion(arm):
    table = sd.TabulatedSpring([-0.03, 0.0, 0.03], [-12.0, 0.0, 12.0])
    joint = sd.JointDrive(table, sd.Motor(rotor_inertia=1e-4, gear_ratio=50.0))
    rig = driven(limited(arm, 1e3, 1e4), joint)
    rig.run(3.0, every=stream(rig, lambda time: wave(time, 1.5, 2.0)))
    assert rig.published.motors[0]
    stopped = rig.published.motors.index(False)
    assert not any(rig.published.motors[stopped:])


def test_samples_without_snaps_keep_the_motors_from_beginning_in_motion(arm):
    rig = driven(arm)
    rig.run(0.1, every=stream(rig, wave, 4))
    rig.run(0.1, every=stream(rig, wave))
    assert np.abs(rig.published.jet[-1, 1]).max() > 0.05
    assert not any(rig.published.motors)
    assert len(rig.lines) == 1


def test_a_payload_leaves_the_wrench_in_force(arm):
    rig = Rig(arm)
    rig.send((0.0, [0.2, 0.4]), (0.1, [0.2, 0.4]))
    rig.run(0.3)
    rig.wrench('tool', [0.0] * 3, [0.0, -10.0, 5.0])
    rig.run(0.05)
    loaded, loads = rig.published.tau[-1, 0], []
    for model in (arm, arm.with_payload('tool', 1.0)):
        loads.append(sd.inverse_dynamics(model, rig.published.jet[-1, :3])[0])
    rig.step(RobotChanged(rig.robot.with_model(model), {}))
    rig.run(0.03)
    expected = loaded + loads[1] - loads[0]
    np.testing.assert_allclose(rig.published.tau[-1, 0], expected, atol=1e-11)


@pytest.mark.parametrize('factor', [np.nan, -1.0])
def test_a_speed_that_is_none_is_ignored(arm, factor):
    rig = Rig(arm)
    rig.step(Speed(factor))
    assert len(rig.lines) == 1


@pytest.mark.parametrize(('lead_time', 'fit_time'), [(0.0, 0.15), (0.1, 0.0)])
def test_a_late_fit_of_a_controllers_spline_is_another_motion(arm, lead_time, fit_time):
    """It begins at its reception, so what is sampled jumps if that is later."""
    rig = Rig(limited(arm, 1e3, 1e4), interpolation='jtc', lead_time=lead_time, fit_time=0.0)
    rig.send((0.0, [0.0, 0.0]), (2.0, [1.0, 0.0]))
    rig.run(1.0)
    rig._fit_time = fit_time
    rig.send((1.0 - lead_time, [-1.0, 0.0]))
    rig.run(1.0)
    steps = np.abs(np.diff(rig.published.jet[:, 0], axis=0)).max(axis=1)
    jump = int(steps.argmax())
    assert steps[jump] > 0.02
    assert rig.published.motions[jump + 1] == rig.published.motions[jump] + 1


def test_a_trajectory_after_one_that_nobody_saw_is_another_motion(arm):
    rig = Rig(limited(arm, 1e3, 1e4), interpolation='jtc', fit_time=0.0)
    rig.send((0.0, [0.0, 0.0]), (2.0, [1.0, 0.0]))
    rig.run(0.5)
    rig.send((0.0, [0.5, 0.0]), (2.0, [1.0, 0.0]))
    rig.send((1.0, [0.0, 0.5]))  # from the begin of the one before
    rig.run(0.5)
    steps = np.abs(np.diff(rig.published.jet[:, 0], axis=0)).max(axis=1)
    jump = int(steps.argmax())
    assert steps[jump] > 0.2
    assert rig.published.motions[jump + 1] == rig.published.motions[jump] + 1


def test_what_is_not_finite_is_never_published(arm):
    rig = Rig(arm, limits='off')
    rig.run(0.1, every=stream(rig, wave))
    count = len(rig.published)
    huge = np.zeros((5, 2))
    huge[1] = 1e100  # its fourth power, in the second derivative of the effort, overflows
    rig.run(0.1, every=stream(rig, lambda time: huge))
    assert len(rig.published) == count
    level, message, values = report(rig.core, 'limits', rig.now)
    assert level == ERROR and message.startswith('nothing published')
    assert values['ticks that failed'] > 10
    assert sum(line.startswith('error: Nothing published') for line in rig.lines) <= 1
    assert rig.ends[-1].state == Course.STOPPED
    rig.run(0.1, every=stream(rig, wave))
    assert len(rig.published) == count, 'in the same motion'
    rig.run(0.3)
    rig.run(0.1, every=stream(rig, wave))
    assert len(rig.published) > count


def test_a_trajectory_ends_a_stream_in_its_state(arm):
    rig = Rig(arm, fit_time=0.0)
    rig.run(0.4, every=stream(rig, wave))
    last = rig.published.jets[-1]
    rig.send((1.5, [0.0, 0.0]))
    rig.run(2.0)
    first = rig.published.jets[list(rig.published.motions).index(rig.published.motions[-1])]
    assert np.abs(first[0] - last[0]).max() < 0.01
    assert list(rig.published.jet[-1, 0]) == [0.0, 0.0]


def test_a_motion_that_began_in_motion_does_not_resume_at_a_turning_point(arm):
    rig = Rig(limited(arm))
    rig.run(0.5, every=stream(rig, beyond_once))
    rig.run(0.5)
    begin, count = rig.now, len(rig.published)
    rig.run(2.0, every=lambda: rig.sample(wave(0.3 + (rig.now - begin) / SECOND)))
    assert len(rig.published) == count


def test_filtered_positions_do_not_overshoot_a_limit(arm):
    limits = sd.JointLimits(*(np.full(2, bound) for bound in (-6.0, 1.6, 10.0, 1e4)))
    rig = Rig(replace(arm, limits=limits), filter_bandwidth=2.0)
    begin = rig.now

    def send():
        time = (rig.now - begin) / SECOND
        if time < 0.5:
            jet = np.zeros((5, 2))
            jet[0, 0], jet[1, 0] = 3.0 * time, 3.0
            rig.sample(jet)
        else:
            rig.positions([1.55, 0.0])

    rig.run(1.5, every=send)
    assert rig.published.jet[:, 0, 0].max() <= 1.6
    assert any('joint_1: position' in line for line in rig.lines)
