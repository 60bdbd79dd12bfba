# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Pseudo-inertias, integrals of p p^T over a mass with p = (x, y, z, 1), of links and loads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.regressor import inertial_parameters
from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.lie import inertia_matrix
from screw_dynamics.model.screw_model import ScrewModel

NAMES = ('m', 'mx', 'my', 'mz', 'xx', 'xy', 'yy', 'xz', 'yz', 'zz')
UPPER = (0, 0, 1, 0, 1, 2), (0, 1, 1, 2, 2, 2)  # xx, xy, yy, xz, yz, zz
_FIRST_INERTIA = 4
_LEAST = 1e-9  # of the size of a pseudo-inertia, its least eigenvalue


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


def load_at(model: ScrewModel, frame: str) -> tuple[slice, Array]:
    """Return the parameters of a link, among those of all, that a load at a frame adds to."""
    if frame not in model.frames:
        raise UnknownNameError('frame', frame, model.frames, 'payload')
    at = model.frames[frame]
    if at.body < 0:
        raise InputError(f'payload: expected a frame on a moving link, got {frame!r}')
    transform = np.column_stack([parameters_of(at.pose @ one @ at.pose.T) for one in BASIS])
    return slice(len(NAMES) * at.body, len(NAMES) * (at.body + 1)), transform


def link_errors(model: ScrewModel) -> Array:
    """Return the parameters (10 nb, E) of all bodies for unit errors of links, see `Equations`."""
    every = inertial_parameters(model).reshape(-1, len(NAMES))
    columns = []
    for body, pseudo in enumerate(pseudo_inertias(every)):
        if not pseudo[3, 3] > 0.0:
            continue
        sizes, axes = np.linalg.eigh(pseudo)
        root = axes * np.sqrt(np.maximum(sizes, 0.0))
        for i in range(4):
            for j in range(i, 4):
                error = np.zeros((4, 4))
                error[i, j] = error[j, i] = 1.0 if i == j else np.sqrt(0.5)
                column = np.zeros(every.shape)
                column[body] = parameters_of(root @ error @ root.T)
                columns.append(column.ravel())
    found: Array = np.array(columns).reshape(len(columns), every.size).T
    return found


def with_bodies(model: ScrewModel, added: Array) -> ScrewModel:
    """Return a model with parameters (10 nb,) added to its bodies, made possible."""
    inertias = model.inertias.copy()
    parameters = (inertial_parameters(model) + added).reshape(-1, len(NAMES))
    for body in np.flatnonzero(added.reshape(-1, len(NAMES)).any(axis=1)).tolist():
        sizes, axes = np.linalg.eigh(pseudo_inertias(parameters[body]))
        possible = (axes * np.maximum(sizes, _LEAST * sizes.max())) @ axes.T
        inertias[body] = inertia_of(parameters_of(possible))
    return replace(model, inertias=inertias)
