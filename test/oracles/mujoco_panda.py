# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The bundled Panda as MuJoCo reads it."""

from __future__ import annotations

import os
from typing import Any
from xml.etree import ElementTree

import screw_dynamics as sd

FINGER = 0.02


def arm_model() -> sd.ScrewModel:
    """Return the arm with its fingers locked."""
    urdf = sd.share_path('urdf/panda.urdf')
    return sd.read_urdf(urdf, locked={'panda_finger_joint1': FINGER})


def read_by_mujoco(gravity_compensation: float = 0.0) -> Any:
    """
    Return MuJoCo's model of the URDF, its inertias as they are written.

    `gravity_compensation` is the fraction of their weight by which the bodies are carried.
    """
    os.environ.setdefault('MUJOCO_GL', 'disable')  # no rendering
    import mujoco

    root = ElementTree.parse(sd.share_path('urdf/panda.urdf')).getroot()
    for link in root.iter('link'):
        for part in [*link.findall('visual'), *link.findall('collision')]:
            link.remove(part)  # no mesh files needed
    ElementTree.SubElement(
        ElementTree.SubElement(root, 'mujoco'),
        'compiler',
        balanceinertia='false',
        boundmass='0',
        boundinertia='0',
        fusestatic='true',
    )
    spec = mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding='unicode'))
    for body in spec.bodies[1:]:
        body.gravcomp = gravity_compensation
    return spec.compile()
