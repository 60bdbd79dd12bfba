# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Every reason to reject a trajectory, with its text; the motion before it goes on."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.intake import accept
from helpers.node_processes import trajectory

from screw_dynamics import inverse_dynamics, read_urdf
from screw_dynamics.common.times import set_stamp
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.control.outputs import Verdict
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import ScrewDynamicsError, TrajectoryError
from screw_dynamics.model.urdf import read_description
from screw_dynamics.nodes.feedforward.verdicts import TrajectoryVerdicts
from screw_dynamics.nodes.shared import reason_throttle
from screw_dynamics.nodes.shared.loaded_robot import uncontrolled_joints
from screw_dynamics.trajectory.reference.interpolation import SMOOTH
from screw_dynamics.trajectory.reference.reference import Reference
from screw_dynamics.trajectory.reference.streamed_reference import StreamedReference

SECOND = 10**9
NOW = 1_700_000_000 * SECOND
NAN = float('nan')


class Intake:
    """Arguments of `accept`, with a motion under way."""

    def __init__(self, urdf):
        text = urdf.read_text()
        self.model = read_urdf(text)
        self.names = self.model.joint_names
        self.others = uncontrolled_joints(read_description(text), self.model)
        self.reference = Reference(self.model.n, SMOOTH)
        self.measured = JointStateBuffer(self.names)
        self.parameters = FeedforwardParameters(limits='off')
        self.streamed = StreamedReference(
            self.reference, np.zeros(self.model.n, dtype=bool), self.parameters.stream_settings
        )

    def accept(self, message, now=NOW, **changes):
        return accept(
            message,
            Robot(self.model),
            self.reference,
            self.streamed,
            self.measured,
            replace(self.parameters, **changes),
            now,
            self.others,
        )

    def sample(self, time):
        jet = np.empty((5, self.model.n))
        self.reference.sample(time, jet)
        return jet


@pytest.fixture
def intake(gripper):
    intake = Intake(gripper)
    rest = np.zeros(intake.model.n)
    intake.accept(trajectory(intake.names, rest, rest + 0.01, rest))
    return intake


def changed(message, change):
    change(message)
    return message


def set_first(field, value):
    def change(message):
        setattr(message.points[0], field, value)

    return change


def set_time(point, sec):
    def change(message):
        message.points[point].time_from_start.sec = sec

    return change


def set_position(point, joint, value):
    def change(message):
        message.points[point].positions[joint] = value

    return change


def set_name(joint, name):
    def change(message):
        message.joint_names[joint] = name

    return change


def old_stamp(message):
    set_stamp(message.header.stamp, NOW - 5 * SECOND)


REJECTED = {
    'no points': (lambda m: m.points.clear(), r'Empty trajectory received\.'),
    'no joints': (lambda m: m.joint_names.clear(), 'Empty joint names on incoming trajectory'),
    'unknown joint': (set_name(1, 'elbow_9'), "Incoming joint elbow_9 doesn't match the joints"),
    'joint twice': (lambda m: set_name(1, m.joint_names[0])(m), 'named twice on incoming'),
    'positions short': (
        set_first('positions', [0.0]),
        r'Mismatch between joint_names size \(\d+\) and positions \(1\) at point #0\.',
    ),
    'no positions': (set_first('positions', []), 'Point #0 has no positions'),
    'times equal': (
        set_time(1, 0),
        'Time between points 0 and 1 is not strictly increasing, it is 0.000000 and 0.000000',
    ),
    'nan': (
        set_position(1, 2, NAN),
        r'positions of joint \w+ at point #1: expected a finite .*nan',
    ),
    'inf': (set_position(0, 0, float('inf')), r'positions of joint \w+ at point #0: .*inf'),
    'past': (
        old_stamp,
        r'Received trajectory with non-zero start time \(1699999995.0+\) that ends in the past',
    ),
}


