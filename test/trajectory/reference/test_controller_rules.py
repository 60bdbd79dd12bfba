# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`interpolation: jtc`: the reference against a transcription of the controller's rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.controller_trajectory import ControllerTrajectory

from screw_dynamics.errors import TrajectoryError
from screw_dynamics.trajectory import waypoints_from_points
from screw_dynamics.trajectory.reference.interpolation import CONTROLLER_SPLINE
from screw_dynamics.trajectory.reference.reference import Reference, Source

SECOND = 10**9
START = 1_000 * SECOND  # small enough for the transcription's seconds to be exact to 1e-13
MEASURED = [0.4, -0.3]


def jet_of(state):
    jet = np.zeros((5, 1))
    jet[: len(state), 0] = state
    return jet


class Both:
    """The reference and the transcription under the same messages; times in ms from START."""

    def __init__(self, lead=0.0, desired=True):
        self.reference = Reference(1, CONTROLLER_SPLINE)
        self.controller = ControllerTrajectory(desired)
        self.lead, self.desired = lead, desired

    def receive(self, now, stamp, times, points):
        waypoints = waypoints_from_points(
            ['a'],
            [(1e-3 * t, *([x] for x in p)) for t, p in zip(times, points, strict=True)],
            ['a'],
            allow_nonzero_end_velocity=True,
        )
        instant, start = (START + round(1e6 * t) for t in (now, now if stamp is None else stamp))
        self.reference.add(
            waypoints,
            start,
            instant + round(1e6 * self.lead),
            jet_of(MEASURED),
            follow=self.desired,
            received=instant,
        )
        self.controller.receive(
            1000.0 + 1e-3 * now,
            0.0 if stamp is None else 1000.0 + 1e-3 * stamp,
            [1e-3 * t for t in times],
            points,
            MEASURED,
        )

    def set_speed(self, now, speed):
        self.reference.set_speed(speed, START + round(1e6 * now))
        self.controller.set_speed(1000.0 + 1e-3 * now, speed)

    def check(self, t):
        """Compare what a tick `lead` before this instant publishes."""
        t += self.lead
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


@given(st.data(), st.sampled_from([0.0, 2.0, 40.0]), st.booleans())
def test_whatever_is_received(data, lead, desired):
    both, now = Both(lead, desired), 0
    for _ in range(data.draw(st.integers(1, 3))):
        times, points = data.draw(messages())
        stamp = data.draw(st.sampled_from([None, now + 700, now + 5000, now - times[-1] // 2]))
        both.receive(now, stamp, times, points)
        for t in sorted(data.draw(st.lists(st.integers(0, 900), min_size=1, max_size=6))):
            # not at the points themselves: there rounding of the times decides the side
            both.check(now + t + 0.25)
        now += 1001
    both.check(now + 20000)


@given(st.data(), st.sampled_from([0.25, 0.5, 2.0]))
def test_at_another_speed(data, speed):
    """Trajectory time at reception is the time since the stamp, whatever the speed."""
    both, now = Both(), 0
    for _ in range(data.draw(st.integers(1, 3))):
        both.set_speed(now, speed)
        times, points = data.draw(messages())
        stamp = data.draw(st.sampled_from([None, now + 700, now - times[-1] // 2]))
        both.receive(now, stamp, times, points)
        both.check(now + data.draw(st.integers(0, 400)) + 0.26)
        both.set_speed(now + 500, 1.0)
        both.check(now + 500 + data.draw(st.integers(0, 400)) + 0.26)
        now += 1001


RUNNING = [0, 4000], [[1.0, 0.0], [3.0, 0.0]]
ENDED = [0, 200], [[1.0, 0.0], [2.0, 0.0]]


@pytest.mark.parametrize('before', [None, RUNNING, ENDED], ids=['first', 'running', 'ended'])
@pytest.mark.parametrize('lead', [0.0, 20.0])
def test_a_start_in_the_future_is_approached_from_reception(before, lead):
    both = Both(lead)
    if before is not None:
        both.receive(-1000, None, *before)
        both.check(-0.5)
        left = both.controller.sample(1000.0)
    else:
        left = [*MEASURED, 0.0]
    both.receive(0, 1000, [0, 500], [[1.0, 0.0], [2.0, 0.0]])
    for t in (0, 250, 970, 1000.5, 1450, 1501):
        both.check(t)
    if not lead:
        jet = np.empty((5, 1))
        both.reference.sample(START, jet)
        np.testing.assert_allclose(jet[:2, 0], left[:2])


def test_another_before_the_start():
    """The first is on its approach when the second takes over."""
    both = Both()
    both.receive(0, 1000, [0, 500], [[1.0, 0.0], [2.0, 0.0]])
    both.check(300)
    both.receive(400, 2000, [300, 500], [[0.0], [2.0]])
    for t in (400.5, 1200, 2299, 2301, 2600):
        both.check(t)


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
    [([[0.0], [1.0]], 0), ([[0.0, 0.0], [1.0, 0.0]], 1), ([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 2)],
)
def test_continuity(points, continuity):
    both = Both()
    both.receive(0, None, [0, 1000], points)
    assert both.reference.continuity == continuity


def test_without_a_state():
    waypoints = waypoints_from_points(['a'], [(0.5, [1.0])], ['a'])
    with pytest.raises(TrajectoryError, match='first point has time_from_start 0.5 s and no'):
        Reference(1, CONTROLLER_SPLINE).add(waypoints, START, START)
    reference = Reference(1, CONTROLLER_SPLINE)
    reference.add(waypoints, START - SECOND, START)  # its first point has passed: none is needed
    assert not reference.empty
