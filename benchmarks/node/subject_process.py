# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
A process that publishes FeedforwardTorque at a steady rate and notes when and for how long.

    python -m benchmarks.node.subject_process feedforward|loops|bare|echo SAMPLES OUTPUT.npz ...

`feedforward` is the node as it is shipped; `bare` a node whose rclpy timer publishes a message
that was filled beforehand, with the parameter `motors` a MotorFeedforward too; `echo` answers
every joint state with one. All are spun by the same executor. Ends with SIGINT; `loops`, the node
as it is shipped that ticks a third of SAMPLES in its executor, a third after sleeps and a third in
a loop, by itself.
"""

from __future__ import annotations

import gc
import sys
import time
from functools import partial
from typing import Any

import numpy as np
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

from screw_dynamics.nodes.feedforward.node import FeedforwardNode
from screw_dynamics.nodes.shared.executor import make_executor, run_node
from screw_dynamics.nodes.shared.tick_timer import TickTimer
from screw_dynamics.recordings.messages.joints import double_array
from screw_dynamics_interfaces.msg import FeedforwardTorque, MotorFeedforward

PAUSES = 10_000
JOINTS = 7
MOTOR_TOPIC = '/feedforward/motor_feedforward'
MOTOR_FIELDS = [
    field
    for field, kind in MotorFeedforward.get_fields_and_field_types().items()
    if kind == 'sequence<double>'
]


class Probe:
    """Times of every tick and pauses of the garbage collector, in arrays made beforehand."""

    def __init__(self, samples: int) -> None:
        # begin, duration, part of it in publish() [ns]; objects left to the collector
        # (ones, so that the memory is taken now and not while it is watched)
        self.ticks = np.ones((samples, 4), dtype=np.int64)
        self.pauses = np.ones((PAUSES, 3), dtype=np.int64)  # begin, duration [ns], generation
        self.tick_count = self.pause_count = 0
        self._publishing = self._pause_begun = 0
        gc.callbacks.append(self._on_collection)
        self._probe_publisher()

    def _on_collection(self, phase: str, info: dict[str, int]) -> None:
        now = time.monotonic_ns()
        if phase == 'start':
            self._pause_begun = now
        elif self.pause_count < PAUSES:
            row = self.pauses[self.pause_count]
            row[0], row[1], row[2] = self._pause_begun, now - self._pause_begun, info['generation']
            self.pause_count += 1

    def _probe_publisher(self) -> None:
        publish = Publisher.publish

        def timed(publisher: Publisher, message: Any) -> None:
            begun = time.monotonic_ns()
            publish(publisher, message)
            self.count_as_published(time.monotonic_ns() - begun)

        Publisher.publish = timed

    def count_as_published(self, nanoseconds: int) -> None:
        """Add to the time in publish() of the present tick."""
        self._publishing += nanoseconds

    def probe(self, owner: Any, method: str) -> None:
        """Record the calls of a method as ticks."""
        call = getattr(owner, method)

        def timed(*arguments: Any) -> None:
            self._publishing = 0
            objects, begun = gc.get_count()[0], time.monotonic_ns()
            call(*arguments)
            ended = time.monotonic_ns()
            if self._publishing and self.tick_count < len(self.ticks):
                row = self.ticks[self.tick_count]
                row[0], row[1], row[2] = begun, ended - begun, self._publishing
                row[3] = gc.get_count()[0] - objects
                self.tick_count += 1

        setattr(owner, method, timed)

    def save(self, path: str) -> None:
        """Write what was recorded."""
        np.savez(path, ticks=self.ticks[: self.tick_count], pauses=self.pauses[: self.pause_count])


class BareNode(Node):
    """Publish one message again and again."""

    def __init__(self) -> None:
        super().__init__('bare')
        self.declare_parameter('publish_rate', 1000.0)
        row = double_array(np.linspace(0.1, 0.7, JOINTS))
        self._message = FeedforwardTorque(
            joint_names=[f'joint_{i + 1}' for i in range(JOINTS)],
            effort=row,
            effort_dot=row,
            effort_ddot=row,
            reference_jerk=row,
            reference_snap=row,
        )
        for name in ('positions', 'velocities', 'accelerations'):
            setattr(self._message.reference, name, row)
        self._publisher = self.create_publisher(FeedforwardTorque, '/feedforward/feedforward', 10)
        self._motors: Publisher | None = None
        if self.declare_parameter('motors', False).value:
            self._motors = self.create_publisher(MotorFeedforward, MOTOR_TOPIC, 10)
            names = self._message.joint_names
            self._commands = MotorFeedforward(
                joint_names=names, motor_names=names, **dict.fromkeys(MOTOR_FIELDS, row)
            )
        self.create_timer(
            1.0 / float(self.get_parameter('publish_rate').value),
            lambda: self.tick(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def tick(self) -> None:
        self._publisher.publish(self._message)
        if self._motors is not None:
            self._motors.publish(self._commands)


class EchoNode(Node):
    """Answer every joint state with one message."""

    def __init__(self) -> None:
        super().__init__('echo')
        names = [f'joint_{i + 1}' for i in range(JOINTS)]
        row = double_array(np.linspace(0.1, 0.7, JOINTS))
        self._message = JointState(name=names, position=row, velocity=row, effort=row)
        self._publisher = self.create_publisher(JointState, '/compensation/joint_effort', 10)
        self.create_subscription(
            JointState, '/joint_states', lambda _: self.tick(), qos_profile_sensor_data
        )

    def tick(self) -> None:
        self._publisher.publish(self._message)


def tick_in_loops(probe: Probe, node: Node) -> None:
    """Tick in the executor, after sleeps, and without a pause and publish()."""
    executor = make_executor()
    executor.add_node(node)
    number, tick = len(probe.ticks) // 3, node._ticks._tick
    while probe.tick_count < number:
        executor.spin_once(timeout_sec=0.1)
    executor.shutdown()
    while probe.tick_count < 2 * number:
        time.sleep(1e-3)
        tick()
    # at full speed the subscriber and the threads of DDS would take half of the processor
    Publisher.publish = lambda publisher, message: probe.count_as_published(1)
    while probe.tick_count < 3 * number:
        tick()


def main() -> int:
    """Run the node that is asked for."""
    subject, samples, output, *arguments = sys.argv[1:]
    probe = Probe(int(samples))
    if subject in ('feedforward', 'loops'):
        probe.probe(TickTimer, '_tick')
        work = partial(tick_in_loops, probe) if subject == 'loops' else None
        code = run_node(FeedforwardNode, subject, [subject, *arguments], work=work)
    else:
        kind = {'bare': BareNode, 'echo': EchoNode}[subject]
        probe.probe(kind, 'tick')
        code = run_node(kind, subject, [subject, *arguments])
    probe.save(output)
    return code


if __name__ == '__main__':
    sys.exit(main())
