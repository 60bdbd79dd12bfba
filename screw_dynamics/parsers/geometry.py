# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Removal of visuals, collisions and extensions from URDF, so that strict parsers accept it."""

from __future__ import annotations

from xml.etree import ElementTree

from screw_dynamics.parsers.urdf_source import UrdfSource, read_document

_KEPT_IN_ROBOT = ('link', 'joint')
_DROPPED_IN_LINK = ('visual', 'collision')


def strip_geometry(source: UrdfSource) -> str:
    """
    Return a URDF document reduced to its links, inertials and joints.

    urdfpy opens every mesh and fails at the first missing one; urdf_parser_py rejects files with
    certain textures or transmissions. Both can read the returned document.

    Parameters
    ----------
    source : str, bytes or path
        See `read_urdf`.

    Returns
    -------
    str
        The document without visuals, collisions, materials, transmissions, simulator tags and
        XML declaration.

    Raises
    ------
    UrdfError
        If the document cannot be read.

    Examples
    --------
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
