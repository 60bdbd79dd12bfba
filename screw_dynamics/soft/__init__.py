# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Soft-rigid robots: chains of joints, rigid bodies and soft bodies of any kinematics."""

from typing import TYPE_CHECKING

import screw_dynamics.soft.kind  # noqa: F401  (registers the kind)
from screw_dynamics.soft.actuators.actuator import (
    Actuator,
    JointEffort,
    actuation_efforts,
    actuation_matrix,
)
from screw_dynamics.soft.actuators.pressure_chamber import PressureChamber
from screw_dynamics.soft.actuators.thread import Helix, Thread
from screw_dynamics.soft.allocation import allocate_tensions
from screw_dynamics.soft.bodies.constant_curvature import (
    ConstantCurvature,
    PlanarConstantCurvature,
)
from screw_dynamics.soft.bodies.finite_elements import FiniteElements
from screw_dynamics.soft.bodies.learned import Learned, Perceptron
from screw_dynamics.soft.bodies.point_body import PointBody, RitzGalerkin
from screw_dynamics.soft.bodies.rigid import RigidBody
from screw_dynamics.soft.bodies.strain_bases import strain_basis
from screw_dynamics.soft.bodies.variable_strain import ConstantStrain, VariableStrain
from screw_dynamics.soft.bodies.volume_preserving import VolumePreserving
from screw_dynamics.soft.bodies.volume_primitives import VolumePrimitive
from screw_dynamics.soft.collocation import (
    Collocated,
    collocated_coordinates,
    linearising_inputs,
)
from screw_dynamics.soft.functions import (
    inertial_inverse_dynamics,
    mass_inertial_inverse_dynamics,
    mass_inverse_dynamics,
)
from screw_dynamics.soft.joint import Joint
from screw_dynamics.soft.materials import KelvinVoigt, NeoHookean, circular_section
from screw_dynamics.soft.module import Module
from screw_dynamics.soft.point_forces import point_force_efforts
from screw_dynamics.soft.segments.append_segments import append_segments, read_segments
from screw_dynamics.soft.segments.hybrid_robot import HybridRobot
from screw_dynamics.soft.segments.thread_set import ThreadSet
from screw_dynamics.soft.soft_robot import SoftRobot
from screw_dynamics.soft.statics import equilibrium, is_stable

if TYPE_CHECKING:
    from screw_dynamics.simulation import CoordinateMotion as SoftMotion


def __getattr__(name: str) -> object:
    """Import the result of `simulate` at its first use: nodes start without simulations."""
    if name == 'SoftMotion':
        from screw_dynamics.simulation import CoordinateMotion

        return CoordinateMotion
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


__all__ = [
    'Actuator',
    'Collocated',
    'ConstantCurvature',
    'ConstantStrain',
    'FiniteElements',
    'Helix',
    'HybridRobot',
    'Joint',
    'JointEffort',
    'KelvinVoigt',
    'Learned',
    'Module',
    'NeoHookean',
    'Perceptron',
    'PlanarConstantCurvature',
    'PointBody',
    'PressureChamber',
    'RigidBody',
    'RitzGalerkin',
    'SoftMotion',
    'SoftRobot',
    'Thread',
    'ThreadSet',
    'VariableStrain',
    'VolumePreserving',
    'VolumePrimitive',
    'actuation_efforts',
    'actuation_matrix',
    'allocate_tensions',
    'collocated_coordinates',
    'append_segments',
    'circular_section',
    'equilibrium',
    'inertial_inverse_dynamics',
    'is_stable',
    'linearising_inputs',
    'mass_inertial_inverse_dynamics',
    'mass_inverse_dynamics',
    'point_force_efforts',
    'read_segments',
    'strain_basis',
]
