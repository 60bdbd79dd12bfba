# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics evaluate`: efforts along a trajectory."""

import argparse
from pathlib import Path

from screw_dynamics.command_line import motions, outputs, robots
from screw_dynamics.command_line.evaluation import evaluate, sampled_jets
from screw_dynamics.common.paths import reports_beside

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


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    inputs = options.urdf, options.trajectory, options.elastic
    with reports_beside(options.csv) as output:
        outputs.check(inputs, (options.csv,), options.plot, options.bag)
        robot = robots.read_robot(options)
        taken = robots.effort_format(options, robot)
        outputs.check_figure(options, robot)
        curve = motions.read_curve(options, robot.model)
        motions.warn_of_gaps(curve, options.rate)
        times = motions.sample_times(float(curve.breaks[0]), float(curve.breaks[-1]), options.rate)
        jets = sampled_jets(curve, times, robot)
        results = evaluate(robot, times, jets, options.order, taken)
        count = '1 sample' if len(times) == 1 else f'{len(times)} samples'
        print(f'{count} over {times[-1] - times[0]:g} s\n{results.summary()}')
        title = f'{robot.model.name}: {Path(options.trajectory).name}'
        outputs.write_files(results, options, title, output)
        if options.bag is not None:
            from screw_dynamics.recordings.results.results_bag import write_bag

            urdf = robots.urdf_text(options)
            write_bag(results, options.bag, curve.continuity, urdf, robot.model)
            print(f'written: {options.bag}')
    return 0
