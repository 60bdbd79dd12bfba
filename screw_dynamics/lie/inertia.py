# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Inertia matrix of a rigid body, M = [[Theta, m c~], [-m c~, m I]] (MK2021 (24)); any scalars."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie.adjoint import adjoint_inverse
from screw_dynamics.lie.scalars import Scalar, ScalarArray, dtype
from screw_dynamics.lie.so3 import skew, vee

OF_NO_SOLID = 'inertia not positive semidefinite, or triangle rule broken'
# Identified and exported inertias are printed with few digits; a defect below this fraction of
# the largest moment is ignored.
_FEW_DIGITS = 1e-6


def inertia_matrix(mass: Scalar, com: ScalarArray, rotational_inertia: ScalarArray) -> ScalarArray:
    """
    Return the 6x6 inertia about the frame's origin.

    [MK2021] (24), [KM2021] (12), [M2018] (40), (41).

    Parameters
    ----------
    mass : float
        m [kg].
    com : (3,) ndarray
        Centre of mass c in the frame [m].
    rotational_inertia : (3, 3) ndarray
        Theta_c about the centre of mass, in the frame's axes [kg m^2].

    Returns
    -------
    (6, 6) ndarray
    """
    c = skew(com)
    matrix = np.zeros((6, 6), dtype(mass, c, rotational_inertia))
    matrix[:3, :3] = rotational_inertia - mass * (c @ c)
    matrix[:3, 3:] = mass * c
    matrix[3:, :3] = -mass * c
    matrix[3:, 3:] = mass * np.eye(3, dtype=matrix.dtype)
    return matrix


def inertia_parameters(inertia: ScalarArray) -> tuple[Scalar, ScalarArray, ScalarArray]:
    """
    Return mass, first moment and rotational inertia about the frame's origin.

    Parameters
    ----------
    inertia : (6, 6) ndarray

    Returns
    -------
    mass : float
        m [kg].
    first_moment : (3,) ndarray
        m c [kg m].
    rotational_inertia : (3, 3) ndarray
        Theta about the origin of the frame [kg m^2].
    """
    mass = inertia[3, 3]
    if isinstance(mass, np.floating):
        mass = float(mass)
    return mass, vee(inertia[:3, 3:]), inertia[:3, :3].copy()


def is_of_no_solid(rotational_inertia: Array, rounding: float = 0.0) -> bool:
    """Return True if an inertia (3, 3) about the centre of mass is that of no solid body."""
    low, middle, high = np.linalg.eigvalsh(rotational_inertia)
    tolerance = max(_FEW_DIGITS * max(abs(low), abs(high)), rounding)
    return bool(low < -tolerance or low + middle < high - tolerance)


def second_moment(rotational_inertia: ScalarArray) -> ScalarArray:
    """
    Return the second moment S, the integral of x x^T dm; the inertia is Theta = tr(S) I - S.

    Parameters
    ----------
    rotational_inertia : (3, 3) ndarray
        Theta, symmetric [kg m^2].

    Returns
    -------
    (6,) ndarray
        xx, yy, zz, xy, xz, yz [kg m^2].

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.lie import second_moment
    >>> second_moment(np.diag([2.0, 3.0, 3.0]))
    array([2., 1., 1., 0., 0., 0.])
    """
    identity = np.eye(3, dtype=dtype(rotational_inertia))
    second = np.trace(rotational_inertia) / 2 * identity - rotational_inertia
    entries: ScalarArray = second[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return entries


def pseudo_inertia(inertia: ScalarArray) -> ScalarArray:
    """
    Return the pseudo-inertia P = [[S, m c], [m c^T, m]], the integral of (r; 1) (r; 1)^T dm.

    With it energies are traces: the kinetic energy is ``tr(C' P C'^T) / 2`` ([N2021] (62)).

    Parameters
    ----------
    inertia : (6, 6) ndarray

    Returns
    -------
    (4, 4) ndarray
        S is the second moment [kg m^2], m c the first moment [kg m], m the mass [kg].

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.lie import inertia_matrix, pseudo_inertia
    >>> np.diag(pseudo_inertia(inertia_matrix(2.0, np.zeros(3), np.diag([2.0, 3.0, 3.0]))))
    array([2., 1., 1., 2.])
    """
    matrix = np.empty((4, 4), inertia.dtype)
    theta = inertia[:3, :3]
    matrix[:3, :3] = np.trace(theta) / 2 * np.eye(3, dtype=inertia.dtype) - theta
    matrix[:3, 3] = matrix[3, :3] = vee(inertia[:3, 3:])
    matrix[3, 3] = inertia[5, 5]
    return matrix


def transform_inertia(inertia: ScalarArray, c: ScalarArray) -> ScalarArray:
    """
    Return the inertia in another frame: Ad_C^-T M Ad_C^-1 ([M2018] (41)).

    Parameters
    ----------
    inertia : (6, 6) ndarray
        In frame b.
    c : (4, 4) ndarray
        Pose of frame b in the new frame.

    Returns
    -------
    (6, 6) ndarray
        In the new frame, exactly symmetric.
    """
    a = adjoint_inverse(c)
    moved = a.T @ inertia @ a
    symmetric: ScalarArray = (moved + moved.T) / 2
    return symmetric
