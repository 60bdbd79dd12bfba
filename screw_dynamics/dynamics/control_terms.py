# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The terms that controllers compute together, in one call."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_samples
from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.dispatch import kernel_first
from screw_dynamics.dynamics.frames import frame_jacobian, frame_pose
from screw_dynamics.dynamics.gravity_forces import gravity_forces
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.bodies.state_kernel import not_compiled
from screw_dynamics.kernels.frames.quantities import CONTROL_TERMS
from screw_dynamics.model.records import Representation
from screw_dynamics.model.robot_model import RobotModel, require_robot_model


class ControlTerms(NamedTuple):
    """
    Terms of the equations of motion, and the kinematics of a frame, of one state or of T states.

    Parameters
    ----------
    mass_matrix : (n, n) or (..., n, n) ndarray
        M [kg m^2, kg m, kg], see `mass_matrix`.
    bias_forces : (n,) or (..., n) ndarray
        C q' + Q_grav [N m or N], see `bias_forces`.
    gravity_forces : (n,) or (..., n) ndarray
        Q_grav [N m or N], see `gravity_forces`.
    frame_pose : (4, 4) or (..., 4, 4) ndarray
        Pose of the frame in base-link axes, see `frame_pose`.
    frame_jacobian : (6, n) or (..., 6, n) ndarray
        Jacobian of the frame, see `frame_jacobian`.
    """

    mass_matrix: Array
    bias_forces: Array
    gravity_forces: Array
    frame_pose: Array
    frame_jacobian: Array


@kernel_first(
    lambda: CONTROL_TERMS.compiled or not_compiled,
    'ControlTerms(empty(tables.square), empty(len(q)), empty(len(q)), empty((4, 4)), '
    'empty(tables.jacobian))',
    'tables.frames[frame, representation]',
    status='kernel({inputs}, *result, tables.parameters, {parameters})',
    kinds=False,
    ControlTerms=ControlTerms,
)
def control_terms(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    frame: str,
    representation: Representation = 'body',
    *,
    out: ControlTerms | None = None,
) -> ControlTerms:
    """
    Return mass matrix, bias and gravity forces, and pose and Jacobian of a frame, in one call.

    They are those of [MK2021, (1), (3)]. For one state they are computed by one kernel, so that
    the costs of a call arise once.

    Parameters
    ----------
    model : RobotModel
        Only for a `ScrewModel` it is one kernel.
    q, qd : (n,) or (..., n) array_like
        Coordinates and their rates [rad or m, per s].
    frame : str
        A link name; the link may be attached by fixed joints.
    representation : {'body', 'spatial', 'hybrid', 'mixed'}
        See `frame_jacobian`.
    out : ControlTerms, optional
        Terms of an earlier call, or other C-contiguous float64 arrays, to fill; must not overlap
        the arguments or each other. For one state nothing is then allocated: use this in a
        control loop.

    Returns
    -------
    ControlTerms
        `out` if given.

    Raises
    ------
    InputError
        If the representation is not one of the four, `out` is not a `ControlTerms`, or one of its
        arrays is not writable, aligned, C-contiguous float64.
    UnknownNameError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> slider = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 0, 0, 0, 1]], [np.eye(6)])
    >>> terms = sd.control_terms(slider, [0.5], [2.0], 'body_1')
    >>> terms.mass_matrix, terms.bias_forces, terms.frame_jacobian.T
    (array([[1.]]), array([9.81]), array([[0., 0., 0., 0., 0., 1.]]))
    """
    if out is not None and not isinstance(out, ControlTerms):
        raise InputError(f'out: expected ControlTerms, got {type(out).__name__}')
    positions, rates = as_samples(require_robot_model(model).n, q=q, qd=qd)
    arrays: tuple[Array | None, ...] = (None,) * 5 if out is None else out
    return ControlTerms(
        mass_matrix(model, positions, out=arrays[0]),
        bias_forces(model, positions, rates, out=arrays[1]),
        gravity_forces(model, positions, out=arrays[2]),
        frame_pose(model, positions, frame, out=arrays[3]),
        frame_jacobian(model, positions, frame, representation, out=arrays[4]),
    )
