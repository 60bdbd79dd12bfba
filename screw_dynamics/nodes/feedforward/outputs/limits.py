# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of published samples with limits: report, and stop of motor commands."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import MotorFeedforward
from screw_dynamics.errors import InputError
from screw_dynamics.feasibility.quantities import (
    effort_checks,
    motion_checks,
    motor_checks,
    motor_limits,
)
from screw_dynamics.feasibility.report import SLACK, FeasibilityReport
from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.nodes.shared.diagnostics import OK, WARN, Report
from screw_dynamics.reference.reference import Source
from screw_dynamics.robot import Robot

_INSTANTS = np.zeros(2)  # of the smallest and the largest values; not known
_INSTANT = np.zeros(1)


def _jets(motors: MotorFeedforward) -> tuple[Array, Array, Array, Array]:
    """Return what has limits, in the order of `_keeps_limits`."""
    return motors.effort_jet, motors.deflection_jet, motors.motor_jet, motors.motor_effort_jet


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
                motor_effort_jet=np.empty((2, 1, table.m)),
            )
            self._effort = self._drives.effort_jet
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
            for jet in _jets(self._drives):
                jet[:] = 0.0

    def add(self, jet: Array, efforts: Array) -> None:
        """Add a joint jet (rows, n) and its efforts (order + 1, n); rates need elastic joints."""
        self._seen = True
        _widen(self._motion, jet)
        _widen(self._effort, efforts)

    def add_motors(self, motors: MotorFeedforward) -> None:
        """Add the motor commands of a sample; elastic joints are required."""
        assert self._drives is not None
        for spans, jet in zip(_jets(self._drives), _jets(motors), strict=True):
            _widen(spans, jet)  # including effort rates that are not published

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


def _widen_spans(spans: Array, values: Array) -> None:
    """Update the smallest and largest values in `spans` with the rows that both arrays have."""
    _, rows, columns = spans.shape
    for d in range(min(rows, values.shape[0])):
        for j in range(columns):
            value = values[d, j]
            if value < spans[0, d, j]:
                spans[0, d, j] = value
            if value > spans[1, d, j]:
                spans[1, d, j] = value


_widen = Kernel(_widen_spans, f'void(float64[:, :, ::1], {read_only(2)})')


class LimitGuard:
    """
    Stops motor commands at the first sample beyond a limit, until a new motion begins.

    The reference continues while the motors, without commands, do not: resuming commands within
    the motion would be a jump for the drives. They are resumed when a motion begins from a
    reference at rest and its first sample is within the limits; it begins at the measured state,
    see `Reference.driven`. `reason` is the violation, empty while commands are published; `warn`
    is called once per stop.
    """

    def __init__(self, robot: Robot, warn: Callable[[str], object]) -> None:
        self._robot, self._warn = robot, warn
        limits = motor_limits(robot)
        self._bounds = (
            limits.effort_rates,
            limits.deflections,
            limits.motor_velocities,
            limits.motor_efforts,
        )
        self.forget()

    def forget(self) -> None:
        """Reset: the next sample begins a motion."""
        self.reason = ''
        self._resting, self._begins = True, False

    def follow(self, source: Source) -> None:
        """Register the next sample of the reference, with or without motor commands."""
        self._begins = self._resting and source is not Source.HOLD
        self._resting = source is Source.HOLD

    def stop(self, reason: str) -> None:
        """Stop the commands of a motion for which they can no longer be computed."""
        self.reason = self.reason or reason

    def passes(self, motors: MotorFeedforward) -> bool:
        """Return True if the motor commands of the sample last passed to `follow` are allowed."""
        if self.reason and not self._begins:
            return False
        if _keeps(*_jets(motors), *self._bounds):
            self.reason = ''
            return True
        self.reason = self._violation(motors)
        self._warn(f'No motor commands are published: {self.reason}')
        return False

    def _violation(self, motors: MotorFeedforward) -> str:
        known = motors.effort_jet[:2]
        efforts = np.zeros((1, 2, known.shape[1]))
        efforts[0, : len(known)] = known
        batch = replace(motors.as_batch(), effort_jet=efforts)
        checks = motor_checks(self._robot, _INSTANT, batch)
        worst = max(checks, key=lambda check: check.excess)
        return (
            f'limit exceeded: {worst.joint}: {worst.quantity} {worst.worst:.9g} {worst.unit}, '
            f'limit {worst.limit:g} {worst.unit}; they resume when the next motion begins from '
            'rest within the limits'
        )


def _keeps_limits(
    effort_jet: Array,
    deflection_jet: Array,
    motor_jet: Array,
    motor_effort_jet: Array,
    effort_rates: Array,
    deflections: Array,
    motor_velocities: Array,
    motor_efforts: Array,
) -> bool:
    """Return True if one sample is within the limits; effort rates only if they are known."""
    if effort_jet.shape[0] > 1:
        for j in range(len(effort_rates)):
            if abs(effort_jet[1, j]) - effort_rates[j] > SLACK * effort_rates[j]:
                return False
    for i in range(len(deflections)):
        if (
            abs(deflection_jet[0, i]) - deflections[i] > SLACK * deflections[i]
            or abs(motor_jet[1, i]) - motor_velocities[i] > SLACK * motor_velocities[i]
            or abs(motor_effort_jet[0, i]) - motor_efforts[i] > SLACK * motor_efforts[i]
        ):
            return False
    return True


_JETS, _BOUNDS = ', '.join([read_only(2)] * 4), ', '.join([read_only(1)] * 4)
_keeps = Kernel(_keeps_limits, f'boolean({_JETS}, {_BOUNDS})')


def compile_limits() -> None:
    """Compile the comparisons before the first control tick."""
    _widen.compile()
    _keeps.compile()
