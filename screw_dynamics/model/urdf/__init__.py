# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of robot descriptions to `ScrewModel`."""

from screw_dynamics.model.urdf.parsed_objects import from_parsed_urdf
from screw_dynamics.model.urdf.read_urdf import read_description, read_urdf, strip_geometry
from screw_dynamics.model.urdf.records import RobotDescription
from screw_dynamics.model.urdf.to_screw_model import model_from_description

__all__ = [
    'RobotDescription',
    'from_parsed_urdf',
    'model_from_description',
    'read_description',
    'read_urdf',
    'strip_geometry',
]
