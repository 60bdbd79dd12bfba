# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`IdentificationService`: parameters behind the joint states that a node has kept."""

import math
import threading
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, NamedTuple

from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    ScrewDynamicsError,
    UnknownNameError,
    bounded,
    shown,
)
from screw_dynamics.nodes.load_observer.identification_process import (
    GROUPS,
    Found,
    Task,
    answer,
)
from screw_dynamics.nodes.load_observer.joint_state_history import JointStateHistory
from screw_dynamics.nodes.shared.child_process import ChildProcess
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics.recordings.messages.joints import double_array
from screw_dynamics_interfaces.srv import IdentifyDynamics

_DEFAULT = 'friction', 'rotors'
_HELD_OUT = 0.25
_INERTIAS = {f'i{"xyz"[i]}{"xyz"[j]}': (i, j) for i in range(3) for j in range(i, 3)}
_PATIENCE = 5.0  # s, for the thread to end
_LOOK_PERIOD = 1.0  # s between looks whether it is to end, if no wake-up has arrived


class Kept(NamedTuple):
    """A robot, its joint states, and what their efforts are."""

    loaded: LoadedRobot
    states: JointStateHistory
    measured: EffortFormat


class IdentificationService:
    """
    Answers `~/identify` of a node in a thread, with a node and an executor of its own.

    rclpy answers within a callback, and one that takes a minute must not delay joint states.
    """

    def __init__(self, node: Node) -> None:
        self.kept: Kept | None = None
        self._process, self._closed = ChildProcess(), False
        self._logger = node.get_logger()
        self.name = node.resolve_service_name('~/identify')
        self._node = Node(
            f'{node.get_name()}_identification',
            namespace=node.get_namespace(),
            context=node.context,
            use_global_arguments=False,  # such as another name
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._node.create_service(IdentifyDynamics, self.name, self._answer)
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._spin, name='identification', daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End a running identification and the service."""
        self._closed = True
        self._process.close()
        self._executor.wake()
        self._thread.join(_PATIENCE)
        self._executor.shutdown()
        self._node.destroy_node()

    def _spin(self) -> None:
        with suppress(ExternalShutdownException):
            while not self._closed:
                self._executor.spin_once(timeout_sec=_LOOK_PERIOD)

    def _answer(self, request: Any, response: Any) -> Any:
        codes = IdentifyDynamics.Response
        code, begin = codes.NO_MODEL, self._node.get_clock().now()
        try:
            kept = self.kept
            if kept is None:
                raise InputError('the node has no robot model yet')
            code = codes.INVALID_REQUEST
            task = _task(request, kept)
            code = codes.UNUSABLE_RECORDING
            self._logger.info(f'Identifies from {len(task.times)} joint states')
            found = self._found(task)
            _fill(response, found)
        except ScrewDynamicsError as error:
            if isinstance(error, NotFiniteError):
                code = codes.NOT_FINITE
            self._logger.error(f'Identification failed: {error}')
            return codes(error_code=code, message=str(error))
        except Exception as error:  # later requests must still be answered
            text = bounded(f'{type(error).__name__}: {error}')
            self._logger.error(f'Identification failed: {text}')
            return codes(error_code=code, message=text)
        response.joint_names, response.success = list(task.robot.joint_names), True
        seconds = (self._node.get_clock().now() - begin).nanoseconds / 1e9
        self._logger.info(f'Identified {len(found.rows)} parameters in {seconds:.1f} s')
        return response

    def _found(self, task: Task) -> Found:
        """Return the result of a task; raise InputError with the reason if there is none."""
        try:
            found: Found | str = self._process.submit(answer, task).result()
        except (RuntimeError, CancelledError) as error:  # of the process, or closed
            found = f'the process of the identification has ended: {error}'
        if not self._closed:
            # it takes memory, and is needed seldom
            self._process.close()
            self._process = ChildProcess()
        if isinstance(found, Found):
            return found
        raise InputError('the node ends' if self._closed else found)


def _task(request: Any, kept: Kept) -> Task:
    """Return the task of a request; raise InputError for invalid fields."""
    for field in ('duration', 'held_out', 'coulomb_velocity', 'smoothing_time'):
        value = getattr(request, field)
        if not math.isfinite(value):
            raise NotFiniteError(field, (), value)
        if value < 0.0:
            raise InputError(f'{field}: expected 0 or more, got {value:g}')
    if request.held_out >= 1.0:
        raise InputError(f'held_out: expected a part below 1, got {request.held_out:g}')
    groups = tuple(request.parameters)
    for group in groups:
        if group not in GROUPS:
            raise InputError(
                f'parameters: expected some of {", ".join(GROUPS)}, got {shown(group)}'
            )
    robot, payload = kept.loaded.robot, request.payload_frame or None
    if payload is not None and payload not in robot.model.frames:
        raise UnknownNameError('link', payload, robot.model.frames, 'payload_frame')
    if payload is not None and robot.model.frames[payload].body < 0:
        raise InputError(f'payload_frame: expected a link that moves, got {payload!r}')
    if payload is not None and 'links' in groups:
        raise InputError(
            f'payload_frame: expected none with parameters links, which contain it, got {payload}'
        )
    times, positions, efforts = kept.states.latest(request.duration or math.inf)
    return Task(
        robot,
        kept.loaded.text,
        times,
        positions,
        efforts,
        kept.measured,
        groups or _DEFAULT,
        payload,
        request.held_out or _HELD_OUT,
        request.coulomb_velocity or None,
        request.smoothing_time or None,
        not request.no_check,
    )


def _fill(response: Any, found: Found) -> None:
    """Write a result into a response."""
    for field, column in zip(
        ('names', 'values', 'standard_deviations'), zip(*found.rows, strict=True), strict=True
    ):
        setattr(response, field, list(column))
    response.effort_before = double_array(found.before)
    response.effort_fitted = double_array(found.fitted)
    response.effort_held_out = double_array(found.held_out)
    response.robot_description, response.elastic_joints = found.urdf, found.drives
    response.message = found.message
    load = found.load
    if load is None:
        return
    response.payload_mass_deviation = load.mass_deviation
    response.payload.m = load.mass
    for vector, values in (
        (response.payload.com, load.com),
        (response.payload_com_deviation, load.com_deviations),
    ):
        vector.x, vector.y, vector.z = values.tolist()
    for field, place in _INERTIAS.items():
        setattr(response.payload, field, float(load.inertia[place]))
