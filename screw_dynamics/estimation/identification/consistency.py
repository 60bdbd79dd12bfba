# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Physically consistent parameters: friction above 0, inertias that a mass can have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag, lstsq

from screw_dynamics.common.arrays import Array
from screw_dynamics.estimation.identification.pseudo_inertia import (
    BASIS,
    NAMES,
    parameters_of,
    pseudo_inertias,
)

_GYRATION = 0.01  # least radius of gyration with which a body counts before the fit [m]
_LEAST_MASS = 1e-3  # with which it counts, of the mean mass
_LEAST_SCALAR = 1e-9  # of the largest number above 0, likewise
_STEPS = 200
_DECREMENT = 1e-9
_ARMIJO = 1e-4


@dataclass(frozen=True, eq=False)
class Cones:
    """
    Unknowns y: D numbers, some of them above 0, and the parameters of B bodies.

    `numbers` (D,) and `bodies` (B, 10) are values before the fit, `positive` is (D,).
    """

    numbers: Array
    positive: NDArray[np.bool_]
    bodies: Array

    def split(self, y: Array) -> tuple[Array, Array]:
        """Return the numbers above 0 and the pseudo-inertias (B, 4, 4) of unknowns."""
        count = len(self.numbers)
        matrices = pseudo_inertias(y[count:].reshape(-1, len(NAMES)))
        return y[:count][self.positive], matrices


def consistent(cones: Cones, matrix: Array, target: Array) -> Array:
    """
    Return the unknowns y within the cones that make `matrix` @ y - `target` small.

    They minimise half the square of its size and the divergences from the values before the fit:
    tr(P P0^-1) - log det(P P0^-1) of a pseudo-inertia, y / y0 - log(y / y0) of a number. These are
    infinite where a value is impossible, have their minimum at the value before, and do not depend
    on units and frames; beside thousands of samples in `matrix` they weigh little.
    A number that is 0, as undetermined ones are, counts with the median of the others: rounding
    decides which of two that cannot be told apart has the value of both.
    """
    above = np.abs(cones.numbers[cones.positive])
    above[above == 0.0] = np.median(above[above > 0.0]) if above.any() else 1.0
    above = np.maximum(above, _LEAST_SCALAR * above.max(initial=1.0))
    prior = _possible(pseudo_inertias(cones.bodies))
    inverse_prior = np.linalg.inv(prior)
    y = np.concatenate((cones.numbers, *(parameters_of(body) for body in prior)))
    y[: len(cones.numbers)][cones.positive] = above

    def cost(y: Array) -> float:
        numbers, matrices = cones.split(y)
        if (numbers <= 0.0).any():
            return np.inf
        try:
            diagonals = np.diagonal(np.linalg.cholesky(matrices), axis1=1, axis2=2)
        except np.linalg.LinAlgError:
            return np.inf
        rest = matrix @ y - target
        of_bodies = np.sum(inverse_prior * matrices) - 2.0 * np.log(diagonals).sum()
        return float(0.5 * rest @ rest + of_bodies + (numbers / above - np.log(numbers)).sum())

    fitted = matrix.T @ matrix
    for _ in range(_STEPS):
        numbers, matrices = cones.split(y)
        inverses = np.linalg.inv(matrices)
        slope = matrix.T @ (matrix @ y - target)
        slope[: len(cones.numbers)][cones.positive] += 1.0 / above - 1.0 / numbers
        slope[len(cones.numbers) :] += np.einsum(
            'kij,nji->nk', BASIS, inverse_prior - inverses
        ).ravel()
        products = np.einsum('nij,kjl->nkil', inverses, BASIS)
        own = np.zeros(len(cones.numbers))
        own[cones.positive] = numbers**-2
        bodies = np.einsum('nkil,nmli->nkm', products, products)
        hessian = fitted + block_diag(np.diag(own), *bodies)
        scale = 1.0 / np.sqrt(np.maximum(np.diag(hessian), np.finfo(float).tiny))
        step = -scale * lstsq(scale[:, np.newaxis] * hessian * scale, scale * slope)[0]
        decrement = -float(slope @ step)
        if decrement < _DECREMENT:
            return y
        part, present = 1.0, cost(y)
        while not cost(y + part * step) <= present - _ARMIJO * part * decrement:
            part /= 2.0
            if part < _DECREMENT:
                return y  # rounding
        y = y + part * step
    return y


def _possible(matrices: Array) -> Array:
    """Return pseudo-inertias (B, 4, 4) with masses and radii of gyration above small ones."""
    masses = matrices[:, 3, 3]
    positive = masses > 0.0
    least = _LEAST_MASS * (masses[positive].mean() if positive.any() else 1.0)
    result = np.zeros_like(matrices)
    for given, found in zip(matrices, result, strict=True):
        mass = max(given[3, 3], least)
        first = given[:3, 3] if mass == given[3, 3] else np.zeros(3)
        sizes, axes = np.linalg.eigh(given[:3, :3] - np.outer(first, first) / mass)
        central = (axes * np.maximum(sizes, mass * _GYRATION**2)) @ axes.T
        found[:3, :3] = central + np.outer(first, first) / mass
        found[:3, 3] = found[3, :3] = first
        found[3, 3] = mass
    return result
