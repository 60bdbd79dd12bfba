# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives of rigid and elastic joints: motor positions and efforts from joint jets."""

from screw_dynamics.drives.actuator_efforts import actuator_efforts
from screw_dynamics.drives.deflection_filter import DeflectionFilter
from screw_dynamics.drives.drives import Drives
from screw_dynamics.drives.feedforward import elastic_feedforward, feedforward_from_efforts
from screw_dynamics.drives.joint_drive import JointDrive, Motor, Rotor
from screw_dynamics.drives.joint_friction import JointFriction
from screw_dynamics.drives.link_efforts import link_efforts
from screw_dynamics.drives.motor_efforts import motor_efforts
from screw_dynamics.drives.motor_feedforward import MotorFeedforward
from screw_dynamics.drives.motor_table import MotorTable
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.spring_deflections import spring_deflections
from screw_dynamics.drives.springs import (
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
from screw_dynamics.drives.transmitted_efforts import transmitted_efforts
from screw_dynamics.drives.winding import Winding
from screw_dynamics.drives.winding_loads import WindingLoads, winding_loads

__all__ = [
    'AntagonisticPair',
    'BalancingSpring',
    'CubicSpring',
    'DeflectionFilter',
    'JointDrive',
    'Drives',
    'ExponentialSpring',
    'GasSpring',
    'JointFriction',
    'LinearSpring',
    'Motor',
    'MotorFeedforward',
    'MotorTable',
    'ParallelSpring',
    'Robot',
    'Rotor',
    'Spring',
    'TabulatedSpring',
    'TorsionSpring',
    'VariableStiffness',
    'Winding',
    'WindingLoads',
    'actuator_efforts',
    'elastic_feedforward',
    'feedforward_from_efforts',
    'link_efforts',
    'motor_efforts',
    'spring_deflections',
    'transmitted_efforts',
    'winding_loads',
]
