# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fastest time law of a motion along its path, within the limits of joints and motors."""

from screw_dynamics.limits.retiming.last_slowing import retimed_waypoints
from screw_dynamics.limits.retiming.limited_quantities import limits_by_name
from screw_dynamics.limits.retiming.retime import retime

__all__ = ['limits_by_name', 'retime', 'retimed_waypoints']
