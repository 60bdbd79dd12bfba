# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Samples for the core of the C++ controller with two pendulums, and their efforts."""

import numpy as np

N, DT = 2, 0.001
INERTIA, WEIGHT = np.array([2.0, 0.5]), np.array([12.0, 3.0])
LIMIT = 30.0  # N m
EFFORT, POSITION, VELOCITY = range(3)
LOST, ENDED, ASKS = -1.0, 0.0, -2.0
JUMPS = 2.0
TOLERANCE = 0.05  # rad, for the start
# rounding: closed forms by libm here and in the library, of commands up to 30
BOUND = 1e-12


class Chain:
    """Samples of a chain, one per millisecond."""

    def __init__(self):
        self.rows = []
        self.q = np.zeros(N)

    def add(self, jet, present=1.0, rows=3, measured=None, mark=0.0):
        jet = np.pad(np.atleast_2d(jet), ((0, 5 - len(np.atleast_2d(jet))), (0, 0)))
        holds = float(not jet[1:].any())
        measured = jet[0] if measured is None else np.broadcast_to(measured, N)
        head = [DT * len(self.rows), rows, holds, 0.0, mark, present]
        self.rows.append(np.array([*head, *jet.ravel(), *measured]))
        self.q = jet[0]

    def hold(self, count, **more):
        for _ in range(count):
            self.add(self.q, **more)

    def move(self, way, length, **more):
        """Move by a quintic; return the jets (T, 4, n)."""
        u = np.arange(DT, length + DT / 2, DT)[:, None] / length
        shape = [
            u**3 * (10.0 + u * (6.0 * u - 15.0)),
            30.0 * u**2 * (1.0 - u) ** 2 / length,
            60.0 * u * (1.0 - u * (3.0 - 2.0 * u)) / length**2,
            60.0 * (1.0 - u * (6.0 - 6.0 * u)) / length**3,
        ]
        shape[1][-1] = shape[2][-1] = 0.0  # rests
        jets = np.stack([part * np.asarray(way) for part in shape], axis=1)
        jets[:, 0] += self.q
        for jet in jets:
            self.add(jet[:3], **more)
        return jets

    def lose(self, count, present=LOST):
        for _ in range(count):
            self.add(self.q, present=present)


def efforts_of(rows):
    jets = np.array([row[6:-N].reshape(5, N) for row in rows])
    return INERTIA * jets[:, 2] + WEIGHT * np.cos(jets[:, 0])


def blend(s):
    s = np.clip(s, 0.0, 1.0)
    return s**3 * (10.0 + s * (6.0 * s - 15.0))


def close(got, expected):
    np.testing.assert_allclose(got, expected, rtol=0.0, atol=BOUND * LIMIT)
