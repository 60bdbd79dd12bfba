# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Materials of soft bodies: energies and dissipation by the deformation gradient; sections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.errors import InputError
from screw_dynamics.series.series_array import SeriesArray, as_series_array

_STEP = 1e-30  # of complex steps: exact to rounding


@dataclass(frozen=True)
class NeoHookean:
    """
    Neo-Hookean material with the energy ``U = C int (tr(F^T F) - 3) dV``.

    The form without `first_lame` is for maps that keep the volume (det F = 1), where the pressure
    does no work; shear modulus and Young's modulus then are 2 C and 6 C. With the first Lame
    constant lambda, ``-2 C ln J + lambda / 2 (ln J)^2`` with J = det F is added to the integrand,
    for any map. The weak form replaces the printed strong one, which drops boundary tractions.

    Parameters
    ----------
    coefficient : float
        C [Pa], half the shear modulus.
    first_lame : float, optional
        lambda [Pa].

    Raises
    ------
    InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> rubber = sd.soft.NeoHookean(0.178e6)
    >>> round(rubber.energy(np.diag([2.0, 1.0, 0.5])[np.newaxis], np.array([1e-6])), 4)
    0.4005
    """

    coefficient: float
    first_lame: float | None = None

    def __post_init__(self) -> None:
        """Check the constants."""
        require_number('coefficient', self.coefficient)
        if self.first_lame is not None:
            require_number('first_lame', self.first_lame)

    def energy(self, gradient: Any, volumes: Array) -> Any:
        """Return the energy [J] of points with gradients F (m, 3, 3) and volumes (m,) [m^3]."""
        density = self.coefficient * (np.sum(np.sum(gradient * gradient, axis=-1), axis=-1) - 3.0)
        if self.first_lame is not None:
            logarithm = np.log(_determinants(gradient, cofactors(gradient)))
            density = density - 2.0 * self.coefficient * logarithm
            density = density + 0.5 * self.first_lame * logarithm * logarithm
        total = np.sum(volumes * density)
        return total if isinstance(total, SeriesArray) or np.iscomplexobj(total) else float(total)

    def efforts(self, gradient: SeriesArray, volumes: Array) -> SeriesArray:
        """Return dU/dq (n,) from gradients with partials, as series without partials."""
        plain = gradient.plain()
        stress = 2.0 * self.coefficient * plain
        if self.first_lame is not None:
            adjugate = cofactors(plain)
            determinants = _determinants(plain, adjugate)
            factor = self.first_lame * np.log(determinants) - 2.0 * self.coefficient
            stress = stress + (factor / determinants)[:, np.newaxis, np.newaxis] * adjugate
        work: SeriesArray = stress * gradient.gradient() * volumes[:, np.newaxis, np.newaxis]
        return work.reshape(-1, gradient.data[0, 0].size).sum(axis=-1)


def _determinants(gradient: Any, adjugate: Any) -> Any:
    return np.sum(gradient[..., 0] * adjugate[..., 0], axis=-1)


@dataclass(frozen=True)
class KelvinVoigt:
    """
    Viscosity with the dissipation ``Phi = beta / 2 int C' : C' dV``, where ``C' = d(F^T F)/dt``.

    The efforts are dPhi/dq' = D(q) q' with D positive semidefinite. The factor is explicit: for a
    Neo-Hookean body of the constant C that keeps its volume, ``beta = C eta`` yields
    D(0) = eta K(0) with the time constant eta; half of it is printed in P2025.

    Parameters
    ----------
    viscosity : float
        beta [Pa s].

    Raises
    ------
    InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> sd.soft.KelvinVoigt(0.05 * 0.178e6).viscosity
    8900.0
    """

    viscosity: float

    def __post_init__(self) -> None:
        """Check the constant."""
        require_number('viscosity', self.viscosity)

    def efforts(self, gradient: SeriesArray, qd: Any, volumes: Array) -> SeriesArray:
        """Return dPhi/dq' (n,) from gradients with partials by q and the rates (n,)."""
        plain, slopes = gradient.plain(), gradient.gradient()
        half = plain.swapped() @ slopes
        strains = half + half.swapped()  # partials of F^T F, (n, m, 3, 3)
        flat = strains.reshape(len(strains), -1)
        weights = np.repeat(self.viscosity * volumes, 9)
        efforts: SeriesArray = flat @ (weights * (qd @ flat))
        return efforts


