# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories through the core: verdicts, efforts, joins, limits, joints left out."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.rig import BEGIN, Rig, free, limited, perform

import screw_dynamics as sd
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.inputs import ClockJumped, ParametersChanged, RobotChanged, Speed, Stop
from screw_dynamics.control.tasks import Rejection
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.theory.inverse_dynamics.body_fixed import recursive_body_fixed
from screw_dynamics.trajectory.reference.reference import Source

MS = SECOND // 1000


def test_efforts_are_those_of_the_reference_with_two_derivatives(arm):
    rig = Rig(arm)
    rig.send((0.0, [0.0, 0.0]), (0.6, [0.4, -0.3]), (1.0, [0.2, 0.1]))
    rig.run(1.2)
    assert rig.reasons == ['']
    assert len(rig.published) > 240
    samples = rig.published.jets, rig.published.efforts, rig.published.gravity
    for jet, tau, gravity in list(zip(*samples, strict=True))[::8]:
        expected = recursive_body_fixed(arm, jet)
        np.testing.assert_allclose(
            tau, expected, rtol=0, atol=1e-11 * (1 + np.abs(expected).max())
        )
        rest = recursive_body_fixed(arm, np.vstack([jet[0], np.zeros((2, 2))]))[0]
        np.testing.assert_allclose(gravity, rest, rtol=0, atol=1e-11)


def test_a_robot_with_soft_segments_is_followed_without_wrenches(arm):
    soft = sd.soft.append_segments(arm, sd.share_path('config/soft_finger.yaml'))
    rig = Rig(soft, limits='off')
    rig.send((0.0, [0.0] * 4), (0.6, [0.4, -0.3, 1.0, 0.5]))
    rig.wrench('tool', [0.0] * 3, [1.0, 0.0, 0.0])
    rig.run(0.8)
    assert rig.reasons == ['']
    assert 'expected none for a robot with soft segments' in '\n'.join(rig.lines)
    jet, tau = rig.published.jets[50], rig.published.efforts[50]
    np.testing.assert_allclose(tau, sd.inverse_dynamics(soft, jet), rtol=0, atol=1e-11)


def test_the_motion_starts_where_the_robot_is_measured(arm):
    rig = Rig(free(arm))
    rig.joint_states([0.5, -0.2])
    rig.send((1.0, [1.0, 0.0]))
    rig.run(1.5)
    assert rig.reasons == ['']
    np.testing.assert_allclose(rig.published.jet[0, 0], [0.5, -0.2], atol=1e-6)
    assert list(rig.published.jet[-1, 0]) == [1.0, 0.0]


@pytest.mark.parametrize('age', [0.3, -0.3, 100.0])
def test_old_states_are_no_start_though_they_arrive_now(arm, age):
    """A driver that repeats its last message does not make it younger."""
    rig = Rig(arm)
    rig.joint_states([0.5, -0.2], stamp=BEGIN - round(age * SECOND))
    rig.send((1.0, [1.0, 0.0]))
    rig.run(0.1)
    assert 'no state to start from is known' in rig.reasons[0]


def test_a_state_without_stamp_counts_from_its_reception(arm):
    rig = Rig(arm)
    rig.joint_states([0.5, -0.2], stamp=0)
    rig.send((1.0, [1.0, 0.0]))
    rig.run(0.1)
    assert rig.reasons == ['']


def test_the_end_is_held_for_the_hold_time(arm):
    rig = Rig(arm, hold_time=0.5)
    rig.send((0.0, [0.0, 0.0]), (0.4, [0.1, 0.1]))
    rig.run(2.0)
    held = [s for s in rig.published.samples if s.source is Source.HOLD]
    assert len(held) == pytest.approx(0.5 * 250, abs=2)
    assert not rig.published.jet[-1, 1:].any()
    assert not rig.published.tau[-1, 1:].any()
    assert rig.core.state == 'IDLE'


def test_a_motion_has_a_number_and_what_continues_it_has_the_same(arm):
    rig = Rig(arm, hold_time=0.1)
    rig.send((0.0, [0.0, 0.0]), (1.0, [0.2, 0.1]))
    rig.run(0.5)
    rig.send((1.0, [0.1, 0.0]))  # in motion
    rig.run(2.0)
    assert len(set(rig.published.motions)) == 1
    rig.joint_states([0.1, 0.0])
    rig.send((1.0, [0.0, 0.0]))  # after the end
    rig.run(1.0)
    first, *_, last = rig.published.motions
    assert last == first + 1


