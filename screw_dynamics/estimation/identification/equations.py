# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of joints or motors as functions of parameters of drives, springs, links and a load."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import Drives, transmitted_efforts
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.springs import AdjustableSpring, AntagonisticPair, ParallelSpring
from screw_dynamics.dynamics.base_parameters import BaseParameters, base_parameters
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.regressor import inertial_parameters, regressor
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.identification.motor_terms import (
    Field,
    Jets,
    dry_parts,
    motor_columns,
    motor_efforts,
)
from screw_dynamics.estimation.identification.parallel_springs import (
    TORQUE,
    ParallelSprings,
    require_springs,
    spring_columns,
    spring_entries,
    springs_found,
)
from screw_dynamics.estimation.identification.pseudo_inertia import NAMES, link_errors, load_at
from screw_dynamics.model.screw_model import ScrewModel

FIRST_VELOCITY = 0.01  # rad/s or m/s, of Coulomb friction in a first fit
_OF_JOINTS = [Field.OFFSET, Field.VISCOUS, Field.COULOMB, Field.INERTIA]  # in this order
_CAUSES = dict(zip(_OF_JOINTS, ('offset', 'friction', 'friction', 'rotor'), strict=True))
_SURE = 4.0  # standard deviations of dry friction that is there
_SHARP = 0.35  # of a velocity, the standard deviation of one that is told
_LEAST = 1e-9  # the least standard deviation


