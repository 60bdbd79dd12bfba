# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Soft-rigid robots: chains of joints, rigid bodies and soft bodies of any kinematics."""

from screw_dynamics.soft.bodies.constant_curvature import ConstantCurvature
from screw_dynamics.soft.bodies.planar_constant_curvature import PlanarConstantCurvature
from screw_dynamics.soft.bodies.rigid import RigidBody
from screw_dynamics.soft.bodies.variable_strain import VariableStrain
from screw_dynamics.soft.functions import mass_inverse_dynamics
from screw_dynamics.soft.joint import Joint
from screw_dynamics.soft.module import Module
from screw_dynamics.soft.simulation import SoftMotion, simulate
from screw_dynamics.soft.soft_robot import SoftRobot
from screw_dynamics.soft.statics import equilibrium

__all__ = [
    'ConstantCurvature',
    'Joint',
    'Module',
    'PlanarConstantCurvature',
    'RigidBody',
    'SoftMotion',
    'SoftRobot',
    'VariableStrain',
    'equilibrium',
    'mass_inverse_dynamics',
    'simulate',
]
