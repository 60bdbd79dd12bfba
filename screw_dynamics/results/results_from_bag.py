# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of results from FeedforwardTorque and MotorFeedforward messages in a bag."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.bags import Bag
from screw_dynamics.errors import BagError
from screw_dynamics.results.bag_topics import FEEDFORWARD, MOTOR_FEEDFORWARD, one_topic
from screw_dynamics.results.results import EFFORTS, MOTORS, MotorResults, Results
from screw_dynamics.results.results_bag import DEVIATION_ENDING

_MOTION = (
    'reference.positions',
    'reference.velocities',
    'reference.accelerations',
    'reference_jerk',
    'reference_snap',
)


def read_bag(path: Path, topic: str | None) -> Results:
    """
    Read the messages of one FeedforwardTorque topic; None selects the only one.

    Standard deviations are read from the topic with `DEVIATION_ENDING` appended, motor commands
    from the only MotorFeedforward topic, provided that their stamps are the same. Times count from
    the first stamp. Raises `BagError` if there are no such messages, or joints or sizes change.
    """
    with Bag(path) as bag:
        candidates = [
            name
            for name, about in bag.topics.items()
            if about.type == FEEDFORWARD and about.count and not name.endswith(DEVIATION_ENDING)
        ]
        if topic is None and len(candidates) == 1:
            topic = candidates[0]
        topic = one_topic(bag, (FEEDFORWARD,), topic)
        torque = bag.arrays(topic)
        stamps = torque['header.stamp']
        spread = _companion(bag, topic + DEVIATION_ENDING, stamps)
        motors = [
            name
            for name, about in bag.topics.items()
            if about.type == MOTOR_FEEDFORWARD and not name.endswith(DEVIATION_ENDING)
        ]
        motor = _companion(bag, motors[0], stamps) if len(motors) == 1 else None
        loose = None
        if motor is not None:
            loose = _companion(bag, motors[0] + DEVIATION_ENDING, stamps)
    where = f'{path}: topic {topic!r}'
    names = _constant(where, 'joints', torque['joint_names'])
    if motor is not None:
        _constant(f'{path}: topic {motors[0]!r}', 'motors', motor['motor_names'])
    return Results(
        joint_names=names,
        times=(stamps - stamps[0]) * 1e-9,
        joint_jet=_jet(where, torque, _MOTION, len(names)),
        effort_jet=_jet(where, torque, [q.name for q in EFFORTS], len(names)),
        joint_deviations=None if spread is None else _jet(where, spread, _MOTION, len(names)),
        effort_deviations=None
        if spread is None
        else _jet(where, spread, [q.name for q in EFFORTS], len(names)),
        motors=None
        if motor is None
        else MotorResults(
            motor['motor_names'],
            motor['gear_ratio'][0],
            _motor_values(motor),
            None if loose is None else _motor_values(loose),
        ),
    )


def _constant(where: str, what: str, names: Any) -> tuple[str, ...]:
    """Return the names in a column; raise `BagError` if they differ between messages."""
    if not isinstance(names, tuple):
        raise BagError(f'{where}: expected the same {what} in all messages')
    return names


def _companion(bag: Bag, topic: str, stamps: Array) -> dict[str, Any] | None:
    """Return the messages of another topic, None unless their stamps are the same."""
    if topic not in bag.topics:
        return None
    found = bag.arrays(topic)
    same = 'header.stamp' in found and np.array_equal(found['header.stamp'], stamps)
    return found if same else None


def _motor_values(arrays: dict[str, Any]) -> Array:
    return np.stack([arrays[quantity.name] for quantity in MOTORS], axis=1)


def _jet(where: str, arrays: dict[str, Any], names: Any, width: int) -> Array:
    """Return the jet (T, r, width) up to the first derivative missing in the messages."""
    rows = []
    for name in names:
        values = arrays[name]
        if isinstance(values, list) or values.shape[1] not in (0, width):
            raise BagError(f'{where}: {name}: expected {width} values in every message')
        if values.shape[1] == 0:
            break
        rows.append(values)
    if len(rows) < (3 if names is _MOTION else 1):
        raise BagError(f'{where}: expected values in {names[len(rows)]}, got none')
    return np.stack(rows, axis=1)
