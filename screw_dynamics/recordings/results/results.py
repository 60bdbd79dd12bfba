# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Results`: a motion, its efforts and, if known, standard deviations and motor commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.quantities import EFFORTS, MOTION, MOTORS, Quantity
from screw_dynamics.common.results import Part, SampledResult, Samples
from screw_dynamics.common.text_table import NO_BREAK, text_table
from screw_dynamics.errors import UnknownNameError, listed

_Record = TypeVar('_Record', 'Results', 'MotorResults')


@dataclass(frozen=True, eq=False)
class MotorResults:
    """Commands of the m motors of elastic joints, on the joint side of their gears."""

    names: tuple[str, ...]
    gear_ratios: Array  # (m,), NaN if unknown
    values: Array  # (T, 5, m), the quantities of `MOTORS`
    deviations: Array | None = None  # standard deviations, for a measured motion
    transmitted: Array | None = None  # (T, k + 1, n), efforts that springs and joints transmit
    effort_rates: Array | None = None  # (T, 0 to 2, m), derivatives of the motor efforts


class Group(NamedTuple):
    """Quantities of N joints or motors: values and standard deviations (T, r, N)."""

    quantities: tuple[Quantity, ...]
    names: tuple[str, ...]
    slides: tuple[bool | None, ...]  # of a prismatic joint, None if that is not known
    values: Array
    deviations: Array | None

    def columns(self, i: int) -> dict[str, Array]:
        """Return named columns (T,) of joint or motor i."""
        columns = {}
        for d, quantity in enumerate(self.quantities[: self.values.shape[1]]):
            own = self.names[i], self.slides[i]
            columns[quantity.column(*own)] = self.values[:, d, i]
            if self.deviations is not None:
                columns[quantity.column(*own, '.sd')] = self.deviations[:, d, i]
        return columns


