# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The terms that controllers compute together, in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.frames import frame_jacobian, frame_pose
from screw_dynamics.dynamics.gravity_forces import gravity_forces
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.state_kernel import not_compiled
from screw_dynamics.kernels.frames.quantities import CONTROL_TERMS
from screw_dynamics.model.other_models import OtherModel
from screw_dynamics.model.records import Representation
from screw_dynamics.model.screw_model import ScrewModel, require_model
from screw_dynamics.model.state_calls import samples_of

_ARRAY, _empty = np.ndarray, np.empty


class ControlTerms(NamedTuple):
    """
    Terms of the equations of motion, and the kinematics of a frame, of one state or of T states.

    Parameters
    ----------
    mass_matrix : (n, n) or (T, n, n) ndarray
        M [kg m^2, kg m, kg], see `mass_matrix`.
    bias_forces : (n,) or (T, n) ndarray
        C q' + Q_grav [N m or N], see `bias_forces`.
    gravity_forces : (n,) or (T, n) ndarray
        Q_grav [N m or N], see `gravity_forces`.
    frame_pose : (4, 4) or (T, 4, 4) ndarray
        Pose of the frame in base-link axes, see `frame_pose`.
    frame_jacobian : (6, n) or (T, 6, n) ndarray
        Jacobian of the frame, see `frame_jacobian`.
    """

    mass_matrix: Array
    bias_forces: Array
    gravity_forces: Array
    frame_pose: Array
    frame_jacobian: Array


class _Loaded:
    """The kernel of one state in C, once it is loaded."""

    kernel: Callable[..., int] = staticmethod(not_compiled)


def control_terms(
    model: ScrewModel | OtherModel,
    q: ArrayLike,
    qd: ArrayLike,
    frame: str,
    representation: Representation = 'body',
    out: ControlTerms | None = None,
) -> ControlTerms:
    """
    Return mass matrix, bias and gravity forces, and pose and Jacobian of a frame, in one call.

    They are those of [MK2021, (1), (3)]. For one state they are computed by one kernel, so that
    the costs of a call arise once.

    Parameters
    ----------
    model : ScrewModel or SoftRobot
        Only for a ScrewModel it is one kernel.
    q, qd : (n,) or (T, n) array_like
        Coordinates and their rates [rad or m, per s].
    frame : str
        A link name; the link may be attached by fixed joints.
    representation : {'body', 'spatial', 'hybrid', 'mixed'}
        'body', 'spatial', 'hybrid' or 'mixed', see `frame_jacobian`.
    out : ControlTerms, optional
        Terms of an earlier call, or other C-contiguous float64 arrays, to fill. For one state
        nothing is then allocated: use this in a control loop.

    Returns
    -------
    ControlTerms
        `out` if given.

    Raises
    ------
    InputError
        If the representation is not one of the four, `out` is not a `ControlTerms`, or one of its
        arrays is not writable, aligned, C-contiguous float64 memory of its own.
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
    if type(q) is _ARRAY and type(qd) is _ARRAY:  # not masked arrays
        try:
            if out is None:
                tables = model.joint_frame_parameters  # type: ignore[union-attr]
                n, jacobian = len(q), tables.jacobian
                terms = ControlTerms(
                    _empty(tables.square), _empty(n), _empty(n), _empty((4, 4)), _empty(jacobian)
                )
            else:
                terms = out
            if _run(model, q, qd, frame, representation, terms) == OK:
                return terms
        except (TypeError, ValueError, KeyError, AttributeError):
            pass  # not arrays for the kernel: the checks below convert or reject them
    checked = model if isinstance(model, OtherModel) else require_model(model)
    return _checked(checked, q, qd, frame, representation, out)


def _run(
    model: Any,
    q: Array,
    qd: Array,
    frame: str,
    representation: Representation,
    terms: ControlTerms,
) -> int:
    m, b, g, pose, jacobian = terms
    path = model.frame_parameters[frame, representation]
    parameters = model.joint_frame_parameters.parameters
    return _Loaded.kernel(q, qd, m, b, g, pose, jacobian, parameters, path)


def _checked(
    model: ScrewModel | OtherModel,
    q: ArrayLike,
    qd: ArrayLike,
    frame: str,
    representation: Representation,
    out: ControlTerms | None,
) -> ControlTerms:
    if out is not None and not isinstance(out, ControlTerms):
        raise InputError(f'out: expected ControlTerms, got {type(out).__name__}')
    (positions, rates), single = samples_of(model.n, {'q': q, 'qd': qd})
    if single and isinstance(model, ScrewModel) and _Loaded.kernel is not_compiled:
        _Loaded.kernel = CONTROL_TERMS.compiled or not_compiled
        if _Loaded.kernel is not not_compiled:
            return control_terms(model, positions[0], rates[0], frame, representation, out)
    if single:
        positions, rates = positions[0], rates[0]
    m, b, g, pose, jacobian = (None,) * 5 if out is None else out
    return ControlTerms(
        mass_matrix(model, positions, m),
        bias_forces(model, positions, rates, b),
        gravity_forces(model, positions, g),
        frame_pose(model, positions, frame, pose),
        frame_jacobian(model, positions, frame, representation, jacobian),
    )
