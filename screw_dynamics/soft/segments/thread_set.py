# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ThreadSet`: tensions of the threads of a robot along a motion, for control loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.common.yaml_files.document import YamlEntry
from screw_dynamics.common.yaml_files.records import entry_field, read_record
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.kernels.soft.layout import OK
from screw_dynamics.kernels.soft.tensions import bounded_tensions, rod_thread
from screw_dynamics.soft.actuators.thread import Helix, Offset, Route, Thread, tangents
from screw_dynamics.soft.bodies.constant_curvature import Arc
from screw_dynamics.soft.bodies.rod import Rod
from screw_dynamics.soft.soft_robot import SoftRobot


@dataclass(frozen=True)
class ThreadSpec:
    """A thread: offset from the axis by segment, as of `Thread`, and range of its tension [N]."""

    name: str = entry_field('Name.', YamlEntry.text)
    offsets: dict[str, Offset] = entry_field(
        'By segment: offset `[x, y]` of the thread from the axis [m]; of a slanted thread '
        '`[[x, y], [x, y]]` at both ends; of a helical one `radius` [m], `turns` about z from end '
        'to end, and `angle` at its beginning from x towards y [rad], by default 0.',
        lambda node: {name: _route(entry) for name, entry in node.entries()},
    )
    least_tension: float = entry_field('Lowest tension [N]; by default 0.', YamlEntry.number, 0.0)
    most_tension: float = entry_field(
        'Highest tension [N]; by default unlimited.', YamlEntry.number, np.inf
    )

    def __post_init__(self) -> None:
        """Check the range."""
        least = require_number('least_tension', self.least_tension, infinite=True)
        most = require_number('most_tension', self.most_tension, infinite=True)
        if not least <= most or np.isinf(least):
            raise InputError(f'most_tension: expected at least {least:g} N, got {most:g}')


def _route(node: YamlEntry) -> Offset:
    """Return the route of a thread along a segment."""
    if isinstance(node.value, dict):
        return read_record(node, Helix)
    slanted = any(isinstance(item.value, list) for item in node.items())
    return node.finite_array(2, 2) if slanted else node.finite_array(2)


class ThreadJets:
    """
    What `Thread.effort_jet` returns, without series arithmetic along arcs and rods.

    Lengths parallel to the axes of arcs are linear in the coordinates; other tangents are, along
    arcs and rods. Columns are those of the coordinates from `first` on, before which the thread
    has no effect.
    """

    def __init__(self, robot: SoftRobot, offsets: Mapping[str, Offset], first: int = 0) -> None:
        whole = Thread(robot, offsets)  # checks the names and offsets
        self._first = first
        arcs: dict[str, Offset] = {}
        others: dict[str, Offset] = {}
        self._rods: list[tuple[int, tuple[Array, Array, Array]]] = []
        for index, route in whole.routes.items():
            module, name = robot.modules[index], robot.module_names[index]
            arc = isinstance(module, Arc)
            if isinstance(module, Rod) or (arc and isinstance(route, Route)):
                self._rods.append((robot.slices[index].start, tangents(module, route)))
            else:
                (arcs if arc else others)[name] = offsets[name]
        self.constant_part = Thread(robot, arcs).effort_jet(np.zeros((1, robot.n)))[0, first:]
        self._others = Thread(robot, others) if others else None
        self.constant = not self._rods and self._others is None

    def add(self, joint_jet: Array, matrices: Array, column: int, work: Array) -> None:
        """Add what varies to a column of matrices (R, n_soft, m); `work` is (3 R + 1, 3)."""
        if self._others is not None:
            matrices[:, :, column] += self._others.effort_jet(joint_jet)[:, self._first :]
        for begin, (weights, rests, slopes) in self._rods:
            row = begin - self._first
            rod_thread(joint_jet, begin, rests, slopes, weights, work, matrices, row, column)


class ThreadSet:
    """
    The threads of a hybrid robot, and the tensions by which they realise efforts.

    Tensions t between the limits of the threads minimise ``|A t - w|^2 + s^2 |t - t_least|^2``,
    w being the efforts of the soft coordinates and s 1e-5 of the norm of A. So the error of the
    efforts is the least possible one to about 1e-10 of their size, and among tensions with equal
    efforts those nearest to the lower limits are chosen. Efforts of joints before the segments are
    left to motors.

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
    >>> import numpy as np
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
        self.names = tuple(spec.name for spec in specs)
        self.least = np.array([spec.least_tension for spec in specs])
        self.most = np.array([spec.most_tension for spec in specs])
        self._threads = tuple(ThreadJets(robot, spec.offsets, first) for spec in specs)
        self._first = first
        self.size = robot.n - first
        self._constant = np.stack([thread.constant_part for thread in self._threads], axis=-1)
        self._varying = tuple(
            (column, thread) for column, thread in enumerate(self._threads) if not thread.constant
        )
        self._workspaces: dict[int, _Workspace] = {}

    def matrices(self, joint_jet: Array, rows: int) -> Array:
        """
        Return A and its time derivatives (rows, n_soft, m), columns ``-dl/dq``.

        The array is overwritten by the next call with this number of rows.
        """
        space = self._workspace(rows)
        if self._varying:
            space.matrices[0] = self._constant
            space.matrices[1:] = 0.0
            jet = np.ascontiguousarray(joint_jet, float)[:rows]
            for column, thread in self._varying:
                thread.add(jet, space.matrices, column, space.tangents)
        return space.matrices

    def _workspace(self, rows: int) -> _Workspace:
        if rows not in self._workspaces:
            self._workspaces[rows] = _Workspace(rows, self._constant)
        return self._workspaces[rows]

    def tensions(
        self, joint_jet: Array, efforts: Array, out: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array]:
        """
        Return tensions with derivatives (rows, m), and the errors of the efforts.

        Parameters
        ----------
        joint_jet : (rows + 2, n) ndarray
        efforts : (rows, n) ndarray
            Of `inverse_dynamics` [N m, N, per s^d].
        out : tuple, optional
            What an earlier call returned, to fill; then nothing is allocated for arcs and rods.

        Returns
        -------
        tensions : (rows, m) ndarray
            [N, per s^d]; derivatives of a thread at a limit are 0, one-sided where it leaves it.
        errors : (n_soft,) ndarray
            Absolute differences of the efforts of the soft coordinates [N m or N].

        Raises
        ------
        InputError
            If the efforts are not finite, or the search does not end.
        ShapeError
        """
        rows, count = len(efforts), len(self.names)
        if out is None:
            out = np.empty((rows, count)), np.empty(self.size)
        elif out[0].shape != (rows, count) or out[1].shape != (self.size,):
            raise ShapeError('out', f'({rows}, {count}), ({self.size},)', out[0].shape)
        matrices, space = self.matrices(joint_jet, rows), self._workspace(rows)
        status = bounded_tensions(
            matrices, np.ascontiguousarray(efforts, float), self._first, self.least, self.most,
            space.work, space.sets, *out,
        )  # fmt: skip
        if status != OK:
            raise InputError(f'efforts: expected finite ones with tensions, got {efforts[0]}')
        return out


class _Workspace:
    """Arrays of the kernels for a number of rows."""

    def __init__(self, rows: int, constant: Array) -> None:
        size, count = constant.shape
        self.matrices = np.zeros((rows, size, count))
        self.matrices[0] = constant
        self.tangents = np.empty((3 * rows + 1, 3))
        self.work = np.empty((2 * rows + 2, count + 2, max(count, size)))
        self.sets = np.empty(count, np.int64)
