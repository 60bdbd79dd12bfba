# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Identification, for a process beside the node, which it takes no time from."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.errors import InputError, RecordingWarning, ScrewDynamicsError, bounded

GROUPS = ('friction', 'rotors', 'offsets', 'links')


@dataclass(frozen=True)
class Task:
    """
    What is to be identified by `identify`, and from what.

    Times (T,) [s], positions and efforts (T, n); `held_out` is the part at the end left out.
    """

    robot: Robot
    urdf: str
    times: Array
    positions: Array
    efforts: Array
    measured: EffortFormat
    groups: tuple[str, ...]
    payload: str | None
    held_out: float
    coulomb_velocity: float | None
    smoothing_time: float | None
    check: bool


class Load(NamedTuple):
    """A payload as `Payload`: without its frame, and without SciPy, which nodes do not load."""

    mass: float
    mass_deviation: float
    com: Array
    com_deviations: Array
    inertia: Array


class Found(NamedTuple):
    """Names, values and deviations of parameters, remaining efforts (n,), documents, remarks."""

    rows: tuple[tuple[str, float, float], ...]
    load: Load | None
    before: Array
    fitted: Array
    held_out: Array
    urdf: str
    drives: str
    message: str


def found(task: Task) -> Found:
    """Return what explains a recording, or raise ScrewDynamicsError."""
    from screw_dynamics.estimation.identification import (  # in this process alone
        Recording,
        identify,
    )

    robot = task.robot
    if len(task.times) < 2:
        raise InputError(f'joint_states: expected some that last, got {len(task.times)}')
    recording = Recording(robot.joint_names, task.times, task.positions, task.efforts)
    begin, end = recording.times[[0, -1]]
    used = end - task.held_out * (end - begin)
    sprung = np.array([drive.spring is not None for drive in robot.joint_drives], dtype=bool)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        result = identify(
            robot.model,
            recording.between(begin, used),
            friction='friction' in task.groups,
            rotors=~sprung & ('rotors' in task.groups),
            offsets='offsets' in task.groups,
            links='links' in task.groups,
            payload=task.payload,
            effort_content=task.measured,
            coulomb_velocity=task.coulomb_velocity,
            smoothing_time=task.smoothing_time,
            check=task.check,
        )
        try:
            held_out = result.validate(recording.between(used, end))
        except InputError as error:
            raise InputError(f'held_out: {error}') from None
    remarks = [f'{len(recording.times)} joint states of {end - begin:.4g} s']
    remarks += [str(one.message) for one in caught if one.category is RecordingWarning]
    load, urdf, drives = None, '', ''
    try:
        load = None if result.payload is None else Load(*result.payload[1:])
        found_drives = result.robot().drives
        urdf = result.to_urdf(task.urdf.encode())
        if task.robot.drives is not None:
            remarks.append('no elastic_joints, as the node has a file of its own')
        elif found_drives is not None:
            drives = found_drives.to_yaml()
    except InputError as error:
        remarks.append(f'no robot_description: {error}')
    remaining = result.before, result.residuals, held_out
    return Found(result.rows, load, *remaining, urdf, drives, '; '.join(remarks))


def answer(task: Task) -> Found | str:
    """Return what is found, or the reason why nothing is."""
    try:
        return found(task)
    except ScrewDynamicsError as error:
        return str(error)
    except Exception as error:  # the node reports it
        return bounded(f'{type(error).__name__}: {error}')
