# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Size of the numbers that add up to an effort."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from oracles.exact_model import generator
from oracles.taylor import Series, derivatives_of, product, second_derivative
from screw_dynamics.common.arrays import Array
from screw_dynamics.model import ScrewModel


@dataclass(frozen=True)
class Reference:
    """An effort jet (k + 1, n) correct to the last bit, and the size of the loads behind it."""

    efforts: Array
    scale: Array


class LoadScale:
    """
    The largest load on any joint, at the robot's reach, in all directions.

    Efforts can be far smaller than the loads they come from: a vertical axis under gravity, a
    centre of mass on the axis, free fall, joints that turn against each other, a constant weight
    seen from a spinning body. An algorithm in floating point, in moving frames, has errors
    relative to the loads then, and so have the model's own numbers. `poses` are the series of the
    bodies.
    """

    def __init__(self, model: ScrewModel, poses: list[Series], rows: int) -> None:
        floats = [derivatives_of(pose).astype(np.float64)[:rows] for pose in poses]
        positions = np.array([pose[:, :3, 3] for pose in floats]).reshape(-1, rows, 3)
        positions[:, 0] -= positions[:1, 0]  # an arm is measured inside the robot
        self._reach = 2.0 * np.linalg.norm(positions, axis=2).max(axis=0, initial=0.0)
        generators = np.array([generator(x).astype(np.float64) for x in model.screws])
        parts = np.abs(generators * np.abs(model.multipliers)[:, None, None]).reshape(-1, 4, 4)
        self._turning = parts[:, :, :3].max(initial=0.0)
        self._sliding = parts[:, :, 3].max(initial=0.0)
        self._torque, self._force = np.zeros(rows), np.zeros(rows)
        gravity = np.zeros((4, 4))
        gravity[3, :3] = model.gravity
        motions: list[Array] = []
        for i, p in enumerate(model.parents):
            acceleration = second_derivative(poses[i]).transpose(0, 2, 1)
            motion = np.abs(derivatives_of(product(acceleration, poses[i])).astype(np.float64))
            motion += np.abs(gravity @ floats[i])
            motion[:, 3] += self._at_reach(motion[:, :3, :3].max(axis=(1, 2)))[:, None]
            # what the parent's motion is made of cancels at best in the child's
            motions.append(motion if p < 0 else np.maximum(motion, motions[p]))
            self._add(self._pseudo_inertia_size(model.inertias[i]) @ motions[i])

    @staticmethod
    def _pseudo_inertia_size(inertia: Array) -> Array:
        """Return a bound of |P|: second moments, first moment, mass."""
        size = np.full((4, 4), np.abs(inertia[:3, :3]).max())
        size[:3, 3] = size[3, :3] = np.abs(inertia[:3, 3:]).max()
        size[3, 3] = inertia[3, 3]
        return size

    def add_load(self, load: Series) -> None:
        """Take the load (k + 1, 4, 4) on a joint into account, in the frame of its body."""
        self._add(np.abs(derivatives_of(load).astype(np.float64)))

    def per_order(self) -> Array:
        """Return the scale (k + 1,)."""
        torque = self._torque + self._at_reach(self._force)
        scale: Array = self._turning * torque + self._sliding * self._force
        return scale

    def _add(self, load: Array) -> None:
        self._torque = np.maximum(self._torque, load[:, :3, :3].max(axis=(1, 2)))
        self._force = np.maximum(self._force, load[:, 3, :3].max(axis=1))

    def _at_reach(self, force: Array) -> Array:
        """Return the Leibniz sum of arm and force."""
        return np.array(
            [
                sum(comb(k, s) * self._reach[s] * force[k - s] for s in range(k + 1))
                for k in range(len(force))
            ]
        )
