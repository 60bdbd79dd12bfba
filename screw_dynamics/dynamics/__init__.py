# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inverse and forward dynamics, their derivatives, matrices, frames, tasks.

The following holds for all functions.

`out`
    A C-contiguous float64 array of the shape of the result, which is filled and returned. It must
    not overlap the arguments. In a loop `sd.Workspace` is faster, as its arrays are made once.
`threads`
    Threads that share a batch, 1 by default; the kernels release the GIL. A `SoftRobot` and the
    forward dynamics of robots with mimic joints take one.
Errors
    ShapeError if an array has the wrong shape, or too few rows. NotFiniteError if an entry or, by
    overflow, a result is NaN or infinite. InputError if `out` is not writable, aligned,
    C-contiguous float64 memory of its own, `threads` not a positive integer, a representation not
    one of the four, an array masked, or the model not one that the function knows.
    UnknownNameError if a frame does not exist.
"""

from screw_dynamics.dynamics.base_parameters import BaseParameters, base_parameters
from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.control_terms import ControlTerms, control_terms
from screw_dynamics.dynamics.coriolis_matrix import coriolis_matrix
from screw_dynamics.dynamics.dispatch import register_kind
from screw_dynamics.dynamics.effort_format import EffortFormat
from screw_dynamics.dynamics.effort_partials import effort_partials
from screw_dynamics.dynamics.forward_dynamics import forward_dynamics, forward_dynamics_jet
from screw_dynamics.dynamics.forward_dynamics_partials import forward_dynamics_partials
from screw_dynamics.dynamics.frame_jets import frame_jacobian_jet, frame_twist
from screw_dynamics.dynamics.frames import frame_jacobian, frame_pose
from screw_dynamics.dynamics.gravity_forces import gravity_forces, gravity_forces_jet
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.mass_and_energy import (
    centre_of_mass,
    centre_of_mass_jacobian,
    kinetic_energy,
    potential_energy,
)
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.dynamics.regressor import inertial_parameters, regressor
from screw_dynamics.dynamics.task_space import task_to_joint_jet

__all__ = [
    'BaseParameters',
    'ControlTerms',
    'EffortFormat',
    'base_parameters',
    'bias_forces',
    'centre_of_mass',
    'centre_of_mass_jacobian',
    'control_terms',
    'coriolis_matrix',
    'effort_partials',
    'forward_dynamics',
    'forward_dynamics_jet',
    'forward_dynamics_partials',
    'frame_jacobian',
    'frame_jacobian_jet',
    'frame_pose',
    'frame_twist',
    'gravity_forces_jet',
    'gravity_forces',
    'inertial_parameters',
    'inverse_dynamics',
    'kinetic_energy',
    'mass_matrix',
    'potential_energy',
    'register_kind',
    'regressor',
    'task_to_joint_jet',
]
