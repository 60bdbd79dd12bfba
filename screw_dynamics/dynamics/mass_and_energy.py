# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Centre of mass of the moving links with its Jacobian, kinetic and potential energy."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_samples, require_finite
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.errors import ModelError
from screw_dynamics.kernels.bodies import tables as columns
from screw_dynamics.model.robot_model import RobotModel
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
    _, moments = _poses_and_moments(model, q)
    centre: Array = moments.sum(axis=-2) / _total_mass(model)
    return centre


def centre_of_mass_jacobian(model: ScrewModel, q: ArrayLike) -> Array:
    """
    Return the Jacobian J of the centre of mass r, with r' = J q'.

    The column of a joint is the velocity that its screw gives to the mass which it carries, in
    parts of the whole mass; ``-m J^T g`` are the `gravity_forces`.

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
    poses, moments = _poses_and_moments(model, q)
    rows = model.joint_frames.bodies
    masses = rows[:, columns.MASS].copy()
    jacobian = np.zeros((*poses.shape[:-3], 3, model.n))
    for i in reversed(range(model.body_count)):
        axis, origin = poses[..., i, :3, 2], poses[..., i, :3, 3]
        velocity = rows[i, columns.ROTATION] * np.cross(
            axis, moments[..., i, :] - masses[i] * origin
        )
        velocity += rows[i, columns.TRANSLATION] * masses[i] * axis
        jacobian[..., model.coordinates[i]] += rows[i, columns.MULTIPLIER] * velocity
        if model.parents[i] >= 0:
            moments[..., model.parents[i], :] += moments[..., i, :]
            masses[model.parents[i]] += masses[i]
    jacobian /= _total_mass(model)
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
    position, rates = as_samples(model.n, q=q, qd=qd)
    require_finite('qd', rates)
    matrix = mass_matrix(model, position)
    energy: Array = 0.5 * np.einsum('...i,...ij,...j->...', rates, matrix, rates)
    return energy


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
    _, moments = _poses_and_moments(model, q)
    energy: Array = -(moments.sum(axis=-2) @ model.gravity)
    return energy


def _total_mass(model: ScrewModel) -> float:
    mass = float(model.joint_frames.bodies[:, columns.MASS].sum())
    if not mass > 0.0:
        raise ModelError(f'model: expected moving links with a mass above 0, got {mass:g} kg')
    return mass


def _poses_and_moments(model: ScrewModel, q: ArrayLike) -> tuple[Array, Array]:
    """Return joint frames (..., N, 4, 4) and first moments (..., N, 3), all in base-link axes."""
    frames = require_model(model).joint_frames
    (position,) = as_samples(model.n, q=q)
    require_finite('q', position)
    poses = np.zeros((*position.shape[:-1], model.body_count, 4, 4))
    moments = np.empty((*position.shape[:-1], model.body_count, 3))
    for i, row in enumerate(frames.bodies):
        s = row[columns.MULTIPLIER] * position[..., model.coordinates[i]] + row[columns.OFFSET]
        moved = np.zeros((*s.shape, 4, 4))
        turn = row[columns.ROTATION] * s
        moved[..., 0, 0] = moved[..., 1, 1] = np.cos(turn)
        moved[..., 1, 0] = np.sin(turn)
        moved[..., 0, 1] = -moved[..., 1, 0]
        moved[..., 2, 2] = moved[..., 3, 3] = 1.0
        moved[..., 2, 3] = row[columns.TRANSLATION] * s
        home = np.eye(4)
        home[:3, :3] = row[columns.HOME_ROTATION : columns.HOME_ROTATION + 9].reshape(3, 3)
        home[:3, 3] = row[columns.HOME_POSITION : columns.HOME_POSITION + 3]
        parent = model.parents[i]
        poses[..., i, :, :] = (home if parent < 0 else poses[..., parent, :, :] @ home) @ moved
        moment = np.append(row[columns.FIRST_MOMENT : columns.FIRST_MOMENT + 3], row[columns.MASS])
        moments[..., i, :] = poses[..., i, :3, :] @ moment
    return poses, moments
