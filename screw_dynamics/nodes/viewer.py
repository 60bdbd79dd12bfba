# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `viewer`: joint states, efforts, motors and a wrench in, a page for web browsers out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.settings import fixed
from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.nodes.shared.endpoints import make_subscription, steady_timer
from screw_dynamics.nodes.shared.executor import run_node
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics.nodes.shared.robot_node import RobotNode
from screw_dynamics.recordings.messages.joints import named_row
from screw_dynamics.viewer.motion import Sample
from screw_dynamics.viewer.viewer import Viewer
from screw_dynamics.viewer.visuals import Visuals, read_visuals
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAME = 'viewer'


@dataclass(frozen=True)
class ViewerParameters(ModelParameters):
    """Parameters of the node `viewer`."""

    host: str = fixed(
        'localhost', 'Address on which the page is served: 0.0.0.0 lets other computers open it.'
    )
    port: int = fixed(
        8080, 'Port of the page; if it is taken, the next one that is free.', within=(1, 65535)
    )
    rate: float = fixed(30.0, 'Pictures per second, at most.', within=(1.0, 120.0))
    package_path: tuple[str, ...] = fixed(
        (),
        'Folders with the packages of the meshes, before those of AMENT_PREFIX_PATH and '
        'ROS_PACKAGE_PATH.',
    )


class ViewerNode(RobotNode[ViewerParameters]):
    """Draws the newest state of a robot on a page."""

    def __init__(self) -> None:
        self._viewer: Viewer | None = None
        self._visuals = Visuals({}, {}, {}, [])
        self._clear()
        super().__init__(NAME, ViewerParameters)

    def _set_up(self) -> dict[str, Callable[[], Report]]:
        inputs = (
            (JointState, 'joint_states', self._on_states, qos_profile_sensor_data),
            (JointState, 'motor_states', self._on_motors, qos_profile_sensor_data),
            (FeedforwardTorque, 'feedforward/feedforward', self._on_efforts, 1),
            (WrenchStamped, 'load_observer/estimated_wrench', self._on_wrench, 1),
        )
        for kind, topic, receive, qos in inputs:
            make_subscription(self, kind, topic, receive, qos)
        steady_timer(self, 1.0 / self._values.rate, self._draw)
        return {'page': self._report}

    def destroy_node(self) -> None:
        """End the server, and destroy the node."""
        if self._viewer is not None:
            self._viewer.stop()
        super().destroy_node()

    def _clear(self) -> None:
        """Forget what was received."""
        self._position: Array | None = None
        self._reference: Array | None = None
        self._measured: Array | None = None
        self._efforts: Array | None = None
        self._motors: Array | None = None
        self._wrenches: dict[str, Array] = {}
        self._fresh = False

    def _prepare(self, loaded: LoadedRobot) -> None:
        self._visuals = read_visuals(loaded.text.encode(), self._values.package_path)

    def _on_model(self, loaded: LoadedRobot) -> None:
        if self._viewer is not None:
            self._viewer.stop()
        for line in self._visuals.warnings('parameter package_path names the folder with it'):
            self.get_logger().warning(line)
        for line in self._visuals.details():
            self.get_logger().debug(line)
        self._clear()
        values = self._values
        self._viewer = Viewer(
            loaded.robot, None, self._visuals, values.port, live=True, host=values.host
        )
        self._viewer.set_status(self._waiting)
        self.get_logger().info(f'Shows {loaded.robot.model.name} at {self._viewer.address}')

    def _on_states(self, message: JointState) -> None:
        if self._viewer is None:
            return
        names = self._viewer.scene.robot.joint_names
        position = named_row(message.name, message.position, names)
        if np.isfinite(position).all():
            if self._position is None:
                self._viewer.set_status('')
            self._position, self._fresh = position, True
            efforts = named_row(message.name, message.effort, names)
            self._measured = efforts[np.newaxis] if np.isfinite(efforts).all() else None

    def _on_motors(self, message: JointState) -> None:
        if self._viewer is not None and self._viewer.scene.robot.drives is not None:
            names = self._viewer.scene.robot.motors.names
            motors = named_row(message.name, message.position, names)
            self._motors = motors if np.isfinite(motors).all() else None

    def _on_efforts(self, message: FeedforwardTorque) -> None:
        """Take over efforts with derivatives, as far as the message has them."""
        if self._viewer is None:
            return
        names = self._viewer.scene.robot.joint_names
        fields = message.effort, message.effort_dot, message.effort_ddot
        rows = [named_row(message.joint_names, row, names) for row in fields if len(row)]
        self._efforts = np.array(rows) if rows and np.isfinite(rows).all() else None
        if self._position is None:  # without states the reference is shown
            position = named_row(message.joint_names, message.reference.positions, names)
            if np.isfinite(position).all():
                self._reference, self._fresh = position, True

    def _on_wrench(self, message: WrenchStamped) -> None:
        torque, force = message.wrench.torque, message.wrench.force
        wrench = np.array([getattr(part, axis) for part in (torque, force) for axis in 'xyz'])
        if np.isfinite(wrench).all():
            self._wrenches = {message.header.frame_id: wrench}

    def _draw(self) -> None:
        position = self._reference if self._position is None else self._position
        if self._viewer is None or position is None or not self._fresh:
            return
        self._fresh = False
        efforts = self._measured if self._efforts is None else self._efforts
        try:
            self._viewer.scene.prepare(efforts, self._wrenches)
            self._viewer.show(Sample(position, efforts, self._motors, wrenches=self._wrenches))
        except ScrewDynamicsError as error:
            self._wrenches = {}
            self.get_logger().warning(f'{error}: not drawn', throttle_duration_sec=1.0)

    @property
    def _waiting(self) -> str:
        return f'waiting for {self.resolve_topic_name("joint_states")}'

    def _report(self) -> Report:
        if self._viewer is None or self._position is None:
            return Report(WARN, f'{self._waiting}, with all joints')
        return Report(OK, f'shown at {self._viewer.address}')


main = partial(run_node, ViewerNode, NAME, parameters=ViewerParameters)
