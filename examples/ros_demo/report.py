# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Report of the demo: numbers from a recording and from service responses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ros_demo.processes import DemoError
from ros_demo.recording import Recording, TickTimes
from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.model import ScrewModel
from screw_dynamics.theory.inverse_dynamics.body_fixed import recursive_body_fixed

if TYPE_CHECKING:
    from ros_demo.client import DemoClient

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


EFFORT_UNITS = ('N m', 'N m/s', 'N m/s^2')
EFFORT_SYMBOLS = ('tau', "tau'", "tau''")
LABEL_WIDTH = 10


@dataclass(frozen=True)
class Timing:
    """
    Mean rate [Hz], missed ticks and longest gap [s] of a recording, from the trajectory's start.

    `missed` is the number of ticks at the nominal rate minus that of samples, so that a late tick
    is not missed. The first gap begins at the start of the trajectory.
    """

    rate: float
    missed: int
    longest_gap: float


def timing(recording: Recording, nominal_rate: float) -> Timing:
    """Return the timing of the published efforts for a `nominal_rate` [Hz]."""
    gaps, start = np.diff(recording.time), max(0.0, recording.time[0])
    return Timing(
        rate=float(len(gaps) / gaps.sum()),
        # the first tick comes within one period
        missed=int(start * nominal_rate) + max(0, round(gaps.sum() * nominal_rate) - len(gaps)),
        longest_gap=float(max(start, gaps.max())),
    )


def compute_times(model: ScrewModel, recording: Recording) -> Array:
    """Measure one call of `inverse_dynamics` per recorded sample in this process, (T,) [s]."""
    jets = np.ascontiguousarray(recording.joint_jet[:, : recording.effort_jet.shape[1] + 2])
    out = np.empty_like(recording.effort_jet[0])
    inverse_dynamics(model, jets[0], out=out)  # the first call loads the kernels
    times = np.empty(len(jets))
    for i, jet in enumerate(jets):
        start = time.perf_counter()
        inverse_dynamics(model, jet, out=out)
        times[i] = time.perf_counter() - start
    return times


def peak_table(recording: Recording) -> Iterator[str]:
    """Yield the lines of a table of the largest efforts and derivatives of each joint."""
    orders = recording.effort_jet.shape[1]
    width = max(LABEL_WIDTH, *map(len, recording.joint_names))
    yield ' ' * width + ''.join(f'{"max |" + s + "|":>14}' for s in EFFORT_SYMBOLS[:orders])
    yield 'joint'.ljust(width) + ''.join(f'{"[" + u + "]":>14}' for u in EFFORT_UNITS[:orders])
    peaks = np.abs(recording.effort_jet).max(axis=0).T
    for name, row in zip(recording.joint_names, peaks, strict=True):
        yield name.ljust(width) + ''.join(f'{value:14.3f}' for value in row)


def report(
    robot: str,
    model: ScrewModel,
    recording: Recording,
    check: Recomputation,
    rate: float,
    tick_times: TickTimes | None,
) -> Iterator[str]:
    """
    Yield the lines of the report on a recording.

    `check` is the recomputation of its efforts, `rate` the nominal rate of publication [Hz].
    """
    yield (
        f'{robot}: {model.n} joints, {len(recording.waypoint_times)} waypoints in '
        f'{recording.waypoint_times[-1]:g} s'
    )
    yield ''
    yield from peak_table(recording)
    yield 'difference' + ''.join(f'{value:14.1e}' for value in check.differences)
    yield (
        '(largest difference between what was published and the body-fixed recursion of KM2021, '
        f'at {check.count} samples)'
    )
    yield ''
    published = timing(recording, rate)
    yield (
        f'Rate                 {published.rate:.2f} Hz of {rate:g} Hz: {len(recording.time)} '
        f'samples, {published.missed} missed ticks, longest gap '
        f'{1e3 * published.longest_gap:.2f} ms'
    )
    median, late = np.percentile(compute_times(model, recording), (50, 99))
    yield (
        f"Compute time         tau, tau', tau'' of one sample: median {1e6 * median:.1f} us, "
        f'99 % below {1e6 * late:.1f} us'
    )
    if tick_times is not None:
        yield (
            f'Tick in the node     sample, compute, publish: mean {1e6 * tick_times.mean:.0f} us, '
            f'longest {1e6 * tick_times.longest:.0f} us'
        )


def check_services(client: DemoClient, model: ScrewModel, joint_jet: Array) -> Iterator[str]:
    """
    Call GetMassMatrix and GetInverseDynamics, and yield a report line for each.

    `joint_jet` (5, n) is position to snap [rad, per s^d]. Raises `DemoError` if a service reports
    an error or a different joint order.
    """
    began = time.perf_counter()
    response = _accepted(client.mass_matrix(joint_jet[0]), model)
    took = time.perf_counter() - began
    mass_matrix = np.reshape(response.mass_matrix, (model.n, model.n))
    difference = np.abs(mass_matrix - _mass_matrix(model, joint_jet[0])).max()
    smallest = np.linalg.eigvalsh(mass_matrix)[0]
    yield (
        f'GetMassMatrix        {1e3 * took:.1f} ms, {model.n} x {model.n}, smallest eigenvalue '
        f'{smallest:.2g}, difference {difference:.1e} kg m^2'
    )
    began = time.perf_counter()
    response = _accepted(client.inverse_dynamics(joint_jet), model)
    took = time.perf_counter() - began
    efforts = np.array([response.effort, response.effort_dot, response.effort_ddot])
    differences = np.abs(efforts - recursive_body_fixed(model, joint_jet)).max(axis=1)
    yield (
        f'GetInverseDynamics   {1e3 * took:.1f} ms, difference {differences[0]:.1e} N m, '
        f'{differences[1]:.1e} N m/s, {differences[2]:.1e} N m/s^2'
    )


def _accepted(response: Any, model: ScrewModel) -> Any:
    name = type(response).__name__.removesuffix('_Response')
    if not response.success:
        raise DemoError(f'{name} refused: {response.message}')
    if tuple(response.joint_names) != model.joint_names:
        raise DemoError(
            f'{name}: expected the joints {model.joint_names}, got {tuple(response.joint_names)}'
        )
    return response


def _mass_matrix(model: ScrewModel, q: Array) -> Array:
    """Return M(q) from columns: efforts at unit accelerations minus efforts at rest."""
    jets = np.zeros((model.n + 1, 3, model.n))
    jets[:, 0] = q
    jets[1:, 2] = np.eye(model.n)
    efforts = recursive_body_fixed(model, jets)[:, 0]
    columns: Array = efforts[1:] - efforts[0]
    return columns
