# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FeedforwardPlan`: what `elastic_feedforward` prepares once for its buffers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.elastic.motor_table import MotorTable
from screw_dynamics.kernels.springs.commands import set_motor_commands
from screw_dynamics.kernels.springs.deflections import OK
from screw_dynamics.model import ScrewModel


class FeedforwardPlan:
    """Two kernel calls for one sample, of undamped joints without coupled rotors."""

    def __init__(self, model: ScrewModel, joints: object, table: MotorTable, rows: int) -> None:
        self._model, self._joints, self._shape = model, joints, (rows, model.n)
        shapes = table.jet_shapes(rows)
        sizes = [rows * columns for rows, columns in shapes]
        self._block = np.full(sum(sizes), np.nan)
        parts = np.split(self._block, np.cumsum(sizes[:-1]))
        self.jets = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
        self._efforts = self.jets[0]
        efforts, *motors = (jet[np.newaxis] for jet in self.jets)
        self._arguments = efforts, *table.blocks, *motors
        self._kernel: Callable[..., int] | None = None

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        """Return None for pickle and deep copies, whose buffers have memory of their own."""
        return type(None), ()

    def run(self, model: ScrewModel, joints: object, jet: Array) -> bool:
        """Fill the buffers; return False if the checked way has to decide or to raise."""
        if model is not self._model or joints is not self._joints or jet.shape != self._shape:
            return False
        if np.may_share_memory(jet, self._block):
            return False
        kernel = self._kernel
        if kernel is None:
            kernel = set_motor_commands.compile()
            if set_motor_commands.compiled() is not None:
                self._kernel = kernel
        inverse_dynamics(model, jet, None, self._efforts)
        try:
            return kernel(jet[np.newaxis], *self._arguments) == OK
        except TypeError:
            return False  # not an array for the kernel


def fill_commands(table: MotorTable, jet: Array, efforts: Array, *motors: Array) -> bool:
    """
    Fill the commands of undamped joints with constant stiffness, from the efforts of the links.

    `motors` are the jets of deflections, motor positions and motor efforts. Return False if that
    fails; the efforts, else the transmitted ones, are then undefined.
    """
    arrays = (jet, efforts, *motors)
    if jet.ndim == 2:
        arrays = tuple(array[np.newaxis] for array in arrays)
    return bool(set_motor_commands(*arrays[:2], *table.blocks, *arrays[2:]) == OK)
