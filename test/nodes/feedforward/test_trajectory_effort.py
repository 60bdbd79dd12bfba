# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""``~/joint_trajectory_effort``: a controller's input, and the error of its efforts."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.node_processes import node_command, trajectory
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics import inverse_dynamics, read_urdf
from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import nanoseconds, set_stamp
from screw_dynamics.nodes.feedforward.fitting.forwarding import sample_times
from screw_dynamics.reference.interpolation import CONTROLLER_SPLINE, SMOOTH
from screw_dynamics.reference.reference import Reference
from screw_dynamics.trajectory import jtc_trajectory, smooth_trajectory, waypoints_from_points
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']
SECOND = 10**9
TOPIC = '/feedforward/joint_trajectory'
START = 1_700_000_000 * SECOND
SLOWER = 20
POINTS = [(0.0, [0.0, 0.0]), (0.705, [1.0, -0.5]), (1.5, [0.2, 0.4])]
WAYPOINTS = waypoints_from_points(NAMES, POINTS, NAMES)


def motion(interpolation, start, now, jet=None):
    reference = Reference(2, interpolation)
    reference.add(WAYPOINTS, start, now, jet)
    return reference.newest


def test_samples_are_multiples_of_the_period_and_the_points():
    times = sample_times(motion(SMOOTH, START, START), SECOND // 100)
    assert (np.diff(times) > 0).all()
    assert set(times) == {*range(0, 1_500_000_000, 10_000_000), 705_000_000, 1_500_000_000}


def test_a_start_that_has_passed():
    times = sample_times(motion(SMOOTH, START - SECOND, START, np.zeros((5, 2))), SECOND // 100)
    assert (times[0], times[-1]) == (SECOND, SECOND * 3 // 2)


def test_no_negative_times():
    """The controller's own way to a start in the future is not part of the message."""
    times = sample_times(
        motion(CONTROLLER_SPLINE, START + SECOND, START, np.ones((5, 2))), SECOND // 100
    )
    assert times[0] == 0


def test_too_many_points():
    with pytest.raises(InputError, match="'resample_period': .* at most 20000 points, 1e-05 s"):
        sample_times(motion(SMOOTH, START, START), 10_000)


@pytest.mark.parametrize('h', [0.02, 0.01, 0.005])
def test_the_error_of_linear_interpolation_is_bounded_as_stated(planar, h):
    model = read_urdf(planar)
    curve = smooth_trajectory(WAYPOINTS)
    grid = np.arange(0.0, 1.5 + h / 2, h)
    fine = np.linspace(0.0, 1.5, 3001)[1:-1]
    efforts = inverse_dynamics(model, curve.jets(fine))
    at_grid = inverse_dynamics(model, curve.jets(grid, rows=3))[:, 0]
    for j in range(2):
        error = np.abs(np.interp(fine, grid, at_grid[:, j]) - efforts[:, 0, j]).max()
        bound = np.abs(efforts[:, 2, j]).max() * h**2 / 8
        assert 0.2 * bound < error <= 1.001 * bound


def test_over_dds(ros, planar):
    process = ros.start(
        'feedforward', urdf_path=planar, publish_trajectory_effort=True, publish_rate=100
    )
    ros.wait_until_active(process)
    received = ros.listen(JointTrajectory, '/feedforward/joint_trajectory_effort')
    samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    ros.wait_until_heard()
    # slower: a fit that is late on a busy machine is ready long before the last point
    slow = [(SLOWER * t, q) for t, q in POINTS]
    # velocities and accelerations are compared as if they were not slower
    scale = np.array([1.0, SLOWER, SLOWER**2])[:, None]
    # the order of the message is not that of the model
    swapped = [(t, list(reversed(q))) for t, q in slow]
    message = trajectory(NAMES[::-1], *(q for _, q in swapped), times=[t for t, _ in swapped])
    ros.publish(message, '/feedforward/joint_trajectory')
    ros.wait_for('the trajectory', lambda: received, process)
    (got,) = received
    # stamp 0: the controller is to start when the node does
    ros.wait_for('samples', lambda: samples, process)
    assert abs(nanoseconds(got.header.stamp) - started(samples)) <= 2
    assert got.header.frame_id == message.header.frame_id
    assert got.joint_names == NAMES
    waypoints = waypoints_from_points(NAMES, slow, NAMES)
    model, curve = read_urdf(planar), smooth_trajectory(waypoints, rest_at_ends=True)
    times = np.array([1e-9 * nanoseconds(p.time_from_start) for p in got.points])
    jets = curve.jets(times, rows=3)
    rows = np.array([[p.positions, p.velocities, p.accelerations] for p in got.points])
    np.testing.assert_allclose(rows * scale, jets * scale, rtol=1e-9, atol=1e-9)
    efforts = np.array([p.effort for p in got.points])
    np.testing.assert_allclose(efforts, inverse_dynamics(model, jets)[:, 0], rtol=1e-9, atol=1e-9)
    assert not rows[-1, 1:].any()  # the controller rejects what moves at the end

    # a replacement under way: the republished one goes on with the reference until then
    ros.wait_for(
        'motion',
        lambda: samples and nanoseconds(samples[-1].reference.time_from_start) > 3e8 * SLOWER,
        process,
    )
    new = trajectory(NAMES, [0.0, 0.0], [0.5, 0.5], times=[0.0, 30.0])
    set_stamp(new.header.stamp, nanoseconds(samples[-1].header.stamp) + 50_000_000)
    ros.publish(new, '/feedforward/joint_trajectory')
    ros.wait_for('the replacement', lambda: len(received) == 2, process)
    begins = instants(received[1])
    assert nanoseconds(received[1].header.stamp) == min(begins[0], nanoseconds(new.header.stamp))
    # it joins in then, or as soon as its fit is there
    former = [i for i in begins if i <= max(begins[0], nanoseconds(new.header.stamp))]
    rows = np.array([[p.positions, p.velocities, p.accelerations] for p in received[1].points])
    here = curve.jets(1e-9 * (np.array(former) - started(samples)), rows=3)
    got, expected = rows[: len(former)] * scale, here * scale
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
    assert ros.set_parameter('/feedforward', 'publish_trajectory_effort', False)[0]
    assert process.interrupt() == 0, process.log


def test_replacements_are_in_step_with_the_output(ros, planar):
    """A controller that starts by the stamp goes on with what the node publishes."""
    process = ros.start('feedforward', urdf_path=planar, publish_trajectory_effort=True)
    ros.wait_until_active(process)
    received, arrivals = [], []

    def arrived(message):
        received.append(message)
        arrivals.append(ros.node.get_clock().now().nanoseconds)

    ros.node.create_subscription(JointTrajectory, f'{TOPIC}_effort', arrived, 10)
    samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    ros.wait_until_heard()
    joins = []
    for k in range(4):
        ends = [[0.1 * k, -0.1 * k], [1.0, 1.0 - k]]
        ros.publish(trajectory(NAMES, *ends, times=[20.0 if k else 0.0, 40.0]), TOPIC)
        ros.wait_for('the trajectory', lambda k=k: len(received) > k, process)
        stamp = nanoseconds(received[k].header.stamp)
        ros.wait_for('samples of it', lambda s=stamp: len(of(samples, s)) >= 50, process)
        joins.append(nanoseconds(of(samples, stamp)[0].header.stamp))
    assert len(samples) > 200
    for got, arrival, join, next_join in zip(
        received, arrivals, joins, [*joins[1:], joins[-1] + 10 * SECOND], strict=True
    ):
        begin = instants(got)[0]
        # a controller that moves finds its place between two points at once
        assert begin <= arrival or got is received[0]
        mine = [s for s in samples if begin <= nanoseconds(s.header.stamp) < next_join]
        leading = [s for s in mine if nanoseconds(s.header.stamp) < join]
        assert len(mine) - len(leading) >= 50
        assert not leading or got is not received[0]
        for sample in mine:
            np.testing.assert_allclose(
                sample.reference.positions,
                quintic(got, nanoseconds(sample.header.stamp)),
                rtol=0.0,
                atol=1e-9,
            )
    assert process.interrupt() == 0, process.log


def of(samples, stamp):
    """Return the samples of the trajectory whose time from start is 0 at an instant [ns]."""
    return [sample for sample in samples if abs(started([sample]) - stamp) <= 2]


def instants(message):
    """Return the instants of the points by a controller that starts by the stamp [ns]."""
    start = nanoseconds(message.header.stamp)
    return np.array([start + nanoseconds(point.time_from_start) for point in message.points])


def quintic(message, instant):
    """Return the positions that a controller interpolates between the points."""
    times = instants(message)
    i = min(int(np.searchsorted(times, instant, side='right')), len(times) - 1) - 1
    rows = [[p.positions, p.velocities, p.accelerations] for p in message.points[i : i + 2]]
    segment = jtc_trajectory(
        waypoints_from_points(
            NAMES,
            [(0.0, *rows[0]), (1e-9 * (times[i + 1] - times[i]), *rows[1])],
            NAMES,
            allow_nonzero_end_velocity=True,
        )
    )
    return segment.jets([1e-9 * (instant - times[i])], rows=1)[0, 0]


def started(samples):
    """Return the instant of time from start 0."""
    sample = samples[0]
    return nanoseconds(sample.header.stamp) - nanoseconds(sample.reference.time_from_start)


def test_a_loop_is_refused(ros, planar):
    remappings = [
        '--ros-args', '-r', '~/joint_trajectory:=/same', '-r', '~/joint_trajectory_effort:=/same'
    ]  # fmt: skip
    process = ros.start_command(
        node_command('feedforward', *remappings), urdf_path=planar, publish_trajectory_effort=True
    )
    assert process.wait() == 1
    assert "'publish_trajectory_effort': expected two topics, got /same for both" in process.log
