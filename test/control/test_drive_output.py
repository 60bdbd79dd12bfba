# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands as drives take them: contents, scales, sides of the gear, servos, threads."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.drive_rig import HANGING, MIT, PERIOD, STOOD, TICK, Move, Rig, rest

import screw_dynamics as sd
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.drive_records import State
from screw_dynamics.errors import InputError
from screw_dynamics.recordings.messages.feedforward import Course, FeedforwardSample

RATIOS = np.array([100.0, -50.0])
SPRUNG = sd.Drives(
    {
        name: sd.JointDrive(sd.LinearSpring(k), sd.Motor(rotor_inertia=1e-5, gear_ratio=ratio))
        for name, k, ratio in (('joint_1', 600.0, 100.0), ('joint_2', 300.0, 50.0))
    }
)


class TestEfforts:
    """Content, scale with its sign, offset."""

    @pytest.mark.parametrize('content', ['full', 'without_gravity', 'gravity_only'])
    def test_contents(self, arm, content):
        scale, offset = np.array([2.0, -3.0]), np.array([0.5, -1.0])
        rig = Rig(
            arm, effort_content=content, effort_scale=tuple(scale), effort_offset=tuple(offset)
        )
        move = Move(STOOD, [1.5, -1.0], 1.0)
        rows = rig.follow(move)
        np.testing.assert_array_equal(rows[0][0], offset)
        for i in range(100, 250):
            jet = move(TICK * i)
            gravity, full = (
                sd.gravity_forces(arm, jet[0]),
                sd.inverse_dynamics(arm, jet[:3])[0],
            )
            sent = {'full': full, 'gravity_only': gravity, 'without_gravity': full - gravity}
            np.testing.assert_allclose(
                rows[i][0], scale * sent[content] + offset, rtol=0.0, atol=0.02
            )
        np.testing.assert_allclose(
            rig.hold(move.end, 0.4)[-1][0],
            offset
            + scale
            * (0.0 if content == 'without_gravity' else 1.0)
            * sd.gravity_forces(arm, move.end),
            rtol=0.0,
            atol=1e-12,
        )
        np.testing.assert_array_equal(rig.silent(0.6)[-1][1][0], offset)

    def test_limits_see_what_the_robot_adds(self, arm):
        """Within the limits without its gravity, but not with it."""
        rig = Rig(arm, effort_content='without_gravity').holding()
        rig.load[0] = 50.0  # with 14.9 N m of gravity beyond 60
        assert sd.gravity_forces(arm, STOOD)[0] > 10.0
        rig.hold(STOOD, 0.1)
        assert rig.stopped

    @pytest.mark.parametrize('content', ['without_gravity', 'gravity_only'])
    def test_no_absurd_gravity_is_sent(self, arm, content):
        rig = Rig(arm, effort_content=content).holding()
        sample = rig.sample(rest(STOOD))
        rig.step(sample._replace(gravity=np.full(2, 1e308)))
        assert rig.stopped
        assert np.abs([rows for _, rows in rig.published]).max() <= 60.0

    def test_samples_without_gravity_do_not_begin(self, arm):
        rig = Rig(arm, effort_content='without_gravity')
        rig.step(rig.sample(rest(STOOD))._replace(gravity=None))
        [said] = rig.heard()
        assert 'gravity_effort: expected one per joint for without_gravity, got none' in said

    def test_lost_samples_are_no_change(self, arm):
        rig, move, random = Rig(arm), Move(STOOD, [1.5, -1.0], 1.0), np.random.default_rng(3)
        for i in range(250):
            rows = None
            rig.measure(move(TICK * i)[0])
            if random.uniform() < 0.4 or i < 3:
                rows = rig.step(rig.sample(move(TICK * i)))
            if rows is not None and i > 120:
                exact = sd.inverse_dynamics(arm, move(TICK * i)[:3])[0]
                np.testing.assert_allclose(rows[0], exact, rtol=0.0, atol=1e-12)
            rig.now += PERIOD


