# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies, joints and sites of a compiled MJCF document as the records of a URDF."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from screw_dynamics.bridges.mjcf.compiled import CompiledMjcf
from screw_dynamics.bridges.mjcf.equalities import Relation, relations
from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import exp_screw, pose, quaternion_rotation
from screw_dynamics.model.urdf import RobotDescription, values
from screw_dynamics.model.urdf.records import (
    Inertial,
    Joint,
    Limit,
    Link,
    SourceLocation,
)

_BALL = ('yaw', 'pitch', 'roll')  # R = Rz(yaw) Ry(pitch) Rx(roll), as of a floating joint


def described(compiled: CompiledMjcf) -> RobotDescription:
    """Return links and joints; raise UnsupportedJointError for what closes loops."""
    model = compiled.model
    mimics = relations(compiled)
    names = [model.body(i).name for i in range(model.nbody)]
    links = [Link(names[0], SourceLocation('body', names[0]))]
    joints: list[Joint] = []
    for i in range(1, model.nbody):
        start = int(model.body_jntadr[i])
        parts = [
            joint
            for j in range(start, start + int(model.body_jntnum[i]))
            for joint in _joints(compiled, j, mimics)
        ]
        at = SourceLocation('body', names[i])
        ends = [names[int(model.body_parentid[i])]]
        # between several joints are links without mass
        ends += [f'{names[i]}/{joint.name}' for joint in parts[:-1]]
        links += [Link(name, at, virtual=True) for name in ends[1:]]
        origin = _pose(model.body_pos[i], model.body_quat[i])
        if not parts:
            parts = [_fixed(names[i], at)]
        elif parts[0].type == 'floating':
            origin = np.eye(4)  # the coordinates are those in the world, as in qpos
        for k, joint in enumerate(parts):
            child = names[i] if joint is parts[-1] else ends[k + 1]
            placed = joint.origin if k else origin @ joint.origin
            joints.append(replace(joint, parent=ends[k], child=child, origin=placed))
        links.append(Link(names[i], at, _inertial(compiled, i)))
    for s in range(model.nsite):
        if site := model.site(s).name:
            body = names[int(model.site_bodyid[s])]
            site = f'{body}/{site}' if site in names else site
            at = SourceLocation('site', site)
            origin = _pose(model.site_pos[s], model.site_quat[s])
            links.append(Link(site, at))
            joints.append(replace(_fixed(site, at), parent=body, child=site, origin=origin))
    return RobotDescription(compiled.name, tuple(links), tuple(joints))


def _pose(position: Array, quaternion: Array) -> Array:
    """Return a pose (4, 4) of a quaternion (w, x, y, z)."""
    return pose(quaternion_rotation(np.roll(quaternion, -1)), position)


def _inertial(compiled: CompiledMjcf, i: int) -> Inertial | None:
    model = compiled.model
    if not model.body_mass[i] and not model.body_inertia[i].any():
        return None
    at = _pose(model.body_ipos[i], model.body_iquat[i])
    body = SourceLocation('body', model.body(i).name)
    return values.inertial(body, float(model.body_mass[i]), at, np.diag(model.body_inertia[i]))


def _fixed(name: str, at: SourceLocation) -> Joint:
    return Joint(f'{name} (fixed)', 'fixed', '', '', at, np.eye(4), np.eye(3)[0])


def _joints(compiled: CompiledMjcf, j: int, mimics: dict[str, Relation]) -> Iterator[Joint]:
    """Yield the records of a joint without their links."""
    model, name, kind = compiled.model, compiled.joints[j], compiled.kind(j)
    joint = _fixed(name, SourceLocation('joint', name))
    joint = replace(joint, name=name, point=tuple(model.jnt_pos[j].tolist()))
    if kind == 'free':
        yield replace(joint, type='floating')
        return
    if kind == 'ball':
        for suffix, axis in zip(_BALL, np.eye(3)[::-1], strict=True):
            yield replace(joint, name=f'{name}/{suffix}', type='continuous', axis=axis)
        return
    turning, limit = 'continuous', Limit()
    if model.jnt_limited[j]:
        turning, limit = 'revolute', Limit(*model.jnt_range[j].tolist())
    joint = replace(
        joint,
        type=turning if kind == 'hinge' else 'prismatic',
        axis=model.jnt_axis[j].copy(),
        limit=limit,
        damping=float(model.dof_damping[model.jnt_dofadr[j]]),
        friction=float(model.dof_frictionloss[model.jnt_dofadr[j]]),
    )
    mimic = mimics.get(name)
    held = mimic if isinstance(mimic, float) else 0.0
    origin = exp_screw(joint.screw(), held - float(model.qpos0[model.jnt_qposadr[j]]))
    if isinstance(mimic, float):
        yield replace(joint, type='fixed', origin=origin)
    else:
        yield replace(joint, mimic=mimic, origin=origin)
