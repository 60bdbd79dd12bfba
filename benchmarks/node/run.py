# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Measure the timing of `feedforward` beside bare rclpy nodes; `make bench-node`.

Writes docs/benchmark_node.md and docs/benchmark_node.png. Exits with 1 if a requirement is missed.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from helpers.child_processes import children
from helpers.node_processes import trajectory
from helpers.ros_fixture import RosFixture

from benchmarks import ROOT
from benchmarks.node import hybrid_share, replacements, state_latency, tick_floor
from benchmarks.node import report as node_report
from benchmarks.node.memory import proportional, usage
from benchmarks.node.real_time import may_be_real_time, priority
from ros_demo.stages import Stage
from screw_dynamics import read_urdf, share_path
from screw_dynamics_interfaces.msg import FeedforwardTorque, MotorFeedforward

URDF = share_path('urdf/iiwa14.urdf')
SUBJECTS = ('feedforward', 'bare')
# every joint elastic, with friction of the motor, as in most arms with strain-wave gears
JOINT = {
    'spring': {'type': 'linear', 'stiffness': 8000.0},
    'motor': {
        'rotor_inertia': 0.4,
        'viscous_friction': 0.5,
        'coulomb_friction': 0.3,
        'coulomb_velocity': 0.02,
    },
}
MOTOR_TOPIC = '/feedforward/motor_feedforward'
WARM_UP = 2.0  # s before the measurement
SETTLED = 3.0  # s until a node that has started is at rest
STEP = 0.1  # s between looks at the memory
POINTS_PER_SECOND = 0.5


def own_parameters(subject: str, motors: bool, folder: Path) -> dict[str, object]:
    """Return the parameters of a node, with or without motors."""
    if subject == 'bare':
        return {'motors': motors}
    if not motors:
        return {'urdf_path': URDF}
    path = folder / 'elastic_joints.yaml'
    joints = dict.fromkeys(read_urdf(URDF).joint_names, JOINT)
    path.write_text(json.dumps({'elastic_joints': joints}), encoding='utf-8')
    return {'urdf_path': URDF, 'elastic_joints_path': path}


def measure(
    subject: str, motors: bool, rate: float, seconds: float, real_time: bool = False
) -> node_report.Run:
    """Run one node at one rate."""
    samples = round(rate * (seconds + 30.0))
    with RosFixture() as ros, tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / 'ticks.npz'
        script = Path(__file__).with_name('subject_process.py')
        with priority(real_time):
            process = ros.start_command(
                [sys.executable, '-W', 'ignore', str(script), subject, str(samples), str(output)],
                publish_rate=rate,
                **own_parameters(subject, motors, Path(folder)),
            )
        if subject == 'feedforward':
            ros.wait_until_active(process)
        received = [0]

        def count(_: bytes) -> None:
            received[0] += 1

        topic = '/feedforward/feedforward'
        ros.node.create_subscription(FeedforwardTorque, topic, count, 10, raw=True)
        if motors:
            ros.node.create_subscription(MotorFeedforward, MOTOR_TOPIC, count, 10, raw=True)
        if subject == 'feedforward':
            names = read_urdf(URDF).joint_names
            times = np.linspace(
                0.0, seconds + 20.0, 2 + round((seconds + 20.0) * POINTS_PER_SECOND)
            )
            points = np.random.default_rng(1).uniform(-1.0, 1.0, (len(times), len(names)))
            ros.publish(trajectory(names, *points, times=times), '/feedforward/joint_trajectory')
        ros.wait_for('the first sample', lambda: received[0], process)
        ros.spin(WARM_UP)
        received[0] = 0
        steps = round(seconds / STEP)
        begun, before = time.monotonic_ns(), usage(process.pid)
        resident = []
        what = f'{subject}{" with motors" if motors else ""} at {rate:g} Hz'
        with Stage(f'{what}{", real-time priority" if real_time else ""}', steps) as bar:
            for i in range(steps):
                ros.spin(max(0.0, 1e-9 * begun + (i + 1) * STEP - time.monotonic()))
                resident.append(usage(process.pid).resident)
                bar.update()
        ended, after = time.monotonic_ns(), usage(process.pid)
        if process.interrupt():
            raise RuntimeError(f'{subject} ended badly: {process.log[-2000:]}')
        with np.load(output) as file:
            ticks, pauses = file['ticks'], file['pauses']
    inside = [(rows[:, 0] >= begun) & (rows[:, 0] < ended) for rows in (ticks, pauses)]
    return node_report.Run(
        subject=subject,
        motors=motors,
        real_time=real_time,
        rate=rate,
        ticks=ticks[inside[0]],
        pauses=pauses[inside[1]],
        received=received[0],
        share=(after.processor - before.processor) / (1e-9 * (ended - begun)),
        main_share=(after.main_thread - before.main_thread) / (1e-9 * (ended - begun)),
        resident=np.array(resident),
    )


