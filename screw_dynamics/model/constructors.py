# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Models from joint screws, and models with a rigid payload."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, as_vector, require_finite
from screw_dynamics.errors import (
    InertiaError,
    InertiaWarning,
    ModelError,
    ShapeError,
    listed,
    shown,
)
from screw_dynamics.lie import inertia_matrix, inertia_parameters, screw_type, transform_inertia
from screw_dynamics.lie.inertia import OF_NO_SOLID, is_of_no_solid
from screw_dynamics.model.records import Frame, JointLimits, ModelRecord

Model = TypeVar('Model', bound=ModelRecord)

_CANCELLED = 1e-12  # of the moments about the origin of a frame
POINT_MASS = ((0.0, 0.0, 0.0),) * 3  # rotational inertia about the centre of mass


def fields_from_screws(
    parents: ArrayLike,
    home_poses: ArrayLike,
    screws: ArrayLike,
    inertias: ArrayLike,
    gravity: ArrayLike,
    joint_names: Sequence[str] | None,
) -> dict[str, Any]:
    """Return the fields of a model; see `ScrewModel.from_screws`, whose errors it raises."""
    try:
        parent_array = np.asarray(parents)
    except ValueError:
        raise ShapeError('parents', '(n,) of integers', repr(parents)) from None
    if parent_array.ndim != 1 or (parent_array.size and parent_array.dtype.kind not in 'iu'):
        raise ShapeError(
            'parents', '(n,) of integers', f'{parent_array.shape} {parent_array.dtype}'
        )
    n = len(parent_array)
    shaped = {}
    for name, value, tail in (
        ('home_poses', home_poses, (4, 4)),
        ('screws', screws, (6,)),
        ('inertias', inertias, (6, 6)),
    ):
        array = as_float_array(name, value)
        if n == 0 and array.size == 0:
            array = array.reshape((0, *tail))
        if array.shape != (n, *tail):
            raise ShapeError(name, str((n, *tail)), array.shape)
        shaped[name] = require_finite(name, array)
    if joint_names is None:
        joint_names = [f'joint_{i + 1}' for i in range(n)]
    if isinstance(joint_names, str) or not isinstance(joint_names, Sequence):
        raise ModelError(f'joint_names: expected a sequence of names, got {shown(joint_names)}')
    if len(joint_names) != n:
        raise ModelError(f'joint_names: expected {n} names, got {shown(joint_names)}')
    names = tuple(str(name) for name in joint_names)
    bodies = tuple(f'body_{i + 1}' for i in range(n))
    inertia_of = zip(bodies, shaped['inertias'], strict=True)
    odd = [name for name, inertia in inertia_of if _of_no_solid(inertia)]
    if odd:
        warnings.warn(
            f'non-physical links, used unchanged ({OF_NO_SOLID}: {listed(odd)})',
            InertiaWarning,
            stacklevel=3,
        )
    return dict(
        joint_names=names,
        tree_joint_names=names,
        body_names=bodies,
        joint_types=tuple(screw_type(x) for x in shaped['screws']),
        parents=parent_array.astype(np.int64),
        home_poses=shaped['home_poses'],
        screws=shaped['screws'],
        inertias=shaped['inertias'],
        gravity=as_vector('gravity', gravity, 3),
        coordinates=np.arange(n, dtype=np.int64),
        multipliers=np.ones(n),
        offsets=np.zeros(n),
        limits=JointLimits.none(n),
        damping=np.zeros(n),
        friction=np.zeros(n),
        frames={name: Frame(i, np.eye(4)) for i, name in enumerate(('base', *bodies), start=-1)},
        base_link='base',
    )


def _of_no_solid(inertia: Array) -> bool:
    """Return True if an inertia (6, 6) about any point is that of no solid body."""
    mass, first_moment, rotational = inertia_parameters(inertia)
    with np.errstate(all='ignore'):
        centre = first_moment / mass if mass > 0.0 else np.zeros(3)
        about_com = rotational - inertia_matrix(mass, centre, np.zeros((3, 3)))[:3, :3]
    # the difference of large moments has few digits
    rounding = _CANCELLED * float(np.abs(rotational).max())
    return bool(np.isfinite(about_com).all()) and is_of_no_solid(about_com, rounding)


def with_payload(
    model: Model,
    frame: str,
    mass: float,
    com: ArrayLike = (0.0, 0.0, 0.0),
    inertia: ArrayLike = POINT_MASS,
) -> Model:
    """
    Return a new model with a rigid load fixed to one of its frames, by default a point mass.

    A load on the base has no effect, because the base does not move.

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

    Raises
    ------
    UnknownNameError
        If there is no such frame.
    InertiaError
        If the mass is negative, a number or the inertia of the loaded body is not finite, or the
        inertia of the load is not symmetric.
    ShapeError, NotFiniteError
        If `com` or `inertia` has the wrong shape, or `com` is not finite.

    Warns
    -----
    InertiaWarning
        If the inertia of the load is that of no solid body; it is used unchanged.
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
    if is_of_no_solid(tensor):
        warnings.warn(f'{where}, used unchanged: {OF_NO_SOLID}', InertiaWarning, stacklevel=2)
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
