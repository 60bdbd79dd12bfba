# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics evaluate`: efforts along a trajectory."""

import argparse
from pathlib import Path

import numpy as np

from screw_dynamics.command_line import motions, outputs, robots
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import new_file, reports_beside
from screw_dynamics.common.scalars import not_negative, positive
from screw_dynamics.common.yaml_files.document import write_document
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.recordings.results.evaluation import evaluate_samples, sampled_jets
from screw_dynamics.trajectory import PiecewisePolynomial

FILES = 'URDF TRAJECTORY'
DESCRIPTION = (
    'Compute the efforts of a trajectory with their time derivatives, and the '
    'motor commands of elastic joints.'
)
EXAMPLES = (
    'screw_dynamics evaluate my_robot.urdf my_trajectory.yaml',
    'screw_dynamics evaluate my_robot.urdf my_trajectory.csv --rate 1000 --csv efforts.csv',
    'screw_dynamics evaluate my_robot.urdf my_bag --topic /arm/joint_trajectory '
    '--bag efforts --plot efforts.png',
    'screw_dynamics evaluate my_robot.urdf my_trajectory.yaml --elastic my_springs.yaml '
    '--plot motors.png',
    'screw_dynamics evaluate my_robot.urdf my_trajectory.yaml --elastic my_springs.yaml '
    '--gains gains.yaml --frequency 6 --delay 0.0015',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    robots.add_urdf(parser)
    motions.add_trajectory(parser)
    robots.add_options(parser)
    robots.add_soft_segments(parser)
    robots.add_effort_options(parser)
    motions.add_options(parser)
    outputs.add_options(parser).add_argument(
        '--bag', metavar='FOLDER', type=Path, help='a new bag of FeedforwardTorque messages'
    )
    group = parser.add_argument_group('loops around the motors')
    group.add_argument(
        '--gains',
        metavar='FILE',
        type=Path,
        help='parameter file of their gains: of feedback by links and motors along the motion for '
        'feedforward_controller, kp and kd halfway for drive_commands; needs --elastic',
    )
    group.add_argument(
        '--frequency', type=positive, metavar='HZ', default=6.0, help='of the loops (default: 6)'
    )
    group.add_argument(
        '--delay',
        type=not_negative,
        metavar='S',
        default=0.0,
        help='from a measurement to the middle of the hold of its command (default: 0)',
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    inputs = options.urdf, options.trajectory, options.elastic
    with reports_beside(options.csv) as output:
        outputs.check(inputs, (options.csv, options.gains), options.plot, options.bag)
        robot = robots.read_robot(options)
        if options.gains is not None and robot.drives is None:
            raise InputError('--gains: expected --elastic beside it')
        taken = robots.effort_format(options, robot)
        curve = motions.read_curve(options, robot.model)
        motions.warn_of_gaps(curve, options.rate)
        times = motions.sample_times(float(curve.breaks[0]), float(curve.breaks[-1]), options.rate)
        jets = sampled_jets(curve, times, robot)
        results = evaluate_samples(robot, times, jets, options.order, taken)
        count = '1 sample' if len(times) == 1 else f'{len(times)} samples'
        print(f'{count} over {times[-1] - times[0]:g} s\n{results.summary()}')
        outputs.write_table(results, options, output)
        if options.bag is not None:
            from screw_dynamics.recordings.results.results_bag import write_bag

            urdf = robots.urdf_text(options)
            write_bag(results, options.bag, curve.continuity, urdf, robot.model)
            print(f'written: {options.bag}')
        if options.gains is not None:
            with new_file(options.gains) as place:
                _write_gains(robot, curve, options.frequency, options.delay, place)
            print(f'written: {options.gains}')
        title = f'{robot.model.name}: {Path(options.trajectory).name}'
        outputs.draw(results, robot, options, title, curve.breaks.tolist())
    return 0


def _write_gains(
    robot: Robot, curve: PiecewisePolynomial, frequency: float, delay: float, path: Path
) -> None:
    """Write gains as parameters of feedforward_controller and drive_commands."""
    from screw_dynamics.simulation.feedback_gains import motor_gains, scheduled_feedback

    names = robot.joint_names
    columns = [f'{x} {name}' for x in ('q', "q'") for name in names]
    columns += [f'{x} {name}' for x in ('theta', "theta'") for name in robot.motors.names]
    poses, loops = scheduled_feedback(robot, curve, frequency, delay)
    gains = np.zeros((len(poses), robot.motors.m, len(columns)))  # 0 by motors without a spring
    gains[..., [columns.index(x) for x in loops[0].state_names]] = [loop.gains for loop in loops]
    middle = curve.jets([0.5 * (curve.breaks[0] + curve.breaks[-1])])[0, 0]
    drives = motor_gains(robot, middle, frequency, delay=delay).gains
    kp, kd = np.array([row[row != 0.0] for row in drives]).T
    numbers = {
        'poses': poses,
        'gains': gains,
        'integral_gains': np.array([loop.integral_gains for loop in loops]),
    }
    feedback = {name: _rounded(values) for name, values in numbers.items()}
    nodes = {
        'feedforward_controller': {'feedback': feedback},
        'drive_commands': {'kp': _rounded(kp), 'kd': _rounded(kd)},
    }
    write_document({name: {'ros__parameters': own} for name, own in nodes.items()}, path)


def _rounded(values: Array) -> list[float]:
    return [float(f'{value:.7g}') for value in values.ravel()]
