# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint efforts of a motion without joint accelerations, C q' + Q_grav."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.quantities import BIAS_FORCES
from screw_dynamics.model.other_models import OtherModel, other_result
from screw_dynamics.model.screw_model import ScrewModel, require_model
from screw_dynamics.model.state_calls import checked_quantity

_ARRAY, _empty = np.ndarray, np.empty


def bias_forces(
    model: ScrewModel | OtherModel, q: ArrayLike, qd: ArrayLike, out: Array | None = None
) -> Array:
    """
    Return the joint efforts C(q, q') q' + Q_grav(q), those of a motion with q'' = 0.

    Newton-Euler recursion in the joint frames, O(n): that of `inverse_dynamics` [KM2021, (19),
    (20)] with q'' = 0.

    Parameters
    ----------
    model : ScrewModel or SoftRobot
    q, qd : (n,) or (T, n) array_like
        Coordinates and their rates [rad or m, per s].
    out : (n,) or (T, n) ndarray, optional
        C-contiguous float64 array to fill; must not overlap the arguments.

    Returns
    -------
    (n,) or (T, n) ndarray
        [N m or N]; `out` if given.

    Raises
    ------
    InputError
        If `out` is not writable, aligned, C-contiguous float64 memory of its own.
    ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.bias_forces(pendulum, [0.0], [3.0])
    array([9.81])
    """
    if type(q) is _ARRAY and type(qd) is _ARRAY:  # not masked arrays
        try:
            forces = _empty(len(q)) if out is None else out
            if BIAS_FORCES.single(q, qd, forces, model.joint_frame_parameters.parameters) == OK:  # type: ignore[union-attr]
                return forces
        except (TypeError, ValueError, AttributeError):
            pass  # not arrays for the kernel: the checks below convert or reject them
    if isinstance(model, OtherModel):
        return other_result('bias_forces', model, q, qd, out=out)
    parameters = require_model(model).joint_frame_parameters.parameters
    return checked_quantity(BIAS_FORCES, model.n, parameters, out, {'q': q, 'qd': qd})
