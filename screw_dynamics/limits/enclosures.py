# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Enclosures of quantities of a robot on intervals of a motion: polynomials and their remainders.

Time is z = (t - c) / h on an interval [c - h, c + h]. A series (I, k, m) holds the Taylor
coefficients of quantities in z on I intervals; radii of discs are in units of h. The statement and
its proof are in docs/theory/certificate.md.
"""

from __future__ import annotations

from functools import cache
from math import comb, factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.feedforward import feedforward_from_efforts
from screw_dynamics.drives.motor_table import MotorTable
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.transmitted_efforts import transmitted_efforts
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.kernels.bodies import tables as columns
from screw_dynamics.kernels.drives.laws import CUBIC, EXPONENTIAL, LINEAR, VARIABLE
from screw_dynamics.kernels.enclosures import majorants, remainders
from screw_dynamics.kernels.enclosures.intervals import mark_narrow
from screw_dynamics.kernels.enclosures.majorants import set_link_discs
from screw_dynamics.kernels.enclosures.remainders import set_remainders
from screw_dynamics.kernels.enclosures.series import expand_polynomials
from screw_dynamics.model import ScrewModel
from screw_dynamics.trajectory import PiecewisePolynomial

ORDER = 8  # of the Taylor polynomials
NO_DRIVES = np.zeros((0, remainders.COLUMNS))
_LEAST_COUNT = 4  # of the coefficients of a polynomial, those of rest too: for its jerk
_PIECES = 2  # of an interval, whose Bernstein coefficients bound a polynomial


class Intervals(NamedTuple):
    """Intervals (I,) within segments: u = centre + half z, |z| <= 1, of u from 0 to 1."""

    segments: NDArray[np.int64]
    centres: Array
    halves: Array

    def part(self, chosen: NDArray[np.bool_]) -> Intervals:
        """Return some of the intervals."""
        return Intervals(self.segments[chosen], self.centres[chosen], self.halves[chosen])

    def halved(self) -> Intervals:
        """Return both halves of each interval."""
        halves = 0.5 * self.halves
        sides = np.concatenate((self.centres - halves, self.centres + halves))
        return Intervals(np.tile(self.segments, 2), sides, np.tile(halves, 2))


class Enclosure(NamedTuple):
    """A derivative of quantities (m,) with a series (I, k, m), how far it is off, its centres."""

    series: Array
    derivative: int
    radius: Array  # (I, m)
    centres: Array  # (I, m) values at z = 0, exact to rounding


@cache
def bernstein(count: int) -> Array:
    """Return the Bernstein coefficients of powers of z on the pieces of [-1, 1]."""
    degree, width = count - 1, 2.0 / _PIECES
    rows = []
    for piece in range(_PIECES):
        begin = -1.0 + width * piece
        for i in range(count):
            rows.append(
                [
                    sum(
                        comb(i, j) / comb(degree, j) * comb(k, j) * begin ** (k - j) * width**j
                        for j in range(min(i, k) + 1)
                    )
                    for k in range(count)
                ]
            )
    return np.array(rows)


def scale_to_series(jets: Array, h: Array) -> Array:
    """Turn jets (I, k, m) into series, in place; return them."""
    scale = [h**k / factorial(k) for k in range(jets.shape[1])]
    jets *= np.stack(scale, axis=1)[:, :, np.newaxis]
    return jets


def derivative_of(series: Array, derivative: int, h: Array, radius: Array) -> Enclosure:
    """Return the enclosure of a time derivative, exact at the centres."""
    centres = series[:, derivative] * (factorial(derivative) / h**derivative)[:, np.newaxis]
    return Enclosure(series, derivative, radius, centres)


def body_table(model: ScrewModel) -> Array:
    """Return the table of `kernels.enclosures.majorants`."""
    tree, bodies = model.joint_frames.tree, model.joint_frames.bodies
    turn = bodies[:, columns.ROTATION] * bodies[:, columns.MULTIPLIER]
    slide = bodies[:, columns.TRANSLATION] * bodies[:, columns.MULTIPLIER]
    home = bodies[:, columns.HOME_POSITION : columns.HOME_POSITION + 3]
    axis = bodies[:, columns.HOME_ROTATION + 2 : columns.HOME_ROTATION + 9 : 3]
    xx, yy, zz, xy, xz, yz = bodies[:, columns.SECOND_MOMENT : columns.SECOND_MOMENT + 6].T
    inertia = np.array([[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]])
    first = bodies[:, columns.FIRST_MOMENT : columns.FIRST_MOMENT + 3]
    table = np.empty((len(bodies), majorants.COLUMNS))
    table[:, majorants.PARENT], table[:, majorants.COORDINATE] = tree.T
    table[:, majorants.TURN], table[:, majorants.SLIDE] = np.abs(turn), np.abs(slide)
    table[:, majorants.TRANSLATION] = slide
    table[:, majorants.OFFSET] = bodies[:, columns.TRANSLATION] * bodies[:, columns.OFFSET]
    table[:, majorants.SQUARED_DISTANCE] = (home**2).sum(axis=1)
    table[:, majorants.ALONG] = (home * axis).sum(axis=1)
    table[:, majorants.MASS] = bodies[:, columns.MASS]
    table[:, majorants.FIRST_MOMENT] = np.linalg.norm(first, axis=1)
    table[:, majorants.INERTIA] = np.abs(np.linalg.eigvalsh(inertia.T)).max(axis=1, initial=0.0)
    return table


class Motion(NamedTuple):
    """Segments of a curve as it is followed, rest before and after among them."""

    coefficients: Array  # (S, K, n)
    spans: Array  # (S,) in time at the speed of following; 1 for rest
    begins: Array  # (S,) times of the curve
    lengths: Array  # (S,) times of the curve; 0 for rest

    def narrow(
        self, intervals: Intervals, moved: Array, drives: Array, motors: bool
    ) -> NDArray[np.bool_]:
        """Return whether joints move little on intervals (I,), and laws have no pole near."""
        result = np.empty(len(intervals.segments), dtype=bool)
        mark_narrow(
            self.coefficients, *intervals, self.spans, moved, drives, motors, result
        )  # fmt: skip
        return result

    def expanded(self, intervals: Intervals) -> tuple[Array, Array, Array]:
        """
        Return series of the positions (I, K, n) and h (I,); and, between them, sizes (I, 4, n).

        These are sums of what the terms of the positions and three derivatives by z are made of.
        """
        count, (rows, n) = len(intervals.segments), self.coefficients.shape[1:]
        series, sizes = np.empty((count, rows, n)), np.empty((count, _LEAST_COUNT, n))
        expand_polynomials(self.coefficients, *intervals, series, sizes)
        return series, sizes, intervals.halves * self.spans[intervals.segments]

    def times(self, intervals: Intervals, z: Array) -> Array:
        """Return the times (I, Z) of the curve at values of z (Z,)."""
        segments, centres, halves = intervals
        u = centres[:, np.newaxis] + halves[:, np.newaxis] * z
        lengths = self.lengths[segments, np.newaxis]
        times: Array = self.begins[segments, np.newaxis] + lengths * u
        return times


def motion_of(curve: PiecewisePolynomial, speed: float) -> Motion:
    """Return the segments of a curve, rest at its end, and before it if it begins at rest."""
    coefficients, breaks = curve.coefficients, curve.breaks
    rest = np.zeros((1, *coefficients.shape[1:]))
    rest[:, 0] = curve.end
    parts = [coefficients, rest]
    begins, lengths = breaks.copy(), np.append(np.diff(breaks), 0.0)
    if len(coefficients) and not coefficients[0, 1:2].any():
        parts.append(np.where(np.arange(rest.shape[1])[:, np.newaxis] == 0, coefficients[:1], 0.0))
        begins, lengths = np.append(begins, breaks[0]), np.append(lengths, 0.0)
    every = np.concatenate(parts)
    missing = max(_LEAST_COUNT - every.shape[1], 0)
    every = np.ascontiguousarray(np.pad(every, ((0, 0), (0, missing), (0, 0))))
    return Motion(every, np.where(lengths > 0.0, lengths / speed, 1.0), begins, lengths)


class LinkEnclosures:
    """Efforts of the links of a tree of rigid bodies, without drives."""

    def __init__(self, model: ScrewModel, order: int = ORDER) -> None:
        """Make the table of bodies."""
        self.model, self.order, self.bodies = model, order, body_table(model)
        self.drives, self.motors = NO_DRIVES, False
        reach = np.sqrt(self.bodies[:, majorants.SQUARED_DISTANCE]).sum() or 1.0
        moved = self.bodies[:, [majorants.TURN, majorants.SLIDE]] / [1.0, reach]
        self.moved = np.zeros(model.n)
        np.maximum.at(self.moved, model.coordinates, moved.max(axis=1, initial=0.0))

    def enclosures(self, positions: Array, h: Array) -> dict[str, Enclosure]:
        """Return the efforts on intervals, from series of the positions (I, K, n)."""
        efforts = scale_to_series(inverse_dynamics(self.model, self.jets(positions, h)), h)
        radii, tails = self.discs(positions, h)
        # the tail of Lemma 1 on the interval itself
        falling = tails[:, 0] * radii[:, np.newaxis] ** -(self.order + 1.0)
        return {'effort': derivative_of(efforts, 0, h, falling + tails[:, 1])}

    def jets(self, positions: Array, h: Array) -> Array:
        """Return the joint jets (I, rows, n) at the centres."""
        jets = np.zeros((len(h), self.order + 3, positions.shape[2]))
        count = min(self.order + 3, positions.shape[1])
        scale = np.stack([factorial(k) / h**k for k in range(count)], axis=1)
        np.multiply(positions[:, :count], scale[:, :, np.newaxis], out=jets[:, :count])
        return jets

    def discs(self, positions: Array, h: Array) -> tuple[Array, Array]:
        """Return the radii of discs on which joints move little, and tails of the efforts."""
        radii, tails = np.empty(len(h)), np.empty((len(h), 2, self.model.n))
        gravity = float(np.linalg.norm(self.model.gravity))
        set_link_discs(
            self.order, positions, h, self.moved, self.bodies, gravity, radii, tails
        )  # fmt: skip
        return radii, tails


class DriveEnclosures(LinkEnclosures):
    """
    Efforts, springs and motors of a robot whose drives have no memory.

    Its springs are linear, cubic, exponential or none, and its rotors are not coupled.
    """

    def __init__(self, robot: Robot, motors: bool) -> None:
        """Choose the order; `motors` are left out if they are not limited."""
        table = robot.motors
        super().__init__(robot.tree, ORDER + (table.lost_orders if motors else 0))
        self.robot, self.motors, self.drives = robot, motors, _drive_table(table)

    def enclosures(self, positions: Array, h: Array) -> dict[str, Enclosure]:
        """Return all quantities on intervals, from series of the positions (I, K, n)."""
        jets = self.jets(positions, h)
        links = inverse_dynamics(self.model, jets)
        deflections, commands = np.zeros((2, len(h), 0, self.model.n))
        if self.motors:
            motion = feedforward_from_efforts(self.robot, jets, links)
            efforts = scale_to_series(motion.effort_jet, h)
            deflections = scale_to_series(motion.deflection_jet, h)
            commands = scale_to_series(motion.motor_effort_jet, h)
        else:
            efforts = scale_to_series(transmitted_efforts(self.robot, jets, links), h)
        links, smooth = scale_to_series(links, h), commands.copy()
        off = np.empty((remainders.REMAINDERS, len(h), self.model.n))
        set_remainders(
            self.order, h, *self.discs(positions, h), self.drives, positions, links, efforts,
            deflections, smooth, off,
        )  # fmt: skip
        found = {
            'effort': derivative_of(efforts, 0, h, off[remainders.EFFORT]),
            'effort rate': derivative_of(efforts, 1, h, off[remainders.EFFORT_RATE]),
        }
        if not self.motors:
            return found
        deflections = np.ascontiguousarray(deflections[:, : self.order + 1])
        theta = np.zeros((len(h), max(positions.shape[1], self.order + 1), self.model.n))
        theta[:, : positions.shape[1]] = positions
        theta[:, : deflections.shape[1]] += deflections
        apart = derivative_of(commands, 0, h, off[remainders.MOTOR_EFFORT])
        return {
            **found,
            'deflection': derivative_of(deflections, 0, h, off[remainders.DEFLECTION]),
            'motor velocity': derivative_of(theta, 1, h, off[remainders.MOTOR_VELOCITY]),
            'motor effort': apart._replace(series=smooth),
            'motor effort rate': derivative_of(commands, 1, h, off[remainders.MOTOR_EFFORT_RATE]),
        }


def _drive_table(table: MotorTable) -> Array:
    """Return the table of `kernels.enclosures.remainders`."""
    laws = np.zeros((table.n, 4))
    laws[:, 3] = table.laws
    for j, law in enumerate(table.laws.tolist()):
        parameters = table.parameters[table.offsets[j] : table.offsets[j] + 2]
        if law == LINEAR:
            laws[j, 0] = 1.0 / parameters[0]
        elif law == VARIABLE:
            laws[j, 0] = 1.0 / table.stiffness[table.variable[j]]
        elif law in (CUBIC, EXPONENTIAL):
            laws[j, 1:3] = parameters
    frictions = table.joint_rows, table.joint_friction, table.rows, table.friction
    return np.hstack((*frictions, table.parallel_springs, laws))
