# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What `Feedforward` says of ends and jumps, and makes of the state of the commands."""

import numpy as np
import pytest
from helpers.rig import Rig as Producer
from helpers.rig import limited

import screw_dynamics as sd
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.drive_records import Condition, State
from screw_dynamics.control.inputs import (
    ClockJumped,
    CommandsHeard,
    RobotChanged,
    Speed,
    Stop,
)
from screw_dynamics.recordings.messages.feedforward import Course


class TestProducer:
    """What `Feedforward` says of its motions."""

    @pytest.fixture
    def rig(self, arm):
        rig = Producer(limited(arm, velocity=6.0, effort=80.0))
        rig.joint_states([0.0, 0.0])
        rig.send((0.0, [0.0, 0.0]), (1.0, [0.6, 0.3]))
        rig.run(0.5)
        assert rig.published.samples
        return rig

    @pytest.mark.parametrize(
        ('way', 'state', 'reason'),
        [
            ('clear', Course.ENDED, '~/clear was called'),
            ('stop', Course.ENDED, 'the node is not active any more'),
            ('forget', Course.ENDED, 'the clock'),
            ('limit', Course.STOPPED, 'limit exceeded: '),
        ],
    )
    def test_every_way_out_says_so(self, rig, way, state, reason):
        last = rig.published.samples[-1]
        if way == 'clear':
            rig.clear_motion()
        elif way == 'stop':
            rig.step(Stop(reason))
        elif way == 'forget':
            rig.step(ClockJumped(reason))
        else:
            weak = limited(rig.robot.model, velocity=6.0, effort=0.1)
            rig.step(RobotChanged(rig.robot.with_model(weak), {}))
            rig.run(0.1)
        [end] = rig.ends
        assert (end.state, end.motion) == (state, last.motion)
        assert end.instant == last.instant or way == 'limit'
        assert end.reason.startswith(reason)
        count = len(rig.published)
        rig.run(0.2)
        assert len(rig.published) == count and len(rig.ends) == 1

    def test_what_begins_after_an_end_is_another_motion(self, arm):
        """Two trajectories within a tick had the number of the stream that had ended."""
        rig = Producer(limited(arm, velocity=6.0, effort=80.0), publish_rate=50.0)
        rig.joint_states([0.0, 0.0])
        for _ in range(5):
            rig.positions([0.1, 0.1])
            rig.run(0.02)
        rig.run(0.5)
        [end] = rig.ends
        rig.joint_states(rig.core.jet[0])
        for goal in (0.3, 0.4):
            rig.send((0.5, [goal, 0.2]))
            rig.answer_until(rig.now + SECOND // 100)
        rig.run(0.5)
        assert rig.published.samples[-1].motion > end.motion

    def test_the_end_of_a_hold_says_so(self, arm):
        rig = Producer(limited(arm), hold_time=0.1)
        rig.joint_states([0.0, 0.0])
        rig.send((0.0, [0.0, 0.0]), (0.5, [0.2, 0.1]))
        rig.run(1.5)
        [end] = rig.ends
        assert (end.state, end.reason) == (Course.ENDED, 'it has been held for hold_time')

    def test_jumps_are_counted_where_the_value_changes(self, rig, arm):
        heavy = rig.robot.with_model(rig.robot.model.with_payload('tool', 0.5))
        for robot, jumps in ((heavy, 1), (heavy, 1), (rig.robot, 2)):
            rig.step(RobotChanged(robot, {}))
            rig.run(0.02)
            assert rig.published.samples[-1].jumps == jumps
        for force, jumps in ((5.0, 3), (5.0, 3), (6.0, 4)):
            rig.wrench('tool', [0.0] * 3, [0.0, force, 0.0])
            rig.run(0.02)
            assert rig.published.samples[-1].jumps == jumps
        rig.run(0.2)  # it is no longer in force
        assert rig.published.samples[-1].jumps == 5

    @pytest.mark.parametrize('speeds', [(0.0, 1.0), (2.0, 0.3)])
    def test_the_speed_is_led_and_no_jump(self, rig, speeds):
        before = len(rig.published)
        for speed in speeds:
            rig.step(Speed(speed))
            rig.run(0.15)
            assert rig.core.reference.speed == speed
        jet = rig.published.jet[before:]
        assert not any(sample.jumps for sample in rig.published.samples)
        assert np.abs(np.diff(jet[:, 1], axis=0)).max() < 0.2 * np.abs(jet[:, 1]).max()

    def test_a_speed_that_changes_a_little_at_50_hz_is_no_jump(self, rig):
        for k in range(20):
            rig.step(Speed(1.0 + 1e-4 * (-1) ** k))
            rig.run(0.02)
        assert not any(sample.jumps for sample in rig.published.samples)

    @pytest.mark.parametrize('every', [0.004, 0.02])
    def test_a_pause_that_is_sent_again_and_again_is_reached(self, rig, every):
        """Each message began to lead anew: at 250 Hz it took minutes."""
        for k in range(round(0.1 / every) + 1):
            rig.step(Speed(1e-4 * (k % 2)))
            rig.run(every)
        assert rig.core.reference.speed <= 1e-4
        rig.step(Speed(1.0))
        rig.step(ClockJumped('the clock'))
        rig.now -= 50 * SECOND
        rig.run(0.01)
        assert rig.core.reference.speed == 1.0

    @pytest.mark.parametrize('held', [True, False])
    def test_a_load_that_would_stop_the_motion_is_refused(self, rig, arm, held):
        """One message of 1e5 N stopped a motion for good (M6)."""
        if held:
            rig.run(1.0)
        rig.wrench('tool', [0.0] * 3, [0.0, 5.0, 0.0])
        rig.run(0.02)
        kept = rig.published.tau[-1, 0]
        rig.wrench('tool', [0.0] * 3, [0.0, 1e5, 0.0])
        rig.run(0.02)
        assert 'expected a load with which the present efforts keep their limits' in rig.lines[-1]
        assert np.abs(rig.published.tau[-1, 0] - kept).max() < 5.0 and not rig.core.guard.reason
        heavy = rig.robot.with_model(rig.robot.model.with_payload('tool', 1000.0))
        with pytest.raises(sd.ScrewDynamicsError, match='keep their limits, got joint_1: effort'):
            rig.core.check_load(rig.now, heavy)


class TestHeardCommands:
    """What `Feedforward` makes of the state of the commands (M3)."""

    def rig(self, arm):
        rig = Producer(limited(arm, velocity=6.0, effort=80.0))
        rig.joint_states([0.0, 0.0])
        rig.send((0.0, [0.0, 0.0]), (0.5, [0.6, 0.3]))
        rig.run(1.0)
        return rig

    def hear(self, rig, state, reason, positions=True):
        condition = Condition(state, 1, reason, True)
        rig.step(CommandsHeard(condition, positions=positions))

    def test_a_trajectory_begins_where_the_robot_was_left(self, arm):
        rig = self.rig(arm)
        motion = rig.published.motions[-1]
        self.hear(rig, State.SILENT, 'a limit')
        rig.joint_states([0.2, 0.1])
        rig.run(0.05)
        rig.send((0.5, [0.4, 0.2]))
        rig.run(0.1)
        assert rig.published.motions[-1] > motion
        first = rig.published.motions.index(rig.published.motions[-1])
        np.testing.assert_allclose(rig.published.jet[first, 0], [0.2, 0.1], atol=0.01)

    def test_it_waits_while_commands_lead_out(self, arm):
        rig = self.rig(arm)
        self.hear(rig, State.LEADING_OUT, '')
        count = len(rig.verdicts)
        rig.send((0.5, [0.4, 0.2]))
        rig.run(0.1)
        assert len(rig.verdicts) == count
        rig.joint_states([0.3, 0.1])
        self.hear(rig, State.SILENT, 'a limit')
        rig.run(0.1)
        assert len(rig.verdicts) == count + 1
        np.testing.assert_allclose(rig.published.jet[-1, 0], [0.3, 0.1], atol=0.05)

    @pytest.mark.parametrize('passed, told', [(2.2, True), (3.0, False)])
    def test_with_efforts_alone_the_verdict_says_it(self, arm, passed, told):
        rig = self.rig(arm)
        self.hear(rig, State.SILENT, 'a limit', positions=False)
        rig.run(passed)
        rig.send((0.5, [0.4, 0.2]))
        rig.run(0.1)
        text = 'drive_commands sends nothing: a limit'
        assert (text in rig.verdicts[-1].warnings) == told

    def test_commands_that_were_killed_and_started_again_left_the_robot(self, arm):
        rig = self.rig(arm)
        self.hear(rig, State.DRIVING, '')
        rig.run(3.0)  # no word, and then of another process
        self.hear(rig, State.SILENT, '')
        rig.joint_states([0.2, 0.1])
        rig.run(0.02)
        rig.send((0.5, [0.4, 0.2]))
        rig.run(0.1)
        first = rig.published.motions.index(rig.published.motions[-1])
        np.testing.assert_allclose(rig.published.jet[first, 0], [0.2, 0.1], atol=0.01)

    def test_before_the_first_begin_nothing_is_different(self, arm):
        rig = self.rig(arm)
        self.hear(rig, State.SILENT, '')
        rig.send((0.5, [0.4, 0.2]))
        rig.run(0.1)
        np.testing.assert_allclose(rig.published.jet[-1, 0], [0.6, 0.3], atol=0.05)
        assert not rig.verdicts[-1].warnings
