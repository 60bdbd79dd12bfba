# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `load_observer`: joint states in, external efforts, a wrench and contacts out."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool

from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.estimation.observers import Contact
from screw_dynamics.nodes.load_observer.identification_service import IdentificationService
from screw_dynamics.nodes.load_observer.observed_loads import ObservedLoads, payload_text
from screw_dynamics.nodes.load_observer.parameters import LoadObserverParameters
from screw_dynamics.nodes.shared.endpoints import (
    LATCHED,
    RowOutput,
    make_subscription,
    state_output,
)
from screw_dynamics.nodes.shared.executor import run_node
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics.nodes.shared.robot_node import RobotNode

NAME = 'load_observer'
_COMPONENTS = tuple(f'wrench.{part}.{axis}' for part in ('torque', 'force') for axis in 'xyz')


class LoadObserverNode(RobotNode[LoadObserverParameters]):
    """Estimates external efforts and wrenches from joint states, and detects contacts."""

    _tells_model = True

    def __init__(self) -> None:
        self._identification: IdentificationService | None = None
        self._loads: ObservedLoads | None = None
        self._effort: RowOutput | None = None
        self._wrench: RowOutput | None = None
        counted = ('observed', 'left out', 'rejected', 'contacts', 'without wrench')
        self._counts = dict.fromkeys(counted, 0)
        self._last_rejection = ''
        self._contact: Contact | None = None  # the last one
        self._reported, self._touched = -1, True
        super().__init__(NAME, LoadObserverParameters)

    def _set_up(self) -> dict[str, Callable[[], Report]]:
        if self._values.wrench_frame:
            message = WrenchStamped()
            message.header.frame_id = self._values.wrench_frame
            self._wrench = RowOutput(self, '~/estimated_wrench', message, _COMPONENTS, 1)
        self._flag = self.create_publisher(Bool, '~/contact', LATCHED)
        self._set_contact(False)
        self._identification = IdentificationService(self)
        self._input = make_subscription(
            self, JointState, 'joint_states', self._on_joint_states, qos_profile_sensor_data
        )
        if self._values.effort_source == 'motor_states':
            make_subscription(
                self, JointState, 'motor_states', self._on_motor_states, qos_profile_sensor_data
            )
        return {'observer': self._report}

    def destroy_node(self) -> None:
        """End a running identification, and destroy the node."""
        if self._identification is not None:
            self._identification.close()
        super().destroy_node()

    def _require(self, loaded: LoadedRobot) -> ObservedLoads:
        super()._require(loaded)
        return ObservedLoads(loaded.robot, self._values)

    def _prepare(self, loaded: LoadedRobot) -> None:
        self._require(loaded).warm_up()

    def _on_model(self, loaded: LoadedRobot) -> None:
        before, self._loads = self._loads, self._require(loaded)
        if self._identification is not None:
            self._identification.kept = loaded, self._loads
        self._set_contact(False)
        if before is None or before.joint_names != self._loads.joint_names:
            if self._effort is not None:
                self._effort.destroy()
            self._effort = state_output(
                self, '~/external_effort', self._loads.joint_names, ('effort',)
            )
        self.get_logger().info(
            f'Observing {len(self._loads.joint_names)} joints: listens on '
            f'{", ".join((self._input.topic_name, *self._source.topics))}'
        )

    def _on_joint_states(self, message: JointState) -> None:
        loads = self._loads
        if loads is None or self._effort is None:
            return
        detector = loads.detector
        before, doubted = detector.contact, bool(detector.observer.doubt)
        payload = loads.payload
        try:
            if not loads.receive(message, self._now()):
                self._counts['left out'] += 1
                return
        except ScrewDynamicsError as error:
            self._reject('Joint states', error)
            return
        if detector.observer.doubt and not doubted:
            self.get_logger().warning(f'Joint states: {detector.observer.doubt}')
        self._counts['observed'] += 1
        self._effort.publish(loads.instant, loads.effort)
        if self._wrench is not None:
            wrench = loads.wrench()
            if wrench is None:
                self._counts['without wrench'] += 1
            else:
                self._wrench.publish(loads.instant, wrench[:, np.newaxis])
        self._set_contact(detector.contact is not None)
        self._log_contact(before, detector.contact)
        if loads.payload is not payload and loads.payload is not None:
            self.get_logger().warning(f'Contact {payload_text(loads.payload, self._values)}')

    def _set_contact(self, value: bool) -> None:
        """Publish whether there is a contact, when that changes."""
        if value != self._touched:
            self._touched = value
            self._flag.publish(Bool(data=value))

    def _log_contact(self, before: Contact | None, contact: Contact | None) -> None:
        if contact is not None:
            self._contact = contact
            if before is None:
                self._counts['contacts'] += 1
                self.get_logger().info(f'Contact begins on {_contact_text(contact)}')
        elif before is not None:
            self.get_logger().info(f'Contact has ended: strongest on {_contact_text(before)}')

    def _on_motor_states(self, message: JointState) -> None:
        if self._loads is None:
            return
        try:
            self._loads.receive_motors(message, self._now())
        except ScrewDynamicsError as error:
            self._reject('Motor states', error)

    def _reject(self, what: str, error: ScrewDynamicsError) -> None:
        self._counts['rejected'] += 1
        self._last_rejection = str(error)
        self.get_logger().error(f'{what} rejected: {error}', throttle_duration_sec=1.0)

    def _check(self, values: LoadObserverParameters) -> None:
        if self._source.loaded is not None:
            ObservedLoads(self._source.loaded.robot, values)  # raises

    def _on_parameters(self, old: LoadObserverParameters, new: LoadObserverParameters) -> None:
        others = replace(old, diagnostics_period=new.diagnostics_period)
        if self._loads is not None and others != new:
            self._loads.apply(new)
            self._set_contact(False)

    def _report(self) -> Report:
        """Return the report on the joint states; WARN if there are none since the last."""
        if self._loads is None:
            return Report(OK, 'not begun')
        values: dict[str, object] = {
            **self._counts,
            'contact': self._touched,
            'last contact': 'none' if self._contact is None else _contact_text(self._contact),
        }
        if self._loads.payload is not None:
            values['contact as payload'] = payload_text(self._loads.payload, self._values)
        news, self._reported = self._counts['observed'] != self._reported, self._counts['observed']
        if not news:
            reason = f': {self._last_rejection}' if self._last_rejection else ''
            return Report(WARN, f'no joint states since the last report{reason}', values)
        message = f'last rejection: {self._last_rejection}' if self._last_rejection else 'ok'
        return Report(OK, message, values)


def _contact_text(contact: Contact) -> str:
    """Return link, size and direction of a contact."""
    force, torque = (
        ', '.join(f'{value:.1f}' for value in part) for part in (contact.force, contact.torque)
    )
    return (
        f'{contact.link}: {contact.strength:.1f} times the threshold, force [{force}] N, torque '
        f'[{torque}] N m'
    )


main = partial(run_node, LoadObserverNode, NAME, parameters=LoadObserverParameters)
