# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`interpolation: jtc`: the reference against a transcription of the controller's rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.controller_trajectory import ControllerTrajectory

from screw_dynamics.errors import TrajectoryError
from screw_dynamics.nodes.reference.interpolation import CONTROLLER
from screw_dynamics.nodes.reference.reference import Reference, Source
from screw_dynamics.trajectory import waypoints_from_points

SECOND = 10**9
START = 1_000 * SECOND  # small enough for the transcription's seconds to be exact to 1e-13
MEASURED = [0.4, -0.3]


def jet_of(state):
    jet = np.zeros((5, 1))
    jet[: len(state), 0] = state
    return jet


class Both:
    """The reference and the transcription under the same messages; times in ms from START."""

    def __init__(self):
        self.reference = Reference(1, CONTROLLER)
        self.controller = ControllerTrajectory()

    def receive(self, now, stamp, times, points):
        waypoints = waypoints_from_points(
            ['a'],
            [(1e-3 * t, *([x] for x in p)) for t, p in zip(times, points, strict=True)],
            ['a'],
            allow_nonzero_end_velocity=True,
        )
        instant, start = (START + round(1e6 * t) for t in (now, now if stamp is None else stamp))
        self.reference.add(waypoints, start, instant, jet_of(MEASURED))
        self.controller.receive(
            1000.0 + 1e-3 * now,
            0.0 if stamp is None else 1000.0 + 1e-3 * stamp,
            [1e-3 * t for t in times],
            points,
            MEASURED,
        )

    def check(self, t):
        jet = np.empty((5, 1))
        assert self.reference.sample(START + round(1e6 * t), jet) is not None
        expected = self.controller.sample(1000.0 + 1e-3 * t)
        # times of the transcription carry 1e-13 s, multiplied by the next derivative
        np.testing.assert_allclose(jet[:3, 0], expected, rtol=1e-8, atol=1e-7)


values = st.floats(-2.0, 2.0, allow_subnormal=False)


@st.composite
def messages(draw):
    steps = draw(st.lists(st.integers(100, 2000), min_size=1, max_size=4))
    first = draw(st.sampled_from([0, 300, 900]))
    times = [first + sum(steps[:i]) for i in range(len(steps))]
    kinds = draw(st.lists(st.integers(1, 3), min_size=len(times), max_size=len(times)))
    points = [draw(st.lists(values, min_size=k, max_size=k)) for k in kinds]
    return times, points


@given(st.data())
def test_whatever_is_received(data):
    both, now = Both(), 0
    for _ in range(data.draw(st.integers(1, 3))):
        times, points = data.draw(messages())
        stamp = data.draw(st.sampled_from([None, now + 700, now - times[-1] // 2]))
        both.receive(now, stamp, times, points)
        for t in sorted(data.draw(st.lists(st.integers(0, 900), min_size=1, max_size=6))):
            # not at the points themselves: there rounding of the times decides the side
            both.check(now + t + 0.25)
        now += 1001
    both.check(now + 20000)


def test_a_start_in_the_future_is_approached_from_reception():
    both = Both()
    both.receive(0, 1000, [0, 500], [[1.0, 0.0], [2.0, 0.0]])
    for t in (0, 250, 999.5, 1000.5, 1499.5, 1501):
        both.check(t)
    jet = np.empty((5, 1))
    both.reference.sample(START, jet)
    np.testing.assert_allclose(jet[:2, 0], MEASURED)


def test_a_point_at_time_0_is_jumped_to():
    both = Both()
    both.receive(0, None, [0, 1000], [[5.0, 0.0], [6.0, 0.0]])
    both.check(0)
    jet = np.empty((5, 1))
    both.reference.sample(START, jet)
    assert jet[0, 0] == 5.0


def test_the_end_is_held_at_rest():
    both = Both()
    both.receive(0, None, [0, 1000], [[0.0, 0.0, 0.0], [1.0, 0.5, 2.0]])
    jet = np.empty((5, 1))
    assert both.reference.sample(START + 2 * SECOND, jet) is Source.HOLD
    np.testing.assert_array_equal(jet[:, 0], [1.0, 0.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ('points', 'continuity'),
    [
        ([[0.0], [1.0]], 0),
        ([[0.0, 0.0], [1.0, 0.0]], 1),
        ([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 2),
    ],
)
def test_continuity(points, continuity):
    both = Both()
    both.receive(0, None, [0, 1000], points)
    assert both.reference.continuity == continuity


def test_without_a_state():
    waypoints = waypoints_from_points(['a'], [(0.5, [1.0])], ['a'])
    with pytest.raises(TrajectoryError, match='first point has time_from_start 0.5 s and no'):
        Reference(1, CONTROLLER).add(waypoints, START, START)
    reference = Reference(1, CONTROLLER)
    reference.add(waypoints, START - SECOND, START)  # its first point has passed: none is needed
    assert not reference.empty
