# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Random input for a pair of running nodes, and checks that both still work."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from typing import Any

import numpy as np
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import SetParameters
from rclpy.qos import QoSProfile
from std_msgs.msg import Float64, String

from helpers.fuzz_robots import PLANAR
from helpers.fuzz_strategies import MESSAGES, NAMES, PARAMETERS, Item
from helpers.heard import Heard, start_of
from helpers.node_processes import LATCHED, parameter, trajectory
from helpers.ros_fixture import RosFixture
from helpers.services import SERVICES

TRAJECTORY = '/feedforward/joint_trajectory'
DESCRIPTION = '/robot_description'
LATCHED_INPUTS = ('/feedforward/speed_scaling', DESCRIPTION)
STEPS = {
    'unconfigured': Transition.TRANSITION_CONFIGURE,
    'inactive': Transition.TRANSITION_ACTIVATE,
}
DEPTH = 2000  # messages that may wait, so that none is lost
PORTION = 400  # messages between looks at the nodes
PENDING = 8  # requests under way; a service keeps 10
STEADY = 10  # samples in a row
AGAIN = 20.0  # s, until what may have been lost is sent again
LONG = 1000.0  # s that the trajectory takes that has to go on


class Bombardment:
    """Two nodes under fire; `settle` raises AssertionError where something is wrong."""

    def __init__(self, ros: RosFixture) -> None:
        self.ros = ros
        depth = {
            f'qos_overrides.{topic}.subscription.depth'.replace('.', '__'): DEPTH
            for topic in (TRAJECTORY, '/joint_states')
        }
        self.feedforward = ros.start(
            'feedforward',
            publish_rate=100.0,
            diagnostic_updater__period=0.1,
            **depth,
        )
        self.server = ros.start('dynamics_server', max_samples=200, diagnostic_updater__period=0.1)
        self.thrown: Counter[str] = Counter()
        self._sent: Counter[str] = Counter()  # by topic
        self.settled = 0
        # trajectories: sent, of those that may not count, and counted by the node
        self._typed = self._unsure = self._counted = self._since = 0
        self._known_robots = 0  # when the sentinel before was answered
        self._active = True
        node = ros.node
        qos = QoSProfile(depth=DEPTH)
        self._publishers = {
            topic: node.create_publisher(
                type(message), topic, LATCHED if topic in LATCHED_INPUTS else qos
            )
            for topic, message in MESSAGES.items()
        }
        # A message of no bytes at all holds back what its reliable publisher sends after it, as
        # long as that one keeps it (Fast DDS 2.14); other publishers are not concerned.
        self._without_bytes = node.create_publisher(type(MESSAGES[TRAJECTORY]), TRAJECTORY, qos)
        self._parameters = node.create_client(SetParameters, '/feedforward/set_parameters')
        self._change_state = node.create_client(ChangeState, '/feedforward/change_state')
        self._get_state = node.create_client(GetState, '/feedforward/get_state')
        self._clients = {
            name: node.create_client(kind, f'/dynamics_server/{name}')
            for name, kind in SERVICES.items()
        }
        self._futures: list[tuple[str, Any]] = []
        self.heard = Heard(node, qos)
        self._describe()
        ros.wait_until_active(self.feedforward)
        for client in (
            self._parameters,
            self._change_state,
            self._get_state,
            *self._clients.values(),
        ):
            ros.wait_for(client.srv_name, client.service_is_ready, self.server)
        publisher = self._publishers[TRAJECTORY]
        ros.wait_for('the subscription', publisher.get_subscription_count, self.feedforward)

    def throw(self, item: Item) -> None:
        """Throw one thing; look at the nodes when enough have been thrown."""
        kind = 'bytes' if isinstance(item.payload, bytes) else item.target
        self.thrown[kind] += 1
        if isinstance(item.payload, bytes):
            if not self._throw_bytes(item):
                self.thrown[kind] -= 1
                return
        elif item.target in self._publishers:
            self._publishers[item.target].publish(item.payload)
            self._sent[item.target] += 1
            if item.target == TRAJECTORY:
                self._typed += self._active
                self._unsure += not self._active
        elif item.target == 'transition':
            self._transition(item.payload)
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

    def _throw_bytes(self, item: Item) -> bool:
        """Publish bytes; return False if the sender's own DDS rejects them."""
        publisher = self._publishers[item.target] if item.payload else self._without_bytes
        try:
            publisher.publish(item.payload)
        except RuntimeError:
            return False
        self._sent[item.target] += 1
        self._unsure += item.target == TRAJECTORY
        return True

    def _transition(self, transition: Transition) -> None:
        """Ask for a transition; what comes before the subscriptions are there again is lost."""
        if self._active:
            self._sentinel()
        self._ask(self._change_state, ChangeState.Request(transition=transition))
        # a new robot may activate the node later; nothing but a transition deactivates it
        self._active = self._state() == 'active'
        self._wait_for_subscription()

    def _ask(self, client: Any, request: Any) -> Any:
        future = client.call_async(request)
        what = f'the response of {client.srv_name}'
        self.ros.wait_for(what, future.done, self.feedforward)
        return future.result()

    def _state(self) -> str:
        return self._ask(self._get_state, GetState.Request()).current_state.label

    def _wait_for_subscription(self) -> None:
        subscribers = self._publishers[TRAJECTORY].get_subscription_count
        if self._active:
            self.ros.wait_for('the subscription', subscribers, self.feedforward)

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
        accepted, rejected = self.heard.counts
        assert self._typed <= accepted + rejected <= self._typed + self._unsure, (
            self._typed,
            self._unsure,
            self.heard.counts,
        )
        # count from here: how many of the unsure were accepted or rejected is known now
        self._counted = self._typed = accepted + rejected
        self._unsure = 0
        for topic, count in self.heard.streamed.items():  # best effort: some may be lost
            assert count <= self._sent[f'/feedforward/{topic}'], (topic, count, self._sent)
        self._follow()
        assert not self.heard.not_finite, f'{self.heard.not_finite} samples are not finite'
        for process in (self.feedforward, self.server):
            assert process.running, process.log[-3000:]
            assert 'Traceback' not in process.log
        self.settled += 1

    def _restore(self) -> None:
        """Parameters, robot, state and speed as they were at first."""
        request = SetParameters.Request(
            parameters=[parameter(name, value) for name, value in PARAMETERS.items()]
        )
        response = self._ask(self._parameters, request)
        assert all(result.successful for result in response.results), response
        self._describe()
        while (state := self._state()) != 'active':
            request = ChangeState.Request(transition=Transition(id=STEPS[state]))
            assert self._ask(self._change_state, request).success, self.feedforward.log[-3000:]
        self._active = True
        self._wait_for_subscription()
        self._publishers['/feedforward/speed_scaling'].publish(Float64(data=1.0))

    def _describe(self) -> None:
        """Send both nodes the robot that the messages are for, by a new text."""
        text = f'{PLANAR}<!-- {sum(self.thrown.values())} {self.settled} -->'
        self._publishers[DESCRIPTION].publish(String(data=text))
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        self.ros.wait_for(
            'the robot',
            lambda: list(self.heard.models.values()) == [sha256, sha256],
            self.feedforward,
        )

    def _reject(self) -> str:
        """Send a trajectory that is rejected with a name of its own; return that name."""
        name = f'sentinel_{sum(self.thrown.values())}_{self._typed}'
        self._publishers[TRAJECTORY].publish(trajectory([name, 'joint_2'], [0.0, 0.0]))
        self._typed += 1
        return name

    def _sentinel(self) -> None:
        """Wait until all that was sent before has been handled."""
        robots = self._known_robots
        name, again = self._reject(), time.monotonic() + AGAIN

        def rejected() -> bool:
            nonlocal name, again
            if time.monotonic() > again:
                # lost with the subscription, as may be what was sent just before; or rejected for
                # another reason: the stream sent before it was received later
                if self._other_robots() > robots:
                    self._unsure += self._typed - self._counted
                    self._typed = self._counted
                name, again = self._reject(), time.monotonic() + AGAIN
            return name in self.heard.rejection

        self.ros.wait_for(f'the rejection of {name}', rejected, self.feedforward)
        self._known_robots = self._other_robots()

    def _other_robots(self) -> int:
        """Return how often a robot with other joints came, which subscribes anew."""
        return self.feedforward.log.count('The new robot model has other joints')

    def _follow(self) -> None:
        """Start a trajectory that bad messages do not stop."""
        message = trajectory(NAMES, [0.0, 0.0], [1.0, 0.5], times=[0.0, LONG])
        sent = time.time_ns()
        self._publishers[TRAJECTORY].publish(message)
        self._typed += 1
        self._sentinel()

        def following() -> bool:
            last = self.heard.last
            return (
                last is not None
                and last.source == last.SOURCE_TRAJECTORY
                and start_of(last) >= sent  # else a sample of a motion before
                and self.heard.steady >= STEADY
                and len(last.effort_ddot) == len(NAMES)
            )

        self.ros.wait_for('the trajectory', following, self.feedforward)
        start = start_of(self.heard.last)
        for _ in range(5):
            self._reject()
        self._sentinel()
        count = self.heard.samples
        self.ros.wait_for('samples', lambda: self.heard.samples > count + 3, self.feedforward)
        last = self.heard.last
        assert abs(start_of(last) - start) <= 2, (
            f'begun at {start} before, {start_of(last)} after bad messages: {last}; '
            f'{self.feedforward.log[-2000:]}'
        )
