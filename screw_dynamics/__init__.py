# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Exact robot dynamics with time derivatives of any order, from a URDF, live in ROS 2.

The sub-packages follow the data flow: `parsers` convert a URDF to a `model`; `trajectory` converts
waypoints to joint jets; `dynamics` and `kinematics` compute with both; `elastic` computes the
commands of motors behind springs, `simulation` the motion of such a robot; `nodes` connect all of
this to ROS 2 topics and services; `bags` record and replay it. Only `nodes`, recorder and replay
need ROS. ``import screw_dynamics`` imports none of them: each is imported at its first use.

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
    from screw_dynamics import lie, simulation, trajectory
    from screw_dynamics.dynamics import (
        bias_forces,
        coriolis_matrix,
        forward_dynamics,
        gravity_forces,
        inverse_dynamics,
        mass_matrix,
    )
    from screw_dynamics.elastic import (
        AntagonisticPair,
        CubicSpring,
        DeflectionFilter,
        ElasticJoint,
        ElasticJoints,
        ExponentialSpring,
        LinearSpring,
        Motor,
        MotorFeedforward,
        Rotor,
        TabulatedSpring,
        VariableStiffness,
        elastic_feedforward,
    )
    from screw_dynamics.errors import ScrewDynamicsError
    from screw_dynamics.estimation import effort_deviations, effort_standard_deviations
    from screw_dynamics.feasibility.check import check_feasibility
    from screw_dynamics.feasibility.report import FeasibilityReport
    from screw_dynamics.feasibility.slow_down import slow_down
    from screw_dynamics.kinematics import frame_jacobian, frame_pose
    from screw_dynamics.model import Frame, JointLimits, ScrewModel
    from screw_dynamics.parsers import from_urdfpy, read_urdf
    from screw_dynamics.paths import share_path
    from screw_dynamics.robot import Robot
    from screw_dynamics.theory.inverse_dynamics.body_fixed import recursive_body_fixed

__version__ = '0.1.0'

__all__ = [
    'AntagonisticPair',
    'CubicSpring',
    'DeflectionFilter',
    'ElasticJoint',
    'ElasticJoints',
    'ExponentialSpring',
    'FeasibilityReport',
    'Frame',
    'JointLimits',
    'LinearSpring',
    'Motor',
    'MotorFeedforward',
    'Robot',
    'Rotor',
    'ScrewDynamicsError',
    'ScrewModel',
    'TabulatedSpring',
    'VariableStiffness',
    '__version__',
    'bias_forces',
    'check_feasibility',
    'coriolis_matrix',
    'effort_deviations',
    'effort_standard_deviations',
    'elastic_feedforward',
    'forward_dynamics',
    'frame_jacobian',
    'frame_pose',
    'from_urdfpy',
    'gravity_forces',
    'inverse_dynamics',
    'lie',
    'mass_matrix',
    'read_urdf',
    'recursive_body_fixed',
    'share_path',
    'simulation',
    'slow_down',
    'trajectory',
]

# modules of the public names; each is imported when one of its names is used first
_MODULES = {
    'dynamics': (
        'bias_forces',
        'coriolis_matrix',
        'forward_dynamics',
        'gravity_forces',
        'inverse_dynamics',
        'mass_matrix',
    ),
    'elastic': (
        'AntagonisticPair',
        'CubicSpring',
        'DeflectionFilter',
        'ElasticJoint',
        'ElasticJoints',
        'ExponentialSpring',
        'LinearSpring',
        'Motor',
        'MotorFeedforward',
        'Rotor',
        'TabulatedSpring',
        'VariableStiffness',
        'elastic_feedforward',
    ),
    'errors': ('ScrewDynamicsError',),
    'estimation': ('effort_deviations', 'effort_standard_deviations'),
    'feasibility.check': ('check_feasibility',),
    'feasibility.report': ('FeasibilityReport',),
    'feasibility.slow_down': ('slow_down',),
    'kinematics': ('frame_jacobian', 'frame_pose'),
    'model': ('Frame', 'JointLimits', 'ScrewModel'),
    'parsers': ('from_urdfpy', 'read_urdf'),
    'paths': ('share_path',),
    'robot': ('Robot',),
    'theory.inverse_dynamics.body_fixed': ('recursive_body_fixed',),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
# sub-packages that are attributes without an import of their own
_ROOMS = {'lie', 'simulation', 'trajectory', *(module.partition('.')[0] for module in _MODULES)}


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
