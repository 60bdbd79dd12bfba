# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rotors on moving links: their bodies, inertial coupling and the derivatives that it requires.

The effort u_j behind joint j contains ``S_ji theta_i''`` and the gyroscopic torque of rotor i,
linear in theta_i', if joint j moves the carrier of rotor i; and theta_i = q_i + phi_i(u_i) is
known only if u_i is. So every level of joints costs two derivatives, one if only the gyroscopic
torque acts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.joint_drive import JointDrive, Rotor
from screw_dynamics.drives.motor_table import MotorTable
from screw_dynamics.dynamics import frame_jacobian, frame_pose
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.drives.laws import RIGID
from screw_dynamics.model import Frame, JointLimits, ScrewModel

# orders above that of an effort at which theta of a rotor contributes to it
_GYROSCOPIC, _INERTIAL = 1, 2
# axes given with nine digits are perpendicular only to this; smaller products are no coupling
_PERPENDICULAR = 1e-9
# number of random positions, which reveal coupling that vanishes in some positions only
_POSITIONS = 4


@dataclass(frozen=True, eq=False)
class RotorBody:
    """
    A spinning rotor on a body of a robot (`carrier`, -1 for the base).

    `axis` (3,) is a unit vector in the frame of the carrier; `inertia` is J about it, on the
    motor's side of the gear [kg m^2]; `gear_ratio` is in rad/rad or rad/m.
    """

    motor: str
    coordinate: int
    carrier: int
    axis: Array
    inertia: float
    gear_ratio: float


def rotor_axis(model: ScrewModel, coordinate: int, rotor: Rotor) -> tuple[int, Array]:
    """Return the body that carries a rotor (-1: base) and its unit axis (3,) in its frame."""
    joint = model.joint_of_coordinate[coordinate]
    sense = np.sign(model.multipliers[joint])
    if rotor.carrier is None:
        body = int(model.parents[joint])
        name = model.base_link if body < 0 else model.body_names[body]
        link = model.frames.get(name, Frame(body, np.eye(4)))
        default = sense * model.home_poses[joint][:3, :3] @ _direction(model.screws[joint])
    else:
        link = model.frame(rotor.carrier)
        body = link.body
        at_zero = frame_pose(model, np.zeros(model.n), rotor.carrier)[:3, :3]
        in_base = sense * _direction(model.spatial_screws[joint])
        default = link.pose[:3, :3] @ at_zero.T @ in_base
    axis = default if rotor.axis is None else link.pose[:3, :3] @ np.array(rotor.axis)
    return body, axis / np.linalg.norm(axis)


def moving_rotors(
    model: ScrewModel, table: MotorTable, joint_drives: Sequence[JointDrive]
) -> tuple[NDArray[np.int64], tuple[RotorBody, ...]]:
    """Return table indices and bodies of the rotors that have inertia and are on moving links."""
    motors, rotors = [], []
    for j, drive in enumerate(joint_drives):
        carrier, axis = rotor_axis(model, j, drive.rotor or Rotor())
        for a, motor in enumerate(drive.motors, int(table.first_motor[j])):
            if carrier >= 0 and motor.rotor_inertia > 0.0:
                inertia, ratio = motor.rotor_inertia, motor.gear_ratio
                motors.append(a)
                rotors.append(RotorBody(table.names[a], j, carrier, axis, inertia, ratio))
    return np.array(motors, dtype=np.int64), tuple(rotors)


def model_with_rotors(model: ScrewModel, rotors: Sequence[RotorBody]) -> ScrewModel:
    """
    Return the model of links and rotors, whose coordinates are q, then theta of every rotor.

    The first n columns of its inverse dynamics are the efforts u of the springs on the links, the
    others ``S^T q'' + S'^T q' + B theta''`` of the motors. Links keep their indices.
    """
    inertias = [*model.inertias.copy()]
    names: list[str] = []
    for rotor in rotors:
        spin = np.zeros((6, 6))
        spin[:3, :3] = rotor.inertia * np.outer(rotor.axis, rotor.axis)
        if rotor.carrier >= 0:
            inertias[rotor.carrier] = inertias[rotor.carrier] - spin
        inertias.append(spin)
        name = f'rotor of {rotor.motor}'
        while name in (*model.frames, *model.body_names, *model.tree_joint_names, *names):
            name += "'"
        names.append(name)
    count, extra = model.body_count, len(rotors)
    return replace(
        model,
        joint_names=(*model.joint_names, *names),
        tree_joint_names=(*model.tree_joint_names, *names),
        body_names=(*model.body_names, *names),
        joint_types=(*model.joint_types, *['continuous'] * extra),
        parents=np.append(model.parents, [rotor.carrier for rotor in rotors]),
        home_poses=np.concatenate([model.home_poses, np.tile(np.eye(4), (extra, 1, 1))]),
        screws=np.vstack([model.screws, *[[*rotor.axis, 0.0, 0.0, 0.0] for rotor in rotors]]),
        inertias=np.array(inertias).reshape(-1, 6, 6),
        coordinates=np.append(model.coordinates, model.n + np.arange(extra)),
        multipliers=np.append(model.multipliers, [rotor.gear_ratio for rotor in rotors]),
        offsets=np.append(model.offsets, np.zeros(extra)),
        limits=model.limits.joined(JointLimits.none(extra)),
        damping=np.append(model.damping, np.zeros(extra)),
        friction=np.append(model.friction, np.zeros(extra)),
        frames={
            **model.frames,
            **{name: Frame(count + a, np.eye(4)) for a, name in enumerate(names)},
        },
    )


