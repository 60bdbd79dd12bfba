# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Frames on the joint axes, and the tables of a model for the kernels of a tree.

The joint frame of body i has its origin on the axis of screw X_i and z along it. In base-link
axes and referred to this origin, the joint screw is then ``(rotation e; translation e)``, where e
is the third column of the rotation matrix and (rotation, translation) is (1, 0) for a revolute
joint, (1, h) for a helical one, (0, 1) for a prismatic one.

In the parameters of `kernels.bodies`, the remaining freedom (the angle of the frame about z)
is used to make the constant rotation between parent and child frame ``Rz(beta) Rx(alpha)``, with
beta = 0 for the first child of a rotating joint (as in modified Denavit-Hartenberg parameters, but
for trees). This needs a third of the multiplications of a full rotation matrix.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies import tables as columns
from screw_dynamics.kernels.frames.pose_and_jacobian import frame_parameters
from screw_dynamics.lie import (
    inertia_parameters,
    inverse_pose,
    pose,
    pose_on_axis,
    rotation_and_translation_rate,
    screw_type,
    second_moment,
    transform_inertia,
)
from screw_dynamics.model.records import REPRESENTATIONS, ModelRecord, Representation


class FramePath(NamedTuple):
    """The bodies from the base to a frame, and its pose (4, 4) in the last joint frame or base."""

    bodies: NDArray[np.int64]
    pose: Array


@dataclass(frozen=True, eq=False)
class JointFrames:
    """
    Tables of a model in frames on the joint axes.

    `tree` (N, 2) and `bodies` (N, 26) have the columns of `kernels.bodies.tables`, `poses`
    (N, 4, 4) are the joint frames in the frames of their bodies, `paths` lead to the frames of the
    model by name.
    """

    tree: NDArray[np.int64]
    bodies: Array
    poses: Array
    paths: Mapping[str, FramePath]


class FrameTables(dict[str | tuple[str, Representation], Array]):
    """
    Parameters of `pose_and_jacobian`, made at first use.

    They are found by frame and representation, and those of the pose, which has none, by frame.
    """

    def __init__(self, frames: JointFrames, n: int) -> None:
        super().__init__()
        self._frames, self._n = frames, n

    def __missing__(self, key: str | tuple[str, Representation]) -> Array:
        """Compute the parameters of a frame; raise KeyError or ValueError for unknown ones."""
        tables = self._frames
        name, representation = key if isinstance(key, tuple) else (key, 'body')
        path, number = tables.paths[name], REPRESENTATIONS.index(representation)
        parameters = frame_parameters(
            tables.tree, tables.bodies, path.bodies, path.pose, self._n, number
        )
        self[key] = parameters
        return parameters


def joint_frames(model: ModelRecord) -> JointFrames:
    """Compute the joint frames of a model."""
    poses = axis_poses(model)
    tree = np.column_stack([model.parents, model.coordinates]).astype(np.int64)
    bodies = np.empty((model.body_count, columns.COLUMNS))
    for i, row in enumerate(bodies):
        parent = int(model.parents[i])
        home = model.home_poses[i] @ poses[i]
        if parent >= 0:
            home = inverse_pose(poses[parent]) @ home
        row[columns.HOME_ROTATION : columns.HOME_ROTATION + 9] = home[:3, :3].ravel()
        row[columns.HOME_POSITION : columns.HOME_POSITION + 3] = home[:3, 3]
        rates = rotation_and_translation_rate(model.screws[i])
        row[columns.ROTATION], row[columns.TRANSLATION] = rates
    set_mimic_and_inertia(model, poses, bodies)
    return JointFrames(tree, bodies, poses, _frame_paths(model, poses))


def axis_poses(model: ModelRecord) -> Array:
    """Return a frame on each joint axis with z along it, in the frame of its body, (N, 4, 4)."""
    poses = [pose_on_axis(screw) for screw in model.screws]
    return np.array(poses).reshape(model.body_count, 4, 4)


def set_mimic_and_inertia(model: ModelRecord, poses: Array, rows: Array) -> None:
    """Set the mimic relations and inertias, in the frames `poses`, in the table (N, 26)."""
    rows[:, columns.MULTIPLIER], rows[:, columns.OFFSET] = model.multipliers, model.offsets
    for i, row in enumerate(rows):
        inertia = transform_inertia(model.inertias[i], inverse_pose(poses[i]))
        row[columns.MASS], first_moment, rotational = inertia_parameters(inertia)
        row[columns.FIRST_MOMENT : columns.FIRST_MOMENT + 3] = first_moment
        row[columns.SECOND_MOMENT : columns.SECOND_MOMENT + 6] = second_moment(rotational)


def _frame_paths(model: ModelRecord, poses: Array) -> Mapping[str, FramePath]:
    """Return the path to every frame of a model."""
    bodies: dict[int, NDArray[np.int64]] = {-1: np.empty(0, dtype=np.int64)}
    for i, parent in enumerate(model.parents.tolist()):
        bodies[i] = np.append(bodies[parent], i)
    paths = {}
    for name, frame in model.frames.items():
        local = inverse_pose(poses[frame.body]) @ frame.pose if frame.body >= 0 else frame.pose
        paths[name] = FramePath(bodies[frame.body], local)
    return MappingProxyType(paths)


_KINDS = {'revolute': layout.REVOLUTE, 'prismatic': layout.PRISMATIC, 'helical': layout.HELICAL}

# Axes with a smaller sine are parallel; the direction of the tilt would be rounding noise.
_PARALLEL = 2e-16


