# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TabulatedSpring`: a measured characteristic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array
from screw_dynamics.elastic.springs.monotone_spline import monotone_spline
from screw_dynamics.elastic.springs.spring import Spring
from screw_dynamics.error_texts import shown
from screw_dynamics.errors import InputError, ModelError
from screw_dynamics.kernels.springs.layout import TABULATED


@dataclass(frozen=True)
class TabulatedSpring(Spring):
    """
    The monotone C2 spline through a table of deflections and efforts.

    Parameters
    ----------
    deflections : sequence of float
        At least two values, strictly increasing [rad or m].
    efforts : sequence of float
        Effort at each deflection, strictly increasing [N m or N].

    Raises
    ------
    ModelError
        If the table is not strictly increasing; the error names the segment.

    Examples
    --------
    >>> spring = TabulatedSpring((-0.1, 0.0, 0.1), (-19.0, 0.0, 19.0))
    >>> round(float(spring.effort(0.05)), 12)
    9.5

    """

    deflections: Sequence[float]
    efforts: Sequence[float]
    coefficients: Array = field(init=False, repr=False, compare=False)

    type: ClassVar[str] = 'tabulated'
    code: ClassVar[int] = TABULATED

    def __post_init__(self) -> None:
        """Check the table and build the spline."""
        for name in ('deflections', 'efforts'):
            object.__setattr__(self, name, _increasing(name, getattr(self, name)))
        if len(self.deflections) != len(self.efforts):
            raise ModelError(
                f'efforts: expected {len(self.deflections)} entries, one per deflection, '
                f'got {len(self.efforts)}'
            )
        coefficients = monotone_spline(np.array(self.deflections), np.array(self.efforts))
        coefficients.flags.writeable = False
        object.__setattr__(self, 'coefficients', coefficients)

    def __reduce__(self) -> tuple[object, tuple[Sequence[float], Sequence[float]]]:
        """Return constructor and arguments, for pickle and copy."""
        return TabulatedSpring, (self.deflections, self.efforts)

    @property
    def parameters(self) -> Array:
        """Number of knots, deflections, efforts, six coefficients per segment."""
        knots = [float(len(self.deflections))]
        return np.concatenate([knots, self.deflections, self.efforts, self.coefficients.ravel()])

    def effort(self, deflection: ArrayLike) -> Array:
        """
        Return the effort that the spring transmits.

        Parameters
        ----------
        deflection : array_like
            [rad or m]

        Returns
        -------
        ndarray
            [N m or N]

        Raises
        ------
        InputError
            If a deflection lies outside the table.

        """
        phi, knots = as_float_array('deflection', deflection), np.array(self.deflections)
        outside = ~((phi >= knots[0]) & (phi <= knots[-1]))
        if outside.any():
            raise InputError(
                f'deflection: expected {knots[0]:g} to {knots[-1]:g}, the range of the table, '
                f'got {phi[outside].flat[0]:g}'
            )
        segment = np.clip(np.searchsorted(knots, phi, side='right') - 1, 0, len(knots) - 2)
        u = (phi - knots[segment]) / (knots[segment + 1] - knots[segment])
        value = np.zeros_like(phi)
        for power in range(self.coefficients.shape[1] - 1, -1, -1):
            value = value * u + self.coefficients[segment, power]
        return value


def _increasing(name: str, values: Sequence[float]) -> tuple[float, ...]:
    """Return a column of the table as floats, checked to be finite and strictly increasing."""
    column = as_float_array(name, values)
    if column.ndim != 1 or len(column) < 2 or not np.isfinite(column).all():
        raise ModelError(f'{name}: expected at least two finite numbers, got {shown(values)}')
    for i in np.flatnonzero(column[1:] <= column[:-1]):
        raise ModelError(
            f'{name}: expected strictly increasing numbers, got {column[i]:g}, '
            f'{column[i + 1]:g} in segment {i + 1}'
        )
    return tuple(column.tolist())
