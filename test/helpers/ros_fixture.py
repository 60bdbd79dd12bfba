# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A DDS domain with a node of the tests, which talks to the nodes under test."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import rclpy
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.context import Context
from rclpy.node import Node
from std_msgs.msg import String

from helpers.node_processes import LATCHED, MOST_KEPT, NodeProcess, node_command, parameter
from helpers.patience import patience
from ros_demo.processes import unused_domain
from screw_dynamics.nodes.shared.executor import make_executor

# s, to the next attempt of a service call
RESPONSE_TIMEOUT = 10.0
READING_TIMEOUT = 1.0  # of one that changes nothing
# s, for the proof that subscribers know a publisher; some may answer no requests
PROOF_TIMEOUT = 10.0
USE_SIM_TIME = GetParameters.Request(names=['use_sim_time'])
UNKNOWN = '_NODE_NAME_UNKNOWN_'
PARTICIPANT = 12  # bytes of the identifier of an endpoint that its process gives to all
# clients of tests that have ended, with their domains: see `RosFixture.__exit__`
_ended: list[RosFixture] = []


def ros_arguments(name: str = '', namespace: str = '', **parameters: object) -> list[str]:
    """Return ROS arguments; dots in parameter names are written as double underscores."""
    arguments = ['--ros-args']
    for remapped, value in (('__node', name), ('__ns', namespace)):
        if value:
            arguments += ['-r', f'{remapped}:={value}']
    for key, value in parameters.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        arguments += ['-p', f'{key.replace("__", ".")}:={text}']
    return arguments


