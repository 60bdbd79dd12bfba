# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of all forms of inverse dynamics: samples, external wrenches in any representation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.errors import InputError, ShapeError, shown
from screw_dynamics.lie import adjoint_inverse
from screw_dynamics.lie.scalars import ScalarArray, dtype
from screw_dynamics.model.records import REPRESENTATIONS, Frame
from screw_dynamics.model.screw_model import ScrewModel, as_wrench_jets
from screw_dynamics.theory.kinematics.body_fixed import twist_jets
from screw_dynamics.theory.kinematics.hybrid import HybridMotion
from screw_dynamics.theory.kinematics.spatial import twist_and_column_jets
from screw_dynamics.theory.tree import Tree, as_scalars, require_model
from screw_dynamics.theory.wrench_rates import (
    body_from_hybrid,
    body_from_spatial,
    spatial_from_body,
)


class InverseDynamics(Protocol):
    """The signature of all forms."""

    def __call__(
        self,
        model: ScrewModel,
        joint_jet: ArrayLike,
        wrench_jets: Mapping[str, ArrayLike] | None = None,
        *,
        wrench_representation: str = 'body',
    ) -> ScalarArray:
        """Return the efforts and their derivatives, see `recursive_body_fixed`."""


def of_samples(efforts_of_joints: Callable[[Tree, ScalarArray], ScalarArray]) -> InverseDynamics:
    """
    Return the inverse dynamics of one or more samples by a form, which has its name and docstring.

    The form returns efforts of the tree joints (k + 1, N), from a tree and external wrenches
    (N, k + 1, 6) in body frames.
    """

    def inverse_dynamics(
        model: ScrewModel,
        joint_jet: ArrayLike,
        wrench_jets: Mapping[str, ArrayLike] | None = None,
        *,
        wrench_representation: str = 'body',
    ) -> ScalarArray:
        require_model(model)
        jet = as_scalars('joint_jet', joint_jet)
        if jet.ndim not in (2, 3) or jet.shape[-2] < 3 or jet.shape[-1] != model.n:
            expected = f'(k + 3, {model.n}) or (T, k + 3, {model.n})'
            raise ShapeError('joint_jet', expected, jet.shape)
        shape = (*jet.shape[:-2], jet.shape[-2] - 2, model.n)
        wrenches = as_wrench_jets(model, wrench_jets, shape, as_scalars)
        jet = jet.astype(dtype(jet, *wrenches.values()))
        efforts = np.empty(shape, jet.dtype)
        samples = [(jet, wrenches, efforts)]
        if jet.ndim == 3:
            samples = [
                (jet[t], {name: w[t] if w.ndim == 3 else w for name, w in wrenches.items()}, row)
                for t, row in enumerate(efforts)
            ]
        for sample, loads, out in samples:
            tree = Tree(model, sample)
            external = body_wrenches(tree, loads, len(out), wrench_representation)
            out[:] = tree.to_coordinates(efforts_of_joints(tree, external))
        return efforts

    # not `wraps`: the signature is another
    for name in ('__module__', '__qualname__', '__doc__'):
        setattr(inverse_dynamics, name, getattr(efforts_of_joints, name))
    return inverse_dynamics


def body_wrenches(
    tree: Tree, wrench_jets: Mapping[str, ScalarArray], rows: int, representation: str = 'body'
) -> ScalarArray:
    """
    Return wrenches ON the bodies, (N, rows, 6) in body frames, from those at frames.

    The derivatives are those of the components in the body frames, also where the components of
    the arguments refer to frames that move otherwise.
    """
    convert = _conversion(tree, representation)
    external = np.zeros((tree.count, rows, 6), dtype(tree.jet, *wrench_jets.values()))
    for name, wrench in wrench_jets.items():
        frame = tree.model.frames[name]
        if frame.body >= 0:  # a wrench on the base moves no joint
            external[frame.body] += convert(frame, wrench)
    return external


def _conversion(tree: Tree, representation: str) -> Callable[[Frame, ScalarArray], ScalarArray]:
    """Return the function from a wrench jet ON a frame to body-fixed components."""
    if representation == 'body':
        return lambda frame, wrench: wrench @ adjoint_inverse(frame.pose)
    if representation in ('hybrid', 'mixed'):
        motion = HybridMotion(tree)

        def from_base_axes(frame: Frame, wrench: ScalarArray) -> ScalarArray:
            rotation = tree.poses[frame.body][:3, :3] @ frame.pose[:3, :3]
            turned = body_from_hybrid(wrench, rotation, motion.twists[frame.body, :, :3])
            if representation == 'mixed':  # the torque is in the axes of the frame already
                turned = np.concatenate((wrench[:, :3], turned[:, 3:]), axis=1)
            return turned @ adjoint_inverse(frame.pose)

        return from_base_axes
    twists, _ = twist_and_column_jets(tree)
    if representation == 'spatial':
        return lambda frame, wrench: body_from_spatial(
            wrench, tree.poses[frame.body], twists[frame.body]
        )
    if not isinstance(representation, str) or representation not in tree.model.frames:
        expected = ', '.join(map(repr, REPRESENTATIONS))
        raise InputError(
            f'wrench_representation: expected {expected} or the name of a frame, '
            f'got {shown(representation)}'
        )
    other = tree.model.frames[representation]
    pose, moved = other.pose, np.zeros((len(tree.jet), 6), tree.dtype)
    if other.body >= 0:
        pose = tree.poses[other.body] @ other.pose
        moved = twist_jets(tree)[other.body] @ adjoint_inverse(other.pose).T
    return lambda frame, wrench: body_from_spatial(
        spatial_from_body(wrench, pose, moved), tree.poses[frame.body], twists[frame.body]
    )
