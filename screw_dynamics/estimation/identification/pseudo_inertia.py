# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Pseudo-inertias: integrals of p p^T over a mass with p = (x, y, z, 1), linear in parameters."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import inertia_matrix

NAMES = ('m', 'mx', 'my', 'mz', 'xx', 'xy', 'yy', 'xz', 'yz', 'zz')
UPPER = (0, 0, 1, 0, 1, 2), (0, 1, 1, 2, 2, 2)  # xx, xy, yy, xz, yz, zz
_FIRST_INERTIA = 4


def second_moment(rotational: Array) -> Array:
    """Return the integral of r r^T over a mass (3, 3) with a rotational inertia (3, 3)."""
    return np.asarray(0.5 * np.trace(rotational) * np.eye(3) - rotational)


def _basis() -> Array:
    """Return the pseudo-inertias (10, 4, 4) of unit parameters."""
    basis = np.zeros((len(NAMES), 4, 4))
    basis[0, 3, 3] = 1.0
    for k in range(1, _FIRST_INERTIA):
        basis[k, k - 1, 3] = basis[k, 3, k - 1] = 1.0
    for k, (i, j) in enumerate(zip(*UPPER, strict=True), start=_FIRST_INERTIA):
        rotational = np.zeros((3, 3))
        rotational[i, j] = rotational[j, i] = 1.0
        basis[k, :3, :3] = second_moment(rotational)
    return basis


BASIS: Array = _basis()


def pseudo_inertias(parameters: Array) -> Array:
    """Return the pseudo-inertias (..., 4, 4) of parameters (..., 10)."""
    return np.asarray(np.einsum('...k,kij->...ij', parameters, BASIS))


def parameters_of(pseudo_inertia: Array) -> Array:
    """Return the parameters (10,) of a pseudo-inertia (4, 4)."""
    moment = pseudo_inertia[:3, :3]
    rotational = np.trace(moment) * np.eye(3) - moment
    return np.concatenate(([pseudo_inertia[3, 3]], pseudo_inertia[:3, 3], rotational[UPPER]))


def inertia_of(parameters: Array) -> Array:
    """Return the 6x6 inertia of parameters (10,)."""
    mass, first, central = float(parameters[0]), parameters[1:4], np.zeros((3, 3))
    central[UPPER] = parameters[4:]
    central += np.triu(central, 1).T
    central -= (first @ first * np.eye(3) - np.outer(first, first)) / mass
    return inertia_matrix(mass, first / mass, central)
