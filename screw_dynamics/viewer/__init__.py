# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots and their motions in three dimensions, in a web browser."""

from screw_dynamics.viewer.view import view
from screw_dynamics.viewer.viewer import Viewer
from screw_dynamics.viewer.visuals import read_visuals

__all__ = ['Viewer', 'read_visuals', 'view']
