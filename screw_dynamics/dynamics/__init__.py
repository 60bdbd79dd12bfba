# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Equations of motion: one file per published algorithm, and a fast compiled recursion."""

from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.coriolis_matrix import coriolis_matrix
from screw_dynamics.dynamics.forward_dynamics import forward_dynamics
from screw_dynamics.dynamics.gravity_forces import gravity_forces
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.link_loads import LinkLoads
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.estimation.effort_deviations import effort_deviations
from screw_dynamics.theory.inverse_dynamics.body_fixed import recursive_body_fixed

__all__ = [
    'LinkLoads',
    'bias_forces',
    'coriolis_matrix',
    'effort_deviations',
    'forward_dynamics',
    'gravity_forces',
    'inverse_dynamics',
    'mass_matrix',
    'recursive_body_fixed',
]
