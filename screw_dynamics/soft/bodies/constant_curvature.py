# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ConstantCurvature`: an arc that bends in any plane and changes its length."""

from __future__ import annotations

import numpy as np

from screw_dynamics.soft.bodies.rod import STRAIGHT, Rod, rod_steps
from screw_dynamics.soft.module import as_positive

_NODES = 8


class ConstantCurvature(Rod):
    """
    An arc of constant curvature in space, with or without elongation.

    Coordinates: angles q1 about y and q2 about -x [rad] and the elongation q3 [m]; the strain is
    ``(-q2 / L, q1 / L, 0; 0, 0, 1 + q3 / L)``, smooth at the straight arc.

    Parameters
    ----------
    length, radius : float
        At rest [m].
    mass : float
        [kg]; at eight Gauss points along the arc.
    bending_stiffness : float
        Flexural rigidity EI [N m^2].
    axial_stiffness : float
        EA [N].
    damping : float
        Time constant eta of the material [s].
    elongation : bool
        Without it, there are two coordinates.
    name : str, optional

    Raises
    ------
    InputError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.soft.SoftRobot([sd.soft.ConstantCurvature(0.3, 0.02, 0.4)])
    >>> sd.frame_pose(arm, [0.0, 0.0, 0.1], 'tip')[:3, 3]
    array([0. , 0. , 0.4])
    """

    def __init__(
        self,
        length: float,
        radius: float,
        mass: float,
        bending_stiffness: float = 0.0,
        axial_stiffness: float = 0.0,
        damping: float = 0.0,
        *,
        elongation: bool = True,
        name: str | None = None,
    ) -> None:
        self.length = as_positive('length', length)
        self.radius = as_positive('radius', radius, zero=True)
        self.mass = as_positive('mass', mass, zero=True)
        bending = as_positive('bending_stiffness', bending_stiffness, zero=True)
        axial = as_positive('axial_stiffness', axial_stiffness, zero=True)
        eta = as_positive('damping', damping, zero=True)
        n = 3 if elongation else 2
        basis = np.zeros((6, 3))
        basis[1, 0], basis[0, 1], basis[5, 2] = 1.0 / length, -1.0 / length, 1.0 / length
        steps = rod_steps(
            self.length, self.radius, self.mass, np.array(STRAIGHT), lambda s: basis[:, :n],
            _NODES, 2,
        )  # fmt: skip
        stiffness = np.diag([bending, bending, axial][:n]) / self.length
        super().__init__(steps, stiffness, eta * stiffness, name)
