# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Acceleration energies E^(p) of any order p: [N2021] (56), and in the tensors of (57), (64), (68).

E^(p) is half the integral of the square of the (p + 1)-th derivative of the position of all mass:
E^(0) is the kinetic energy, E^(1) the energy of accelerations (Gibbs, Appell), E^(2) that of
jerks [J/s^(2 p)], from r >= p + 2 rows. Gravity does not enter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.scalars import require_count
from screw_dynamics.errors import ShapeError
from screw_dynamics.lie import inertia_parameters, pseudo_inertia, skew
from screw_dynamics.lie.scalars import Scalar, ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.acceleration_energy.differential_matrices import pose_jets
from screw_dynamics.theory.tree import Tree


def acceleration_energy(model: ScrewModel, joint_jet: ArrayLike, p: int) -> Scalar:
    """
    Return E^(p) = tr(C^(p + 1) P C^(p + 1)^T) / 2, summed over the bodies.

    This is [N2021] (56) for body frames anywhere; P is the pseudo-inertia (62).

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.acceleration_energy.energies import acceleration_energy
    >>> slider = sd.ScrewModel.from_screws(
    ...     [-1], [np.eye(4)], [[0, 0, 0, 1, 0, 0]],
    ...     [sd.lie.inertia_matrix(2.0, np.zeros(3), np.eye(3))])
    >>> [float(acceleration_energy(slider, [[0.0], [3.0], [5.0]], p)) for p in (0, 1)]
    [9.0, 25.0]
    """
    tree = tree_of_energy(model, joint_jet, p)
    derivatives = pose_jets(tree)[:, p + 1]
    return inner_product(tree, derivatives, derivatives) / 2


def energy_about_mass_centers(model: ScrewModel, joint_jet: ArrayLike, p: int) -> Scalar:
    """
    Return E^(p) as energies of the mass centres and of the rotations about them.

    m |r_c^(p + 1)|^2 / 2 + tr(R^(p + 1) S_c R^(p + 1)^T) / 2, the form of the print of [N2021]
    (56), which holds for frames at the mass centres only.
    """
    tree = tree_of_energy(model, joint_jet, p)
    energy = 0.0
    for pose, inertia in zip(pose_jets(tree)[:, p + 1], model.inertias, strict=True):
        mass, moment, theta = inertia_parameters(inertia)
        center = moment / mass if mass else np.zeros(3, moment.dtype)
        theta = theta + mass * skew(center) @ skew(center)  # about the centre of mass
        second = np.trace(theta) / 2 * np.eye(3, dtype=theta.dtype) - theta
        turned = pose[:3, :3]
        moved = turned @ center + pose[:3, 3]
        energy = energy + (mass * moved @ moved + np.trace(turned @ second @ turned.T)) / 2
    return energy


def inner_product(tree: Tree, a: ScalarArray, b: ScalarArray) -> Scalar:
    """Return <A, B>, the sum of tr(A_i P_i B_i^T) over the bodies; a, b (N, 4, 4)."""
    product = 0.0
    for left, right, inertia in zip(a, b, tree.model.inertias, strict=True):
        product = product + np.sum((left @ pseudo_inertia(inertia)) * right)
    return product


def tree_of_energy(model: ScrewModel, joint_jet: ArrayLike, p: int) -> Tree:
    """Return the tree of a jet that has the derivatives of E^(p)."""
    rows = require_count('p', p) + 2
    tree = Tree(model, joint_jet)
    if len(tree.jet) < rows:
        expected = f'({rows} or more, {model.n}) for the energy of order {p}'
        raise ShapeError('joint_jet', expected, tree.jet.shape)
    return tree
