# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Log messages of a node that does not reach its rate."""

from __future__ import annotations

import pytest
from helpers.node_processes import NodeProcess, node_command, trajectory

from screw_dynamics import share_path
from screw_dynamics.nodes.feedforward.diagnostics import MissedTicks, rate_warning
from screw_dynamics.nodes.shared.tick_timer import TickSummary

JOINTS = [f'joint_{i}' for i in range(1, 8)]
PERIOD = 10_000_000  # ns


def test_without_numba(ros):
    environment = {**ros.environment, 'SCREW_DYNAMICS_JIT': '0'}
    urdf = share_path('urdf/iiwa14.urdf')
    arguments = ('--ros-args', '-p', f'urdf_path:={urdf}', '-p', 'publish_rate:=1000.0')
    process = NodeProcess(node_command('feedforward', *arguments), environment)
    try:
        ros.wait_for('the warning', lambda: 'cannot be held' in process.log, process)
        assert 'Kernels are not compiled' in process.log
        ros.publish(trajectory(JOINTS, [0.1] * 7), '/feedforward/joint_trajectory')
        ros.wait_for('missed ticks', lambda: '% of the ticks of the last' in process.log, process)
    finally:
        process.end()


@pytest.mark.parametrize(
    'shortest, rate, compiled, texts',
    [
        (1e-4, 1000.0, True, ()),
        (2e-3, 1000.0, True, ('at most 500 Hz', 'publish_rate cannot be held: 1000 Hz: lower it')),
        (2e-3, 100.0, False, ('at most 500 Hz', 'publish_rate is 100 Hz', 'install numba')),
    ],
)
def test_text(shortest, rate, compiled, texts):
    warning = rate_warning(shortest, rate, compiled=compiled)
    assert bool(warning) == bool(texts)
    assert all(text in warning for text in texts), warning


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
