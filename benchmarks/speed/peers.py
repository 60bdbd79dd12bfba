# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Implementations to compare with: Pinocchio, and finite differences built from it."""

from __future__ import annotations

import numpy as np
import pinocchio

from screw_dynamics import ScrewModel, read_urdf, share_path
from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import inertia_parameters, skew


def iiwa() -> tuple[ScrewModel, pinocchio.Model]:
    """Return the arm with seven joints of the package, and Pinocchio's model of its URDF."""
    urdf = share_path('urdf/iiwa14.urdf')
    return read_urdf(urdf), pinocchio.buildModelFromXML(urdf.read_text(encoding='utf-8'))


def from_chain(model: ScrewModel) -> pinocchio.Model:
    """Return Pinocchio's model of a tree of revolute joints through the bodies' origins."""
    peer = pinocchio.Model()
    peer.gravity.linear = model.gravity
    for i, name in enumerate(model.tree_joint_names):
        home = model.home_poses[i]
        joint = pinocchio.JointModelRevoluteUnaligned(model.screws[i, :3].copy())
        index = peer.addJoint(
            int(model.parents[i]) + 1, joint, pinocchio.SE3(home[:3, :3], home[:3, 3]), name
        )
        mass, first_moment, rotational = inertia_parameters(model.inertias[i])
        com = first_moment / mass
        about_com = rotational + mass * skew(com) @ skew(com)
        body = pinocchio.Inertia(mass, com, about_com)
        peer.appendBodyToJoint(index, body, pinocchio.SE3.Identity())
    return peer


class FiniteDifferences:
    """tau, tau' and tau'' by the five-point stencil on rnea, the states around t given."""

    def __init__(self, model: pinocchio.Model, jet: Array, step: float = 1e-3) -> None:
        self.model, self.data, self.step = model, model.createData(), step
        self.states = []
        for shift in (-2, -1, 0, 1, 2):
            h = shift * step
            powers = np.array([1.0, h, h**2 / 2, h**3 / 6, h**4 / 24])
            # the Taylor polynomial of the motion, and its first two derivatives
            state = [sum(powers[d] * jet[r + d] for d in range(len(jet) - r)) for r in range(3)]
            self.states.append(tuple(np.ascontiguousarray(x) for x in state))

    def __call__(self) -> tuple[Array, Array, Array]:
        """Return tau, tau', tau''."""
        rnea, model, data, h = pinocchio.rnea, self.model, self.data, self.step
        a, b, c, d, e = (rnea(model, data, *state).copy() for state in self.states)
        first = (a - 8.0 * b + 8.0 * d - e) / (12.0 * h)
        second = (-a + 16.0 * b - 30.0 * c + 16.0 * d - e) / (12.0 * h * h)
        return c, first, second


class ChainRule:
    """tau' by Pinocchio's analytic partial derivatives: dtau/dq q' + dtau/dq' q'' + M q'''."""

    def __init__(self, model: pinocchio.Model, jet: Array) -> None:
        self.model, self.data = model, model.createData()
        self.q, self.qd, self.qdd, self.qddd = (row.copy() for row in jet[:4])

    def __call__(self) -> Array:
        """Return tau'."""
        q, qd, qdd = self.q, self.qd, self.qdd
        by_q, by_qd, mass = pinocchio.computeRNEADerivatives(self.model, self.data, q, qd, qdd)
        return by_q @ qd + by_qd @ qdd + mass @ self.qddd
