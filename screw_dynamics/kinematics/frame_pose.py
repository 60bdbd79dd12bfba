# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Pose of a named frame: the product of exponentials along its path."""

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_samples, raise_not_finite
from screw_dynamics.kernels.tree.frame_pose import frame_poses
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.screw_model import require_model


def frame_pose(model: ScrewModel, q: ArrayLike, frame: str) -> Array:
    """
    Return the pose of a frame in base-link axes, C = prod(B_i exp(X_i q_i)) F [MK2021, (3)].

    Parameters
    ----------
    model : ScrewModel
    q : (n,) or (T, n) array_like
        Coordinates [rad or m]; limits are not enforced.
    frame : str
        A link name; the link may be attached by fixed joints.

    Returns
    -------
    (4, 4) or (T, 4, 4) ndarray
        Maps coordinates in the frame to coordinates in the frame of the base link.

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InputError

    References
    ----------
    [MK2021] A. Mueller, S. Kumar, Closed-form time derivatives of the equations of motion of
    rigid body systems, Multibody System Dynamics 53, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> slider = sd.ScrewModel.from_screws(
    ...     [-1], [np.eye(4)], [[0, 0, 0, 1, 0, 0]], [np.zeros((6, 6))]
    ... )
    >>> sd.frame_pose(slider, [0.5], 'body_1')[:3, 3]
    array([0.5, 0. , 0. ])

    """
    frames = require_model(model).joint_frames
    model.frame(frame)  # raises the error of an unknown name
    path, local = frames.paths[frame]
    samples, single = as_samples('q', q, model.n)
    poses = np.empty((len(samples), 4, 4))
    if not frame_poses(samples, frames.tree, frames.bodies, path, local, poses):
        raise_not_finite(poses, single, q=q)
    return poses[0] if single else poses
