# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`inverse_dynamics`: efforts and their time derivatives of any order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array, as_float_array, as_stack
from screw_dynamics.common.sample_threads import over_samples, require_threads
from screw_dynamics.dynamics.dispatch import by_kind
from screw_dynamics.errors import NotFiniteError, ShapeError
from screw_dynamics.kernels.taylor.compiled import batch_kernel, single_kernel
from screw_dynamics.kernels.taylor.layout import OK
from screw_dynamics.kernels.terms.term import not_compiled
from screw_dynamics.lie import inverse_pose
from screw_dynamics.model import Frame
from screw_dynamics.model.robot_model import RobotModel
from screw_dynamics.model.screw_model import ScrewModel, as_wrench_jets, require_model
from screw_dynamics.model.term_calls import output

_ARRAY, _ONE = np.ndarray, 1


@cache
def _in_c(rows: int) -> Callable[..., int]:
    """Return the kernel in C of one sample with results (rows, n)."""
    return (rows and single_kernel(rows - 1).compiled) or not_compiled


def inverse_dynamics(
    model: RobotModel,
    joint_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
    *,
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
    out : (k + 1, n) or (..., k + 1, n) ndarray, optional
        C-contiguous float64 array to fill; must not overlap `joint_jet`. For one sample without
        wrenches, nothing is then allocated: use this in a control loop.
    threads : int
        Threads that share a batch (the kernel releases the GIL).

    Returns
    -------
    (k + 1, n) or (..., k + 1, n) ndarray
        Row d is the d-th time derivative of tau [N m or N, per s^d]; `out` if given.

    Raises
    ------
    ShapeError
        If an array has the wrong shape, or `joint_jet` fewer than 3 rows.
    NotFiniteError
        If an entry (or, by overflow, a result) is NaN or infinite; the joint is named.
    UnknownNameError
        If a frame of `wrench_jets` does not exist.
    InputError
        If `out` is not writable, aligned, C-contiguous float64 or, with a batch, overlaps
        `joint_jet`, `wrench_jets` is not a mapping, an array has masked entries, or `threads` is
        not a positive integer.

    Notes
    -----
    The kernel is the Taylor recursion of `kernels.taylor`; `recursive_body_fixed` computes the
    same efforts by the published recursion of KM2021.

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
    # tests by identity: True, 1.0 and masked arrays must not reach the kernel
    if (
        type(model) is ScrewModel
        and type(joint_jet) is _ARRAY
        and wrench_jets is None
        and threads is _ONE
    ):
        try:
            tau = np.empty_like(joint_jet[2:]) if out is None else out
            if _in_c(len(tau))(joint_jet, tau, model.kernel_tables.parameters) == OK:
                return tau
        except (TypeError, IndexError):
            pass  # not arrays for the kernel: the checks below convert or reject them
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
    jet = as_float_array('joint_jet', joint_jet)
    if jet.ndim < 2 or jet.shape[-1] != model.n or jet.shape[-2] < 3:
        raise ShapeError(
            'joint_jet',
            f"(k + 3, {model.n}) or (..., k + 3, {model.n}) with k >= 0: rows q, q', q'', ...",
            jet.shape,
        )
    threads = require_threads(threads)
    shape = (*jet.shape[:-2], jet.shape[-2] - 2, model.n)
    # the kernel of one sample writes after it has read all
    out = output(out, shape, **({'joint_jet': jet} if jet.ndim > 2 else {}))
    wrenches = as_wrench_jets(model, wrench_jets, shape)
    if jet.size == 0:
        out[...] = 0.0
        return out
    if jet.ndim == 2 and not wrenches:
        kernel = single_kernel(len(out) - 1)
        status = int(kernel(jet, out, model.kernel_tables.parameters))
    else:
        status = _run_batch(model, as_stack(jet, 2), as_stack(out, 2), wrenches, threads)
    if status != OK:
        _raise_not_finite(model, jet, out)
    return out


_of_kind = by_kind('inverse_dynamics', _checked)


def _run_batch(
    model: ScrewModel, jets: Array, taus: Array, wrenches: Mapping[str, Array], threads: int
) -> int:
    parameters = model.kernel_tables.parameters
    values, bodies, poses = _wrench_arguments(model, wrenches, taus.shape)
    kernel = batch_kernel(taus.shape[1] - 1).run

    def run(part: slice) -> int:
        return int(kernel(jets[part], taus[part], parameters, values[part], bodies, poses))

    return over_samples(run, len(jets), jets[0].size * jets.shape[1], threads)


def _wrench_arguments(
    model: ScrewModel, arrays: Mapping[str, Array], shape: tuple[int, ...]
) -> tuple[Array, NDArray[np.int64], Array]:
    """Return the wrenches of a batch with efforts (T, k + 1, n) for the kernel."""
    # a wrench on the base has no effect
    moving = {name: model.frames[name] for name in arrays if model.frames[name].body >= 0}
    values = np.empty((shape[0], len(moving), shape[1], 6))
    for i, name in enumerate(moving):
        values[:, i] = as_stack(arrays[name], 2)
    return values, *carriers(model, moving.values())


def carriers(model: ScrewModel, frames: Collection[Frame]) -> tuple[NDArray[np.int64], Array]:
    """Return the bodies (m,) of frames, and the frames' poses (m, 4, 4) in the joint frames."""
    own = model.kernel_tables.poses
    poses = [inverse_pose(own[frame.body]) @ frame.pose for frame in frames]
    bodies = np.array([frame.body for frame in frames], dtype=np.int64)
    return bodies, np.array(poses).reshape(-1, 4, 4)


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
