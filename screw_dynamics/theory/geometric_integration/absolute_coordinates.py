# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
A tree of rigid bodies in absolute coordinates: poses of all bodies, joints as constraints.

[M2018] (78), section 7. The twist of body i relative to its parent, D_i = V_i - Ad_{C_i,p} V_p,
is a multiple of the joint screw X_i. The other five directions B_i of the body frame are constant,
so that the joints are B_i^T D_i = 0, together G V = 0, and a mimic joint adds one row.
Differentiated once (index 1), with Lagrange multipliers:

    M V' - G^T lambda = ad_V^T M V + W,    G V' = - B^T ad_{V_i} Ad_{C_i,p} V_p
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InertiaError
from screw_dynamics.lie import (
    adjoint,
    adjoint_inverse,
    coadjoint,
    inertia_parameters,
    inverse_pose,
    log_se3,
    skew,
    twist_cross,
    vee,
    wrench_cross,
)
from screw_dynamics.lie.scalars import Scalar, ScalarArray, dtype, solve
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.geometric_integration.munthe_kaas import System
from screw_dynamics.theory.kinematics.body_fixed import twist_jets
from screw_dynamics.theory.tree import Tree, as_row, require_model

Efforts: TypeAlias = Callable[[Scalar], ScalarArray]

# a smaller inertia about the centre of mass, relative to that about the origin, is rounding error
_REGULAR = 1e-12


