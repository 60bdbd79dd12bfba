# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Log messages of a node that does not reach its rate."""

from __future__ import annotations

import re
import time

import pytest
from helpers.node_processes import NodeProcess, node_command, trajectory

from screw_dynamics import read_urdf, share_path
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.feedforward import tick_cost
from screw_dynamics.nodes.feedforward.tick_cost import MissedTicks, rate_warning, require_rate
from screw_dynamics.nodes.shared.tick_timer import TickSummary
from screw_dynamics.robot import Robot

JOINTS = [f'joint_{i}' for i in range(1, 8)]
PERIOD = 10_000_000  # ns


def test_without_numba(ros):
    """A rate that is out of reach is refused, at the start and later; a lower one is not."""
    environment = {**ros.environment, 'SCREW_DYNAMICS_JIT': '0'}
    urdf = share_path('urdf/iiwa14.urdf')

    def start(rate):
        arguments = ('--ros-args', '-p', f'urdf_path:={urdf}', '-p', f'publish_rate:={rate}')
        return NodeProcess(node_command('feedforward', *arguments), environment)

    process = start(1000.0)
    assert process.wait() == 1
    line = next(line for line in process.log.splitlines() if 'FATAL' in line)
    assert "Cannot configure: parameter 'publish_rate': kernels are not compiled" in line
    assert 'install numba' in line
    process = start(1.0)
    try:
        ros.wait_for('the node', lambda: 'Active at 1 Hz' in process.log, process)
        ros.wait_for('the warning', lambda: 'Kernels are not compiled' in process.log, process)
        accepted, reason = ros.set_parameter('/feedforward', 'publish_rate', 1000.0)
        assert not accepted and 'expected at most' in reason
        # a rate between those of the two orders, whatever the machine does
        possible = float(re.search('at most ([0-9]+) Hz', reason)[1])
        assert ros.set_parameter('/feedforward', 'derivative_order', 0)[0]
        assert ros.set_parameter('/feedforward', 'publish_rate', min(1.2 * possible, 1000.0))[0]
        accepted, reason = ros.set_parameter('/feedforward', 'derivative_order', 2)
        assert not accepted and 'expected at most' in reason
        ros.publish(trajectory(JOINTS, [0.1] * 7), '/feedforward/joint_trajectory')
        ros.wait_for('the trajectory', lambda: 'Following a trajectory' in process.log, process)
    finally:
        process.end()


def test_what_the_machine_does_meanwhile_is_not_counted(planar, monkeypatch):
    monkeypatch.setattr(tick_cost, 'compute_motors', lambda _: time.sleep(0.1))
    robot = Robot(read_urdf(planar))
    assert tick_cost.compute_time(robot, 2) < 0.1


@pytest.mark.parametrize(
    'shortest, rate, compiled, texts',
    [
        (0.0, 1000.0, True, ()),
        (1e-4, 1000.0, True, ()),
        (9e-3, 100.0, False, ()),
        (2e-3, 1000.0, True, ('expected at most 500 Hz, got 1000 Hz: lower it',)),
        (2e-3, 1000.0, False, ('at most 500 Hz, got 1000 Hz: build the package', 'not compiled')),
    ],
)
def test_a_rate_out_of_reach(shortest, rate, compiled, texts):
    if not texts:
        require_rate(shortest, rate, compiled=compiled)
        return
    with pytest.raises(InputError) as raised:
        require_rate(shortest, rate, compiled=compiled)
    assert all(text in str(raised.value) for text in texts), raised.value


def test_kernels_that_are_not_compiled_are_mentioned():
    assert rate_warning(1e-3, 100.0, compiled=True) == ''
    warning = rate_warning(2e-3, 100.0, compiled=False)
    assert warning.startswith('Kernels are not compiled')
    assert warning.endswith('a sample takes 2 ms of 10 ms to compute')


def _second(missed):
    return TickSummary(100.0 - missed, 100 - missed, missed, 0.005, 0.02)


def test_lasting_misses_are_logged_once_in_a_while():
    texts = []
    missed = MissedTicks(texts.append)
    for _ in range(25):
        missed.add(_second(40), PERIOD)
    assert len(texts) == 1
    assert texts[0].startswith('40 % of the ticks of the last 3 s were missed')
    for _ in range(15):
        missed.add(_second(40), PERIOD)
    assert len(texts) == 2


def test_short_misses_are_not_logged():
    texts = []
    missed = MissedTicks(texts.append)
    for count in (40, 40, 0, 40, 40, 5) * 5:
        missed.add(_second(count), PERIOD)
    missed.add(TickSummary(0.0, 0, 500, 0.0, 0.0), PERIOD)
    assert texts == []
