# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LimitWatch`: comparison of published samples with limits of joints, springs and motors."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import ElasticJoints, MotorFeedforward
from screw_dynamics.errors import InputError
from screw_dynamics.feasibility.quantities import effort_checks, motion_checks, motor_checks
from screw_dynamics.feasibility.report import FeasibilityReport
from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes.shared.diagnostics import OK, WARN, Report
from screw_dynamics.robot import Robot

_INSTANTS = np.zeros(2)  # of the smallest and the largest values; not known


class LimitWatch:
    """
    Compares the smallest and the largest values since the last report with the limits.

    Trajectories are checked before they are followed, but streams and loads by external wrenches
    are known only sample by sample. A tick compares in place and allocates nothing; the kernel is
    compiled beforehand by `compile_limit_watch`. Elastic joints add the limits of springs, motors
    and effort rates.
    """

    def __init__(self, model: ScrewModel, elastic: ElasticJoints | None) -> None:
        self._elastic = elastic
        self._motion = np.empty((2, 2, model.n))  # smallest and largest; position and velocity
        self._effort = np.empty((2, 1, model.n))
        self._drives: MotorFeedforward | None = None
        if elastic is not None:
            table = elastic.motors(model)
            self._drives = MotorFeedforward(
                motor_names=table.names,
                gear_ratios=table.gear_ratios,
                effort_jet=np.empty((2, 2, model.n)),
                deflection_jet=np.empty((2, 1, table.m)),
                motor_jet=np.empty((2, 2, table.m)),
                motor_effort_jet=np.empty((2, 1, table.m)),
            )
            self._effort = self._drives.effort_jet
        self.set_model(model)

    def set_model(self, model: ScrewModel) -> None:
        """Restart with another model that has the same joints."""
        self._model = model
        self._clear()

    def _clear(self) -> None:
        self._seen = False
        self._motion[0], self._motion[1] = np.inf, -np.inf
        self._effort[:] = 0.0  # within every limit
        if self._drives is not None:
            drives = self._drives
            for jet in (
                drives.effort_jet,
                drives.deflection_jet,
                drives.motor_jet,
                drives.motor_effort_jet,
            ):
                jet[:] = 0.0

    def add(self, jet: Array, efforts: Array) -> None:
        """
        Add a sample: a joint jet (rows, n), of which rows 0 and 1 are used, and its efforts.

        `efforts` (order + 1, n) may contain rates, which are checked only with elastic joints.
        """
        self._seen = True
        _widen(self._motion, jet)
        _widen(self._effort, efforts)

    def add_motors(self, motors: MotorFeedforward) -> None:
        """Add the motor commands of a sample; elastic joints are required."""
        drives = self._drives
        assert drives is not None
        _widen(drives.effort_jet, motors.effort_jet)  # including rates that are not published
        _widen(drives.deflection_jet, motors.deflection_jet)
        _widen(drives.motor_jet, motors.motor_jet)
        _widen(drives.motor_effort_jet, motors.motor_effort_jet)

    def report(self) -> Report:
        """Return a report and restart; WARN if a limit was exceeded since the last one."""
        if not self._seen:
            return Report(OK, 'nothing published')
        robot = Robot(self._model, self._elastic)
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


def compile_limit_watch() -> None:
    """Compile the comparison before the first control tick."""
    _widen.compile()


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
