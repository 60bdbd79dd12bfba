# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Recording`: measured joint positions and efforts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, require_finite
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError
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
        [s].
    positions : (T, n) array_like
        [rad or m].
    efforts : (T, n) array_like
        Of the joints, behind gears [N m or N].

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> t = np.linspace(0.0, 1.0, 101)
    >>> recording = Recording(['joint_1'], t, np.sin(t)[:, None], np.zeros((101, 1)))
    >>> recording.between(0.2, 0.5).times.shape
    (31,)
    """

    joint_names: tuple[str, ...]
    times: Array
    positions: Array
    efforts: Array

    def __init__(
        self, joint_names: ArrayLike, times: ArrayLike, positions: ArrayLike, efforts: ArrayLike
    ) -> None:
        """Check the shapes and the values."""
        names = tuple(str(name) for name in np.asarray(joint_names).ravel())
        if repeated := [name for i, name in enumerate(names) if name in names[:i]]:
            raise InputError(f'joint_names: joint {repeated[0]!r} is named twice')
        instants = require_finite('times', as_float_array('times', times))
        if instants.ndim != 1:
            raise ShapeError('times', '(T,)', instants.shape)
        shape = len(instants), len(names)
        columns: dict[str, Array] = {}
        for name, value in (('positions', positions), ('efforts', efforts)):
            array = require_finite(name, as_float_array(name, value))
            if array.shape != shape:
                raise ShapeError(name, f'{shape}: a row per time, a column per joint', array.shape)
            columns[name] = array
        for name, field in {'joint_names': names, 'times': instants, **columns}.items():
            object.__setattr__(self, name, field)

    def between(self, start: float, end: float) -> Recording:
        """
        Return the samples from `start` to `end`.

        Parameters
        ----------
        start, end : float
            [s].
        """
        kept = (self.times >= start) & (self.times <= end)
        return Recording(
            self.joint_names, self.times[kept], self.positions[kept], self.efforts[kept]
        )

    def of(self, model: ScrewModel) -> Recording:
        """Return the columns of the coordinates of a model, in its order."""
        for name in model.joint_names:
            if name not in self.joint_names:
                raise UnknownNameError('joint', name, self.joint_names, 'recording')
        columns = [self.joint_names.index(name) for name in model.joint_names]
        return Recording(
            model.joint_names, self.times, self.positions[:, columns], self.efforts[:, columns]
        )
