# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Where commands begin and stop, and that nothing else than the motion is a step."""

import numpy as np
import pytest
from helpers.drive_rig import (
    HANGING,
    MIT,
    PERIOD,
    START,
    STOOD,
    TICK,
    WHEEL,
    Move,
    Rig,
    rated,
    rest,
    steps,
)

import screw_dynamics as sd
from screw_dynamics.control.drive_records import State
from screw_dynamics.trajectory.reference.reference import Source


class TestBegin:
    """A motion from rest, or a reference at rest, with a robot that is there."""

    def test_efforts_lead_from_0_to_the_motion_and_back(self, arm):
        rig, move = Rig(arm), Move([0.3, 0.2], [1.0, -0.5], 1.0)
        rows = np.array(rig.follow(move))[:, 0]
        exact = np.array([sd.inverse_dynamics(arm, move(t)[:3])[0] for t in TICK * np.arange(250)])
        np.testing.assert_array_equal(rows[0], 0.0)
        np.testing.assert_array_equal(rows[70:], exact[70:])
        # the quintic of the ramp in 63 samples beside the motion's own steps
        assert (np.abs(np.diff(rows, axis=0)).max(axis=0) <= 0.031 * np.abs(exact[0]) + 0.5).all()
        end = rig.silent(1.0)
        assert rig.core.state is State.SILENT
        np.testing.assert_array_equal(end[-1][1], [[0.0, 0.0]])
        assert steps([row for _, row in end]).max() <= 0.031 * np.abs(exact[-1]).max()
        assert rig.heard() == ['Commands end: no feedforward for 0.2 s; the arm is not held']
        # nothing is published before the timeout, and nothing after the ramp
        assert end[0][0] - (START + 250 * PERIOD) >= 0.19e9
        assert len(end) == 63

    def test_a_reference_that_sweeps_through_the_robot_does_not_begin(self, arm):
        """Refused at the begin of the motion, commands waited for the robot to be near (R3)."""
        rig = Rig(arm, **MIT)
        rig.measured = STOOD
        away = Move([0.0, 0.2], [1.2, 0.2], 1.5)
        assert not any(row is not None for row in rig.follow(away))
        back = Move([1.2, 0.2], [0.6, 0.2], 1.5)  # of the same motion, and it rests between
        assert not any(row is not None for row in rig.follow(back, 0.0, 1.3))
        [said] = rig.heard()
        assert said.startswith('Commands do not begin: expected joint_states with joint_1 within')
        # where it rests at the robot, they begin
        assert rig.hold(STOOD, 0.1)[0] is not None
        assert rig.heard() == []
        rig.silent(0.5)
        rig.measured = STOOD + 0.3
        rig.hold(STOOD, 0.1)
        assert 'Commands do not begin' in rig.heard()[-1], 'it is said again'

    def test_a_stall_does_not_begin_in_motion(self, arm):
        rig, move = Rig(arm, **MIT), Move(STOOD, [1.8, -1.0], 4.0)
        rig.measured = STOOD
        rig.follow(move, 0.0, 1.0)
        rig.now += 10**9  # stopped for a second
        rows = [row for row in rig.follow(move, 2.0, 3.9) if row is not None]
        # velocities and efforts end; positions come to rest
        assert 50 < len(rows) <= 63 and not rig.published[-1][1][[1, 4]].any()
        assert rig.core.state is State.SILENT
        assert 'Commands do not begin' in rig.heard()[-1]
        rig.motion += 1
        rig.measured = move.end
        assert rig.follow(Move(move.end, STOOD, 1.0))[0] is not None

    @pytest.mark.parametrize('seen', [-200, -1, 0, 1])
    def test_a_turning_point_is_no_begin(self, arm, seen):
        """There the velocity is 0, but not the acceleration; also where it is seen first."""
        rig = Rig(arm)
        for i in range(seen, 200):
            t = TICK * i
            jet = rest([np.cos(t), 0.0])
            jet[1:, 0] = -np.sin(t), -np.cos(t), np.sin(t), np.cos(t)
            assert rig.send(jet) is None
            assert rig.send(jet, since_start=1.0 + t) is None

    def test_curves_that_begin_with_a_jump_of_the_acceleration_begin(self, arm):
        """As cubic ones of joint_trajectory_controller do: seen by the time of the trajectory."""
        for first in (0, 1):
            rig = Rig(arm)
            for i in range(first, 20):
                t = TICK * i
                jet = rest([2.0 * t**2, 0.0])
                jet[1:3, 0] = 4.0 * t, 4.0
                assert rig.send(jet, since_start=t) is not None

    def test_first_samples_may_be_lost(self, arm):
        rig, move = Rig(arm), Move([0.0, 0.0], [1.0, -0.5], 1.0)
        assert all(row is not None for row in rig.follow(move, 0.012))

    @pytest.mark.parametrize('age', [100.0, -100.0, 0.3])
    def test_states_of_other_times_are_none(self, arm, age):
        rig = Rig(arm, fields=('position',))
        for _ in range(5):
            rig.measure(STOOD, age)
            assert rig.send(rest(STOOD)) is None
        [said] = rig.heard()
        assert said.endswith('expected joint_states of joint_1, joint_2 within 0.2 s, got none')
        rig.measure(STOOD)
        assert rig.send(rest(STOOD)) is not None

    def test_they_begin_where_the_robot_is(self, arm):
        rig = Rig(arm, **MIT)
        start = rig.measured = STOOD + [0.04, -0.03]
        rows = rig.hold(STOOD, 0.4)
        np.testing.assert_array_equal(rows[0][:2], [start, [0.0, 0.0]])
        np.testing.assert_array_equal(rows[0][4], 0.0)
        np.testing.assert_array_equal(rows[-1][:2], [STOOD, [0.0, 0.0]])
        assert steps(rows).max() <= 1.875 * 0.04 * TICK / 0.25

    def test_whole_turns_of_continuous_joints_do_not_count(self):
        """They are those of the drive, which would turn once otherwise."""
        wheel = sd.read_urdf(WHEEL)
        rig = Rig(wheel, fields=('position', 'velocity'))
        rig.measured = [3.1]
        rows = rig.hold([-3.18], 0.4)
        np.testing.assert_array_equal(rows[0], [[3.1], [0.0]])
        np.testing.assert_allclose(rows[-1], [[2.0 * np.pi - 3.18], [0.0]], atol=1e-12)

    @pytest.mark.parametrize('source', [Source.HOLD, Source.MEASURED])
    def test_whole_turns_that_a_reference_leaves_out_are_no_step(self, source):
        """A newer trajectory counts from elsewhere, and an encoder goes on from pi at -pi."""
        gains = {name: MIT[name][:1] for name in ('kp', 'kd')}
        rig = Rig(sd.read_urdf(WHEEL), fields=MIT['fields'], **gains)
        rig.measured = [3.0]
        rig.hold([3.0], 0.4)
        move, rows = Move([3.0], [3.3], 1.0), []
        for k in range(250):
            jet = move(TICK * k)
            jet[0] -= 2.0 * np.pi * (jet[0] > np.pi)
            rig.measure(jet[0])
            rows.append(rig.step(rig.sample(jet, source=source)).copy())
            rig.now += PERIOD
        assert not rig.heard() and steps(rows) < 0.003
        np.testing.assert_allclose(rows[-1][0], [3.3], atol=1e-4)

    def test_a_measured_robot_is_held_where_it_is(self, arm):
        """Guided by hand: noise of its velocities is no motion, and its drives damp."""
        rig, random = Rig(arm, **MIT), np.random.default_rng(2)
        for i in range(300):
            t = max(TICK * (i - 100), 0.0)
            jet = rest(STOOD + np.cos(2.0 * t) - 1.0)
            jet[0] += random.uniform(-1e-4, 1e-4, 2)
            jet[1] = -2.0 * np.sin(2.0 * t) + random.uniform(-0.05, 0.05, 2)
            rig.measure(jet[0])
            rows = rig.step(rig.sample(jet)._replace(source=Source.MEASURED))
            np.testing.assert_array_equal(rows[:2], [jet[0], [0.0, 0.0]])
            rig.now += PERIOD
        soon = rest(jet[0] + [0.0, 0.01])  # measured with joint_1, received 0.1 ms later
        rig.now += 10**5 - PERIOD
        assert rig.step(rig.sample(soon)._replace(source=Source.MEASURED)) is not None
        rig.now += PERIOD
        assert not rig.heard()
        far = rest(STOOD + 1.5)  # a wrong encoder
        rig.step(rig.sample(far)._replace(source=Source.MEASURED))
        assert 'step of the reference' in rig.heard()[-1]

    def test_a_motion_that_goes_on_with_another_number_goes_on(self, arm):
        rig = Rig(arm, **MIT)
        rig.measured = STOOD
        rig.follow(Move(STOOD, [1.0, 0.0], 1.0))
        rig.hold([1.0, 0.0], 0.5)
        rig.motion += 1
        move = Move([1.0, 0.0], STOOD, 1.0)
        rows = rig.follow(move)
        np.testing.assert_array_equal(rows[125][0], move(0.5)[0])
        assert rig.heard() == []


