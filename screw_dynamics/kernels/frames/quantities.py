# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The quantities of frames, of single samples and of batches, and those of a controller."""

from screw_dynamics.kernels.bodies import efforts, mass_matrix
from screw_dynamics.kernels.bodies.quantities import square, vector
from screw_dynamics.kernels.bodies.rows import efforts_rows
from screw_dynamics.kernels.bodies.samples import of_control
from screw_dynamics.kernels.bodies.state_kernel import JetKernel, StateKernel
from screw_dynamics.kernels.frames.motion import frame_motion, frame_motion_rows
from screw_dynamics.kernels.frames.pose_and_jacobian import frame_jacobian, frame_pose, frame_rows
from screw_dynamics.kernels.kernel import Kernel, read_only


def _homogeneous(order, n, count):
    return 4, 4


def _six_rows(order, n, count):
    return 6, n


def _twists(order, n, count):
    return order + 1, 6


FRAME_POSE = StateKernel('frame_pose', frame_pose, frame_rows, _homogeneous, 1)
FRAME_JACOBIAN = StateKernel('frame_jacobian', frame_jacobian, frame_rows, _six_rows, 1)
FRAME_TWIST = JetKernel(
    'frame_twist', frame_motion, frame_motion_rows, _twists, lowest=2, orders=2
)

_VECTOR, _MATRIX = 'float64[::1]', 'float64[:, ::1]'
CONTROL_TERMS = Kernel(
    of_control(
        (
            mass_matrix.mass_matrix,
            efforts.bias_efforts,
            efforts.gravity_efforts,
            frame_pose,
            frame_jacobian,
        ),
        (mass_matrix.mass_matrix_rows, efforts_rows, efforts.gravity_rows, frame_rows),
        (square, vector, _homogeneous, _six_rows),
    ),
    f'int64({read_only(1)}, {read_only(1)}, {_MATRIX}, {_VECTOR}, {_VECTOR}, {_MATRIX}, '
    f'{_MATRIX}, {_VECTOR}, {_VECTOR})',
    releases_gil=False,
)
