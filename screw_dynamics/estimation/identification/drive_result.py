# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of an identification of drives: parameters, error bars, robot, remarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import Drives, JointDrive, LinearSpring
from screw_dynamics.drives.robot import Robot
from screw_dynamics.estimation.identification.motor_terms import Field
from screw_dynamics.estimation.identification.pseudo_inertia import with_bodies
from screw_dynamics.estimation.identification.result import IdentifiedParameters, spring_rows
from screw_dynamics.estimation.identification.spring_fit import SLIPS, SpringFit
from screw_dynamics.model.screw_model import ScrewModel

_MOST_LOAD = 0.99  # coefficient of friction under load


@dataclass(frozen=True, eq=False)
class DriveIdentification(IdentifiedParameters):
    """
    Identified drives of a robot, as `identify_drives` returns them; see `IdentifiedParameters`.

    Its `names` are as ``joint_1.rotor_inertia``, ``joint_1.viscous``, ``joint_1.coulomb``,
    ``joint_1.coulomb_velocity``, ``joint_1.breakaway_excess``, ``joint_1.stribeck_velocity``,
    ``joint_1.load_friction``, ``joint_1.offset``, ``joint_1.torque_constant``, ``delay`` and
    ``payload.m``; what the motion does not determine has the value of the robot.

    Parameters
    ----------
    estimates : (Q,) ndarray
        Of all parameters, whether they are determined or not; errors of links come last, in units
        of their standard deviation.
    unexcited : (Q,) ndarray of bool
        What the motion does not determine.
    """

    estimates: Array
    unexcited: NDArray[np.bool_]

    @property
    def delay(self) -> float:
        """Time by which motor efforts lag the positions [s]."""
        return self.equations.delay(self.values)

    @property
    def encoder_offsets(self) -> Mapping[str, float]:
        """Position of each motor less that of its link without an effort, by joint [rad or m]."""
        return {spring.joint: spring.zero for spring in self.springs}

    @property
    def _estimates(self) -> Array:
        return self.estimates

    @property
    def _consistent_estimates(self) -> Array:
        return np.where(self.unexcited, self.estimates, self._possible[0])

    @cached_property
    def robot(self) -> Robot:
        """
        The robot with all that was found, physically consistent.

        What the motion does not determine is that of the robot given. Friction of a joint without
        a spring is that of its motor. Links have the errors that are most likely, and the payload.
        """
        equations, found = self.equations, self._consistent_estimates
        given = equations.robot
        drives, fields = given.drives or Drives({}), equations.coefficients(found)
        springs = {spring.joint: spring for spring in self.springs}
        records = {
            name: _drive(joint, np.maximum(fields[:, j], 0.0), springs.get(name))
            for j, (name, joint) in enumerate(
                zip(given.joint_names, given.joint_drives, strict=True)
            )
        }
        numbers = dict(zip(equations.names, found.tolist(), strict=True))
        for name, spring in equations.springs_found(numbers).items():
            records[name] = replace(records[name], parallel_spring=spring)
        model = with_bodies(given.tree, equations.bodies(found))
        own = replace(drives, joints=records, urdf_dynamics=False)
        return replace(given, model=model, drives=own)

    def _found(self) -> tuple[ScrewModel, Robot, bool]:
        return self.equations.robot.tree, self.robot, self.equations.uncertainty > 0.0

    @property
    def rows(self) -> tuple[tuple[str, float, float], ...]:
        """Names, values and standard deviations of the parameters that a recording may tell."""
        told = self.equations.determined(self.values, self.standard_deviations)[: len(self.names)]
        own = zip(self.names, self.values.tolist(), self.standard_deviations.tolist(), strict=True)
        zeros = (
            (f'{spring.joint}.encoder_offset', spring.zero, spring.zero_deviation)
            for spring in self.springs
        )
        shown = (row for row, known in zip(own, told.tolist(), strict=True) if known)
        return (*shown, *spring_rows(self.springs), *zeros)


def _drive(joint: JointDrive, values: Array, fit: SpringFit | None) -> JointDrive:
    """Return a drive with the fields (10,) of its motor and, if one was found, its spring."""
    gear = joint.motor.gear_ratio
    coulomb, excess = values[Field.COULOMB] / gear, values[Field.BREAKAWAY] / gear
    motor = replace(
        joint.motor,
        rotor_inertia=values[Field.INERTIA] / gear**2,
        viscous_friction=values[Field.VISCOUS] / gear**2,
        coulomb_friction=coulomb,
        coulomb_velocity=values[Field.VELOCITY] * gear,
        breakaway_friction=coulomb + excess if excess > 0.0 else 0.0,
        stribeck_velocity=values[Field.STRIBECK] * gear,
        load_friction=min(values[Field.LOAD], _MOST_LOAD),
        load_effort=values[Field.EFFORT] / gear,
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
