# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics learn`: repeats of a trajectory in bags, corrected for the next one."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from helpers.learning_arm import GAINS
from helpers.learning_arm import run as run_arm
from helpers.planar_sea import NAMES, ROTOR_INERTIA, STIFFNESS

import screw_dynamics as sd
from screw_dynamics.learning import LearnedMotion
from screw_dynamics.trajectory import read_trajectory, smooth_trajectory, waypoints_from_points

TORQUE = 'screw_dynamics_interfaces/msg/FeedforwardTorque'
BEGIN = 5_000_000_000  # ns of the bag at which the trajectory starts
OPTIONS = ['--drives', 'my_springs.yaml', '--kp', *map(str, GAINS[0]), '--kd', *map(str, GAINS[1])]
POINTS = [(0.0, [-1.2, 0.4]), (0.6, [-0.3, 1.2]), (1.2, [-0.9, 0.2])]


@pytest.fixture
def robot(folder):
    """Return a robot whose springs and rotors are 8 % wrong, and write its files."""
    drives = sd.Drives(
        {
            name: sd.JointDrive(sd.LinearSpring(0.92 * stiffness), sd.Motor(1.08 * rotor))
            for name, stiffness, rotor in zip(NAMES, STIFFNESS, ROTOR_INERTIA, strict=True)
        }
    )
    drives.to_yaml('my_springs.yaml')
    rows = ''.join(f'{t},{q[0]},{q[1]}\n' for t, q in POINTS)
    (folder / 'reach.csv').write_text(f'time,joint_1,joint_2\n{rows}')
    return sd.Robot(sd.read_urdf('my_robot.urdf'), drives)


def followed(path: str):
    """Return the curve that a receiver of a trajectory file follows, by the times of the file."""
    found = read_trajectory(path)
    waypoints = waypoints_from_points(found.joint_names, found.points, NAMES)
    begin = waypoints.times[0]
    curve = smooth_trajectory(replace(waypoints, times=waypoints.times - begin), rest_at_ends=True)
    return replace(curve, breaks=curve.breaks + begin)


def torque(recordings, stamp, from_start, jet, source):
    """Return a FeedforwardTorque message with a reference; efforts are not used."""
    types = recordings.TYPES
    zero = np.zeros(2)
    reference = types['trajectory_msgs/msg/JointTrajectoryPoint'](
        positions=jet[0], velocities=jet[1], accelerations=jet[2], effort=np.empty(0),
        time_from_start=recordings.time(from_start, 'Duration'),
    )  # fmt: skip
    return types[TORQUE](
        header=recordings.header(stamp), joint_names=list(NAMES), effort=zero, effort_dot=zero,
        effort_ddot=zero, reference=reference, reference_jerk=jet[3].copy(),
        reference_snap=jet[4].copy(), reference_continuity=4, source=source, gravity_effort=zero,
        motion=1, jumps=0, state=0, reason='', **{
            name: getattr(types[TORQUE], name) for name in dir(types[TORQUE])
            if name.startswith(('SOURCE_', 'STATE_'))
        },
    )  # fmt: skip


@pytest.fixture
def record(robot, folder, recordings):
    """Return a function that writes a bag of a run of a trajectory file."""

    def write(name, path, seed=0, *, feedforward=True):
        curve = followed(path)
        samples = run_arm(robot, curve, seed)
        begin = recordings.START + BEGIN
        rows = [recordings.description(folder / 'my_robot.urdf')]
        for t, q in zip(samples.times[::4], samples.positions[::4], strict=True):
            at = BEGIN + round(1e9 * t)
            state = recordings.joint_state(NAMES[::-1], q[::-1], recordings.START + at)
            rows.append(('/joint_states', at + 300_000, state))
        if feedforward:
            for t in np.arange(0.0, curve.breaks[-1] + 0.2, 0.02):
                at = round(1e9 * t)
                source = 1 if t <= curve.breaks[-1] else 0
                jet = curve.jets([t])[0]
                message = torque(recordings, begin + at, at, jet, source)
                rows.append(('/feedforward/feedforward', BEGIN + at, message))
        else:
            found = read_trajectory(path)
            points = [
                (p.time_from_start, p.positions, *([p.velocities] if p.velocities else []))
                for p in found.points
            ]
            message = recordings.joint_trajectory(found.joint_names, points, begin)
            rows.append(('/joint_trajectory', BEGIN, message))
        return recordings.write_bag(folder / name, sorted(rows, key=lambda row: row[1]))

    return write


