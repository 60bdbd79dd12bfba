# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Arms in sea_simulator, from the data sheet to the learned motion, by the package's commands alone.

Rewrites the table of docs/learning.md; what the commands print is in the logs of the folder.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from oracles.robots import named_robot
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter

import screw_dynamics as sd
from benchmarks import ROOT
from benchmarks.learning.from_data_sheet import LEVEL, Case, cases
from benchmarks.report import Report, table
from ros_demo.processes import Processes, ros_processes
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.progress import progress
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points

FOLDER = ROOT / 'docs'
OPTIONS: dict[str, dict[str, Any]] = {
    '--keep': {'type': Path, 'default': None, 'help': 'folder of bags, files and logs'},
    '--only': {'default': '', 'help': 'part of the names of the arms that run'},
}
RATE, DELAY, NOISE = 500.0, 0.002, 2e-5  # Hz, s, rad
LEAD = 0.5 / RATE  # s: the middle of the time for which an effort is held
EXCITED, TRIALS, REPEATS = 20.0, 40, 4  # s; motions tried; runs that learn
STEADY = 1.0  # s of rest at the begin, and after the end of a motion
TIMEOUT = 600.0  # s of the clock of the computer for a motion
MODULES = 'screw_dynamics'
SAMPLES = '/feedforward/feedforward'
TOPICS = SAMPLES, '/joint_states', '/motor_states'
KEPT = 5000  # messages for a recorder that is late, the most that Fast DDS keeps