@dataclass(frozen=True, eq=False)
class KernelTables:
    """
    What kernels of one state and of batches read of a model.

    `parameters` (3 + 26 N,) are those of `kernels.bodies`, and `poses` (N, 4, 4) its joint frames
    in the frames of their bodies; in `with_base` (29 + 26 N,) the base is the first body of the
    tree. `tree_parameters` are None if a joint mimics another. `frames` are the parameters by
    frame and representation. `square` is (n, n), `jacobian` (6, n),
    `partials` (1, 3, n, n) and `regressor` (1, n, 10 N), the shapes of results.
    """

    parameters: Array
    poses: Array
    with_base: Array
    tree_parameters: Array | None
    frames: FrameTables
    square: tuple[int, int]
    jacobian: tuple[int, int]
    partials: tuple[int, int, int, int]
    regressor: tuple[int, int, int]

    def with_frames(self, frames: Iterable[tuple[int, Array]]) -> Array:
        """Return the parameters and frames, each a body and a pose (4, 4) in it."""
        rows = [
            [float(body), *(inverse_pose(self.poses[body]) @ given)[:3].ravel()]
            for body, given in frames
        ]
        parameters = np.concatenate([self.parameters, np.array(rows).ravel()])
        parameters[layout.WRENCH_COUNT] = len(rows)
        return parameters

    @cached_property
    def with_bodies(self) -> Array:
        """The parameters and the frames of all bodies, as `kernels.bodies.regressor` has them."""
        return self.with_frames((i, np.eye(4)) for i in range(len(self.poses)))


def kernel_tables(model: ModelRecord, frames: JointFrames) -> KernelTables:
    """Compute the tables of a model with its joint frames."""
    count = model.body_count
    parameters = np.zeros(layout.HEADER + layout.ROW * count)
    parameters[: layout.HEADER] = count, model.n, 0
    rows = parameters[layout.HEADER :].reshape(count, layout.ROW)
    poses = axis_poses(model)
    has_child = [False] * count

    for i in range(count):
        parent = int(model.parents[i])
        before = np.eye(4) if parent < 0 else inverse_pose(poses[parent])
        step = before @ model.home_poses[i] @ poses[i]
        cos_alpha, sin_alpha, cos_beta, sin_beta = _tilt(step[:3, :3])
        untilt = _rx(cos_alpha, sin_alpha).T @ _rz(cos_beta, sin_beta).T
        gamma = untilt @ step[:3, :3]
        poses[i] = poses[i] @ pose(gamma.T, np.zeros(3))
        rows[i, layout.COS_GAMMA] = 1.0
        _, rows[i, layout.PITCH] = rotation_and_translation_rate(model.screws[i])
        if parent < 0:
            rows[i, layout.ORIGIN : layout.ORIGIN + 3] = untilt @ -model.gravity
        else:
            origin = step[:3, 3]
            if not has_child[parent] and rows[parent, layout.KIND] != layout.PRISMATIC:
                # rotate the parent's frame by beta. Adding beta to the joint angle instead would
                # lose digits of large angles
                turn = _rz(cos_beta, sin_beta)
                poses[parent] = poses[parent] @ pose(turn, np.zeros(3))
                rows[parent, layout.COS_GAMMA], rows[parent, layout.SIN_GAMMA] = cos_beta, sin_beta
                origin = turn.T @ origin
                cos_beta, sin_beta = 1.0, 0.0
            has_child[parent] = True
            rows[i, layout.ORIGIN : layout.ORIGIN + 3] = origin
        rows[i, layout.COS_ALPHA : layout.SIN_BETA + 1] = cos_alpha, sin_alpha, cos_beta, sin_beta
        rows[i, layout.PARENT], rows[i, layout.COORDINATE] = parent, model.coordinates[i]
        rows[i, layout.KIND] = _KINDS[screw_type(model.screws[i])]
        rows[i, layout.HAS_BETA] = (cos_beta, sin_beta) != (1.0, 0.0)

    set_mimic_and_inertia(model, poses, rows)
    n = model.n
    own = count == n and bool((model.multipliers == 1.0).all())
    return KernelTables(
        parameters, poses, _with_base(parameters, model, poses), parameters if own else None,
        FrameTables(frames, n), (n, n), (6, n), (1, 3, n, n), (1, n, 10 * count),
    )  # fmt: skip


def _with_base(parameters: Array, model: ModelRecord, poses: Array) -> Array:
    """Return parameters with the base, which does not move, as the body that carries the roots."""
    result = np.insert(parameters, layout.HEADER, np.zeros(layout.ROW))
    result[layout.BODY_COUNT] += 1
    rows = result[layout.HEADER :].reshape(-1, layout.ROW)
    rows[:, layout.PARENT] += 1.0
    base = rows[0]
    base[layout.PARENT], base[layout.KIND] = -1, layout.PRISMATIC
    base[[layout.COS_ALPHA, layout.COS_BETA, layout.COS_GAMMA]] = 1.0
    base[layout.ORIGIN : layout.ORIGIN + 3] = -model.gravity
    for i in np.flatnonzero(model.parents < 0):
        origin = (model.home_poses[i] @ poses[i])[:3, 3]
        rows[i + 1, layout.ORIGIN : layout.ORIGIN + 3] = origin
    return result


def _tilt(rotation: Array) -> tuple[float, float, float, float]:
    """Return cos and sin of alpha and beta in R = Rz(beta) Rx(alpha) Rz(gamma)."""
    x, y, z = rotation[:, 2]
    sine = float(np.hypot(x, y))
    if sine <= _PARALLEL:
        return float(np.sign(z)), 0.0, 1.0, 0.0
    norm = float(np.hypot(sine, z))
    return float(z) / norm, sine / norm, float(-y) / sine, float(x) / sine


def _rx(c: float, s: float) -> Array:
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def _rz(c: float, s: float) -> Array:
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