class TestMotors:
    """Motors of elastic joints, on either side of the gear."""

    @pytest.mark.parametrize('content', ['motors', 'rotors'])
    def test_sides_of_the_gear(self, arm, content):
        ratios = RATIOS if content == 'rotors' else np.ones(2)
        rig = Rig(
            arm,
            SPRUNG,
            ('joint_1', 'joint_2'),
            fields=('position', 'velocity', 'effort'),
            content=content,
            effort_scale=(2.0, -1.0),
            effort_offset=(0.25, 0.5),
        )
        move, robot = Move(STOOD, [1.2, -0.5], 1.0), sd.Robot(arm, SPRUNG)
        for i in range(400):
            rig.measure(move(TICK * i)[0])
            jet = move(TICK * i)
            if i % 2:  # whichever arrives first
                assert rig.step(rig.motor_sample(jet, RATIOS)) is None
                rows = rig.step(rig.sample(jet))
            else:
                assert rig.step(rig.sample(jet)) is None
                rows = rig.step(rig.motor_sample(jet, RATIOS))
            rows = rows.copy()
            motors = sd.elastic_feedforward(robot, jet)
            if i == 0:
                begin = motors.motor_position * ratios
                np.testing.assert_allclose(rows[0], begin, rtol=1e-14)
                np.testing.assert_array_equal(rows[2], [0.25, 0.5])
            if i > 100:
                np.testing.assert_allclose(rows[:2], motors.motor_jet[:2] * ratios, rtol=1e-14)
            if i > 350:
                sent = motors.motor_effort * [2.0, -1.0] / ratios + [0.25, 0.5]
                np.testing.assert_allclose(rows[2], sent, rtol=0.0, atol=1e-9)
            rig.now += PERIOD
        assert rig.heard() == []

    @pytest.mark.parametrize('ratios', [None, [1.0, 1.0], [100.0, 50.0]])
    def test_other_gear_ratios_change_no_units_of_rotors(self, arm, ratios):
        """A sample without them stopped commands, and the rest was sent 100 times too large."""
        rig = Rig(arm, SPRUNG, ('joint_1', 'joint_2'), content='rotors')
        for _ in range(200):
            rig.step(rig.sample(rest(STOOD)), rig.motor_sample(rest(STOOD), RATIOS))
            rig.now += PERIOD
        last, before = rig.published[-1][1], len(rig.published)
        other = rig.motor_sample(rest(STOOD), RATIOS)
        other = other._replace(ratios=None if ratios is None else np.array(ratios))
        rig.step(rig.sample(rest(STOOD)), other)
        rig.now += PERIOD
        rig.silent(0.3)
        rows = np.array([row for _, row in rig.published[before:]])
        assert rig.stopped and 'gear_ratio: expected' in rig.heard()[-1]
        assert (np.abs(rows) <= np.abs(last)).all() and not rows[-1].any()

    def test_the_limits_are_those_of_the_motors(self, arm):
        weak = sd.Drives(
            {'joint_1': sd.JointDrive(sd.LinearSpring(600.0), sd.Motor(max_effort=10.0))}
        )
        rig = Rig(arm, weak, ('joint_1', 'joint_2'), content='motors')
        assert rig.step(rig.sample(rest(STOOD)), rig.motor_sample(rest(STOOD), [1, 1])) is None
        [said] = rig.heard()
        assert 'limit exceeded: joint_1: motor effort 14.8786907 N m, limit 10 N m' in said

    def test_gravity_of_two_motors_is_refused(self, arm):
        with pytest.raises(InputError, match='full unless each joint has one motor'):
            Rig(
                arm,
                SPRUNG,
                ('joint_1', 'joint_1/2', 'joint_2'),
                content='motors',
                effort_content='gravity_only',
            )


