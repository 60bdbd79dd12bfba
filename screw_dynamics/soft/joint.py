# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Joint`: revolute, prismatic and fixed joints of a soft-rigid chain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import as_vector
from screw_dynamics.errors import InputError, shown
from screw_dynamics.lie import skew
from screw_dynamics.soft.kernel_table import TableBuilder
from screw_dynamics.soft.module import Module, as_pose

KINDS = ('revolute', 'prismatic', 'fixed')


class Joint(Module):
    """
    A joint: ``T = pose exp(axis q)``.

    Parameters
    ----------
    kind : {'revolute', 'prismatic', 'fixed'}
    axis : (3,) array_like
        Axis through the origin of the distal frame, in its axes; normalised.
    pose : (4, 4) array_like
        Home pose of the distal frame in the distal frame of the module before.
    name : str, optional

    Raises
    ------
    InputError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> sd.soft.Joint('revolute', axis=(0, 1, 0)).n
    1
    """

    def __init__(
        self,
        kind: str,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        pose: ArrayLike | None = None,
        *,
        name: str | None = None,
    ) -> None:
        if kind not in KINDS:
            raise InputError(f'kind: expected one of {", ".join(KINDS)}, got {shown(kind)}')
        direction = as_vector('axis', axis, 3)
        length = float(np.linalg.norm(direction))
        if length == 0.0:
            raise InputError('axis: expected a vector that is not zero, got zero')
        self.kind, self.name = kind, name
        self.axis = direction / length
        self.axis.flags.writeable = False
        self.pose = as_pose('pose', np.eye(4) if pose is None else pose)

    @property
    def n(self) -> int:
        """1, or 0 for a fixed joint."""
        return int(self.kind != 'fixed')

    def tip_pose(self, q: Any) -> tuple[Any, Any]:
        """Return rotation and origin of the distal frame."""
        home, origin = self.pose[:3, :3], self.pose[:3, 3]
        if self.kind == 'revolute':
            turn = skew(self.axis)
            rotation = np.eye(3) + np.sin(q[0]) * turn + (1.0 - np.cos(q[0])) * (turn @ turn)
            return home @ rotation, origin
        if self.kind == 'prismatic':
            return home, origin + q[0] * (home @ self.axis)
        return home, origin

    def add_to_table(self, builder: TableBuilder) -> None:
        """Add the joint to the table of the kernels."""
        builder.add_joint(self.kind, self.axis, self.pose)
