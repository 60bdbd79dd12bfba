# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernel of the inverse dynamics of chains of modules, of any order, for many samples."""

import numpy as np

from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.soft.entire_functions import set_inverse_factorials
from screw_dynamics.kernels.soft.layout import INPUT_NOT_FINITE, OK, RESULT_NOT_FINITE
from screw_dynamics.kernels.soft.sweeps import (
    backward_sweep,
    forward_sweep,
    places,
    set_coordinates,
    write_efforts,
)
from screw_dynamics.kernels.tree.forward_kinematics import all_finite


def _soft_inverse_dynamics(jets, modules, reals, given, taus):
    """Fill `taus` (T, k + 1, n) from `jets` (T, k + 3, n) and `given` (T, size)."""
    order = taus.shape[1] - 1
    place = places(modules, taus.shape[2], order)
    ws = np.empty(place.size)
    set_inverse_factorials(ws, place.inverse, place.coordinates - place.inverse)
    status = OK
    for t in range(jets.shape[0]):
        if not all_finite(jets[t].ravel()):
            return INPUT_NOT_FINITE
        set_coordinates(ws, place.coordinates, jets[t], order)
        forward_sweep(ws, place, modules, reals, given[t], order)
        backward_sweep(ws, place, modules, reals, order)
        if not write_efforts(ws, place.efforts, taus[t], order):
            status = RESULT_NOT_FINITE
    return status


soft_inverse_dynamics = Kernel(
    _soft_inverse_dynamics,
    f'int64({read_only(3)}, {read_only(2, "int64")}, {read_only(1)}, {read_only(2)}, '
    'float64[:, :, ::1])',
)
