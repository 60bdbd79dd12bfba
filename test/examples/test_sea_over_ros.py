# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The loop over ROS 2: trajectory, motor efforts, simulated motion, recorded and compared."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from helpers.bag_processes import wait_for
from helpers.child_processes import children, state

pytest.importorskip('rclpy', reason='the nodes need ROS 2 (rclpy)')
pytest.importorskip('screw_dynamics_interfaces', reason='screw_dynamics_interfaces is not built')
pytest.importorskip('rosbags', reason='the loop is recorded to a bag')
if not os.environ.get('AMENT_PREFIX_PATH'):
    pytest.skip('AMENT_PREFIX_PATH is not set', allow_module_level=True)

from ros_demo.processes import release_domain, unused_domain  # noqa: E402
from ros_demo.recording import TORQUE_TOPIC  # noqa: E402
from screw_dynamics.errors import BagError  # noqa: E402
from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.results.results_bag import SOURCE_TRAJECTORY  # noqa: E402
from sea_study import loop_client, ros_loop  # noqa: E402
from sea_study.loop_client import LoopClient  # noqa: E402
from sea_study.ros_loop import loop_report, read_loop, run_loop  # noqa: E402
from sea_study.scene import EXACT, RIGID  # noqa: E402

STEP = 2_000_000  # ns
SECOND = 10**9
DURATION = 5 * SECOND // 2  # ns of the trajectory
REST = SECOND  # ns before it


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp('loop')


class HaltingClient(LoopClient):
    """Halts `feedforward` amid the motion, as a busy computer may."""

    halted = False
    amid: ClassVar[list[int]] = []  # processes of the loop when a client ends

    def _on_sample(self, sample):
        super()._on_sample(sample)
        if self._end - self._start == DURATION and self.elapsed > 1.0 and not self.halted:
            self.halted = True
            (process,) = (
                pid for pid in children(os.getpid()) if 'nodes.feedforward' in command(pid)
            )
            os.kill(process, signal.SIGSTOP)
            wait_for(lambda: state(process) == 'T')
            os.kill(process, signal.SIGCONT)

    def destroy_node(self):
        assert self.halted
        self.amid.append(sum('\0screw_dynamics.' in command(pid) for pid in children(os.getpid())))
        super().destroy_node()


def command(pid):
    return Path(f'/proc/{pid}/cmdline').read_text()


def end_of_motion(bag):
    """Return the time of the last sample that moves [ns]."""
    samples = bag.arrays(TORQUE_TOPIC)
    return samples['header.stamp'][samples['source'] == SOURCE_TRAJECTORY][-1]


@pytest.fixture(scope='module')
def loop(folder):
    """Return a function that runs the loop with a feedforward."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop_client, 'LoopClient', HaltingClient)
        domain = unused_domain()
        patch.setenv('ROS_DOMAIN_ID', str(domain))
        patch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        yield partial(run_loop, folder)
        release_domain(domain)


@pytest.fixture(scope='module')
def exact(loop):
    return loop(EXACT)


@pytest.fixture(scope='module')
def runs(exact, loop):
    """Run the loop with both feedforwards."""
    return [exact, loop(RIGID)]


def test_exact_feedforward_tracks_a_thousand_times_better(runs, folder):
    exact, rigid = runs
    assert exact.largest < 1e-5
    assert 5e-3 < rigid.largest < 5e-2
    assert rigid.rms > 1000.0 * exact.rms
    lines = '\n'.join(loop_report(exact, rigid))
    assert 'in lock-step at 500 Hz' in lines
    assert f'exact feedforward   largest error {exact.largest:.2e} rad' in lines
    picture = pytest.importorskip('sea_study.loop_plot')
    picture.save_loop(runs, folder / 'loop.png')
    assert (folder / 'loop.png').stat().st_size > 20_000


def test_states_come_in_lock_step(runs):
    for run in runs:
        times = np.round(1e9 * run.time).astype(int)
        np.testing.assert_array_equal(times, np.arange(0, DURATION + STEP, STEP))


@pytest.mark.usefixtures('runs')
def test_a_client_ends_while_no_other_node_does():
    assert HaltingClient.amid == [3, 3]


def test_what_the_bag_holds(runs, folder):
    with Bag(folder / 'bag_exact') as bag:
        motors = bag.arrays('/feedforward/motor_feedforward')
        states = bag.arrays('/motor_states')
        end = end_of_motion(bag)
    # the motors follow their commands, and the drives apply them, before the motion begins
    common, at, told = np.intersect1d(
        states['header.stamp'], motors['header.stamp'] + 10**6, return_indices=True
    )
    during = (common > end - DURATION - REST) & (common <= end)
    assert (np.diff(common[during]) == STEP).all()
    assert during.sum() == (DURATION + REST) // STEP
    difference = states['effort'][at] - motors['motor_effort'][told]
    np.testing.assert_array_equal(difference[during], 0.0)
    assert np.abs(motors['deflection']).max() > 0.03


@pytest.mark.usefixtures('exact')
@pytest.mark.parametrize('topic', ros_loop.RECORDED)
def test_a_bag_without_the_end_of_the_motion(folder, monkeypatch, topic):
    with Bag(folder / 'bag_exact') as bag:
        end = end_of_motion(bag) - SECOND // 10

    class CutBag(Bag):
        def arrays(self, name):
            arrays = super().arrays(name)
            stamps = arrays['header.stamp']
            left = np.searchsorted(stamps, end) if name == topic else len(stamps)
            return {k: v[:left] if len(v) == len(stamps) else v for k, v in arrays.items()}

    monkeypatch.setattr(ros_loop, 'Bag', CutBag)
    with pytest.raises(BagError, match=f'expected {topic} until the end of the trajectory'):
        read_loop(folder / 'bag_exact', EXACT)
