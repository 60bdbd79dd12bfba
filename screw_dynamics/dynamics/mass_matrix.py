# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint-space mass matrix by composite rigid bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.quantities import MASS_MATRIX
from screw_dynamics.model.other_models import OtherModel, other_result
from screw_dynamics.model.screw_model import ScrewModel, require_model
from screw_dynamics.model.state_calls import checked_quantity

_ARRAY, _empty = np.ndarray, np.empty


def mass_matrix(
    model: ScrewModel | OtherModel, q: ArrayLike, out: Array | None = None, threads: int = 1
) -> Array:
    """
    Return the mass matrix M of the kinetic energy q'^T M q' / 2.

    M = J^T blkdiag(M_i) J [MK2021, (20)], evaluated by the composite-rigid-body algorithm
    [F2008, section 6.2] in O(n d) for depth d, with mimic joints reduced as G^T M G.

    Parameters
    ----------
    model : ScrewModel or SoftRobot
    q : (n,) or (T, n) array_like
        Coordinates [rad or m].
    out : (n, n) or (T, n, n) ndarray, optional
        C-contiguous float64 array to fill; must not overlap the arguments.
    threads : int
        Threads that share a batch; a `SoftRobot` takes one.

    Returns
    -------
    (n, n) or (T, n, n) ndarray
        Exactly symmetric [kg m^2, kg m, kg]; rotor inertia is not included: add
        ``joints.motors(model).rows[:, 0]`` of `Drives` to the diagonal. `out` if given.

    Raises
    ------
    InputError
        If `out` is not writable, aligned, C-contiguous float64 memory of its own, or `threads`
        is not a positive integer.
    ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [link])
    >>> sd.mass_matrix(pendulum, [0.3])
    array([[0.5]])
    """
    if type(q) is _ARRAY:  # not a masked array
        try:
            tables = model.joint_frame_parameters  # type: ignore[union-attr]
            matrix = _empty(tables.square) if out is None else out
            if MASS_MATRIX.single(q, matrix, tables.parameters) == OK:
                return matrix
        except (TypeError, ValueError, AttributeError):
            pass  # not arrays for the kernel: the checks below convert or reject them
    if isinstance(model, OtherModel):
        return other_result('mass_matrix', model, q, out=out)
    parameters = require_model(model).joint_frame_parameters.parameters
    return checked_quantity(MASS_MATRIX, model.n, parameters, out, {'q': q}, threads)
