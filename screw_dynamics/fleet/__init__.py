# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Many recordings: one function over all of them on any executor, and one fit to all of them."""

from screw_dynamics.fleet.functions import check, evaluate, observe, retime
from screw_dynamics.fleet.record import Record
from screw_dynamics.fleet.robot_text import RobotText, as_text
from screw_dynamics.fleet.tasks import run

__all__ = ['Record', 'RobotText', 'as_text', 'check', 'evaluate', 'observe', 'retime', 'run']
