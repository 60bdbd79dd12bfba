# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernel of chains of modules: efforts and derivatives, mass matrices, poses of many samples."""

import numpy as np

from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.pointers import all_finite
from screw_dynamics.kernels.soft.entire_functions import set_inverse_factorials
from screw_dynamics.kernels.soft.frame_poses import set_frame_poses
from screw_dynamics.kernels.soft.layout import INPUT_NOT_FINITE, OK, RESULT_NOT_FINITE
from screw_dynamics.kernels.soft.mass_matrix import composite, set_jacobian, set_mass_matrix
from screw_dynamics.kernels.soft.sweeps import (
    backward_sweep,
    forward_sweep,
    places,
    set_coordinates,
    write_efforts,
)


def _soft_dynamics(
    jets, modules, reals, given, wrenches, carriers, taus, matrices, poses, frames, jacobians
):
    """
    Fill `taus`, `matrices` (T, n, n), `poses` (T, m, 4, 4), `jacobians` (T, 6, n) from jets.

    The jets are (T, k + 3, n). A result of no rows is left out, as are the efforts (T, k + 1, n)
    for jets of positions only (T, 1, n). `given` (T, size) holds the series of modules evaluated
    outside, `wrenches` (T, w, k + 1, 6) the external wrenches [torque; force] at the distal frames
    of the modules `carriers` (w,), in their axes. The Jacobians are those behind the first
    `frames` modules. Returns a status.
    """
    order, n = jets.shape[1] - 3, jets.shape[2]
    place = places(modules, n, order)
    ws, work = np.empty(place.size), composite(max(matrices.shape[1], jacobians.shape[1] // 6 * n))
    set_inverse_factorials(ws, place.inverse, place.coordinates - place.inverse)
    status = OK
    for t in range(jets.shape[0]):
        if not all_finite(jets[t].ravel()):
            return INPUT_NOT_FINITE
        set_coordinates(ws, place.coordinates, jets[t], order)
        forward_sweep(ws, place, modules, reals, given[t], order)
        finite = True
        if order >= 0:
            backward_sweep(ws, place, modules, reals, wrenches[t], carriers, order)
            finite = write_efforts(ws, place.efforts, taus[t], order)
        if matrices.shape[1] > 0:
            set_mass_matrix(ws, place, modules, reals, order + 3, work, matrices[t])
            finite = finite and all_finite(matrices[t].ravel())
        if poses.shape[1] > 0:
            set_frame_poses(ws, place, modules, order + 3, work.pose, poses[t])
            finite = finite and all_finite(poses[t].ravel())
        if jacobians.shape[1] > 0:
            set_jacobian(ws, place, modules, reals, order + 3, frames, work, jacobians[t])
            finite = finite and all_finite(jacobians[t].ravel())
        if not finite:
            status = RESULT_NOT_FINITE
    return status


soft_dynamics = Kernel(
    _soft_dynamics,
    f'int64({read_only(3)}, {read_only(2, "int64")}, {read_only(1)}, {read_only(2)}, '
    f'{read_only(4)}, {read_only(1, "int64")}, '
    'float64[:, :, ::1], float64[:, :, ::1], float64[:, :, :, ::1], int64, float64[:, :, ::1])',
)
