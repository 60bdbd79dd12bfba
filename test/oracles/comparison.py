# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Distance of an effort jet from the reference, order by order."""

from __future__ import annotations

import numpy as np

from oracles.high_precision import Reference
from screw_dynamics.common.arrays import Array

TOLERANCE = 1e-12

# Efforts a thousand times smaller than the loads they come from have lost three digits already:
# their error is measured against a thousandth of the loads.
CANCELLATION = 1e-3

# Efforts and loads below this [N m or N, per s^d] are zeros that 60 digits leave something of.
ZERO = 1e-45


def relative_errors(efforts: Array, reference: Reference) -> Array:
    """Return max |x - ref| / max |ref| per order; at least 1e-3 of `Reference.scale` divides."""
    error = np.abs(efforts - reference.efforts).max(axis=1, initial=0.0)
    size = np.abs(reference.efforts).max(axis=1, initial=0.0)
    size = np.maximum(size, CANCELLATION * reference.scale)
    return error / np.maximum(size, ZERO)


def assert_agrees(
    efforts: Array, reference: Reference, tolerance: float = TOLERANCE, name: str = 'efforts'
) -> None:
    """Fail, naming the orders, if the relative error exceeds the tolerance."""
    assert efforts.shape == reference.efforts.shape
    errors = relative_errors(efforts, reference)
    assert (errors <= tolerance).all(), (
        f'{name}: relative error per order {errors} exceeds {tolerance:g}\n'
        f'got {efforts.tolist()}\nreference {reference.efforts.tolist()}'
    )
