# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of frames, and their Jacobians."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_samples, raise_not_finite
from screw_dynamics.errors import InputError, shown
from screw_dynamics.kernels.tree.frames import frame_jacobians, frame_poses
from screw_dynamics.model.other_models import OtherModel, function_for
from screw_dynamics.model.screw_model import ScrewModel


def frame_pose(model: ScrewModel | OtherModel, q: ArrayLike, frame: str) -> Array:
    """
    Return the pose of a frame in base-link axes, C = prod(B_i exp(X_i q_i)) F [MK2021, (3)].

    Parameters
    ----------
    model : ScrewModel or SoftRobot
    q : (n,) or (T, n) array_like
        Coordinates [rad or m]; limits are not enforced.
    frame : str
        A link name; the link may be attached by fixed joints. Of a SoftRobot a module, whose
        distal frame it is, ``'base'`` or ``'tip'``.

    Returns
    -------
    (4, 4) or (T, 4, 4) ndarray
        Maps coordinates in the frame to coordinates in the frame of the base link.

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> slider = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 0, 1, 0, 0]], [np.eye(6)])
    >>> sd.frame_pose(slider, [0.5], 'body_1')[:3, 3]
    array([0.5, 0. , 0. ])
    """
    if not isinstance(model, ScrewModel):
        other: Array = function_for('frame_pose', model)(model, q, frame)
        return other
    frames = model.joint_frames
    model.frame(frame)  # raises the error of an unknown name
    path, local = frames.paths[frame]
    samples, single = as_samples('q', q, model.n)
    poses = np.empty((len(samples), 4, 4))
    if not frame_poses(samples, frames.tree, frames.bodies, path, local, poses):
        raise_not_finite(poses, single, q=q)
    return poses[0] if single else poses


# in the order of the numbers in `kernels.tree.path_series`
REPRESENTATIONS = ('body', 'spatial', 'hybrid', 'mixed')


def representation_number(representation: str) -> int:
    """Return the number of a representation of twists in the kernels; raise InputError."""
    if not isinstance(representation, str) or representation not in REPRESENTATIONS:
        raise InputError(
            f'representation: expected one of {", ".join(REPRESENTATIONS)}, '
            f'got {shown(representation)}'
        )
    return REPRESENTATIONS.index(representation)


def frame_jacobian(
    model: ScrewModel | OtherModel, q: ArrayLike, frame: str, representation: str = 'body'
) -> Array:
    """
    Return the Jacobian J with V = J q', the twist [angular; linear] of a frame.

    Parameters
    ----------
    model : ScrewModel or SoftRobot
    q : (n,) or (T, n) array_like
        Coordinates [rad or m].
    frame : str
        A link name; the link may be attached by fixed joints.
    representation : str
        Axes of the twist and the point whose velocity is its linear part [M2018, sections 2-4]:

        - 'body': axes and origin of the frame, V = vee(C^-1 C');
        - 'spatial': base-link axes, point at the base origin, V = vee(C' C^-1);
        - 'hybrid': base-link axes, origin of the frame, V = (omega; r');
        - 'mixed': angular as 'body', linear as 'hybrid', V = (R^T omega; r').

    Returns
    -------
    (6, n) or (T, 6, n) ndarray
        Columns of joints that do not move the frame are zero. The column of a coordinate that
        other joints mimic includes theirs times their multipliers (J_red = J G).

    Raises
    ------
    InputError
        If the representation is not one of the four.
    UnknownNameError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> slider = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 0, 1, 0, 0]], [np.eye(6)])
    >>> sd.frame_jacobian(slider, [0.5], 'body_1').T
    array([[0., 0., 0., 1., 0., 0.]])
    """
    which = representation_number(representation)
    if not isinstance(model, ScrewModel):
        other: Array = function_for('frame_jacobian', model)(model, q, frame, representation)
        return other
    frames = model.joint_frames
    model.frame(frame)  # raises the error of an unknown name
    path, local = frames.paths[frame]
    samples, single = as_samples('q', q, model.n)
    jacobians = np.zeros((len(samples), 6, model.n))
    if not frame_jacobians(samples, frames.tree, frames.bodies, path, local, which, jacobians):
        raise_not_finite(jacobians, single, q=q)
    return jacobians[0] if single else jacobians