def _direction(screw: Array) -> Array:
    """Return the axis of a revolute joint, or the direction of a prismatic one."""
    return screw[:3] if screw[:3].any() else screw[3:]


@dataclass(frozen=True, eq=False)
class RotorCoupling:
    """
    Evaluation order of efforts and motor positions of a robot with rotors on moving links.

    `model` has links and rotors; `motors` are the rotors' indices in the `MotorTable`. Motor
    efforts need time derivatives of u_j up to `orders` (n,) and `rows` rows of the joint jet. The
    joints of one of the `levels` are evaluated together, from the last joints to the base.
    """

    model: ScrewModel
    rotors: tuple[RotorBody, ...]
    motors: NDArray[np.int64]
    orders: NDArray[np.int64]
    levels: tuple[tuple[int, ...], ...]
    rows: int


def rotor_coupling(
    model: ScrewModel, table: MotorTable, joint_drives: Sequence[JointDrive]
) -> RotorCoupling:
    """
    Return the evaluation order of the efforts of a robot with rotors on its links.

    Raise InputError if none exists: if a deflection depends on the past (dampers, hysteresis), or
    elastic joints move their own or each other's rotors in a cycle.
    """
    if table.damped_names:
        raise InputError(
            f'joint {table.damped_names[0]!r}: expected a spring without damper, hysteresis '
            'and backlash, got one: rotor coupling cannot be combined with them; set them to 0 '
            'or rotor_coupling to false'
        )
    motors, rotors = moving_rotors(model, table, joint_drives)
    extended = model_with_rotors(model, rotors)
    acting = _coupling_orders(extended, model.n, rotors)
    chain = [
        (j, rotor.coordinate, int(acting[j, a]))
        for a, rotor in enumerate(rotors)
        if table.laws[rotor.coordinate] != RIGID
        for j in np.flatnonzero(acting[:, a]).tolist()
    ]
    sequence = _solution_order(model, chain)
    # theta'' in the equation of the motor itself
    orders = np.full(model.n, table.lost_orders)
    levels = np.zeros(model.n, dtype=np.int64)
    for j in reversed(sequence):
        for i, above in ((i, above) for k, i, above in chain if k == j):
            orders[i] = max(orders[i], orders[j] + above)
    for j in sequence:
        levels[j] = max((levels[i] + 1 for k, i, _ in chain if k == j), default=0)
    # q to two orders above every effort; theta of a rigid joint is q, never of higher order
    rows = int(orders.max(initial=0)) + 3
    return RotorCoupling(
        extended,
        rotors,
        motors,
        orders,
        tuple(tuple(np.flatnonzero(levels == x).tolist()) for x in np.unique(levels)),
        rows,
    )


def _coupling_orders(
    extended: ScrewModel, n: int, rotors: Sequence[RotorBody]
) -> NDArray[np.int64]:
    """Return how far above the order of u_j the derivatives of theta_a affect it, (n, rotors)."""
    acting = np.zeros((n, len(rotors)), dtype=np.int64)
    q = np.zeros((_POSITIONS, extended.n))
    q[:, :n] = np.random.default_rng(0).uniform(-np.pi, np.pi, (_POSITIONS, n))
    for a, rotor in enumerate(rotors):
        name = extended.body_names[len(extended.body_names) - len(rotors) + a]
        turns = frame_jacobian(extended, q, name)[:, :3, :n]
        along = np.abs(np.einsum('i,tij->tj', rotor.axis, turns))
        pairs = np.cross(turns[:, :, :, None], turns[:, :, None, :], axis=1)
        across = np.abs(np.einsum('i,tijk->tkj', rotor.axis, pairs))
        acting[across.max(axis=(0, 1), initial=0.0) > _PERPENDICULAR, a] = _GYROSCOPIC
        acting[along.max(axis=0) > _PERPENDICULAR, a] = _INERTIAL
    return acting


def _solution_order(model: ScrewModel, chain: Sequence[tuple[int, int, int]]) -> list[int]:
    """Return the joints ordered so that each follows those whose rotors act on it."""
    graph: dict[int, set[int]] = {j: set() for j in range(model.n)}
    for j, i, _ in chain:
        graph[j].add(i)
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        names = [repr(model.joint_names[i]) for i in reversed(error.args[1])]
        raise InputError(
            'rotor coupling: expected every elastic joint to carry only rotors of joints behind '
            f'it, got {" which moves the rotor of ".join(names)}: name other carriers, or make '
            'one of these joints rigid'
        ) from None
