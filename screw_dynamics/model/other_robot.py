# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`OtherRobot`: robots that the public functions accept beside `ScrewModel`."""

from __future__ import annotations

from abc import abstractmethod

from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array


class OtherRobot:
    """Methods that the public functions of the same names call."""

    n: int

    @abstractmethod
    def inverse_dynamics(
        self, joint_jet: ArrayLike, out: Array | None = None, threads: int = 1
    ) -> Array:
        """Return the efforts and their derivatives."""

    @abstractmethod
    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return the mass matrix."""

    @abstractmethod
    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """Return the accelerations."""

    @abstractmethod
    def frame_pose(self, q: ArrayLike, frame: str) -> Array:
        """Return the pose of a frame in the base."""

    @abstractmethod
    def bias_forces(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return the efforts at zero acceleration."""

    @abstractmethod
    def gravity_forces(self, q: ArrayLike) -> Array:
        """Return the efforts at rest by gravity alone."""
