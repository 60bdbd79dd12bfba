# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics retime`: fastest motion along the path of a trajectory."""

import argparse
import csv
import sys
from pathlib import Path
from typing import TextIO

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.command_line import motions, outputs, robots
from screw_dynamics.command_line.evaluation import kernels_of_a_command, sampled_jets
from screw_dynamics.command_line.joint_values import add_joint_values, joint_values
from screw_dynamics.errors import InputError
from screw_dynamics.feasibility.check import check_feasibility
from screw_dynamics.feasibility.quantities import motor_limits
from screw_dynamics.paths import is_standard_output, new_file
from screw_dynamics.retiming import retime, retimed_waypoints
from screw_dynamics.retiming.certification import instants
from screw_dynamics.retiming.limited_quantities import limited_robot
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import Waypoints

FILES = 'URDF TRAJECTORY'
DESCRIPTION = (
    'Find the fastest motion along the path of a trajectory that keeps every limit of joints, '
    'springs and motors, that of the effort rate included, and write it as a trajectory.'
)
EXAMPLES = (
    'screw_dynamics retime my_robot.urdf my_trajectory.yaml --effort-rate 1500 --csv fast.csv',
    'screw_dynamics retime my_robot.urdf my_trajectory.yaml --elastic my_springs.yaml '
    '--csv fast.csv',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    robots.add_urdf(parser)
    motions.add_trajectory(parser)
    robots.add_options(parser)
    group = parser.add_argument_group('motion')
    motions.add_interpolation(group)
    motions.add_elastic(group)
    group = parser.add_argument_group(
        'limits', 'A number for all joints, one for each, or JOINT=VALUE (default: of the robot).'
    )
    add_joint_values(group, '--velocity', 'limits of the velocity [rad/s or m/s]')
    add_joint_values(group, '--effort', 'limits of the effort [N m or N]')
    add_joint_values(group, '--effort-rate', 'limits of the effort rate [N m/s or N/s]')
    group = parser.add_argument_group('output')
    group.add_argument(
        '--csv',
        metavar='FILE',
        type=Path,
        help='points of the fast motion, with velocities and accelerations, for a smooth '
        'interpolation; - for standard output',
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    outputs.check((options.urdf, options.trajectory, options.elastic), (options.csv,))
    given = robots.read_robot(options)
    robot = limited_robot(given, None, _limits(options, given))
    curve = motions.read_curve(options, robot.model)
    with kernels_of_a_command():
        waypoints, fast = retimed_waypoints(robot, retime(robot, curve))
        times = instants(fast)
        jets = sampled_jets(fast, times, robot)
        report = check_feasibility(robot, None, jets, times)
    output = sys.stderr if is_standard_output(options.csv) else sys.stdout
    print(f'{report}\n\n{curve.duration:.6g} s before, {fast.duration:.6g} s now', file=output)
    if is_standard_output(options.csv):
        _write(waypoints, sys.stdout)
    elif options.csv is not None:
        with new_file(options.csv) as place, place.open('w', encoding='utf-8') as file:
            _write(waypoints, file)
        print(f'written: {options.csv}')
    return 0


def _limits(options: argparse.Namespace, robot: Robot) -> dict[str, Array]:
    """Return the limits of the options, those of the robot for other joints."""
    own = {
        'velocity': robot.model.limits.ignoring_zeros().velocity,
        'effort': robot.model.limits.ignoring_zeros().effort,
        'effort_rate': motor_limits(robot).effort_rates,
    }
    found = {}
    for name, values in own.items():
        chosen = getattr(options, name)
        option = f'--{name.replace("_", "-")}'
        if chosen is not None and len(chosen) == 1 and not chosen[0][0]:
            chosen = chosen * robot.n
        for _, value in chosen or ():
            if not value > 0.0:
                raise InputError(f'{option}: expected a number above 0, got {value:g}')
        given = joint_values(option, chosen, robot.joint_names)
        if chosen is not None:
            found[name] = np.where(given > 0.0, given, values)
    return found


def _write(waypoints: Waypoints, file: TextIO) -> None:
    """Write points as CSV that `read_trajectory` reads."""
    names = waypoints.joint_names
    writer = csv.writer(file, lineterminator='\n')
    writer.writerow(
        [
            'time',
            *names,
            *(f'{name}.{of}' for of in ('velocity', 'acceleration') for name in names),
        ]
    )
    motion = (waypoints.positions, waypoints.velocities, waypoints.accelerations)
    for row in np.column_stack((waypoints.times, *motion)).tolist():
        writer.writerow([repr(value) for value in row])
