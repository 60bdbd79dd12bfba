# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A rigid load held by a robot."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import as_float_array, as_vector
from screw_dynamics.error_texts import shown
from screw_dynamics.errors import InertiaError, ShapeError
from screw_dynamics.lie import inertia_matrix, transform_inertia

if TYPE_CHECKING:
    from screw_dynamics.model.screw_model import ScrewModel

POINT_MASS = ((0.0, 0.0, 0.0),) * 3  # rotational inertia about its centre


def with_payload(
    model: ScrewModel,
    frame: str,
    mass: float,
    com: ArrayLike = (0.0, 0.0, 0.0),
    inertia: ArrayLike = POINT_MASS,
) -> ScrewModel:
    """
    Return the model with a rigid load fixed to one of its frames, by default a point mass.

    `mass` [kg]; `com` [m]; `inertia` [kg m^2].
    """
    at = model.frame(frame)
    where = f'payload on {frame!r}'
    mass_array = as_float_array('mass', mass)
    if mass_array.shape != ():
        raise ShapeError('mass', '()', mass_array.shape)
    if not np.isfinite(mass_array) or mass_array < 0.0:
        raise InertiaError(f'{where}: mass: expected 0 or more, got {mass_array} kg')
    centre = as_vector('com', com, 3)
    tensor = as_float_array('inertia', inertia)
    if tensor.shape != (3, 3):
        raise ShapeError('inertia', '(3, 3)', tensor.shape)
    finite = bool(np.isfinite(tensor).all())
    if not finite or np.abs(tensor - tensor.T).max() > 1e-9 * np.abs(tensor).max():
        raise InertiaError(
            f'{where}: inertia: expected a finite symmetric tensor, got {shown(tensor.tolist())}'
        )
    if at.body < 0:
        return replace(model)
    inertias = model.inertias.copy()
    with np.errstate(over='ignore', invalid='ignore'):
        load = inertia_matrix(float(mass_array), centre, 0.5 * (tensor + tensor.T))
        inertias[at.body] += transform_inertia(load, at.pose)
    if not np.isfinite(inertias[at.body]).all():
        raise InertiaError(
            f'{where}: expected a load with which the inertia of its body is finite, '
            f'got {mass_array:g} kg at {shown(centre.tolist())}'
        )
    return replace(model, inertias=inertias)