class TestGuard:
    """Nothing beyond a limit is sent; what stops goes on with another motion, from rest."""

    @pytest.mark.parametrize('limits', ['stop', 'off'])
    @pytest.mark.parametrize('value', [np.nan, -np.inf, 1e7])
    @pytest.mark.parametrize('row', range(3))
    def test_no_absurd_number_passes(self, arm, limits, value, row):
        rig = Rig(arm, **MIT, limits=limits).standing()
        sample = rig.sample(rest(STOOD))
        if row == 2:
            sample.efforts[0, 1] = value
        else:
            sample.jet[row, 1] = value
        rig.step(sample)
        assert rig.stopped
        assert np.isfinite([rows for _, rows in rig.published]).all()
        assert np.abs([rows for _, rows in rig.published]).max() <= 20.0

    def test_velocities_beyond_the_limit_stop(self, arm):
        """They were sent without a line in the log (R5)."""
        rig = Rig(arm, **MIT).standing()
        jet = rest(STOOD)
        jet[1, 0] = 8.0
        rows = [row for row in (rig.send(jet) for _ in range(200)) if row is not None]
        assert np.abs(rows)[:, 1].max() == 0.0
        assert 'joint_1: velocity 8 rad/s, limit 6 rad/s' in rig.heard()[-1]

    @pytest.mark.parametrize(('side', 'bound'), [(-1.0, 'lower'), (1.0, 'upper')])
    def test_positions_beyond_either_limit_stop(self, arm, side, bound):
        rig, limit = Rig(arm, **MIT), getattr(arm.limits, bound)[1]
        rig.measured = np.array([-np.pi / 2.0, limit - 1e-3 * side])
        assert rig.hold(rig.measured, 0.4)[-1] is not None
        rig.send(rest(rig.measured + [0.0, 2e-3 * side]))
        assert rig.stopped
        assert f'joint_2: position {limit + 1e-3 * side:.9g} rad, limit' in rig.heard()[-1]

    def test_an_absurd_acceleration_stops(self, arm):
        rig, jet = Rig(arm), rest(STOOD)
        rig.hold(STOOD, 0.4)
        jet[2] = 1e30
        rig.step(rig.sample(jet)._replace(efforts=np.zeros((1, 2))))
        assert rig.stopped and 'acceleration 1e+30' in rig.heard()[-1]

    def test_a_pause_in_motion_is_no_step(self, arm):
        """The velocity stepped by 2.46 rad/s within 4 ms (R5)."""
        rig, move = Rig(arm, **MIT), Move(STOOD, [2.0, -1.0], 2.0)
        rig.measured = STOOD
        rows = rig.follow(move, 0.0, 1.0)
        speed = np.abs(rows[-1][1]).max()
        assert speed > 1.5
        stopped = rest(move(1.0)[0])
        rig.jumps += 1
        rows += [rig.send(stopped) for _ in range(200)]
        assert rig.core.state is State.DRIVING
        np.testing.assert_array_equal(rows[-1][:2], stopped[:2])
        # the second derivative of the quintic with a slope at its begin is at most 4 / T
        assert steps(rows, 1).max() <= 4.0 * speed / 0.25 * TICK
        efforts = np.abs(np.diff([row[4] for row in rows], axis=0)).max()
        assert efforts < 1.0

    def test_a_gap_does_not_lift_a_stop_in_motion(self, arm):
        """A pause of 0.1 s looked like the begin of a motion (R6)."""
        rig, move = Rig(arm, effort_content='full'), Move(STOOD, [1.8, -1.0], 4.0)
        rig.follow(move, 0.0, 1.0)
        rig.load[:] = 100.0  # one sample beyond the limit
        rig.follow(move, 1.0, 1.0 + TICK)
        rig.load[:] = 0.0
        rig.follow(move, 1.0 + TICK, 1.5)
        assert rig.stopped
        rig.silent(0.3)
        assert not any(row is not None for row in rig.follow(move, 1.8, 4.0))
        assert not any(row is not None for row in rig.hold(move.end, 0.5))  # the same motion
        [said] = rig.heard()
        assert said.startswith('Commands end: limit exceeded: joint_')
        rig.motion += 1  # seen in motion only
        back = Move(move.end, STOOD, 1.0)
        assert not any(row is not None for row in rig.follow(back, 0.3, 0.9))
        assert rig.hold(back.end, 0.1)[0] is not None, 'it rests'

    def test_another_motion_beyond_the_limits_does_not_lift_a_stop(self, arm):
        rig = Rig(arm).holding()
        rig.load[:] = 100.0
        rig.hold(STOOD, 0.5)
        rig.motion += 1
        assert not any(row is not None for row in rig.hold(STOOD, 0.1))
        assert rig.core.report().message.startswith('commands do not begin: limit exceeded')
        rig.load[:] = 0.0
        rig.motion -= 1
        assert not any(row is not None for row in rig.hold(STOOD, 0.3)), 'it is over'

    def test_a_wrench_is_blended(self, arm):
        """50 N were 29.5 N m in one tick, and again where the message was late (R8)."""
        rig = Rig(arm)
        rows = rig.hold(HANGING, 0.4)
        for load in (25.0, 0.0, 25.0, 0.0):
            rig.load[1], rig.jumps = load, rig.jumps + 1
            rows += rig.hold(HANGING, 0.06)
        rows += rig.hold(HANGING, 0.4)
        assert steps(rows).max() <= 1.875 * 25.0 * TICK / 0.25
        np.testing.assert_allclose(rows[-1][0], sd.gravity_forces(arm, HANGING), atol=1e-12)

    @pytest.mark.parametrize('jitter', [0.0, 0.9])
    def test_a_payload_changes_within_the_rate(self, arm, jitter):
        """The guard stopped what the ramp would have led within the limit (R12)."""
        rate, random = 40.0, np.random.default_rng(0)
        rig = Rig(arm, rated(rate))
        rows, times = [], []

        def hold(count):
            for _ in range(count):
                times.append(rig.now)
                rows.append(rig.send(rest(HANGING)))
                # ticks come early and late
                rig.now += round(PERIOD * jitter * random.uniform(-1.0, 1.0))

        hold(200)
        rig.load[:] = 15.0, 10.0
        hold(600)
        assert rig.core.state is State.DRIVING and rig.heard() == []
        np.testing.assert_allclose(rows[-1][0], rig.load, atol=1e-12)
        rates = np.abs(np.diff(np.array(rows)[:, 0], axis=0)).max(axis=1) / (1e-9 * np.diff(times))
        assert rates.max() <= rate * (1.0 + 1e-5)
        # a blend takes half of the limit, but for the step that it begins with
        assert jitter or np.sort(rates)[-2] <= 0.5 * rate * (1.0 + 1e-5)

    def test_a_motion_beyond_the_rate_stops(self, arm):
        rig, move = Rig(arm, rated(20.0)), Move(HANGING, [0.5, 0.5], 1.0)
        rows = [row for row in rig.follow(move) if row is not None]
        assert rig.stopped
        assert 'effort rate' in rig.heard()[0]
        assert steps(rows).max() <= 20.0 * TICK * (1.0 + 1e-5)

    def test_off_is_off(self, arm):
        rig = Rig(arm, limits='off').holding()
        rig.load[:] = 100.0
        rows = rig.hold(STOOD, 0.4)
        np.testing.assert_array_equal(rows[-1][0], sd.gravity_forces(arm, STOOD) + 100.0)

    def test_another_lead_time_is_no_step(self, arm):
        """Samples that are further ahead than before would be a step of 0.1 s of the motion."""
        rig, move = Rig(arm, **MIT, follow='off'), Move(STOOD, [2.0, -1.0], 2.0)
        rig.measured = STOOD
        rows = rig.follow(move, 0.0, 0.9)
        for i in range(225, 425):
            t = TICK * i + 0.1
            rows.append(rig.send(move(t), ahead=round(1e8)))
        assert rig.core.state is State.DRIVING
        np.testing.assert_array_equal(rows[-1][0], move(t)[0])
        # no faster than the joints may be, whatever the stamps say
        assert steps(rows).max() <= arm.limits.velocity.max() * TICK * (1.0 + 1e-5)
        assert steps(rows, 1).max() <= 0.15
