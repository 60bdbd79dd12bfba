# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives of rigid and elastic joints: motor positions and efforts from joint jets."""

from importlib import import_module
from typing import Any

from screw_dynamics.elastic.actuator_efforts import actuator_efforts
from screw_dynamics.elastic.deflection_filter import DeflectionFilter
from screw_dynamics.elastic.elastic_joint import ElasticJoint, Motor, Rotor
from screw_dynamics.elastic.elastic_joints import ElasticJoints
from screw_dynamics.elastic.feedforward import elastic_feedforward, feedforward_from_efforts
from screw_dynamics.elastic.joint_friction import JointFriction
from screw_dynamics.elastic.link_efforts import link_efforts
from screw_dynamics.elastic.motor_efforts import motor_efforts
from screw_dynamics.elastic.motor_feedforward import MotorFeedforward
from screw_dynamics.elastic.motor_table import MotorTable
from screw_dynamics.elastic.spring_deflections import spring_deflections
from screw_dynamics.elastic.springs import (
    AntagonisticPair,
    BalancingSpring,
    CubicSpring,
    ExponentialSpring,
    GasSpring,
    LinearSpring,
    ParallelSpring,
    Spring,
    TabulatedSpring,
    TorsionSpring,
    VariableStiffness,
)
from screw_dynamics.elastic.transmitted_efforts import transmitted_efforts

__all__ = [
    'AntagonisticPair',
    'BalancingSpring',
    'CubicSpring',
    'DeflectionFilter',
    'ElasticJoint',
    'ElasticJoints',
    'ExponentialSpring',
    'GasSpring',
    'JointFriction',
    'LinearSpring',
    'Motor',
    'MotorFeedforward',
    'MotorTable',
    'ParallelSpring',
    'Rotor',
    'Spring',
    'TabulatedSpring',
    'TorsionSpring',
    'VariableStiffness',
    'actuator_efforts',
    'elastic_feedforward',
    'feedforward_from_efforts',
    'link_efforts',
    'motor_efforts',
    'spring_deflections',
    'transmitted_efforts',
]

# names of this room before they moved, imported at their first use: their room imports this one
_MOVED = ('FeasibilityReport', 'LimitCheck', 'SlowDown', 'check_feasibility', 'slow_down')


def __getattr__(name: str) -> Any:
    """Return a function or class that has moved to another room."""
    if name in _MOVED:
        return getattr(import_module('screw_dynamics.feasibility'), name)
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
