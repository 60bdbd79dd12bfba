# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Main job on a bundled 7-joint arm over ROS 2, from a trajectory to a plot.

    make demo
    python -m screw_dynamics.demo --output my_folder

Starts `dynamics_server` and `feedforward` as processes, sends a JointTrajectory, calls two
services, records an MCAP bag, prints a report and plots the recording.
"""

import argparse
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from ros_demo.processes import (
    Processes,
    require_ros,
    ros_processes,
    run_job,
    signals_deferred,
)
from ros_demo.recording import (
    TORQUE_TOPIC,
    TRAJECTORY_TOPIC,
    is_recorded,
    read_recording,
    read_tick_times,
)
from ros_demo.report import check_services, recompute, report
from ros_demo.stages import Stage, ticks
from screw_dynamics.common.paths import share_path
from screw_dynamics.common.scalars import positive
from screw_dynamics.drives.robot import Robot
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.urdf import read_urdf
from screw_dynamics.recordings.results.results import Results
from screw_dynamics.recordings.results.results_plot import limits_of, save_plot
from screw_dynamics.trajectory import (
    TrajectoryFile,
    TrajectoryPoint,
    smooth_trajectory,
    waypoints_from_points,
)

URDF = 'urdf/iiwa14.urdf'
REST = 0.1  # s of a trajectory that does not move
HOLD = 0.5  # s of recording after the last waypoint
REPORT_PERIOD = 0.5  # s between the node's diagnostics
ROBOT = 'KUKA LBR iiwa 14'
RECOMPUTED_SAMPLES = 500  # approximately; the readable recursion needs some ms for each

# Only positions, so that the interpolation determines all derivatives; at rest at both ends.
WAYPOINTS = (
    TrajectoryPoint(0.0, (0.0, 0.5, 0.0, -1.5, 0.0, 0.9, 0.0), (0.0,) * 7),
    TrajectoryPoint(1.7, (0.8, 1.2, -0.4, -1.0, -0.9, 0.3, -1.3)),
    TrajectoryPoint(3.1, (1.5, 0.8, -1.5, -1.6, -1.6, 1.2, -0.2)),
    TrajectoryPoint(4.6, (0.2, 0.3, -0.6, -1.9, 0.4, 1.6, 1.5)),
    TrajectoryPoint(6.2, (-1.1, 1.1, 1.1, -0.9, 1.7, 0.5, 0.6)),
    TrajectoryPoint(8.0, (0.0, 0.5, 0.0, -1.5, 0.0, 0.9, 0.0), (0.0,) * 7),
)


def waypoints_until(duration: float) -> tuple[TrajectoryPoint, ...]:
    """Return the motion, scaled in time to `duration` [s]."""
    ratio = duration / WAYPOINTS[-1].time_from_start
    return tuple(
        point._replace(time_from_start=ratio * point.time_from_start) for point in WAYPOINTS
    )


def rest(file: TrajectoryFile) -> TrajectoryFile:
    """Return a trajectory that stays at the first point of another."""
    first = file.points[0]
    return replace(file, points=(first, first._replace(time_from_start=REST)))


def main(args: Sequence[str]) -> int:
    """Run the demo with command line arguments, and return the exit code of `run_job`."""
    options = _parser().parse_args(args)
    return run_job('demo', lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    folder = options.output.resolve()
    bag = folder / 'bag'
    shutil.rmtree(bag, ignore_errors=True)
    model = read_urdf(share_path(URDF))
    file = TrajectoryFile(model.joint_names, waypoints_until(options.duration))
    services = _drive_nodes(folder, model, file, options.rate)
    recording = read_recording(bag, TORQUE_TOPIC, TRAJECTORY_TOPIC)
    stride = max(1, len(recording.time) // RECOMPUTED_SAMPLES)
    with Stage('Recompute from the recorded reference', len(recording.time[::stride])) as bar:
        check = recompute(model, recording, stride, bar.update)
    tick_times = read_tick_times(bag, TORQUE_TOPIC)
    lines = report(ROBOT, model, recording, check, options.rate, tick_times)
    text = '\n'.join([*lines, *services])
    (folder / 'report.txt').write_text(text + '\n', encoding='utf-8')
    with Stage('Draw'):
        results = Results(
            recording.joint_names,
            recording.time,
            recording.joint_jet,
            recording.effort_jet,
            slides=(False,) * model.n,
        )
        save_plot(
            results,
            folder / 'plot.png',
            f'{ROBOT}: feedforward torque with its first and second derivative',
            limits_of(Robot(model), results),
            recording.waypoint_times.tolist(),
        )
    print(f'\n{text}\n')
    for name in ('plot.png', 'bag', 'report.txt', 'logs'):
        print(folder / name)
    check.require_agreement()


def _drive_nodes(folder: Path, model: ScrewModel, file: TrajectoryFile, rate: float) -> list[str]:
    """
    Run the nodes, call the services, follow the trajectory, and record everything.

    `rate` is that of publication [Hz]. Writes `bag` and `logs` in `folder`, and returns the lines
    of the report on the services. Raises `DemoError` if ROS 2 is missing, or a process or a
    service fails.
    """
    require_ros()
    from ros_demo.client import DemoClient

    with ros_processes(folder / 'logs') as processes, ExitStack() as stack:
        with Stage('Start the nodes and the recorder') as line:
            _start(processes, folder / 'bag', rate)

            def while_waiting(missing: str) -> None:
                line.update(0, processes.require_advance(missing))

            with signals_deferred():
                client = DemoClient(share_path(URDF), while_waiting)
                stack.callback(client.destroy_node)
            client.wait_until_ready()
        with Stage('Call GetMassMatrix and GetInverseDynamics'):
            trajectory = smooth_trajectory(
                waypoints_from_points(file.joint_names, file.points, model.joint_names)
            )
            jet = trajectory.jets([0.4 * trajectory.duration])[0]
            services = list(check_services(client, model, jet))
        with Stage('Rest, until the recorder writes efforts') as line:
            client.send(rest(file))
            # a publisher may come to know the recorder later than others do
            while not is_recorded(folder / 'bag', TORQUE_TOPIC):
                while_waiting(f'the recorder to write {TORQUE_TOPIC}')
                client.spin(0.1)
        client.send(file)
        for seconds in ticks('Follow the trajectory', trajectory.duration + HOLD):
            client.spin(seconds)
            processes.require_running()
        # on a busy machine the node may be behind
        client.wait_until_held(HOLD, processes.require_running)
        with Stage('Close the bag and stop the nodes'):
            # first: the middleware may crash if a node ends while others disappear
            stack.close()
            for name in ('recorder', 'feedforward', 'dynamics_server'):
                processes.stop(name)
    return services


def _start(processes: Processes, bag: Path, rate: float) -> None:
    processes.start('recorder', 'screw_dynamics.recordings.bags.recorder', '--all', '-o', bag)
    rates = (
        *('-p', f'publish_rate:={rate}'),
        *('-p', f'diagnostic_updater.period:={REPORT_PERIOD}'),
    )
    for name, parameters in (('dynamics_server', ()), ('feedforward', rates)):
        config = share_path(f'config/{name}.yaml')
        arguments = name, '--ros-args', '--params-file', config, *parameters
        processes.start(name, 'screw_dynamics.nodes', *arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='demo',
        description='Trajectory in, efforts and their derivatives out, over ROS 2.',
    )
    parser.add_argument(
        '-o',
        '--output',
        type=Path,
        default=Path('output/demo'),
        metavar='FOLDER',
        help='where bag, plot, report and logs go (default: output/demo)',
    )
    parser.add_argument(
        '--duration',
        type=positive,
        default=8.0,
        metavar='SECONDS',
        help='of the motion (default: 8; the limits of the robot allow no less than 7)',
    )
    parser.add_argument(
        '--rate', type=float, default=250.0, metavar='HZ', help='of publication (default: 250)'
    )
    return parser
