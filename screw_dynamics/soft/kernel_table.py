# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of a chain of modules for the kernels of `kernels.soft`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.soft import layout
from screw_dynamics.lie import skew
from screw_dynamics.soft.bodies.constant_curvature import (
    ConstantCurvature,
    PlanarConstantCurvature,
)
from screw_dynamics.soft.bodies.rigid import RigidBody
from screw_dynamics.soft.bodies.rod import STRAIGHT, Rod, RodStep, rod_steps
from screw_dynamics.soft.bodies.variable_strain import ConstantStrain, VariableStrain
from screw_dynamics.soft.joint import Joint
from screw_dynamics.soft.module import Module

_JOINTS = {
    'revolute': layout.REVOLUTE,
    'prismatic': layout.PRISMATIC,
    'helical': layout.HELICAL,
    'fixed': layout.FIXED,
}


class KernelTable(NamedTuple):
    """Tables of a chain; read-only."""

    modules: NDArray[np.int64]  # (m + 1, columns) rows of the modules, and the end of their blocks
    reals: Array  # Gravity, then the numbers of the modules
    given_width: int  # Number of series that modules evaluated outside the kernels provide

    @property
    def given(self) -> NDArray[np.bool_]:
        """Modules (m,) that are evaluated outside the kernels."""
        return np.asarray(self.modules[:-1, layout.KIND] == layout.SERIES)


class _Row(NamedTuple):
    """A module in the table: its kind, the numbers of it, the width of its block and its steps."""

    kind: int
    numbers: Sequence[Any] = ()
    width: int = layout.PLAIN_WIDTH
    steps: int = 0


def kernel_table(modules: Iterable[Module], gravity: Array, stress: bool = True) -> KernelTable:
    """Return the table of a chain from the base on; without `stress` no body is elastic."""
    rows: list[list[int]] = []
    reals = gravity.tolist()
    first = block = given = 0
    for module in modules:
        of_type = _ROWS.get(type(module))  # one that is not known is evaluated as series
        own = _Row(layout.SERIES, width=layout.integrals_width(module.n))
        if of_type is not None:
            own = of_type(module, float(stress))
        row = [0] * layout.COLUMNS
        row[layout.KIND], row[layout.FIRST], row[layout.SIZE] = own.kind, first, module.n
        row[layout.REALS], row[layout.BLOCK] = len(reals), block
        row[layout.STEPS], row[layout.GIVEN] = own.steps, given
        rows.append(row)
        reals += [float(x) for array in own.numbers for x in np.ravel(array)]
        first, block = first + module.n, block + own.width
        given += own.width if of_type is None else 0
    end = [0] * layout.COLUMNS
    end[layout.FIRST], end[layout.BLOCK] = first, block
    table = KernelTable(np.array([*rows, end], dtype=np.int64), np.array(reals), given)
    table.modules.flags.writeable = table.reals.flags.writeable = False
    return table


def _joint(joint: Joint, stress: float) -> _Row:
    home, turn, axis = joint.pose[:3, :3], skew(joint.axis), joint.axis
    code, rotations, turns = _JOINTS[joint.type], [home, 0.0 * home, 0.0 * home], 0.0 * axis
    if code in (layout.REVOLUTE, layout.HELICAL):
        rotations = [home + home @ turn @ turn, home @ turn, -home @ turn @ turn]
        turns = axis
    travel = axis if joint.type == 'prismatic' else joint.pitch * axis
    return _Row(code, [*rotations, joint.pose[:3, 3], turns, travel])


def _rigid_body(body: RigidBody, stress: float) -> _Row:
    mass, com, inertia = body.mass, body.com, body.inertia
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia + mass * np.outer(com, com)
    moments = second[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return _Row(layout.RIGID, [body.end[:3, :3], body.end[:3, 3], mass, mass * com, moments])


def _planar_arc(arc: PlanarConstantCurvature, stress: float) -> _Row:
    stiffness = stress * arc.stiffness
    numbers = [arc.length, arc.mass, 0.25 * arc.radius**2, stiffness, arc.damping * stiffness]
    return _Row(layout.PLANAR, numbers, layout.integrals_width(1))


def _arc(arc: ConstantCurvature, stress: float) -> _Row:
    basis = arc.strain_basis
    steps = rod_steps(arc.length, arc.radius, arc.mass, np.array(STRAIGHT), lambda s: basis, 2)
    stiffness = np.diag(arc.stiffness)
    return _steps(steps, stress * stiffness, stress * arc.damping * stiffness)


def _rod(rod: Rod, stress: float) -> _Row:
    return _steps(rod.steps, stress * rod.stiffness, stress * rod.damping_matrix)


def _steps(steps: Sequence[RodStep], stiffness: Array, damping: Array) -> _Row:
    numbers: list[Any] = [stiffness, damping]
    for step in steps:
        numbers += [step.length, step.bracket, step.mass, step.second_moments]
        numbers += [step.strains[0], step.bases[0], step.strains[-1], step.bases[-1]]
    return _Row(layout.ROD, numbers, len(steps) * layout.STEP_WIDTH, len(steps))


# by exact type: a class derived from one of these may have another shape
_ROWS: dict[type[Module], Callable[[Any, float], _Row]] = {
    Joint: _joint,
    RigidBody: _rigid_body,
    PlanarConstantCurvature: _planar_arc,
    ConstantCurvature: _arc,
    Rod: _rod,
    VariableStrain: _rod,
    ConstantStrain: _rod,
}
