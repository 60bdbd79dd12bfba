# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint states of a bag as samples, with the states of motors beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.progress import counting, progress
from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.spring_efforts import SpringEfforts
from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.errors import BagError, InputError, listed
from screw_dynamics.estimation import measured_motion
from screw_dynamics.estimation.observers import measured_spring_efforts
from screw_dynamics.model import ScrewModel
from screw_dynamics.recordings.results.results_from_bag import JOINT_STATE, one_topic

if TYPE_CHECKING:
    from screw_dynamics.recordings.bags import Bag, BagMessage

_FIELDS = ('position', 'velocity', 'effort')
_PLURALS = {'position': 'positions', 'velocity': 'velocities', 'effort': 'efforts'}


def messages_between(bag: Bag, topic: str, start: float, end: float) -> Iterator[BagMessage]:
    """Yield the messages that were received between two times [s]; raise `BagError` if none."""
    none = True
    count = bag.topics[topic].count
    for found in progress(bag.messages([topic]), 'reading', count, 'message'):
        if start <= (found.log_time - bag.start_time) / SECOND <= end:
            none = False
            yield found
    if none:
        raise BagError(
            f'{bag.path}: topic {topic!r}: no messages between --start and --end; the bag has '
            f'{bag.duration:g} s'
        )


class StateRows(NamedTuple):
    """
    Rows (T, 3, n) of position, velocity and effort by increasing stamps (T,) [ns].

    Stamps are those of headers, or the `received` ones (T,) if all of these are zero; their clocks
    may differ. `left_out` messages lack a joint, or a stamp if others have one; `repeated` ones
    have the stamp of another, `disordered` ones an earlier one than the message before.
    """

    values: Array
    stamps: NDArray[np.int64]
    received: NDArray[np.int64]
    left_out: int
    repeated: int
    disordered: int


class JointSamples(NamedTuple):
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

    def __str__(self) -> str:
        """Return how many samples there are, and how many messages were not used."""
        span = self.times[-1] - self.times[0]
        return (
            f'{len(self.times)} samples over {span:g} s; repeated: {self.repeated}, '
            f'without all joints, efforts or a stamp: {self.left_out}'
        )


def joint_samples(
    messages: Iterable[BagMessage],
    model: ScrewModel,
    where: str,
    bag_start: int,
    needed: Sequence[str] = ('position', 'effort'),
) -> JointSamples:
    """Return the samples of JointState messages; raise `BagError` if there are none."""
    rows = state_rows(messages, model.joint_names, needed, where)
    stamps = rows.stamps
    times = (stamps - stamps[0] + int(rows.received[0]) - bag_start) / SECOND
    positions, velocities, efforts = rows.values.transpose(1, 0, 2)
    estimated = not np.isfinite(velocities).all()
    if estimated:
        velocities = _estimated(times, positions, model)
    efforts = np.where(np.isfinite(efforts), efforts, 0.0)  # not needed
    return JointSamples(
        times, positions, velocities, efforts, stamps, rows.left_out, rows.repeated, estimated
    )


def with_spring_efforts(
    samples: JointSamples, messages: Iterable[BagMessage], robot: Robot, where: str
) -> JointSamples:
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


def observed_samples(
    bag: Bag,
    robot: Robot,
    measured: EffortFormat,
    *,
    topic: str | None = None,
    motor_states: str | None = None,
    start: float = -np.inf,
    end: float = np.inf,
) -> JointSamples:
    """Return the samples of a topic, with efforts from deflections if motor states are given."""
    topic = one_topic(bag, (JOINT_STATE,), topic)
    messages = messages_between(bag, topic, start, end)
    where = f'{bag.path}: topic {topic!r}'
    if motor_states is None:
        return joint_samples(messages, robot.tree, where, bag.start_time)
    if robot.drives is None:
        raise InputError('--motor-states: expected the springs, too: --drives YAML')
    rigid = SpringEfforts(robot.motors).rigid.any()
    needed = ('position', 'effort') if rigid else ('position',)
    if measured.content == 'external':
        raise InputError(
            '--effort-content: expected full efforts beside --motor-states, got external'
        )
    samples = joint_samples(messages, robot.tree, where, bag.start_time, needed)
    places = samples.positions[:, np.newaxis]
    samples = samples._replace(efforts=measured.full_efforts(robot.model, places, samples.efforts))
    motors = one_topic(bag, (JOINT_STATE,), motor_states, '--motor-states')
    rows = messages_between(bag, motors, start, end)
    return with_spring_efforts(samples, rows, robot, f'{bag.path}: topic {motors!r}')


def with_motor_states(
    samples: JointSamples,
    messages: Iterable[BagMessage],
    model: ScrewModel,
    where: str,
    needed: Sequence[str],
) -> tuple[JointSamples, Array, Array]:
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


def _at_samples(
    samples: JointSamples, motors: StateRows, where: str
) -> tuple[JointSamples, Array]:
    """Return the samples between motor states, and these (T, 3, m), interpolated linearly."""
    within = (samples.stamps >= motors.stamps[0]) & (samples.stamps <= motors.stamps[-1])
    if not within.any():
        raise BagError(f'{where}: expected motor states at the time of the joint states, got none')
    kept = samples._replace(
        **{name: getattr(samples, name)[within] for name in JointSamples._fields[:5]},
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
    seen: set[str] = set()
    last: Sequence[str] = ()  # no list of names is equal
    for found in messages:
        message = found.message
        if message.name != last:  # usually those of the message before
            last = message.name
            seen.update(last)
            places = {name: i for i, name in enumerate(last)}
            own = np.array([places.get(name, len(last)) for name in names], dtype=np.int64)
            alike = list(names) == list(last)
            none = np.full(len(last) + 1, np.nan)  # the last for names that are not given
        for field in _FIELDS:
            values, row = getattr(message, field), none
            if len(values) == len(last):
                row = values if alike else np.append(values, np.nan)
            rows.append(row if row is values else row[own])
        stamps.append(nanoseconds(message.header.stamp))
        log_times.append(found.log_time)
    every = np.array(rows).reshape(-1, len(_FIELDS), len(names))
    wanted = [_FIELDS.index(field) for field in needed]
    # drivers send NaN before the first measurement
    good = np.isfinite(every[:, wanted]).all(axis=(1, 2))
    left_out = int(np.sum(~good))
    if not good.any():
        fields = ' and '.join(_PLURALS[field] for field in needed)
        missing = [name for name in names if name not in seen]
        reason = (
            f'; {", ".join(missing)} are not among {", ".join(sorted(seen)) or "any"}: choose '
            'others by --joints, --tip-link or --locked'
        )
        raise BagError(
            f'{where}: expected messages with {fields} of all of {", ".join(names)}, got none '
            f'among {left_out}{reason if missing else ""}'
        )
    instants = np.array(stamps, dtype=np.int64)[good]
    received = np.array(log_times, dtype=np.int64)[good]
    if not instants.any():
        instants = received
    order = np.argsort(instants, kind='stable')
    order = order[instants[order] != 0]
    # the first of those with one stamp
    chosen = order[np.diff(instants[order], prepend=instants[order[0]] - 1) > 0]
    return StateRows(
        every[good][chosen],
        instants[chosen],
        received[chosen],
        left_out + len(instants) - len(order),
        len(order) - len(chosen),
        int((np.diff(instants[instants != 0]) < 0).sum()),
    )


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
