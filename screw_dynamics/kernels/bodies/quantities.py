# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The quantities of bodies and frames, of single samples and of batches."""

from screw_dynamics.kernels.bodies import (
    acceleration_partials,
    articulated,
    coriolis,
    effort_partials,
    efforts,
    mass_matrix,
    momenta,
    regressor,
)
from screw_dynamics.kernels.bodies.rows import efforts_rows
from screw_dynamics.kernels.bodies.samples import of_control
from screw_dynamics.kernels.bodies.state_kernel import JetKernel, StateKernel
from screw_dynamics.kernels.frames import motion, pose_and_jacobian
from screw_dynamics.kernels.kernel import Kernel, read_only


def _vector(order, n, count):
    return (n,)


def _square(order, n, count):
    return n, n


def _homogeneous(order, n, count):
    return 4, 4


def _six_rows(order, n, count):
    return 6, n


def _efforts(order, n, count):
    return order + 1, n


def _effort_partials(order, n, count):
    return order + 1, order + 3, n, n


def _acceleration_partials(order, n, count):
    return 3, n, n


def _regressor(order, n, count):
    return order + 1, n, regressor.PARAMETERS * count


def _twists(order, n, count):
    return order + 1, 6


MASS_MATRIX = StateKernel(
    'mass_matrix', mass_matrix.mass_matrix, mass_matrix.mass_matrix_rows, _square, 1
)
GRAVITY_FORCES = StateKernel(
    'gravity_forces', efforts.gravity_efforts, efforts.gravity_rows, _vector, 1
)
BIAS_FORCES = StateKernel('bias_forces', efforts.bias_efforts, efforts_rows, _vector, 2)
CORIOLIS_MATRIX = StateKernel(
    'coriolis_matrix', coriolis.coriolis_matrix, coriolis.coriolis_rows, _square, 2
)
FORWARD_DYNAMICS = StateKernel(
    'forward_dynamics', articulated.accelerations, articulated.articulated_rows, _vector, 3
)
FORWARD_DYNAMICS_PARTIALS = StateKernel(
    'forward_dynamics_partials',
    acceleration_partials.acceleration_partials,
    acceleration_partials.acceleration_partials_rows,
    _acceleration_partials,
    3,
)
FRAME_POSE = StateKernel(
    'frame_pose', pose_and_jacobian.frame_pose, pose_and_jacobian.frame_rows, _homogeneous, 1
)
FRAME_JACOBIAN = StateKernel(
    'frame_jacobian', pose_and_jacobian.frame_jacobian, pose_and_jacobian.frame_rows, _six_rows, 1
)
INVERSE_DYNAMICS = JetKernel(
    'inverse_dynamics', efforts.inverse_dynamics, efforts_rows, _efforts, lowest=3, orders=5
)
EFFORT_PARTIALS = JetKernel(
    'effort_partials',
    effort_partials.effort_partials,
    momenta.momenta_rows,
    _effort_partials,
    lowest=3,
    orders=1,
)
REGRESSOR = JetKernel(
    'regressor', regressor.regressor, regressor.regressor_rows, _regressor, lowest=3, orders=1
)
FRAME_TWIST = JetKernel(
    'frame_twist', motion.frame_motion, motion.frame_motion_rows, _twists, lowest=2, orders=2
)

_MATRIX = 'float64[:, ::1]'
CONTROL_TERMS = Kernel(
    of_control(
        (
            mass_matrix.mass_matrix,
            efforts.bias_efforts,
            efforts.gravity_efforts,
            pose_and_jacobian.frame_pose,
            pose_and_jacobian.frame_jacobian,
        ),
        (
            mass_matrix.mass_matrix_rows,
            efforts_rows,
            efforts.gravity_rows,
            pose_and_jacobian.frame_rows,
        ),
        (_square, _vector, _homogeneous, _six_rows),
    ),
    f'int64({read_only(1)}, {read_only(1)}, {_MATRIX}, float64[::1], float64[::1], {_MATRIX}, '
    f'{_MATRIX}, float64[::1], float64[::1])',
    releases_gil=False,
)
