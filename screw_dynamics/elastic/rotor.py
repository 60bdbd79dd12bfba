# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Rotor`: carrier link and spin axis of a motor's rotor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screw_dynamics.arrays import as_float_array
from screw_dynamics.error_texts import shown
from screw_dynamics.errors import ModelError


@dataclass(frozen=True)
class Rotor:
    """
    Carrier and axis of a rotor. Its mass and locked inertia belong to the carrier link.

    Parameters
    ----------
    axis : (3,) sequence of float, optional
        Axis about which the rotor turns by r theta, in the frame of the carrier, any length above
        0; default the joint's axis. Use the opposite axis if the gear reverses the sense.
    carrier : str, optional
        Name of the link that carries the motor; default the link before the joint.

    Examples
    --------
    >>> Rotor(axis=(0.0, 0.0, 2.0)).axis
    (0.0, 0.0, 1.0)

    """

    axis: tuple[float, float, float] | None = None
    carrier: str | None = None

    def __post_init__(self) -> None:
        """Check both fields and normalise the axis."""
        if self.axis is not None:
            axis = as_float_array('axis', self.axis)
            norm = float(np.linalg.norm(axis)) if axis.shape == (3,) else 0.0
            if not 0.0 < norm < np.inf:
                raise ModelError(
                    f'axis: expected three numbers, not all zero, got {shown(self.axis)}'
                )
            # a unit axis is kept bit for bit
            unit = axis if abs(norm - 1.0) < 1e-12 else axis / norm
            object.__setattr__(self, 'axis', tuple(unit.tolist()))
        if self.carrier is not None:
            if not isinstance(self.carrier, str):
                raise ModelError(
                    f'carrier: expected the name of a link, got {shown(self.carrier)}'
                )
            object.__setattr__(self, 'carrier', str(self.carrier))
