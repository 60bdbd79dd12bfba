# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of URDF documents: to a `ScrewModel`, to records, or without geometry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from numpy.typing import ArrayLike

from screw_dynamics.model import ScrewModel
from screw_dynamics.model.urdf.records import RobotDescription
from screw_dynamics.model.urdf.reports import warn_of_root, warn_of_unread
from screw_dynamics.model.urdf.to_screw_model import model_from_description
from screw_dynamics.model.urdf.urdf_source import UrdfSource, read_document
from screw_dynamics.model.urdf.urdf_tree import with_named_root
from screw_dynamics.model.urdf.urdf_xml import robot_record

_KEPT_IN_ROBOT = ('link', 'joint')
_DROPPED_IN_LINK = ('visual', 'collision')


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
    scaled to unit length. Links attached by fixed and locked joints become part of the body that
    they are attached to; their frames remain frames of the model. A planar joint ``j`` becomes
    the joints ``j/x``, ``j/y``, ``j/yaw``; a floating joint becomes ``j/x``, ``j/y``, ``j/z``,
    ``j/yaw``, ``j/pitch``, ``j/roll`` (singular at a pitch of ±90 degrees). Origins are rotated by
    `rpy`, or from version 1.1 on by `quat_xyzw` of any nonzero length. Visuals, collisions,
    transmissions, sensors and simulator tags are not read; meshes are never opened.

    Parameters
    ----------
    source : str, bytes or path
        A path, or the document itself as text or bytes. URDF versions 1.0 to 1.2 are supported.
        Xacro source must be expanded first.
    gravity : (3,) array_like
        Gravitational acceleration in the axes of `base_link` [m/s^2].
    base_link : str, optional
        Fixed link, whose frame is the inertial frame; default the root link. Links outside its
        subtree are dropped.
    tip_link : str, optional
        If given, only joints on the chain from `base_link` to this link are coordinates. All
        other joints are locked and their links lumped (the mass of a hand is kept).
    joints : sequence of str, optional
        The coordinates, in the order of every array; default all independent joints (with
        `tip_link`: those on the chain) in document order. Omitted joints are locked.
    locked : mapping of str to float, optional
        Positions of locked joints [rad or m]; 0 for locked joints not named here. Naming a joint
        locks it. May name any movable joint of the document.
    mimic : {'reduce', 'independent'}
        With 'reduce', a mimic joint follows its master, through chains, also outside the chain to
        `tip_link`; if the master is locked, omitted or outside the subtree, it is locked at
        multiplier * position + offset. With 'independent', mimic tags are ignored. Mimic tags on
        fixed joints are always ignored.

    Returns
    -------
    ScrewModel
        With limits, damping, friction and one frame per link. Limits that the document does not
        specify are infinite, including `lower` and `upper` missing in a `<limit>`: the URDF
        default 0 would lock the joint by an omission. Acceleration and jerk (URDF 1.2) are read
        in any version, and `deceleration` too: the smaller one of it and `acceleration` is the
        limit of both. Limits of mimic joints narrow those of the coordinate that they follow,
        unless this would leave no range of motion; effort limits do not.

    Raises
    ------
    UrdfError
        If the XML is malformed, the document is xacro source, of another version or uses
        entities of other files, or an element is missing or malformed; the error names the link
        or joint, the element and the line.
    TopologyError
        If there are two roots, a loop, two parents, an undefined link or mimic master.
    InertiaError
        If a mass or inertia is not finite, or a mass is negative.
    UnsupportedJointError
        If a joint type is not a URDF type.
    UnknownNameError, InputError, NotFiniteError
        If an option does not match the robot.

    Warns
    -----
    InertiaWarning
        Once per call, if moving links have no mass, the mass 0 or a non-physical inertia. Such
        numbers are common in published files and are used unchanged.
    UrdfWarning
        Once per call, if a lower limit is above the upper one, or other limits, damping or
        friction are negative; they are used unchanged. Once per call, if links or
        joints are inside elements that are not URDF, such as `<group>`; they are ignored. If the
        root link is not declared, as `world` in files for Drake; it is taken as a massless link.

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
    description = read_description(source, stacklevel=2)
    return model_from_description(
        description, gravity, base_link, tip_link, joints, locked, mimic, stacklevel=2
    )


def read_description(
    source: UrdfSource, *, name: str | None = None, stacklevel: int = 1
) -> RobotDescription:
    """
    Read a URDF document to a `RobotDescription`; `model_from_description` builds models from it.

    Parameters
    ----------
    source : str, bytes or path
        See `read_urdf`.
    name : str, optional
        Name of the document in errors, instead of its path.
    stacklevel : int
        Of the warning; 1 is the caller of this function.

    Raises
    ------
    UrdfError, InertiaError, UnsupportedJointError
        See `read_urdf`.

    Warns
    -----
    UrdfWarning
        Once, if links or joints are inside elements that are not URDF; they are ignored. Once, if
        the root link is not declared; it is taken as a massless link.

    Examples
    --------
    >>> from screw_dynamics.model.urdf import read_description
    >>> read_description('<robot name="r"><link name="a"/></robot>').links[0].name
    'a'
    """
    root = read_document(source, name)
    stated = robot_record(root)
    warn_of_unread(root, stacklevel + 1)
    description = with_named_root(stated)
    warn_of_root(description.links[: len(description.links) - len(stated.links)], stacklevel + 1)
    return description


def strip_geometry(source: UrdfSource) -> str:
    """
    Return a URDF document reduced to its links, inertials and joints, as text.

    urdfpy opens every mesh and fails at the first missing one; urdf_parser_py rejects files with
    certain textures or transmissions. Both can read the returned document.

    Parameters
    ----------
    source : str, bytes or path
        See `read_urdf`.

    Raises
    ------
    UrdfError
        If the document cannot be read.

    Examples
    --------
    >>> from screw_dynamics.model.urdf import strip_geometry
    >>> strip_geometry('<robot name="r"><link name="a"><visual/></link><gazebo/></robot>')
    '<robot name="r"><link name="a" /></robot>'
    """
    root = read_document(source)
    for element in list(root):
        if element.tag not in _KEPT_IN_ROBOT:
            root.remove(element)
        for part in list(element):
            if part.tag in _DROPPED_IN_LINK:
                element.remove(part)
    return ElementTree.tostring(root, encoding='unicode')
