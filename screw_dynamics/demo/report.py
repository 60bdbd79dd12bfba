# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The report of the demo: numbers from a recording, checked by an independent computation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.demo.recording import Recording
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.dynamics.recursive_body_fixed import recursive_body_fixed
from screw_dynamics.model import ScrewModel

EFFORT_UNITS = ('N m', 'N m/s', 'N m/s^2')
EFFORT_SYMBOLS = ('tau', "tau'", "tau''")
LABEL_WIDTH = 10


@dataclass(frozen=True)
class Timing:
    """
    When samples were published.

    Parameters
    ----------
    rate : float
        Mean over the recording [Hz].
    missed : int
        Ticks of the nominal rate for which there is no sample.
    longest_gap : float
        Between samples in a row [s].

    """

    rate: float
    missed: int
    longest_gap: float


def timing(recording: Recording, nominal_rate: float) -> Timing:
    """
    Return how regularly the efforts were published.

    Parameters
    ----------
    recording : Recording
    nominal_rate : float
        [Hz].

    Returns
    -------
    Timing

    """
    gaps = np.diff(recording.time)
    return Timing(
        rate=float(len(gaps) / gaps.sum()),
        missed=int(np.maximum(np.rint(gaps * nominal_rate) - 1.0, 0.0).sum()),
        longest_gap=float(gaps.max()),
    )


def recomputation_errors(
    model: ScrewModel, recording: Recording, stride: int, advance: Callable[[int], object]
) -> Array:
    """
    Recompute efforts from the recorded reference by the body-fixed recursion of KM2021.

    It shares no code with the kernel that published them.

    Parameters
    ----------
    model : ScrewModel
    recording : Recording
    stride : int
        Every `stride`-th sample is recomputed.
    advance : callable
        Called with 1 after each sample, to show progress.

    Returns
    -------
    (k + 1,) ndarray
        Largest difference per derivative [N m, per s^d].

    """
    errors = np.zeros(recording.effort_jet.shape[1])
    rows = recording.effort_jet.shape[1] + 2
    for jet, published in zip(
        recording.joint_jet[::stride], recording.effort_jet[::stride], strict=True
    ):
        difference = np.abs(recursive_body_fixed(model, jet[:rows]) - published)
        errors = np.maximum(errors, difference.max(axis=1))
        advance(1)
    return errors


def compute_times(model: ScrewModel, recording: Recording) -> Array:
    """
    Return how long one call of `inverse_dynamics` takes for each recorded sample.

    Parameters
    ----------
    model : ScrewModel
    recording : Recording

    Returns
    -------
    (T,) ndarray
        [s], in this process.

    """
    jets = np.ascontiguousarray(recording.joint_jet[:, : recording.effort_jet.shape[1] + 2])
    out = np.empty_like(recording.effort_jet[0])
    inverse_dynamics(model, jets[0], out=out)  # the first call compiles
    times = np.empty(len(jets))
    for i, jet in enumerate(jets):
        start = time.perf_counter()
        inverse_dynamics(model, jet, out=out)
        times[i] = time.perf_counter() - start
    return times


def peak_table(recording: Recording) -> Iterator[str]:
    """
    Return the largest magnitudes of the efforts and their derivatives, joint by joint.

    Parameters
    ----------
    recording : Recording

    Returns
    -------
    iterator of str
        Lines of a table.

    """
    orders = recording.effort_jet.shape[1]
    width = max(LABEL_WIDTH, *map(len, recording.joint_names))
    yield ' ' * width + ''.join(f'{"max |" + s + "|":>14}' for s in EFFORT_SYMBOLS[:orders])
    yield 'joint'.ljust(width) + ''.join(f'{"[" + u + "]":>14}' for u in EFFORT_UNITS[:orders])
    peaks = np.abs(recording.effort_jet).max(axis=0).T
    for name, row in zip(recording.joint_names, peaks, strict=True):
        yield name.ljust(width) + ''.join(f'{value:14.3f}' for value in row)