def test_two_commands_repeated(record, run):
    """Send, record, learn, with the file that was written: the error falls by more than half."""
    first, second = ('reach.csv', 'learned.yaml')
    code, out, err = run('learn', record('bag_0', first), first, *OPTIONS, '--output', second)
    assert (code, err) == (0, '')
    assert 'the next run follows a corrected motion' in out
    for k in (1, 2):
        bag = record(f'bag_{k}', second, k)
        code, out, err = run('learn', bag, second, *OPTIONS, '--output', second)
        assert (code, err) == (0, ''), err
    motion = LearnedMotion.from_yaml(second)
    rms = np.sqrt(np.square(motion.rms).mean(axis=1))
    assert len(rms) == 3
    assert (rms[1:] < 0.5 * rms[:-1]).all()
    assert '2 (best)' in out and 'written: learned.yaml' in out


def test_several_bags_and_messages_alone(record, run):
    """Runs of several bags are averaged; stamps of trajectories tell the same begin."""
    bags = record('bag_0', 'reach.csv'), record('bag_1', 'reach.csv', 1, feedforward=False)
    code, out, err = run('learn', *bags, 'reach.csv', *OPTIONS, '--output', 'learned.yaml')
    assert (code, err) == (0, '')
    assert '2 runs of reach.csv' in out
    both = LearnedMotion.from_yaml('learned.yaml')
    run('learn', bags[0], 'reach.csv', *OPTIONS, '--output', 'one.yaml')
    one = LearnedMotion.from_yaml('one.yaml')
    np.testing.assert_allclose(both.rms, one.rms, rtol=0.02)  # another noise of the encoders


def test_another_trajectory_is_refused(record, run):
    """The bag must have the trajectory that is given, with its corrections."""
    bag = record('bag', 'reach.csv')
    assert run('learn', bag, 'reach.csv', *OPTIONS, '--output', 'learned.yaml')[0] == 0
    code, _, err = run('learn', bag, 'learned.yaml', *OPTIONS)
    assert code == 1
    assert 'within 1e-06 rad or m' in err


ERRORS = [
    (['--output', 'reach.csv'], 'reach.csv: it is an input'),
    (['--output', 'learned.csv'], '--output: expected a name that ends in .yaml'),
    (['--kp', '3'], '--kd: expected one beside the other gain'),
    (['--step', '2'], 'step: expected at most 1'),
    (['--joint-states', '/none'], 'no messages on --joint-states /none'),
]


def test_errors(record, run):
    """Errors name the argument."""
    bag = record('bag', 'reach.csv')
    for arguments, text in ERRORS:
        code, _, err = run('learn', bag, 'reach.csv', *arguments)
        assert code == 1 and text in err, err


def test_limits_are_kept(record, folder, run):
    """A corrected motion beyond a limit is not written."""
    bag = record('bag', 'reach.csv')
    peak = np.abs(followed('reach.csv').jets(np.linspace(0.0, 1.2, 999), 2)[:, 1]).max(axis=0)
    text = (folder / 'my_robot.urdf').read_text()
    tight, count = re.subn(r'velocity="[^"]*"', f'velocity="{peak.max():.6f}"', text)
    assert count == 2
    (folder / 'tight.urdf').write_text(tight)
    code, _, err = run(
        'learn', bag, 'reach.csv', '--urdf', 'tight.urdf', *OPTIONS, '--output', 'learned.yaml'
    )
    assert code == 1
    assert 'corrected motion: expected one within the limits, got joint_' in err
    assert not (folder / 'learned.yaml').exists()
