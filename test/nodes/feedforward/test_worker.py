# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The worker of the node, and the rate of its ticks."""

import os
import signal
import threading
import time

import pytest
from helpers.node_processes import trajectory
from helpers.patience import patience
from helpers.receiving_node import NAMES, Node
from rclpy.serialization import serialize_message

from screw_dynamics.control.tasks import Fitted, Header, Rejection
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
