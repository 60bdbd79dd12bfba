# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Closed loop over ROS 2: trajectory, node `feedforward`, motor efforts, node `sea_simulator`.

Both nodes run as processes in lock-step, which begins with the first motor efforts: the arm rests
on them before it moves. The same node computes the rigid feedforward, with a file of elastic
joints that contains no springs.
"""

from __future__ import annotations

import math
import shutil
import time
import warnings
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ros_demo.job import rest
from ros_demo.processes import Processes, ros_processes, signals_deferred
from ros_demo.recording import TORQUE_TOPIC, require_messages
from ros_demo.stages import Stage
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import share_path
from screw_dynamics.common.times import SECOND
from screw_dynamics.drives import Drives
from screw_dynamics.errors import BagError, BagWarning
from screw_dynamics.recordings.bags import Bag
from screw_dynamics.recordings.results.results_bag import SOURCE_TRAJECTORY
from screw_dynamics.trajectory import read_trajectory, smooth_trajectory, waypoints_from_points
from sea_study.scene import RIGID

if TYPE_CHECKING:
    from sea_study.loop_client import LoopClient

PARAMETERS = share_path('config/sea_arm.yaml')
JOINTS = share_path('config/sea_arm_joints.yaml')
TRAJECTORY = share_path('config/sea_arm_trajectory.yaml')
STATES = '/joint_states'
MOTORS = '/feedforward/motor_feedforward'
MOTOR_STATES = '/motor_states'
RECORDED = TORQUE_TOPIC, MOTORS, STATES, MOTOR_STATES
KEPT = 5000  # messages of a topic for a recorder that is late, the most that Fast DDS keeps
DELAY = 4.0  # s from sending to the start: fits are made in a process of low priority
HOLD = 0.5  # s of recording after the end
STALL_TIMEOUT = 30.0  # s without progress
LOOK_PERIOD = 0.5  # s between looks into the bag


@dataclass(frozen=True, eq=False)
class LoopRun:
    """
    Tracking errors of one run of the loop.

    `time` (T,) counts from the start of the trajectory [s]. `error` (T, n) is simulated minus
    reference position of the links [rad]. `feedforward` is `scene.EXACT` or `scene.RIGID`.
    """

    feedforward: str
    time: Array
    error: Array

    @property
    def largest(self) -> float:
        """The largest error of a joint [rad]."""
        return float(np.abs(self.error).max())

    @property
    def rms(self) -> float:
        """The rms error over all joints [rad]."""
        return float(np.sqrt(np.mean(self.error**2)))


def run_loop(folder: Path, feedforward: str) -> LoopRun:
    """
    Run the simulated arm along its trajectory with feedforward only, and record it.

    Writes `bag_<feedforward>` and `logs_<feedforward>` in `folder`. Raises `DemoError` if a
    process fails.
    """
    from sea_study.loop_client import LoopClient

    joints = JOINTS
    if feedforward == RIGID:
        joints = folder / 'rigid_joints.yaml'
        _without_springs(Drives.from_yaml(JOINTS)).to_yaml(joints)
    bag = folder / f'bag_{feedforward}'
    shutil.rmtree(bag, ignore_errors=True)
    with ros_processes(folder / f'logs_{feedforward}') as processes:
        _start(processes, bag, joints)
        # the client ends first: the middleware may crash if a node ends while others disappear
        with ExitStack() as stack:
            with signals_deferred():
                client = LoopClient(MOTOR_STATES, RECORDED)
                stack.callback(client.destroy_node)
            _follow(processes, client, feedforward)
        _await_recorder(processes, bag, feedforward)
        for name in ('recorder', 'feedforward', 'sea_simulator'):
            processes.stop(name)
    return read_loop(bag, feedforward)


def _without_springs(drives: Drives) -> Drives:
    """Return the joints without springs and deflection limits."""
    return Drives(
        {
            name: replace(joint, spring=None, max_deflection=np.inf)
            for name, joint in drives.joints.items()
        }
    )


def _start(processes: Processes, bag: Path, joints: Path) -> None:
    processes.start('recorder', 'screw_dynamics.recordings.bags.recorder', *RECORDED, '-o', bag)
    simulator = ('-p', 'publish_clock:=true', '-r', f'~/motor_feedforward:={MOTORS}')
    kept = [f'qos_overrides.{topic}.publisher.depth:={KEPT}' for topic in RECORDED]
    for name, springs, arguments in (
        ('sea_simulator', JOINTS, simulator),
        ('feedforward', joints, ()),
    ):
        processes.start(
            name,
            f'screw_dynamics.nodes.{name}',
            *('--ros-args', '--params-file', PARAMETERS, '-p', 'use_sim_time:=true'),
            *('-p', f'urdf_path:={share_path("urdf/iiwa14.urdf")}'),
            *('-p', f'elastic_joints_path:={springs}'),
            *(argument for text in kept for argument in ('-p', text)),
            *arguments,
        )


def _follow(processes: Processes, client: LoopClient, feedforward: str) -> None:
    """Let the arm rest on its motors, send the trajectory and wait for its end."""
    with Stage(f'Start feedforward ({feedforward}) and sea_simulator') as line:
        missing = 'feedforward, sea_simulator and the recorder'

        def waiting() -> None:
            line.update(0, processes.require_advance(missing))

        client.wait(missing, client.ready, math.inf, waiting)
    file = read_trajectory(TRAJECTORY)
    with Stage('Rest on motor efforts, in lock-step'):
        client.send(rest(file), 0.0, STALL_TIMEOUT, processes.require_running)
        # what is taken from now on, the simulation waits for
        client.wait(
            'motor efforts',
            lambda: client.driven and client.held > 0.0,
            STALL_TIMEOUT,
            processes.require_running,
        )
        client.send(file, DELAY, STALL_TIMEOUT, processes.require_running)
    duration = file.points[-1].time_from_start
    with Stage('Follow the trajectory in lock-step', 100) as bar:

        def report() -> None:
            processes.require_running()
            bar.update(max(0, int(100 * min(1.0, client.elapsed / duration)) - bar.n))

        end = 'the end of the trajectory'
        client.wait(end, lambda: client.held > HOLD, STALL_TIMEOUT, report)


def _await_recorder(processes: Processes, bag: Path, feedforward: str) -> None:
    """Wait until the motion is in the bag, which a busy computer may write late."""
    latest = time.monotonic() + STALL_TIMEOUT
    while time.monotonic() < latest:
        processes.require_running()
        with suppress(BagError), warnings.catch_warnings():
            warnings.simplefilter('ignore', BagWarning)  # as long as it is written
            read_loop(bag, feedforward)
            return
        time.sleep(LOOK_PERIOD)


def read_loop(bag: Path, feedforward: str) -> LoopRun:
    """Compare the joint states of a bag with its last motion; raise `BagError` without its end."""
    with Bag(bag) as opened:
        require_messages(opened, bag, *RECORDED)
        messages = {topic: opened.arrays(topic) for topic in RECORDED}
    samples, states = messages[TORQUE_TOPIC], messages[STATES]
    file = read_trajectory(TRAJECTORY)
    names = states['name']
    curve = smooth_trajectory(waypoints_from_points(file.joint_names, file.points, names))
    moving = np.flatnonzero(samples['source'] == SOURCE_TRAJECTORY)  # it rests before and after
    passed = samples['reference.time_from_start'][moving]
    if not len(moving) or passed[-1] < 0.99e9 * curve.duration:
        raise BagError(f'{bag}: expected {TORQUE_TOPIC} until the end of the trajectory')
    start = samples['header.stamp'][moving[-1]] - passed[-1]
    for topic, arrays in messages.items():
        if arrays['header.stamp'][-1] < start + round(SECOND * curve.duration):
            raise BagError(f'{bag}: expected {topic} until the end of the trajectory')
    elapsed = 1e-9 * (states['header.stamp'] - start)
    during = (elapsed >= 0.0) & (elapsed <= curve.duration)
    wanted = curve.jets(elapsed[during], rows=1)[:, 0]
    return LoopRun(feedforward, elapsed[during], states['position'][during] - wanted)


def loop_report(exact: LoopRun, rigid: LoopRun) -> list[str]:
    """Return the lines of the report on both runs."""
    rate = 1.0 / np.median(np.diff(exact.time))
    return [
        f'Over ROS 2: feedforward and sea_simulator in lock-step at {rate:.0f} Hz '
        '(config/sea_arm.yaml)',
        *(
            f'  {run.feedforward:5} feedforward   largest error {run.largest:.2e} rad, '
            f'rms {run.rms:.2e} rad ({len(run.time)} states)'
            for run in (exact, rigid)
        ),
        f'  ratio of the largest errors {rigid.largest / exact.largest:.0f}',
    ]
