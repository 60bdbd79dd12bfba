# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of a measured motion (noisy joint states)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.progress import counting
from screw_dynamics.common.text_table import text_table
from screw_dynamics.common.times import SECOND
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import RecordingWarning, TrajectoryError
from screw_dynamics.estimation import MeasuredMotion, measured_motion
from screw_dynamics.estimation.recorded_samples import GapError
from screw_dynamics.limits.degrees import require_radians
from screw_dynamics.model import RobotModel
from screw_dynamics.recordings.motions.joint_states import StateRows, state_rows
from screw_dynamics.recordings.motions.recording import read_recording
from screw_dynamics.recordings.results.evaluation import Wanted, evaluate_measured
from screw_dynamics.recordings.results.results import Origin, Results
from screw_dynamics.trajectory.piecewise_polynomial import sample_times
from screw_dynamics.trajectory.reference.reference import Source

if TYPE_CHECKING:
    from screw_dynamics.recordings.bags import BagMessage

_CONTINUITY = 4
# Correlation of neighbouring residuals of N samples: 0 or less for white noise, by chance up to
# a few 1/sqrt(N).
_ALIKE, _SIGNIFICANT = 0.1, 3.0
_TO_AND_FRO = -0.7
_WIDE = 5.0  # samples


def measured_efforts(
    messages: Iterable[BagMessage],
    robot: Robot,
    where: str,
    bag_start: int,
    wanted: Wanted,
) -> tuple[Results, Origin, str]:
    """Return efforts of joint states, their uncertainty, their stamps, and what was estimated."""
    rows = state_rows(messages, robot.joint_names, ('position',), where)
    positions, _, efforts = rows.values.transpose(1, 0, 2)
    first = int(rows.stamps[0])
    # same origin as --start and --end, so that times in errors can be used for these options
    offset = (int(rows.received[0]) - bag_start) / SECOND
    times = (rows.stamps - first) / SECOND + offset
    results, motion = _along(times, positions, efforts, robot, where, wanted)
    stamps = first + np.round(SECOND * (results.times - offset)).astype(np.int64)
    source = Origin(stamps, np.zeros_like(stamps), _CONTINUITY, Source.STREAM)
    return results, source, _report(motion, robot.model, rows)


def table_efforts(path: str, robot: Robot, **options: Any) -> Results:
    """Return efforts of the measured positions of a table; see `bag_efforts`."""
    given = {name: options.pop(name) for name in Wanted._fields if name in options}
    wanted = Wanted(**{name: value for name, value in given.items() if value is not None})
    own = read_recording(path, robot.tree, **options)[0].of(robot.tree)
    return _along(own.times, own.positions, own.efforts, robot, path, wanted)[0]


def _along(
    times: Array, positions: Array, efforts: Array, robot: Robot, where: str, wanted: Wanted
) -> tuple[Results, MeasuredMotion]:
    """Return the efforts of positions (T, n), beside those that were measured (T, n)."""
    model = robot.model
    require_radians(where, model, positions)
    try:
        with counting('estimating the motion', model.n, 'joint') as count:
            motion = measured_motion(
                times,
                positions,
                continuous=[kind == 'continuous' for kind in model.coordinate_types],
                smoothing_time=wanted.smoothing_time,
                on_joint=count,
            )
    except TrajectoryError as error:
        hint = ': choose it by --start and --end' if isinstance(error, GapError) else ''
        raise TrajectoryError(f'{where}: {error}{hint}') from None
    _warn(motion, model, wanted.smoothing_time is not None)
    at = times
    if wanted.rate is not None:
        at = sample_times(motion.start, motion.end, wanted.rate)
    results = evaluate_measured(robot, motion, at, wanted)
    if np.isfinite(efforts).any():
        drawn = [np.interp(at, times, row) for row in efforts.T]
        results = replace(results, measured_effort=np.column_stack(drawn))
    return results, motion


def _warn(motion: MeasuredMotion, model: RobotModel, given: bool) -> None:
    """Warn about samples that violate the white-noise assumption."""
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
        warnings.warn(f'{name}: {text}', RecordingWarning, stacklevel=4)


def _report(motion: MeasuredMotion, model: RobotModel, rows: StateRows) -> str:
    table = [('joint', 'noise (sd)', 'smoothing time [s]')]
    for name, noise, width in zip(
        model.joint_names, motion.noise, motion.smoothing_times, strict=True
    ):
        table.append((name, f'{noise:.3g}', f'{width:.3g}'))
    return (
        f'{motion.sample_count} samples over {motion.end - motion.start:g} s; '
        f'out of order: {rows.disordered}, repeated: {rows.repeated}, '
        f'without all joints or a stamp: {rows.left_out}\n'
        f'{text_table(table)}'
    )
