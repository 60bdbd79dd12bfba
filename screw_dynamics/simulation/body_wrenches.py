# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""External wrenches at one instant, in the form that the simulation kernels require."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_vector
from screw_dynamics.errors import InputError
from screw_dynamics.kinematics.axis_frames import named_frame
from screw_dynamics.lie import adjoint_inverse
from screw_dynamics.model import ScrewModel

NO_WRENCHES: Array = np.empty((0, 6))
NO_WRENCHES.flags.writeable = False


def body_wrenches(model: ScrewModel, wrenches: Mapping[str, ArrayLike] | None) -> Array:
    """
    Return the wrench on each body in its axis frame, (N, 6), or (0, 6) if there are none.

    Input [torque; force] acts ON the link, in the axes and at the origin of its frame [N m, N].
    """
    if not wrenches:
        return NO_WRENCHES
    if not isinstance(wrenches, Mapping):
        raise InputError(
            f'wrenches: expected a mapping of frame names to arrays, got {type(wrenches).__name__}'
        )
    table = np.zeros((model.body_count, 6))
    for name, value in wrenches.items():
        _, path, local = named_frame(model, name)
        wrench = as_vector(f'wrenches[{name!r}]', value, 6)
        if len(path):  # a wrench on the base moves no joint
            table[path[-1]] += wrench @ adjoint_inverse(local)
    return table
