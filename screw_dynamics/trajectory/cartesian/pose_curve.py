# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
`PoseCurve`: a C4 motion of a frame through poses.

Positions are the smooth interpolation of the package. Between two poses the rotation is
exp(phi(t)~) R_i, phi a polynomial of degree 9 with phi(t_i) = 0. At the poses the angular velocity
and its derivatives are those of a smooth interpolation of the accumulated rotation vectors: all
segments fit together up to the snap, and a rotation about a fixed axis is interpolated as its
angle. Angular velocities, w = dexp_phi phi', are in base axes.
"""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import dexp_inverse_so3
from screw_dynamics.series.jets import jet_of_coefficients, taylor_coefficients
from screw_dynamics.trajectory import JET_ROWS, PiecewisePolynomial, Waypoints, smooth_trajectory
from screw_dynamics.trajectory.cartesian.poses import (
    PoseWaypoints,
    require_clear_turns,
    rotation_steps,
)
from screw_dynamics.trajectory.cartesian.rotations import angular_velocities, rotation_matrices
from screw_dynamics.trajectory.smooth.degree9_segment import hermite_coefficients

TWIST_ROWS = JET_ROWS - 1  # twist and three derivatives, which determine the joints' snap
_AXES = ('x', 'y', 'z', 'turn about x', 'turn about y', 'turn about z')


class PoseCurve:
    """
    The C4 motion of a frame through `waypoints`, at rest at the last one and after it.

    It starts at rest at the first pose, which must be at time 0, or at the time `begin` in another
    pose, `start` (4, 4), with `start_twist` (4, 6), the twist there and its derivatives; poses up
    to then are left out. Twists are hybrid: [angular; linear] in base axes, of the frame's origin.
    """

    def __init__(
        self,
        waypoints: PoseWaypoints,
        start: Array | None = None,
        start_twist: Array | None = None,
        begin: float = 0.0,
    ) -> None:
        times, positions, rotations = waypoints.times, waypoints.positions, waypoints.rotations
        self.first = 0  # number of the first pose in `waypoints`, one less for the start
        jet = None
        if start is not None:
            left = int(np.searchsorted(times, begin, side='right'))
            self.first = left - 1
            times = np.append(begin, times[left:])
            positions = np.concatenate((start[None, :3, 3], positions[left:]))
            rotations = np.concatenate((start[None, :3, :3], rotations[left:]))
            require_clear_turns(rotations, times, self.first, 'the start')
            jet = np.zeros((JET_ROWS, 6))
            jet[0, :3] = start[:3, 3]
            if start_twist is not None:
                jet[1:, :3], jet[1:, 3:] = start_twist[:, 3:], start_twist[:, :3]
        self._begins_before = start is not None
        self.times, self._rotations = times, rotations
        steps = rotation_steps(rotations)
        turned = np.concatenate((np.zeros((1, 3)), steps.cumsum(axis=0)))
        free = np.full((len(times), 6), np.nan)
        values = np.concatenate((positions, turned), axis=1)
        elapsed = times - times[0]
        curve = smooth_trajectory(Waypoints(_AXES, elapsed, values, free, free), jet)
        jets = curve.jets(elapsed)
        coefficients = curve.coefficients.copy()
        coefficients[:, :, 3:] = _rotation_vectors(np.diff(times), steps, jets[:, 1:, 3:])
        end = np.append(positions[-1], steps[-1] if len(steps) else np.zeros(3))
        self._curve = PiecewisePolynomial(times, coefficients, end, 0)

    def name(self, i: int) -> str:
        """Return the name of the pose at `times[i]`, for error texts."""
        return 'the start' if self._begins_before and i == 0 else f'pose #{self.first + i}'

    def sample(self, times: Array) -> tuple[Array, Array]:
        """
        Return poses (T, 4, 4) and twist jets (T, 4, 6) at times (T,) [s].

        Row d of a twist jet is the d-th derivative of [angular velocity; velocity].
        """
        jets = self._curve.jets(times)
        segments = np.searchsorted(self.times, times, side='right') - 1
        segments = np.clip(segments, 0, max(0, len(self.times) - 2))
        poses = np.tile(np.eye(4), (len(times), 1, 1))
        poses[:, :3, :3] = rotation_matrices(jets[:, 0, 3:]) @ self._rotations[segments]
        poses[:, :3, 3] = jets[:, 0, :3]
        vectors = taylor_coefficients(jets[:, :, 3:].swapaxes(0, 1))
        twists = np.empty((len(times), TWIST_ROWS, 6))
        twists[:, :, :3] = jet_of_coefficients(angular_velocities(vectors)).swapaxes(0, 1)
        twists[:, :, 3:] = jets[:, 1:, :3]
        return poses, twists


def _rotation_vectors(h: Array, steps: Array, angular: Array) -> Array:
    """
    Return coefficients (S, 10, 3) of the rotation vectors in segments of lengths `h` (S,).

    Each leads from 0 to `steps` (S, 3); `angular` (S + 1, 4, 3) are the angular velocities at the
    poses, with derivatives.
    """
    left = _vector_jets(np.zeros_like(steps), angular[:-1])
    return hermite_coefficients(h, left, _vector_jets(steps, angular[1:]))


def _vector_jets(vectors: Array, angular: Array) -> Array:
    """Return jets (T, 5, 3) of rotation vectors (T, 3) from those of angular velocities."""
    found = np.zeros((JET_ROWS, *vectors.shape))
    found[0] = vectors
    wanted = taylor_coefficients(angular.swapaxes(0, 1))
    inverse = np.array([dexp_inverse_so3(vector) for vector in vectors]).reshape(-1, 3, 3)
    for k in range(TWIST_ROWS):  # linear in the derivative k + 1
        lacking = wanted[k] - angular_velocities(found[: k + 2])[k]
        found[k + 1] = np.matmul(inverse, lacking[..., None])[..., 0] / (k + 1)
    jets: Array = jet_of_coefficients(found).swapaxes(0, 1)
    return jets
