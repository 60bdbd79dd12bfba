# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`read_mjcf`: MJCF documents to a `Robot`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from screw_dynamics.bridges.described_robot import DescribedRobot
from screw_dynamics.bridges.mjcf.compiled import CompiledMjcf
from screw_dynamics.bridges.mjcf.description import described
from screw_dynamics.bridges.mjcf.joint_dynamics import joint_dynamics
from screw_dynamics.common.paths import expanded
from screw_dynamics.drives import Robot
from screw_dynamics.errors import MjcfWarning, listed


def read_mjcf(
    path: str | os.PathLike[str],
    gravity: ArrayLike | None = None,
    base_link: str | None = None,
    tip_link: str | None = None,
    joints: Sequence[str] | None = None,
    locked: Mapping[str, float] | None = None,
    mimic: str = 'reduce',
) -> Robot:
    """
    Read a robot with its drives from an MJCF document, by MuJoCo's own parser and compiler.

    Bodies, sites and frames with names are frames of the model, `world` is its base. A coordinate
    is the entry of qpos of its hinge or slide, so also behind a `ref`. Bodies without joints
    become part of the body that they are attached to. A ball joint ``j`` becomes the joints
    ``j/yaw``, ``j/pitch``, ``j/roll``; a free joint these behind ``j/x``, ``j/y``, ``j/z``
    (singular at a pitch of ±90 degrees). Linear equalities of joints become mimic joints. Meshes
    are opened only for bodies without `<inertial>`.

    Drives have the armature of a joint and its actuators as inertia of the rotor behind the gear,
    damping and frictionloss as friction of the joint, stiffness and springref as its parallel
    spring; of actuators gear ratio, limit of the effort, damping, and for `<dcmotor>` winding and
    friction. Gains of servos belong to the controller, and are not read.

    Parameters
    ----------
    path : str or path
        The file, or its text, which then includes no other.
    gravity : (3,) array_like, optional
        In the axes of `base_link` [m/s^2]; default that of `<option>`.
    base_link, tip_link, joints, locked, mimic
        See `read_urdf`.

    Returns
    -------
    Robot
        With `drives` None if no joint has any. `model.limits` have the range of joints, and as
        limit of the effort the smaller one of all actuators and `actuatorfrcrange`; of a range
        with unequal ends the smaller one.

    Raises
    ------
    ModelError
        If MuJoCo cannot read or compile the document, in MuJoCo's words.
    UnsupportedJointError
        If `<connect>`, `<weld>` or an equality of joints that is not linear is active.
    UnknownNameError, InputError, NotFiniteError
        If an option does not match the robot.
    ModuleNotFoundError
        If MuJoCo is not installed (extra ``mujoco``).

    Warns
    -----
    MjcfWarning
        Once per call, if parts are left out: tendons, contact pairs, actuators that act on no
        hinge or slide, gravity compensation, forces of joints that are not linear, and others; all
        are named.
    InertiaWarning, UrdfWarning
        See `read_urdf`.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> mjcf = '''<mujoco><worldbody><body name="rod" pos="0 0 1">
    ...   <joint name="hinge" axis="0 1 0" armature="0.2" damping="0.1"/>
    ...   <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.02"/></body></worldbody>
    ...   <actuator><motor joint="hinge" gear="50"/></actuator></mujoco>'''
    >>> robot = sd.read_mjcf(mjcf)
    >>> robot.joint_names, robot.drives.joints['hinge'].motor
    (('hinge',), Motor(rotor_inertia=8e-05, gear_ratio=50.0))
    """
    found = read_described_mjcf(path, stacklevel=2)
    return found.robot(gravity, base_link, tip_link, joints, locked, mimic, stacklevel=2)


def read_described_mjcf(
    source: str | bytes | os.PathLike[str], name: str | None = None, *, stacklevel: int = 1
) -> DescribedRobot:
    """Read a path, text or bytes of a document, called `name` in errors; see `read_mjcf`."""
    document = source.decode() if isinstance(source, bytes) else source
    if not isinstance(document, str) or not document.lstrip().startswith('<'):
        document = expanded(document)
    text = isinstance(document, str)
    compiled = CompiledMjcf(document, name or ('MJCF text' if text else str(document)))
    description = described(compiled)
    dynamics = joint_dynamics(compiled)
    joints = (
        replace(joint, limit=replace(joint.limit, effort=dynamics[joint.name].effort_limit))
        if joint.name in dynamics
        else joint
        for joint in description.joints
    )
    for remark in compiled.remarks:
        warnings.warn(MjcfWarning(remark), stacklevel=stacklevel + 1)
    if compiled.left_out:
        parts = '; '.join(f'{what}: {listed(names)}' for what, names in compiled.left_out.items())
        warnings.warn(
            MjcfWarning(f'left out of the robot ({parts})', compiled.left_out.items()),
            stacklevel=stacklevel + 1,
        )
    return DescribedRobot(
        replace(description, joints=tuple(joints)),
        tuple(compiled.model.opt.gravity.tolist()),
        dynamics,
    )
