# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Exact robot dynamics with time derivatives of any order, from a URDF, live in ROS 2.

The sub-packages follow the data flow: `parsers` convert a URDF to a `model`; `trajectory` converts
waypoints to joint jets; `dynamics` and `kinematics` compute with both; `elastic` computes the
commands of motors behind springs, `simulation` the motion of such a robot; `nodes` connect all of
this to ROS 2 topics and services; `bags` record it. Only `nodes` and the recorder need ROS.
``import screw_dynamics`` imports none of them: each is imported at its first use.

Examples
--------
>>> import numpy as np
>>> import screw_dynamics as sd
>>> model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
>>> jet = np.zeros((5, model.n))
>>> tau, tau_dot, tau_ddot = sd.inverse_dynamics(model, jet)
>>> bool(tau_dot.any())
False
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screw_dynamics import lie as lie
    from screw_dynamics import simulation as simulation
    from screw_dynamics import soft as soft
    from screw_dynamics import symbolic as symbolic
    from screw_dynamics import trajectory as trajectory
    from screw_dynamics.cartesian import PoseWaypoints as PoseWaypoints
    from screw_dynamics.cartesian import cartesian_trajectory as cartesian_trajectory
    from screw_dynamics.codegen.robot import CCode as CCode
    from screw_dynamics.codegen.robot import generate_c as generate_c
    from screw_dynamics.dynamics import BaseParameters as BaseParameters
    from screw_dynamics.dynamics import ControlTerms as ControlTerms
    from screw_dynamics.dynamics import EffortFormat as EffortFormat
    from screw_dynamics.dynamics import base_parameters as base_parameters
    from screw_dynamics.dynamics import bias_forces as bias_forces
    from screw_dynamics.dynamics import control_terms as control_terms
    from screw_dynamics.dynamics import coriolis_matrix as coriolis_matrix
    from screw_dynamics.dynamics import effort_partials as effort_partials
    from screw_dynamics.dynamics import forward_dynamics as forward_dynamics
    from screw_dynamics.dynamics import forward_dynamics_jet as forward_dynamics_jet
    from screw_dynamics.dynamics import forward_dynamics_partials as forward_dynamics_partials
    from screw_dynamics.dynamics import gravity_force_jets as gravity_force_jets
    from screw_dynamics.dynamics import gravity_forces as gravity_forces
    from screw_dynamics.dynamics import inertial_parameters as inertial_parameters
    from screw_dynamics.dynamics import inverse_dynamics as inverse_dynamics
    from screw_dynamics.dynamics import mass_matrix as mass_matrix
    from screw_dynamics.dynamics import regressor as regressor
    from screw_dynamics.elastic import AntagonisticPair as AntagonisticPair
    from screw_dynamics.elastic import BalancingSpring as BalancingSpring
    from screw_dynamics.elastic import CubicSpring as CubicSpring
    from screw_dynamics.elastic import DeflectionFilter as DeflectionFilter
    from screw_dynamics.elastic import ElasticJoint as ElasticJoint
    from screw_dynamics.elastic import ElasticJoints as ElasticJoints
    from screw_dynamics.elastic import ExponentialSpring as ExponentialSpring
    from screw_dynamics.elastic import GasSpring as GasSpring
    from screw_dynamics.elastic import JointFriction as JointFriction
    from screw_dynamics.elastic import LinearSpring as LinearSpring
    from screw_dynamics.elastic import Motor as Motor
    from screw_dynamics.elastic import MotorFeedforward as MotorFeedforward
    from screw_dynamics.elastic import Rotor as Rotor
    from screw_dynamics.elastic import TabulatedSpring as TabulatedSpring
    from screw_dynamics.elastic import TorsionSpring as TorsionSpring
    from screw_dynamics.elastic import VariableStiffness as VariableStiffness
    from screw_dynamics.elastic import actuator_efforts as actuator_efforts
    from screw_dynamics.elastic import elastic_feedforward as elastic_feedforward
    from screw_dynamics.errors import ScrewDynamicsError as ScrewDynamicsError
    from screw_dynamics.estimation import effort_deviations as effort_deviations
    from screw_dynamics.estimation import effort_standard_deviations as effort_standard_deviations
    from screw_dynamics.feasibility.check import check_feasibility as check_feasibility
    from screw_dynamics.feasibility.report import FeasibilityReport as FeasibilityReport
    from screw_dynamics.feasibility.slow_down import slow_down as slow_down
    from screw_dynamics.identification import Identification as Identification
    from screw_dynamics.identification import Recording as Recording
    from screw_dynamics.identification import identify as identify
    from screw_dynamics.kinematics import frame_jacobian as frame_jacobian
    from screw_dynamics.kinematics import frame_jacobian_jet as frame_jacobian_jet
    from screw_dynamics.kinematics import frame_pose as frame_pose
    from screw_dynamics.kinematics import frame_twist as frame_twist
    from screw_dynamics.kinematics import task_to_joint_jet as task_to_joint_jet
    from screw_dynamics.model import Frame as Frame
    from screw_dynamics.model import JointLimits as JointLimits
    from screw_dynamics.model import ScrewModel as ScrewModel
    from screw_dynamics.observers import Contact as Contact
    from screw_dynamics.observers import ContactDetector as ContactDetector
    from screw_dynamics.observers import LoadObserver as LoadObserver
    from screw_dynamics.observers import measured_spring_efforts as measured_spring_efforts
    from screw_dynamics.parsers import from_urdfpy as from_urdfpy
    from screw_dynamics.parsers import read_urdf as read_urdf
    from screw_dynamics.paths import share_path as share_path
    from screw_dynamics.retiming import retime as retime
    from screw_dynamics.robot import Robot as Robot
    from screw_dynamics.simulation.linearized_dynamics import (
        linearized_dynamics as linearized_dynamics,
    )
    from screw_dynamics.theory.inverse_dynamics.body_fixed import (
        recursive_body_fixed as recursive_body_fixed,
    )

