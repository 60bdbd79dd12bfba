# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of robot descriptions to `ScrewModel`."""

from screw_dynamics.parsers.geometry import strip_geometry
from screw_dynamics.parsers.parsed_objects import from_urdfpy
from screw_dynamics.parsers.read_urdf import read_urdf

__all__ = ['from_urdfpy', 'read_urdf', 'strip_geometry']
