# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""URDF documents with other inertias of links, and other damping and friction of joints."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import UnknownNameError
from screw_dynamics.lie import inertia_parameters
from screw_dynamics.model.urdf.urdf_source import UrdfSource, read_document

_DECLARATION = '<?xml version="1.0"?>\n'


def with_dynamics(
    source: UrdfSource,
    inertias: Mapping[str, Array | None],
    friction: Mapping[str, tuple[float, float]],
) -> str:
    """
    Return a URDF document with other numbers; everything else of it remains.

    `inertias` has the 6x6 inertia of links in their frames, None for a massless one; `friction`
    damping and friction of joints. Raises UrdfError if the document cannot be read, and
    UnknownNameError if it lacks a link or joint.
    """
    root = read_document(source, whole=True)
    links, joints = _named(root, 'link'), _named(root, 'joint')
    for name, inertia in inertias.items():
        if name not in links:
            raise UnknownNameError('link', name, links, 'URDF')
        _set_inertia(links[name], inertia)
    for name, (viscous, coulomb) in friction.items():
        if name not in joints:
            raise UnknownNameError('joint', name, joints, 'URDF')
        entry = _child(joints[name], 'dynamics')
        entry.set('damping', repr(viscous))
        entry.set('friction', repr(coulomb))
    return f'{_DECLARATION}{tostring(root, encoding="unicode")}\n'


def _named(root: Element, tag: str) -> dict[str, Element]:
    return {element.get('name', ''): element for element in root if element.tag == tag}


def _set_inertia(link: Element, inertia: Array | None) -> None:
    present = link.find('inertial')
    if inertia is None:
        if present is not None:
            link.remove(present)
        return
    mass, moment, rotational = inertia_parameters(inertia)
    centre = moment / mass if mass > 0.0 else np.zeros(3)
    central = rotational + mass * (np.outer(centre, centre) - (centre @ centre) * np.eye(3))
    entry = _child(link, 'inertial')
    for part in ('origin', 'mass', 'inertia'):
        _child(entry, part).attrib.clear()
    _child(entry, 'origin').set('xyz', ' '.join(map(repr, centre.tolist())))
    _child(entry, 'origin').set('rpy', '0 0 0')
    _child(entry, 'mass').set('value', repr(float(mass)))
    for i, row in enumerate('xyz'):
        for j, column in enumerate('xyz'[i:], start=i):
            _child(entry, 'inertia').set(f'i{row}{column}', repr(float(central[i, j])))


def _child(element: Element, tag: str) -> Element:
    """Return a child, a new one if there is none."""
    found = element.find(tag)
    if found is not None:
        return found
    # in line with the other children
    child = SubElement(element, tag)
    if len(element) > 1:
        child.tail = element[-2].tail
        element[-2].tail = element.text
    return child
