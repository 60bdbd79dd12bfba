# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Spring laws between motor and link: one record per law."""

from screw_dynamics.elastic.springs.antagonistic_pair import AntagonisticPair
from screw_dynamics.elastic.springs.linear_spring import LinearSpring, Spring
from screw_dynamics.elastic.springs.nonlinear_springs import CubicSpring, ExponentialSpring
from screw_dynamics.elastic.springs.tabulated_spring import TabulatedSpring
from screw_dynamics.elastic.springs.variable_stiffness import VariableStiffness

__all__ = [
    'AntagonisticPair',
    'CubicSpring',
    'ExponentialSpring',
    'LinearSpring',
    'Spring',
    'TabulatedSpring',
    'VariableStiffness',
]
