# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Adjoint matrices Ad and ad: twists and wrenches in other frames (MK2021 (11), (14))."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.lie.so3 import skew


def adjoint(c: Array) -> Array:
    """
    Return Ad_C = [[R, 0], [r~ R, R]], which maps twists from frame C to its reference frame.

    Wrenches are mapped in the opposite direction: W_body = Ad_C^T W_spatial.

    Parameters
    ----------
    c : (4, 4) ndarray
        Pose C = (R, r).

    Returns
    -------
    (6, 6) ndarray

    """
    rotation = c[:3, :3]
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = rotation
    matrix[3:, 3:] = rotation
    matrix[3:, :3] = skew(c[:3, 3]) @ rotation
    return matrix


def adjoint_inverse(c: Array) -> Array:
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
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = rotation
    matrix[3:, 3:] = rotation
    matrix[3:, :3] = -rotation @ skew(c[:3, 3])
    return matrix


def twist_cross(twist: Array) -> Array:
    """
    Return ad_X = [[xi~, 0], [eta~, xi~]], the matrix of the screw product [X, Y] = ad_X Y.

    Parameters
    ----------
    twist : (6,) ndarray
        X = (xi; eta).

    Returns
    -------
    (6, 6) ndarray

    """
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = matrix[3:, 3:] = skew(twist[:3])
    matrix[3:, :3] = skew(twist[3:])
    return matrix
