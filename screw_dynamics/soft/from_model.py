# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Serial chains of rigid bodies as modules."""

from __future__ import annotations

import numpy as np

from screw_dynamics.errors import InputError
from screw_dynamics.lie import exp_se3, inertia_parameters, skew
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.soft.bodies.rigid import RigidBody
from screw_dynamics.soft.joint import Joint
from screw_dynamics.soft.module import Module


def modules_of(model: ScrewModel) -> list[Module]:
    """Return joints and rigid bodies of a serial model without mimic and helical joints."""
    modules: list[Module] = []
    for i, name in enumerate(model.tree_joint_names):
        if model.parents[i] != i - 1 or model.coordinates[i] != i or model.multipliers[i] != 1.0:
            raise InputError(
                f'model: expected a serial chain without mimic joints, got joint {name!r} '
                f'behind body {int(model.parents[i])}'
            )
        screw = model.screws[i]
        axis, linear = screw[:3], screw[3:]
        turning = bool(axis.any())
        if turning and abs(axis @ linear) > 1e-12:
            raise InputError(f'model: expected no helical joint, got joint {name!r}')
        shift = np.eye(4)
        if turning:
            shift[:3, 3] = np.cross(axis, linear)
        home = model.home_poses[i] @ exp_se3(screw * model.offsets[i]) @ shift
        kind, direction = ('revolute', axis) if turning else ('prismatic', linear)
        modules.append(Joint(kind, direction, home, name=name))
        back = np.eye(4)
        back[:3, 3] = -shift[:3, 3]
        mass, first, rotational = inertia_parameters(model.inertias[i])
        com = first / mass if mass > 0.0 else np.zeros(3)
        about_com = rotational + mass * skew(com) @ skew(com)
        about_com = 0.5 * (about_com + about_com.T)
        body = RigidBody(mass, com - shift[:3, 3], about_com, back, name=model.body_names[i])
        modules.append(body)
    return modules
