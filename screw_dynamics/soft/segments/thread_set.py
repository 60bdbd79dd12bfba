# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ThreadSet`: tensions of the threads of a robot along a motion, for control loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.soft.segments.thread_jets import ThreadJets
from screw_dynamics.soft.soft_robot import SoftRobot

# of the lengths of the columns: decides among tensions with equal efforts, changes them by 1e-10
_REGULARISATION = 1e-5


@dataclass(frozen=True)
class ThreadSpec:
    """A thread: offsets (x, y) [m] by segment, and the range of its tension [N]."""

    name: str
    offsets: dict[str, tuple[float, float]]
    least: float = 0.0
    most: float = np.inf


class ThreadSet:
    """
    The threads of a hybrid robot, and the tensions by which they realise efforts.

    Tensions are the least-norm ones, of at least their lower limits, with the least error of the
    efforts of the soft coordinates; efforts of joints before the segments are left to motors.

    Parameters
    ----------
    robot : SoftRobot
    first : int
        Number of coordinates before the segments.
    specs : sequence of ThreadSpec

    Raises
    ------
    InputError, UnknownNameError
        If a thread passes what is not a soft body.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> robot = sd.soft.append_segments(arm, sd.share_path('config/soft_finger.yaml'))
    >>> robot.threads.names
    ('thread_1', 'thread_2', 'thread_3', 'thread_4')
    >>> jet = np.zeros((5, 4))
    >>> tensions, _ = robot.threads.tensions(jet, np.array([[0.0, 0.0, 0.016, -0.008]]))
    >>> tensions[0].round(6)
    array([3., 1., 1., 2.])
    """

    def __init__(self, robot: SoftRobot, first: int, specs: Sequence[ThreadSpec]) -> None:
        # nodes without threads, which start faster without SciPy, import this module too
        from scipy.optimize import nnls

        self._nnls = nnls
        self.names = tuple(spec.name for spec in specs)
        self.least = np.array([spec.least for spec in specs])
        self.most = np.array([spec.most for spec in specs])
        self._threads = tuple(ThreadJets(robot, spec.offsets) for spec in specs)
        self._first = first
        self.size, count = robot.n - self._first, len(specs)
        self._constant: Array | None = None
        if all(thread.constant for thread in self._threads):
            self._constant = self._jets(np.zeros((1, robot.n)))[0]
        self._system = np.zeros((self.size + count, count))
        self._right = np.zeros(self.size + count)

    def _jets(self, jet: Array) -> Array:
        """Return A and derivatives (K + 1, n_soft, m) along a motion (K + 1, n)."""
        columns = [thread.effort_jet(jet)[:, self._first :] for thread in self._threads]
        return np.stack(columns, axis=-1)

    def matrices(self, joint_jet: Array, rows: int) -> Array:
        """Return A and its time derivatives (rows, n_soft, m), columns ``-dl/dq``."""
        if self._constant is None:
            return self._jets(joint_jet[:rows])
        result = np.zeros((rows, *self._constant.shape))
        result[0] = self._constant
        return result

    def tensions(self, joint_jet: Array, efforts: Array) -> tuple[Array, Array]:
        """
        Return tensions with derivatives (rows, m), and the errors of the efforts.

        Parameters
        ----------
        joint_jet : (rows + 2, n) ndarray
        efforts : (rows, n) ndarray
            Of `inverse_dynamics` [N m, N, per s^d].

        Returns
        -------
        tensions : (rows, m) ndarray
            [N, per s^d]; derivatives are one-sided where a thread becomes slack.
        errors : (n_soft,) ndarray
            Absolute differences of the efforts of the soft coordinates [N m or N].

        Raises
        ------
        InputError
            If a tension is above its upper limit, or the search fails.
        """
        rows = len(efforts)
        matrices = self.matrices(joint_jet, rows)
        wanted = efforts[:, self._first :].copy()
        wanted -= np.einsum('dij,j->di', matrices, self.least)
        size = self.size
        scale = _REGULARISATION * float(np.linalg.norm(matrices[0]) or 1.0)
        self._system[:size] = matrices[0]
        self._system[size:] = scale * np.eye(len(self.names))
        self._right[:size] = wanted[0]
        try:
            above, _ = self._nnls(self._system, self._right)
        except RuntimeError as error:  # its iterations have not ended
            raise InputError(f'efforts: expected tensions that nnls finds, got: {error}') from None
        pulling = above > 0.0
        result = np.zeros((rows, len(self.names)))
        result[:, pulling] = _derivatives(matrices[:, :, pulling], wanted, scale)
        errors: Array = np.abs(matrices[0] @ result[0] - wanted[0])
        result[0] += self.least
        beyond = np.flatnonzero(result[0] > self.most)
        if len(beyond):
            i = int(beyond[0])
            raise InputError(
                f'thread {self.names[i]!r}: expected a tension of at most {self.most[i]:g} N, '
                f'got {result[0, i]:.6g} N'
            )
        return result, errors


def threads_of(model: object) -> ThreadSet | None:
    """Return the threads of a hybrid robot; None for one without, and for other models."""
    threads = getattr(model, 'threads', None)
    return threads if isinstance(threads, ThreadSet) else None


def _derivatives(matrices: Array, wanted: Array, scale: float) -> Array:
    """Return solutions of ``(A^T A + scale^2) t = A^T w`` and derivatives, by Leibniz' rule."""
    rows, count = len(wanted), matrices.shape[2]
    solution = np.zeros((rows, count))
    if count == 0:
        return solution
    normal = np.zeros((rows, count, count))
    right = np.zeros((rows, count))
    for d in range(rows):
        for i in range(d + 1):
            turned = comb(d, i) * matrices[i].T
            normal[d] += turned @ matrices[d - i]
            right[d] += turned @ wanted[d - i]
    normal[0] += scale**2 * np.eye(count)
    for d in range(rows):
        rest = sum((comb(d, i) * normal[i] @ solution[d - i] for i in range(1, d + 1)), 0.0)
        solution[d] = np.linalg.solve(normal[0], right[d] - rest)
    return solution
