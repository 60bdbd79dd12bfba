# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""External loads of recorded joint states."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.bags import BagMessage
from screw_dynamics.errors import BagError
from screw_dynamics.estimation import measured_motion
from screw_dynamics.messages.joints import named_row
from screw_dynamics.messages.times import SECOND, nanoseconds
from screw_dynamics.model import ScrewModel
from screw_dynamics.observers.recorded_loads import RecordedLoads
from screw_dynamics.paths import new_file
from screw_dynamics.progress import counting
from screw_dynamics.text_table import text_table

_LEAST = 0.05  # N, the smallest force that is shown


class LoadSamples(NamedTuple):
    """
    Measured motion and efforts (T, n), at increasing times (T,) since the begin of the bag [s].

    `left_out` messages lack a joint, its effort or a stamp; `repeated` ones have the stamp of
    another; `estimated` velocities come from the positions.
    """

    times: Array
    positions: Array
    velocities: Array
    efforts: Array
    left_out: int
    repeated: int
    estimated: bool


def load_samples(
    messages: Iterable[BagMessage], model: ScrewModel, where: str, bag_start: int
) -> LoadSamples:
    """Return the samples of JointState messages; raise `BagError` if there are none."""
    stamps, log_times, rows = [], [], []
    left_out = 0
    for found in messages:
        message = found.message
        row = np.array(
            [
                named_row(message.name, _sized(values, message.name), model.joint_names)
                for values in (message.position, message.velocity, message.effort)
            ]
        )
        if not np.isfinite(row[[0, 2]]).all():
            left_out += 1
            continue
        stamps.append(nanoseconds(message.header.stamp))
        log_times.append(found.log_time)
        rows.append(row)
    if not rows:
        raise BagError(
            f'{where}: expected messages with positions and efforts of all joints '
            f'({", ".join(model.joint_names)}), got none among {left_out}'
        )
    instants, values = np.array(stamps, dtype=np.int64), np.array(rows)
    received = np.array(log_times, dtype=np.int64)
    if not instants.any():
        instants = received
    kept = instants != 0
    left_out += int((~kept).sum())
    instants, received, values = instants[kept], received[kept], values[kept]
    order = np.argsort(instants, kind='stable')
    offset = int(received[order[0]]) - bag_start
    # the first of those with one stamp
    distinct = np.diff(instants[order], prepend=instants[order[0]] - 1) > 0
    chosen = order[distinct]
    times = (instants[chosen] - instants[order[0]] + offset) / SECOND
    positions, velocities, efforts = values[chosen].transpose(1, 0, 2)
    estimated = not np.isfinite(velocities).all()
    if estimated:
        velocities = _estimated(times, positions, model)
    repeated = len(order) - len(chosen)
    return LoadSamples(times, positions, velocities, efforts, left_out, repeated, estimated)


def _sized(values: Sequence[float], names: Sequence[str]) -> Sequence[float]:
    return values if len(values) == len(names) else ()


def _estimated(times: Array, positions: Array, model: ScrewModel) -> Array:
    """Return the velocities (T, n) of the smoothest motion that the noise of positions allows."""
    with counting('estimating the velocities', model.n, 'joint') as count:
        motion = measured_motion(
            times,
            positions,
            continuous=[kind == 'continuous' for kind in model.coordinate_types],
            on_joint=count,
        )
    velocities: Array = motion.jets(times, 2)[:, 1]
    return velocities


def loads_report(samples: LoadSamples, loads: RecordedLoads) -> str:
    """Return the text of the samples and the table of contacts."""
    span = samples.times[-1] - samples.times[0]
    lines = [
        f'{len(samples.times)} samples over {span:g} s; repeated: {samples.repeated}, '
        f'without all joints, efforts or a stamp: {samples.left_out}'
    ]
    if samples.estimated:
        lines.append('velocities: estimated from the positions, some messages have none')
    for gap in loads.gaps:
        lines.append(f'no samples after {gap:.3f} s: the observer begins anew behind the gap')
    if not loads.contacts:
        return '\n'.join([*lines, 'collisions: none'])
    rows = [('begin [s]', 'end [s]', 'link', 'force [N]', 'direction', 'torque [N m]', 'strength')]
    for contact, end in loads.contacts:
        size = float(np.linalg.norm(contact.force))
        # a torque alone explains the efforts: the joints do not feel the force
        direction = ','.join(f'{x:.2f}' for x in contact.force / size) if size > _LEAST else '-'
        rows.append(
            (
                f'{contact.begin:.3f}',
                f'{end:.3f}',
                contact.link,
                f'{size:.1f}',
                direction,
                f'{np.linalg.norm(contact.torque):.1f}',
                f'{contact.strength:.1f}',
            )
        )
    return '\n'.join([*lines, f'collisions: {len(loads.contacts)}', text_table(rows)])


def write_loads(loads: RecordedLoads, names: Sequence[str], file: Path | TextIO) -> None:
    """Write a row per sample: efforts, thresholds, and the link that is touched."""
    if not isinstance(file, Path):
        _write_rows(loads, names, file)
        return
    with new_file(file) as place, place.open('w', encoding='utf-8', newline='') as opened:
        _write_rows(loads, names, opened)


def _write_rows(loads: RecordedLoads, names: Sequence[str], file: TextIO) -> None:
    writer = csv.writer(file, lineterminator='\n')
    kinds = ('external_effort', 'threshold')
    writer.writerow(['time', *(f'{name}.{kind}' for kind in kinds for name in names), 'contact'])
    links = np.full(len(loads.times), '', dtype=object)
    for contact, end in loads.contacts:
        links[(loads.times >= contact.begin) & (loads.times < end)] = contact.link
    table = np.column_stack([loads.times, loads.efforts, loads.thresholds]).tolist()
    for row, link in zip(table, links, strict=True):
        writer.writerow([*map(repr, row), link])
