# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of an identification of drives: parameters, error bars, robot, remarks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.common.results import Part
from screw_dynamics.drives import Drives, JointDrive, LinearSpring
from screw_dynamics.drives.robot import Robot
from screw_dynamics.estimation.identification.consistency import Cones, consistent
from screw_dynamics.estimation.identification.drive_equations import (
    COULOMB,
    DELAY,
    EXCESS,
    FIELDS,
    INERTIA,
    KNEE,
    LOAD,
    OFFSET,
    ROUNDING,
    STRIBECK,
    VISCOUS,
    DriveEquations,
    with_bodies,
)
from screw_dynamics.estimation.identification.pseudo_inertia import NAMES
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.result import (
    IdentifiedParameters,
    spring_rows,
)
from screw_dynamics.estimation.identification.spring_fit import SLIPS, SpringFit
from screw_dynamics.model.screw_model import ScrewModel

_DRY = tuple(f'.{FIELDS[kind]}' for kind in (EXCESS, LOAD))
_MOST_LOAD = 0.99  # coefficient of friction under load


@dataclass(frozen=True, eq=False)
class DriveIdentification(IdentifiedParameters):
    """
    Identified drives of a robot, as `identify_drives` returns them.

    Parameters
    ----------
    names : tuple of str
        As ``joint_1.rotor_inertia``, ``joint_1.viscous``, ``joint_1.coulomb``,
        ``joint_1.coulomb_velocity``, ``joint_1.breakaway_excess``,
        ``joint_1.stribeck_velocity``, ``joint_1.load_friction``, ``joint_1.offset``,
        ``joint_1.torque_constant``, ``delay``, ``payload.m``, and ``link.0``: errors of links,
        in units of their standard deviation.
    values : (P,) ndarray
        On the joint side of the gear, in SI units; of what the motion does not determine, that of
        the robot.
    covariance : (P, P) ndarray
        Infinite on the diagonal for what the motion does not determine.
    springs : tuple of SpringFit
        Of the joints whose deflections or motor positions were recorded.
    residuals : (n,) ndarray
        Root mean square of the motor efforts that remain [N m or N].
    before : (n,) ndarray
        What the robot given leaves of them.
    payload_frame : str or None
    findings : tuple of Finding
        What the recording does not tell, or what it tells beside the parameters.
    """

    names: tuple[str, ...]
    values: Array
    covariance: Array
    springs: tuple[SpringFit, ...]
    residuals: Array
    before: Array
    payload_frame: str | None
    findings: tuple[Finding, ...]
    equations: DriveEquations
    root: Array
    unexcited: tuple[str, ...]
    remaining: Callable[[Recording], Array]

    def _robot_model(self) -> ScrewModel:
        return self.equations.robot.tree

    @property
    def remarks(self) -> tuple[str, ...]:
        """The texts of all findings."""
        return tuple(finding.text for finding in self.findings)

    @property
    def delay(self) -> float:
        """Time by which motor efforts lag the positions [s]."""
        return self.equations.delay(self.values)

    @property
    def encoder_offsets(self) -> Mapping[str, float]:
        """Position of each motor less that of its link without an effort, by joint [rad or m]."""
        return {spring.joint: spring.zero for spring in self.springs}

    @cached_property
    def robot(self) -> Robot:
        """
        The robot with all that was found, physically consistent.

        What the motion does not determine is that of the robot given. Friction of a joint without
        a spring is that of its motor. Links have the errors that are most likely, and the payload.
        """
        equations, count = self.equations, self.equations.drive_count
        loaded = count + len(NAMES) * (self.payload_frame is not None)
        told = equations.told(self.values, self.standard_deviations)[:count]
        # dry friction that does not show is that of the robot, its velocities those found
        dry = np.array([name.endswith(_DRY) for name in self.names[:count]], dtype=bool)
        found = self.values.copy()
        found[:count][dry & ~told] = equations.first[:count][dry & ~told]
        free = np.flatnonzero(told).tolist()
        signed = f'.{FIELDS[OFFSET]}', DELAY
        positive = np.array([not self.names[k].endswith(signed) for k in free], dtype=bool)
        numbers = [*free, *range(loaded, len(self.names))]
        order = [*numbers, *range(count, loaded)]
        cones = Cones(
            self.values[numbers],
            np.concatenate((positive, np.zeros(len(self.names) - loaded, dtype=bool))),
            self.values[count:loaded].reshape(-1, len(NAMES)),
        )
        target = self.root @ self.values - self.root[:, :count][:, ~told] @ found[:count][~told]
        found[order] = consistent(cones, self.root[:, order], target)
        kept = np.isin(self.names, self.unexcited)
        found[kept] = self.values[kept]
        given = equations.robot
        drives = given.drives or Drives({})
        fields = equations.numbers(found)
        springs = {spring.joint: spring for spring in self.springs}
        records = {
            name: _drive(joint, np.maximum(fields[:, j], 0.0), springs.get(name))
            for j, (name, joint) in enumerate(
                zip(given.joint_names, given.joint_drives, strict=True)
            )
        }
        model = with_bodies(given.tree, equations.bodies(found))
        own = replace(drives, joints=records, urdf_dynamics=False)
        return replace(given, model=model, drives=own)

    def _found(self) -> tuple[ScrewModel, Robot, bool]:
        return self.equations.robot.tree, self.robot, self.equations.uncertainty > 0.0

    def validate(self, recording: Recording) -> Array:
        """
        Return the root mean square of the motor efforts that remain of another recording.

        Parameters
        ----------
        recording : Recording
            That was not used to identify the parameters.

        Returns
        -------
        (n,) ndarray
            [N m or N]
        """
        return self.remaining(recording)

    @property
    def rows(self) -> tuple[tuple[str, float, float], ...]:
        """Names, values and standard deviations of the parameters that a recording may tell."""
        deviations = self.standard_deviations
        told = self.equations.told(self.values, deviations)
        own = zip(self.names, self.values.tolist(), deviations.tolist(), strict=True)
        zeros = (
            (f'{spring.joint}.encoder_offset', spring.zero, spring.zero_deviation)
            for spring in self.springs
        )
        shown = (row for row, known in zip(own, told.tolist(), strict=True) if known)
        return (*shown, *spring_rows(self.springs), *zeros)

    def _parts(self) -> Sequence[Part]:
        return (*super()._parts(), *(f'- {remark}' for remark in self.remarks))


