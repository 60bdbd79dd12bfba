# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""No effort and no rate of an effort beyond its limit: trajectories slowed, output stopped."""

from __future__ import annotations

import re

import numpy as np
import pytest
from helpers.receiving_node import MS, Node

import screw_dynamics as sd
from screw_dynamics.control.guards import EffortGuard, compile_guards
from screw_dynamics.errors import InputError, TrajectoryError
from screw_dynamics.nodes.feedforward.fitting.slowing import slowed
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.reference.interpolation import INTERPOLATIONS
from screw_dynamics.reference.reference import Source
from screw_dynamics.robot import Robot

NAMES = ('joint_1', 'joint_2')
RATE = 1000.0  # N m/s
MOTIONS = 50
TICK = 7 * MS // 5  # no multiple of the period of the checks
HOLD, MOVE = Source.HOLD, Source.TRAJECTORY


def with_rates(names, rate=RATE):
    return sd.ElasticJoints({name: sd.ElasticJoint(max_effort_rate=rate) for name in names})


def random_motion(seed):
    """Return points, and times in which they can hardly be reached."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 7))
    points = rng.uniform(-1.5, 1.5, (count, 7))
    return points, np.cumsum(rng.uniform(0.25, 0.9, count))


def ticks(node):
    """Return instants [s] and efforts (T, 3, n) as ticks sample the newest motion."""
    motion = node.reference.newest
    end = motion.anchor + round(1e9 * (motion.end - motion.anchor_time))
    instants = np.arange(motion.begin + TICK // 3, end + 3 * TICK, TICK)
    since = motion.time_at(instants, 1.0) - motion.joined
    jets = motion.curve.jets(np.minimum(since, motion.curve.breaks[-1]), rows=5)
    return 1e-9 * (instants - instants[0]), sd.inverse_dynamics(node.robot.robot.model, jets)


def violations(node):
    """Return how many ticks exceed the limit, by the derivative and by what was sent before."""
    times, efforts = ticks(node)
    steps = np.abs(np.diff(efforts[:, 0], axis=0)) / np.diff(times)[:, np.newaxis]
    beyond = int((np.abs(efforts[:, 1]) > RATE).any(axis=1).sum())
    return beyond, int((steps > RATE).any(axis=1).sum())


@pytest.fixture(scope='module')
def arm(tmp_path_factory):
    """Return an arm that is limited by the rates of its efforts alone."""
    text = sd.share_path('urdf/iiwa14.urdf').read_text()
    path = tmp_path_factory.mktemp('arm') / 'arm.urdf'
    path.write_text(re.sub('(velocity|effort)="[0-9.]+"', r'\1="1e6"', text))
    return path


def follow(arm, guard, seed):
    node = Node(arm, with_rates(sd.read_urdf(arm).joint_names), output_guard=guard)
    points, times = random_motion(seed)
    node.reference.add(
        sd.trajectory.waypoints_from_points(
            node.names, [(0.0, [0.0] * 7), (0.5, points[0] * 0.0)], node.names
        ),
        node.now,
        node.now,
    )
    node.now += 600 * MS
    node.follow(*points.tolist(), times=times.tolist())
    return node


def test_fifty_random_motions_keep_the_limit_of_the_rate(arm):
    free = slow = 0
    for seed in range(MOTIONS):
        free += violations(follow(arm, 'off', seed))[0] > 0
        beyond, stepped = violations(node := follow(arm, 'slow', seed))
        assert (beyond, stepped) == (0, 0)
        _, times = random_motion(seed)
        # the points are reached all the same, later
        newest = node.reference.newest
        slow += newest.waypoints.times[-1] > times[-1]
        np.testing.assert_allclose(
            newest.curve.sample(newest.curve.breaks[-1], np.empty((5, 7)))[0],
            random_motion(seed)[0][-1],
            atol=1e-9,
        )
    assert slow >= free > MOTIONS // 2  # the others keep it as they are


def test_a_trajectory_is_slowed_no_more_than_needed(arm):
    node = follow(arm, 'slow', 1)
    _, efforts = ticks(node)
    assert 0.98 * RATE < np.abs(efforts[:, 1]).max() <= RATE


def test_the_running_motion_is_continued(planar):
    model = sd.read_urdf(planar)
    node = Node(planar, with_rates(model.joint_names, 60.0), output_guard='slow')
    node.follow([0.0, 0.0], [0.5, -0.5], times=[0.0, 3.0])
    node.now += 1000 * MS
    before = node.jet(node.now + 50 * MS)
    node.receive([1.0, 0.5], times=[0.5])
    node.plan(50 * MS)
    assert node.join(10 * MS)
    begin = node.reference.newest.begin
    assert begin == node.now + 40 * MS
    np.testing.assert_allclose(node.jet(begin), before, rtol=1e-9, atol=1e-9)
    efforts = np.array(
        [
            sd.inverse_dynamics(model, node.jet(begin + i * MS))[1]
            for i in range(int(1e3 * node.reference.newest.end))
        ]
    )
    assert np.abs(efforts).max() <= 60.0
    assert node.reference.newest.waypoints.times[-1] > 0.5


@pytest.mark.parametrize(
    'guard, text',
    [
        (
            'stop',
            r'limit exceeded \(output_guard: stop\): joint_1: effort rate -?[0-9.]+ N m/s at ',
        ),
        (
            'slow',
            'keeps the limits at rest, got joint_1: effort [0-9.]+ N m at t = .* limit 1 N m',
        ),
    ],
)
def test_what_cannot_be_kept_is_rejected(planar, tmp_path, guard, text):
    urdf = planar
    if guard == 'slow':
        urdf = tmp_path / 'weak.urdf'
        urdf.write_text(planar.read_text().replace('effort="60.0', 'effort="1.0'))
        assert urdf.read_text() != planar.read_text()
    names = sd.read_urdf(planar).joint_names
    node = Node(urdf, with_rates(names, 5.0), output_guard=guard)
    node.receive([0.0, 0.0], [1.0, 1.0], times=[0.0, 0.2])
    node.plan(0)
    with pytest.raises(TrajectoryError, match=text):
        node.join(0)


def test_dry_friction_beyond_a_limit_is_found_without_a_search(planar):
    """At rest the motor carries the arm; in motion its friction remains, however slow."""
    model = sd.read_urdf(planar)
    weight = sd.gravity_forces(model, [0.0, 0.0])[0]
    friction = sd.elastic.JointFriction(coulomb=0.1 * weight, coulomb_velocity=1e-4)
    motor = sd.Motor(max_effort=1.02 * weight)
    drives = sd.ElasticJoints({'joint_1': sd.ElasticJoint(friction=friction, motor=motor)})
    points = [(0.0, [0.0, 0.0]), (2.0, [0.2, 0.2])]
    waypoints = sd.trajectory.waypoints_from_points(NAMES, points, NAMES)
    fits = []

    def fit(stretched):
        fits.append(stretched)
        return INTERPOLATIONS['smooth'].join(stretched, 0.0, None)

    with pytest.raises(TrajectoryError, match='keeps the limits at 1/100 of its speed, got joint'):
        slowed(Robot(model, drives), waypoints, fit, 1.0)
    assert len(fits) == 1


@pytest.mark.parametrize('guard', ['slow', 'stop'])
def test_a_robot_that_runs_slower_may_return_to_its_speed(planar, guard):
    """Limits are those at full speed, though the trajectory keeps them at the present one."""
    node = Node(planar, with_rates(NAMES, 30.0), output_guard=guard)
    node.reference.set_speed(0.3, node.now)
    node.receive([-1.2, 0.3], [0.3, 0.7], times=[0.0, 1.0])
    node.plan(0)
    if guard == 'stop':
        with pytest.raises(TrajectoryError, match='effort rate'):
            node.join(0)
        return
    assert node.join(0)
    _, efforts = ticks(node)
    assert 27.0 < np.abs(efforts[:, 1]).max() <= 30.0


@pytest.fixture
def guard(planar):
    compile_guards()
    lines = []
    robot = Robot(sd.read_urdf(planar), with_rates(('joint_1', 'joint_2'), 100.0))
    found = EffortGuard(robot, lines.append)
    found.lines = lines
    return found


def passes(guard, source, time, effort, rate=0.0):
    guard.follow(source)
    return guard.passes(np.array([[effort, 0.0], [rate, 0.0]]), time * MS)


def test_the_first_sample_beyond_a_limit_is_not_sent(guard):
    assert passes(guard, MOVE, 0, 1.0, 99.9)
    assert passes(guard, MOVE, 1, 1.1, -100.0)
    assert not passes(guard, MOVE, 2, 1.2, 100.1)
    assert guard.lines == [
        'No efforts are published: limit exceeded: joint_1: effort rate 100.1 N m/s, limit '
        '100 N m/s; they resume when the next motion begins from rest within the limits'
    ]
    assert not passes(guard, MOVE, 3, 1.2)
    assert not passes(guard, HOLD, 4, 1.2)
    assert passes(guard, MOVE, 5, 1.2)


def test_a_jump_between_samples_is_a_rate(guard):
    """A change of speed, load or stiffness is in no derivative."""
    assert passes(guard, MOVE, 0, 1.0)
    assert passes(guard, MOVE, 1, 1.1)
    assert not passes(guard, MOVE, 2, 1.3)
    assert 'joint_1: effort rate 200' in guard.lines[0]
    guard.forget()
    assert passes(guard, MOVE, 3, 40.0)  # continues no other sample
    guard.pause()
    assert passes(guard, MOVE, 4, 1.0)


def test_another_model_does_not_hide_a_jump(guard):
    """A new payload is a new model, at which the next sample continues the one before."""
    assert passes(guard, HOLD, 0, 1.0)
    guard.set_robot(guard.robot.with_model(guard.robot.model.with_payload('tool', 1.0)))
    assert not passes(guard, HOLD, 4, 5.0)
    assert 'joint_1: effort rate 1000' in guard.lines[0]


def test_a_change_of_the_lead_time_does_not_hide_a_jump(guard):
    """The next sample is 0.5 s later in the motion, not on the clock."""
    assert passes(guard, MOVE, 0, 1.0)
    guard.shift(500 * MS)
    assert not passes(guard, MOVE, 504, 5.0)
    assert 'joint_1: effort rate 1000' in guard.lines[0]


def test_what_continues_a_stopped_motion_does_not_begin(guard):
    """It was accepted before the stop and begins where the robot was to be, but is not."""
    assert passes(guard, MOVE, 0, 1.0)
    assert not passes(guard, MOVE, 1, 2.0)
    assert not passes(guard, HOLD, 2, 2.0)
    guard.follow(MOVE, continues=True)
    assert not guard.passes(np.zeros((2, 2)), 3 * MS)
    assert not passes(guard, HOLD, 4, 0.0)
    assert passes(guard, MOVE, 5, 0.0)


@pytest.mark.parametrize('row', [0, 1])
def test_what_is_not_a_number_is_beyond_every_limit(guard, row):
    guard.follow(MOVE)
    efforts = np.zeros((2, 2))
    efforts[row, 1] = np.nan
    assert not guard.passes(efforts, 0)


def test_an_effort_beyond_its_limit(guard):
    limit = guard.robot.model.limits.effort[0]
    assert passes(guard, MOVE, 0, limit)
    guard.pause()
    assert not passes(guard, MOVE, 1, -1.001 * limit)
    assert f'joint_1: effort {1.001 * limit:.9g} N m, limit {limit:g} N m' in guard.lines[0]


@pytest.mark.parametrize(
    'other, shown', [({'interpolation': 'jtc'}, 'jtc'), ({'sync': 'controller_state'}, 'sync')]
)
def test_slowing_needs_a_clock_of_its_own(other, shown):
    parameters = FeedforwardParameters(output_guard='slow', **other)
    with pytest.raises(InputError, match=f"'output_guard': expected off or stop with .*{shown}"):
        parameters.check()
