# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of a measured motion (noisy joint states)."""

import argparse
import math
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.command_line import motions
from screw_dynamics.command_line.robots import effort_format
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.progress import counting
from screw_dynamics.common.text_table import text_table
from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import BagError, TrajectoryError
from screw_dynamics.estimation import MeasuredMotion, measured_motion
from screw_dynamics.estimation.recorded_samples import GapError
from screw_dynamics.model import RobotModel
from screw_dynamics.recordings.bags import BagMessage
from screw_dynamics.recordings.messages.joints import named_row
from screw_dynamics.recordings.results.evaluation import evaluate_measured
from screw_dynamics.recordings.results.results import Results
from screw_dynamics.recordings.results.results_bag import Origin
from screw_dynamics.trajectory.reference.reference import Source

_CONTINUITY = 4
# Correlation of neighbouring residuals of N samples: 0 or less for white noise, by chance up to
# a few 1/sqrt(N).
_ALIKE, _SIGNIFICANT = 0.1, 3.0
_TO_AND_FRO = -0.7
_WIDE = 5.0  # samples


class JointSamples(NamedTuple):
    """Measured positions and efforts of all joints of a model, in the order of reception."""

    stamps: NDArray[np.int64]  # (N,) [ns]
    log_times: NDArray[np.int64]  # (N,), of reception [ns]
    positions: Array  # (N, n), in model order
    efforts: Array  # (N, n), NaN where there are none
    left_out: int  # messages without all positions, or without a stamp if others have one


def joint_samples(messages: Iterable[BagMessage], model: RobotModel, where: str) -> JointSamples:
    """
    Return the positions of the model's joints from JointState messages, or raise `BagError`.

    Stamps are header stamps, or reception times if all of these are zero; their clocks may differ.
    """
    stamps, log_times, rows, efforts = [], [], [], []
    left_out = 0
    seen: set[str] = set()
    for found in messages:
        message = found.message
        seen.update(message.name)
        complete = len(message.position) == len(message.name)
        row = named_row(message.name, message.position if complete else (), model.joint_names)
        if not np.isfinite(row).all():  # drivers send NaN before the first measurement
            left_out += 1
            continue
        rows.append(row)
        with_efforts = len(message.effort) == len(message.name)
        given = message.effort if with_efforts else ()
        efforts.append(named_row(message.name, given, model.joint_names))
        stamps.append(nanoseconds(message.header.stamp))
        log_times.append(found.log_time)
    if not rows:
        missing = [joint for joint in model.joint_names if joint not in seen]
        reason = (
            f'{", ".join(missing)} are not among {", ".join(sorted(seen)) or "any"}'
            if missing
            else 'the joints never come in one message with their positions'
        )
        raise BagError(
            f'{where}: expected messages with the positions of all joints, yet {reason}; '
            f'choose others by --joints, --tip-link or --locked'
        )
    headers, received = np.array(stamps, dtype=np.int64), np.array(log_times, dtype=np.int64)
    stamped = headers != 0
    if not stamped.any():
        headers, stamped = received, np.full(len(received), True)
    return JointSamples(
        headers[stamped],
        received[stamped],
        np.array(rows)[stamped],
        np.array(efforts)[stamped],
        left_out + int((~stamped).sum()),
    )


def measured_results(
    messages: Iterable[BagMessage],
    robot: Robot,
    where: str,
    bag_start: int,
    options: argparse.Namespace,
) -> tuple[Results, Origin]:
    """Estimate a motion from joint states; return its efforts, their uncertainty and stamps."""
    model = robot.model
    samples = joint_samples(messages, model, where)
    motions.require_radians(where, model, samples.positions)
    first = int(samples.stamps.min())
    # same origin as --start and --end, so that times in errors can be used for these options
    offset = (int(samples.log_times[samples.stamps.argmin()]) - bag_start) / SECOND
    times = (samples.stamps - first) / SECOND
    try:
        with counting('estimating the motion', model.n, 'joint') as count:
            motion = measured_motion(
                times + offset,
                samples.positions,
                continuous=[kind == 'continuous' for kind in model.coordinate_types],
                smoothing_time=options.smoothing_time,
                on_joint=count,
            )
    except TrajectoryError as error:
        hint = ': choose it by --start and --end' if isinstance(error, GapError) else ''
        raise TrajectoryError(f'{where}: {error}{hint}') from None
    print(_report(motion, model, samples.left_out))
    _warn(motion, model, options.smoothing_time is not None)
    if options.rate is None:
        at = np.unique(times + offset)
    else:
        at = motions.sample_times(motion.start, motion.end, options.rate)
    taken = effort_format(options, robot)
    results = evaluate_measured(robot, motion, at, options.order, taken)
    if np.isfinite(samples.efforts).any():
        order = np.argsort(times, kind='stable')
        drawn = (np.interp(at, times[order] + offset, row[order]) for row in samples.efforts.T)
        results = replace(results, measured_effort=np.column_stack(list(drawn)))
    stamps = first + np.round(SECOND * (at - offset)).astype(np.int64)
    return results, Origin(stamps, np.zeros_like(stamps), _CONTINUITY, Source.STREAM)


def _warn(motion: MeasuredMotion, model: RobotModel, given: bool) -> None:
    """Warn on stderr about samples that violate the white-noise assumption."""
    step = (motion.end - motion.start) / motion.sample_count
    for name, correlation, width in zip(
        model.joint_names, motion.correlations, motion.smoothing_times, strict=True
    ):
        if correlation > max(_ALIKE, _SIGNIFICANT / math.sqrt(motion.sample_count)):
            factor = math.sqrt((1.0 + correlation) / max(1.0 - correlation, 1e-3))
            text = (
                f'neighbouring samples err alike (correlation {correlation:.2f}), so standard '
                f'deviations are at least {factor:.1f} times too small: the noise is not white, '
                f'{"or --smoothing-time too long" if given else "try a longer --smoothing-time"}'
            )
        # an estimate that follows every sample also leaves alternating residuals
        elif correlation < _TO_AND_FRO and width > _WIDE * step:
            text = (
                f'samples jump to and fro (correlation {correlation:.2f}): do two sources send '
                'on this topic?'
            )
        else:
            continue
        print(f'warning: {name}: {text}', file=sys.stderr)


def _report(motion: MeasuredMotion, model: RobotModel, left_out: int) -> str:
    rows = [('joint', 'noise (sd)', 'smoothing time [s]')]
    for name, noise, width in zip(
        model.joint_names, motion.noise, motion.smoothing_times, strict=True
    ):
        rows.append((name, f'{noise:.3g}', f'{width:.3g}'))
    return (
        f'{motion.sample_count} samples over {motion.end - motion.start:g} s; '
        f'out of order: {motion.disordered}, repeated: {motion.repeated}, '
        f'without all joints or a stamp: {left_out}\n'
        f'{text_table(rows)}'
    )
