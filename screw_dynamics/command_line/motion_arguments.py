# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that commands share: interpolation, sampling and evaluation of a motion."""

from __future__ import annotations

import argparse
import sys

import numpy as np

from screw_dynamics.argument_types import positive
from screw_dynamics.arrays import Array
from screw_dynamics.elastic import ElasticJoints
from screw_dynamics.errors import InputError
from screw_dynamics.model import ScrewModel
from screw_dynamics.paths import expanded
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    Waypoints,
    jtc_trajectory,
    smooth_trajectory,
)

INTERPOLATIONS = ('smooth', 'jtc')
ORDERS = (0, 1, 2)
_MOST_SAMPLES = 10_000_000
# Samples that a check of limits takes at least: between two points, unless it is more in all.
_WITHIN, _ALL_WITHIN = 16, 200_000
_ROUNDING = 1e-9  # of the duration
DEFAULT_RATE = 250.0


def add_motion_options(parser: argparse.ArgumentParser, rate_of: str = '') -> None:
    """Declare --interpolation, --rate, --order and --elastic."""
    group = parser.add_argument_group('motion')
    group.add_argument(
        '--interpolation',
        choices=INTERPOLATIONS,
        default='smooth',
        help='curve through the points: four times differentiable, or that of '
        'joint_trajectory_controller, whose effort derivatives jump (default: smooth)',
    )
    default = rate_of or f'{DEFAULT_RATE:g}'
    group.add_argument(
        '--rate',
        type=positive,
        metavar='HZ',
        default=None if rate_of else DEFAULT_RATE,
        help=f'samples per second (default: {default})',
    )
    group.add_argument(
        '--order',
        type=int,
        choices=ORDERS,
        default=2,
        help='highest derivative of the efforts (default: 2)',
    )
    group.add_argument(
        '--elastic',
        metavar='YAML',
        help='springs and motors of the joints: motor positions and efforts are computed, too',
    )


def read_elastic(options: argparse.Namespace, model: ScrewModel) -> ElasticJoints | None:
    """Return the elastic joints that the options name."""
    if options.elastic is None:
        return None
    joints = ElasticJoints.from_yaml(expanded(options.elastic))
    joints.motors(model)  # built once: what does not fit is an error before the work
    return joints


def curve_through(
    waypoints: Waypoints, interpolation: str, start_jet: Array | None = None
) -> PiecewisePolynomial:
    """
    Return the curve through points; without a state to start from it begins at the first point.

    `start_jet` (5, n).
    """
    begin = 0.0 if start_jet is not None else float(waypoints.times[0])
    shifted = Waypoints(
        waypoints.joint_names,
        waypoints.times - begin,
        waypoints.positions,
        waypoints.velocities,
        waypoints.accelerations,
    )
    if interpolation == 'jtc':
        curve = jtc_trajectory(shifted, start_jet)
    else:
        curve = smooth_trajectory(shifted, start_jet, rest_at_ends=True)
    return PiecewisePolynomial(
        curve.breaks + begin, curve.coefficients, curve.end, curve.continuity
    )


def sample_times(start: float, end: float, rate: float) -> Array:
    """
    Return even sample times, and the end.

    `start`, `end` [s]; `rate` [1/s]; returns (T,) [s].
    """
    steps = (end - start) * rate
    if not steps < _MOST_SAMPLES:
        raise InputError(
            f'--rate: expected at most {_MOST_SAMPLES} samples, {rate:g} Hz over '
            f'{end - start:g} s gives {steps:.3g}'
        )
    # a rest shorter than the rounding of the times is not a sample of its own
    count = max(int(np.ceil(steps - 1e-6)), int(end > start))
    times: Array = start + np.arange(count + 1) / rate
    times[-1] = end
    return times


def dense_times(curve: PiecewisePolynomial, rate: float) -> Array:
    """
    Return sample times between which no peak hides: some between any two points, and the points.

    Returns (T,) [s].
    """
    breaks = curve.breaks
    even = sample_times(float(breaks[0]), float(breaks[-1]), rate)
    count = min(_WITHIN, max(_ALL_WITHIN // len(breaks), 1))
    parts = np.arange(count) / count
    within = (breaks[:-1, None] + parts * np.diff(breaks)[:, None]).ravel()
    times = np.unique(np.concatenate((even, within, breaks[-1:])))
    # two that differ by rounding become one when time is scaled
    distinct = np.diff(times, prepend=-np.inf) > _ROUNDING * (times[-1] - times[0])
    kept: Array = times[distinct]
    return kept


def warn_of_gaps(curve: PiecewisePolynomial, rate: float) -> None:
    """Warn on stderr where points are closer to each other than samples are."""
    steps = np.diff(curve.breaks)
    if len(steps) and steps.min() * rate < 1.0:
        print(
            f'warning: --rate {rate:g}: some points are {steps.min():.3g} s apart, closer than '
            'samples: peaks between these are not seen',
            file=sys.stderr,
        )
