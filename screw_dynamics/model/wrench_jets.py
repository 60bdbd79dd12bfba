# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Check of external wrenches, common to both inverse dynamics."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, require_finite
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.model import ScrewModel


def as_wrench_jets(
    model: ScrewModel, wrench_jets: Mapping[str, ArrayLike] | None, shape: tuple[int, ...]
) -> dict[str, Array]:
    """
    Return external wrenches as finite arrays by frame name, {} for None.

    `shape` is that of the efforts, (k + 1, n) or (T, k + 1, n). An array is (k + 1, 6), or
    (T, k + 1, 6) with a batch of motions.
    """
    if wrench_jets is None:
        return {}
    if not isinstance(wrench_jets, Mapping):
        raise InputError(
            f'wrench_jets: expected a mapping of frame names to arrays, '
            f'got {type(wrench_jets).__name__}'
        )
    allowed = [(shape[-2], 6)] + ([(*shape[:-1], 6)] if len(shape) == 3 else [])
    arrays = {}
    for name, value in wrench_jets.items():
        model.frame(name)
        label = f'wrench_jets[{name!r}]'
        array = as_float_array(label, value)
        if array.shape not in allowed:
            raise ShapeError(label, ' or '.join(map(str, allowed)), array.shape)
        arrays[name] = require_finite(label, array)
    return arrays
