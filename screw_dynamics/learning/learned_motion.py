# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LearnedMotion`: a corrected motion with the history of its runs, and its file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array, read_only_copy
from screw_dynamics.common.results import Tabular
from screw_dynamics.common.yaml_files.document import (
    YamlEntry,
    is_document,
    read_document,
    write_document,
)
from screw_dynamics.errors import ModelError, TrajectoryError
from screw_dynamics.learning.smoothed_errors import curve_through
from screw_dynamics.trajectory import PiecewisePolynomial

_KEY = 'learning'  # of the file, beside the points
_LEAD = 1.0  # s in the file before the first point: the way there from where the robot rests


@dataclass(frozen=True, eq=False)
class LearnedMotion(Tabular):
    """
    The motion to follow next, so that the links follow the wanted one, and the runs so far.

    Parameters
    ----------
    joint_names : tuple of str
    curve : PiecewisePolynomial
        The corrected motion: C4, from rest to rest, on the time axis of `wanted`, longer than it
        at both ends. If `finished`, that of the best run.
    wanted : PiecewisePolynomial
        The motion that the links shall follow.
    best : PiecewisePolynomial
        The motion that was followed in the best run.
    rms, largest : (K, n) ndarray
        Errors of the links in K runs, within the time of the wanted motion [rad or m].
    smoothing_time : float
        Errors much faster than this are not corrected [s].
    step : float
        Part of an error that a correction takes away.
    finished : bool
        Whether further runs are not expected to help.
    reason : str
        Why it is finished, or what limits the smoothing time.
    """

    joint_names: tuple[str, ...]
    curve: PiecewisePolynomial
    wanted: PiecewisePolynomial
    best: PiecewisePolynomial
    rms: Array
    largest: Array
    smoothing_time: float
    step: float
    finished: bool
    reason: str

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for name in ('rms', 'largest'):
            object.__setattr__(self, name, read_only_copy(name, getattr(self, name)))

    @property
    def best_run(self) -> int:
        """The run with the smallest rms error of all joints, counted from 0."""
        return int(np.argmin(overall(self.rms)))

    def __repr__(self) -> str:
        """Return the joints, the number of runs and the verdict."""
        state = 'finished' if self.finished else 'to be continued'
        return f'LearnedMotion({len(self.joint_names)} joints, {len(self.rms)} runs, {state})'

    def _parts(self) -> tuple[list[tuple[str, ...]], str]:
        rows: list[tuple[str, ...]] = [('run', 'rms error', 'largest error', 'of joint')]
        for k, (rms, largest) in enumerate(zip(overall(self.rms), self.largest, strict=True)):
            j = int(np.argmax(largest))
            mark = ' (best)' if k == self.best_run else ''
            rows.append((f'{k}{mark}', f'{rms:.3g}', f'{largest[j]:.3g}', self.joint_names[j]))
        next_step = f'{self.reason}: follow the motion of run {self.best_run}'
        if not self.finished:
            next_step = (
                f'the next run follows a corrected motion: step {self.step:.2g}, smoothing time '
                f'{self.smoothing_time:.3g} s ({self.reason})'
            )
        return rows, next_step

    def to_yaml(self, path: str | os.PathLike[str] | None = None) -> str:
        """
        Return the motion as a trajectory file; write it to the file `path` if one is given.

        Its points are the corrected motion, from 1 s after the start on. Its entry ``learning`` is
        what `learn_motion` needs after the next run.
        """
        shift = _LEAD - float(self.curve.breaks[0])
        wanted, learning = self.wanted, {'reason': self.reason, 'finished': self.finished}
        learning |= {'smoothing_time': self.smoothing_time, 'step': self.step}
        learning |= {name: getattr(self, name).tolist() for name in ('rms', 'largest')}
        if self.best is not wanted:
            learning['best'] = [[t, *rows] for t, *rows in _points(self.best, shift)]
        learning['wanted'] = {
            'breaks': (wanted.breaks + shift).tolist(),
            'coefficients': wanted.coefficients.tolist(),
            'end': wanted.end.tolist(),
            'continuity': wanted.continuity,
        }
        points = [
            {'time_from_start': t, 'positions': q, 'velocities': v}
            for t, q, v in _points(self.curve, shift)
        ]
        document = {'joint_names': list(self.joint_names), 'points': points, _KEY: learning}
        return write_document(document, path)

    @staticmethod
    def from_yaml(source: str | bytes | os.PathLike[str]) -> LearnedMotion:
        """
        Read the file of a learned motion; its times are those from the start of the trajectory.

        Parameters
        ----------
        source : str, bytes or path
            A path, or the document itself; text with a line break is a document.

        Raises
        ------
        TrajectoryError
            If it cannot be read, or an entry is missing or out of range.
        """
        where = 'trajectory' if is_document(source) else str(source)
        try:
            return _read(YamlEntry(read_document(source, 'trajectory'), where))
        except ModelError as error:
            raise TrajectoryError(str(error)) from None


def has_history(path: str | os.PathLike[str]) -> bool:
    """Return True if a file has the entry of a learned motion; False if it cannot be read."""
    try:
        lines = Path(path).read_text(encoding='utf-8-sig').splitlines()
    except (OSError, ValueError):  # reported when it is read as a trajectory
        return False
    return any(line.startswith(f'{_KEY}:') for line in lines)


def overall(errors: Array) -> Array:
    """Return the rms (K,) over all joints of rms errors (K, n)."""
    total: Array = np.sqrt(np.square(errors).mean(axis=1))
    return total


def _points(curve: PiecewisePolynomial, shift: float) -> list[tuple[float, Any, Any]]:
    """Return times, positions and velocities at the breaks of a curve."""
    jets = curve.jets(curve.breaks, 2)
    times = np.round(curve.breaks + shift, 9)
    return list(zip(times.tolist(), jets[:, 0].tolist(), jets[:, 1].tolist(), strict=True))


def _read(entry: YamlEntry) -> LearnedMotion:
    names = tuple(name.text() for name in entry['joint_names'].items())
    n, learning = len(names), entry[_KEY]
    points = [
        (one['time_from_start'].number(), one['positions'].array(n), one['velocities'].array(n))
        for one in entry['points'].items()
    ]
    curve, wanted = _curve(names, points), _wanted(learning['wanted'], n)
    best = wanted
    if 'best' in learning.value:
        rows = [one.items() for one in learning['best'].items()]
        best = _curve(names, [(t.number(), q.array(n), v.array(n)) for t, q, v in rows])
    rms, largest = (
        np.array([row.array(n) for row in learning[name].items()]) for name in ('rms', 'largest')
    )
    numbers = learning['smoothing_time'].number(), learning['step'].number()
    finished, reason = learning['finished'].truth(), learning['reason'].text()
    return LearnedMotion(names, curve, wanted, best, rms, largest, *numbers, finished, reason)


def _curve(
    names: tuple[str, ...], points: list[tuple[float, Array, Array]]
) -> PiecewisePolynomial:
    times, positions, velocities = (np.array(column) for column in zip(*points, strict=True))
    return curve_through(names, times, positions, velocities)


def _wanted(entry: YamlEntry, n: int) -> PiecewisePolynomial:
    segments = entry['coefficients'].items()
    degree = len(segments[0].items()) if segments else 1
    return PiecewisePolynomial(
        entry['breaks'].array(len(segments) + 1),
        np.array([segment.array(degree, n) for segment in segments]).reshape(-1, degree, n),
        entry['end'].array(n),
        int(entry['continuity'].number()),
    )
