# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`inverse_dynamics`: efforts and their time derivatives of any order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_stack
from screw_dynamics.common.sample_threads import require_threads
from screw_dynamics.dynamics.dispatch import by_kind, kernel_first
from screw_dynamics.dynamics.state_calls import as_jets, output, run_jets
from screw_dynamics.errors import InputError, NotFiniteError
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.quantities import INVERSE_DYNAMICS
from screw_dynamics.model.robot_model import RobotModel
from screw_dynamics.model.screw_model import ScrewModel, as_wrench_jets, require_model


@kernel_first(
    lambda: INVERSE_DYNAMICS.compiled,
    'empty_like(joint_jet[2:])',
    status='kernel(len(joint_jet))({inputs}, result, {parameters})',
    kinds=False,
    empty_like=np.empty_like,
)
def inverse_dynamics(
    model: RobotModel,
    joint_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
    *apart: NoReturn,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """
    Return the joint efforts of a motion and their time derivatives up to order k.

    ``tau = M(q) q'' + C(q, q') q' + g(q) - J^T W`` and its first k total time derivatives, exact
    to rounding, in O(n) per order [KM2021, (19), (20)]. Damping, friction, rotor inertia and
    limits do not enter; `actuator_efforts` adds what motors need beside.

    Parameters
    ----------
    model : RobotModel
    joint_jet : (k + 3, n) or (..., k + 3, n) array_like
        Row d is the d-th time derivative of the coordinates, from positions (d = 0) to order
        k + 2 [rad or m, per s^d], in the order of ``model.joint_names``. k >= 0.
    wrench_jets : mapping of str to (k + 1, 6) or (..., k + 1, 6) array_like, optional
        By frame name the external wrench [torque; force] ON the body, about the frame's origin
        and in its axes, and the time derivatives of these components [N m, N, per s^d]. With a
        batch of motions, (k + 1, 6) applies to every sample. The frames of a `SoftRobot` are the
        distal frames of its modules.
    *apart
        None: q, qd and qdd apart raise an error that shows how `jet` joins them.
    out, threads : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (k + 1, n) or (..., k + 1, n) ndarray
        Row d is the d-th time derivative of tau [N m or N, per s^d].

    Raises
    ------
    ShapeError, NotFiniteError
        If an entry (or, by overflow, a result) is NaN or infinite; the joint is named.
    UnknownNameError
        If a frame of `wrench_jets` does not exist.
    InputError
        If `out` is not writable, aligned, C-contiguous float64 or, with a batch, overlaps
        `joint_jet`, `wrench_jets` is not a mapping, an array has masked entries, or `threads` is
        not a positive integer.

    Notes
    -----
    The kernel is the recursion of `kernels.bodies` on Taylor coefficients; `recursive_body_fixed`
    computes the same efforts by the published recursion of KM2021.

    See Also
    --------
    actuator_efforts : With rotors, friction and parallel springs.
    elastic_feedforward : Of motors behind springs.
    forward_dynamics_jet : The way back.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> rod = sd.lie.inertia_matrix(2.0, np.array([0.0, 0, -0.5]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [rod])
    >>> jet = np.array([[np.pi / 2], [1.0], [0.0], [0.0]])
    >>> np.round(sd.inverse_dynamics(pendulum, jet), 12)
    array([[9.81],
           [0.  ]])
    """
    if apart:
        raise InputError(
            'inverse_dynamics: expected the rows of the motion as one array, '
            'sd.inverse_dynamics(model, sd.jet(q, qd, qdd)), got them apart'
        )
    return _of_kind(model, joint_jet, wrench_jets, out=out, threads=threads)


def _checked(
    model: RobotModel,
    joint_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None,
    *,
    out: Array | None,
    threads: int,
) -> Array:
    model = require_model(model)
    jet = as_jets(joint_jet, model.n, 3)
    threads = require_threads(threads)
    shape = (*jet.shape[:-2], jet.shape[-2] - 2, model.n)
    # the kernel of one sample writes after it has read all
    out = output(out, shape, **({'joint_jet': jet} if jet.ndim > 2 else {}))
    wrenches = as_wrench_jets(model, wrench_jets, shape)
    if jet.size == 0:
        out[...] = 0.0
        return out
    parameters = model.kernel_tables.parameters
    jets, efforts = jet, out
    if wrenches:
        jets, parameters = _with_wrenches(model, jet, wrenches)
        efforts = as_stack(out, 2)
    if run_jets(INVERSE_DYNAMICS, shape[-2] - 1, jets, efforts, parameters, threads) != OK:
        _raise_not_finite(model, jet, out)
    return out


_of_kind = by_kind('inverse_dynamics', _checked)


def _with_wrenches(
    model: ScrewModel, jet: Array, wrenches: Mapping[str, Array]
) -> tuple[Array, Array]:
    """Return joint jets with wrenches behind them, (T, 1, size), and the parameters."""
    # a wrench on the base has no effect
    moving = {name: model.frames[name] for name in wrenches if model.frames[name].body >= 0}
    jets = jet.reshape(-1, jet.shape[-2] * jet.shape[-1])
    shape = len(jets), jet.shape[-2] - 2, 6
    parts = [np.broadcast_to(as_stack(wrenches[name], 2), shape) for name in moving]
    rows = np.concatenate([jets, *(part.reshape(len(jets), -1) for part in parts)], axis=1)
    frames = ((frame.body, frame.pose) for frame in moving.values())
    return rows[:, np.newaxis], model.kernel_tables.with_frames(frames)


def _raise_not_finite(model: ScrewModel, jet: Array, out: Array) -> NoReturn:
    for name, array, words in (
        ('joint_jet', jet, 'derivative'),
        ('result', out, 'overflow in derivative'),
    ):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            index = tuple(int(i) for i in bad[0])
            where = f'joint {model.joint_names[index[-1]]!r}, {words} {index[-2]}'
            raise NotFiniteError(name, index, float(array[index]), where)
    raise NotFiniteError('result', (), float('nan'), 'overflow inside the recursion')
