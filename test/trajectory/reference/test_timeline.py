# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Timeline`: pieces that are the reference at every instant, sampled or not."""

import numpy as np
import pytest

from screw_dynamics.common.times import SECOND
from screw_dynamics.trajectory import PiecewisePolynomial, waypoints_from_points
from screw_dynamics.trajectory.reference.interpolation import SMOOTH
from screw_dynamics.trajectory.reference.reference import Reference
from screw_dynamics.trajectory.reference.timeline import Timeline, intervals

MS = SECOND // 1000
START = 1_700_000_000 * SECOND
NAMES = ('a', 'b')


class Followed:
    """A reference, its timeline, and the instants from which it has changed."""

    def __init__(self):
        self.reference, self.changes = Reference(2, SMOOTH), []
        self.timeline = Timeline(self.reference)
        self.reference.on_change = self._changed

    def _changed(self, since):
        self.changes.append(since)
        self.timeline.update(since)

    def add(self, positions, times, begin):
        points = list(zip(times, positions, strict=True))
        self.reference.add(waypoints_from_points(NAMES, points, NAMES), begin, begin)


@pytest.fixture
def followed():
    followed = Followed()
    followed.add([[0.0, 0.0], [1.0, -1.0]], [0.0, 1.0], START)
    return followed


def jet_at(pieces, now, instant):
    """Return the joint jet (5, 2) of the last piece that has begun, from what is left of it."""
    piece, since, until = [one for one in intervals(pieces, now) if one[0].begin <= instant][-1]
    breaks, coefficients, end = piece.polynomials(since, until)
    part = PiecewisePolynomial(breaks, coefficients, end, 0)
    jet = part.sample(piece.time_at(instant), np.empty((5, 2)))
    return jet * piece.speed ** np.arange(5)[:, None]


def test_pieces_are_the_reference_before_and_after_its_changes(followed):
    reference, now = followed.reference, START
    expected = {}
    changes = {
        300: lambda: reference.set_speed(0.5, START + 320 * MS),
        400: lambda: followed.add([[0.2, 0.3]], [0.7], START + 450 * MS),
        405: lambda: reference.set_speed(1.5, START + 425 * MS),
        700: lambda: followed.add([[0.0, 0.0]], [0.5], START + 900 * MS),
        750: lambda: followed.add([[0.1, 0.1]], [0.5], START + 800 * MS),
    }
    for k in range(1500):
        now = START + k * MS
        if k in changes:
            changes[k]()
        jet = np.empty((5, 2))
        reference.sample(now + 20 * MS, jet)
        expected[now + 20 * MS] = jet
        if now >= START + 20 * MS:
            got = jet_at(followed.timeline.pieces(now), now, now)
            np.testing.assert_array_equal(got, expected[now])
    begins = [START, *(START + at * MS for at in (320, 450, 425, 900, 800))]
    assert followed.changes == begins


def test_a_change_of_the_speed_is_of_the_same_motion(followed):
    followed.reference.set_speed(0.5, START + 300 * MS)
    followed.add([[0.2, 0.3]], [0.7], START + 600 * MS)
    first, second, third = followed.timeline.pieces(START)
    assert first.number == second.number != third.number
    assert (first.speed, second.speed, third.speed) == (1.0, 0.5, 0.5)
    assert first.ended == START + SECOND and second.ended == START + 1700 * MS


@pytest.mark.parametrize('speed, ended', [(0.0, None), (1e-12, None), (1e-3, 701 * SECOND)])
def test_an_end_that_is_far_away(followed, speed, ended):
    followed.reference.set_speed(speed, START + 300 * MS)
    got = followed.timeline.pieces(START)[-1].ended
    assert got == ended if ended is None else abs(got - START - ended) < SECOND


def test_an_end_that_was_reached_stays_where_it_was(followed):
    for at, speed in ((1200, 0.5), (1300, 2.0)):
        followed.reference.set_speed(speed, START + at * MS)
        assert followed.timeline.pieces(START + at * MS)[-1].ended == START + SECOND


def test_nothing_is_left_after_clear(followed):
    followed.reference.clear()
    assert followed.timeline.pieces(START) == []
    followed.reference.clear()
    assert followed.changes == [START, 0]  # the second one changes nothing


def test_what_has_passed_is_kept_for_a_tenth_of_a_second(followed):
    followed.add([[0.2, 0.3]], [0.7], START + 600 * MS)
    assert len(followed.timeline.pieces(START + 699 * MS)) == 2
    assert len(followed.timeline.pieces(START + 700 * MS)) == 1


def test_a_motion_from_rest_is_followed_after_a_stopped_one(followed):
    stopped = followed.reference.newest.waypoints
    followed.add([[0.2, 0.3]], [0.7], START + 600 * MS)
    assert followed.timeline.pieces(START, stopped) == []
    followed.reference.driven = False
    followed.add([[0.0, 0.0], [0.5, 0.5]], [0.0, 1.0], START + 800 * MS)
    (piece,) = followed.timeline.pieces(START, stopped)
    assert piece.begin == START + 800 * MS
