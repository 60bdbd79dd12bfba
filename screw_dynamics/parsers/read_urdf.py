# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`read_urdf`: a URDF document to a `ScrewModel`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from screw_dynamics.model import ScrewModel
from screw_dynamics.parsers.to_screw_model import screw_model
from screw_dynamics.parsers.unread_report import warn_of_unread
from screw_dynamics.parsers.urdf_source import UrdfSource, read_document
from screw_dynamics.parsers.urdf_xml import robot_record


def read_urdf(
    source: UrdfSource,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    base_link: str | None = None,
    tip_link: str | None = None,
    joints: Sequence[str] | None = None,
    locked: Mapping[str, float] | None = None,
    mimic: str = 'reduce',
) -> ScrewModel:
    """
    Read a robot from URDF.

    The frame of a body is the frame of its joint (the URDF child link), so screws are body-fixed:
    ``(e; 0)`` for a revolute or continuous joint, ``(0; e)`` for a prismatic one, with the axis
    scaled to unit length. Links behind fixed and locked joints are part of the body that holds
    them and stay frames of the model. A planar joint ``j`` becomes the joints ``j/x``, ``j/y``,
    ``j/yaw``; a floating joint ``j/x``, ``j/y``, ``j/z``, ``j/yaw``, ``j/pitch``, ``j/roll``
    (singular at a pitch of ±90 degrees). Origins turn by `rpy`, or by `quat_xyzw` from version
    1.1 on, which need not have length one. Visuals, collisions, transmissions, sensors and
    simulator tags are not read; meshes are never opened.

    Parameters
    ----------
    source : str, bytes or path
        A path, or the document itself as text or bytes, of the versions 1.0 to 1.2 of URDF. Xacro
        source must be expanded first.
    gravity : (3,) array_like
        Gravitational acceleration in the axes of `base_link` [m/s^2].
    base_link : str, optional
        Link that stands still and whose frame is the inertial frame; default the root link. Links
        outside its subtree are dropped.
    tip_link : str, optional
        Take the chain from `base_link` to this link: only joints on it are coordinates. All
        others are locked, their links lumped (a hand keeps its weight).
    joints : sequence of str, optional
        The coordinates, in the order of every array; default all independent joints (on the
        chain, with `tip_link`) in document order. Joints left out are locked.
    locked : mapping of str to float, optional
        Positions of locked joints [rad or m]; 0 for locked joints not named here. Naming a joint
        locks it. May name any movable joint of the document.
    mimic : {'reduce', 'independent'}
        With 'reduce' a mimic joint follows its master, through chains, also off the chain to
        `tip_link`; where the master is locked, left out or outside the subtree it is locked at
        multiplier * position + offset. With 'independent' mimic tags are ignored. Mimic tags on
        fixed joints never count.

    Returns
    -------
    ScrewModel
        With limits, damping, friction and one frame per link. Limits are infinite where the
        document gives none, also `lower` and `upper` of a `<limit>` that leaves them out: URDF
        reads those as 0, which would lock the joint by an omission. Position and velocity
        limits of mimic joints narrow those of the coordinate that they follow, unless they would
        leave it no room to move; effort limits do not.

    Raises
    ------
    UrdfError
        Broken XML, xacro source, another version, entities of other files, or a missing or
        malformed element; link or joint, element and line are named.
    TopologyError
        Two roots, a loop, two parents, an undefined link or mimic master.
    InertiaError
        A mass or inertia that is not finite, or a negative mass.
    UnsupportedJointError
        A joint type that URDF does not have.
    UnknownNameError, InputError, NotFiniteError
        Options that do not fit the robot.

    Warns
    -----
    InertiaWarning
        Once per call, if moving links have no mass, the mass 0 or an inertia that no solid body
        has. Such numbers are common in published files and are used as they are.
    UrdfWarning
        Once per call, if a lower limit is above the upper one, or limits of velocity or effort,
        damping or friction are negative; they are kept as they are. Once per call, if links or
        joints stand inside elements that URDF does not have, such as `<group>`: they are left
        out.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> urdf = '''<robot name="pendulum"><link name="base"/>
    ...   <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/>
    ...     <axis xyz="0 2 0"/></joint>
    ...   <link name="rod"><inertial><origin xyz="0 0 -1"/><mass value="3"/>
    ...     <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link></robot>'''
    >>> model = sd.read_urdf(urdf)
    >>> model.joint_names, model.screws[0]
    (('hinge',), array([0., 1., 0., 0., 0., 0.]))

    """
    root = read_document(source)
    robot = robot_record(root)
    warn_of_unread(root, stacklevel=2)
    return screw_model(robot, gravity, base_link, tip_link, joints, locked, mimic)