@pytest.mark.parametrize('fit_time', [0.0, 0.01, 0.2])
def test_a_replacement_continues_position_to_snap(arm, fit_time):
    """The jets before and after the join are those of one C4 curve."""
    rig = Rig(free(arm), fit_time=0.0, publish_rate=1000.0)
    rig.send((0.0, [0.0, 0.0]), (2.0, [1.0, -1.0]))
    rig.run(0.7)
    rig._fit_time = fit_time
    rig.send((1.5, [0.2, 0.4]))
    rig.run(1.4)
    assert rig.reasons == ['', '']
    jets, h = rig.published.jet, 1e-3
    fifth = np.percentile(np.abs(np.diff(jets[:, 4], axis=0)), 99) / h
    for row in range(4):
        ahead = sum(jets[:-1, row + k] * h**k / math.factorial(k) for k in range(5 - row))
        remainder = fifth * h ** (5 - row) / math.factorial(5 - row)
        # one step in a hundred may have a fifth derivative that is some times larger
        assert np.abs(jets[1:, row] - ahead).max() < 5.0 * remainder + 1e-12


def test_every_trajectory_has_one_verdict_in_order(arm):
    rig = Rig(arm, fit_time=0.05)
    for k in range(14):
        rig.send((0.0, [0.0, 0.0]), (0.5 + 0.1 * k, [0.01 * k, 0.0]))
    rig.run(2.0)
    assert len(rig.verdicts) == 14
    dropped = [reason for reason in rig.reasons if 'newer trajectories arrived' in reason]
    assert len(dropped) == 3  # one is being read, ten wait


def test_a_fit_for_other_parameters_is_not_followed(arm):
    rig = Rig(arm, fit_time=0.05)
    rig.send((0.0, [0.0, 0.0]), (0.5, [0.1, 0.0]))
    rig.run(0.03)  # the fit is under way
    rig.step(ParametersChanged(replace(rig.parameters, lead_time=0.01)))
    rig.run(1.0)
    assert rig.reasons == ['']
    assert rig.published.instants[0] - rig.published.ticks[0] == 10 * MS


def test_the_efforts_change_with_the_payload_and_the_motion_goes_on(arm):
    rig = Rig(free(arm))
    rig.send((0.0, [0.0, 0.0]), (0.2, [0.1, 0.0]))
    rig.run(0.5)
    before = rig.published.tau[-1, 0]
    heavy = free(arm).with_payload('tool', 2.0)
    rig.step(RobotChanged(Robot(heavy), {}))
    rig.run(0.1)
    after = rig.published.tau[-1, 0]
    assert np.all(after - before > 5.0)
    assert len(set(rig.published.motions)) == 1
    np.testing.assert_allclose(
        after, sd.inverse_dynamics(heavy, rig.published.jets[-1][:3])[0], atol=1e-12
    )


def test_a_step_between_two_rests_is_rejected(arm):
    """R1: 1 rad in 4 ms, at rest at both ends and at every look 5 ms apart."""
    rig = Rig(limited(arm))
    rest = [0.0, 0.0]
    rig.send((0.0, [0.0, 0.0]), (0.5, [0.0, 0.0], rest, rest), (0.504, [1.0, 0.0], rest, rest))
    rig.run(0.2)
    assert 'limit exceeded' in rig.reasons[0]
    assert not len(rig.published)


@pytest.mark.parametrize(('quantity', 'order'), [('acceleration', 2), ('jerk', 3)])
@pytest.mark.parametrize('limits', ['reject', 'slow', 'retime'])
def test_limits_of_derivatives_are_those_of_trajectories(arm, quantity, order, limits):
    rig = Rig(limited(arm, 10.0, 1e3, **{quantity: 3.0}), limits=limits)
    rig.send((0.0, [0.0, 0.0]), (0.8, [0.5, 0.0]))
    rig.run(4.0)
    if limits == 'reject':
        assert f'limit exceeded: joint_1: {quantity} ' in rig.reasons[0]
        return
    assert rig.reasons == ['']
    np.testing.assert_allclose(rig.published.jet[-1, 0], [0.5, 0.0], atol=1e-9)
    assert 2.7 < np.abs(rig.published.jet[:, order]).max() <= 3.0


@pytest.mark.parametrize('time', [1e-6, 1e-3])
def test_a_point_that_is_too_near_in_time_is_rejected(arm, time):
    rig = Rig(limited(arm))
    rig.joint_states([0.0, 0.0])
    rig.send((time, [0.8, 0.0]))
    rig.run(0.2)
    assert rig.reasons[0]
    assert not len(rig.published)


def test_points_closer_than_a_tenth_of_a_millisecond_are_rejected(arm):
    rig = Rig(free(arm), limits='off')
    rig.send((0.0, [0.0, 0.0]), (0.5, [0.2, 0.0]), (0.50000001, [0.2, 0.0]))
    rig.run(0.2)
    assert 'points[2].time_from_start: expected at least 0.0001 s' in rig.reasons[0]