def measure(keep: Path | None, only: str) -> Report:
    """Run all arms, and return the page with the new table."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = (keep or Path(scratch)).resolve()
        chosen = [
            (k, urdf, case, case.name + (', with slip' if lossy else ''))
            for lossy in (False, True)
            for k, (urdf, case) in enumerate(arms(lossy))
        ]
        chosen = [one for one in chosen if only in one[-1]]
        rows = []
        for k, urdf, case, name in progress(chosen, 'arms', unit='arm'):
            place = folder / re.sub(r'\W+', '_', name)
            place.mkdir(parents=True, exist_ok=True)
            errors = Arm(urdf, case, place).errors(seed=k)
            rows.append([name, *(f'{1e3 * error:.2g}' for error in errors)])
            print(*rows[-1], sep=' | ', file=sys.stderr, flush=True)
    repeats = [f'after {k + 1}' for k in range(REPEATS)]
    header = ['arm', 'data sheet', 'identified', 'and lead_time', *repeats]
    report = Report('learning')
    report.fill(FOLDER / 'learning.md', {'over ROS': table(header, rows)})
    return report


def arms(lossy: bool) -> list[tuple[Path, Case]]:
    """Return descriptions and arms: a planar one, an iiwa, and a UR5 on which nothing is tuned."""
    iiwa, _, planar = cases(lossy)
    urdf = named_robot('ur5')
    assert urdf is not None, 'example-robot-data is not installed'
    return [
        (sd.share_path('urdf/planar_2r.urdf'), planar),
        (sd.share_path('urdf/iiwa14.urdf'), iiwa),
        (urdf, _ur5(urdf, lossy)),
    ]


def _ur5(urdf: Path, lossy: bool) -> Case:
    """
    Return a UR5 with drives by rules from its effort limits, and a motion that is drawn.

    Springs yield 0.1 rad at the limit; rotors make 1 % of it at 1 rad/s^2, viscous friction at
    1 rad/s, and dry friction is 2 %.
    """
    model = sd.read_urdf(urdf)
    drives = {
        name: sd.JointDrive(
            sd.LinearSpring(effort / 0.1),
            sd.Motor(
                0.01 * effort,
                viscous_friction=0.01 * effort,
                coulomb_friction=0.02 * effort,
                coulomb_velocity=0.02,
            ),
        )
        for name, effort in zip(model.joint_names, model.limits.effort.tolist(), strict=True)
    }
    begin = np.array([0.0, -1.2, 1.4, -0.2, 0.5, 0.0])
    turn = begin + np.random.default_rng(0).uniform(-0.6, 0.6, (2, model.n))
    points = list(zip([0.0, 1.0, 2.0], [begin, *turn], strict=True))
    curve = smooth_trajectory(waypoints_from_points(model.joint_names, points, model.joint_names))
    load = 'tool0', 1.5, (0.0, 0.0, 0.05)
    return Case('UR5', model, load, sd.Drives(drives), curve, lossy)


class Arm:
    """An arm in sea_simulator, and the commands of its owner, who knows the data sheet only."""

    def __init__(self, urdf: Path, case: Case, folder: Path) -> None:
        self._urdf, self._case, self._folder = urdf, case, folder
        self._names = case.model.joint_names
        self._gains = case.gains
        self._turn = case.curve.jets([0.0, 1.0, case.curve.duration], 1)[:, 0]

    def errors(self, seed: int) -> Iterator[float]:
        """Yield the largest errors of the links [rad] that `learn` prints, by column."""
        case, folder, rng = self._case, self._folder, np.random.default_rng(seed)
        factors = 1.0 + LEVEL * rng.uniform(-1.0, 1.0, (4, case.model.n))
        sheet = case.robot(factors)
        frame, mass, place = case.load
        self._load = frame, factors[3, 0] * mass, place
        case.true.drives.to_yaml(folder / 'true.yaml')
        assert sheet.drives is not None
        sheet.drives.to_yaml(folder / 'sheet.yaml')
        begin = self._turn[:1]
        stays = self._write('begin.csv', [STEADY, 2.0 * STEADY], [*begin, *begin])
        motion = self._write('motion.csv', STEADY + np.arange(3.0), self._turn)
        excite, found = folder / 'excite.csv', folder / 'found.urdf'
        known = '--payload', _payload(*self._load)
        self._command(
            'excite', self._urdf, '--drives', folder / 'sheet.yaml', *known, '--load', frame,
            '--duration', EXCITED, '--trials', TRIALS, '--begin', *begin[0], '--csv', excite,
        )  # fmt: skip
        self._run('excited', [stays, excite], 'sheet.yaml', LEAD)
        self._command(
            'identify', folder / 'excited', '--urdf', self._urdf,
            '--motor-states', '/motor_states', '--topic', '/joint_states',
            '--drives', folder / 'sheet.yaml', '--load', frame,
            '--write-drives', folder / 'found.yaml', '--write-urdf', found,
        )  # fmt: skip
        identified = []
        for name, lead in (('identified', LEAD), ('identified_and_lead', LEAD + DELAY)):
            self._run(name, [stays, motion], 'found.yaml', lead, found)
            identified.append(self._learn(name, motion, f'{name}.yaml', 'found.yaml', (), found))
        trajectory, repeated = motion, []
        for k in range(REPEATS + 1):
            self._run(f'run_{k}', [stays, trajectory], 'sheet.yaml', LEAD)
            repeated.append(
                self._learn(f'run_{k}', trajectory, 'learned.yaml', 'sheet.yaml', known)
            )
            trajectory = folder / 'learned.yaml'
        yield from (repeated[0], *identified, *repeated[1:])

    def _write(
        self, name: str, times: Sequence[float] | Array, positions: Sequence[Array]
    ) -> Path:
        """Write a trajectory file from rest to rest; return its path."""
        path = self._folder / name
        rows = [','.join(('time', *self._names))]
        rows += [
            ','.join(str(float(value)) for value in (time, *position))
            for time, position in zip(times, positions, strict=True)
        ]
        path.write_text('\n'.join(rows) + '\n', encoding='utf-8')
        return path

    def _command(self, *arguments: object) -> None:
        """Run a command of `screw_dynamics`; its output is in a log."""
        done = subprocess.run(
            [sys.executable, '-m', 'screw_dynamics', *map(str, arguments)],
            capture_output=True,
            text=True,
        )
        with (self._folder / 'commands.log').open('a', encoding='utf-8') as log:
            print('screw_dynamics', *arguments, done.stdout, done.stderr, file=log, sep=' ')
        if done.returncode:
            raise RuntimeError(f'{self._case.name}: {arguments[0]}: {done.stderr}')

    def _learn(
        self,
        bag: str,
        trajectory: Path,
        output: str,
        drives: str,
        payload: Sequence[str],
        urdf: Path | None = None,
    ) -> float:
        """Learn from a bag, write the next motion, return the largest error of the links."""
        path = self._folder / output
        self._command(
            'learn', self._folder / bag, trajectory, '--urdf', urdf or self._urdf,
            '--drives', self._folder / drives, *payload, '--joint-states', '/joint_states',
            '--kp', *self._gains[0], '--kd', *self._gains[1], '--output', path,
        )  # fmt: skip
        return float(sd.LearnedMotion.from_yaml(path).largest[-1].max())

    def _run(
        self,
        bag: str,
        trajectories: Sequence[Path],
        drives: str,
        lead: float,
        urdf: Path | None = None,
    ) -> None:
        """Let the arm follow trajectories from its begin on; the bag has the last one."""
        frame, mass, place = self._case.load
        simulator = {
            'urdf_path': self._urdf,
            'drives_path': self._folder / 'true.yaml',
            'payload.frame': frame,
            'payload.mass': float(mass),
            'payload.com': [*map(float, place)],
            'rate': RATE,
            'initial_position': self._turn[0].tolist(),
            'input': 'motor_feedforward',
            'feedback.proportional': self._gains[0].tolist(),
            'feedback.derivative': self._gains[1].tolist(),
            'effort_delay': DELAY,
            'encoder_noise': NOISE,
            'publish_clock': True,
            'real_time_factor': 0.5,  # a recorder on a busy computer loses nothing
            'lock_step_timeout': 10.0,
        }
        feedforward: dict[str, object] = {
            'urdf_path': urdf or self._urdf,
            'drives_path': self._folder / drives,
            'publish_rate': RATE,
            'lead_time': lead,
        }
        if urdf is None:
            frame, mass, place = self._load
            load = {'frame': frame, 'mass': float(mass), 'com': [*map(float, place)]}
            feedforward |= {f'payload.{key}': value for key, value in load.items()}
        with ros_processes(self._folder / f'logs_{bag}') as processes:
            nodes = f'{MODULES}.nodes'
            remapping = '-r', '~/motor_feedforward:=/feedforward/motor_feedforward'
            arguments = 'sea_simulator', *_ros(simulator), *remapping
            processes.start('sea_simulator', nodes, *arguments)
            processes.start('feedforward', nodes, 'feedforward', *_ros(feedforward))
            node = rclpy.create_node(
                'clock', parameter_overrides=[Parameter('use_sim_time', value=True)]
            )
            with SingleThreadedExecutor() as executor:
                executor.add_node(node)
                wait = partial(_wait, executor, processes)
                for trajectory in trajectories:
                    if trajectory is trajectories[-1]:
                        topics = *TOPICS, '-o', self._folder / bag
                        processes.start('recorder', f'{MODULES}.recordings.bags.recorder', *topics)
                        wait(partial(_recorded, node))
                    end = self._send(trajectory) + STEADY
                    wait(lambda end=end: 1e-9 * node.get_clock().now().nanoseconds > end)
                processes.stop('recorder')
                node.destroy_node()
            for name in ('feedforward', 'sea_simulator'):
                processes.stop(name)

    def _send(self, trajectory: Path) -> float:
        """Send a trajectory; return when it ends, in simulated time [s]."""
        sender = [sys.executable, '-m', f'{MODULES}.nodes.trajectory_sender']
        parameters = _ros({'file': trajectory, 'wait_for': [SAMPLES, '/joint_states']})
        done = subprocess.run([*sender, *parameters], capture_output=True, text=True)
        ends = re.findall(r'to ([\d.]+) s', done.stdout)
        if not ends:
            raise RuntimeError(f'{self._case.name}: {trajectory}: {done.stdout}{done.stderr}')
        return float(ends[-1])


def _ros(parameters: dict[str, object]) -> Iterator[str]:
    """Yield the arguments of a node on simulated time."""
    yield '--ros-args'
    kept = {f'qos_overrides.{topic}.publisher.depth': KEPT for topic in TOPICS}
    for name, value in {'use_sim_time': True, **kept, **parameters}.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        yield from ('-p', f'{name}:={text}')


def _payload(frame: str, mass: float, place: Sequence[float]) -> str:
    return f'{frame}={",".join(str(float(value)) for value in (mass, *place))}'


def _recorded(node: Any) -> bool:
    """Return whether the recorder listens to all topics."""
    return all(
        any(one.node_name == 'recorder' for one in node.get_subscriptions_info_by_topic(topic))
        for topic in TOPICS
    )


def _wait(
    executor: SingleThreadedExecutor, processes: Processes, condition: Callable[[], bool]
) -> None:
    """Spin until a condition holds; the processes have to run."""
    latest = time.monotonic() + TIMEOUT
    while not condition():
        executor.spin_once(timeout_sec=0.1)
        processes.require_running()
        if time.monotonic() > latest:
            raise TimeoutError(f'waited {TIMEOUT:g} s for the motion')
