# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The same robot in Pinocchio, read by Pinocchio's own parser from the same URDF."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pinocchio

from oracles.silence import silenced
from screw_dynamics.common.arrays import Array
from screw_dynamics.model import ScrewModel


class PinocchioModel:
    """
    Order-0 dynamics by Pinocchio, in the coordinates of a `ScrewModel` of the same URDF.

    Pinocchio gets every moving joint as a coordinate of its own; mimic joints are expanded before
    and reduced after the call (tau = G^T tau_tree), and all joints are matched by name. The model
    is the whole robot; with `armature` (n,), inertias at the coordinates, no joint mimics.
    """

    def __init__(self, urdf: Path, model: ScrewModel, armature: Array | None = None) -> None:
        self._screw_model = model
        with silenced():  # the parser prints every oddity of the file
            self.model = pinocchio.buildModelFromXML(urdf.read_text(encoding='utf-8'))
        self.model.gravity.linear = model.gravity
        self._data = self.model.createData()
        names = set(self.model.names) - {'universe'}
        if names != set(model.tree_joint_names):
            difference = sorted(names ^ set(model.tree_joint_names))
            raise ValueError(f'{urdf}: joints of only one of the two models: {difference}')
        joints = [self.model.joints[self.model.getJointId(n)] for n in model.tree_joint_names]
        self._q_index = [joint.idx_q for joint in joints]
        self._v_index = np.array([joint.idx_v for joint in joints], dtype=int)
        # a joint without limits is stored as (cos q, sin q)
        self._unbounded = [joint.nq == 2 for joint in joints]
        self._reduction = np.zeros((self.model.nv, model.n))
        self._reduction[self._v_index, model.coordinates] = model.multipliers
        if armature is not None:
            assert model.n == model.body_count
            self.model.armature = self._reduction @ armature

    def efforts(
        self, q: Array, qd: Array, qdd: Array, wrenches: Mapping[str, Array] | None = None
    ) -> Array:
        """Return the joint efforts; `wrenches` (6,) act ON the links, in their frames."""
        velocity, acceleration = self._reduction @ qd, self._reduction @ qdd
        external = pinocchio.StdVec_Force()
        external.extend([pinocchio.Force.Zero()] * self.model.njoints)
        for name, wrench in (wrenches or {}).items():
            frame = self.model.frames[self.model.getFrameId(name, pinocchio.BODY)]
            force = pinocchio.Force(wrench[3:], wrench[:3])
            # Pinocchio 2 calls it parent
            joint = frame.parentJoint if hasattr(frame, 'parentJoint') else frame.parent
            external[joint] += frame.placement.act(force)
        tree = pinocchio.rnea(
            self.model, self._data, self._expand(q), velocity, acceleration, external
        )
        return self._reduction.T @ tree

    def mass_matrix(self, q: Array) -> Array:
        """Return the mass matrix."""
        upper = np.triu(pinocchio.crba(self.model, self._data, self._expand(q)))
        tree = upper + np.triu(upper, 1).T
        return self._reduction.T @ tree @ self._reduction

    def gravity_forces(self, q: Array) -> Array:
        """Return the joint efforts that hold the robot still."""
        tree = pinocchio.computeGeneralizedGravity(self.model, self._data, self._expand(q))
        return self._reduction.T @ tree

    def centre_of_mass(self, q: Array) -> tuple[Array, Array]:
        """Return the centre of mass (3,) of the moving links, and its Jacobian (3, n)."""
        tree = pinocchio.jacobianCenterOfMass(self.model, self._data, self._expand(q))
        return self._data.com[0].copy(), tree @ self._reduction

    def energies(self, q: Array, qd: Array) -> tuple[float, float]:
        """Return the kinetic and the potential energy."""
        tree, rates = self._expand(q), self._reduction @ qd
        kinetic = pinocchio.computeKineticEnergy(self.model, self._data, tree, rates)
        return kinetic, pinocchio.computePotentialEnergy(self.model, self._data, tree)

    def _expand(self, q: Array) -> Array:
        """Return Pinocchio's configuration vector."""
        model = self._screw_model
        variables = model.multipliers * q[model.coordinates] + model.offsets
        configuration = pinocchio.neutral(self.model)
        for i, s in enumerate(variables):
            at = self._q_index[i]
            if self._unbounded[i]:
                configuration[at : at + 2] = np.cos(s), np.sin(s)
            else:
                configuration[at] = s
        return configuration
