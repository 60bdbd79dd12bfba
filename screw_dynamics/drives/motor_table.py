# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`MotorTable`: motors and springs of a model as arrays, on the joint side of the gear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.joint_drive import JointDrive, Motor
from screw_dynamics.drives.joint_friction import JointFriction
from screw_dynamics.drives.springs import AdjustableSpring
from screw_dynamics.drives.springs.parallel_springs import unloaded_row
from screw_dynamics.errors import ModelError
from screw_dynamics.kernels.drives.friction import EXCESS, LOAD
from screw_dynamics.kernels.drives.laws import COULOMB, DAMPED, LINEAR, RIGID, VISCOUS
from screw_dynamics.kernels.drives.parallel import COLUMNS, FORCE, STIFFNESS
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import ValueEquality


@dataclass(frozen=True, eq=False)
class MotorTable(ValueEquality):
    """
    The m >= n motors of a robot with n joints, in the order of the joints.

    All values are on the joint side of the gear; all arrays are read-only.

    Parameters
    ----------
    names : tuple of str
        Joint names; 'joint/1' and 'joint/2' for the motors of an antagonistic pair.
    joint_names : tuple of str
        The n coordinates of the model.
    joint_of_motor : (m,) int64 ndarray
    first_motor : (n,) int64 ndarray
        Index of the (first) motor of each joint.
    gear_ratios : (m,) ndarray
    rows : (m, 4) ndarray
        B = r^2 J [kg m^2 or kg], viscous friction r^2 d, Coulomb friction r c, its velocity v0/r
        (see `Motor`).
    max_efforts, max_velocities : (m,) ndarray
        [N m or N], [rad/s or m/s].
    laws : (n,) int64 ndarray
        Code of each joint's spring law, see `kernels.drives.laws`.
    offsets : (n,) int64 ndarray
        Index of the first parameter of each law in `parameters`.
    parameters : ndarray
        Parameters of all laws.
    damped : (n,) int64 ndarray
        Row of each joint whose deflection depends on the past, by a damper, hysteresis or
        backlash, in arrays of such joints; -1 for the others.
    variable : (n,) int64 ndarray
        The same for the joints of variable stiffness.
    stiffness : (V,) ndarray
        The stiffness of these joints if no trajectory is given [N m/rad or N/m].
    friction : (m, 4) ndarray
        Further columns of the friction of the motors, see `kernels.drives.friction`.
    joint_rows, joint_friction : (n, 4) ndarray
        Friction of the joints: the columns of `rows`, with B = 0, and of `friction`.
    parallel_springs : (n, 10) ndarray
        See `kernels.drives.parallel`.
    gears : (m, 3) ndarray
        Hysteresis and backlash [rad or m], presliding stiffness [N m/rad or N/m], see
        `kernels.drives.gears`.
    """

    names: tuple[str, ...]
    joint_names: tuple[str, ...]
    joint_of_motor: NDArray[np.int64]
    first_motor: NDArray[np.int64]
    gear_ratios: Array
    rows: Array
    max_efforts: Array
    max_velocities: Array
    laws: NDArray[np.int64]
    offsets: NDArray[np.int64]
    parameters: Array
    damped: NDArray[np.int64]
    variable: NDArray[np.int64]
    stiffness: Array
    friction: Array
    joint_rows: Array
    joint_friction: Array
    parallel_springs: Array
    gears: Array

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __reduce__(self) -> tuple[type[MotorTable], tuple[object, ...]]:
        """Return constructor and arguments, for pickle and copy."""
        return MotorTable, tuple(getattr(self, entry.name) for entry in fields(self))

    @cached_property
    def m(self) -> int:
        """Number of motors."""
        return len(self.names)

    @cached_property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joint_names)

    @cached_property
    def spring_arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays of the springs in the order of the kernel `set_spring_deflections`."""
        springs = self.laws, self.offsets, self.parameters
        joints = self.damped, self.variable, self.first_motor, self.gears
        return springs + joints

    @cached_property
    def joint_arrays(self) -> tuple[Array, ...]:
        """The arrays of the joints in the order of the kernel `set_transmitted_efforts`."""
        return self.joint_rows, self.joint_friction, self.parallel_springs

    @cached_property
    def blocks(self) -> tuple[NDArray[np.int64], Array]:
        """The integers and the reals of the kernel `set_motor_commands`."""
        rubs = self.rows[:, [VISCOUS, COULOMB]].any() or self.friction[:, [EXCESS, LOAD]].any()
        linear = np.isin(self.laws, (RIGID, LINEAR)).all() and self.direct and not rubs
        flags = np.full((3, self.n), [[linear], [self.direct], [len(self.stiffness)]])
        springs = self.laws, self.offsets, self.damped, self.variable, self.first_motor
        tables = self.rows, self.friction, *self.joint_arrays, self.stiffness, self.parameters
        return np.vstack((*springs, flags)), np.concatenate([table.ravel() for table in tables])

    @cached_property
    def direct(self) -> bool:
        """True if drives transmit the efforts of the links, without friction and springs."""
        dry = self.joint_friction[:, [EXCESS, LOAD]].any() or self.joint_rows[:, COULOMB].any()
        springs = self.parallel_springs[:, [STIFFNESS, FORCE]].any()
        return not (dry or springs or self.joint_rows[:, VISCOUS].any())

    @cached_property
    def damped_names(self) -> tuple[str, ...]:
        """Names of the joints whose deflection depends on the past, in order."""
        return tuple(self.joint_names[j] for j in np.flatnonzero(self.damped >= 0))

    @cached_property
    def variable_names(self) -> tuple[str, ...]:
        """Names of the joints of variable stiffness, in order."""
        return tuple(self.joint_names[j] for j in np.flatnonzero(self.variable >= 0))

    @cached_property
    def lost_orders(self) -> int:
        """Rows of the joint jet that motor positions lose: 0 if rigid, 1 if damped, else 2."""
        return int(self._lost_orders.max(initial=0))

    @cached_property
    def most_demanding(self) -> str:
        """Description of a joint that costs the most derivatives, for error texts."""
        lost = self._lost_orders
        if not lost.any():
            return 'a rigid joint'
        kind = 'elastic' if lost.max() == 2 else 'damped elastic'
        return f'the {kind} joint {self.joint_names[int(lost.argmax())]!r}'

    def jet_shapes(self, rows: int) -> tuple[tuple[int, int], ...]:
        """Return the shapes of the jets of a `MotorFeedforward`; `rows` as of `uncoupled_rows`."""
        positions = rows - self.lost_orders
        motors = (positions, self.m)
        return (rows - 2, self.n), motors, motors, (positions - 2, self.m)

    @property
    def _lost_orders(self) -> NDArray[np.int64]:
        lost = np.where(self.laws == RIGID, 0, np.where(self.laws == DAMPED, 1, 2))
        return lost.astype(np.int64)


def motor_table(model: ScrewModel, drives: Mapping[str, JointDrive]) -> MotorTable:
    """Return the table of a model; joints without an entry are rigid with ``Motor()``."""
    ordered = [drives.get(name, JointDrive()) for name in model.joint_names]
    motors = [motor for joint in ordered for motor in joint.motors]
    names = [
        f'{name}/{i + 1}' if len(joint.motors) > 1 else name
        for name, joint in zip(model.joint_names, ordered, strict=True)
        for i in range(len(joint.motors))
    ]
    counts = np.array([len(joint.motors) for joint in ordered], dtype=np.int64)
    springs = [joint.spring for joint in ordered]
    laws = np.array([RIGID if s is None else s.code for s in springs], dtype=np.int64)
    columns = [np.empty(0) if s is None else s.parameters for s in springs]
    sizes = np.array([len(column) for column in columns], dtype=np.int64)
    peaks = [_peak_effort(joint, motor) for joint in ordered for motor in joint.motors]
    ratios = np.array([motor.gear_ratio for motor in motors])
    frictions = [(joint.friction or JointFriction()).rows for joint in ordered]
    slips = np.array([joint.hysteresis + joint.backlash > 0.0 for joint in ordered], dtype=bool)
    gears = [
        (joint.hysteresis, joint.backlash, motor.gear_ratio**2 * motor.presliding_stiffness)
        for joint in ordered
        for motor in joint.motors
    ]
    varies = [isinstance(s, AdjustableSpring) for s in springs]
    return MotorTable(
        names=tuple(names),
        joint_names=model.joint_names,
        joint_of_motor=np.repeat(np.arange(model.n), counts),
        first_motor=np.cumsum(counts) - counts,
        gear_ratios=ratios,
        rows=np.array([motor.behind_gear for motor in motors]).reshape(-1, 4),
        max_efforts=ratios * np.array(peaks),
        max_velocities=np.array([motor.max_velocity for motor in motors]) / ratios,
        laws=laws,
        offsets=np.cumsum(sizes) - sizes,
        parameters=np.concatenate([*columns, np.empty(0)]),
        damped=_numbered((laws == DAMPED) | slips),
        variable=_numbered(np.array(varies, dtype=bool)),
        stiffness=np.array([s.stiffness for s in springs if isinstance(s, AdjustableSpring)]),
        friction=np.array([motor.friction_behind_gear for motor in motors]).reshape(-1, 4),
        joint_rows=np.array([rows for rows, _ in frictions]).reshape(-1, 4),
        joint_friction=np.array([further for _, further in frictions]).reshape(-1, 4),
        parallel_springs=_parallel_springs(model, ordered),
        gears=np.array(gears).reshape(-1, 3),
    )


def _peak_effort(drive: JointDrive, motor: Motor) -> float:
    winding = drive.winding
    if winding is None:
        return motor.max_effort
    return min(motor.max_effort, winding.torque_constant * winding.max_current)


def _parallel_springs(model: ScrewModel, drives: Sequence[JointDrive]) -> Array:
    """Return the table of parallel springs; raise ModelError if one does not fit the model."""
    rows = []
    for j, drive in enumerate(drives):
        spring = drive.parallel_spring
        try:
            rows.append(unloaded_row() if spring is None else spring.row(model, j))
        except ModelError as error:
            raise ModelError(f'joint {model.joint_names[j]!r}: {error}') from None
    return np.array(rows).reshape(-1, COLUMNS)


def _numbered(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the rank of each chosen entry among the chosen ones; -1 for all others."""
    return np.where(chosen, np.cumsum(chosen) - 1, -1).astype(np.int64)