@dataclass(frozen=True, eq=False)
class Equations:
    """
    What the `motors` of `joints` (n,) report, or sensors at these joints.

    A motor reports m = (B theta'' + F(theta', tau) + tau + o) / a at the time t - delay. tau is
    what its joint transmits, a the torque constant over the one assumed. A sensor reports the same
    of a rigid joint. Motors turn by `coupling` A (n, n) of the joints: they transmit A^-T tau, and
    a sensor reports A^T (B theta'' + F) + tau + o. `initial` (10, n) has the `Field`s to begin
    with, which those that are not `free` (10, n) keep; `deviations` (10, n) are the standard
    deviations with which they are known, infinite for most. `springs` act beside the drives,
    `payload` is the frame of a load. Of links, base parameters are sought, or they have the
    relative `uncertainty`: L (1 + uncertainty E) L^T is the pseudo-inertia of a link L L^T whose
    errors E, symmetric, have entries of variance 1, off the diagonal 1/2.
    """

    robot: Robot
    joints: NDArray[np.bool_]
    free: NDArray[np.bool_]
    initial: Array
    deviations: Array | float = np.inf
    motors: bool = False
    delayed: bool = False
    springs: ParallelSprings = field(default_factory=dict)
    coupling: Array | None = None
    payload: str | None = None
    links: bool = False
    uncertainty: float = 0.0

    def __post_init__(self) -> None:
        """Raise InputError for a load beside links, which contain it, or at no moving frame."""
        if self.payload is not None:
            load_at(self.robot.tree, self.payload)
            if self.links:
                raise InputError('payload: expected None with links, which contain it')
        require_springs(self.springs, self.robot.joint_names)

    def of_joints(self, joints: NDArray[np.bool_]) -> Equations:
        """Return the equations of some of the joints (n,)."""
        delayed = self.delayed and bool(joints.any())
        return replace(self, joints=joints, free=self.free & joints, delayed=delayed)

    @cached_property
    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Field and joint of the parameters of drives (D,), which come first."""
        order = np.arange(len(Field)) if self.motors else np.array(_OF_JOINTS)
        held = [name for name, spring in self.springs.items() if isinstance(spring, str)]
        free = self.free.copy()
        free[Field.OFFSET] &= ~np.isin(self.robot.joint_names, held)  # by a spring's torque
        fields, joints = np.nonzero(free[order])
        return order[fields], joints

    @cached_property
    def _beside(self) -> list[tuple[str, int]]:
        """Entry and joint of the parameters of springs beside drives."""
        return spring_entries(self.springs, self.robot.joint_names, self.joints)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of drives, by field; the delay; springs beside drives; the load; links."""
        every = tuple(Field)
        entries = [(every[k].entry, j) for k, j in zip(*self.places, strict=True)]
        own, beside = (
            [f'{self.robot.joint_names[j]}.{entry}' for entry, j in part]
            for part in (entries, self._beside)
        )
        load = [] if self.payload is None else [f'payload.{name}' for name in NAMES]
        errors = range(self._bodies.shape[1] - len(load))
        links = [f'link.{k}' for k in errors] if self.base is None else self.base.names
        return (*own, *['delay'] * self.delayed, *beside, *load, *links)

    @property
    def public(self) -> slice:
        """The parameters but for errors of links, which come last."""
        return slice(self.first_body + len(NAMES) * (self.payload is not None))

    @property
    def drive_count(self) -> int:
        """Number of parameters of drives, the delay among them, which come first."""
        return len(self.places[0]) + self.delayed

    @property
    def first_body(self) -> int:
        """Place of the first parameter of bodies, after those of springs beside drives."""
        return self.drive_count + len(self._beside)

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        """Of the parameters before those of bodies, whether a negative value is impossible."""
        beside = [entry != TORQUE for entry, _ in self._beside]
        return np.array(
            [*(self.places[0] != Field.OFFSET), *[False] * self.delayed, *beside], dtype=bool
        )

    @property
    def least(self) -> Array:
        """The least possible values (P,): 0 or minus infinity."""
        above = np.zeros(len(self.names), dtype=bool)
        above[: self.first_body] = self.positive
        above[[name == 'payload.m' for name in self.names]] = True
        return np.where(above, 0.0, -np.inf)

    def _of_drives(self, values: Array | float, others: float) -> Array:
        """Return what the parameters (P,) of drives have of fields (10, n), `others` elsewhere."""
        found = np.full(len(self.names), others)
        found[: len(self.places[0])] = np.broadcast_to(values, self.initial.shape)[self.places]
        return found

    @property
    def initial_values(self) -> Array:
        """Values (P,) of the robot as it is: no delay, no load, no errors of links."""
        return self._of_drives(self.initial, 0.0)

    @property
    def constants(self) -> NDArray[np.bool_]:
        """Which of the parameters (P,) are torque constants."""
        return np.array(
            [name.endswith(f'.{Field.CONSTANT.entry}') for name in self.names], dtype=bool
        )

    @property
    def prior(self) -> Array:
        """Standard deviations (P,) of the initial values as they are known; infinite for most."""
        found = self._of_drives(self.deviations, np.inf)
        found[[name.startswith('link.') for name in self.names]] = 1.0
        return found

    def determined(self, values: Array, deviations: Array) -> NDArray[np.bool_]:
        """
        Return which parameters (P,) a recording tells, of those known in advance too.

        These are dry friction that is clearly there, and its velocities; no errors of links.
        """
        fields, joints = self.places
        found, count = np.isinf(self.prior), len(fields)
        own, certain = found[:count], values[:count] / np.maximum(deviations[:count], _LEAST)
        dry, knee = (
            np.isin(fields, (Field.BREAKAWAY, Field.LOAD)),
            fields == Field.VELOCITY,
        )
        own[dry], own[knee] = certain[dry] > _SURE, certain[knee] > 1.0 / _SHARP
        breaks = joints[(fields == Field.BREAKAWAY) & own]
        own[(fields == Field.STRIBECK) & np.isin(joints, breaks)] = True
        return found

    def coefficients(self, values: Array) -> Array:
        """Return the fields (10, n) of all drives."""
        found: Array = self.initial.copy()
        found[self.places] = values[: len(self.places[0])]
        return found

    def delay(self, values: Array) -> float:
        """Return the delay of the motor efforts behind the positions [s]."""
        return float(values[self.drive_count - 1]) if self.delayed else 0.0

    @cached_property
    def base(self) -> BaseParameters | None:
        """Base parameters of the links if they are sought."""
        return base_parameters(self.robot.tree) if self.links else None

    @cached_property
    def _bodies(self) -> Array:
        """The parameters (10 nb, L) of all bodies that one of the load or of links adds."""
        model = self.robot.tree
        size = len(inertial_parameters(model))
        if self.base is not None:
            return np.asarray(np.eye(size)[:, self.base.columns])
        columns = np.zeros((size, 0))
        if self.payload is not None:
            own, transform = load_at(model, self.payload)
            columns = np.zeros((size, len(NAMES)))
            columns[own] = transform
        if self.uncertainty == 0.0:
            return columns
        return np.hstack((columns, self.uncertainty * link_errors(model)))

    def bodies(self, values: Array) -> Array:
        """Return the parameters (10 nb,) that load and errors of links add to the bodies."""
        return np.asarray(self._bodies @ values[self.first_body :])

    @cached_property
    def _fixed(self) -> Robot:
        """The robot, with all friction of rigid joints at their motors."""
        drives = self.robot.drives or Drives({})
        records = {
            name: replace(joint, friction=None) if joint.spring is None else joint
            for name, joint in zip(self.robot.joint_names, self.robot.joint_drives, strict=True)
        }
        for name in self.springs:  # sought in place of those given
            records[name] = replace(records[name], parallel_spring=None)
        return replace(self.robot, drives=replace(drives, joints=records, urdf_dynamics=False))

    def transmitted(self, values: Array, links: Array) -> Array:
        """Return the efforts (T, n) that the joints transmit for jets (T, 3, n), at motors."""
        return self._transmitted(values, links)[0]

    def transmitted_columns(self, links: Array) -> Array:
        """Return the derivatives (T, n, P) of the transmitted efforts."""
        rows = self._transmitted(self.initial_values, links)[1]
        return np.pad(rows, ((0, 0), (0, 0), (self.drive_count, 0)))

    def _transmitted(self, values: Array, links: Array) -> tuple[Array, Array]:
        """Return the transmitted efforts, and their derivatives by springs and bodies."""
        rows = spring_columns(self.springs, self._beside, self.robot.tree, links)
        tau = np.zeros_like(links[:, 0])
        if not self.links:  # without springs that are sought, load and errors of links
            efforts = inverse_dynamics(self.robot.tree, links)[:, :1]
            tau = transmitted_efforts(self._fixed, links, efforts)[:, 0]
        beside = rows @ values[self.drive_count : self.first_body]
        if self._bodies.shape[1]:
            every = regressor(self.robot.tree, links)[:, 0]
            tau = tau + every @ self.bodies(values)
            rows = np.concatenate((rows, every @ self._bodies), axis=2)
        tau = tau + beside
        if self.coupling is None or not self.motors:
            return tau, rows
        inverse = np.linalg.inv(self.coupling)
        return np.einsum('tj,jk->tk', tau, inverse), np.einsum('tjp,jk->tkp', rows, inverse)

    def _at_sensors(self, efforts: Array) -> Array:
        """Return what reports the efforts (T, n) of coupled motors: they, or the joints."""
        return efforts if self.motors or self.coupling is None else efforts @ self.coupling

    def _reported(self, numbers: Array, motors: Array, tau: Array) -> Array:
        drives = self._at_sensors(motor_efforts(numbers, motors, tau))
        return np.asarray((drives + tau + numbers[Field.OFFSET]) / numbers[Field.CONSTANT])

    def efforts(self, values: Array, jets: Jets) -> Array:
        """Return what is reported (T, n)."""
        tau = self.transmitted(values, jets.links)
        return self._reported(self.coefficients(values), jets.motors, tau)

    def as_given(self, jets: Jets) -> Array:
        """Return what the robot given (T, n) reports."""
        given = replace(self, links=False) if self.links else self
        return given.efforts(given.initial_values, jets)

    def parts(self, values: Array, jets: Jets) -> dict[str, Array]:
        """Return what is reported (T, n) by what causes it."""
        numbers, motors = self.coefficients(values), jets.motors
        still = jets.links.copy()
        still[:, 1:] = 0.0
        bare, count = values.copy(), self.drive_count
        bare[count : self.first_body] = 0.0
        gravity, links = (self.transmitted(bare, own) for own in (still, jets.links))
        tau = self.transmitted(values, jets.links)
        rotor = self._at_sensors(numbers[Field.INERTIA] * motors[:, 2])
        offset = numbers[Field.OFFSET] + np.zeros_like(rotor)
        friction = (
            self._reported(numbers, motors, tau) * numbers[Field.CONSTANT] - tau - rotor - offset
        )
        every = {'friction': friction, 'rotor': rotor, 'spring': tau - links, 'offset': offset}
        sought = {_CAUSES.get(k) for k in (Field if self.motors else self.places[0].tolist())}
        sought |= {'spring'} if self._beside else set()
        found = {'gravity': gravity, 'inertia': links - gravity}
        found |= {cause: part for cause, part in every.items() if cause in sought}
        return {cause: part / numbers[Field.CONSTANT] for cause, part in found.items()}

    def columns(self, values: Array, jets: Jets, rates: Array | float = 0.0) -> Array:
        """Return the derivatives of `efforts`, of `rates` (T, n), then these: (T, n, P + 1)."""
        numbers, motors = self.coefficients(values), jets.motors
        tau, rows = self._transmitted(values, jets.links)
        parts = motor_columns(numbers, motors, tau)
        found = np.zeros((*tau.shape, len(self.names) + 1))
        for place, (k, j) in enumerate(zip(*self.places, strict=True)):
            if k == Field.OFFSET or self.coupling is None or self.motors:
                found[:, j, place] = parts[k, :, j]
            else:
                found[..., place] = parts[k, :, j, np.newaxis] * self.coupling[j]
        if self.delayed:
            found[:, :, self.drive_count - 1] = -rates
        sense, _, root = dry_parts(motors[:, 1], tau, numbers)
        slope = (1.0 + numbers[Field.LOAD] * sense * tau / root) / numbers[Field.CONSTANT]
        found[:, :, self.drive_count : -1] = slope[..., np.newaxis] * rows
        found[:, :, -1] = self._reported(numbers, motors, tau)
        return found

    def rigid_jets(self, links: Array) -> Jets:
        """Return jets whose motors follow those (T, 3, n) of the links."""
        return Jets(links, links if self.coupling is None else links @ self.coupling.T)

    def linear(self, links: Array) -> Array:
        """Return the `columns` of a rigid robot for jets (T, 3, n)."""
        return self.columns(self.initial_values, self.rigid_jets(links))

    def rigid(self, **changes: Any) -> Equations:
        """Return those of sensors at the joints, with all that is sought of a rigid robot."""
        kept = 'joints', 'springs', 'coupling', 'payload', 'links'
        own = {name: getattr(self, name) for name in kept}
        own['rotors'] = self.free[Field.INERTIA]
        return rigid_equations(self.robot.tree, **own | changes)

    def springs_found(self, numbers: dict[str, float]) -> dict[str, ParallelSpring]:
        """Return the springs beside drives of parameters by name; no constant torques."""
        if self.coupling is not None:
            raise InputError(
                'robot: expected motors that turn one joint each, got a coupling: friction and '
                'rotors are those of coupled motors'
            )
        return springs_found(self.springs, numbers)


