# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fastest time law of a motion along its path, within the limits of joints and motors."""

from screw_dynamics.retiming.certification import retimed_waypoints
from screw_dynamics.retiming.retime import retime

__all__ = ['retime', 'retimed_waypoints']
