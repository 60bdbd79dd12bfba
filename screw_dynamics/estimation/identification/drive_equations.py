# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of motors as functions of the parameters of their drives, of links and of a load."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import Drives, transmitted_efforts
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.springs import AdjustableSpring, AntagonisticPair
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.regressor import inertial_parameters, regressor
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.identification.columns import (
    FIRST_VELOCITY,
    Columns,
    ParallelSprings,
    load_at,
)
from screw_dynamics.estimation.identification.pseudo_inertia import (
    NAMES,
    inertia_of,
    parameters_of,
    pseudo_inertias,
)
from screw_dynamics.estimation.identification.samples import Jets, Samples
from screw_dynamics.model.screw_model import ScrewModel

# numbers of each drive, on the joint side of the gear
FIELDS = (
    'rotor_inertia',
    'viscous',
    'coulomb',
    'coulomb_velocity',
    'breakaway_excess',
    'stribeck_velocity',
    'load_friction',
    'offset',
    'torque_constant',
    'load_effort',
)
INERTIA, VISCOUS, COULOMB, VELOCITY, BREAKAWAY, STRIBECK, LOAD, OFFSET, CONSTANT, EFFORT = range(
    len(FIELDS)
)
DRY = [VELOCITY, BREAKAWAY, STRIBECK, LOAD]  # beside Coulomb friction
DELAY = 'delay'
# standard deviations of dry friction, before a recording is seen
LIKELY_LOAD = 0.1  # of the effort
LIKELY_EXCESS = 0.5  # of Coulomb friction
LIKELY_VELOCITY = 0.7  # of a velocity
_SURE = 4.0  # standard deviations of dry friction that is there
_SHARP = 0.35  # of a velocity, the standard deviation of one that is told
_LEAST = 1e-9  # of the size of a pseudo-inertia, its least eigenvalue


