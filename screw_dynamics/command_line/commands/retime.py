# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics retime`: fastest motion along the path of a trajectory."""

import argparse
import sys
from pathlib import Path

import numpy as np

from screw_dynamics.command_line import motions, outputs, robots
from screw_dynamics.command_line.joint_values import add_joint_values, joint_values
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import is_standard_output, new_file
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.limits.retiming import limits_by_name, retime, retimed_waypoints
from screw_dynamics.limits.retiming.last_slowing import instants
from screw_dynamics.limits.retiming.limited_quantities import limited_quantities, limited_robot
from screw_dynamics.recordings.results.evaluation import sampled_jets
from screw_dynamics.trajectory import PiecewisePolynomial

FILES = 'URDF TRAJECTORY'
DESCRIPTION = (
    'Find the fastest motion along the path of a trajectory that keeps every limit of joints, '
    'springs and motors, that of the effort rate included, and write it as a trajectory.'
)
EXAMPLES = (
    'screw_dynamics retime my_robot.urdf my_trajectory.yaml --effort-rate 1500 --csv fast.csv',
    'screw_dynamics retime my_robot.urdf my_trajectory.yaml --elastic my_springs.yaml '
    '--csv fast.csv --plot fast.png',
)
_MOTOR_QUANTITIES = 'deflection', 'motor velocity', 'motor effort', 'motor effort rate'
_WIDTH, _PANEL = 9.0, 1.5  # inches


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
    group.add_argument(
        '--plot', metavar='PNG', type=Path, help='a figure of the shares of the limits over time'
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    inputs = options.urdf, options.trajectory, options.elastic
    outputs.check(inputs, (options.csv,), options.plot)
    robot = robots.read_robot(options)
    robot = limited_robot(robot, _limits(options, robot))
    curve = motions.read_curve(options, robot.model)
    waypoints, fast = retimed_waypoints(robot, retime(robot, curve))
    times = instants(fast)
    jets = sampled_jets(fast, times, robot)
    report = check_feasibility(robot, jets, times)
    output = sys.stderr if is_standard_output(options.csv) else sys.stdout
    print(f'{report}\n\n{curve.duration:.6g} s before, {fast.duration:.6g} s now', file=output)
    if is_standard_output(options.csv):
        motions.write_waypoints(waypoints, sys.stdout)
    elif options.csv is not None:
        with new_file(options.csv) as place, place.open('w', encoding='utf-8') as file:
            motions.write_waypoints(waypoints, file)
        print(f'written: {options.csv}')
    if options.plot is not None:
        title = (
            f'{robot.model.name}: {fast.duration:.4g} s along {options.trajectory} '
            f'({curve.duration:.4g} s before)'
        )
        _save_shares(robot, fast, options.plot, title)
        print(f'written: {options.plot}', file=output)
    return 0


def _limits(options: argparse.Namespace, robot: Robot) -> dict[str, Array]:
    """Return the limits of the options, those of the robot for other joints."""
    limits = {}
    for name, values in limits_by_name(robot).items():
        chosen = getattr(options, name)
        option = f'--{name.replace("_", "-")}'
        if chosen is not None and len(chosen) == 1 and not chosen[0][0]:
            chosen = chosen * robot.n
        for _, value in chosen or ():
            if not value > 0.0:
                raise InputError(f'{option}: expected a number above 0, got {value:g}')
        numbers = joint_values(option, chosen, robot.joint_names)
        if chosen is not None:
            limits[name] = np.where(numbers > 0.0, numbers, values)
    return limits


def limit_shares(
    robot: Robot, curve: PiecewisePolynomial, times: Array
) -> dict[str, dict[str, Array]]:
    """Return the shares (T,) of the limits at times (T,) by quantity and joint or motor [%]."""
    quantities = limited_quantities(robot)
    jets = curve.jets(times, rows=max(quantities.rows, 2))
    values = quantities.values(jets[:, : quantities.rows])
    bounds = limits_by_name(robot)['velocity']
    limited = np.flatnonzero(np.isfinite(bounds))
    parts = [('velocity', limited, jets[:, 1, limited] / bounds[limited])]
    first = 0
    for name, columns, limits in quantities.parts:
        parts.append((name, columns, values[:, first : first + len(limits)] / limits))
        first += len(limits)
    return {
        name: {
            (robot.motors.names if name in _MOTOR_QUANTITIES else robot.joint_names)[j]: column
            for j, column in zip(columns.tolist(), 100.0 * np.abs(shares).T, strict=True)
        }
        for name, columns, shares in parts
        if len(columns)
    }


def _save_shares(robot: Robot, curve: PiecewisePolynomial, path: Path, title: str) -> None:
    """Draw a panel per quantity with limits, with a line per joint or motor."""
    from screw_dynamics.common.figures import GREY, line_style, panels_figure

    times = instants(curve)
    shares = limit_shares(robot, curve, times)
    names = list(dict.fromkeys(name for lines in shares.values() for name in lines))
    with panels_figure(path, (_WIDTH, 1.2 + _PANEL * len(shares)), title) as figure:
        panels = figure.subplots(len(shares), 1, sharex=True, squeeze=False)[:, 0]
        for (quantity, lines), panel in zip(shares.items(), panels, strict=True):
            panel.margins(x=0.0)
            panel.axhline(100.0, color=GREY, linestyle='--')
            for name, values in lines.items():
                k = names.index(name)
                panel.plot(
                    times,
                    values,
                    label=name,
                    marker='o' if len(times) == 1 else None,
                    **line_style(k),
                )
            panel.set_ylim(0.0, 110.0)
            panel.set_ylabel('[% of limit]')
            panel.annotate(quantity, (0.0, 1.04), xycoords='axes fraction', weight='bold')
        drawn = {line.get_label(): line for panel in panels for line in panel.get_lines()}
        legend = figure.legend(
            handles=[drawn[name] for name in names], loc='outside right upper', frameon=False
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
        panels[-1].set_xlabel('time [s]')
