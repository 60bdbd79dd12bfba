# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LimitWatch`: report of the limits that published samples exceed."""

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.control.guards import guarded_jets
from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.elastic import MotorFeedforward
from screw_dynamics.errors import InputError
from screw_dynamics.feasibility.quantities import (
    effort_checks,
    motion_checks,
    motor_checks,
)
from screw_dynamics.feasibility.report import FeasibilityReport
from screw_dynamics.kernels.commands.limits import widen_link_spans, widen_motor_spans
from screw_dynamics.robot import Robot

_INSTANTS = np.zeros(2)  # of the smallest and the largest values; not known


class LimitWatch:
    """
    Compares the smallest and the largest values since the last report with the limits.

    Streams and loads by external wrenches are known only sample by sample. A tick compares in
    place and allocates nothing.
    """

    def __init__(self, robot: Robot) -> None:
        # smallest and largest; position and velocity
        self._motion = np.empty((2, 2, robot.n))
        self._effort = np.empty((2, 1, robot.n))
        self._drives: MotorFeedforward | None = None
        if robot.drives is not None:
            table = robot.motors
            self._drives = MotorFeedforward(
                motor_names=table.names,
                gear_ratios=table.gear_ratios,
                effort_jet=np.empty((2, 2, robot.n)),
                deflection_jet=np.empty((2, 1, table.m)),
                motor_jet=np.empty((2, 2, table.m)),
                motor_effort_jet=np.empty((2, 2, table.m)),
            )
            self._effort = self._drives.effort_jet
            self._spans = guarded_jets(self._drives)
        self._widen_links = widen_link_spans.compile()
        self._widen_motors = widen_motor_spans.compile()
        self.set_robot(robot)

    def set_robot(self, robot: Robot) -> None:
        """Restart with another model that has the same joints."""
        self._robot = robot
        self._clear()

    def _clear(self) -> None:
        self._seen = False
        self._motion[0], self._motion[1] = np.inf, -np.inf
        self._effort[:] = 0.0  # within every limit
        if self._drives is not None:
            for spans in self._spans:
                spans[:] = 0.0

    def add(self, jet: Array, efforts: Array) -> None:
        """Add a joint jet (rows, n) and its efforts (order + 1, n); rates need elastic joints."""
        self._seen = True
        self._widen_links(self._motion, jet, self._effort, efforts)

    def add_motors(self, motors: MotorFeedforward) -> None:
        """Add the motor commands of a sample; elastic joints are required."""
        effort, deflection, motor, motor_effort = self._spans
        self._widen_motors(
            effort,
            motors.effort_jet,  # including rates that are not published
            deflection,
            motors.deflection_jet,
            motor,
            motors.motor_jet,
            motor_effort,
            motors.motor_effort_jet,
        )

    def report(self) -> Report:
        """Return a report and restart; WARN if a limit was exceeded since the last one."""
        if not self._seen:
            return Report(OK, 'nothing published')
        robot = self._robot
        try:
            checks = motion_checks(robot, _INSTANTS, self._motion)
            checks += effort_checks(robot, _INSTANTS, self._effort[:, 0])
            if self._drives is not None:
                checks += motor_checks(robot, _INSTANTS, self._drives)
        except InputError as error:
            return Report(WARN, str(error))  # the limits are not usable
        finally:
            self._clear()
        values: dict[str, object] = {
            f'{check.joint}: {check.quantity}': (
                f'{check.worst:g} {check.unit}, limit {check.limit:g} {check.unit}'
            )
            for check in FeasibilityReport(tuple(checks)).violations
        }
        if not values:
            return Report(OK, 'kept')
        name, value = next(iter(values.items()))
        more = f' (and {len(values) - 1} more)' if len(values) > 1 else ''
        return Report(WARN, f'limit exceeded: {name} {value}{more}', values)


def compile_limits() -> None:
    """Compile the comparisons before the first control tick."""
    widen_link_spans.compile()
    widen_motor_spans.compile()