def test_one_fast_move_in_a_long_trajectory_is_found(arm):
    """R1: 600 s at rest but for one move at three times the velocity limit."""
    rig = Rig(limited(arm, velocity=1.0), resample_period=0.05)
    rig.send((0.0, [0.0, 0.0]), (300.0, [0.0, 0.0]), (300.3, [0.9, 0.0]), (600.0, [0.9, 0.0]))
    rig.run(0.5)
    assert 'velocity' in rig.reasons[0]


def test_slow_keeps_the_limits_and_says_so(arm):
    rig = Rig(limited(arm, velocity=0.5), limits='slow')
    rig.send((0.0, [0.0, 0.0]), (0.5, [1.0, 0.0]))
    rig.run(8.0)
    (verdict,) = rig.verdicts
    assert not verdict.reason
    assert 'slowed to take' in verdict.warnings[0]
    assert np.abs(rig.published.jet[:, 1]).max() <= 0.5
    assert list(rig.published.jet[-1, 0]) == [1.0, 0.0]
    weak = Rig(limited(arm, effort=1.0), limits='slow')
    weak.send((0.0, [0.0, 0.0]), (0.5, [1.0, 0.0]))
    weak.run(1.0)
    assert weak.reasons[0].startswith('expected a trajectory that keeps the limits at rest, got')


STILL = [0.0, 0.0]
HEAVY = (0.0, STILL), (0.5, [1.0, 0.0], STILL, STILL), (1.5, [1.1, 0.1], STILL, STILL)


def test_retime_is_faster_than_slow_where_that_is_sent_fast(arm):
    sent = Rig(limited(arm, velocity=9.0), limits='off', publish_rate=50.0)
    slowed = Rig(limited(arm, velocity=0.8), limits='slow', publish_rate=50.0)
    rig = Rig(limited(arm, velocity=0.8), limits='retime', publish_rate=50.0)
    for one in (sent, slowed, rig):
        one.send(*HEAVY)
        one.run(12.0)
    (verdict,) = rig.verdicts
    assert not verdict.reason
    assert 'retimed to take' in verdict.warnings[0]
    said = 'info: A trajectory is retimed, and begins within 10 s; else it is slowed to take'
    assert rig.lines[0].startswith(said)
    assert np.abs(rig.published.jet[:, 1]).max() <= 0.8
    assert list(rig.published.jet[-1, 0]) == [1.1, 0.1]
    took, took_slow = (
        np.ptp(one.published.instants[[s.source == 1 for s in one.published.samples]])
        for one in (rig, slowed)
    )
    assert took < 0.8 * took_slow
    largest, as_sent = (
        np.abs(jet[jet[:, 0, 0] > 1.0001, 1]).max(axis=0)
        for jet in (rig.published.jet, sent.published.jet)
    )
    assert (largest <= 1.006 * as_sent).all()


def without_retiming(arm, seconds):
    """Return a rig that finds no faster motion, after some time."""
    times = iter([0.004, seconds])
    rig = Rig(limited(arm, velocity=0.8), limits='retime', fit_time=lambda: next(times, 0.004))
    refusal = Rejection('none')
    rig.perform = lambda task: refusal if getattr(task, 'retimes', False) else perform(task)
    return rig


def test_what_retimes_too_long_begins_slowed_when_that_was_said(arm):
    rig = without_retiming(arm, 30.0)
    rig.send(*HEAVY)
    rig.run(10.2)
    assert rig.lines[1:] == ['warning: Not retimed: that takes too long']
    assert 10.0 * SECOND <= rig.published.ticks[0] - BEGIN <= 10.1 * SECOND
    assert 'slowed' in rig.verdicts[0].warnings[0]
    rig.clear()
    rig.run(25.0)  # the answer comes, and changes nothing
    assert not rig.lines and not rig.verdicts


def test_what_begins_in_motion_is_slowed_and_what_cannot_be_retimed(arm):
    rig = Rig(limited(arm, velocity=0.8), limits='retime')
    rig.send((0.0, [0.0, 0.0]), (4.0, [1.0, 0.0]))
    rig.run(2.0)
    rig.send((0.5, [1.0, 0.5]), (1.0, [0.0, 0.0]))
    rig.run(1.0)
    assert 'slowed' in rig.verdicts[1].warnings[0]
    assert not rig.lines
    rig = Rig(limited(arm, velocity=0.8), limits='retime')
    points = [(0.002 * i, [0.002 * i, 0.0]) for i in range(1101)]
    rig.send(*points)
    rig.run(1.0)
    assert rig.lines[1:] == [
        'warning: Not retimed: expected at most 1000 points to retime, got 1101'
    ]
    assert 'slowed' in rig.verdicts[0].warnings[0]


