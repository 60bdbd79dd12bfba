# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Centre of mass of the moving links with its Jacobian, kinetic and potential energy."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_samples, require_finite
from screw_dynamics.dynamics.dispatch import kernel_first
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.dynamics.state_calls import checked_quantity
from screw_dynamics.errors import ModelError
from screw_dynamics.kernels.bodies.quantities import (
    CENTRE_OF_MASS,
    CENTRE_OF_MASS_JACOBIAN,
    KINETIC_ENERGY,
    POTENTIAL_ENERGY,
)
from screw_dynamics.kernels.bodies.state_kernel import StateKernel
from screw_dynamics.model.robot_model import RobotModel, require_robot_model
from screw_dynamics.model.screw_model import ScrewModel, require_model


@kernel_first(CENTRE_OF_MASS.compiled, 'empty(3)', 'tables.with_base')
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
    return _of_all_bodies(CENTRE_OF_MASS, model, q)


@kernel_first(CENTRE_OF_MASS_JACOBIAN.compiled, 'empty((3, len(q)))', 'tables.with_base')
def centre_of_mass_jacobian(model: ScrewModel, q: ArrayLike) -> Array:
    """
    Return the Jacobian J of the centre of mass r, with r' = J q'.

    ``-m J^T g`` are the `gravity_forces`, with the mass m of all moving links.

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
    return _of_all_bodies(CENTRE_OF_MASS_JACOBIAN, model, q)


@kernel_first(KINETIC_ENERGY.compiled, 'empty(1)', value='result[0]')
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
    if isinstance(model, ScrewModel):
        return checked_quantity(KINETIC_ENERGY, model, None, {'q': q, 'qd': qd})
    position, rates = as_samples(require_robot_model(model).n, q=q, qd=qd)
    require_finite('qd', rates)
    matrix = mass_matrix(model, position)
    energy: Array = 0.5 * np.einsum('...i,...ij,...j->...', rates, matrix, rates)
    return require_finite('result', energy, 'overflow')


@kernel_first(POTENTIAL_ENERGY.compiled, 'empty(1)', 'tables.with_base', value='result[0]')
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
    parameters = require_model(model).kernel_tables.with_base
    return checked_quantity(POTENTIAL_ENERGY, model, None, {'q': q}, parameters=parameters)


def _of_all_bodies(kernel: StateKernel, model: ScrewModel, q: ArrayLike) -> Array:
    """Return a quantity of the centre of mass; raise ModelError if there is no mass."""
    mass = float(require_model(model).inertias[:, 5, 5].sum())
    if not mass > 0.0:
        raise ModelError(f'model: expected moving links with a mass above 0, got {mass:g} kg')
    parameters = model.kernel_tables.with_base
    return checked_quantity(kernel, model, None, {'q': q}, parameters=parameters)
