# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`IdentificationService`: parameters behind the joint states that a node has kept."""

import math
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from screw_dynamics.errors import InputError, NotFiniteError, UnknownNameError, shown
from screw_dynamics.nodes.load_observer.identification_process import Task, answer
from screw_dynamics.nodes.load_observer.observed_loads import ObservedLoads
from screw_dynamics.nodes.shared.child_process import ChildProcess, reason
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics_interfaces.srv import IdentifyDynamics

GROUPS = ('friction', 'rotors', 'offsets', 'links')
_DEFAULTS = {'parameters': ['friction', 'rotors'], 'held_out': 0.25}
_PATIENCE = 5.0  # s, for the thread to end
_LOOK_PERIOD = 1.0  # s between looks whether it is to end, if no wake-up has arrived


class IdentificationService:
    """
    Answers `~/identify` of a node in a thread, with a node and an executor of its own.

    rclpy answers within a callback, and one that takes a minute must not delay joint states.
    """

    def __init__(self, node: Node) -> None:
        self.kept: tuple[LoadedRobot, ObservedLoads] | None = None
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

    def _answer(self, request: Any, _: Any) -> Any:
        begin = self._node.get_clock().now()
        response = respond(request, self.kept, self._found)
        if not response.success:
            self._logger.error(f'Identification failed: {response.message}')
            return response
        seconds = (self._node.get_clock().now() - begin).nanoseconds / 1e9
        self._logger.info(f'Identified {len(response.names)} parameters in {seconds:.1f} s')
        return response

    def _found(self, task: Task) -> Any:
        """Return the response to a task; raise InputError with the reason if there is none."""
        self._logger.info(f'Identifies from {len(task.times)} joint states')
        try:
            found = self._process.submit(answer, task).result()
        except (RuntimeError, CancelledError) as error:  # of the process, or closed
            found = f'the process of the identification has ended: {error}'
        if not self._closed:
            # it takes memory, and is needed seldom
            self._process.close()
            self._process = ChildProcess()
        if isinstance(found, str):
            raise InputError('the node ends' if self._closed else found)
        return found


def respond(
    request: Any, kept: tuple[LoadedRobot, ObservedLoads] | None, found: Callable[[Task], Any]
) -> Any:
    """Return the response to a request, by what is found for its task, or the error."""
    codes = IdentifyDynamics.Response
    code = codes.NO_MODEL
    try:
        if kept is None:
            raise InputError('the node has no robot model yet')
        code = codes.INVALID_REQUEST
        task = _task(request, *kept)
        code = codes.UNUSABLE_RECORDING
        return found(task)
    except Exception as error:  # later requests must still be answered
        if isinstance(error, NotFiniteError):
            code = codes.NOT_FINITE
        return codes(error_code=code, message=reason(error))


def _task(request: Any, loaded: LoadedRobot, loads: ObservedLoads) -> Task:
    """Return the task of a request; raise InputError for invalid fields."""
    for field in ('duration', 'held_out', 'coulomb_velocity', 'smoothing_time'):
        value = getattr(request, field)
        if not math.isfinite(value):
            raise NotFiniteError(field, (), value)
        if value < 0.0:
            raise InputError(f'{field}: expected 0 or more, got {value:g}')
    if request.held_out >= 1.0:
        raise InputError(f'held_out: expected a part below 1, got {request.held_out:g}')
    for group in request.parameters:
        if group not in GROUPS:
            raise InputError(
                f'parameters: expected some of {", ".join(GROUPS)}, got {shown(group)}'
            )
    frames, payload = loaded.robot.tree.frames, request.payload_frame
    if payload and payload not in frames:
        raise UnknownNameError('link', payload, frames, 'payload_frame')
    if payload and frames[payload].body < 0:
        raise InputError(f'payload_frame: expected a link that moves, got {payload!r}')
    if payload and 'links' in request.parameters:
        raise InputError(
            f'payload_frame: expected none with parameters links, which contain it, got {payload}'
        )
    times, positions, efforts = loads.kept.latest(request.duration or math.inf)
    for field, value in _DEFAULTS.items():
        setattr(request, field, getattr(request, field) or value)
    robot, text = loaded.robot, loaded.text
    return Task(robot, text, times, positions, efforts, loads.measured, request)
