# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Adjoint matrices Ad and ad of twists, and their duals for wrenches (MK2021 (11), (14))."""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie.scalars import ScalarArray, dtype
from screw_dynamics.lie.so3 import skew


def adjoint(c: ScalarArray) -> ScalarArray:
    """
    Return Ad_C = [[R, 0], [r~ R, R]], which maps twists from frame C to its reference frame.

    [MK2021] (11).

    Wrenches are mapped in the opposite direction: W_body = Ad_C^T W_spatial.

    Parameters
    ----------
    c : (4, 4) ndarray
        Pose C = (R, r).

    Returns
    -------
    (6, 6) ndarray
    """
    return lower_blocks(c[:3, :3], skew(c[:3, 3]) @ c[:3, :3])


def adjoint_inverse(c: ScalarArray) -> ScalarArray:
    """
    Return Ad_C^-1 = [[R^T, 0], [-R^T r~, R^T]].

    Parameters
    ----------
    c : (4, 4) ndarray
        Pose C = (R, r).

    Returns
    -------
    (6, 6) ndarray
    """
    rotation = c[:3, :3].T
    return lower_blocks(rotation, -rotation @ skew(c[:3, 3]))


def twist_cross(twist: ScalarArray) -> ScalarArray:
    """
    Return ad_X = [[xi~, 0], [eta~, xi~]], the matrix of the screw product [X, Y] = ad_X Y.

    [MK2021] (14).

    Parameters
    ----------
    twist : (6,) ndarray
        X = (xi; eta).

    Returns
    -------
    (6, 6) ndarray
    """
    return lower_blocks(skew(twist[:3]), skew(twist[3:]))


def coadjoint(c: ScalarArray) -> ScalarArray:
    """
    Return Ad*_C = Ad_C^-T = [[R, r~ R], [0, R]], which maps wrenches to the reference of C.

    Parameters
    ----------
    c : (4, 4) ndarray
        Pose C = (R, r).

    Returns
    -------
    (6, 6) ndarray
    """
    matrix: ScalarArray = adjoint_inverse(c).T
    return matrix


def wrench_cross(twist: ScalarArray) -> ScalarArray:
    """
    Return ad*_X = -ad_X^T, the rate of a wrench that moves with the twist X.

    Parameters
    ----------
    twist : (6,) ndarray
        X = (xi; eta).

    Returns
    -------
    (6, 6) ndarray
    """
    matrix: ScalarArray = -twist_cross(twist).T
    return matrix


def lower_blocks(diagonal: ScalarArray, below: ScalarArray) -> ScalarArray:
    """Return [[D, 0], [B, D]], (6, 6)."""
    matrix = np.zeros((6, 6), dtype(diagonal, below))
    matrix[:3, :3] = matrix[3:, 3:] = diagonal
    matrix[3:, :3] = below
    return matrix
