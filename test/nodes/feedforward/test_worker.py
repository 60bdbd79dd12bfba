# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The worker of the node, the rate of its ticks, and its speed."""

import os
import signal
import threading
import time
from types import SimpleNamespace

import pytest
from helpers.node_processes import trajectory
from helpers.patience import patience
from helpers.receiving_node import NAMES, Node
from rclpy.serialization import serialize_message

from screw_dynamics.control.feedforward_parameters import (
    SPEED_FACTOR_TYPE,
    FeedforwardParameters,
)
from screw_dynamics.control.inputs import Speed
from screw_dynamics.control.tasks import Fitted, Header, Rejection
from screw_dynamics.nodes.feedforward import inputs
from screw_dynamics.nodes.feedforward.worker import Worker, read_header

DATA = serialize_message(trajectory(NAMES, [0.0, 0.0], [1.0, 0.5]))


@pytest.fixture(scope='module')
def worker():
    worker = Worker()
    yield worker
    worker.close()


@pytest.fixture
def asked(worker, planar):
    """Return a function that returns the answer to the task of fitting a message."""
    node = Node(planar)

    def asked(data=DATA):
        answers, there = [], threading.Event()

        def done(answer):
            answers.append(answer)
            there.set()

        node.take(data)
        worker.ask(node.task(0), done)
        assert there.wait(patience())
        return answers[0]

    return asked


def test_it_fits_messages_and_refuses_others(asked):
    fitted = asked()
    assert (fitted.summary.joint_names, fitted.summary.points) == (NAMES, 2)
    assert list(fitted.curve.end) == [1.0, 0.5]
    assert read_header(DATA) == Header(0, '')
    assert asked(b'nonsense').reason.startswith('expected a trajectory_msgs/JointTrajec')


def test_one_that_has_died_while_idle_is_replaced(worker, asked):
    asked()
    (process,) = worker._process._pool._processes
    os.kill(process, signal.SIGKILL)
    ends = time.monotonic() + patience()
    while os.path.exists(f'/proc/{process}') and time.monotonic() < ends:
        time.sleep(0.01)
    assert isinstance(asked(), Fitted)
    assert process not in worker._process._pool._processes


def test_a_closed_one_refuses(worker, asked):
    worker.close()
    assert isinstance(asked(), Rejection)


@pytest.fixture
def hear(monkeypatch):
    """Return a function that gives speeds to inputs: what the node steps with and warns of."""
    callbacks, node = {}, SimpleNamespace(take_trajectory=None, create_service=lambda *_: None)
    monkeypatch.setattr(
        inputs,
        'make_subscription',
        lambda node, kind, topic, take, *_, **__: callbacks.update({topic: (kind, take)}),
    )

    def hear(unit, *speeds):
        steps, warnings = [], []
        node.get_logger, node.step = lambda: SimpleNamespace(warning=warnings.append), steps.append
        parameters = FeedforwardParameters(speed_scaling_unit=unit)
        inputs.Inputs(node, SimpleNamespace(parameters=parameters))
        kind, take = callbacks[inputs.SPEED_TOPIC]
        for speed in speeds:
            take(kind(**{next(iter(kind.get_fields_and_field_types())): speed}))
        return steps, warnings

    return hear


def test_a_refused_speed_is_warned_of_once(hear):
    steps, warnings = hear('percent', -1.0, 201.0, float('nan'), 50.0, 200.0, -2.0, -3.0)
    assert steps == [Speed(0.5), Speed(2.0)]
    assert [text.rsplit(maxsplit=1)[-1] for text in warnings] == ['-1', '-2']


@pytest.mark.parametrize('unit', ['factor', SPEED_FACTOR_TYPE])
def test_factors_come_as_numbers_or_as_messages_of_ros2_control(hear, unit):
    messages = pytest.importorskip('control_msgs.msg')
    if unit == SPEED_FACTOR_TYPE and not hasattr(messages, 'SpeedScalingFactor'):
        pytest.skip('this control_msgs has no such message')
    assert hear(unit, 0.25, 2.0)[0] == [Speed(0.25), Speed(2.0)]
