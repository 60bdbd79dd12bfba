# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Spring laws between motor and link: one record per law."""

from screw_dynamics.elastic.springs.adjustable_springs import AntagonisticPair, VariableStiffness
from screw_dynamics.elastic.springs.fixed_springs import (
    AdjustableSpring,
    CubicSpring,
    ExponentialSpring,
    LinearSpring,
    Spring,
)
from screw_dynamics.elastic.springs.tabulated_spring import TabulatedSpring

__all__ = [
    'AdjustableSpring',
    'AntagonisticPair',
    'CubicSpring',
    'ExponentialSpring',
    'LinearSpring',
    'Spring',
    'TabulatedSpring',
    'VariableStiffness',
]
