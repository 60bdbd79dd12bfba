# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Forwarded trajectories: a controller in motion goes on with the reference."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.receiving_node import MS, NAMES, NOW, Node

from screw_dynamics import inverse_dynamics
from screw_dynamics.common.times import nanoseconds
from screw_dynamics.nodes.feedforward.sample_outputs import message_without_points, points_of
from screw_dynamics.trajectory import jtc_trajectory, waypoints_from_points


def forwarded(node):
    """Return the message for a controller, and the instants of its points [ns]."""
    samples = node.samples()
    message = message_without_points(samples)
    for begin in range(0, len(samples.times), 7):
        message.points += points_of(samples, begin, begin + 7)
    stamp = nanoseconds(message.header.stamp)
    times = [nanoseconds(point.time_from_start) for point in message.points]
    assert times[0] >= 0
    assert (np.diff(times) > 0).all()
    return message, stamp + np.array(times)


def executed(message, instants, instant):
    """Return the positions of a controller that interpolates by quintics."""
    i = int(np.searchsorted(instants, instant, side='right'))
    rows = [[p.positions, p.velocities, p.accelerations] for p in message.points[i - 1 : i + 1]]
    points = [(0.0, *rows[0]), (1e-9 * (instants[i] - instants[i - 1]), *rows[1])]
    segment = jtc_trajectory(
        waypoints_from_points(NAMES, points, NAMES, allow_nonzero_end_velocity=True)
    )
    return segment.jets([1e-9 * (instant - instants[i - 1])], rows=1)[0, 0]


