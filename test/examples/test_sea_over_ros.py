# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The loop over ROS 2: trajectory, motor efforts, simulated motion, recorded and compared."""

from __future__ import annotations

import os

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='the nodes need ROS 2 (rclpy)')
pytest.importorskip('screw_dynamics_interfaces', reason='screw_dynamics_interfaces is not built')
pytest.importorskip('rosbags', reason='the loop is recorded to a bag')
if not os.environ.get('AMENT_PREFIX_PATH'):
    pytest.skip('AMENT_PREFIX_PATH is not set', allow_module_level=True)

from ros_demo.processes import release_domain, unused_domain  # noqa: E402
from screw_dynamics import ElasticJoints, share_path  # noqa: E402
from screw_dynamics.bags import Bag  # noqa: E402
from screw_dynamics.errors import BagError  # noqa: E402
from sea_study import ros_loop  # noqa: E402
from sea_study.ros_loop import loop_report, read_loop, run_loop  # noqa: E402
from sea_study.scene import EXACT, RIGID  # noqa: E402

STEP = 2_000_000  # ns
QUEUE = 10  # messages that wait for a recorder
DURATION = 3 * 10**9  # ns of the trajectory and of the hold after it


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp('loop')


@pytest.fixture(scope='module')
def runs(folder):
    """Run the loop with both feedforwards."""
    with pytest.MonkeyPatch.context() as patch:
        domain = unused_domain()
        patch.setenv('ROS_DOMAIN_ID', str(domain))
        patch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        yield [run_loop(folder, kind) for kind in (EXACT, RIGID)]
        release_domain(domain)


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


def test_states_come_in_lock_step(runs, folder):
    for run in runs:
        with Bag(folder / f'bag_{run.feedforward}') as bag:
            states = bag.arrays('/joint_states')
        during = states['header.stamp'] >= states['header.stamp'][-1] - DURATION
        steps = np.diff(states['header.stamp'][during])
        assert (steps > 0).all() and not (steps % STEP).any()
        # none is missed unless the queue of the recorder was full: it is emptied in no time then,
        # and was filled as fast where the simulation had to catch up
        logged = states['log_time'][during]
        gaps = np.flatnonzero(steps > STEP)
        for i in gaps:
            queued = logged[i + 1 : i + 1 + QUEUE]
            assert np.ptp(queued) <= (len(queued) - 1) * STEP
        if not gaps.size:
            assert (run.time[0], run.time[-1]) == (0.0, 2.5)


def test_what_the_bag_holds(runs, folder):
    with Bag(folder / 'bag_exact') as bag:
        motors = bag.arrays('/feedforward/motor_feedforward')
        states = bag.arrays('/motor_states')
    # the motors follow their commands, and the drives apply them
    common, at, told = np.intersect1d(
        states['header.stamp'], motors['header.stamp'] + 10**6, return_indices=True
    )
    assert len(common) > 1200
    difference = states['effort'][at] - motors['motor_effort'][told]
    # while it is at rest at first, efforts may come too late for their step
    np.testing.assert_array_equal(difference[125:], 0.0)
    assert np.abs(motors['deflection']).max() > 0.03


def test_the_rigid_feedforward_knows_the_motors_but_no_springs(runs, folder):
    elastic = ElasticJoints.from_yaml(share_path('config/sea_arm_joints.yaml'))
    rigid = ElasticJoints.from_yaml(folder / 'rigid_joints.yaml')
    assert rigid.joints.keys() == elastic.joints.keys()
    for name, joint in rigid.joints.items():
        assert joint.spring is None
        assert joint.motor == elastic.joints[name].motor


def test_a_bag_without_the_motion(runs, folder, monkeypatch):
    monkeypatch.setattr(ros_loop, 'STATES', '/links')
    with pytest.raises(BagError, match='expected messages on /links, found none'):
        read_loop(folder / 'bag_exact', EXACT)