def rigid_equations(
    model: ScrewModel,
    joints: NDArray[np.bool_],
    *,
    offsets: bool = True,
    friction: bool = True,
    rotors: NDArray[np.bool_] | bool = True,
    velocities: Array | float = FIRST_VELOCITY,
    **further: Any,
) -> Equations:
    """Return the equations of sensors at joints (n,) of a rigid robot; `further` are fields."""
    initial = np.zeros((len(Field), model.n))
    initial[[Field.STRIBECK, Field.CONSTANT, Field.EFFORT]] = 1.0
    initial[Field.VELOCITY] = velocities
    free = np.zeros(initial.shape, dtype=bool)
    free[Field.INERTIA], free[Field.OFFSET] = rotors, offsets
    free[[Field.VISCOUS, Field.COULOMB]] = friction
    return Equations(Robot(model), joints, free & joints, initial, **further)


def drive_equations(
    robot: Robot,
    joints: NDArray[np.bool_],
    *,
    offsets: bool,
    constants: NDArray[np.bool_],
    **further: Any,
) -> Equations:
    """Return the equations of motors of joints (n,); `further` are fields of theirs."""
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
    free[[Field.INERTIA, Field.VISCOUS, Field.COULOMB]] = True
    free[Field.OFFSET], free[Field.CONSTANT] = offsets, constants
    return Equations(robot, joints, free & joints, initial, motors=True, **further)