__version__ = '0.1.0'

# modules of the public names; each is imported when one of its names is used first
_MODULES = {
    'cartesian': ('PoseWaypoints', 'cartesian_trajectory'),
    'codegen.robot': ('CCode', 'generate_c'),
    'dynamics': (
        'BaseParameters',
        'ControlTerms',
        'EffortFormat',
        'base_parameters',
        'bias_forces',
        'control_terms',
        'coriolis_matrix',
        'effort_partials',
        'forward_dynamics',
        'forward_dynamics_jet',
        'forward_dynamics_partials',
        'gravity_force_jets',
        'gravity_forces',
        'inertial_parameters',
        'inverse_dynamics',
        'mass_matrix',
        'regressor',
    ),
    'elastic': (
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
        'Rotor',
        'TabulatedSpring',
        'TorsionSpring',
        'VariableStiffness',
        'actuator_efforts',
        'elastic_feedforward',
    ),
    'errors': ('ScrewDynamicsError',),
    'estimation': ('effort_deviations', 'effort_standard_deviations'),
    'feasibility.check': ('check_feasibility',),
    'feasibility.report': ('FeasibilityReport',),
    'feasibility.slow_down': ('slow_down',),
    'identification': ('Identification', 'Recording', 'identify'),
    'kinematics': (
        'frame_jacobian',
        'frame_jacobian_jet',
        'frame_pose',
        'frame_twist',
        'task_to_joint_jet',
    ),
    'model': ('Frame', 'JointLimits', 'ScrewModel'),
    'observers': ('Contact', 'ContactDetector', 'LoadObserver', 'measured_spring_efforts'),
    'parsers': ('from_urdfpy', 'read_urdf'),
    'paths': ('share_path',),
    'retiming': ('retime',),
    'robot': ('Robot',),
    'simulation.linearized_dynamics': ('linearized_dynamics',),
    'theory.inverse_dynamics.body_fixed': ('recursive_body_fixed',),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
_OTHER_ROOMS = ('lie', 'simulation', 'soft', 'symbolic', 'trajectory')
__all__ = sorted(['__version__', *_MODULE_OF, *_OTHER_ROOMS])
# sub-packages that are attributes without an import of their own
_ROOMS = {*_OTHER_ROOMS, *(module.partition('.')[0] for module in _MODULES)}


def __getattr__(name: str) -> object:
    """Import a public name at its first use (PEP 562)."""
    if name in _MODULE_OF:
        value: object = getattr(import_module(f'{__name__}.{_MODULE_OF[name]}'), name)
    elif name in _ROOMS:
        value = import_module(f'{__name__}.{name}')
    else:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
