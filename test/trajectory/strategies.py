# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Random waypoints of one joint: clustered and even times, ties, runs, carried derivatives."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from screw_dynamics.trajectory import Waypoints, waypoints_from_points

EXPONENTS = st.floats(-3.0, 3.0)
INTERVALS = st.one_of(st.floats(0.05, 1.0), EXPONENTS.map(lambda e: 10.0**e))
STEPS = st.one_of(
    st.floats(-3.0, 3.0, allow_subnormal=False),
    st.integers(-2, 2).map(float),
    st.tuples(st.sampled_from([-1.0, 1.0]), st.floats(-8.0, 1.0)).map(lambda p: p[0] * 10 ** p[1]),
)
CARRIED = st.one_of(st.none(), st.just(0.0), st.floats(-3.0, 3.0, allow_subnormal=False))


def one_joint(times, positions, velocities=None, accelerations=None) -> Waypoints:
    """Return waypoints of the joint 'a'; None in a list means that a point carries none."""
    count = len(times)
    velocities = velocities or [None] * count
    accelerations = accelerations or [None] * count
    points = [
        (t, [q], [] if v is None else [v], [] if a is None or v is None else [a])
        for t, q, v, a in zip(times, positions, velocities, accelerations, strict=True)
    ]
    return waypoints_from_points(['a'], points, ['a'], allow_nonzero_end_velocity=True)


@st.composite
def positions_only(draw, steps=STEPS, most=25):
    """Waypoints without velocities."""
    intervals = draw(st.lists(INTERVALS, min_size=1, max_size=most))
    moves = draw(st.lists(steps, min_size=len(intervals), max_size=len(intervals)))
    return one_joint(np.cumsum([0.0, *intervals]), np.cumsum([0.0, *moves]))


@st.composite
def with_derivatives(draw, most=12):
    """Waypoints some of which carry velocities, some of those accelerations."""
    plain = draw(positions_only(most=most))
    count = len(plain.times)
    values = st.lists(CARRIED, min_size=count, max_size=count)
    return one_joint(plain.times, plain.positions[:, 0], draw(values), draw(values))
