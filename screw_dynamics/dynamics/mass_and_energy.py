# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Centre of mass of the moving links with its Jacobian, kinetic and potential energy."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_samples, require_finite
from screw_dynamics.dynamics.frames import frame_pose
from screw_dynamics.dynamics.gravity_forces import gravity_forces
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.errors import ModelError
from screw_dynamics.lie import inertia_parameters, pose
from screw_dynamics.model.records import Frame
from screw_dynamics.model.robot_model import RobotModel, require_robot_model
from screw_dynamics.model.screw_model import ScrewModel, require_model


def centre_of_mass(model: ScrewModel, q: ArrayLike) -> Array:
    """
    Return the centre of mass of all moving links in base-link axes.

    Parameters
    ----------
    model : ScrewModel
        Links that are fixed to the base link do not count.
    q : (n,) or (..., n) array_like
        Coordinates [rad or m].

    Returns
    -------
    (3,) or (..., 3) ndarray
        [m].

    Raises
    ------
    ModelError
        If no moving link has a mass.
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> sd.centre_of_mass(arm, [0.0, 0.0]).round(3)
    array([0.633, 0.   , 0.   ])
    """
    centre: Array = _first_moment(model, q) / _total_mass(model)
    return centre


def centre_of_mass_jacobian(model: ScrewModel, q: ArrayLike) -> Array:
    """
    Return the Jacobian J of the centre of mass r, with r' = J q'.

    Its rows are the `gravity_forces` ``-m J^T g`` of unit gravity along the axes, by the mass.

    Parameters
    ----------
    model : ScrewModel
    q : (n,) or (..., n) array_like
        Coordinates [rad or m].

    Returns
    -------
    (3, n) or (..., 3, n) ndarray
        In base-link axes [m/rad or 1].

    Raises
    ------
    ModelError
        If no moving link has a mass.
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.centre_of_mass_jacobian(pendulum, [0.0]).T
    array([[0. , 0. , 0.5]])
    """
    weights = [gravity_forces(along, q) for along in _along_axes(require_model(model))]
    jacobian: Array = np.stack(weights, axis=-2) / _total_mass(model)
    return jacobian


def kinetic_energy(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> Array:
    """
    Return the kinetic energy ``q'^T M q' / 2`` of the links [MK2021, (20)].

    Parameters
    ----------
    model : RobotModel
    q, qd : (n,) or (..., n) array_like
        Coordinates and rates [rad or m, per s].

    Returns
    -------
    float or (...) ndarray
        [J].

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> slider = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 0, 1, 0, 0]], [np.eye(6)])
    >>> float(sd.kinetic_energy(slider, [0.0], [2.0]))
    2.0
    """
    position, rates = as_samples(require_robot_model(model).n, q=q, qd=qd)
    require_finite('qd', rates)
    matrix = mass_matrix(model, position)
    energy: Array = 0.5 * np.einsum('...i,...ij,...j->...', rates, matrix, rates)
    return require_finite('result', energy, 'overflow')


def potential_energy(model: ScrewModel, q: ArrayLike) -> Array:
    """
    Return the potential energy of the links in the field of gravity, ``-m g^T r``.

    Its gradient are the `gravity_forces` [MK2021, (25)].

    Parameters
    ----------
    model : ScrewModel
        Links that are fixed to the base link do not count.
    q : (n,) or (..., n) array_like
        Coordinates [rad or m].

    Returns
    -------
    float or (...) ndarray
        0 for a centre of mass r at the origin of the base link [J].

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> slider = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 0, 0, 0, 1]], [np.eye(6)])
    >>> float(sd.potential_energy(slider, [2.0]))
    19.62
    """
    energy: Array = -(_first_moment(model, q) @ model.gravity)
    return energy


def _total_mass(model: ScrewModel) -> float:
    mass = float(model.inertias[:, 5, 5].sum())
    if not mass > 0.0:
        raise ModelError(f'model: expected moving links with a mass above 0, got {mass:g} kg')
    return mass


@lru_cache(maxsize=8)
def _along_axes(model: ScrewModel) -> tuple[ScrewModel, ...]:
    """Return the model with gravity -1 along each axis of the base link."""
    return tuple(replace(model, gravity=-axis) for axis in np.eye(3))


@lru_cache(maxsize=8)
def _with_centres(model: ScrewModel) -> tuple[ScrewModel, dict[str, float]]:
    """Return the model with frames at the centres of mass of its bodies, and their masses."""
    frames, masses = {}, {}
    for name, (i, inertia) in zip(model.body_names, enumerate(model.inertias), strict=True):
        mass, moment, _ = inertia_parameters(inertia)
        if mass > 0.0:
            frames[name], masses[name] = Frame(i, pose(np.eye(3), moment / mass)), float(mass)
    return replace(model, frames=frames), masses


def _first_moment(model: ScrewModel, q: ArrayLike) -> Array:
    """Return the sum of mass times position (..., 3) of all moving bodies in base-link axes."""
    marked, masses = _with_centres(require_model(model))
    position = require_finite('q', as_samples(model.n, q=q)[0])
    centres = (frame_pose(marked, position, name)[..., :3, 3] for name in masses)
    moments = [mass * centre for mass, centre in zip(masses.values(), centres, strict=True)]
    return np.sum(moments, axis=0) if moments else np.zeros((*position.shape[:-1], 3))