@dataclass(frozen=True, eq=False)
class DriveEquations:
    """
    What a motor reports: m = (B theta'' + F(theta', tau) + tau + o) / a at the time t - delay.

    tau is what its joint transmits, a the torque constant over the one assumed. `initial` (10, n)
    has the `FIELDS` of the robot, which those that are not `free` (10, n) keep; `known` (10, n)
    are the standard deviations of these numbers, infinite for most. `beside` has the columns of
    springs beside drives, and the coupling of motors; `payload` is the frame of a load.
    `uncertainty` is the relative standard deviation of the links: masses, first moments and
    inertias; L (1 + uncertainty E) L^T is the pseudo-inertia of a link L L^T whose errors E,
    symmetric, have entries of variance 1, off the diagonal 1/2.
    """

    robot: Robot
    initial: Array
    known: Array
    free: NDArray[np.bool_]
    delayed: bool
    beside: Columns
    payload: str | None
    uncertainty: float

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of drives, by field; the delay; springs beside drives; the load; errors of links."""
        own = [
            f'{self.robot.joint_names[j]}.{FIELDS[k]}' for k, j in np.argwhere(self.free).tolist()
        ]
        load = [] if self.payload is None else [f'payload.{name}' for name in NAMES]
        links = [f'link.{k}' for k in range(self._bodies.shape[1] - len(load))]
        return (*own, *[DELAY] * self.delayed, *self.beside.names, *load, *links)

    @property
    def public(self) -> slice:
        """The parameters but for errors of links, which come last."""
        return slice(self.first_body + len(NAMES) * (self.payload is not None))

    @property
    def drive_count(self) -> int:
        """Number of parameters of drives, the delay among them, which come first."""
        return int(self.free.sum()) + self.delayed

    @property
    def first_body(self) -> int:
        """Place of the first parameter of bodies, after those of springs beside drives."""
        return self.drive_count + len(self.beside.names)

    @property
    def initial_values(self) -> Array:
        """Values (P,) of the robot as it is: no delay, no load, no errors of links."""
        values = np.zeros(len(self.names))
        values[: int(self.free.sum())] = self.initial[self.free]
        return values

    @property
    def constants(self) -> NDArray[np.bool_]:
        """Which of the parameters (P,) are torque constants."""
        found = np.zeros(len(self.names), dtype=bool)
        found[: int(self.free.sum())] = np.nonzero(self.free)[0] == CONSTANT
        return found

    @property
    def prior(self) -> Array:
        """Standard deviations (P,) of `first` as it is known; infinite for most."""
        found = np.full(len(self.names), np.inf)
        found[: int(self.free.sum())] = self.known[self.free]
        found[[name.startswith('link.') for name in self.names]] = 1.0
        return found

    def determined(self, values: Array, deviations: Array) -> NDArray[np.bool_]:
        """
        Return which parameters (P,) a recording tells, of those known in advance too.

        These are dry friction that is clearly there, and its velocities; no errors of links.
        """
        fields, joints = np.argwhere(self.free).T
        found, count = np.isinf(self.prior), len(fields)
        own, certain = found[:count], values[:count] / np.maximum(deviations[:count], _LEAST)
        dry, knee = np.isin(fields, (BREAKAWAY, LOAD)), fields == VELOCITY
        own[dry], own[knee] = certain[dry] > _SURE, certain[knee] > 1.0 / _SHARP
        breaks = joints[(fields == BREAKAWAY) & own]
        own[(fields == STRIBECK) & np.isin(joints, breaks)] = True
        return found

    def coefficients(self, values: Array) -> Array:
        """Return the fields (10, n) of all drives."""
        found: Array = self.initial.copy()
        found[self.free] = values[: int(self.free.sum())]
        return found

    def delay(self, values: Array) -> float:
        """Return the delay of the motor efforts behind the positions [s]."""
        return float(values[self.drive_count - 1]) if self.delayed else 0.0

    @cached_property
    def _bodies(self) -> Array:
        """The parameters (10 nb, L) of all bodies that one of the load or of links adds."""
        model = self.robot.tree
        size = len(inertial_parameters(model))
        columns = np.zeros((size, 0))
        if self.payload is not None:
            own, transform = load_at(model, self.payload)
            columns = np.zeros((size, len(NAMES)))
            columns[own] = transform
        if self.uncertainty == 0.0:
            return columns
        return np.hstack((columns, self.uncertainty * link_errors(model)))

    @cached_property
    def _fixed(self) -> Robot:
        """The robot, with all friction of rigid joints at their motors."""
        drives = self.robot.drives or Drives({})
        records = {
            name: replace(joint, friction=None) if joint.spring is None else joint
            for name, joint in zip(self.robot.joint_names, self.robot.joint_drives, strict=True)
        }
        for name in self.beside.springs:  # sought in place of those given
            records[name] = replace(records[name], parallel_spring=None)
        return replace(self.robot, drives=replace(drives, joints=records, urdf_dynamics=False))

    def bodies(self, values: Array) -> Array:
        """Return the parameters (10 nb,) that load and errors of links add to the bodies."""
        return np.asarray(self._bodies @ values[self.first_body :])

    def transmitted(self, values: Array, links: Array) -> Array:
        """Return the efforts (T, n) that the joints transmit for jets (T, 3, n), at motors."""
        return self._transmitted(values, links)[0]

    def transmitted_columns(self, links: Array) -> Array:
        """Return the derivatives (T, n, P) of the transmitted efforts."""
        rows = self._transmitted(self.initial_values, links)[1]
        return np.pad(rows, ((0, 0), (0, 0), (self.drive_count, 0)))

    def _transmitted(self, values: Array, links: Array) -> tuple[Array, Array]:
        """Return the transmitted efforts, and their derivatives by springs and bodies."""
        every, springs = regressor(self.robot.tree, links)[:, 0], self.beside.of(links)
        tau = self._known(links) + every @ self.bodies(values)
        tau = tau + springs @ values[self.drive_count : self.first_body]
        rows = np.concatenate((springs, every @ self._bodies), axis=2)
        return self._at_motors(tau), self._at_motors(rows)

    def _known(self, links: Array) -> Array:
        """Return the efforts (T, n) without springs that are sought, load and errors of links."""
        efforts = inverse_dynamics(self.robot.tree, links)[:, :1]
        return transmitted_efforts(self._fixed, links, efforts)[:, 0]

    def _at_motors(self, efforts: Array) -> Array:
        """Return the efforts (T, n, ...) of motors that turn joints together."""
        if self.beside.coupling is None:
            return efforts
        inverse = np.linalg.inv(self.beside.coupling)
        return np.asarray(np.einsum('tj...,jk->tk...', efforts, inverse))

    def efforts(self, values: Array, jets: Jets) -> Array:
        """Return what the motors report (T, n)."""
        numbers, tau = self.coefficients(values), self.transmitted(values, jets.links)
        return _motor_efforts(numbers, jets.motors, tau)

    def as_given(self, samples: Samples) -> Array:
        """Return what the motors (T, n) of the robot given report."""
        return self.efforts(self.initial_values, samples.jets())

    def transmitted_as_given(self, samples: Samples) -> Array:
        """Return what the joints (T, n) of the robot given transmit."""
        return self.transmitted(self.initial_values, samples.jets().links)

    def parts(self, values: Array, jets: Jets) -> dict[str, Array]:
        """Return what the motors report (T, n) by what causes it."""
        numbers, motors = self.coefficients(values), jets.motors
        still = jets.links.copy()
        still[:, 1:] = 0.0
        bare, count = values.copy(), self.drive_count
        bare[count : self.first_body] = 0.0
        gravity, links = (self.transmitted(bare, own) for own in (still, jets.links))
        tau = self.transmitted(values, jets.links)
        whole = self.efforts(values, jets) * numbers[CONSTANT]
        rotor = numbers[INERTIA] * motors[:, 2]
        offset = numbers[OFFSET] + np.zeros_like(rotor)
        friction = whole - tau - rotor - offset
        found = {'gravity': gravity, 'inertia': links - gravity, 'friction': friction}
        found |= {'rotor': rotor, 'offset': offset}
        if self.first_body > count:
            found['spring'] = tau - links
        return {kind: part / numbers[CONSTANT] for kind, part in found.items()}

    def columns(self, values: Array, jets: Jets, rates: Array) -> Array:
        """Return the derivatives of `efforts`, of `rates` (T, n), then these: (T, n, P + 1)."""
        numbers, motors = self.coefficients(values), jets.motors
        tau, rows = self._transmitted(values, jets.links)
        parts = motor_columns(numbers, motors, tau)
        found = np.zeros((*tau.shape, len(self.names) + 1))
        for place, (k, j) in enumerate(np.argwhere(self.free).tolist()):
            found[:, j, place] = parts[k, :, j]
        if self.delayed:
            found[:, :, self.drive_count - 1] = -rates
        sense, _, root = dry_parts(motors[:, 1], tau, numbers)
        slope = (1.0 + numbers[LOAD] * sense * tau / root) / numbers[CONSTANT]
        found[:, :, self.drive_count : -1] = slope[..., np.newaxis] * rows
        found[:, :, -1] = -numbers[CONSTANT] * parts[CONSTANT]
        return found


def drive_equations(
    robot: Robot,
    moved: NDArray[np.bool_],
    offsets: bool,
    constants: NDArray[np.bool_],
    delayed: bool,
    payload: str | None,
    uncertainty: float,
    springs: ParallelSprings | None = None,
    coupling: Array | None = None,
) -> DriveEquations:
    """Return the equations that seek motors of joints `moved` (n,) and torque constants (n,)."""
    sought = dict(springs or {})
    beside = Columns(robot.tree, moved, False, False, False, springs=sought, coupling=coupling)
    for name, joint in zip(robot.joint_names, robot.joint_drives, strict=True):
        if isinstance(joint.spring, (AdjustableSpring, AntagonisticPair)):
            raise InputError(
                f'joint {name!r}: expected a spring of one motor with a fixed law, got a '
                f'{type(joint.spring).__name__}'
            )
    table = robot.motors
    inertia, viscous, coulomb, knee = table.rows.T
    excess, stribeck, load, rounding = table.friction.T
    rubs = np.array([joint.motor.has_friction for joint in robot.joint_drives], dtype=bool)
    knee = np.where(rubs, knee, FIRST_VELOCITY)
    dry, zeros = (coulomb, knee, excess, stribeck, load), np.zeros(robot.n)
    initial = np.stack((inertia, viscous, *dry, zeros, zeros + 1.0, rounding))
    free = np.zeros(initial.shape, dtype=bool)
    free[[INERTIA, VISCOUS, COULOMB]] = moved
    free[OFFSET], free[CONSTANT] = moved & offsets, constants
    held = [f'{name}.spring_torque' in beside.names for name in robot.joint_names]
    free[OFFSET, held] = False
    known = np.full(initial.shape, np.inf)
    return DriveEquations(robot, initial, known, free, delayed, beside, payload, uncertainty)


def with_dry_friction(
    equations: DriveEquations, numbers: Array, coulomb: Array, free: NDArray[np.bool_]
) -> DriveEquations:
    """
    Return equations with the dry friction that drives may have beside `coulomb` (n,).

    Breakaway, friction under load and the velocities at which either changes, of those `free`
    (10, n), are no more than likely: where a recording does not tell them from Coulomb friction,
    its band contains them. `numbers` (10, n) are those to begin at.
    """
    initial, every, known = numbers.copy(), equations.free.copy(), equations.known.copy()
    every[DRY] = free[DRY]
    known[LOAD] = LIKELY_LOAD
    known[[VELOCITY, STRIBECK]] = LIKELY_VELOCITY * numbers[[VELOCITY, STRIBECK]]
    known[BREAKAWAY] = LIKELY_EXCESS * coulomb
    initial[[COULOMB, BREAKAWAY, LOAD]] = equations.initial[[COULOMB, BREAKAWAY, LOAD]]
    return replace(equations, initial=initial, known=known, free=every)


def _motor_efforts(numbers: Array, motors: Array, tau: Array) -> Array:
    """Return what motors report (T, n) that transmit tau."""
    rate = motors[:, 1]
    sense, decay, root = dry_parts(rate, tau, numbers)
    level = numbers[COULOMB] + numbers[BREAKAWAY] * decay + numbers[LOAD] * root
    effort = numbers[INERTIA] * motors[:, 2] + numbers[VISCOUS] * rate + sense * level
    return np.asarray((effort + tau + numbers[OFFSET]) / numbers[CONSTANT])


def motor_columns(numbers: Array, motors: Array, tau: Array) -> Array:
    """Return the derivatives (10, T, n) of what motors report."""
    rate = motors[:, 1]
    sense, decay, root = dry_parts(rate, tau, numbers)
    broken, loaded, ratio = sense * decay, sense * root, rate / numbers[VELOCITY]
    level = numbers[COULOMB] + numbers[BREAKAWAY] * decay + numbers[LOAD] * root
    found = np.zeros((len(FIELDS), *tau.shape))
    kinds = [INERTIA, VISCOUS, COULOMB, BREAKAWAY, LOAD]
    found[kinds] = motors[:, 2], rate, sense, broken, loaded
    found[VELOCITY] = -level * (1.0 - sense**2) * ratio / numbers[VELOCITY]
    found[STRIBECK] = broken * numbers[BREAKAWAY] * 2.0 * rate**2 / numbers[STRIBECK] ** 3
    found[OFFSET], found[CONSTANT] = 1.0, -_motor_efforts(numbers, motors, tau)
    return np.asarray(found / numbers[CONSTANT])


def dry_parts(rate: Array, tau: Array, numbers: Array) -> tuple[Array, ...]:
    """Return tanh(v / v0), exp(-(v / vs)^2) and sqrt(tau^2 + u0^2) of `JointFriction`."""
    decay = np.exp(-((rate / numbers[STRIBECK]) ** 2))
    return np.tanh(rate / numbers[VELOCITY]), decay, np.hypot(tau, numbers[EFFORT])


def link_errors(model: ScrewModel) -> Array:
    """Return the parameters (10 nb, E) of all bodies for unit errors of links; see above."""
    every = inertial_parameters(model).reshape(-1, len(NAMES))
    columns = []
    for body, pseudo in enumerate(pseudo_inertias(every)):
        if not pseudo[3, 3] > 0.0:
            continue
        sizes, axes = np.linalg.eigh(pseudo)
        root = axes * np.sqrt(np.maximum(sizes, 0.0))
        for i in range(4):
            for j in range(i, 4):
                error = np.zeros((4, 4))
                error[i, j] = error[j, i] = 1.0 if i == j else np.sqrt(0.5)
                column = np.zeros(every.shape)
                column[body] = parameters_of(root @ error @ root.T)
                columns.append(column.ravel())
    found: Array = np.array(columns).reshape(len(columns), every.size).T
    return found


def with_bodies(model: ScrewModel, added: Array) -> ScrewModel:
    """Return a model with parameters (10 nb,) added to its bodies, made possible."""
    inertias = model.inertias.copy()
    parameters = (inertial_parameters(model) + added).reshape(-1, len(NAMES))
    for body in np.flatnonzero(added.reshape(-1, len(NAMES)).any(axis=1)).tolist():
        sizes, axes = np.linalg.eigh(pseudo_inertias(parameters[body]))
        possible = (axes * np.maximum(sizes, _LEAST * sizes.max())) @ axes.T
        inertias[body] = inertia_of(parameters_of(possible))
    return replace(model, inertias=inertias)
