# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs between motor and link, and between a link and its parent: one record per law."""

from screw_dynamics.drives.springs.adjustable_springs import AntagonisticPair, VariableStiffness
from screw_dynamics.drives.springs.fixed_springs import (
    AdjustableSpring,
    CubicSpring,
    ExponentialSpring,
    LinearSpring,
    Spring,
)
from screw_dynamics.drives.springs.parallel_springs import (
    BalancingSpring,
    GasSpring,
    ParallelSpring,
    TorsionSpring,
)
from screw_dynamics.drives.springs.tabulated_spring import TabulatedSpring

__all__ = [
    'AdjustableSpring',
    'AntagonisticPair',
    'BalancingSpring',
    'CubicSpring',
    'ExponentialSpring',
    'GasSpring',
    'LinearSpring',
    'ParallelSpring',
    'Spring',
    'TabulatedSpring',
    'TorsionSpring',
    'VariableStiffness',
]