class RosFixture:
    """A DDS domain with one client node of ours and the processes under test."""

    def __init__(self) -> None:
        self._domain = domain = unused_domain()
        self.environment = {
            **os.environ,
            'ROS_DOMAIN_ID': str(domain),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            'PYTHONPATH': os.pathsep.join(
                filter(None, [os.getcwd(), os.environ.get('PYTHONPATH')])
            ),
        }
        os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = Node('client', context=self.context)
        self._executor = make_executor(self.context)
        self._executor.add_node(self.node)
        self._processes: list[NodeProcess] = []
        self._publishers: dict[str, Any] = {}
        self._clients: dict[tuple[type, str], Any] = {}

    def __enter__(self) -> RosFixture:
        return self

    def __exit__(self, *_: object) -> None:
        """
        End the processes; keep the node to the end of this process.

        Fast DDS can wait for itself forever when it destroys an endpoint while others come and go,
        and rclpy holds the interpreter lock meanwhile: no time limit would end the test.
        """
        for process in self._processes:
            process.kill()
        _ended.append(self)

    def start(
        self, module: str, *, name: str = '', namespace: str = '', **parameters: object
    ) -> NodeProcess:
        """Start a node; see `ros_arguments` for its parameters."""
        command = node_command(module)
        return self.start_command(command, name=name, namespace=namespace, **parameters)

    def start_command(
        self, command: Sequence[str], *, name: str = '', namespace: str = '', **parameters: object
    ) -> NodeProcess:
        """Start a process with ROS arguments."""
        command = [*command, *ros_arguments(name, namespace, **parameters)]
        process = NodeProcess(command, self.environment)
        self._processes.append(process)
        return process

    @contextmanager
    def made(self, kind: Callable[[], Node], **parameters: object) -> Iterator[Any]:
        """Make a node in this process, which does nothing by itself; destroy it at the end."""
        rclpy.init(args=ros_arguments(**parameters), domain_id=self._domain)
        try:
            node = kind()
            try:
                yield node
            finally:
                node.destroy_node()
        finally:
            rclpy.shutdown()

    def wait_for(
        self, what: str, condition: Callable[[], Any], process: NodeProcess | None = None
    ):
        """Spin until a condition holds and return its value."""
        start = time.monotonic()
        while True:
            # before the condition, which the last words of a process may fulfil
            running = process is None or process.running
            value = condition()
            if value:
                return value
            # a log may be long: it is read only if there is something to report
            assert running, f'the node ended: {process.log if process else ""}'
            assert (waited := time.monotonic() - start) < patience(), (
                f'waited {waited:.0f} s for {what}; log: {process.log if process else ""}'
            )
            self._executor.spin_once(timeout_sec=0.05)

    def spin(self, seconds: float) -> None:
        """Handle what arrives for some time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=left)

    def spin_once(self, seconds: float) -> None:
        """Handle the next thing that arrives within some time."""
        self._executor.spin_once(timeout_sec=seconds)

    def add_node(self, name: str) -> Node:
        """Return another node of ours, in a namespace of its own."""
        node = Node(name, namespace=f'/{name}', context=self.context)
        self._executor.add_node(node)
        return node

    def remove_node(self, node: Node) -> None:
        """Destroy a node that `add_node` made."""
        self._executor.remove_node(node)
        node.destroy_node()

    def listen(self, kind: type, topic: str, qos: Any = MOST_KEPT) -> list[Any]:
        """Return a list that fills with the messages of a topic; see `keep_all`."""
        messages: list[Any] = []
        self.node.create_subscription(kind, topic, messages.append, qos)
        return messages

    def publish(self, message: Any, topic: str, qos: Any = 10, subscribers: int = 1) -> None:
        """Publish, once the subscribers are there and know the publisher."""
        new = topic not in self._publishers
        if new:
            self._publishers[topic] = self.node.create_publisher(type(message), topic, qos)
        publisher = self._publishers[topic]
        self.wait_for(
            f'a subscriber of {topic}', lambda: publisher.get_subscription_count() >= subscribers
        )
        if new and subscribers:
            self._introduce(topic)
        publisher.publish(message)

    def _introduce(self, topic: str) -> None:
        """
        Wait until the nodes that subscribe to a topic have discovered our new publisher.

        A subscriber counts as matched here before it has, and drops what comes earlier. A node
        discovers what we have in the order in which it was made: it has discovered the publisher
        when it answers to a later client. Nodes of our own and those without parameter services
        are left out, and a node that answers nothing is not waited for longer than a while.
        """
        clients = [
            self._client(GetParameters, f'{name}/get_parameters', new=True)
            for name in self._subscribers(topic)
        ]
        answers = [_Answer(client, USE_SIM_TIME, READING_TIMEOUT) for client in clients]
        end = time.monotonic() + PROOF_TIMEOUT
        self.wait_for(
            f'subscribers of {topic} that know it',
            lambda: all([answer.arrived for answer in answers]) or time.monotonic() > end,
        )

    def _subscribers(self, topic: str) -> set[str]:
        """Return the nodes of others that subscribe to a topic and have parameter services."""
        ours = {
            bytes(info.endpoint_gid[:PARTICIPANT])
            for info in self.node.get_publishers_info_by_topic(topic)
            if (info.node_namespace, info.node_name) == ('/', self.node.get_name())
        }
        found: list[Any] = []
        end = time.monotonic() + PROOF_TIMEOUT

        def named() -> bool:
            found[:] = [
                info
                for info in self.node.get_subscriptions_info_by_topic(topic)
                if bytes(info.endpoint_gid[:PARTICIPANT]) not in ours
            ]
            return all(info.node_name != UNKNOWN for info in found)

        # the name of a node arrives after its subscriptions
        what = f'the names of the subscribers of {topic}'
        self.wait_for(what, lambda: named() or time.monotonic() > end)
        names = set()
        for info in found:
            node, namespace = info.node_name, info.node_namespace
            with suppress(RuntimeError):  # it ends meanwhile, or has no name
                services = self.node.get_service_names_and_types_by_node(node, namespace)
                name = f'{namespace.rstrip("/")}/{node}'
                if f'{name}/get_parameters' in dict(services):
                    names.add(name)
        return names

    def describe(self, text: str, topic: str = '/robot_description') -> None:
        """Publish a robot description, latched."""
        self.publish(String(data=text), topic, LATCHED, subscribers=0)

    def _client(self, kind: type, name: str, *, new: bool = False) -> Any:
        """Return a client, made after all our other endpoints if it is to be new."""
        if new or (kind, name) not in self._clients:
            self._clients[kind, name] = self.node.create_client(kind, name)
        return self._clients[kind, name]

    def call(
        self,
        kind: type,
        name: str,
        request: Any,
        timeout: float = RESPONSE_TIMEOUT,
        *,
        new: bool = False,
    ) -> Any:
        """
        Call a service, by a new client if that is to be discovered, and return the response.

        A server that has not yet discovered the client's reader drops its response, and one that
        was killed is matched for some seconds more, so a request without response is sent again.
        """
        client = self._client(kind, name, new=new)
        self.wait_for(f'the service {name}', client.service_is_ready)
        answer = _Answer(client, request, timeout)
        self.wait_for(f'the response of {name}', lambda: answer.arrived)
        return answer.response

    def call_once(self, kind: type, node: str, name: str, request: Any) -> Any:
        """
        Call a service of a node for which a repeated request is another one; return the response.

        The node is asked when it has discovered the client: see `wait_until_heard`.
        """
        client = self._client(kind, f'{node}/{name}')
        self.wait_for(f'the service {name} of {node}', client.service_is_ready)
        self.call(GetParameters, f'{node}/get_parameters', USE_SIM_TIME, READING_TIMEOUT, new=True)
        answer = _Answer(client, request)
        self.wait_for(f'the response of {name} of {node}', lambda: answer.arrived)
        return answer.response

    def state(self, node: str, *, new: bool = False) -> str:
        request = GetState.Request()
        response = self.call(GetState, f'{node}/get_state', request, READING_TIMEOUT, new=new)
        return response.current_state.label

    def change_state(self, node: str, transition: int) -> bool:
        request = ChangeState.Request(transition=Transition(id=transition))
        return self.call_once(ChangeState, node, 'change_state', request).success

    def wait_until_active(self, process: NodeProcess, node: str = '/feedforward') -> None:
        self.wait_for('the active node', lambda: self.state(node) == 'active', process)

    def wait_until_heard(self, node: str = '/feedforward') -> None:
        """
        Wait until a node has discovered all that we listen to, so that its first message arrives.

        It discovers our readers in the order in which they were made, the last one by responding.
        """
        self.state(node, new=True)

    def set_parameter(self, node: str, name: str, value: object) -> tuple[bool, str]:
        """Set a parameter of another node; return whether it was accepted and why not."""
        request = SetParameters.Request(parameters=[parameter(name, value)])
        name = f'{node}/set_parameters'
        (result,) = self.call(SetParameters, name, request, READING_TIMEOUT).results
        return result.successful, result.reason


class _Answer:
    """The answer to a request, which is sent when the service is there, and again after a time."""

    def __init__(self, client: Any, request: Any, again: float = math.inf) -> None:
        self._client, self._request, self._again = client, request, again
        self._futures: list[Any] = []
        self._next = 0.0  # time of the next request

    @property
    def arrived(self) -> bool:
        """Send what is due; return whether there is a response."""
        if any(future.done() for future in self._futures):
            return True
        if time.monotonic() >= self._next and self._client.service_is_ready():
            self._futures.append(self._client.call_async(self._request))
            self._next = time.monotonic() + self._again
        return False

    @property
    def response(self) -> Any:
        return next(future for future in self._futures if future.done()).result()
