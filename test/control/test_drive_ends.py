# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""How commands end and change, and that they have no steps of their own."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.drive_rig import MIT, PERIOD, STOOD, TICK, Move, Rig, rated, rest, steps

import screw_dynamics as sd
from screw_dynamics.control.drive_records import State
from screw_dynamics.control.inputs import ClockJumped, RobotChanged, Stop
from screw_dynamics.control.report import OK
from screw_dynamics.errors import InputError
from screw_dynamics.model import JointLimits
from screw_dynamics.trajectory.reference.reference import Source


class TestEnd:
    """Commands end by themselves, and say so."""

    def test_old_samples_and_those_out_of_order_are_dropped(self, arm):
        rig = Rig(arm).holding()
        assert rig.step(rig.sample(rest(STOOD), ahead=-PERIOD)) is None
        assert rig.step(rig.sample(rest(STOOD), ahead=-(10**9))) is None
        assert rig.step(rig.sample(rest(STOOD), ahead=2 * 10**9)) is None
        assert all(
            'feedforward: header.stamp: expected within' in line for line in rig.heard()[-2:]
        )
        _, report, values = rig.core.report()
        assert (values['out of order'], values['too old'], report) == (1, 2, 'driving')

    def test_samples_of_a_motion_before_are_dropped_until_a_gap(self, arm):
        rig = Rig(arm)
        rig.motion += 5
        rig.hold(STOOD, 0.4)
        assert rig.step(rig.sample(rest(STOOD + 0.3))._replace(motion=5)) is None
        assert rig.core.report().values['out of order'] == 1
        rig.silent(0.5)
        rig.motion = 1  # the node before has been started again
        assert rig.hold(STOOD, 0.1)[-1] is not None

    def test_samples_ahead_are_those_of_a_lead_time(self, arm):
        rig = Rig(arm)
        assert rig.send(rest(STOOD), ahead=10**9 // 2) is not None

    def test_a_jump_of_the_clock_ends_them(self, arm):
        rig = Rig(arm).holding()
        rig.now -= 50 * 10**9
        rig.step(ClockJumped('Moved backwards in time'))
        assert rig.core.state is State.LEADING_OUT
        rig.silent(0.5)
        assert not rig.published[-1][1].any()
        assert rig.hold(STOOD, 0.1)[0] is not None
        assert rig.heard() == ['Commands end: Moved backwards in time; the arm is not held']

    def test_shutting_down_is_for_good(self, arm):
        rig = Rig(arm).holding()
        rig.step(Stop())
        assert rig.outputs.busy
        rows = [row for row in rig.hold(STOOD, 0.5) if row is not None]
        assert not rows[-1].any() and not rig.outputs.busy
        assert rig.send(rest(STOOD)) is None

    def test_a_ramp_that_is_interrupted_is_no_step(self, arm):
        rig = Rig(arm)
        rows = rig.hold(STOOD, 0.4)
        rows += [row for _, row in rig.silent(0.3)]
        assert rig.core.state is State.LEADING_OUT
        rows += rig.hold(STOOD, 0.4)
        assert steps(rows).max() <= 1.875 * np.abs(rows[-1]).max() * 1.05 * TICK / 0.25

    def test_no_duration_is_at_once(self, arm):
        rig = Rig(arm, ramp_time=0.0)
        held = sd.gravity_forces(arm, STOOD)
        np.testing.assert_allclose(rig.send(rest(STOOD))[0], held, rtol=0.0, atol=1e-12)
        [(_, last)] = rig.silent(0.5)
        np.testing.assert_array_equal(last, 0.0)


class TestChanges:
    """Parameters and models change while commands are sent."""

    def test_gains_lead_to_their_values(self, arm):
        rig = Rig(arm, **MIT)
        rig.measured = STOOD
        rows = rig.hold(STOOD, 0.4)
        rig.change(kp=(200.0, 10.0))
        rows += rig.hold(STOOD, 0.4)
        assert steps(rows, 2)[0] <= 1.875 * 180.0 * TICK / 0.25
        np.testing.assert_array_equal(rows[-1][2], [200.0, 10.0])

    def test_gains_beyond_the_largest_are_refused(self, arm):
        rig = Rig(arm, **MIT)
        with pytest.raises(InputError, match='at most 500, of largest_gains'):
            rig.change(kp=(501.0, 1.0))

    def test_another_model_has_other_limits(self, arm):
        rig = Rig(arm).holding()
        rig.step(RobotChanged(sd.Robot(arm, rated(1.0))))
        rows = rig.hold(STOOD, 0.4)
        rig.load[1] = 2.0
        rows += rig.hold(STOOD, 0.4)
        assert steps(rows).max() <= 1.0 * TICK * (1.0 + 1e-5)
        assert rig.core.report().level == OK
        other = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
        rig.step(RobotChanged(sd.Robot(other)))
        assert 'The limits stay as they are' in rig.heard()[-1]

    @pytest.mark.parametrize(
        ('settings', 'text'),
        [
            ({'fields': ()}, "'fields': expected some of"),
            ({'fields': ('effort', 'effort')}, "'fields': expected some of"),
            ({'kp': (1.0,)}, 'no value without kp in fields'),
            ({'servo_damping': (1.0,)}, 'none without stiffness'),
            ({'fields': ('effort', 'position'), 'servo_stiffness': (1.0,)}, 'and not effort'),
            ({'effort_scale': (0.0, 1.0)}, 'no factor of 0'),
            ({'effort_scale': (1.0,)}, '2 values, one for each of joint_1, joint_2, got 1'),
        ],
    )
    def test_settings_that_do_not_fit_are_refused(self, arm, settings, text):
        with pytest.raises(InputError, match=text):
            Rig(arm, **settings)


START = np.array([0.0, 0.0])


@pytest.fixture(scope='module')
def strong(arm):
    limits = JointLimits(*(np.full(2, bound) for bound in (-9.0, 9.0, 50.0, 1e4)))
    return replace(arm, limits=limits)


def moving(strong, seconds, **settings):
    """Return a rig in the middle of a motion, and where the reference is."""
    rig = Rig(strong, **{**MIT, **settings})
    rig.measured = START
    move = Move(START, [2.0, 1.0], 1.2)
    time = 0.0
    while time < seconds:
        jet = move(time)
        rig.measured = jet[0]
        rig.send(jet, time)
        time += TICK
    return rig, move, time


@pytest.mark.parametrize(('quantity', 'order'), [('acceleration', 2), ('jerk', 3)])
@pytest.mark.parametrize('share', [0.98, 1.02])
def test_derivatives_of_the_reference_have_limits(strong, quantity, order, share):
    """Where a sample says its acceleration or jerk, and where it steps with none."""
    move = Move(START, [2.0, 1.0], 1.2)
    peak = max(np.abs(move(time)[order]).max() for time in np.arange(0.0, 1.2, TICK))
    limits = replace(strong.limits, **{quantity: np.full(2, share * peak)})
    for hidden in (False, True):
        rig, time = Rig(replace(strong, limits=limits), **MIT), 0.0
        rig.measured = START
        while time < 1.2 and not rig.log[2:]:
            jet = move(time)
            if hidden:
                jet[order] = 0.0
            rig.measured = jet[0]
            rig.send(jet, time, source=Source.STREAM if time else None)
            time += TICK
        words = f'joint_1: {"step of the " if hidden else ""}'
        words += {True: ('velocity', 'acceleration')[order - 2], False: quantity}[hidden]
        assert any(words in line for line in rig.heard()) == (share < 1.0)


def test_a_pause_and_its_end_lead_positions_on_without_a_step(strong):
    rig, move, time = moving(strong, 0.6)
    speed = np.abs(move(time)[1]).max()
    held = move(time)[0]
    rig.jumps += 1
    for _ in range(200):
        rig.send(rest(held))
    rig.jumps += 1
    for k in range(100):
        rig.send(move(time + k * TICK))
    rows = np.array([rows for _, rows in rig.published])
    steps = np.diff(rows[-301:, 0], axis=0)
    # the blend leads velocities to 0 within 0.25 s: at most 6 ramps of this length per second
    assert np.abs(np.diff(steps, axis=0)).max() < 0.15 * speed * TICK


def test_a_begin_while_velocities_end_begins_at_what_is_sent(strong):
    rig, move, time = moving(strong, 0.6)
    rig.now += 250_000_000  # a gap
    rig.step()
    for _ in range(10):
        rig.now += 4_000_000
        rig.step()
    held = np.array(rig.published[-1][1][0])
    rig.motion += 1
    rig.measured = held
    count = len(rig.published) - 1
    for _ in range(150):
        rig.send(rest(held))
    rows = np.array([rows for _, rows in rig.published[count:]])
    speed = np.abs(move(time)[1]).max()
    # the blend leads the velocity to 0 within 0.25 s, and the position back
    assert np.abs(rows[:, 0] - held).max() < 0.2 * 0.25 * speed
    assert np.abs(np.diff(rows[:, :2], axis=0)).max() < 0.1 * speed
    np.testing.assert_array_equal(rows[-1, :2], [held, [0.0, 0.0]])


def test_rates_of_what_is_sent_keep_their_limit_where_samples_have_none(strong):
    limit = 20.0
    rig = Rig(strong, rated(limit), fields=('effort',), ramp_time=0.0)
    move = Move(START, [1.0, 0.5], 1.0)
    for k in range(300):
        rig.send(move(k * TICK), k * TICK, known=1)
    efforts = np.array([rows[0] for _, rows in rig.published])
    assert np.abs(np.diff(efforts, axis=0)).max() <= limit * TICK * (1.0 + 1e-5)


def test_an_effort_that_the_robot_adds_leaves_both_limits_kept(strong):
    """Its step takes the sum beyond the limit, faster than the rate of what is sent allows."""
    weak = replace(strong, limits=replace(strong.limits, effort=np.full(2, 22.0)))
    rig = Rig(weak, rated(900.0), fields=('effort',), effort_content='without_gravity')
    steady = rig.sample(rest(START))._replace(efforts=np.full((1, 2), 20.0))
    totals = []
    for gravity in [20.0] * 50 + [30.0] * 200:
        jumps = int(gravity > 20.0)
        sample = steady._replace(instant=rig.now, gravity=np.full(2, gravity), jumps=jumps)
        totals.append(rig.step(sample)[0] + gravity)
        rig.now += PERIOD
    assert (np.array(totals) <= 22.0 * (1.0 + 1e-9)).all()
    assert (np.abs(np.diff(totals, axis=0)) <= 900.0 * TICK * (1.0 + 1e-5)).all()
    np.testing.assert_allclose(totals[-1], 20.0, rtol=0.0, atol=1e-9)
