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
from rclpy.serialization import serialize_message

from screw_dynamics.control.fit_requests import Outline, Reading, Refusal
from screw_dynamics.nodes.feedforward.worker import Worker

DATA = serialize_message(trajectory(['a'], [0.0], [1.0]))


@pytest.fixture(scope='module')
def worker():
    worker = Worker()
    yield worker
    worker.close()


def asked(worker, data=DATA):
    """Return the answer to a task."""
    answers, there = [], threading.Event()

    def done(answer):
        answers.append(answer)
        there.set()

    worker.ask(Reading(data), done)
    assert there.wait(patience())
    return answers[0]


def test_it_reads_messages_and_refuses_others(worker):
    assert asked(worker) == Outline(0, '', ('a',), 2, 0.0, 1.0)
    assert asked(worker, b'nonsense').reason.startswith('expected a trajectory_msgs/JointTrajec')


def test_one_that_has_died_while_idle_is_replaced(worker):
    (process,) = worker._process._pool._processes
    os.kill(process, signal.SIGKILL)
    ends = time.monotonic() + patience()
    while os.path.exists(f'/proc/{process}') and time.monotonic() < ends:
        time.sleep(0.01)
    assert isinstance(asked(worker), Outline)
    assert process not in worker._process._pool._processes


def test_a_closed_one_refuses(worker):
    worker.close()
    assert isinstance(asked(worker), Refusal)
