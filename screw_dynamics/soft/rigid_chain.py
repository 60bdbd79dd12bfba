# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Modules of a rigid chain."""

from __future__ import annotations

import warnings

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InertiaWarning, InputError, TopologyError, listed
from screw_dynamics.lie import inertia_parameters, pose, screw_pitch, screw_type
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.screw_model import require_model
from screw_dynamics.soft.bodies.rigid import RigidBody
from screw_dynamics.soft.joint import Joint
from screw_dynamics.soft.module import Module


def modules_of(model: ScrewModel) -> list[Module]:
    """Return a joint and a body for every body of a chain; raise TopologyError for a tree."""
    for i, parent in enumerate(require_model(model).parents):
        if parent != i - 1:
            raise TopologyError(
                f'body {model.body_names[i]!r}: expected a chain, in which it follows '
                f'{model.body_names[i - 1]!r}; select one by tip_link'
            )
    if model.n < model.body_count:
        raise InputError('model: expected no mimic joints, got a coordinate that moves two bodies')
    if model.joint_names != model.tree_joint_names:
        raise InputError(
            f'model: expected joints in the order of the chain, {listed(model.tree_joint_names)}, '
            f'got {listed(model.joint_names)}'
        )
    if (model.multipliers != 1.0).any() or model.offsets.any():
        raise InputError(
            'model: expected joints that are coordinates, got a multiple or an offset'
        )
    modules: list[Module] = []
    for i, screw in enumerate(model.screws):
        # a frame on the axis of the joint, with the axes of the body
        place = np.cross(screw[:3], screw[3:])
        to_body, on_axis = pose(np.eye(3), -place), pose(np.eye(3), place)
        axis = screw[:3] if screw[:3].any() else screw[3:]
        kind = screw_type(screw)
        modules.append(
            Joint(
                kind,
                axis,
                model.home_poses[i] @ on_axis,
                name=model.joint_names[i],
                pitch=float(screw_pitch(screw)) if kind == 'helical' else 0.0,
            )
        )
        modules.append(_body(model.inertias[i], place, to_body, model.body_names[i]))
    return modules


def _body(inertia: Array, place: Array, tip_pose: Array, name: str) -> RigidBody:
    """Return a body from its inertia (6, 6) in a frame whose origin is at -`place`."""
    mass, first_moment, about_origin = inertia_parameters(inertia)
    com = first_moment / mass if mass else first_moment
    about_com = about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com))
    tensor = 0.5 * (about_com + about_com.T)
    with warnings.catch_warnings():  # of the inertias of a model who built it was warned
        warnings.simplefilter('ignore', InertiaWarning)
        return RigidBody(mass, com - place, tensor, tip_pose, name=name)