def _drive(joint: JointDrive, values: Array, fit: SpringFit | None) -> JointDrive:
    """Return a drive with the fields (10,) of its motor and, if one was found, its spring."""
    gear = joint.motor.gear_ratio
    coulomb, excess = values[COULOMB] / gear, values[EXCESS] / gear
    motor = replace(
        joint.motor,
        rotor_inertia=values[INERTIA] / gear**2,
        viscous_friction=values[VISCOUS] / gear**2,
        coulomb_friction=coulomb,
        coulomb_velocity=values[KNEE] * gear,
        breakaway_friction=coulomb + excess if excess > 0.0 else 0.0,
        stribeck_velocity=values[STRIBECK] * gear,
        load_friction=min(values[LOAD], _MOST_LOAD),
        load_effort=values[ROUNDING] / gear,
    )
    found = None if fit is None else fit.spring
    slips = {name: getattr(joint, name) for name in SLIPS}
    if fit is not None:
        slips = dict.fromkeys(SLIPS, 0.0) | {row: v for row, v, _ in fit.rows if row in SLIPS}
    if isinstance(found, LinearSpring) and isinstance(joint.spring, LinearSpring):
        found = replace(found, damping=joint.spring.damping)
    friction = joint.friction if joint.spring or found else None
    spring = found or joint.spring
    return replace(joint, motor=motor, spring=spring, friction=friction, **slips)