def at_rest() -> list[node_report.Rest]:
    """Measure the memory of nodes that have a robot, and of their processes, and do nothing."""
    rests = []
    with RosFixture() as ros:
        for name, text in (('feedforward', 'Active at'), ('dynamics_server', 'Ready')):
            process = ros.start(name, urdf_path=URDF)
            ros.wait_for('the node', lambda: text in process.log, process)  # noqa: B023
            ros.spin(SETTLED)
            pids = [process.pid, *children(process.pid)]
            rests += [
                node_report.Rest(name, bool(i), usage(pid).resident, proportional(pid))
                for i, pid in enumerate(pids)
            ]
            if process.interrupt():
                raise RuntimeError(f'{name} ended badly: {process.log[-2000:]}')
    return rests


def main(args: Sequence[str] | None = None) -> int:
    """Measure, print, write; return 1 if the requirement is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seconds', type=float, default=60.0, help='per run')
    parser.add_argument('--rates', type=float, nargs='+', default=[250.0, 500.0])
    parser.add_argument('--output', type=Path, default=ROOT / 'docs')
    options = parser.parse_args(args)
    # a shell starts what runs in its background with SIGINT ignored, and so would the nodes be
    signal.signal(signal.SIGINT, signal.default_int_handler)
    priorities = (False, True) if may_be_real_time() else (False,)
    runs = [
        measure(subject, motors, rate, options.seconds, real_time)
        for rate in options.rates
        for real_time in (priorities if rate == max(options.rates) else (False,))
        for motors in (False, True)
        for subject in SUBJECTS
    ]
    with tempfile.TemporaryDirectory() as folder:
        floors = [
            tick_floor.measure(URDF, motors, own_parameters('feedforward', motors, Path(folder)))
            for motors in (False, True)
        ]
    busy = [
        replacements.measure(points, options.seconds, real_time)
        for real_time in priorities
        for points in replacements.POINTS
    ]
    cases = [
        state_latency.latency(subject, real_time, options.seconds)
        for real_time in priorities
        for subject in state_latency.SUBJECTS
    ]
    arms = hybrid_share.shares(options.seconds)
    rests = at_rest()
    text = '\n'.join(
        [
            node_report.markdown(runs, options.seconds),
            *tick_floor.markdown(floors),
            *replacements.markdown(busy, options.seconds),
            *state_latency.markdown(cases, options.seconds),
            *hybrid_share.markdown(*arms, options.seconds),
            *node_report.memory(rests),
        ]
    )
    print(text)
    options.output.mkdir(exist_ok=True)
    (options.output / 'benchmark_node.md').write_text(text, encoding='utf-8')
    node_report.plot(runs, options.output / 'benchmark_node.png')
    missed = [
        *node_report.missed(runs),
        *replacements.missed(busy),
        *node_report.too_large(rests),
    ]
    if not hybrid_share.met(*arms):
        more = 100.0 * (arms[1].at_full_rate - arms[0].at_full_rate)
        missed.append(
            'arm with a soft segment, points more of a core than a rigid arm: expected at most '
            f'{100.0 * hybrid_share.ALLOWED:g}, got {more:.1f}'
        )
    for text in missed:
        print(text, file=sys.stderr)
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
