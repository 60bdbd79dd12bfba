# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of motions with the limits of joints, springs and motors."""

from screw_dynamics.limits.certificate import certify
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.limits.report import FeasibilityReport, LimitCheck
from screw_dynamics.limits.slow_down import SlowDown, slow_down

__all__ = [
    'FeasibilityReport',
    'LimitCheck',
    'SlowDown',
    'certify',
    'check_feasibility',
    'slow_down',
]
