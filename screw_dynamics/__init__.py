# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Exact robot dynamics with time derivatives of any order, from a URDF, live in ROS 2."""

from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.model import ScrewModel

__version__ = '0.1.0'

__all__ = ['ScrewModel', 'inverse_dynamics']