def circular_section(
    youngs_modulus: float,
    radius: float,
    poissons_ratio: float | None = None,
    shear_modulus: float | None = None,
    inner_radius: float = 0.0,
) -> Array:
    """
    Return the stiffness of a section, ``(E I, E I, 2 G I, G A, G A, E A)`` [P2025, section 6].

    I is the second moment of area about a diameter, 2 I the polar one, A the area; there is no
    shear correction.

    Parameters
    ----------
    youngs_modulus : float
        E [Pa].
    radius : float
        Outer radius [m].
    poissons_ratio : float, optional
        Above -1 and at most 0.5, for ``G = E / (2 (1 + ratio))``; 0.5 by default.
    shear_modulus : float, optional
        G [Pa], in place of `poissons_ratio`.
    inner_radius : float
        Of a tube [m].

    Returns
    -------
    (6,) ndarray
        Of bending about x and y, twist [N m^2], shear along x and y, stretch [N].

    Raises
    ------
    InputError
        If an argument is out of its range, or both `poissons_ratio` and `shear_modulus` are given.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.soft import circular_section
    >>> np.allclose(circular_section(1e6, 0.01)[5], 1e6 * np.pi * 0.01**2)
    True
    """
    require_number('youngs_modulus', youngs_modulus, above=True)
    require_number('radius', radius, above=True)
    require_number('inner_radius', inner_radius)
    if not inner_radius < radius:
        raise InputError(f'inner_radius: expected less than {radius:g}, got {inner_radius:g}')
    if shear_modulus is None:
        ratio = require_number(
            'poissons_ratio', 0.5 if poissons_ratio is None else poissons_ratio, -1.0, above=True
        )
        if ratio > 0.5:
            raise InputError(f'poissons_ratio: expected at most 0.5, got {ratio:g}')
        shear = youngs_modulus / (2.0 * (1.0 + ratio))
    elif poissons_ratio is not None:
        raise InputError('poissons_ratio: expected no value beside shear_modulus')
    else:
        shear = require_number('shear_modulus', shear_modulus, above=True)
    area = np.pi * (radius**2 - inner_radius**2)
    moment = 0.25 * np.pi * (radius**4 - inner_radius**4)
    bending, across = youngs_modulus * moment, shear * area
    return np.array(
        [bending, bending, 2.0 * shear * moment, across, across, youngs_modulus * area]
    )


def deformation_gradient(
    places: Callable[[Any, Any], Any], points: Array, q: SeriesArray
) -> SeriesArray:
    """Return df/dx (m, 3, 3) of a map f(x, q) at points (m, 3), as series with partials."""
    if np.iscomplexobj(q.data):
        return _gradient_of_complex_coordinates(places, points, q)
    columns = []
    for axis in np.eye(3):
        moved = as_series_array(places(points + 1j * _STEP * axis, q), q)
        columns.append(moved.data.imag[..., np.newaxis] / _STEP)
    return SeriesArray(np.concatenate(columns, axis=-1))


def _gradient_of_complex_coordinates(
    places: Callable[[Any, Any], Any], points: Array, q: SeriesArray
) -> SeriesArray:
    """Return the gradient at constant coordinates: the time of a series moves the points."""
    if q.order > 0:
        raise InputError('q: expected real series or complex coordinates, got complex series')
    still = SeriesArray(np.concatenate([q.data, np.zeros_like(q.data)]))
    columns = []
    for axis in np.eye(3):
        data = np.zeros((2, q.data.shape[1], *points.shape))
        data[0, 0], data[1, 0] = points, axis
        moved = places(SeriesArray(data), still)
        columns.append(moved.data[1:, ..., np.newaxis])
    return SeriesArray(np.concatenate(columns, axis=-1))


def cofactors(gradient: Any) -> Any:
    """Return the cofactor matrices (..., 3, 3)."""
    a, b, c = (gradient[..., :, i] for i in range(3))
    columns: Any = [np.cross(b, c), np.cross(c, a), np.cross(a, b)]
    return np.stack(columns, axis=-1)


def require_upright(gradient: Array) -> None:
    """Raise InputError if a point is turned inside out: a determinant is not positive."""
    determinants = np.linalg.det(gradient)
    worst = int(np.argmin(determinants.real))
    if not determinants[worst].real > 0.0:
        raise InputError(
            f'q: expected a positive determinant of the deformation gradient, got'
            f' {determinants[worst].real:.6g} at point {worst}'
        )
