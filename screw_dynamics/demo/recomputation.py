# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of published efforts with the body-fixed recursion of KM2021."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.demo.processes import DemoError
from screw_dynamics.demo.recording import Recording
from screw_dynamics.model import ScrewModel
from screw_dynamics.theory.inverse_dynamics.body_fixed import recursive_body_fixed

TOLERANCE = 1e-12  # of the largest value of the same derivative


@dataclass(frozen=True, eq=False)
class Recomputation:
    """
    Largest differences between published and recomputed efforts.

    `differences` and `peaks`, the largest recomputed magnitudes, are (k + 1,), one value per
    derivative [N m or N, per s^d]. `count` is the number of recomputed samples.
    """

    differences: Array
    peaks: Array
    count: int

    def require_agreement(self) -> None:
        """Raise `DemoError` if a difference is more than a rounding error (`TOLERANCE`)."""
        for order, (difference, peak) in enumerate(zip(self.differences, self.peaks, strict=True)):
            if not difference <= TOLERANCE * peak:
                raise DemoError(
                    f'derivative {order} of the published efforts: expected to be within '
                    f'{TOLERANCE * peak:.1e} of what was recomputed, got {difference:.1e}'
                )


def recompute(
    model: ScrewModel, recording: Recording, stride: int, advance: Callable[[int], object]
) -> Recomputation:
    """
    Recompute the efforts of every `stride`-th sample from the recorded reference.

    The recursion shares no code with the kernel that published them. `advance` is called with 1
    after each sample.
    """
    published = recording.effort_jet[::stride]
    rows = published.shape[1] + 2
    expected = np.empty_like(published)
    for i, jet in enumerate(recording.joint_jet[::stride, :rows]):
        expected[i] = recursive_body_fixed(model, jet)
        advance(1)
    return Recomputation(
        differences=np.abs(expected - published).max(axis=(0, 2)),
        peaks=np.abs(expected).max(axis=(0, 2)),
        count=len(published),
    )
