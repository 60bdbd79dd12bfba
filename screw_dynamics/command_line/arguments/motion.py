# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared arguments of commands: interpolation, sampling and evaluation of a motion."""

from __future__ import annotations

import argparse
import sys

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.reference.interpolation import INTERPOLATIONS, shifted
from screw_dynamics.scalars import positive
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints
from screw_dynamics.trajectory.sampling import even_times

ORDERS = (0, 1, 2)
_MOST_SAMPLES = 10_000_000
# Samples between two points in a limit check, fewer if their total would exceed the second number.
_WITHIN, _ALL_WITHIN = 16, 200_000
_ROUNDING = 1e-9  # of the duration
DEFAULT_RATE = 250.0


def add_motion_options(parser: argparse.ArgumentParser, rate_of: str = '') -> None:
    """
    Add --interpolation, --rate, --order and --elastic.

    `rate_of` describes the default rate in the help text if it is not a number.
    """
    group = parser.add_argument_group('motion')
    group.add_argument(
        '--interpolation',
        choices=tuple(INTERPOLATIONS),
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


def curve_through(
    waypoints: Waypoints, interpolation: str, start_jet: Array | None = None
) -> PiecewisePolynomial:
    """
    Return the curve through points, in time from start.

    It begins at time 0 in the state `start_jet` (5, n), or without one at the first point.
    `interpolation` is one of `INTERPOLATIONS`.
    """
    begin = 0.0 if start_jet is not None else float(waypoints.times[0])
    points = shifted(waypoints, slice(None), begin)
    curve = INTERPOLATIONS[interpolation].curve(points, start_jet)
    return PiecewisePolynomial(
        curve.breaks + begin, curve.coefficients, curve.end, curve.continuity
    )


def sample_times(start: float, end: float, rate: float) -> Array:
    """
    Return evenly spaced sample times (T,) from `start` to `end`, both included [s].

    Raises `InputError` if `rate` [1/s] results in too many samples.
    """
    steps = (end - start) * rate
    if not steps < _MOST_SAMPLES:
        raise InputError(
            f'--rate: expected at most {_MOST_SAMPLES} samples, {rate:g} Hz over '
            f'{end - start:g} s gives {steps:.3g}'
        )
    return even_times(start, end, rate)


def dense_times(curve: PiecewisePolynomial, rate: float) -> Array:
    """
    Return increasing sample times (T,) [s], dense enough that no peak is missed.

    They include the points, further samples between any two points, and evenly spaced samples at
    `rate` [1/s].
    """
    breaks = curve.breaks
    even = sample_times(float(breaks[0]), float(breaks[-1]), rate)
    count = min(_WITHIN, max(_ALL_WITHIN // len(breaks), 1))
    parts = np.arange(count) / count
    within = (breaks[:-1, None] + parts * np.diff(breaks)[:, None]).ravel()
    times = np.unique(np.concatenate((even, within, breaks[-1:])))
    # times that differ only by rounding would coincide when time is scaled
    distinct = np.diff(times, prepend=-np.inf) > _ROUNDING * (times[-1] - times[0])
    kept: Array = times[distinct]
    return kept


def warn_of_gaps(curve: PiecewisePolynomial, rate: float) -> None:
    """Warn on stderr if points are closer together than the sample period."""
    steps = np.diff(curve.breaks)
    if len(steps) and steps.min() * rate < 1.0:
        print(
            f'warning: --rate {rate:g}: some points are {steps.min():.3g} s apart, closer than '
            'samples: peaks between these are not seen',
            file=sys.stderr,
        )
