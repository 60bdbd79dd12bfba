# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of the fields of a `ScrewModel` to read-only values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.arrays import read_only_copy
from screw_dynamics.error_texts import shown
from screw_dynamics.errors import ModelError
from screw_dynamics.model.records import Frame, JointLimits

LIMITS = ('lower', 'upper', 'velocity', 'effort')


def as_names(what: str, value: Sequence[str]) -> tuple[str, ...]:
    """Return names as a tuple; raise ModelError if they are not a sequence of strings."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ModelError(f'{what}: expected a sequence of names, got {shown(value)}')
    for i, entry in enumerate(value):
        if not isinstance(entry, str):
            raise ModelError(f'{what}[{i}]: expected a name, got {shown(entry)}')
    return tuple(value)


def as_text(what: str, value: object) -> str:
    """Return a name; raise ModelError if it is not a string."""
    if not isinstance(value, str):
        raise ModelError(f'{what}: expected a name, got {shown(value)}')
    return value


def as_indices(what: str, value: ArrayLike) -> NDArray[np.int64]:
    """Return whole numbers as a read-only array; raise ModelError for anything else."""
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.array(None)
    whole = array.dtype.kind in 'iu' or (
        array.dtype.kind == 'f' and np.isfinite(array).all() and (array % 1.0 == 0.0).all()
    )
    if not whole and (array.size or not array.ndim):
        raise ModelError(f'{what}: expected whole numbers, got {shown(value)}')
    indices = array.astype(np.int64)
    indices.flags.writeable = False
    return indices


def as_limits(value: object) -> JointLimits:
    """Return limits with read-only arrays; raise ModelError if they are not JointLimits."""
    if not isinstance(value, JointLimits):
        raise ModelError(f'limits: expected JointLimits, got {shown(value)}')
    return JointLimits(
        **{name: read_only_copy(f'limits.{name}', getattr(value, name)) for name in LIMITS}
    )


def as_frames(value: object) -> MappingProxyType[str, Frame]:
    """Return a read-only mapping of names to frames; raise ModelError for anything else."""
    if not isinstance(value, Mapping):
        raise ModelError(f'frames: expected a mapping of names to frames, got {shown(value)}')
    frames: dict[str, Frame] = {}
    for name, frame in value.items():
        where = f'frame {as_text("frames", name)!r}'
        if not isinstance(frame, Frame):
            raise ModelError(f'{where}: expected a Frame, got {shown(frame)}')
        body = int(as_indices(f'{where}: body', frame.body))
        frames[name] = Frame(body, read_only_copy(where, frame.pose))
    return MappingProxyType(frames)
