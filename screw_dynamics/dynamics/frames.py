# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of frames, and their Jacobians."""

from __future__ import annotations

from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_choice
from screw_dynamics.dynamics.dispatch import kernel_first
from screw_dynamics.dynamics.state_calls import checked_quantity
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.frames.quantities import FRAME_JACOBIAN, FRAME_POSE
from screw_dynamics.model.records import REPRESENTATIONS, Representation
from screw_dynamics.model.robot_model import RobotModel
from screw_dynamics.model.screw_model import require_model

_OF_PINOCCHIO = {'LOCAL': 'body', 'WORLD': 'spatial', 'LOCAL_WORLD_ALIGNED': 'hybrid'}


@kernel_first(FRAME_POSE.compiled, 'empty((4, 4))', 'tables.frames[frame]')
def frame_pose(
    model: RobotModel, q: ArrayLike, frame: str, *, out: Array | None = None, threads: int = 1
) -> Array:
    """
    Return the pose of a frame in base-link axes, C = prod(B_i exp(X_i q_i)) F [MK2021, (3)].

    Parameters
    ----------
    model : RobotModel
    q : (n,) or (..., n) array_like
        Coordinates [rad or m]; limits are not enforced.
    frame : str
        A link name; the link may be attached by fixed joints. Of a SoftRobot a module, whose
        distal frame it is, ``'base'`` or ``'tip'``.
    out, threads : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (4, 4) or (..., 4, 4) ndarray
        Maps coordinates in the frame to coordinates in the frame of the base link.

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InputError

    See Also
    --------
    frame_jacobian : Of its motion.
    inverse_kinematics : The way back.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> slider = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 0, 1, 0, 0]], [np.eye(6)])
    >>> sd.frame_pose(slider, [0.5], 'body_1')[:3, 3]
    array([0.5, 0. , 0. ])
    """
    model = require_model(model)
    model.frame(frame)  # raises the error of an unknown name
    parameters = model.kernel_tables.frames[frame]
    poses = checked_quantity(FRAME_POSE, model, out, {'q': q}, threads, parameters)
    if model.n == 0:
        poses[...] = model.joint_frames.paths[frame].pose
    return poses


def representation_number(representation: str) -> int:
    """Return the number of a representation of twists in the kernels; raise InputError."""
    try:
        return REPRESENTATIONS.index(
            require_choice('representation', representation, REPRESENTATIONS)
        )
    except InputError as error:
        own = _OF_PINOCCHIO.get(str(representation).upper())
        if own is None:
            raise
        raise InputError(f"{error}: Pinocchio's {representation} is {own!r} here") from None


@kernel_first(
    FRAME_JACOBIAN.compiled, 'empty(tables.jacobian)', 'tables.frames[frame, representation]'
)
def frame_jacobian(
    model: RobotModel,
    q: ArrayLike,
    frame: str,
    representation: Representation = 'body',
    *,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """
    Return the Jacobian J with V = J q', the twist [angular; linear] of a frame.

    Parameters
    ----------
    model : RobotModel
    q : (n,) or (..., n) array_like
        Coordinates [rad or m].
    frame : str
        A link name; the link may be attached by fixed joints.
    representation : {'body', 'spatial', 'hybrid', 'mixed'}
        Axes of the twist and the point whose velocity is its linear part, with the pose C = (R, r)
        of the frame in base-link axes [M2018, sections 2-4]:

        - 'body': axes and origin of the frame, V = vee(C^-1 C') = (R^T omega; R^T r');
        - 'spatial': base-link axes, point at the base origin, V = vee(C' C^-1);
        - 'hybrid': base-link axes, origin of the frame, V = (omega; r');
        - 'mixed': angular as 'body', linear as 'hybrid', V = (R^T omega; r').
    out, threads : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (6, n) or (..., 6, n) ndarray
        Columns of joints that do not move the frame are zero. The column of a coordinate that
        other joints mimic includes theirs times their multipliers (J_red = J G).

    Raises
    ------
    UnknownNameError, ShapeError, NotFiniteError, InputError

    See Also
    --------
    frame_jacobian_jet : With time derivatives.
    frame_twist : Its product with the rates, with time derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> slider = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 0, 1, 0, 0]], [np.eye(6)])
    >>> sd.frame_jacobian(slider, [0.5], 'body_1').T
    array([[0., 0., 0., 1., 0., 0.]])
    """
    representation_number(representation)
    model = require_model(model)
    model.frame(frame)  # raises the error of an unknown name
    parameters = model.kernel_tables.frames[frame, representation]
    return checked_quantity(FRAME_JACOBIAN, model, out, {'q': q}, threads, parameters)
