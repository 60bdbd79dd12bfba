# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Run `feedforward` and `dynamics_server` for long and watch their memory.

Trajectories, rejected messages, parameter changes, services and lifecycle transitions go on all
the time.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from helpers.node_processes import NodeProcess, trajectory
from helpers.ros_fixture import RosFixture
from helpers.services import SERVICES
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters

from benchmarks.node.processes import URDF, paced, usage
from benchmarks.report import Report
from benchmarks.soak.report import Soak, page
from screw_dynamics import read_urdf
from screw_dynamics_interfaces.msg import FeedforwardTorque

OPTIONS: dict[str, dict[str, Any]] = {
    '--minutes': {'type': float, 'default': 30.0, 'help': 'of load'},
    '--rate': {'type': float, 'default': 250.0, 'help': 'of feedforward [Hz]'},
}
STEP = 1.0  # s between samples of the memory
LONGEST_WAIT = 20.0  # s for a response


class Load:
    """Work for the nodes; one step per second."""

    def __init__(self, ros: RosFixture) -> None:
        self.ros, self.names = ros, read_urdf(URDF).joint_names
        self.received = self.not_finite = self.answers = 0
        self._random = np.random.default_rng(0)
        node = ros.node
        self._clients = {
            'parameters': node.create_client(SetParameters, '/feedforward/set_parameters'),
            'state': node.create_client(ChangeState, '/feedforward/change_state'),
            'server parameters': node.create_client(
                SetParameters, '/dynamics_server/set_parameters'
            ),
            **{
                name: node.create_client(kind, f'/dynamics_server/{name}')
                for name, kind in SERVICES.items()
            },
        }
        node.create_subscription(
            FeedforwardTorque, '/feedforward/feedforward', self._on_torque, 10
        )

    def _on_torque(self, message: FeedforwardTorque) -> None:
        self.received += 1
        rows = (message.effort, message.effort_dot, message.effort_ddot)
        self.not_finite += not all(np.isfinite(row).all() for row in rows)

    def _call(self, name: str, request: Any) -> None:
        client = self._clients[name]
        future = client.call_async(request)
        end = time.monotonic() + LONGEST_WAIT
        while not future.done():
            if time.monotonic() > end:
                raise TimeoutError(f'{client.srv_name}: no response within {LONGEST_WAIT:g} s')
            self.ros.spin(0.05)
        future.result()
        self.answers += 1

    def _set(self, client: str, name: str, value: float) -> None:
        typed = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)
        self._call(client, SetParameters.Request(parameters=[Parameter(name=name, value=typed)]))

    def step(self, i: int) -> None:
        """Do what is due in second i."""
        points = self._random.uniform(-1.0, 1.0, (4, len(self.names)))
        topic = '/feedforward/joint_trajectory'
        if i % 3 == 0:
            # within the limits of the robot
            message = trajectory(self.names, *(0.2 * points), times=[0.0, 1.0, 2.0, 4.0])
            self.ros.publish(message, topic)
        if i % 5 == 0:
            self.ros.publish(trajectory(self.names, points[0] * np.nan), topic)
        if i % 7 == 0:
            # a payload that comes and goes: the model is made anew
            for client in ('parameters', 'server parameters'):
                self._set(client, 'nose', 1.0)  # refused: no such parameter
                self._set(client, 'payload.mass', 0.1 * (i % 6))
        if i % 11 == 0:
            request = SERVICES['compute_trajectory_torques'].Request(
                trajectory=trajectory(self.names, *points), derivative_order=2
            )
            request.sample_period.nanosec = 10**7
            self._call('compute_trajectory_torques', request)
        if i % 60 == 59:
            for transition in (
                Transition.TRANSITION_DEACTIVATE,
                Transition.TRANSITION_CLEANUP,
                Transition.TRANSITION_CONFIGURE,
                Transition.TRANSITION_ACTIVATE,
            ):
                self._call('state', ChangeState.Request(transition=Transition(id=transition)))
        position = points[0].tolist()
        for name in ('get_mass_matrix', 'get_dynamic_terms'):
            self._call(name, SERVICES[name].Request(position=position))
        self._call(
            'get_inverse_dynamics',
            SERVICES['get_inverse_dynamics'].Request(position=position, derivative_order=2),
        )


def measure(minutes: float, rate: float) -> Report:
    """Load the nodes for some time and return the page."""
    get_mass_matrix, topic = SERVICES['get_mass_matrix'], '/dynamics_server/get_mass_matrix'
    with RosFixture() as ros:
        robot = {'urdf_path': URDF, 'payload__frame': 'flange'}
        processes: dict[str, NodeProcess] = {
            'feedforward': ros.start('feedforward', publish_rate=rate, **robot),
            'dynamics_server': ros.start('dynamics_server', **robot),
        }
        ros.wait_until_active(processes['feedforward'])
        empty, no_model = get_mass_matrix.Request(), get_mass_matrix.Response.NO_MODEL
        ros.wait_for(
            'the model of dynamics_server',
            lambda: ros.call(get_mass_matrix, topic, empty).error_code != no_model,
        )
        load = Load(ros)
        times: list[float] = []
        samples: dict[str, list[Any]] = {name: [] for name in processes}
        begun = time.monotonic()
        for i in paced(ros, int(60.0 * minutes / STEP), STEP, 'soak'):
            times.append(time.monotonic() - begun)
            for name, process in processes.items():
                if not process.running:
                    raise RuntimeError(f'{name} ended: {process.log[-2000:]}')
                samples[name].append(usage(process.pid))
            load.step(i)
        codes = {name: process.interrupt() for name, process in processes.items()}
    return page(
        Soak(rate, np.array(times), samples, load.received, load.not_finite, load.answers, codes)
    )
