# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Elastic joints: motor positions and efforts from joint jets."""

from screw_dynamics.elastic.deflection_filter import DeflectionFilter
from screw_dynamics.elastic.elastic_feedforward import elastic_feedforward
from screw_dynamics.elastic.elastic_joint import ElasticJoint, Motor, Rotor
from screw_dynamics.elastic.elastic_joints import ElasticJoints
from screw_dynamics.elastic.motor_feedforward import MotorFeedforward
from screw_dynamics.elastic.motor_table import MotorTable
from screw_dynamics.elastic.springs import (
    AntagonisticPair,
    CubicSpring,
    ExponentialSpring,
    LinearSpring,
    Spring,
    TabulatedSpring,
    VariableStiffness,
)

__all__ = [
    'AntagonisticPair',
    'CubicSpring',
    'DeflectionFilter',
    'ElasticJoint',
    'ElasticJoints',
    'ExponentialSpring',
    'LinearSpring',
    'Motor',
    'MotorFeedforward',
    'MotorTable',
    'Rotor',
    'Spring',
    'TabulatedSpring',
    'VariableStiffness',
    'elastic_feedforward',
]
