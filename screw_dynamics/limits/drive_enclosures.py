# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Enclosures of efforts and motions of drives, see `enclosures` and docs/theory/certificate.md.

A law that is analytic on discs of its inputs is analytic in time on the disc where its inputs stay
in these. The bound of its modulus there is one of all its Taylor coefficients in z.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import perm
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.feedforward import feedforward_from_efforts
from screw_dynamics.drives.motor_table import MotorTable
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.transmitted_efforts import transmitted_efforts
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.kernels.drives.friction import EXCESS, LOAD, LOAD_EFFORT
from screw_dynamics.kernels.drives.laws import (
    COULOMB,
    COULOMB_VELOCITY,
    CUBIC,
    EXPONENTIAL,
    INERTIA,
    LINEAR,
    VARIABLE,
    VISCOUS,
)
from screw_dynamics.kernels.drives.parallel import FORCE, STIFFNESS
from screw_dynamics.limits.enclosures import (
    ORDER,
    Enclosure,
    LinkEnclosures,
    derivative_of,
    product,
    series_of,
    share_of,
    size_of,
    tail_of_peak,
)
from screw_dynamics.limits.law_discs import (
    TANH,
    deflection_changes,
    friction_changes,
    friction_radii,
    load_changes,
    parallel_discs,
)

Tail: TypeAlias = Callable[[int, Array], Array]

_LEAST_RADIUS = 3.0  # of a disc without a pole of friction, on the first intervals
_SMALLEST, _LARGEST = 1.5, 24.0  # radius of a disc of laws
_STEP = 0.6  # from one such radius to the next
_SMOOTH = 'motor effort without dry friction'
_NESTED = 0.5  # of the radius of a disc in another one, on which the other's derivatives are known


class _Friction(NamedTuple):
    """Dry friction of joints or motors (m,): its tables, and whether it is there."""

    rows: Array
    further: Array
    dry: NDArray[np.bool_]
    load: Array

    @property
    def any(self) -> bool:
        """Whether some of them have it."""
        return bool(self.dry.any())

    def changes(self, velocity: Array, change: Array) -> tuple[Array, Array]:
        """Return by how much tanh(v / v0), and dry friction without load, change."""
        sense, level = friction_changes(self.rows, self.further, velocity, change)
        return np.where(self.dry, sense, 0.0), np.where(self.dry, level, 0.0)

    def senses(self, velocity: Array) -> Array:
        """Return tanh(v / v0)."""
        return np.tanh(velocity / self.rows[:, COULOMB_VELOCITY])


def _friction(rows: Array, further: Array) -> _Friction:
    level = rows[:, COULOMB] + further[:, EXCESS] + further[:, LOAD]
    return _Friction(rows, further, level > 0.0, further[:, LOAD])


class DriveEnclosures:
    """
    Efforts, springs and motors of a robot whose drives have no memory.

    Its springs are linear, cubic, exponential or none, and its rotors are not coupled.
    """

    def __init__(self, robot: Robot, motors: bool) -> None:
        """Choose the orders; `motors` are left out if they are not limited."""
        table = robot.motors
        self.robot, self.motors = robot, motors
        self.links = LinkEnclosures(robot.tree, ORDER + (table.lost_orders if motors else 0))
        self.joint = _friction(table.joint_rows, table.joint_friction)
        self.motor = _friction(table.rows, table.friction)
        springs = table.parallel_springs
        self.supported = (springs[:, STIFFNESS] != 0.0) | (springs[:, FORCE] != 0.0)
        self.compliance, self.bent = _compliances(table)
        self.nested = bool(self.compliance.any() or self.bent or self.motor.load.any())

    def narrow(self, positions: Array, h: Array) -> NDArray[np.bool_]:
        """Return whether intervals (I,) are short enough for links and friction."""
        near = self.links.narrow(positions, h)
        velocities = derivative_of(positions, 1, h)
        frictions = (self.joint, self.motor) if self.motors else (self.joint,)
        for friction in frictions:
            if friction.any:
                radius = friction_radii(friction.rows, friction.further, velocities[0])
                far = size_of(velocities, _LEAST_RADIUS) > radius
                near &= ~(far & friction.dry).any(axis=1)
        if self.supported.any():
            radius, level = parallel_discs(self.robot.motors.parallel_springs, positions[0])
            far = size_of(positions, _LEAST_RADIUS) > radius
            near &= ~(far & (level > 0.0)).any(axis=1)
        return near

    def enclosures(self, positions: Array, h: Array) -> dict[str, Enclosure]:
        """Return all quantities on intervals, from series of the positions (K, I, n)."""
        point = _Point(self, positions, h)
        radius = np.minimum(point.disc.radius, _LARGEST)
        off = point.remainders(radius)
        while (radius > _SMALLEST).any():
            radius = radius * _STEP
            off = {name: np.fmin(off[name], new) for name, new in point.remainders(radius).items()}
        found = {
            quantity: Enclosure(series, off[quantity], series[0])
            for quantity, series in point.quantities()
        }
        if self.motors and self.motor.any:
            # near a knee that is too narrow for the interval friction is within its level
            series, level = point.smooth_commands(off['effort'])
            given, apart = found['motor effort'], off[_SMOOTH] + level
            chosen = apart < given.radius
            found['motor effort'] = Enclosure(
                np.where(chosen, series, given.series),
                np.where(chosen, apart, given.radius),
                given.centre,
            )
        return found


