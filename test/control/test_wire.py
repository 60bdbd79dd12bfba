# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What samples say of ends and jumps, and what commands make of it, of a robot and of time."""

import numpy as np
import pytest
from helpers.drive_rig import (
    HANGING,
    MIT,
    PERIOD,
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
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.drive_records import State
from screw_dynamics.control.inputs import Enable, Steady
from screw_dynamics.recordings.messages.feedforward import Course, FeedforwardSample
from screw_dynamics.trajectory.reference.reference import Source


class TestJumps:
    """A marked change is blended as far as the motion does not explain it, and no further."""

    def sample(self, rig, effort, rate, jumps=0):
        return FeedforwardSample(
            rig.now, 1, rest(STOOD)[:3], np.array([[effort, 0.0], [rate, 0.0]]), np.zeros(2),
            jumps=jumps,
        )  # fmt: skip

    @pytest.mark.parametrize('jumps', [0, 1])
    def test_a_steep_effort_is_never_extrapolated(self, arm, jumps):
        """A rate of 40 kN m/s for a sample was sent as 60 N m where -20 and 0 were asked (H1)."""
        rig, sent = Rig(arm), []
        for k in range(160):
            effort, rate = (-20.0, 4e4) if k == 100 else (0.0, 0.0)
            rig.step(self.sample(rig, effort, rate, jumps * (k >= 100)))
            sent.append(rig.published[-1][1][0, 0])
            rig.now += PERIOD
        assert max(sent) <= 20.0 * jumps
        assert min(sent) >= -20.0 - 1e-9
        assert sent[-1] == 0.0 or jumps

    @pytest.mark.parametrize('every', [1, 3, 5])
    def test_marks_at_every_sample_do_not_freeze_the_motion(self, arm, every):
        """A noisy wrench at each tick: what is sent follows the efforts of the motion."""
        rig, random = Rig(arm), np.random.default_rng(4)
        differences, rows = [], []
        rig.hold(STOOD, 0.4)
        for k in range(500):
            angle = 2.0 * np.pi * TICK * k
            jet = rest(STOOD)
            jet[:4, 0] += 0.3 * (1 - np.cos(angle)), 0.0, 0.0, 0.0
            if k % every == 0:
                rig.load = random.uniform(-2.0, 2.0, 2)
                rig.jumps += 1
            sample = rig.sample(jet, source=Source.STREAM)
            rows.append(rig.step(sample)[0].copy())
            differences.append(rows[-1] - sample.efforts[0])
            rig.now += PERIOD
        noise = 4.0 / np.sqrt(12.0)
        assert np.sqrt(np.mean(np.square(differences))) <= 2.0 * noise
        assert np.abs(np.diff(rows, axis=0)).max() <= 1.0

    def test_what_is_sent_stays_within_the_gains_that_decay(self, arm):
        """Property 1: |sent - asked| is at most the sum of the jumps of the last blend."""
        rig, random = Rig(arm), np.random.default_rng(5)
        rig.hold(STOOD, 0.6)
        jumps, length = [], round(0.25 / TICK) + 1
        for k in range(2000):
            change = np.zeros(2)
            if random.uniform() < 0.05:
                change = random.uniform(-3.0, 3.0, 2)
                rig.load, rig.jumps = rig.load + change, rig.jumps + 1
            jumps.append(np.abs(change))
            sample = rig.sample(rest(STOOD))
            difference = np.abs(rig.step(sample)[0] - sample.efforts[0])
            assert (difference <= sum(jumps[-length:]) + 1e-9).all(), k
            if not np.any(jumps[-length:]):
                assert not difference.any()
            rig.now += PERIOD

    def test_a_lost_sample_hides_no_jump(self, arm):
        rig = Rig(arm)
        rows = rig.hold(HANGING, 0.4)
        rig.load[1] = 25.0
        rig.jumps += 1
        rig.now += PERIOD  # the one with the mark is lost
        rows += rig.hold(HANGING, 0.4)
        assert steps(rows).max() <= 1.875 * 25.0 * TICK / 0.25 * 1.05

    def test_a_mark_while_efforts_change_blends_the_jump_alone(self, arm):
        rig, move = Rig(arm), Move(STOOD, STOOD + 0.5, 1.0)
        rig.follow(move, 0.0, 0.4)
        rig.load[:], rig.jumps = -3.0, 1
        (sent,), asked = rig.send(move(0.4), since_start=0.4), rig.published[-2][1][0]
        motion = sd.inverse_dynamics(arm, move(0.4)[:3])[0] - asked  # since the sample before
        assert np.abs(motion).max() > 0.1
        np.testing.assert_allclose(sent - asked, motion, atol=1e-3)

    def test_efforts_that_nobody_certified_are_marked_by_the_commands(self, arm):
        rig = Rig(arm)
        for k in range(200):
            rig.load[0] = 20.0 * (k >= 100)  # of 60, and no mark
            rig.step(rig.sample(rest(HANGING), source=Source.STREAM))
            rig.now += PERIOD
        rows = [row for _, row in rig.published]
        assert steps(rows).max() <= 1.875 * 20.0 * TICK / 0.25 * 1.05
        assert rig.core.report().values['unmarked jumps'] == 1
        assert any('their sample does not say so' in line for line in rig.heard())

    def test_a_larger_step_of_the_same_motion_stops_marked_or_not(self, arm):
        for jumps in (0, 1):
            rig = Rig(arm, **MIT).standing()
            rig.jumps += jumps
            rig.send(rest(STOOD + [0.2, 0.0]))
            assert rig.stopped and 'step of the reference 0.2 rad' in rig.heard()[-1]

    def test_knots_of_a_controllers_curve_are_the_motion(self, arm):
        """They were smeared over ramp_time: 27 to 71 % of the motion's part (M4)."""
        rig, rows, exact = Rig(arm), [], []
        for k in range(250):
            time = TICK * k
            jet = rest(STOOD)
            later = max(time - 0.5, 0.0)  # 4 rad/s^2, then -4 from 0.5 s on
            pace = 4.0 * time - 8.0 * later
            jet[:3, 0] += 2.0 * time**2 - 4.0 * later**2, pace, -4.0 if later else 4.0
            sample = rig.sample(jet, since_start=time)
            rows.append(rig.step(sample)[0].copy())
            exact.append(sample.efforts[0])
            rig.now += PERIOD
        np.testing.assert_array_equal(rows[70:], exact[70:])


class TestEnds:
    """Ends and stops are said, and lead out at once."""

    @pytest.mark.parametrize('state', [Course.ENDED, Course.STOPPED])
    def test_a_last_sample_leads_out_at_the_next_step(self, arm, state):
        """Commands kept the last effort for 0.2 s (H3)."""
        rig = Rig(arm)
        rows = rig.hold(STOOD, 0.6)
        rig.tell(state, 'why')
        assert rig.core.state is State.LEADING_OUT
        ends = [row for _, row in rig.silent(0.3)]
        assert np.abs(ends[1][0]).max() < np.abs(rows[-1][0]).max()
        assert not ends[-1].any() and len(ends) <= 64
        [said] = rig.heard()
        assert said.endswith('why; the arm is not held') and said.startswith('Commands end: ')
        assert not any(row is not None for row in rig.hold(STOOD, 0.1)), 'it is over'
        rig.motion += 1
        assert rig.hold(STOOD, 0.1)[0] is not None

    def test_an_end_counts_whatever_its_age_and_only_of_its_motion(self, arm):
        rig = Rig(arm)
        rig.motion = 5
        rig.hold(STOOD, 0.4)
        end = rig.sample(rest(STOOD))._replace(state=Course.ENDED, instant=0)
        rig.step(end._replace(motion=4))
        assert rig.core.state is State.DRIVING
        rig.step(end)
        assert rig.core.state is State.LEADING_OUT

    def test_an_end_and_the_first_sample_of_the_next_motion_in_one_step(self, arm):
        rig = Rig(arm)
        rows = rig.hold(STOOD, 0.4)
        end = rig.sample(rest(STOOD))._replace(state=Course.ENDED)
        rig.motion += 1
        rows.append(rig.step(end, rig.sample(rest(STOOD))).copy())
        rig.now += PERIOD
        assert rig.core.state is State.DRIVING
        rows += rig.hold(STOOD, 0.4)
        assert steps(rows).max() < 0.5
        assert any(line.startswith('Commands end') for line in rig.log)

    def test_motors_that_stop_alone_end_commands_of_motors(self, arm):
        spring = sd.JointDrive(sd.LinearSpring(600.0), sd.Motor(rotor_inertia=1e-3))
        drives = sd.Drives(dict.fromkeys(arm.joint_names, spring))
        rig = Rig(arm, drives, arm.joint_names, content='motors')
        for _ in range(100):
            last = rig.motor_sample(rest(STOOD), [1, 1])
            rig.step(rig.sample(rest(STOOD)), last)
            rig.now += PERIOD
        half = rig.sample(rest(STOOD))._replace(motion=2)
        rig.step(half, half._replace(state=Course.ENDED))
        rig.step(rig.motor_sample(rest(STOOD), [1, 1])._replace(motion=2))
        assert rig.outputs.condition.motion == 1
        rig.step(last._replace(state=Course.STOPPED, reason='a spring'))
        assert rig.core.state is State.LEADING_OUT
        rig.step(rig.sample(rest(STOOD)), rig.motor_sample(rest(STOOD), [1, 1]))
        assert rig.core.state is State.LEADING_OUT

    def test_of_two_producers_the_lower_one_resumes(self, arm):
        rig = Rig(arm)
        rig.motion = 10
        rig.hold(STOOD, 0.4)
        rig.motion = 20
        rig.hold(STOOD, 0.2)
        rig.tell(Course.ENDED, 'done')
        rig.motion = 10
        rig.hold(STOOD, 0.1)
        assert rig.core.state is State.DRIVING

    def test_a_stop_bars_the_lower_motions_too(self, arm):
        rig = Rig(arm)
        rig.motion = 20
        rig.hold(STOOD, 0.4)
        rig.load[:] = 100.0
        rig.send(rest(STOOD))
        rig.load[:] = 0.0
        rig.silent(0.3)
        for motion, begins in ((10, False), (20, False), (21, True)):
            rig.motion = motion
            assert (rig.hold(STOOD, 0.3)[-1] is not None) == begins

    def test_positions_come_to_rest_along_their_velocities(self, arm):
        rig, move = Rig(arm, **MIT), Move(STOOD, [2.0, -1.0], 2.0)
        rig.measured = STOOD
        rows = rig.follow(move, 0.0, 1.0)
        rig.tell(Course.STOPPED, 'a limit')
        rows += [row for _, row in rig.silent(0.4)]
        rows = np.array(rows)
        most = 0.2 * np.abs(rows[:, 1]).max() * TICK
        assert np.abs(np.diff(rows[:, 0], n=2, axis=0)).max() < most
        assert not rows[-1, 1].any() and (rows[-1, 0] != rows[249, 0]).all()


class TestRobot:
    """Whether the robot follows, and may move."""

    @pytest.mark.parametrize('age', [0.0, 0.02])
    @pytest.mark.parametrize('duration', [1.0, 4.0])
    def test_a_joint_that_is_held_stops_the_commands(self, arm, age, duration):
        rig, move = Rig(arm, **MIT), Move(STOOD, [2.0, 0.2], duration)
        rig.measured, rig.follows = STOOD, False
        rig.hold(STOOD, 0.3)
        begin = rig.now
        for k in range(round(duration / TICK)):
            rig.measure(STOOD, age)
            rig.step(rig.sample(move(TICK * k), since_start=TICK * k))
            if rig.core.state is not State.DRIVING:
                break
            rig.now += PERIOD
        taken = 1e-9 * (rig.now - begin)
        assert rig.stopped and 'joint_1 does not follow' in rig.heard()[-1]
        distance = move(taken)[0, 0] - STOOD[0]
        assert distance <= 0.05 + (0.15 + age + TICK) * np.abs(move(taken)[1, 0]) + 0.02
        # led to where the robot is, within the velocity limit
        rows = [row for _, row in rig.silent(2.0)]
        np.testing.assert_allclose(rows[-1][0], STOOD, atol=1e-6)
        assert steps(rows).max() <= arm.limits.velocity.max() * TICK
        assert not any(row is not None for row in rig.hold(STOOD, 0.3)), 'the motion is barred'

    def test_one_state_alone_leads_no_robot_there(self, arm):
        """After a single wrong state of 2 rad the commands went there (or by two turns)."""
        for wrong in (2.0, 4.0 * np.pi):
            rig = Rig(arm, **MIT).standing()
            rig.measure(STOOD + [wrong, 0.0])
            rig.measure(STOOD)
            rows = [row for _, row in rig.silent(1.0)]
            assert rig.stopped
            np.testing.assert_allclose(rows[-1][0], STOOD, atol=1e-12)

    @pytest.mark.parametrize('delay', [0.0, 0.03])
    def test_a_healthy_loop_does_not(self, arm, delay):
        rig, move, late = Rig(arm, **MIT), Move(STOOD, [2.0, -1.0], 1.0), round(delay / TICK)
        rig.measured, rig.follows, random = STOOD, False, np.random.default_rng(0)
        rig.hold(STOOD, 0.4)
        for k in range(250):
            place = move(TICK * max(k - late, 0))[0] + random.uniform(-0.01, 0.01, 2)
            rig.measure(place)
            assert rig.step(rig.sample(move(TICK * k), since_start=TICK * k)) is not None
            rig.now += PERIOD

    def test_efforts_alone_are_warned_of(self, arm):
        rig = Rig(arm)
        rig.measured, rig.follows = STOOD, False
        rows = rig.follow(Move(STOOD, [1.6, 0.2], 1.0))
        assert rows[-1] is not None
        assert [line for line in rig.heard() if 'does not follow' in line]

    def test_efforts_alone_look_at_states_where_they_are(self, arm):
        """Efforts of another pose began (M5)."""
        rig = Rig(arm)
        rig.measured, rig.follows = STOOD + 0.6, False
        assert not any(row is not None for row in rig.hold(STOOD, 0.2))
        rig = Rig(arm)
        assert rig.hold(STOOD, 0.2)[0] is not None
        assert sum('wherever the robot is' in line for line in rig.log) == 1

    def test_states_that_cease_are_told_and_stop(self, arm):
        rig, move = Rig(arm, **MIT), Move(STOOD, [2.0, -1.0], 4.0)
        rig.measured = STOOD
        rig.follow(move, 0.0, 1.0)
        rig.measured = None
        rig.follow(move, 1.0, 1.3)
        assert rig.core.state is State.DRIVING and 'Nobody knows whether' in rig.heard()[-1]
        rig.follow(move, 1.3, 1.6)
        assert rig.stopped

    def test_an_encoder_that_counts_whole_turns_is_no_obstacle(self):
        wheel = sd.read_urdf(WHEEL)
        rig = Rig(wheel, fields=('position',))
        for k in range(200):
            rig.measure([0.3 + 4.0 * np.pi * (k > 100)])
            assert rig.step(rig.sample(rest([0.3]))) is not None
            rig.now += PERIOD


class TestTime:
    """What a drive sees is the time between commands, not that of stamps (M1)."""

    @pytest.mark.parametrize('stall', [0.1, 0.15, 0.17])
    @pytest.mark.parametrize('rate', [250, 50])
    def test_a_stall_is_no_lash(self, arm, stall, rate):
        period = round(SECOND / rate)
        rig, move = Rig(arm, **MIT, follow='off'), Move(STOOD, [2.0, -1.0], 1.4)
        speed = arm.limits.velocity[0]
        rig.measured, time, last, steady = STOOD, 0.0, None, 0
        while time < 2.0:
            if 0.6 <= time < 0.6 + 1e-9 * period:
                time += stall
                rig.now += round(SECOND * stall)
                steady += round(SECOND * stall)
            rig.measure(move(time)[0])
            sample = rig.sample(move(time), since_start=time)
            rows = rig.core.step(rig.now, [Steady(steady), sample]).rows
            if last is not None:
                step = np.abs(rows[0] - last).max()
                assert step <= speed * 2.0 * 1e-9 * period * (1.0 + 1e-5) + 1e-8
            last = rows[0].copy()
            rig.now, steady, time = rig.now + period, steady + period, time + 1e-9 * period
        np.testing.assert_allclose(last, move.end, atol=1e-9)

    def test_a_burst_after_a_stall_is_no_lash(self, arm):
        """Samples that have waited come within a millisecond; a blend makes up for them."""
        rig, move = Rig(arm, **MIT, follow='off'), Move(STOOD, [2.0, -1.0], 1.4)
        speed, steady, last, sent, later = arm.limits.velocity[0], 0, None, 0, []
        rig.measured = STOOD
        for k in range(400):
            late = 100 <= k < 125
            steady += round(1e5) if late else PERIOD
            rig.measure(move(TICK * k)[0])
            sample = rig.sample(move(TICK * k), since_start=TICK * k)
            rows = rig.core.step(rig.now, [Steady(steady), sample]).rows
            if last is not None:
                passed = 1e-9 * (steady - sent)
                assert np.abs(rows[0] - last).max() <= speed * passed * (1.0 + 1e-5) + 1e-8
            last, sent = rows[0].copy(), steady
            later += [] if k < 125 else [last]
            rig.now += PERIOD
        np.testing.assert_allclose(last, move.end, atol=1e-6)
        assert np.abs(np.diff(later, n=2, axis=0)).max() <= 0.1 * TICK

    def test_a_step_of_the_clock_is_no_time_for_efforts(self, arm):
        """Stamps that jump by 50 ms let 12 samples' worth of the rate pass at once."""
        rig, steady, rows = Rig(arm, rated(100.0)), 0, []
        for k in range(600):
            rig.load[0] = 20.0 * (k >= 300)  # as at a knot: no mark
            rig.now += (k == 300) * SECOND // 20
            inputs = Steady(steady), rig.sample(rest(STOOD))
            rows.append(rig.core.step(rig.now, inputs).rows.copy())
            rig.now, steady = rig.now + PERIOD, steady + PERIOD
        assert steps(rows).max() <= 2.0 * 100.0 * TICK * (1.0 + 1e-5)
        np.testing.assert_allclose(rows[-1], rig.sample(rest(STOOD)).efforts[:1])

    def test_a_step_of_the_clock_is_no_time_for_an_end(self, arm):
        rig, move = Rig(arm, **MIT), Move(STOOD, [2.0, -1.0], 2.0)
        rig.measured = STOOD
        rows, steady = [rig.follow(move, 0.0, 1.0)[-1]], rig.now - PERIOD
        disable = (Enable(False, '~/enable is false'),)
        for k in range(100):
            rig.now += PERIOD + (k == 1) * SECOND // 20
            steady += PERIOD
            rows.append(rig.core.step(rig.now, (Steady(steady), *disable)).rows.copy())
            disable = ()
            if rig.core.state is State.SILENT:
                break
        assert rig.core.state is State.SILENT
        assert steps(rows).max() <= np.abs(rows[0][1]).max() * TICK * (1.0 + 1e-6)

    def test_fifty_hertz_near_the_velocity_limit_follows(self, arm):
        rig, period = Rig(arm, **MIT), SECOND // 50
        speed = 0.9 * arm.limits.velocity[0]
        move = Move(STOOD, STOOD - [2.0, 0.0], 2.0 * 315.0 / 128.0 / speed)
        for k in range(100):
            time = 1e-9 * period * k
            rig.measure(move(time)[0])
            rows = rig.step(rig.sample(move(time), since_start=time))
            if time > 0.3:
                np.testing.assert_allclose(rows[0], move(time)[0], atol=1e-12)
            rig.now += period
