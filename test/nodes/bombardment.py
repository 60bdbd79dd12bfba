# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Throw things at a pair of running nodes, then ask whether all is as it should be."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from fuzz_strategies import MESSAGES, NAMES, PARAMETERS, Item
from node_processes import LATCHED, RosFixture, trajectory
from rcl_interfaces.srv import SetParameters
from rclpy.qos import QoSProfile
from services import SERVICES
from std_msgs.msg import Float64, Float64MultiArray

from screw_dynamics.nodes.conversions import nanoseconds
from screw_dynamics_interfaces.msg import FeedforwardTorque

TRAJECTORY = '/feedforward/joint_trajectory'
LATCHED_INPUTS = ('/feedforward/speed_scaling',)
DEPTH = 2000  # messages that may wait, so that none is lost
PORTION = 400  # messages between looks at the nodes
PENDING = 8  # requests under way; a service keeps 10
STEADY = 10  # samples in a row
LONG = 1000.0  # s that the trajectory takes that has to go on


class Bombardment:
    """Two nodes under fire; `settle` raises AssertionError where something is wrong."""

    def __init__(self, ros: RosFixture, urdf: Any) -> None:
        self.ros = ros
        depth = {
            f'qos_overrides.{topic}.subscription.depth'.replace('.', '__'): DEPTH
            for topic in (TRAJECTORY, '/joint_states')
        }
        self.feedforward = ros.start(
            'feedforward',
            urdf_path=urdf,
            publish_rate=100.0,
            diagnostic_updater__period=0.1,
            **depth,
        )
        self.server = ros.start('dynamics_server', urdf_path=urdf, max_samples=200)
        self.thrown: Counter[str] = Counter()
        self.samples = self.not_finite = self.settled = 0
        self.last: FeedforwardTorque | None = None
        self._steady = 0  # samples in a row that agree on the start: the speed is 1
        self._counts = (0, 0)
        self._message = ''
        self._typed = self._bytes = self._since = 0
        node = ros.node
        qos = QoSProfile(depth=DEPTH)
        self._publishers = {
            topic: node.create_publisher(
                type(message), topic, LATCHED if topic in LATCHED_INPUTS else qos
            )
            for topic, message in MESSAGES.items()
        }
        self._parameters = node.create_client(SetParameters, '/feedforward/set_parameters')
        self._clients = {
            name: node.create_client(kind, f'/dynamics_server/{name}')
            for name, kind in SERVICES.items()
        }
        self._futures: list[tuple[str, Any]] = []
        node.create_subscription(FeedforwardTorque, '/feedforward/feedforward', self._torque, qos)
        node.create_subscription(Float64MultiArray, '/feedforward/commands', self._commands, qos)
        node.create_subscription(DiagnosticArray, '/diagnostics', self._diagnostics, 10)
        ros.wait_until_active(self.feedforward)
        for client in (self._parameters, *self._clients.values()):
            ros.wait_for(client.srv_name, client.service_is_ready, self.server)
        publisher = self._publishers[TRAJECTORY]
        ros.wait_for('the subscription', publisher.get_subscription_count, self.feedforward)

    def _torque(self, message: FeedforwardTorque) -> None:
        self.samples += 1
        same = self.last is not None and abs(start_of(message) - start_of(self.last)) <= 2
        self._steady = self._steady + 1 if same else 0
        self.last = message
        point = message.reference
        rows = (message.effort, message.effort_dot, message.effort_ddot, point.positions,
                point.velocities, point.accelerations, message.reference_jerk,
                message.reference_snap)  # fmt: skip
        self.not_finite += not all(np.isfinite(row).all() for row in rows)

    def _commands(self, message: Float64MultiArray) -> None:
        self.not_finite += not np.isfinite(message.data).all()

    def _diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == 'feedforward: trajectory':
                values = {item.key: item.value for item in status.values}
                self._counts = int(values['accepted']), int(values['rejected'])
                self._message = status.message

    def throw(self, item: Item) -> None:
        """Throw one thing; look at the nodes when enough have been thrown."""
        kind = 'bytes' if isinstance(item.payload, bytes) else item.target
        self.thrown[kind] += 1
        if item.target in self._publishers:
            try:
                self._publishers[item.target].publish(item.payload)
            except RuntimeError:  # the sender's own DDS would not have these bytes
                assert kind == 'bytes'
                self.thrown[kind] -= 1
                return
            if item.target == TRAJECTORY:
                self._bytes += kind == 'bytes'
                self._typed += kind != 'bytes'
        elif item.target == 'parameters':
            request = SetParameters.Request(parameters=item.payload)
            self._futures.append(('parameters', self._parameters.call_async(request)))
        else:
            future = self._clients[item.target].call_async(item.payload)
            self._futures.append((item.target, future))
        self._since += 1
        if len(self._futures) >= PENDING:
            self._answers()
        if self._since >= PORTION:
            self.settle()

    def _answers(self) -> None:
        """Wait for the responses and look at them."""
        for name, future in self._futures:
            process = self.feedforward if name == 'parameters' else self.server
            self.ros.wait_for(f'the response of {name}', future.done, process)
            response = future.result()
            if name == 'parameters':
                assert all(result.successful or result.reason for result in response.results)
                continue
            assert response.success == (response.error_code == response.OK)
            assert response.success or response.message
            for field, kind in response.get_fields_and_field_types().items():
                if kind == 'sequence<double>':
                    values = getattr(response, field)
                    assert np.isfinite(values).all(), (name, field)
                    assert response.success or not len(values), (name, field)
        self._futures.clear()

    def settle(self) -> None:
        """Check that both nodes live, and that what has to go on goes on."""
        self._answers()
        self._since = 0
        self._restore()
        self._sentinel()
        accepted, rejected = self._counts
        assert self._typed <= accepted + rejected <= self._typed + self._bytes, (
            self._typed,
            self._bytes,
            self._counts,
        )
        # count from here: how many of the bytes were a message is known now
        self._typed, self._bytes = accepted + rejected, 0
        self._follow()
        assert not self.not_finite, f'{self.not_finite} samples are not finite'
        for process in (self.feedforward, self.server):
            assert process.running, process.log[-3000:]
            assert 'Traceback' not in process.log
        self.settled += 1

    def _restore(self) -> None:
        for name, value in PARAMETERS.items():
            taken, reason = self.ros.set_parameter('/feedforward', name, value)
            assert taken, (name, reason)
        self._publishers['/feedforward/speed_scaling'].publish(Float64(data=1.0))

    def _reject(self) -> str:
        """Send a trajectory that is rejected with a name of its own; return that name."""
        name = f'sentinel_{sum(self.thrown.values())}_{self._typed}'
        self._publishers[TRAJECTORY].publish(trajectory([name, 'joint_2'], [0.0, 0.0]))
        self._typed += 1
        return name

    def _sentinel(self) -> None:
        """Wait until all that was sent before has been handled."""
        name = self._reject()
        self.ros.wait_for(
            f'the rejection of {name}', lambda: name in self._message, self.feedforward
        )

    def _follow(self) -> None:
        """Have a trajectory followed that bad messages do not stop."""
        message = trajectory(NAMES, [0.0, 0.0], [1.0, 0.5], times=[0.0, LONG])
        self._publishers[TRAJECTORY].publish(message)
        self._typed += 1
        self._sentinel()
        begun = self.samples + STEADY  # among those before are samples of another motion

        def following() -> bool:
            last = self.last
            return (
                self.samples > begun
                and self._steady >= STEADY
                and last is not None
                and last.source == last.SOURCE_TRAJECTORY
                and last.reference.time_from_start.sec < 5
                and len(last.effort_ddot) == len(NAMES)
            )

        self.ros.wait_for('the trajectory', following, self.feedforward)
        start = start_of(self.last)
        for _ in range(5):
            self._reject()
        self._sentinel()
        count = self.samples
        self.ros.wait_for('samples', lambda: self.samples > count + 3, self.feedforward)
        assert abs(start_of(self.last) - start) <= 2, (
            f'begun at {start} before, {start_of(self.last)} after bad messages: {self.last}; '
            f'{self.feedforward.log[-2000:]}'
        )


def start_of(sample: FeedforwardTorque) -> int:
    """Return the instant at which the motion of a sample has begun, rounded twice [ns]."""
    return nanoseconds(sample.header.stamp) - nanoseconds(sample.reference.time_from_start)