def assert_in_step(node, message, instants, begin):
    """Compare a controller with the reference until some time after the newest motion begins."""
    for instant in np.linspace(instants[0], begin + 20 * MS, 61).astype(int):
        expected = node.reference.state(int(instant))[0]
        here = executed(message, instants, instant)
        np.testing.assert_allclose(here, expected, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize('stamped', [False, True])
@pytest.mark.parametrize('rests', [False, True])
def test_a_controller_that_starts_by_the_outgoing_stamp_is_in_step(moving, stamped, rests):
    moving.now += 3000 * MS if rests else 0
    old = moving.reference
    moving.receive(
        [0.5, 0.5], [0.2, 0.1], [0.0, 0.0], stamp=moving.now - 100 * MS if stamped else 0
    )
    before = old.state(moving.plan(30 * MS).begin)
    assert moving.join(20 * MS)
    begin = moving.reference.newest.begin
    message, instants = forwarded(moving)
    if stamped:
        assert message.header == moving.message.header
    joins = int(np.flatnonzero(instants == begin)[0])
    assert joins == (0 if rests else 1)  # 10 ms, one period, are left to the join
    np.testing.assert_allclose(message.points[joins].positions, before[0], rtol=0.0, atol=1e-9)
    for instant, point in zip(instants, message.points, strict=True):
        jet = moving.jet(instant)
        row = [point.positions, point.velocities, point.accelerations]
        np.testing.assert_allclose(row, jet[:3], rtol=1e-9, atol=1e-9)
        efforts = inverse_dynamics(moving.robot.model, jet[:3])[0]
        np.testing.assert_allclose(point.effort, efforts, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize('ahead', [None, -100, 35, 400])
def test_a_controller_in_motion_goes_on_with_the_reference(moving, ahead):
    """The node has not published the message yet when the controller still follows the last."""
    start = moving.now if ahead is None else moving.now + ahead * MS
    moving.receive([0.5, 0.5], [0.2, 0.1], stamp=0 if ahead is None else start)
    begin = moving.plan(30 * MS).begin
    assert moving.join(20 * MS)
    message, instants = forwarded(moving)
    assert instants[0] == moving.now
    # in step with a received stamp, unless points lie before it
    assert nanoseconds(message.header.stamp) == min(start, moving.now)
    assert_in_step(moving, message, instants, begin)


def test_a_controller_goes_on_with_several_motions(moving):
    """A trajectory is replaced before it has begun, by one that begins later still."""
    begins = []
    for ahead in 400, 800:
        moving.receive([0.4, 0.1 * ahead / 400], [0.3, 0.0], stamp=moving.now + ahead * MS)
        begins.append(moving.plan(30 * MS).begin)
        assert moving.join(20 * MS)
    message, instants = forwarded(moving)
    assert instants[0] == moving.now < begins[0] < begins[1]
    assert_in_step(moving, message, instants, begins[1])


def test_a_controller_goes_on_in_the_turn_of_the_newest_motion(moving):
    """Continuous joints go to the nearest turn; the points of one message are in one turn."""
    moving.reference.continuous = ('joint_2',)
    for turns in 3, 1:
        moving.receive(
            [0.4, 2.0 * np.pi * turns], times=[1.0], stamp=moving.now + 100 * (6 - turns) * MS
        )
        begin = moving.plan(30 * MS).begin
        assert moving.join(20 * MS)
    message, instants = forwarded(moving)
    assert instants[0] == moving.now
    for instant in np.linspace(instants[0], begin + 20 * MS, 61).astype(int):
        expected = moving.reference.state(int(instant))[0]
        here = executed(message, instants, instant)
        np.testing.assert_allclose(here[0], expected[0], rtol=0.0, atol=1e-9)
        assert abs(here[1] - 2.0 * np.pi) < np.pi + 1.0
        assert abs(np.angle(np.exp(1j * (here[1] - expected[1])))) < 1e-9


@pytest.mark.parametrize('period', [0.005, 0.3, 1.0])
def test_the_points_of_the_former_motion_are_kept(planar, period):
    node = Node(planar, resample_period=period)
    node.follow([0.0, 0.0], [0.3, 0.1], [0.1, -0.4], [0.2, 0.3], times=[0.0, 0.3, 0.6, 1.0])
    node.now += 100 * MS
    node.receive([0.5, 0.5], stamp=node.now + 800 * MS, times=[2.0])
    begin = node.plan(30 * MS).begin
    assert node.join(20 * MS)
    _, instants = forwarded(node)
    assert {NOW + 300 * MS, NOW + 600 * MS, begin} <= set(instants)
    assert np.diff(instants[instants <= begin]).max() <= 1e9 * period


def test_a_long_hold_before_a_motion_takes_two_points(moving):
    moving.receive([0.5, 0.5], [0.2, 0.1], stamp=moving.now + 3_600_000 * MS)
    begin = moving.plan(30 * MS).begin
    assert moving.join(20 * MS)
    message, instants = forwarded(moving)
    held = NOW + 1000 * MS  # the end of the former motion
    assert list(instants[(instants >= held) & (instants <= begin)]) == [held, begin]
    assert instants[0] == moving.now
    np.testing.assert_allclose(
        executed(message, instants, (held + begin) // 2), [1.0, -1.0], rtol=0.0, atol=1e-9
    )


@pytest.mark.parametrize('speed', [0.0, 0.5])
def test_nothing_leads_to_a_motion_if_the_times_of_the_controller_may_differ(moving, speed):
    moving.reference.set_speed(speed, moving.now)
    moving.receive([0.5, 0.5], [0.2, 0.1], stamp=moving.now + 400 * MS)
    begin = moving.plan(30 * MS).begin
    assert moving.join(20 * MS)
    message, instants = forwarded(moving)
    assert message.header == moving.message.header
    assert instants[0] == begin


def test_nothing_leads_to_a_motion_that_is_held_back(moving):
    moving.receive([0.5, 0.5], [0.0, 0.0])
    begin = moving.plan(30 * MS).begin
    assert moving.join(20 * MS)

    def first():
        samples = moving.samples()
        return samples.stamp + samples.times[0]

    assert first() == moving.now
    moving.reference.hold_back()
    assert first() == begin


@pytest.mark.parametrize('stamp', [-900, 5])
def test_points_lead_from_the_instant_of_forwarding_on(planar, stamp):
    """Two replacements within the lead time, of which the first has not begun."""
    node = Node(planar, lead_time=0.1)
    node.follow([0.0, 0.0], [1.0, -1.0])
    node.now += 300 * MS
    for _ in range(2):
        node.receive([0.5, 0.5], [0.2, 0.1], times=[1.0, 2.0], stamp=node.now + stamp * MS)
        begin = node.plan(1 * MS).begin
        assert node.join(1 * MS)
    message, instants = forwarded(node)
    assert instants[0] == node.now
    assert_in_step(node, message, instants, begin)


def test_nothing_leads_to_a_motion_that_does_not_continue_another(planar):
    node = Node(planar, start_state='first_point')
    node.follow([0.0, 0.0], [1.0, -1.0])
    node.now += 300 * MS
    node.follow([0.3, 0.0], [0.0, 0.0], stamp=node.now + 100 * MS)
    message, instants = forwarded(node)
    assert message.header == node.message.header
    assert instants[0] == node.reference.newest.begin


def test_too_many_points_do_not_lead_to_a_motion(moving):
    moving.parameters = replace(moving.parameters, resample_period=1e-5)
    moving.receive([0.5, 0.5], [0.2, 0.1], times=[0.01, 0.02], stamp=moving.now + 400 * MS)
    begin = moving.plan(0).begin
    assert moving.join(0)
    message, instants = forwarded(moving)
    assert message.header == moving.message.header
    assert instants[0] == begin
