# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A random chain in motion: quantities of the papers' formulas, from exponentials and series."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from oracles.random_models import BodyRecipe, random_joint_jet, random_model
from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import adjoint, inverse_pose, twist_cross, vee
from screw_dynamics.series import jet_of_series, series_of_jet
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.tree import Tree

STEP = 1e-30  # of complex steps, which do not cancel
ROWS = 6


class MovingRobot:
    """A chain of a revolute, a helical, a prismatic and a revolute joint; the last body is 3."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        kinds = ('revolute', 'helical', 'prismatic', 'revolute')
        self.model = random_model(rng, [BodyRecipe(kind) for kind in kinds])
        self.jet = random_joint_jet(rng, 4, ROWS - 3)
        self.wrench = rng.normal(size=6)
        self.body = 3
        self.rng = rng

    @cached_property
    def tree(self) -> Tree:
        return Tree(self.model, self.jet)

    @cached_property
    def system(self) -> SystemMatrices:
        return SystemMatrices(self.model, self.jet)

    @cached_property
    def poses(self) -> Array:
        """Derivatives of the poses of all bodies, (ROWS, 4, 4, 4): row d, body i."""
        series = Tree(self.model, series_of_jet(self.jet)[None]).poses
        return jet_of_series(np.array(series), ROWS - 1).astype(float)

    def at(self, jet: Array) -> Tree:
        """Return the tree at another motion."""
        return Tree(self.model, jet)

    @cached_property
    def columns(self) -> Array:
        """Body-fixed Jacobian columns J_{i,j}, (4, 4, 6)."""
        return self.columns_at(self.jet[0])

    def columns_at(self, q: Array) -> Array:
        tree = self.at(q[None])
        return np.array([[tree.jacobian_column(i, j) for j in range(4)] for i in range(4)])

    def slope(self, function, joint: int) -> Array:
        """Return the derivative of a function of q by a joint variable."""
        unit = np.eye(4)[joint]
        return function(self.jet[0] + 1j * STEP * unit).imag / STEP

    @cached_property
    def body_twists(self) -> Array:
        """V^b = vee(C^-1 C') and its derivatives, (ROWS - 1, 4, 6), from the poses."""
        return self._twists(lambda pose, rate: inverse_pose(pose) @ rate)

    @cached_property
    def spatial_twists(self) -> Array:
        """V^s = vee(C' C^-1) and its derivatives."""
        return self._twists(lambda pose, rate: rate @ inverse_pose(pose))

    @cached_property
    def hybrid_twists(self) -> Array:
        """V^h = (w; r') and its derivatives."""
        return np.concatenate((self.spatial_twists[..., :3], self.poses[1:, :, :3, 3]), axis=-1)

    @cached_property
    def mixed_twists(self) -> Array:
        """V^m = (R^T w; r') and its derivatives."""
        return np.concatenate((self.body_twists[..., :3], self.poses[1:, :, :3, 3]), axis=-1)

    def _twists(self, product) -> Array:
        rows = []
        for i in range(4):
            pose = series_of_jet(self.poses[: ROWS - 1, i])
            rate = series_of_jet(self.poses[1:, i])
            moving = product(pose, rate)
            twist = np.concatenate((vee(moving[:3, :3]), moving[:3, 3]))
            rows.append(jet_of_series(twist, ROWS - 2).astype(float))
        return np.stack(rows, axis=1)

    def spatial_columns_at(self, q: Array) -> Array:
        """J^s_j = Ad_{C_j} X_j, (4, 6)."""
        poses = self.at(q[None]).poses
        return np.array([adjoint(c) @ x for c, x in zip(poses, self.model.screws, strict=True)])

    def hybrid_columns_at(self, q: Array) -> Array:
        """J^h_{i,j} = Ad_{R_i} J_{i,j}, (4, 4, 6)."""
        poses = self.at(q[None]).poses
        return np.einsum('iab,ijb->ija', [rotating(c[:3, :3]) for c in poses], self.columns_at(q))


def rotating(rotation: Array) -> Array:
    """Return Ad_R."""
    return np.kron(np.eye(2), rotation)


def translating(r: Array) -> Array:
    """Return Ad_r."""
    shift = np.eye(4, dtype=np.asarray(r).dtype)
    shift[:3, 3] = r
    return adjoint(shift)


def bracket(a: Array, b: Array) -> Array:
    """Return [a, b]."""
    return twist_cross(a) @ b


def turning(w: Array) -> Array:
    """Return ad_(w; 0)."""
    return twist_cross(np.concatenate((w, np.zeros(3))))


def moving(v: Array) -> Array:
    """Return ad_(0; v)."""
    return twist_cross(np.concatenate((np.zeros(3), v)))
