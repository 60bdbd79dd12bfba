# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The `demo` executable: the main job on a bundled 7-joint arm, from a trajectory to a plot.

    make demo
    python -m screw_dynamics.demo.main_job --output my_folder

Starts `dynamics_server` and `feedforward` as processes of their own, sends a JointTrajectory,
calls two services, records an MCAP bag, prints a report and draws what was recorded.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

import numpy as np

from screw_dynamics.demo.plots import save_plot
from screw_dynamics.demo.processes import DemoError, Processes, isolate_ros
from screw_dynamics.demo.progress import stage, ticks
from screw_dynamics.demo.recording import Recording, read_recording
from screw_dynamics.demo.report import (
    compute_times,
    peak_table,
    recomputation_errors,
    timing,
)
from screw_dynamics.demo.waypoints import waypoints_until
from screw_dynamics.errors import InertiaWarning, ScrewDynamicsError
from screw_dynamics.model import ScrewModel
from screw_dynamics.parsers import read_urdf
from screw_dynamics.share import share_path
from screw_dynamics.trajectory import TrajectoryPoint, smooth_trajectory, waypoints_from_points

ROBOT = 'KUKA LBR iiwa 14'
URDF = 'urdf/iiwa14.urdf'
HOLD = 0.5  # s that are recorded after the last waypoint
RECOMPUTED_SAMPLES = 500  # about; the readable recursion takes some ms for each


def main(args: Sequence[str] | None = None) -> int:
    """
    Run the demo.

    Parameters
    ----------
    args : sequence of str, optional
        Arguments without the program's name; default those of the command line.

    Returns
    -------
    int
        Exit code: 0, 1 if something failed, 130 if interrupted.

    """
    options = _parser().parse_args(args)
    signal.signal(signal.SIGTERM, _interrupt)  # so that the processes are stopped then, too
    try:
        _run(options)
    except (ScrewDynamicsError, OSError) as error:
        print(f'demo: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('demo: interrupted', file=sys.stderr)
        return 130
    return 0


def _run(options: argparse.Namespace) -> None:
    folder = options.output.resolve()
    bag = folder / 'bag'
    shutil.rmtree(bag, ignore_errors=True)
    with warnings.catch_warnings():
        # two links of the published set are no physical bodies, see the file
        warnings.simplefilter('ignore', InertiaWarning)
        model = read_urdf(share_path(URDF))
    points = waypoints_until(options.duration)
    isolate_ros()
    services = _drive(options, folder, model, points)

    from screw_dynamics.demo.client import TORQUE_TOPIC, TRAJECTORY_TOPIC

    recording = read_recording(bag, TORQUE_TOPIC, TRAJECTORY_TOPIC)
    text = '\n'.join(_report(model, recording, options.rate, services))
    (folder / 'report.txt').write_text(text + '\n', encoding='utf-8')
    save_plot(
        recording,
        folder / 'plot.png',
        f'{ROBOT}: feedforward torque with its first and second derivative',
    )
    print(f'\n{text}\n')
    for what, path in (
        ('plot', folder / 'plot.png'),
        ('bag', bag),
        ('report', folder / 'report.txt'),
        ('logs', folder / 'logs'),
    ):
        print(f'{what:<8}{path}')


def _drive(
    options: argparse.Namespace,
    folder: Path,
    model: ScrewModel,
    points: Sequence[TrajectoryPoint],
) -> list[str]:
    """Run the nodes, call the services, follow the trajectory; return lines for the report."""
    try:
        import rclpy
        from rclpy.signals import SignalHandlerOptions

        from screw_dynamics.demo.client import DemoClient
        from screw_dynamics.demo.service_checks import check_services
    except ModuleNotFoundError as error:
        raise DemoError(
            f'needs ROS 2 and the built screw_dynamics_interfaces ({error}): run `make demo`, '
            'which sets them up'
        ) from None
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        with Processes(folder / 'logs') as processes:
            with stage('Start the nodes and the recorder') as line:
                _start(processes, folder / 'bag', options.rate)

                def while_waiting() -> None:
                    line.refresh()
                    processes.require_running()

                client = DemoClient(share_path(URDF), while_waiting)
                client.wait_until_ready()
            with stage('Call GetMassMatrix and GetInverseDynamics'):
                trajectory = smooth_trajectory(
                    waypoints_from_points(model.joint_names, points, model.joint_names)
                )
                jet = trajectory.jets([0.4 * trajectory.duration])[0]
                services = list(check_services(client, model, jet))
            client.send_trajectory(model.joint_names, points)
            total = options.duration + HOLD
            for seconds in ticks('Follow the trajectory', total):
                client.spin(seconds)
                processes.require_running()
            with stage('Close the bag and stop the nodes'):
                for name in ('recorder', 'feedforward', 'dynamics_server'):
                    processes.stop(name)
        return services
    finally:
        rclpy.try_shutdown()


def _start(processes: Processes, bag: Path, rate: float) -> None:
    processes.start('recorder', 'screw_dynamics.bags.recorder', '--all', '-o', bag)
    for name, parameters in (
        ('dynamics_server', ()),
        ('feedforward', ('-p', f'publish_rate:={rate}')),
    ):
        config = share_path(f'config/{name}.yaml')
        module = f'screw_dynamics.nodes.{name}'
        processes.start(name, module, '--ros-args', '--params-file', config, *parameters)


def _report(
    model: ScrewModel, recording: Recording, rate: float, services: Sequence[str]
) -> Iterator[str]:
    yield (
        f'{ROBOT}: {model.n} joints, {len(recording.waypoint_times)} waypoints in '
        f'{recording.waypoint_times[-1]:g} s'
    )
    yield ''
    yield from peak_table(recording)
    stride = max(1, len(recording.time) // RECOMPUTED_SAMPLES)
    count = len(recording.time[::stride])
    with stage('Recompute from the recorded reference', count) as bar:
        errors = recomputation_errors(model, recording, stride, bar.update)
    yield 'difference' + ''.join(f'{error:14.1e}' for error in errors)
    yield (
        '(largest difference between what was published and the body-fixed recursion of KM2021, '
        f'at {count} samples)'
    )
    yield ''
    published = timing(recording, rate)
    yield (
        f'Rate                 {published.rate:.2f} Hz of {rate:g} Hz: {len(recording.time)} '
        f'samples, {published.missed} missed ticks, longest gap '
        f'{1e3 * published.longest_gap:.2f} ms'
    )
    median, late = np.percentile(compute_times(model, recording), (50, 99))
    yield (
        f"Compute time         tau, tau', tau'' of one sample: median {1e6 * median:.1f} us, "
        f'99 % below {1e6 * late:.1f} us'
    )
    yield from services


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


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
        '--duration', type=float, default=8.0, metavar='SECONDS', help='of the motion (default: 8)'
    )
    parser.add_argument(
        '--rate', type=float, default=250.0, metavar='HZ', help='of publication (default: 250)'
    )
    return parser


if __name__ == '__main__':
    sys.exit(main())