@dataclass(frozen=True, eq=False, repr=False)
class Results(SampledResult):
    """
    Samples along a motion of n joints, with efforts and motor commands; what is not known is None.

    Single values in arrays that are not known are NaN.

    Parameters
    ----------
    joint_names : tuple of str
    times : (T,) ndarray
        [s].
    joint_jet : (T, r, n) ndarray
        Positions and derivatives [rad or m, per s^d].
    effort_jet : (T, k + 1, n) ndarray
        Efforts and derivatives [N m or N, per s^d].
    joint_deviations, effort_deviations : ndarray, optional
        Standard deviations, for a measured motion.
    motors : MotorResults, optional
        Commands of the motors of elastic joints: `names`, `values` (T, 5, m) with position,
        velocity and acceleration, effort, and deflection, on the joint side of the gear.
    slides : tuple of bool, optional
        Marks prismatic joints.
    measured_effort : (T, n) ndarray, optional
        Of the recording.
    """

    joint_names: tuple[str, ...]
    times: Array
    joint_jet: Array
    effort_jet: Array
    joint_deviations: Array | None = None
    effort_deviations: Array | None = None
    motors: MotorResults | None = None
    slides: tuple[bool, ...] | None = None
    measured_effort: Array | None = None

    def __repr__(self) -> str:
        """Return the joints, and the numbers of samples and derivatives."""
        return (
            f'Results({len(self.times)} samples of {listed(self.joint_names)}: efforts to '
            f'derivative {self.effort_jet.shape[1] - 1})'
        )

    def _samples(self) -> tuple[Array, dict[str, Samples]]:
        position, effort = (self._shared_unit(row[0]) for row in (MOTION, EFFORTS))
        found = {
            'effort': Samples(self.effort_jet, effort, self.joint_names),
            'position': Samples(self.joint_jet, position, self.joint_names),
        }
        if self.motors is not None:
            names, values = self.motors.names, self.motors.values
            for name, unit, rows in (
                ('motor_position', position, slice(0, 3)),
                ('motor_effort', effort, slice(3, 4)),
                ('deflection', position, slice(4, 5)),
            ):
                found[name] = Samples(values[:, rows], unit, names, 'motor')
        return self.times, found

    def _parts(self) -> Sequence[Part]:
        return [repr(self), *self._tables()]

    def joint_slides(self, j: int) -> bool | None:
        """Return whether joint j is prismatic, None if this is not known."""
        return None if self.slides is None else self.slides[j]

    def groups(self) -> list[Group]:
        """Return the motion, the efforts and, with motors, their commands."""
        slides = tuple(map(self.joint_slides, range(len(self.joint_names))))
        found = [
            Group(MOTION, self.joint_names, slides, self.joint_jet, self.joint_deviations),
            Group(EFFORTS, self.joint_names, slides, self.effort_jet, self.effort_deviations),
        ]
        if self.motors is not None:
            names, values, spread = self.motors.names, self.motors.values, self.motors.deviations
            # a motor has the name of its joint, with /1 or /2 appended if there are two
            joints = [x if x in self.joint_names else x.rpartition('/')[0] for x in names]
            kinds = dict(zip(self.joint_names, slides, strict=True))
            found.append(Group(MOTORS, names, tuple(map(kinds.get, joints)), values, spread))
        return found

    def of_joints(self, names: Sequence[str]) -> Results:
        """Return the results of some joints and their motors, in this order."""
        for name in names:
            if name not in self.joint_names:
                raise UnknownNameError('joint', name, self.joint_names)
        order = [self.joint_names.index(name) for name in names]
        motors = self.motors
        if motors is not None:
            kept = [i for i, name in enumerate(motors.names) if name in names]
            kept += [i for i, name in enumerate(motors.names) if name.rpartition('/')[0] in names]
            motors = MotorResults(
                tuple(motors.names[i] for i in kept),
                motors.gear_ratios[kept],
                motors.values[:, :, kept],
                picked(motors.deviations, np.s_[:, :, kept]),
            )
        return replace(
            self,
            joint_names=tuple(names),
            joint_jet=self.joint_jet[:, :, order],
            effort_jet=self.effort_jet[:, :, order],
            joint_deviations=picked(self.joint_deviations, np.s_[:, :, order]),
            effort_deviations=picked(self.effort_deviations, np.s_[:, :, order]),
            measured_effort=picked(self.measured_effort, np.s_[:, order]),
            motors=motors,
            slides=None if self.slides is None else tuple(self.slides[j] for j in order),
        )

    def columns(self) -> dict[str, Array]:
        """
        Return named columns.

        Returns
        -------
        dict of str to (T,) ndarray
            'time', 'a.effort [N m]', 'a.effort.sd [N m]' and so on, as in CSV files.
        """
        motion, efforts, *motors = self.groups()
        columns = {'time': self.times}
        for j in range(len(self.joint_names)):
            columns |= motion.columns(j) | efforts.columns(j)
        for group in motors:
            for i in range(len(group.names)):
                columns |= group.columns(i)
        return columns

    def _shared_unit(self, quantity: Quantity) -> str:
        """Return the unit of all joints."""
        kinds = {None} if self.slides is None else set(self.slides)
        return quantity.unit(kinds.pop() if len(kinds) == 1 else None)

    def _heading(self, quantity: Quantity, ending: str = '') -> str:
        """Return the heading of the largest values, with the unit if it is known."""
        unit = f'[{self._shared_unit(quantity)}]'.replace(' ', NO_BREAK)
        known = '' if self.slides is None else f' {unit}'
        return f'max{NO_BREAK}|{quantity.name}|{ending}{known}'

    def summary(self) -> str:
        """
        Return a table of the largest values of each joint, with median standard deviations.

        Returns
        -------
        str
        """
        return '\n\n'.join(map(text_table, self._tables()))

    def _tables(self) -> list[list[list[str]]]:
        efforts = EFFORTS[: self.effort_jet.shape[1]]
        spread = '' if self.effort_deviations is None else f' (median{NO_BREAK}sd)'
        rows = [['joint', *(self._heading(q, spread) for q in efforts)]]
        for j, joint in enumerate(self.joint_names):
            cells = [joint]
            for d in range(len(efforts)):
                cell = f'{np.abs(self.effort_jet[:, d, j]).max():.5g}'
                if self.effort_deviations is not None:
                    cell += f' ({np.median(self.effort_deviations[:, d, j]):.2g})'
                cells.append(cell)
            rows.append(cells)
        tables = [rows]
        if self.motors is not None:
            rows = [['motor', *map(self._heading, MOTORS)]]
            for i, motor in enumerate(self.motors.names):
                largest = np.abs(self.motors.values[:, :, i]).max(axis=0)
                rows.append([motor, *(f'{value:.5g}' for value in largest)])
            tables.append(rows)
        return tables


Stamps = NDArray[np.int64]


class Origin(NamedTuple):
    """Stamps and source of the samples of results."""

    stamps: Stamps  # (T,) [ns]
    from_start: Stamps  # (T,), since the start of their trajectory [ns]; 0 without one
    continuity: int  # number of continuous derivatives of the reference
    source: int  # as in FeedforwardTorque


def picked(values: Array | None, chosen: Any) -> Array | None:
    """Return the entries at an index; None if there are no values."""
    return None if values is None else values[chosen]


_OVER_TIME = (
    'times', 'joint_jet', 'effort_jet', 'joint_deviations', 'effort_deviations',
    'measured_effort', 'values', 'deviations', 'transmitted', 'effort_rates',
)  # fmt: skip


def part_of(results: Results, chosen: NDArray[np.bool_]) -> Results:
    """Return the samples selected by the mask `chosen` (T,)."""
    return _changed([results], lambda arrays: arrays[0][chosen])


def joined(parts: Sequence[Results]) -> Results:
    """Concatenate results of the same joints and motors; what some do not have is left out."""
    return parts[0] if len(parts) == 1 else _changed(parts, np.concatenate)


def _changed(parts: Sequence[_Record], change: Callable[[list[Array]], Array]) -> _Record:
    """Return the first record with a function of the arrays over time of all."""
    made: dict[str, Any] = {}
    for name in vars(parts[0]):
        values = [getattr(part, name) for part in parts]
        if any(value is None for value in values):
            made[name] = None
        elif name in _OVER_TIME:
            made[name] = change(values)
        elif name == 'motors':
            made[name] = _changed(values, change)
    return replace(parts[0], **made)
