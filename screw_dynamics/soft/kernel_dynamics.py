# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of a soft robot: calls of the kernel, and errors by its status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.sample_threads import over_samples
from screw_dynamics.errors import NotFiniteError
from screw_dynamics.kernels.soft.dynamics import soft_dynamics
from screw_dynamics.kernels.soft.layout import OK
from screw_dynamics.soft.soft_robot import SoftRobot
from screw_dynamics.soft.user_module_series import module_series

_ARRAY = np.ndarray
_NO_WRENCHES, _NO_CARRIERS = np.zeros((1, 0, 0, 6)), np.zeros(0, np.int64)
_NO_SERIES, _NO_MATRICES = np.zeros((1, 0)), np.empty((1, 0, 0))
_NO_POSES, _NO_JACOBIANS = np.empty((1, 0, 4, 4)), np.empty((1, 0, 0))
_TIME = 500  # per number of a motion [ns], roughly


def efforts_at_once(robot: SoftRobot, joint_jet: object, out: Array | None) -> Array | None:
    """Return the efforts of arrays that need no conversion, None for any other arguments."""
    table = robot.kernel_table
    if type(joint_jet) is not _ARRAY or table.given_width:
        return None
    shape = joint_jet.shape
    if len(shape) != 2 or shape[1] != robot.n or shape[0] < 3:
        return None
    if out is None:
        tau = np.empty((1, shape[0] - 2, shape[1]))
    elif type(out) is not _ARRAY or out.shape != (shape[0] - 2, shape[1]):
        return None
    elif np.may_share_memory(joint_jet, out):
        return None
    else:
        tau = out[np.newaxis]
    jets = joint_jet[np.newaxis]
    try:
        if robot.ranges:
            robot.check(joint_jet[0])
        status = soft_dynamics(
            jets, table.modules, table.reals, _NO_SERIES, _NO_WRENCHES, _NO_CARRIERS, tau,
            _NO_MATRICES, _NO_POSES, 0, _NO_JACOBIANS,
        )  # fmt: skip
    except TypeError:  # another type than float64, or not contiguous
        return None
    if status != OK:
        return None
    return tau[0] if out is None else out


def run_chain(
    robot: SoftRobot,
    jets: Array,
    taus: Array | None = None,
    matrices: Array | None = None,
    poses: Array | None = None,
    frames: int = 0,
    jacobians: Array | None = None,
    threads: int = 1,
    wrenches: Mapping[int, Array] | None = None,
    given: Array | None = None,
    inertial: bool = False,
) -> None:
    """
    Fill the results of jets (T, k + 3, n), or (..., 1, n) without efforts; all are C-contiguous.

    Efforts are (T, k + 1, n), mass matrices (T, n, n), poses (T, m, 4, 4) and Jacobians (T, 6, n)
    those behind the first `frames` modules. Efforts are without gravity, elastic and damping ones
    if `inertial`. External wrenches are (T, k + 1, 6) or (k + 1, 6), by
    the number of the module at whose distal frame they act; `given` are the `own_series` if they
    are known. Raises InputError for coordinates out of range and NotFiniteError with the name of
    the coordinate.
    """
    samples, rows, n = jets.shape
    if samples == 0:
        return
    for jet in jets if robot.ranges else ():
        robot.check(jet[0])
    table = robot.inertial_table if inertial else robot.kernel_table
    if taus is None:
        taus = np.empty((samples, max(0, rows - 2), n))
    matrices = np.empty((samples, 0, 0)) if matrices is None else matrices
    poses = np.empty((samples, 0, 4, 4)) if poses is None else poses
    jacobians = np.empty((samples, 0, 0)) if jacobians is None else jacobians
    given = own_series(robot, jets, not inertial) if given is None else given
    external = wrenches or {}
    carriers = np.array(list(external), np.int64)
    loads = np.empty((samples, len(external), taus.shape[1], 6))
    for i, wrench in enumerate(external.values()):
        loads[:, i] = wrench

    def run(part: slice) -> int:
        results = taus[part], matrices[part], poses[part], frames, jacobians[part]
        inputs = jets[part], table.modules, table.reals, given[part], loads[part], carriers
        return int(soft_dynamics(*inputs, *results))

    if over_samples(run, samples, _TIME * jets.shape[1] * n, threads) != OK:
        _raise_not_finite(robot.joint_names, jets, taus)


def own_series(robot: SoftRobot, jets: Array, stress: bool = True) -> Array:
    """Return the series (T, size) of the modules that the kernels do not know."""
    table = robot.kernel_table
    if not table.given_width:
        return np.zeros((len(jets), 0))
    parts = [
        (module, own)
        for module, own, given in zip(robot.modules, robot.slices, table.given, strict=True)
        if given
    ]
    return np.array(
        [
            np.concatenate([module_series(module, jet[:, own], stress) for module, own in parts])
            for jet in jets
        ]
    )


def _raise_not_finite(names: Sequence[str], jets: Array, taus: Array) -> NoReturn:
    for name, array, words in (
        ('joint_jet', jets, 'derivative'),
        ('result', taus, 'overflow in derivative'),
    ):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            index = tuple(int(i) for i in bad[0])
            where = f'coordinate {names[index[-1]]!r}, {words} {index[-2]}'
            shown = index if len(array) > 1 else index[1:]
            raise NotFiniteError(name, shown, float(array[index]), where)
    raise NotFiniteError('result', (), float('nan'), 'overflow inside the recursion')