def test_joints_that_move_while_a_trajectory_is_retimed_begin_where_they_are(arm):
    rig = without_retiming(arm, 1.0)
    rig.joint_states([0.0, 0.0])
    rig.send(*HEAVY[1:])
    rig.run(0.9)
    for _ in range(6):
        rig.joint_states([0.1, 0.0])
        rig.run(0.05)
    assert rig.published.jet[0, 0, 0] == pytest.approx(0.1, abs=1e-3)
    assert 'slowed' in rig.verdicts[0].warnings[0]


def test_absurd_positions_are_rejected_by_default(arm):
    """R2: one point at 1e9 rad, by a joint without limits of position."""
    rig = Rig(limited(arm, position=np.inf))
    rig.joint_states([0.0, 0.0])
    rig.send((2.0, [1e9, 0.0]))
    rig.run(0.2)
    assert rig.reasons[0]
    assert not len(rig.published)


def test_without_limits_everything_is_followed(arm):
    rig = Rig(limited(arm, velocity=0.1, effort=0.1), limits='off')
    rig.send((0.0, [0.0, 0.0]), (0.5, [1.0, 0.0]))
    rig.run(1.0)
    assert rig.reasons == ['']
    assert np.abs(rig.published.tau[:, 0]).max() > 0.1


def test_a_stamp_of_another_clock_is_rejected(arm):
    """R13: system time in simulated time starts in 50 years."""
    rig = Rig(arm)
    rig.send((0.0, [0.0, 0.0]), (1.0, [0.1, 0.0]), stamp=2 * BEGIN)
    rig.run(0.1)
    assert 'another clock' in rig.reasons[0]


def test_clear_drops_the_motion_and_says_what(arm):
    rig = Rig(arm)
    assert rig.clear_motion() == 'there was no motion'
    rig.send((0.0, [0.0, 0.0]), (1.0, [0.1, 0.0]))
    rig.clear_motion()
    assert rig.reasons == ['~/clear was called before it was fitted']
    rig.send((0.0, [0.0, 0.0]), (1.0, [0.1, 0.0]))
    rig.run(0.2)
    assert rig.clear_motion() == 'the motion is dropped'
    rig.clear()
    rig.run(0.2)
    assert not len(rig.published)


def test_a_stop_rejects_what_is_on_its_way(arm):
    rig = Rig(arm, fit_time=0.1)
    rig.send((0.0, [0.0, 0.0]), (1.0, [0.1, 0.0]))
    rig.step(Stop('the node is not active any more'))
    rig.run(0.5)
    assert rig.reasons == ['the node is not active any more']
    assert not len(rig.published)


def test_a_jump_of_the_clock_drops_the_motion(arm):
    rig = Rig(arm)
    rig.send((0.0, [0.0, 0.0]), (1.0, [0.1, 0.0]))
    rig.run(0.2)
    rig.clear()
    rig.step(ClockJumped('Moved backwards in time'))
    rig.run(0.2)
    assert rig.lines == ['warning: Moved backwards in time: the active trajectory is dropped']
    assert not len(rig.published)


def test_a_pause_holds_the_reference_where_it_is(arm):
    rig = Rig(arm)
    rig.send((0.0, [0.0, 0.0]), (1.0, [0.5, 0.0]))
    rig.run(0.5)
    rig.step(Speed(0.0))
    rig.run(0.1)
    paused = rig.published.jet[-1]
    assert not paused[1:].any()
    rig.step(Speed(1.0))
    rig.run(1.0)
    assert rig.published.jet[-1, 0, 0] == 0.5


def test_a_long_trajectory_is_forwarded_with_fewer_points_and_a_warning(arm):
    """R11: it is not accepted without being forwarded."""
    rig = Rig(arm, outputs=('joint_trajectory_effort',), resample_period=0.01)
    rig.send((0.0, [0.0, 0.0]), (600.0, [0.2, 0.1]))
    rig.run(0.5)
    (verdict,) = rig.verdicts
    assert 'points 0.024 s apart' in verdict.warnings[0]
    assert 20_000 < len(rig.forwarded[0].times) <= 25_000


def test_parameters_are_consistent():
    with pytest.raises(InputError, match='expected reject or off with interpolation: jtc'):
        FeedforwardParameters(limits='slow', interpolation='jtc').check()
    with pytest.raises(InputError, match='expected at least 0.005 s'):
        FeedforwardParameters(outputs=('spline',)).check()
