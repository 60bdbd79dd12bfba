# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The tree at one instant: joints with their derivatives, poses, transforms, ancestors.

All functions of a model check `model` and `joint_jet` here, see the contract in `theory`. Symbols
are those of docs/theory/symbols.md. Body i moves by joint i; its parent is p(i), the base has
number -1. In the papers, which treat chains, "j <= i" is "j is on the path from the base to body
i", and "i + 1" is each child of i.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from math import comb
from numbers import Integral
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.errors import InputError, ShapeError, shown
from screw_dynamics.lie import adjoint, adjoint_inverse, exp_screw, twist_cross
from screw_dynamics.lie.scalars import Scalar, ScalarArray, dtype
from screw_dynamics.model.records import ModelRecord
from screw_dynamics.model.screw_model import ScrewModel


class Tree:
    """The bodies and joints of a model, moved by a joint jet (r, n), r >= 1."""

    def __init__(self, model: ScrewModel, joint_jet: ArrayLike) -> None:
        self.model = require_model(model)
        jet = as_scalars('joint_jet', joint_jet)
        if jet.ndim != 2 or not len(jet) or jet.shape[1] != model.n:
            raise ShapeError('joint_jet', f'(r, {model.n})', jet.shape)
        self.jet = jet
        # s_i = multiplier_i q_c(i) + offset_i: a joint may mimic another
        self.joints: ScalarArray = jet[:, model.coordinates] * model.multipliers
        self.joints[0] += model.offsets

    @staticmethod
    def at(model: ScrewModel, q: ArrayLike) -> Tree:
        """Return the tree at the joint positions q, (n,)."""
        return Tree(model, as_row('q', q, require_model(model).n)[None])

    @property
    def count(self) -> int:
        """Number N of bodies."""
        return self.model.body_count

    @property
    def dtype(self) -> np.dtype:
        """Type of the scalars."""
        return dtype(self.jet)

    @property
    def one(self) -> Scalar:
        """1 as a scalar of the jet: products of the model's floats with it are not rounded."""
        return self.jet.flat[0] * 0 + 1 if self.jet.size else 1

    @cached_property
    def relative_poses(self) -> list[ScalarArray]:
        """C_{p,i} = B_i exp(X_i s_i), [MK2021] (2), (3), [M2018] (67)."""
        model = self.model
        return [
            home @ exp_screw(screw, s)
            for home, screw, s in zip(model.home_poses, model.screws, self.joints[0], strict=True)
        ]

    @cached_property
    def poses(self) -> list[ScalarArray]:
        """C_i = C_p C_{p,i}, [N2021] (10) to (13)."""
        poses: list[ScalarArray] = []
        for p, relative in zip(self.model.parents, self.relative_poses, strict=True):
            poses.append(relative if p < 0 else poses[p] @ relative)
        return poses

    @cached_property
    def transforms(self) -> list[ScalarArray]:
        """Ad_{C_{i,p}}, which maps twists of the parent frame to the frame of body i."""
        return [adjoint_inverse(pose) for pose in self.relative_poses]

    @cached_property
    def transform_rates(self) -> list[ScalarArray]:
        """E_i(0..r - 1), (r, 6, 6): Ad_{C_{i,p}}^(k) = E_i(k) Ad_{C_{i,p}}, [KM2021] (10)."""
        rates = []
        for screw, joint in zip(self.model.screws, self.joints.T, strict=True):
            ad = twist_cross(screw)
            e = np.zeros((len(joint), 6, 6), self.dtype)
            e[0] = np.eye(6, dtype=self.dtype)
            for k in range(len(joint) - 1):
                for s in range(k + 1):
                    e[k + 1] -= comb(k, s) * joint[s + 1] * ad @ e[k - s]
            rates.append(e)
        return rates

    def at_least(self, rows: int) -> Tree:
        """Return the tree, or raise ShapeError if its joint jet has fewer rows."""
        if len(self.jet) < rows:
            raise ShapeError('joint_jet', f'(r, {self.model.n}), r >= {rows}', self.jet.shape)
        return self

    def path(self, body: int) -> list[int]:
        """Return the bodies from the base to a body, itself included."""
        path = []
        while body >= 0:
            path.append(int(body))
            body = self.model.parents[body]
        return path[::-1]

    def index(self, name: str, value: object) -> int:
        """Return the number of a body or tree joint; raise InputError if there is none."""
        if (
            isinstance(value, bool)
            or not isinstance(value, Integral)
            or not 0 <= int(value) < self.count
        ):
            raise InputError(
                f'{name}: expected the number of a body, 0 to {self.count - 1}, got {shown(value)}'
            )
        return int(value)

    def indices(self, name: str, values: Iterable[object]) -> list[int]:
        """Return numbers of tree joints; raise InputError if one does not exist."""
        if not isinstance(values, Iterable):
            raise InputError(f'{name}: expected numbers of bodies, got {shown(values)}')
        return [self.index(f'{name}[{k}]', value) for k, value in enumerate(values)]

    def jacobian_column(self, body: int, joint: int) -> ScalarArray:
        """Return J_{i,j} = Ad_{C_{i,j}} X_j, [KM2021] (8), (9); 0 if j is not on the path of i."""
        if joint not in self.path(body):
            return np.zeros(6, self.dtype)
        column: ScalarArray = self.model.screws[joint].astype(self.dtype)
        for i in self.path(body):
            if i > joint and joint in self.path(i):
                column = self.transforms[i] @ column
        return column

    def to_coordinates(self, of_joints: ScalarArray) -> ScalarArray:
        """Return G^T x: efforts (..., N) of the joints as those of the coordinates (..., n)."""
        result = np.zeros((*of_joints.shape[:-1], self.model.n), dtype(of_joints))
        for i, coordinate in enumerate(self.model.coordinates):
            result[..., coordinate] += self.model.multipliers[i] * of_joints[..., i]
        return result

    @cached_property
    def mimic_matrix(self) -> Array:
        """G (N, n): ds_i / dq_c."""
        matrix = np.zeros((self.count, self.model.n), dtype(self.model.multipliers))
        matrix[np.arange(self.count), self.model.coordinates] = self.model.multipliers
        return matrix

    @property
    def G(self) -> ScalarArray:  # noqa: N802
        """Acceleration of the base that stands for gravity, -(0; g), (6,)."""
        gravity = self.model.gravity
        return np.concatenate((np.zeros(3, gravity.dtype), -gravity))

    def adjoints(self) -> list[ScalarArray]:
        """Return Ad_{C_i}, which map body-fixed twists to spatial ones."""
        return [adjoint(pose) for pose in self.poses]


def require_model(model: object) -> ScrewModel:
    """Return a ScrewModel, or a record of the same fields with other scalars; else InputError."""
    if not isinstance(model, ModelRecord):
        raise InputError(f'model: expected a ScrewModel, got {type(model).__name__}')
    return cast(ScrewModel, model)


def as_scalars(name: str, values: ArrayLike) -> ScalarArray:
    """Return an array of floats, which must be finite, or of the general scalars that it has."""
    if not isinstance(values, np.ndarray):
        with suppress(ValueError):  # rows of different lengths
            values = np.asarray(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in 'cO':
        if all(hasattr(entry, '__truediv__') for entry in values.flat):
            return values
    return require_finite(name, as_float_array(name, values))


def as_row(name: str, values: ArrayLike, n: int) -> ScalarArray:
    """Return scalars of the joints, (n,)."""
    row = as_scalars(name, values)
    if row.shape != (n,):
        raise ShapeError(name, f'({n},)', row.shape)
    return row
