# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`PlanarConstantCurvature`: a rod that bends in a plane to an arc of a circle."""

from __future__ import annotations

import numpy as np

from screw_dynamics.soft.bodies.circular_rod import Arc


class PlanarConstantCurvature(Arc):
    """
    A homogeneous cylinder of constant length, bent in the x-z plane to an arc [P2025] (3).

    Its coordinate q is the angle of the tip, which turns by -q about y. All formulas are analytic
    at q = 0: with ``th = q z / L`` and Stumpff's functions c_1(th^2) = sin(th) / th and
    c_2(th^2) = (1 - cos(th)) / th^2, the axis is ``(-z th c_2, 0, z c_1)``.

    Parameters
    ----------
    length, radius : float
        Above 0, and at least 0 [m].
    mass : float
        [kg]
    bending_stiffness : float
        Flexural rigidity E I [N m^2]; the elastic effort is ``E I q / L``.
    damping : float
        Time constant eta of the material [s]: the damping effort is ``eta E I q' / L``.
    name : str, optional
        By default body_1, body_2, ... from the base.

    Raises
    ------
    InputError
        If an argument is not of its type or range.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.soft import PlanarConstantCurvature
    >>> arc = PlanarConstantCurvature(1.0, 0.1, 1.0)
    >>> rotation, tip = arc.tip_pose(np.array([np.pi / 2]))
    >>> (tip * np.pi / 2 + 0.0).round(12)
    array([-1.,  0.,  1.])
    """

    n = 1
    unit_strains = np.array([[0.0], [-1.0], [0.0], [0.0], [0.0], [0.0]])

    def __init__(
        self,
        length: float,
        radius: float,
        mass: float,
        bending_stiffness: float = 0.0,
        damping: float = 0.0,
        *,
        name: str | None = None,
    ) -> None:
        super().__init__(length, radius, mass, bending_stiffness, damping, name)
