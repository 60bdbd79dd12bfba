# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics retime`: fastest motion along the path of a trajectory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from screw_dynamics import fleet
from screw_dynamics.command_line.argument_types import Named, one_or_each
from screw_dynamics.command_line.many import Many, only_of_one
from screw_dynamics.command_line.motions import ROBOT_FIRST, TrajectorySource, write_waypoints
from screw_dynamics.command_line.outputs import save, writing
from screw_dynamics.command_line.records import Options, argument, optional, per_joint
from screw_dynamics.command_line.robots import DrivenRobot
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import save_panels
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.limits.retiming import limits_by_name, retime, retimed_waypoints
from screw_dynamics.limits.retiming.last_slowing import instants
from screw_dynamics.limits.retiming.limit_shares import draw_shares, limit_shares
from screw_dynamics.limits.retiming.limited_quantities import limited_robot
from screw_dynamics.recordings.results.evaluation import sampled_jets

DESCRIPTION = (
    'Find the fastest motion along the path of a trajectory that keeps every limit of joints, '
    'springs and motors, that of the effort rate included, and write it as a trajectory.'
)
EXAMPLES = (
    'screw_dynamics retime my_robot.urdf my_trajectory.yaml --effort-rate 1500 --csv fast.csv',
    'screw_dynamics retime my_robot.urdf my_trajectory.yaml --drives my_springs.yaml '
    '--csv fast.csv --plot fast.png',
    'screw_dynamics retime my_robot.urdf plans/* --output fast --jobs 8',
)


@dataclass(frozen=True)
class Trajectories(Options):
    """Trajectories that are retimed one by one."""

    trajectories: tuple[str, ...] = argument(
        'CSV or YAML file of points, or of poses of a frame, or a bag (a folder, or an .mcap '
        'file) that holds a JointTrajectory',
        metavar='TRAJECTORY',
    )


@dataclass(frozen=True)
class Motion(TrajectorySource):
    """How one of them is read."""

    trajectory: str = ''


def _limit(quantity: str) -> Any:
    return per_joint(f'{quantity} (default: of the robot)', infinite=True)


@dataclass(frozen=True)
class Limits(
    Options,
    heading='limits',
    text='A number for all joints, one for each, or JOINT=VALUE; inf for none.',
):
    """Limits in place of those of the robot."""

    velocity: tuple[Named, ...] = _limit('velocity [rad/s or m/s]')
    acceleration: tuple[Named, ...] = _limit('acceleration [rad/s^2 or m/s^2]')
    jerk: tuple[Named, ...] = _limit('jerk [rad/s^3 or m/s^3]')
    effort: tuple[Named, ...] = _limit('effort [N m or N]')
    effort_rate: tuple[Named, ...] = _limit('effort rate [N m/s or N/s]')

    def by_name(self, robot: Robot) -> dict[str, Array]:
        """Return the limits that are given, those of the robot for other joints."""
        limits = {}
        for name, values in limits_by_name(robot).items():
            option, given = f'--{name.replace("_", "-")}', getattr(self, name)
            for _, value in given:
                if not value > 0.0:
                    raise InputError(f'{option}: expected a number above 0, got {value:g}')
            chosen = one_or_each(option, given, robot.joint_names, values)
            if chosen is not None:
                limits[name] = chosen
        return limits


@dataclass(frozen=True)
class Files(Options, heading='output'):
    """Where the motion is written."""

    csv: Path | None = optional(
        'points of the fast motion, with velocities and accelerations, for a smooth '
        'interpolation; - for standard output',
    )
    plot: Path | None = optional('a figure of the shares of the limits over time', metavar='PNG')


def run(
    source: DrivenRobot,
    given: Trajectories,
    motion: Motion,
    limits: Limits,
    files: Files,
    many: Many,
) -> int:
    """Run the command; return 0."""
    if many.asked(given.trajectories):
        only_of_one(csv=files.csv, plot=files.plot, frame=motion.frame, begin=motion.begin)
        robot = source.robot(hint=ROBOT_FIRST)
        return many.run(
            fleet.retime,
            robot,
            given.trajectories,
            topic=motion.topic,
            message=motion.message or 0,
            interpolation=motion.interpolation,
            limits=limits.by_name(robot),
        )
    motion = replace(motion, trajectory=given.trajectories[0])
    inputs = source.urdf, motion.trajectory, source.drives
    with writing(inputs, files.csv, figure=files.plot) as write:
        robot = source.robot(hint=ROBOT_FIRST)
        robot = limited_robot(robot, limits.by_name(robot))
        curve = motion.curve(robot.model)
        waypoints, fast = retimed_waypoints(robot, retime(robot, curve))
        times = instants(fast)
        report = check_feasibility(robot, sampled_jets(fast, times, robot), times)
        print(f'{report}\n\n{curve.duration:.6g} s before, {fast.duration:.6g} s now')
        write(files.csv, lambda file: write_waypoints(waypoints, file))

        def plot(path: Path) -> None:
            title = (
                f'{robot.model.name}: {fast.duration:.4g} s along {motion.trajectory} '
                f'({curve.duration:.4g} s before)'
            )
            shares = limit_shares(robot, fast, times)
            save_panels(path, len(shares), title, partial(draw_shares, fast, shares))

        save(files.plot, plot)
    return 0
