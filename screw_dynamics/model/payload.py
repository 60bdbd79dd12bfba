# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Models with a rigid payload."""

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import as_float_array, as_vector
from screw_dynamics.error_texts import shown
from screw_dynamics.errors import InertiaError, ShapeError
from screw_dynamics.lie import inertia_matrix, transform_inertia
from screw_dynamics.model.records import ModelRecord

Model = TypeVar('Model', bound=ModelRecord)

POINT_MASS = ((0.0, 0.0, 0.0),) * 3  # rotational inertia about the centre of mass


def with_payload(
    model: Model,
    frame: str,
    mass: float,
    com: ArrayLike = (0.0, 0.0, 0.0),
    inertia: ArrayLike = POINT_MASS,
) -> Model:
    """
    Return the model with a rigid load fixed to one of its frames, by default a point mass.

    Parameters
    ----------
    model : ScrewModel
    frame : str
        Name of the frame that the load is fixed to.
    mass : float
        [kg].
    com : (3,) array_like
        Centre of mass of the load in the frame [m]; default its origin.
    inertia : (3, 3) array_like
        Rotational inertia of the load about its centre of mass, in the frame's axes [kg m^2];
        default 0.

    Returns
    -------
    ScrewModel
        A new model. A load on the base has no effect, because the base does not move.

    Raises
    ------
    UnknownNameError
        If there is no such frame.
    InertiaError
        If the mass is negative, a number or the inertia of the loaded body is not finite, or the
        inertia of the load is not symmetric.
    ShapeError, NotFiniteError
        If `com` or `inertia` has the wrong shape, or `com` is not finite.

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