@pytest.mark.parametrize('case', REJECTED)
def test_rejected_and_the_old_motion_goes_on(intake, case):
    change, text = REJECTED[case]
    rest = np.zeros(intake.model.n)
    before = intake.reference.state(NOW + SECOND // 2)
    with pytest.raises(TrajectoryError, match=text):
        intake.accept(changed(trajectory(intake.names, rest, rest + 0.02, rest), change))
    np.testing.assert_array_equal(intake.reference.state(NOW + SECOND // 2), before)


def test_velocity_at_the_end(intake):
    rest = np.zeros(intake.model.n)
    message = trajectory(intake.names, rest, rest + 0.01, velocities=[rest, rest + 0.5])
    with pytest.raises(
        TrajectoryError, match=r'Velocity of last trajectory point of joint \w+ is not zero: 0.5'
    ):
        intake.accept(message)
    intake.accept(message, allow_nonzero_velocity_at_end=True)


def test_joints_that_cannot_be_commanded_are_explained(intake):
    kinds = {reason.split(' (')[0]: name for name, reason in intake.others.items()}
    assert {'a fixed joint', 'a mimic joint'} <= kinds.keys()
    for kind, name in kinds.items():
        message = trajectory([*intake.names[:-1], name], np.zeros(intake.model.n))
        with pytest.raises(TrajectoryError, match=f'{name} cannot be commanded: it is {kind}'):
            intake.accept(message)


def test_limits(intake):
    far = np.full(intake.model.n, 100.0)
    message = trajectory(intake.names, np.zeros(intake.model.n), far, times=[0.0, 50.0])
    assert intake.accept(message) == []
    with pytest.raises(TrajectoryError, match=r'at point #1: expected within \['):
        intake.accept(message, limits='reject')


def test_limits_between_the_points(planar):
    """Positions that overshoot, velocities, efforts: the worst in one line."""
    intake = Intake(planar)
    message = trajectory(intake.names, [0.0, 0.0], [1.5, 0.0], times=[0.0, 0.6])
    with pytest.raises(ScrewDynamicsError, match='limit exceeded: joint_1: effort') as caught:
        intake.accept(message, limits='reject')
    assert intake.reference.empty
    intake.accept(message)
    jets = intake.reference.newest.curve.jets(np.linspace(0.0, 0.6, 121))
    worst = np.abs(inverse_dynamics(intake.model, jets[:, :3])[:, 0, 0]).max()
    assert worst > intake.model.limits.effort[0]
    pattern = r'limit exceeded: joint_1: effort (\S+) N m at t = (\S+) s, limit (\S+) N m \(and'
    found = re.match(pattern, str(caught.value))
    assert found, caught.value
    value, time, limit = map(float, found.groups())
    assert abs(value) == pytest.approx(worst, rel=1e-3)
    assert abs(limit) == intake.model.limits.effort[0]
    jet = intake.reference.newest.curve.jets([time])
    assert inverse_dynamics(intake.model, jet[0, :3])[0, 0] == pytest.approx(value, rel=1e-3)


class TestStartState:
    """Start of a trajectory without a point at time 0."""

    @pytest.fixture
    def fresh(self, planar):
        return Intake(planar)

    def late(self, intake):
        return trajectory(intake.names, [1.0, 1.0], times=[2.0])

    def test_first_point(self, fresh):
        fresh.accept(self.late(fresh), start_state='first_point')
        np.testing.assert_array_equal(fresh.sample(NOW)[0], [1.0, 1.0])

    def test_lead_time_joins_at_the_instant_sampled_next(self, fresh):
        fresh.accept(trajectory(fresh.names, [0.0, 0.0], [1.0, 1.0]))
        now = NOW + SECOND // 4
        seen = fresh.sample(now + SECOND // 10)
        fresh.accept(trajectory(fresh.names, [2.0, 2.0], [0.0, 0.0]), now, lead_time=0.1)
        np.testing.assert_allclose(fresh.sample(now + SECOND // 10), seen, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(fresh.sample(now + 2 * SECOND)[0], [0.0, 0.0])


def test_one_reason_again_and_again_is_logged_once_per_second(monkeypatch):
    """Every rejection is counted and published; its line takes longer than a tick at 1 kHz."""
    lines, published, now = [], [], [100.0]
    node = SimpleNamespace(
        create_publisher=lambda *_: SimpleNamespace(publish=published.append),
        get_logger=lambda: SimpleNamespace(error=lines.append),
        get_fully_qualified_name=lambda: '/feedforward',
    )
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr(reason_throttle, 'time', clock)
    verdicts = TrajectoryVerdicts(node)
    reasons = ['late'] * 4 + ['wrong', 'late']
    for reason in reasons:
        now[0] += 0.125
        verdicts.tell(Verdict(None, reason), 0)
    now[0] += 0.5
    verdicts.tell(Verdict(None, 'late'), 0)
    now[0] += 0.6
    verdicts.tell(Verdict(None, 'late'), 0)
    assert [one.message for one in published] == [*reasons, 'late', 'late']
    assert verdicts.counts.rejected == len(published)
    expected = ['late', 'wrong', 'late']
    assert lines == [f'Trajectory rejected: {text}' for text in expected]
