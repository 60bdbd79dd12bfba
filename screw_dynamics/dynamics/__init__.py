# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Inverse and forward dynamics, their derivatives, matrices of the equations of motion."""

from importlib import import_module
from typing import Any

from screw_dynamics.dynamics.base_parameters import BaseParameters, base_parameters
from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.control_terms import ControlTerms, control_terms
from screw_dynamics.dynamics.coriolis_matrix import coriolis_matrix
from screw_dynamics.dynamics.effort_format import EffortFormat
from screw_dynamics.dynamics.effort_partials import effort_partials
from screw_dynamics.dynamics.forward_dynamics import forward_dynamics, forward_dynamics_jet
from screw_dynamics.dynamics.forward_dynamics_partials import forward_dynamics_partials
from screw_dynamics.dynamics.gravity_forces import gravity_force_jets, gravity_forces
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.link_loads import LinkLoads
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.dynamics.regressor import inertial_parameters, regressor

__all__ = [
    'BaseParameters',
    'ControlTerms',
    'EffortFormat',
    'LinkLoads',
    'base_parameters',
    'bias_forces',
    'control_terms',
    'coriolis_matrix',
    'effort_deviations',
    'effort_partials',
    'forward_dynamics',
    'forward_dynamics_jet',
    'forward_dynamics_partials',
    'gravity_force_jets',
    'gravity_forces',
    'inertial_parameters',
    'inverse_dynamics',
    'mass_matrix',
    'recursive_body_fixed',
    'regressor',
]

# names of this room before they moved, imported at their first use: their rooms import this one
_MOVED = {
    'effort_deviations': 'screw_dynamics.estimation',
    'recursive_body_fixed': 'screw_dynamics.theory.inverse_dynamics.body_fixed',
}


def __getattr__(name: str) -> Any:
    """Return a function that has moved to another room."""
    if name in _MOVED:
        return getattr(import_module(_MOVED[name]), name)
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
