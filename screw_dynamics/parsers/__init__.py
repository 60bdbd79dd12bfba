# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions to `ScrewModel`."""

from screw_dynamics.parsers.read_urdf import read_urdf

__all__ = ['read_urdf']