class TestServos:
    """Position commands that carry an effort."""

    stiffness, damping = np.array([300.0, 200.0]), np.array([3.0, 1.0])

    def rig(self, arm, **settings):
        return Rig(
            arm,
            **{
                'fields': ('velocity', 'position'),
                'servo_stiffness': tuple(self.stiffness),
                'servo_damping': tuple(self.damping),
                **settings,
            },
        )

    def test_commands_are_those_of_the_law(self, arm):
        rig = self.rig(arm)
        rig.measured = HANGING
        move = Move(HANGING, [-1.0, 0.5], 1.0)
        rows = rig.follow(move)
        for i in range(250):
            jet = move(TICK * i)
            efforts = sd.inverse_dynamics(arm, jet[:4])
            expected = jet[:2] + (efforts + self.damping * jet[1:3]) / self.stiffness
            np.testing.assert_allclose(rows[i], expected[::-1], rtol=0.0, atol=1e-13)

    def test_they_begin_where_the_servo_holds_the_robot(self, arm):
        rig = self.rig(arm)
        start = rig.measured = HANGING + [0.03, 0.02]
        rows = rig.hold(HANGING, 0.4)
        offset = sd.gravity_forces(arm, HANGING) / self.stiffness
        np.testing.assert_allclose(rows[0][1], start + offset, rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(rows[-1][1], HANGING + offset, rtol=0.0, atol=1e-12)
        # where they end the last position stays, with its offset
        ends = rig.silent(0.6)
        np.testing.assert_allclose(ends[-1][1], rows[-1], rtol=0.0, atol=1e-12)

    def test_they_begin_again_without_a_step_of_the_damping(self, arm):
        """What the damping takes in motion is a part of the offset that stays at the end."""
        damping = tuple(20.0 * self.damping)
        rig = self.rig(arm, fields=('position',), servo_damping=damping, start_tolerance=0.2)
        rig.measured, move = HANGING, Move(HANGING, HANGING + [0.0, 0.5], 2.0)
        rows = rig.follow(move, 0.0, 1.0)
        fastest = np.abs(np.diff([row[0] for row in rows], axis=0)).max(axis=0)
        rig.tell(Course.STOPPED, 'a limit')
        rig.now += PERIOD
        rig.silent(0.1)
        rig.motion, rig.follows, rig.measured = 2, False, move(1.1)[0]
        rig.hold(rig.measured, 0.5)
        rows = [row[0] for _, row in rig.published[len(rows) - 1 :]]
        assert rig.core.state is State.DRIVING
        assert np.abs(np.diff(rows, axis=0)).max() <= 1.2 * fastest.max()

    def test_a_stop_at_the_offset_limit(self, arm):
        rig = self.rig(arm, servo_limit=0.05)
        rig.measured = HANGING
        rows = [row for row in rig.follow(Move(HANGING, [0.0, 0.0], 2.0)) if row is not None]
        [said] = rig.heard()
        assert 'joint_1: offset of the servo 0.05' in said and 'servo_limit 0.05' in said
        assert rig.stopped
        positions = np.array([row[1] for row in rows])
        assert np.abs(np.diff(positions[-62:], axis=0)).max() < 0.01
        assert not rig.published[-1][1][0].any()

    def test_a_load_at_a_position_limit_is_held_there(self, arm):
        """The command is beyond the limit by the offset that the spring of the servo takes."""
        limits = replace(arm.limits, upper=STOOD)
        rig = self.rig(replace(arm, limits=limits))
        rig.measured = STOOD
        position = rig.hold(STOOD, 0.1)[-1][1]
        gravity = sd.gravity_forces(arm, STOOD)
        np.testing.assert_allclose(self.stiffness * (position - STOOD), gravity, rtol=1e-12)
        assert STOOD[0] < position[0] <= STOOD[0] + rig.settings.servo_limit
        rig.hold(STOOD + [1e-4, 0.0], 0.1)  # the reference itself has no such room
        assert rig.stopped

    def test_a_robot_beyond_a_position_limit_is_led_back_from_the_limit(self, arm):
        rig = Rig(replace(arm, limits=replace(arm.limits, upper=STOOD)), **MIT)
        rig.measured = STOOD + 0.03
        np.testing.assert_array_equal(rig.hold(STOOD - 0.01, 0.1)[0][0], STOOD)

    def test_velocities_need_rates(self, arm):
        rig = self.rig(arm)
        rig.measured = HANGING
        assert rig.send(rest(HANGING), known=1) is None
        assert 'expected samples with effort_dot for the velocities of servos' in rig.heard()[0]


class TestThreads:
    """Tensions of the threads of soft segments."""

    @pytest.fixture(scope='class')
    def soft(self, arm):
        segments = sd.share_path('config/soft_finger.yaml')
        return sd.soft.append_segments(arm, segments)

    def test_tensions_and_rates_of_a_sample(self, soft):
        rig = Rig(soft, ramp_time=0.0)
        effort = np.array([1.0, 2.0, 0.016, -0.008])
        rate = np.array([0.0, 0.0, 0.008, 0.0])

        def sample(efforts, rates):
            rig.now += PERIOD
            jet = np.zeros((4, 4))
            rig.step(FeedforwardSample(rig.now, 1, jet, np.stack([efforts, rates])))
            return rig.outputs.tensions

        # pairs of threads at 8 mm: one pulls beyond the least tension of 1 N
        found = sample(effort, rate)
        np.testing.assert_allclose(found, [[3.0, 1.0, 1.0, 2.0], [1.0, 0.0, 0.0, 0.0]], atol=1e-8)
        assert rig.heard() == []
        # 70 N of thread_2 against 1 N of the opposite one: 11 N less than needed
        rig = Rig(soft, ramp_time=0.0)
        found = sample(np.array([0.0, 0.0, 0.0, 0.008 * 70.0]), rate)
        np.testing.assert_allclose(found[0], [1.0, 60.0, 1.0, 1.0])
        (text,) = rig.heard()
        assert text.startswith('finger/curve_y: threads realise its effort only to 0.088')
        assert text.endswith('may be too few; at most_tension: thread_2')
        # they end at the least ones
        ends = []
        for _ in range(round(SECOND / PERIOD)):
            rig.now += PERIOD
            rig.step()
            ends += [] if rig.outputs.tensions is None else [rig.outputs.tensions]
        np.testing.assert_allclose(ends[-1], [[1.0] * 4])
