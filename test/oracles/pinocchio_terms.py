# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames by Pinocchio, angular part first."""

from __future__ import annotations

import numpy as np
import pinocchio

from oracles.pinocchio_model import PinocchioModel
from screw_dynamics.common.arrays import Array

_REFERENCE_FRAMES = {
    'body': pinocchio.LOCAL,
    'hybrid': pinocchio.LOCAL_WORLD_ALIGNED,
}

# Pinocchio's twists are [linear; angular].
_ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]


class PinocchioTerms(PinocchioModel):
    """See `PinocchioModel`."""

    def frame_pose(self, q: Array, name: str) -> Array:
        """Return the pose of a link."""
        pinocchio.framesForwardKinematics(self.model, self._data, self._expand(q))
        return self._data.oMf[self._frame(name)].homogeneous.copy()

    def frame_jacobian(self, q: Array, name: str, representation: str) -> Array:
        """Return the Jacobian (6, n) of a link in a representation."""
        if representation == 'mixed':
            angular, linear = (self.frame_jacobian(q, name, form) for form in ('body', 'hybrid'))
            return np.vstack([angular[:3], linear[3:]])
        reference_frame = _REFERENCE_FRAMES[representation]
        tree = pinocchio.computeFrameJacobian(
            self.model, self._data, self._expand(q), self._frame(name), reference_frame
        )
        return np.asarray(tree[_ANGULAR_FIRST] @ self._reduction)

    def _frame(self, name: str) -> int:
        return int(self.model.getFrameId(name, pinocchio.BODY))
