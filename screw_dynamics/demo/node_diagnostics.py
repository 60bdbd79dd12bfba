# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tick times of `feedforward` as reported on /diagnostics."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from screw_dynamics.bags import Bag

DIAGNOSTICS_TOPIC = '/diagnostics'
STATUS = 'feedforward: rate'
MEAN_KEY, LONGEST_KEY = 'mean compute time [us]', 'longest compute time [us]'


class TickTimes(NamedTuple):
    """
    Mean and longest duration of a tick in the node [s].

    A tick lasts from sampling the reference to publishing.
    """

    mean: float
    longest: float


def read_tick_times(path: Path, torque_topic: str) -> TickTimes | None:
    """
    Read the time per tick while efforts were published on `torque_topic`.

    Returns None if no report covers only times of publication.
    """
    with Bag(path) as bag:
        published = bag.arrays(torque_topic)['log_time']
        if DIAGNOSTICS_TOPIC not in bag.topics:
            return None
        reports = [
            (item.log_time, {pair.key: pair.value for pair in status.values})
            for item in bag.messages([DIAGNOSTICS_TOPIC])
            for status in item.message.status
            if status.name == STATUS
        ]
    # A report covers the time since the previous one.
    covered = [
        values
        for (begin, _), (end, values) in zip(reports, reports[1:], strict=False)
        if published[0] <= begin and end <= published[-1]
    ]
    if not covered:
        return None
    return TickTimes(
        mean=1e-6 * sum(float(values[MEAN_KEY]) for values in covered) / len(covered),
        longest=1e-6 * max(float(values[LONGEST_KEY]) for values in covered),
    )