def _compliances(table: MotorTable) -> tuple[Array, list[tuple[int, int, Array]]]:
    """Return 1 / K of linear springs (n,), 0 for the others, and joints with laws that bend."""
    compliance, bent = np.zeros(table.n), []
    for j, law in enumerate(table.laws.tolist()):
        parameters = table.parameters[table.offsets[j] : table.offsets[j] + 2]
        if law == LINEAR:
            compliance[j] = 1.0 / parameters[0]
        elif law == VARIABLE:
            compliance[j] = 1.0 / table.stiffness[table.variable[j]]
        elif law in (CUBIC, EXPONENTIAL):
            bent.append((j, law, parameters))
    return compliance, bent


class _Point:
    """Series at the centres of intervals, and their remainders from discs about them."""

    def __init__(self, drives: DriveEnclosures, positions: Array, h: Array) -> None:
        """Compute the series of all quantities."""
        self._drives, self._h, self._positions = drives, h, positions
        robot, links = drives.robot, drives.links
        self._table = table = robot.motors
        self._order = links.order
        self._velocities = derivative_of(positions, 1, h)
        jets = links.jets(positions, h)
        efforts = inverse_dynamics(robot.model, jets)
        self._linked = series_of(efforts, h)
        disc = links.disc(positions, h)
        more = size_of(self._velocities, disc.radius, links.order + 1)
        self._viscous = table.joint_rows[:, VISCOUS]
        rest = disc.rest + self._viscous * more
        self.disc = replace(disc, rest=rest)
        if not drives.motors:
            self._efforts = series_of(transmitted_efforts(robot, jets, efforts), h)
            return
        motion = feedforward_from_efforts(robot, jets, efforts)
        self._efforts = series_of(motion.effort_jet, h)
        self._deflections = series_of(motion.deflection_jet, h)[: links.order + 1]
        self._commands = series_of(motion.motor_effort_jet, h)
        longest = max(len(positions), len(self._deflections))
        theta = np.zeros((longest, *positions.shape[1:]))
        theta[: len(positions)] += positions
        theta[: len(self._deflections)] += self._deflections
        self._rates = derivative_of(theta, 1, h)

    def quantities(self) -> list[tuple[str, Array]]:
        """Return names and series."""
        h = self._h
        found = [('effort', self._efforts), ('effort rate', derivative_of(self._efforts, 1, h))]
        if self._drives.motors:
            rates = derivative_of(self._commands, 1, h)
            found += [('deflection', self._deflections), ('motor velocity', self._rates)]
            found += [('motor effort', self._commands), ('motor effort rate', rates)]
        return found

    def remainders(self, radius: Array) -> dict[str, Array]:
        """Return the remainders of the quantities, from a disc of joint friction and others."""
        h, one, order = self._h, np.ones_like(self._h), self._order
        changed = self._joint_changes(radius)

        rubs, springs = bool(changed.any()), bool(self._drives.compliance.any())

        def efforts(derivative: int, on: Array) -> Array:
            if not rubs:
                return self.disc.tail(derivative, on)
            tail = product(changed, tail_of_peak(order, derivative, on / radius))
            return self.disc.tail(derivative, on) + tail / on**derivative

        found = {'effort': efforts(0, one), 'effort rate': efforts(1, one) / h}
        if not self._drives.motors:
            return found
        inner = _NESTED * radius if self._drives.bent else radius
        bent = self._bent_changes(inner, efforts)
        compliance = self._drives.compliance

        def deflections(derivative: int, on: Array) -> Array:
            tail = np.zeros(bent.shape)
            if self._drives.bent:
                tail = product(bent, tail_of_peak(order, derivative, on / inner))
                tail = tail / on**derivative
            return tail + product(compliance, efforts(derivative, on)) if springs else tail

        found['deflection'] = deflections(0, one)
        found['motor velocity'] = deflections(1, one) / h
        innermost = _NESTED * inner if self._drives.nested else radius
        rubbed = self._motor_changes(innermost, efforts, deflections)
        last = len(self._commands)
        inertia, viscous = self._table.rows[:, INERTIA], self._table.rows[:, VISCOUS]
        smooth = []
        for d in (0, 1):
            off = efforts(d, one) + viscous * deflections(d + 1, one) / h
            off = off + inertia * deflections(d + 2, one) / h**2
            # what is known of the parts beyond the series of their sum
            for part, factor in self._parts():
                for k in range(last, len(part)):
                    off = off + factor * perm(k, d) * np.abs(part[k])
            smooth.append(off / h**d)
        found[_SMOOTH] = smooth[0]
        for d, name in enumerate(('motor effort', 'motor effort rate')):
            rub = product(rubbed, tail_of_peak(last - 1, d, one / innermost))
            found[name] = smooth[d] + rub / h**d
        return found

    def smooth_commands(self, off: Array) -> tuple[Array, Array]:
        """Return series of motor efforts without dry friction, and bounds of that."""
        count, further = len(self._commands), self._drives.motor.further
        rows = self._table.rows
        series = np.zeros_like(self._commands)
        for part, factor in self._parts():
            series[: len(part)] += (factor * part)[:count]
        load = np.hypot(size_of(self._efforts, 1.0, 0) + off, further[:, LOAD_EFFORT])
        load = np.where(further[:, LOAD] > 0.0, load, 0.0)
        level = rows[:, COULOMB] + further[:, EXCESS] + further[:, LOAD] * load
        return series, level

    def _parts(self) -> tuple[tuple[Array, Array | float], ...]:
        """Return the series whose sum motor efforts without dry friction are."""
        rows = self._table.rows
        accelerations = derivative_of(self._rates, 1, self._h)
        return (
            (self._efforts, 1.0),
            (self._rates, rows[:, VISCOUS]),
            (accelerations, rows[:, INERTIA]),
        )

    def _joint_changes(self, radius: Array) -> Array:
        """Return by how much efforts of joint friction and parallel springs change on a disc."""
        friction, springs = self._drives.joint, self._table.parallel_springs
        changed = np.zeros(self._positions.shape[1:])
        if self._drives.supported.any():
            allowed, level = parallel_discs(springs, self._positions[0])
            share = share_of(size_of(self._positions, radius), allowed)
            changed = changed + 2.0 * product(level, share)
        if not friction.any:
            return changed
        sense, level = friction.changes(self._velocities[0], size_of(self._velocities, radius))
        changed = changed + level
        if friction.load.any():
            changed = changed + self._load_peaks(radius, changed, sense)
        return changed

    def _load_peaks(self, radius: Array, changed: Array, turned: Array) -> Array:
        """Return bounds of the joint friction under load, m (r + m k) / (1 - m^2)."""
        friction = self._drives.joint
        load, rounding = friction.load, friction.further[:, LOAD_EFFORT]
        given, sense = self._efforts[0], load * friction.senses(self._velocities[0])
        with np.errstate(invalid='ignore', over='ignore', divide='ignore'):
            effort = np.abs(given - sense * np.hypot(given, rounding))
            change = size_of(self._linked, radius) + self.disc.tail(0, radius) + changed
            change = change + self._viscous * size_of(self._velocities, radius)
            least, most = np.abs(sense), np.abs(sense) + load * turned
            # the root of k^2 + (1 - m^2) u0^2 is analytic where this is not 0
            away = effort - change > rounding * np.sqrt(1.0 + most**2)
            moved = change * (2.0 * effort + change) + rounding**2 * (most**2 - least**2)
            near = moved < effort**2 + rounding**2 * (1.0 - least**2)
            largest = effort + change
            root = np.sqrt(largest**2 + (1.0 + most**2) * rounding**2)
            peak = most * (root + most * largest) / (1.0 - most**2)
        peak = np.where((most < 1.0) & (away | near), peak, np.inf)
        return np.where(load > 0.0, peak, 0.0)

    def _bent_changes(self, radius: Array, efforts: Tail) -> Array:
        """Return by how much the deflections of cubic and exponential springs change on a disc."""
        changes = np.zeros(self._positions.shape[1:])
        if self._drives.bent:
            moved = size_of(self._efforts, radius) + efforts(0, radius)
            for j, law, parameters in self._drives.bent:
                deflection = self._deflections[0][:, j]
                changes[:, j] = deflection_changes(law, parameters, deflection, moved[:, j])
        return changes

    def _motor_changes(self, radius: Array, efforts: Tail, deflections: Tail) -> Array:
        """Return by how much dry friction of motors changes on a disc."""
        friction = self._drives.motor
        if not friction.any:
            return np.zeros(self._positions.shape[1:])
        rates = self._rates
        moved = size_of(rates, radius) + deflections(1, radius) / self._h
        sense, level = friction.changes(rates[0], moved)
        if friction.load.any():
            given, rounding = self._efforts[0], friction.further[:, LOAD_EFFORT]
            change = size_of(self._efforts, radius) + efforts(0, radius)
            loaded = (
                TANH * load_changes(given, rounding, change) + np.hypot(given, rounding) * sense
            )
            level = level + np.where(friction.load > 0.0, friction.load * loaded, 0.0)
        return level
