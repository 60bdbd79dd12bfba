# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Identification, for a process beside the node, which it takes no time from."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.errors import InputError, RecordingWarning, ScrewDynamicsError
from screw_dynamics.nodes.shared.child_process import reason
from screw_dynamics.recordings.messages.joints import double_array
from screw_dynamics_interfaces.srv import IdentifyDynamics

_INERTIAS = {f'i{"xyz"[i]}{"xyz"[j]}': (i, j) for i in range(3) for j in range(i, 3)}


class Task(NamedTuple):
    """
    What is to be identified by `identify`, and from what.

    Times (T,) [s], positions and efforts (T, n); the library has the defaults of the velocity and
    the time that are 0 in the `request`, one of IdentifyDynamics.
    """

    robot: Robot
    urdf: str
    times: Array
    positions: Array
    efforts: Array
    measured: EffortFormat
    request: Any


def found(task: Task) -> Any:
    """Return the response that explains a recording, or raise ScrewDynamicsError."""
    from screw_dynamics.estimation.identification import (  # in this process alone
        Recording,
        identify,
    )

    robot, request = task.robot, task.request
    groups = request.parameters
    if len(task.times) < 2:
        raise InputError(f'joint_states: expected some that last, got {len(task.times)}')
    recording = Recording(robot.joint_names, task.times, task.positions, task.efforts)
    begin, end = recording.times[[0, -1]]
    used = end - request.held_out * (end - begin)
    sprung = np.array([drive.spring is not None for drive in robot.joint_drives], dtype=bool)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        result = identify(
            robot.tree,
            recording.between(begin, used),
            friction='friction' in groups,
            rotors=~sprung & ('rotors' in groups),
            offsets='offsets' in groups,
            links='links' in groups,
            payload=request.payload_frame or None,
            effort_content=task.measured,
            coulomb_velocity=request.coulomb_velocity or None,
            smoothing_time=request.smoothing_time or None,
            check=not request.no_check,
        )
        try:
            held_out = result.validate(recording.between(used, end))
        except InputError as error:
            raise InputError(f'held_out: {error}') from None
    remarks = [f'{len(recording.times)} joint states of {end - begin:.4g} s']
    remarks += [str(one.message) for one in caught if one.category is RecordingWarning]
    names, values, deviations = zip(*result.rows, strict=True)
    response = IdentifyDynamics.Response(
        success=True,
        names=list(names),
        values=list(values),
        standard_deviations=list(deviations),
        joint_names=list(robot.joint_names),
        effort_before=double_array(result.before),
        effort_fitted=double_array(result.residuals),
        effort_held_out=double_array(held_out),
    )
    try:
        if result.payload is not None:
            _fill_payload(response, result.payload)
        drives = result.robot().drives
        response.robot_description = result.to_urdf(task.urdf.encode())
        if robot.drives is not None:
            remarks.append('no elastic_joints, as the node has drives')
        elif drives is not None:
            response.elastic_joints = drives.to_yaml()
    except ScrewDynamicsError as error:
        remarks.append(f'no robot_description: {error}')
    response.message = '; '.join(remarks)
    return response


def _fill_payload(response: Any, load: Any) -> None:
    response.payload_mass_deviation = load.mass_deviation
    response.payload.m = load.mass
    for vector, values in (
        (response.payload.com, load.com),
        (response.payload_com_deviation, load.com_deviations),
    ):
        vector.x, vector.y, vector.z = values.tolist()
    for field, place in _INERTIAS.items():
        setattr(response.payload, field, float(load.inertia[place]))


def answer(task: Task) -> Any:
    """Return the response, or the reason why there is none."""
    try:
        return found(task)
    except Exception as error:  # the node reports it
        return reason(error)
