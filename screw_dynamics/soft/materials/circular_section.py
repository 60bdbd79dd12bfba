# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Stiffness of circular sections of a linear elastic material."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.errors import InputError


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
