# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Recording`: measured joint positions and efforts."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError
from screw_dynamics.estimation.identification.recording_files import fields_of_file
from screw_dynamics.model.screw_model import ScrewModel


@dataclass(frozen=True, eq=False)
class Recording:
    """
    Measured joint positions and efforts of a robot.

    Parameters
    ----------
    joint_names : sequence of str
        Of the columns of `positions` and `efforts`.
    times : (T,) array_like
        In any order; the samples are put in order [s].
    positions : (T, n) array_like
        [rad or m].
    efforts : (T, n) array_like, optional
        Of the joints, behind gears [N m or N]; of joints with a spring what it transmits.
    motor_positions : (T, n) array_like, optional
        Of motors behind springs, on the joint side of the gear; with an arbitrary constant and the
        lost motion of the gear if the encoder sits before it [rad or m].
    motor_efforts : (T, n) array_like, optional
        Of the motors, on the joint side of the gear [N m or N], or their currents; see
        `identify_drives`.
    deflections : (T, n) array_like, optional
        Of springs, from encoders on either side of them: the output of the gear minus the link, in
        the sign of `MotorFeedforward` [rad or m].

    A column of NaN says that this was not measured at the joint; `efforts` are NaN if not given.

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics import Recording
    >>> t = np.linspace(0.0, 1.0, 101)
    >>> recording = Recording(['joint_1'], t, np.sin(t)[:, None], np.zeros((101, 1)))
    >>> recording.between(0.2, 0.5).times.shape
    (31,)
    """

    joint_names: tuple[str, ...]
    times: Array
    positions: Array
    efforts: Array
    motor_positions: Array | None
    motor_efforts: Array | None
    deflections: Array | None

    def __init__(
        self,
        joint_names: ArrayLike,
        times: ArrayLike,
        positions: ArrayLike,
        efforts: ArrayLike | None = None,
        motor_positions: ArrayLike | None = None,
        motor_efforts: ArrayLike | None = None,
        deflections: ArrayLike | None = None,
    ) -> None:
        """Check the shapes and the values."""
        names = tuple(str(name) for name in np.asarray(joint_names).ravel())
        if repeated := [name for i, name in enumerate(names) if name in names[:i]]:
            raise InputError(f'joint_names: joint {repeated[0]!r} is named twice')
        instants = require_finite('times', as_float_array('times', times))
        if instants.ndim != 1:
            raise ShapeError('times', '(T,)', instants.shape)
        order = np.argsort(instants, kind='stable')
        shape = len(instants), len(names)
        columns: dict[str, Array | None] = {'efforts': np.full(shape, np.nan)}
        given = {
            'positions': positions,
            'efforts': efforts,
            'motor_positions': motor_positions,
            'motor_efforts': motor_efforts,
            'deflections': deflections,
        }
        for name, value in given.items():
            columns.setdefault(name, None)
            if value is None:
                continue
            array = as_float_array(name, value)
            if array.shape != shape:
                raise ShapeError(name, f'{shape}: a row per time, a column per joint', array.shape)
            measured = ~np.isnan(array).all(axis=0) | (name == 'positions')
            require_finite(name, array[:, measured])
            columns[name] = array[order]
        for name, field in {'joint_names': names, 'times': instants[order], **columns}.items():
            object.__setattr__(self, name, field)

    def __repr__(self) -> str:
        """Return the joints, and the number and times of the samples."""
        span = f', {self.times[0]:g} to {self.times[-1]:g} s' if len(self.times) else ''
        motors = [
            name.replace('_', ' ')
            for name in ('motor_positions', 'motor_efforts', 'deflections')
            if getattr(self, name) is not None
        ]
        names, further = ', '.join(self.joint_names), ' and '.join(motors)
        further = further and f', with {further}'
        return f'Recording({names}; {len(self.times)} samples{span}{further})'

    def between(self, start: float, end: float) -> Recording:
        """
        Return the samples from `start` to `end`.

        Parameters
        ----------
        start, end : float
            [s].
        """
        return self.samples((self.times >= start) & (self.times <= end))

    def samples(self, kept: ArrayLike) -> Recording:
        """
        Return some of the samples.

        Parameters
        ----------
        kept : (T,) array_like of bool
            In the order of `times`.
        """
        chosen = np.asarray(kept)
        if chosen.dtype != bool or chosen.shape != self.times.shape:
            raise ShapeError('kept', f'{self.times.shape} truth values', chosen.shape)
        return self._part(np.flatnonzero(chosen), np.arange(len(self.joint_names)))

    @staticmethod
    def from_file(path: str | os.PathLike[str]) -> Recording:
        """
        Read a recording from CSV, Parquet or NPZ.

        CSV and Parquet have a column ``time`` and columns ``joint.position``, ``joint.effort``,
        ``joint.motor_position``, ``joint.motor_effort`` and ``joint.deflection`` of joints, in any
        order, with units in brackets or without; empty cells are NaN. An NPZ file has arrays with
        the names of the parameters of `Recording`. Other columns and arrays are not read.

        Parameters
        ----------
        path : str or path

        Returns
        -------
        Recording

        Raises
        ------
        InputError, ShapeError, NotFiniteError

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from screw_dynamics import Recording
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / 'measured.csv'
        ...     rows = ('time,a.position [rad],a.effort', '0,0.1,2', '0.1,0.2,3')
        ...     _ = path.write_text(chr(10).join(rows))
        ...     print(Recording.from_file(path))
        Recording(a; 2 samples, 0 to 0.1 s)
        """
        return Recording(**fields_of_file(Path(path)))  # type: ignore[arg-type]

    def at(self, instants: Array) -> Recording:
        """Return the samples at other times, which increase as `times` do."""
        return replace(self, times=instants)

    def of(self, model: ScrewModel) -> Recording:
        """Return the columns of the coordinates of a model, in its order; there are samples."""
        if not len(self.times):
            raise InputError('recording: expected samples, got none')
        for name in model.joint_names:
            if name not in self.joint_names:
                raise UnknownNameError('joint', name, self.joint_names, 'recording')
        columns = np.array([self.joint_names.index(name) for name in model.joint_names], np.int64)
        return self._part(np.arange(len(self.times)), columns)

    def _part(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Recording:
        """Return some samples of some joints."""
        names = [self.joint_names[i] for i in columns]
        part = np.ix_(rows, columns)
        fields = self.efforts, self.motor_positions, self.motor_efforts, self.deflections
        given = (None if field is None else field[part] for field in fields)
        return Recording(names, self.times[rows], self.positions[part], *given)


def with_motors(recording: Recording) -> Recording:
    """Return a recording whose motors are where deflections, if measured, say."""
    if recording.deflections is None:
        return recording
    behind = recording.positions + recording.deflections
    if recording.motor_positions is not None:
        behind = np.where(np.isnan(behind), recording.motor_positions, behind)
    return replace(recording, motor_positions=behind)


def sprung(recording: Recording) -> NDArray[np.bool_]:
    """Return for every joint whether its deflection or its motor was recorded, (n,)."""
    found = np.zeros(len(recording.joint_names), dtype=bool)
    for field in (recording.motor_positions, recording.deflections):
        if field is not None:
            found |= ~np.isnan(field).any(axis=0)
    return found
