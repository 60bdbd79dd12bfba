# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The terms of `kernels.terms`."""

from screw_dynamics.kernels.terms import (
    articulated,
    coriolis,
    effort_partials,
    efforts,
    frame_motion,
    frames,
    mass_matrix,
)
from screw_dynamics.kernels.terms.recursion import N, Recursion
from screw_dynamics.kernels.terms.term import Term

mass_matrix_term = Term(
    Recursion('mass_matrix', mass_matrix.mass_matrix, mass_matrix.mass_matrix_rows, 1, (N, N))
)
gravity_term = Term(
    Recursion('gravity_forces', efforts.gravity_efforts, efforts.gravity_rows, 1, (N,))
)
bias_term = Term(Recursion('bias_forces', efforts.bias_efforts, efforts.bias_rows, 2, (N,)))
coriolis_term = Term(
    Recursion('coriolis_matrix', coriolis.coriolis_matrix, coriolis.coriolis_rows, 2, (N, N))
)
acceleration_term = Term(
    Recursion('forward_dynamics', articulated.accelerations, articulated.articulated_rows, 3, (N,))
)
partials_term = Term(
    Recursion(
        'effort_partials',
        effort_partials.effort_partials,
        effort_partials.partials_rows,
        3,
        (1, 3, N, N),
    ),
    of_jets=True,
)
pose_term = Term(Recursion('frame_pose', frames.frame_pose, frames.frame_rows, 1, (4, 4)))
jacobian_term = Term(
    Recursion('frame_jacobian', frames.frame_jacobian, frames.frame_rows, 1, (6, N))
)
motion_term = Term(
    Recursion(
        'frame_motion', frame_motion.frame_motion, frame_motion.frame_motion_rows, 3, (2, 6)
    ),
    of_jets=True,
)
