# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Modules that the kernels know, and their rows in the table of a chain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.soft.bodies.constant_curvature import ConstantCurvature
from screw_dynamics.soft.bodies.constant_strain import ConstantStrain
from screw_dynamics.soft.bodies.planar_constant_curvature import PlanarConstantCurvature
from screw_dynamics.soft.bodies.rigid import RigidBody
from screw_dynamics.soft.bodies.rod import STRAIGHT, Rod, rod_steps
from screw_dynamics.soft.bodies.variable_strain import VariableStrain
from screw_dynamics.soft.joint import Joint
from screw_dynamics.soft.kernel_table import TableBuilder
from screw_dynamics.soft.module import Module


def _add_joint(joint: Joint, builder: TableBuilder) -> None:
    builder.add_joint(joint.type, joint.axis, joint.pose, joint.pitch)


def _add_rigid_body(body: RigidBody, builder: TableBuilder) -> None:
    builder.add_rigid_body(body.mass, body.com, body.inertia, body.end)


def _add_planar_arc(arc: PlanarConstantCurvature, builder: TableBuilder) -> None:
    stiffness = arc.bending_stiffness / arc.length
    builder.add_planar_arc(arc.length, arc.radius, arc.mass, stiffness, arc.damping * stiffness)


def _add_constant_curvature(arc: ConstantCurvature, builder: TableBuilder) -> None:
    basis = arc.strain_basis

    def constant(s: float) -> Array:
        return basis

    steps = rod_steps(arc.length, arc.radius, arc.mass, np.array(STRAIGHT), constant, 2)
    stiffness = np.diag(arc.stiffness)
    builder.add_rod(stiffness, arc.damping * stiffness, steps)


def _add_rod(rod: Rod, builder: TableBuilder) -> None:
    builder.add_rod(rod.stiffness, rod.damping_matrix, rod.steps)


# by exact type: a class derived from one of these may have another shape
_ROWS: dict[type[Module], Callable[[Any, TableBuilder], None]] = {
    Joint: _add_joint,
    RigidBody: _add_rigid_body,
    PlanarConstantCurvature: _add_planar_arc,
    ConstantCurvature: _add_constant_curvature,
    VariableStrain: _add_rod,
    ConstantStrain: _add_rod,
}


def add_to_table(module: Module, builder: TableBuilder) -> None:
    """Add a module to the table; one of another type is evaluated as series."""
    add = _ROWS.get(type(module))
    if add is None:
        builder.add_given(module.n)
    else:
        add(module, builder)
