# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Results`: a motion, its efforts and, if known, standard deviations and motor commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.results import Part, SampledResult, Samples
from screw_dynamics.common.text_table import NO_BREAK, text_table
from screw_dynamics.errors import listed
from screw_dynamics.model.records import EFFORT_UNITS, POSITION_UNITS

_POWERS = str.maketrans({'²': '^2', '³': '^3', '⁴': '^4'})


class Quantity(NamedTuple):
    """One quantity of a joint or motor."""

    name: str  # in columns of files
    symbol: str  # in plots
    units: tuple[str, str]  # of a revolute and of a prismatic joint
    per: str = ''  # follows the unit in time derivatives

    def unit(self, slides: bool | None) -> str:
        """Return the unit; `slides` is None if the joint type is unknown."""
        turning, sliding = self.units
        if slides is None:
            both = f'{turning} or {sliding}'
            return f'({both}){self.per}' if self.per else both
        unit = sliding if slides else turning
        return f'{unit}{self.per}'

    def column(self, owner: str, slides: bool | None, ending: str = '') -> str:
        """Return the name of a column of a joint or motor, with its unit if it is known."""
        name = f'{owner}.{self.name}{ending}'
        return name if slides is None else f'{name} [{self.unit(slides).translate(_POWERS)}]'


# row d is the d-th time derivative
MOTION = (
    Quantity('position', r'$q$', POSITION_UNITS),
    Quantity('velocity', r'$\dot q$', POSITION_UNITS, '/s'),
    Quantity('acceleration', r'$\ddot q$', POSITION_UNITS, '/s²'),
    Quantity('jerk', r'$q^{(3)}$', POSITION_UNITS, '/s³'),
    Quantity('snap', r'$q^{(4)}$', POSITION_UNITS, '/s⁴'),
)
EFFORTS = (
    Quantity('effort', r'$\tau$', EFFORT_UNITS),
    Quantity('effort_dot', r'$\dot\tau$', EFFORT_UNITS, '/s'),
    Quantity('effort_ddot', r'$\ddot\tau$', EFFORT_UNITS, '/s²'),
)
MOTORS = (
    Quantity('motor_position', r'$\theta$', POSITION_UNITS),
    Quantity('motor_velocity', r'$\dot\theta$', POSITION_UNITS, '/s'),
    Quantity('motor_acceleration', r'$\ddot\theta$', POSITION_UNITS, '/s²'),
    Quantity('motor_effort', r'$\tau_m$', EFFORT_UNITS),
    Quantity('deflection', r'$\varphi$', POSITION_UNITS),
)


@dataclass(frozen=True, eq=False)
class MotorResults:
    """Commands of the m motors of elastic joints, on the joint side of their gears."""

    names: tuple[str, ...]
    gear_ratios: Array  # (m,), NaN if unknown
    values: Array  # (T, 5, m), the quantities of `MOTORS`
    deviations: Array | None = None  # standard deviations, for a measured motion
    transmitted: Array | None = None  # (T, k + 1, n), efforts that springs and joints transmit
    effort_rates: Array | None = None  # (T, 0 to 2, m), derivatives of the motor efforts

    def part(self, chosen: Any) -> MotorResults:
        """Return the samples at an index of the first axis."""
        return replace(
            self,
            values=self.values[chosen],
            deviations=picked(self.deviations, chosen),
            transmitted=picked(self.transmitted, chosen),
            effort_rates=picked(self.effort_rates, chosen),
        )


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

    def motor_slides(self, i: int) -> bool | None:
        """Return whether the joint of motor i is prismatic, None if this is not known."""
        assert self.motors is not None
        name = self.motors.names[i]
        # a motor has the name of its joint, with /1 or /2 appended if there are two
        joint = name if name in self.joint_names else name.rpartition('/')[0]
        return None if self.slides is None else self.joint_slides(self.joint_names.index(joint))

    def columns(self) -> dict[str, Array]:
        """
        Return named columns.

        Returns
        -------
        dict of str to (T,) ndarray
            'time', 'a.effort [N m]', 'a.effort.sd [N m]' and so on, as in CSV files.
        """
        columns = {'time': self.times}
        for j, joint in enumerate(self.joint_names):
            for quantities, jet, deviations in (
                (MOTION, self.joint_jet, self.joint_deviations),
                (EFFORTS, self.effort_jet, self.effort_deviations),
            ):
                for d, quantity in enumerate(quantities[: jet.shape[1]]):
                    slides = self.joint_slides(j)
                    columns[quantity.column(joint, slides)] = jet[:, d, j]
                    if deviations is not None:
                        columns[quantity.column(joint, slides, '.sd')] = deviations[:, d, j]
        if self.motors is not None:
            for i, motor in enumerate(self.motors.names):
                for d, quantity in enumerate(MOTORS):
                    slides = self.motor_slides(i)
                    columns[quantity.column(motor, slides)] = self.motors.values[:, d, i]
                    if self.motors.deviations is not None:
                        spread = self.motors.deviations[:, d, i]
                        columns[quantity.column(motor, slides, '.sd')] = spread
        return columns

    def _shared_unit(self, quantity: Quantity) -> str:
        """Return the unit of all joints."""
        kinds = {None} if self.slides is None else set(self.slides)
        return quantity.unit(kinds.pop() if len(kinds) == 1 else None).translate(_POWERS)

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


def picked(values: Array | None, chosen: Any) -> Array | None:
    """Return the entries at an index; None if there are no values."""
    return None if values is None else values[chosen]


def part_of(results: Results, chosen: NDArray[np.bool_]) -> Results:
    """Return the samples selected by the mask `chosen` (T,)."""
    motors = results.motors
    return replace(
        results,
        times=results.times[chosen],
        joint_jet=results.joint_jet[chosen],
        effort_jet=results.effort_jet[chosen],
        joint_deviations=picked(results.joint_deviations, chosen),
        effort_deviations=picked(results.effort_deviations, chosen),
        measured_effort=picked(results.measured_effort, chosen),
        motors=None if motors is None else motors.part(chosen),
    )


def joined(parts: Sequence[Results]) -> Results:
    """Concatenate results of the same joints, without deviations; all have motors, or none."""
    if len(parts) == 1:
        return parts[0]
    motors = parts[0].motors
    if motors is not None:
        each = [part.motors for part in parts if part.motors is not None]
        motors = replace(
            motors,
            values=np.concatenate([part.values for part in each]),
            transmitted=_concatenated([part.transmitted for part in each]),
            effort_rates=_concatenated([part.effort_rates for part in each]),
        )
    return replace(
        parts[0],
        times=np.concatenate([part.times for part in parts]),
        joint_jet=np.concatenate([part.joint_jet for part in parts]),
        effort_jet=np.concatenate([part.effort_jet for part in parts]),
        motors=motors,
    )


def _concatenated(parts: Sequence[Array | None]) -> Array | None:
    """Return the samples of all parts; None if some are not known."""
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None
