# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""External loads of recorded joint states."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import new_file
from screw_dynamics.common.progress import counting
from screw_dynamics.common.text_table import text_table
from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import BagError, listed
from screw_dynamics.estimation import measured_motion
from screw_dynamics.estimation.observers import measured_spring_efforts
from screw_dynamics.estimation.observers.recorded_loads import RecordedLoads
from screw_dynamics.model import ScrewModel
from screw_dynamics.recordings.bags import BagMessage
from screw_dynamics.recordings.messages.joints import named_row

_FIELDS = ('position', 'velocity', 'effort')
_PLURALS = {'position': 'positions', 'velocity': 'velocities', 'effort': 'efforts'}
_LEAST = 0.05  # N, the smallest force that is shown


class LoadSamples(NamedTuple):
    """
    Measured motion and efforts (T, n), at increasing times (T,) since the begin of the bag [s].

    `stamps` (T,) are those of the messages [ns]. `left_out` messages lack a joint, its effort or a
    stamp; `repeated` ones have the stamp of another; `estimated` velocities come from positions.
    """

    times: Array
    positions: Array
    velocities: Array
    efforts: Array
    stamps: NDArray[np.int64]
    left_out: int
    repeated: int
    estimated: bool


class StateRows(NamedTuple):
    """Rows (T, 3, n) of position, velocity and effort by increasing stamps (T,) [ns]."""

    values: Array
    stamps: NDArray[np.int64]
    received: NDArray[np.int64]
    left_out: int
    repeated: int


def load_samples(
    messages: Iterable[BagMessage],
    model: ScrewModel,
    where: str,
    bag_start: int,
    needed: Sequence[str] = ('position', 'effort'),
) -> LoadSamples:
    """Return the samples of JointState messages; raise `BagError` if there are none."""
    rows = state_rows(messages, model.joint_names, needed, where)
    stamps = rows.stamps
    times = (stamps - stamps[0] + int(rows.received[0]) - bag_start) / SECOND
    positions, velocities, efforts = rows.values.transpose(1, 0, 2)
    estimated = not np.isfinite(velocities).all()
    if estimated:
        velocities = _estimated(times, positions, model)
    efforts = np.where(np.isfinite(efforts), efforts, 0.0)  # not needed
    return LoadSamples(
        times, positions, velocities, efforts, stamps, rows.left_out, rows.repeated, estimated
    )


def with_spring_efforts(
    samples: LoadSamples, messages: Iterable[BagMessage], robot: Robot, where: str
) -> LoadSamples:
    """Return samples with the efforts of springs from motor states, interpolated linearly."""
    names = robot.motors.names
    motors = state_rows(messages, names, ('position', 'velocity'), where)
    kept, states = _at_samples(samples, motors, where)
    jets = states[:, :2].reshape(len(states), -1)
    efforts, memory = kept.efforts.copy(), np.full((3, len(names)), np.nan)
    for i, jet in enumerate(jets.reshape(-1, 2, len(names))):
        links = [kept.positions[i], kept.velocities[i]]
        efforts[i] = measured_spring_efforts(robot, links, jet, efforts[i], memory)
    return kept._replace(efforts=efforts)


def with_motor_states(
    samples: LoadSamples,
    messages: Iterable[BagMessage],
    model: ScrewModel,
    where: str,
    needed: Sequence[str],
) -> tuple[LoadSamples, Array, Array]:
    """
    Return samples, and motor positions and efforts (T, n) at them.

    Joints without motor states have NaN as positions, and the efforts of the samples.
    """
    received = list(messages)
    named = {name for found in received for name in found.message.name}
    columns = [i for i, name in enumerate(model.joint_names) if name in named]
    if not columns:
        raise BagError(
            f'{where}: expected motor states with names among {listed(model.joint_names)}, got '
            f'{listed(sorted(named))}'
        )
    names = [model.joint_names[i] for i in columns]
    kept, states = _at_samples(samples, state_rows(received, names, needed, where), where)
    positions, efforts = np.full((len(states), model.n), np.nan), kept.efforts.copy()
    positions[:, columns], efforts[:, columns] = states[:, 0], states[:, 2]
    return kept, positions, efforts


def _at_samples(samples: LoadSamples, motors: StateRows, where: str) -> tuple[LoadSamples, Array]:
    """Return the samples between motor states, and these (T, 3, m), interpolated linearly."""
    within = (samples.stamps >= motors.stamps[0]) & (samples.stamps <= motors.stamps[-1])
    if not within.any():
        raise BagError(f'{where}: expected motor states at the time of the joint states, got none')
    kept = samples._replace(
        **{name: getattr(samples, name)[within] for name in LoadSamples._fields[:5]},
        left_out=samples.left_out + int((~within).sum()),
    )
    origin = motors.stamps[0]
    at, known = kept.stamps - origin, motors.stamps - origin
    columns = motors.values.reshape(len(known), -1).T
    states = np.stack([np.interp(at, known, column) for column in columns], axis=1)
    return kept, states.reshape(len(at), *motors.values.shape[1:])


def state_rows(
    messages: Iterable[BagMessage], names: Sequence[str], needed: Sequence[str], where: str
) -> StateRows:
    """Return the messages with the `needed` fields of all names; raise `BagError` if none has."""
    stamps, log_times, rows = [], [], []
    left_out = 0
    wanted = [_FIELDS.index(field) for field in needed]
    for found in messages:
        message = found.message
        row = np.array(
            [named_row(message.name, _sized(message, field), names) for field in _FIELDS]
        )
        if not np.isfinite(row[wanted]).all():
            left_out += 1
            continue
        stamps.append(nanoseconds(message.header.stamp))
        log_times.append(found.log_time)
        rows.append(row)
    if not rows:
        fields = ' and '.join(_PLURALS[field] for field in needed)
        raise BagError(
            f'{where}: expected messages with {fields} of all of {", ".join(names)}, got none '
            f'among {left_out}'
        )
    instants, received = np.array(stamps, dtype=np.int64), np.array(log_times, dtype=np.int64)
    if not instants.any():
        instants = received
    order = np.argsort(instants, kind='stable')
    order = order[instants[order] != 0]
    # the first of those with one stamp
    chosen = order[np.diff(instants[order], prepend=instants[order[0]] - 1) > 0]
    return StateRows(
        np.array(rows)[chosen],
        instants[chosen],
        received[chosen],
        left_out + len(instants) - len(order),
        len(order) - len(chosen),
    )


def _sized(message: Any, field: str) -> Sequence[float]:
    """Return a field, empty unless it has a value per name."""
    values: Sequence[float] = getattr(message, field)
    return values if len(values) == len(message.name) else ()


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


def samples_report(samples: LoadSamples) -> str:
    """Return the text of how many samples there are, and how many messages were not used."""
    span = samples.times[-1] - samples.times[0]
    return (
        f'{len(samples.times)} samples over {span:g} s; repeated: {samples.repeated}, '
        f'without all joints, efforts or a stamp: {samples.left_out}'
    )


def loads_report(samples: LoadSamples, loads: RecordedLoads) -> str:
    """Return the text of the samples and the table of contacts."""
    lines = [samples_report(samples)]
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
