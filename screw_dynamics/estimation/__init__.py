# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion and its derivatives from measurements, with uncertainty."""

from screw_dynamics.estimation.effort_uncertainty import (
    effort_deviations,
    effort_standard_deviations,
    propagate_uncertainty,
)
from screw_dynamics.estimation.measured_motion import MeasuredMotion, measured_motion

__all__ = [
    'MeasuredMotion',
    'effort_deviations',
    'effort_standard_deviations',
    'measured_motion',
    'propagate_uncertainty',
]
