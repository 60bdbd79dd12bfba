# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Coriolis matrix, bias forces and frames by Pinocchio, angular part first."""

from __future__ import annotations

import numpy as np
import pinocchio

from oracles.pinocchio_model import PinocchioModel
from screw_dynamics.common.arrays import Array

_REFERENCE_FRAMES = {
    'body': pinocchio.LOCAL,
    'spatial': pinocchio.WORLD,
    'hybrid': pinocchio.LOCAL_WORLD_ALIGNED,
}

# Pinocchio's twists are [linear; angular].
_ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]


class PinocchioTerms(PinocchioModel):
    """See `PinocchioModel`."""

    def coriolis_matrix(self, q: Array, qd: Array) -> Array:
        """
        Return the Coriolis matrix of the Christoffel symbols.

        Parameters
        ----------
        q, qd : (n,) ndarray

        Returns
        -------
        (n, n) ndarray

        """
        tree = pinocchio.computeCoriolisMatrix(
            self._model, self._data, self._expand(q), self._reduction @ qd
        )
        return self._reduction.T @ tree @ self._reduction

    def bias_forces(self, q: Array, qd: Array) -> Array:
        """
        Return the joint efforts without joint accelerations.

        Parameters
        ----------
        q, qd : (n,) ndarray

        Returns
        -------
        (n,) ndarray

        """
        tree = pinocchio.nonLinearEffects(
            self._model, self._data, self._expand(q), self._reduction @ qd
        )
        return self._reduction.T @ tree

    def frame_pose(self, q: Array, name: str) -> Array:
        """
        Return the pose of a link.

        Parameters
        ----------
        q : (n,) ndarray
        name : str

        Returns
        -------
        (4, 4) ndarray

        """
        pinocchio.framesForwardKinematics(self._model, self._data, self._expand(q))
        return self._data.oMf[self._frame(name)].homogeneous.copy()

    def frame_jacobian(self, q: Array, name: str, representation: str) -> Array:
        """
        Return the Jacobian of a link.

        Parameters
        ----------
        q : (n,) ndarray
        name : str
        representation : str
            'body', 'spatial', 'hybrid' or 'mixed'.

        Returns
        -------
        (6, n) ndarray

        """
        if representation == 'mixed':
            angular, linear = (self.frame_jacobian(q, name, form) for form in ('body', 'hybrid'))
            return np.vstack([angular[:3], linear[3:]])
        reference_frame = _REFERENCE_FRAMES[representation]
        tree = pinocchio.computeFrameJacobian(
            self._model, self._data, self._expand(q), self._frame(name), reference_frame
        )
        return np.asarray(tree[_ANGULAR_FIRST] @ self._reduction)

    def frame_twist(self, q: Array, qd: Array, qdd: Array, name: str) -> dict[str, Array]:
        """
        Return the twist of a link and its time derivative.

        Parameters
        ----------
        q, qd, qdd : (n,) ndarray
        name : str

        Returns
        -------
        mapping of str to (2, 6) ndarray
            For 'body', 'spatial' and 'hybrid'.

        """
        rates, accelerations = self._reduction @ qd, self._reduction @ qdd
        arguments = self._model, self._data
        pinocchio.forwardKinematics(*arguments, self._expand(q), rates, accelerations)
        pinocchio.updateFramePlacements(*arguments)
        twists = {}
        for form, reference_frame in _REFERENCE_FRAMES.items():
            place = (*arguments, self._frame(name), reference_frame)
            velocity, acceleration = (
                pinocchio.getFrameVelocity(*place),
                pinocchio.getFrameAcceleration(*place),
            )
            if form == 'hybrid':  # that of the origin of the frame, not of a fixed point
                acceleration = pinocchio.getFrameClassicalAcceleration(*place)
            motions = velocity.vector, acceleration.vector
            twists[form] = np.array(motions)[:, _ANGULAR_FIRST]
        return twists

    def frame_jacobian_rate(self, q: Array, qd: Array, name: str, representation: str) -> Array:
        """
        Return the time derivative of the Jacobian of a link.

        Parameters
        ----------
        q, qd : (n,) ndarray
        name : str
        representation : str
            'body', 'spatial' or 'hybrid'.

        Returns
        -------
        (6, n) ndarray

        """
        pinocchio.computeJointJacobiansTimeVariation(
            self._model, self._data, self._expand(q), self._reduction @ qd
        )
        pinocchio.updateFramePlacements(self._model, self._data)
        tree = pinocchio.getFrameJacobianTimeVariation(
            self._model, self._data, self._frame(name), _REFERENCE_FRAMES[representation]
        )
        return np.asarray(tree[_ANGULAR_FIRST] @ self._reduction)

    def _frame(self, name: str) -> int:
        return int(self._model.getFrameId(name, pinocchio.BODY))