class AbsoluteCoordinates:
    """
    Equations of motion of a tree in the poses of its bodies.

    ``efforts(t)`` -> (n,) drives the joints; a tree with `free_base` floats: the joints between it
    and the base are removed, and their efforts do not act.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.geometric_integration.absolute_coordinates import (
    ...     AbsoluteCoordinates)
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [np.eye(6)])
    >>> driven = AbsoluteCoordinates(wheel, lambda t: np.array([2.0]))
    >>> poses, twists = driven.state([0.3], [1.0])
    >>> driven.accelerations(0.0, poses, twists)[0].round(12) + 0.0
    array([[0., 0., 2., 0., 0., 0.]])
    """

    def __init__(
        self, model: ScrewModel, efforts: Efforts | None = None, *, free_base: bool = False
    ) -> None:
        self.model = require_model(model)
        self.efforts = efforts
        released = (model.parents < 0) & free_base
        self._joints = np.flatnonzero(~released)
        self._first = {int(model.coordinates[i]): int(i) for i in self._joints[::-1]}
        self._rows, self._offsets = self._constraints()

    def _constraints(self) -> tuple[Array, Array]:
        """Return B^T, which maps all relative twists D to what the joints exclude, and offsets."""
        model, rows, offsets = self.model, [], []
        for i in map(int, self._joints):
            complement = np.linalg.svd(model.screws[i][None])[2][1:]
            for direction in complement:
                rows.append(np.zeros((model.body_count, 6)))
                rows[-1][i] = direction
                offsets.append(0.0)
            first = self._first[int(model.coordinates[i])]
            if first != i:
                rows.append(np.zeros((model.body_count, 6)))
                offsets.append(0.0)
                for body, sign in ((i, 1.0), (first, -1.0)):
                    rows[-1][body] = sign * self._coordinate_row(body)
                    offsets[-1] += sign * model.offsets[body] / model.multipliers[body]
        return np.array(rows).reshape(-1, 6 * model.body_count), np.array(offsets)

    def _coordinate_row(self, body: int) -> Array:
        """Return the row that yields the rate of the coordinate from D_i = X_i s_i'."""
        screw = self.model.screws[body]
        row: Array = screw / (screw @ screw) / self.model.multipliers[body]
        return row

    def state(self, q: ScalarArray, qd: ScalarArray) -> tuple[ScalarArray, ScalarArray]:
        """Return poses (N, 4, 4) and body-fixed twists (N, 6) of joint positions and rates."""
        n = self.model.n
        tree = Tree(self.model, np.stack([as_row('q', q, n), as_row('qd', qd, n)]))
        return np.array(tree.poses), twist_jets(tree)[:, 0]

    def accelerations(
        self, t: Scalar, poses: ScalarArray, twists: ScalarArray
    ) -> tuple[ScalarArray, ScalarArray]:
        """
        Return body-fixed twist rates V' (N, 6) and the wrenches of the joints (N, 6).

        A wrench, constraint reaction and effort, acts ON body i in its frame, its opposite on the
        parent. The equations are singular if a joint can move without moving any inertia.
        """
        model = self.model
        size, count = 6 * model.body_count, len(self._rows)
        relative, drift = self._relative_motion(poses, twists)
        jacobian = self._rows @ relative
        matrix = np.zeros((size + count, size + count), dtype(poses, twists))
        right = np.zeros(size + count, matrix.dtype)
        for i, inertia in enumerate(model.inertias):
            block = slice(6 * i, 6 * i + 6)
            matrix[block, block] = inertia
            right[block] = -wrench_cross(twists[i]) @ inertia @ twists[i]
            right[block] += self._weight(i, poses[i])
        active = self._active(t, matrix.dtype)
        right[:size] += relative.T @ active
        right[size:] = -self._rows @ drift
        matrix[:size, size:] = -jacobian.T
        matrix[size:, :size] = jacobian
        solution = solve(matrix, right)
        wrenches = active + self._rows.T @ solution[size:]
        return solution[:size].reshape(-1, 6), wrenches.reshape(-1, 6)

    def _relative_motion(
        self, poses: ScalarArray, twists: ScalarArray
    ) -> tuple[ScalarArray, ScalarArray]:
        """Return R (6N, 6N) of D = R V, and D' - R V' = ad_{V_i} Ad_{C_i,p} V_p, (6N,)."""
        size = twists.size
        matrix = np.zeros((size, size), dtype(poses, twists))
        matrix[range(size), range(size)] = 1
        drift = np.zeros(twists.shape, matrix.dtype)
        for i, p in enumerate(self.model.parents):
            if p >= 0:
                transform = adjoint(inverse_pose(poses[i]) @ poses[p])
                matrix[6 * i : 6 * i + 6, 6 * p : 6 * p + 6] = -transform
                drift[i] = twist_cross(twists[i]) @ transform @ twists[p]
        return matrix, drift.ravel()

    def _weight(self, body: int, pose: ScalarArray) -> ScalarArray:
        """Return the wrench of gravity in the frame of a body."""
        falling = np.concatenate([np.zeros(3), self.model.gravity])
        weight: ScalarArray = self.model.inertias[body] @ adjoint_inverse(pose) @ falling
        return weight

    def _active(self, t: Scalar, scalars: np.dtype) -> ScalarArray:
        """Return the wrenches of the efforts, (6N,): each at the first joint that it moves."""
        wrenches = np.zeros((self.model.body_count, 6), scalars)
        if self.efforts is not None:
            efforts = self.efforts(t)
            for coordinate, body in self._first.items():
                wrenches[body] += self._coordinate_row(body) * efforts[coordinate]
        return wrenches.ravel()

    def twist_form(self) -> System:
        """Return the system with y = V of all bodies, (6N,), body-fixed."""

        def rates(
            t: Scalar, poses: ScalarArray, y: ScalarArray
        ) -> tuple[ScalarArray, ScalarArray]:
            twists = y.reshape(-1, 6)
            return twists, self.accelerations(t, poses, twists)[0].ravel()

        return System(rates)

    def momentum_form(self) -> System:
        """
        Return the system with y = Pi^s of all bodies, (6N,), which have regular inertias.

        A joint transmits opposite spatial wrenches. Every method hence preserves the sum of the
        momenta of a floating tree without gravity, [M2018] (37). InertiaError is raised for a
        point mass, a rod or a massless body, whose momentum does not determine its twist.
        """
        self._require_regular_inertias()

        def rates(
            t: Scalar, poses: ScalarArray, y: ScalarArray
        ) -> tuple[ScalarArray, ScalarArray]:
            twists = self.twists(poses, y)
            wrenches = self.accelerations(t, poses, twists)[1]
            result = np.zeros(twists.shape, dtype(y))
            for i, p in enumerate(self.model.parents):
                by_joint = coadjoint(poses[i]) @ wrenches[i]
                result[i] += by_joint + coadjoint(poses[i]) @ self._weight(i, poses[i])
                if p >= 0:
                    result[p] -= by_joint
            pairs = zip(poses, twists, strict=True)
            return np.array([adjoint(c) @ v for c, v in pairs]), result.ravel()

        return System(rates, spatial=True)

    def _require_regular_inertias(self) -> None:
        for name, inertia in zip(self.model.body_names, self.model.inertias, strict=True):
            mass, moment, theta = inertia_parameters(inertia)
            about_centre = theta + skew(moment) @ skew(moment) / mass if mass else 0 * theta
            smallest, bound = np.linalg.eigvalsh(about_centre)[0], _REGULAR * np.trace(theta)
            if not smallest > bound:
                raise InertiaError(
                    f'body {name!r}: expected a rotational inertia about its centre of mass above '
                    f'{bound:.3g} kg m^2 about every axis, got {smallest:.3g}: its momentum does '
                    f'not determine its twist, use twist_form'
                )

    def twists(self, poses: ScalarArray, momenta: ScalarArray) -> ScalarArray:
        """
        Return the body-fixed twists (N, 6) of spatial momenta (6N,), [M2018] (36).

        Raises InertiaError as `momentum_form` does.
        """
        self._require_regular_inertias()
        each = zip(self.model.inertias, poses, momenta.reshape(-1, 6), strict=True)
        return np.array([solve(m, adjoint(c).T @ momentum) for m, c, momentum in each])

    def momenta(self, poses: ScalarArray, twists: ScalarArray) -> ScalarArray:
        """Return the spatial momenta (6N,) of body-fixed twists (N, 6), [M2018] (36)."""
        each = zip(self.model.inertias, poses, twists, strict=True)
        return np.concatenate([coadjoint(c) @ m @ v for m, c, v in each])

    def energy(self, poses: ScalarArray, twists: ScalarArray) -> Scalar:
        """Return the kinetic and potential energy [J] of poses and body-fixed twists (N, 6)."""
        total = 0
        for inertia, c, v in zip(self.model.inertias, poses, twists, strict=True):
            moment = inertia[5, 5] * c[:3, 3] + c[:3, :3] @ vee(inertia[:3, 3:])
            total = total + v @ inertia @ v / 2 - self.model.gravity @ moment
        return total

    def position_errors(self, poses: ScalarArray) -> ScalarArray:
        """
        Return how far the poses violate the joints [rad or m], (5 per joint, 1 per mimic joint).

        Joints are less than half a turn away from their home poses.
        """
        screws = np.zeros((len(poses), 6), dtype(poses))
        for i in self._joints:
            p = self.model.parents[i]
            relative = inverse_pose(poses[p]) @ poses[i] if p >= 0 else poses[i]
            screws[i] = log_se3(inverse_pose(self.model.home_poses[i]) @ relative)
        result: ScalarArray = self._rows @ screws.ravel() - self._offsets
        return result
