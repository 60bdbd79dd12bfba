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
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.feedforward import tick_cost
from screw_dynamics.nodes.feedforward.worker import Worker

DATA = serialize_message(trajectory(['a'], [0.0], [1.0]))


@pytest.fixture
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
    assert isinstance(asked(worker), Outline)
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


RATE = 'a sample takes 5 ms to compute: expected at most 200 Hz, got 250 Hz: '


@pytest.mark.parametrize(
    ('form', 'text', 'warning'),
    [
        ('c', f"'publish_rate': {RATE}lower it", ''),
        (
            'python',
            "'publish_rate': kernels run as Python (no extension module, or switched off): "
            f'{RATE}build the package with a C compiler (docs/installation.md, '
            "'Compiled kernels') or lower it",
            'Kernels run as Python (no extension module, or switched off): a sample takes 5 ms of '
            '10 ms to compute',
        ),
    ],
)
def test_rates(monkeypatch, form, text, warning):
    monkeypatch.setattr(tick_cost, 'kernel_form', lambda: form)
    tick_cost.require_rate(5e-3, 200.0)
    with pytest.raises(InputError) as caught:
        tick_cost.require_rate(5e-3, 250.0)
    assert str(caught.value) == f'parameter {text}'
    assert tick_cost.rate_warning(5e-3, 100.0) == warning
