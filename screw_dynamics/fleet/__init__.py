# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Many recordings: one function over all of them on any executor, and one fit to all of them."""

from screw_dynamics.fleet.drift import Drift, Trend
from screw_dynamics.fleet.functions import check, evaluate, observe, retime
from screw_dynamics.fleet.identification import FleetIdentification, combine, identify
from screw_dynamics.fleet.parts import identify_alone, identify_part
from screw_dynamics.fleet.record import Record
from screw_dynamics.fleet.tasks import RobotText, as_text, run, task
from screw_dynamics.recordings.motions.lerobot import recordings_in

__all__ = [
    'Drift',
    'FleetIdentification',
    'Record',
    'RobotText',
    'Trend',
    'as_text',
    'check',
    'combine',
    'evaluate',
    'identify',
    'identify_alone',
    'identify_part',
    'observe',
    'recordings_in',
    'retime',
    'run',
    'task',
]
