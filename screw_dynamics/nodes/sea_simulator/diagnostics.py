# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostic task of the node `sea_simulator`."""

from screw_dynamics.nodes.sea_simulator.simulated_robot import SimulatedRobot
from screw_dynamics.nodes.sea_simulator.simulated_time import SimulatedTime
from screw_dynamics.nodes.shared.diagnostics import ERROR, OK, WARN, Report


class SimulationReport:
    """Counters of the simulation, and the task that reports them."""

    def __init__(self) -> None:
        self._accepted = self._rejected = 0
        self._last_rejection = ''
        self._reported = (0, 0, 0)

    def count_accepted(self) -> None:
        """Count accepted motor efforts."""
        self._accepted += 1

    def count_rejected(self, reason: str) -> None:
        """Count rejected motor efforts."""
        self._rejected += 1
        self._last_rejection = reason

    def task(
        self, robot: SimulatedRobot | None, time: SimulatedTime | None, rate: float
    ) -> Report:
        """
        Return the report on a simulation at a rate [Hz]: ERROR if it has failed.

        WARN if, since the last report, efforts were clipped, steps were skipped, or motor efforts
        were missing.
        """
        if robot is None or time is None:
            return Report(OK, 'not begun')
        values: dict[str, object] = {
            'simulated time [s]': f'{1e-9 * time.time:.3f}',
            'brakes': 'on' if robot.braked else 'off',
            'integration steps per state': robot.substeps,
            'motor efforts accepted': self._accepted,
            'motor efforts rejected': self._rejected,
            'motor efforts cut': robot.drives.saturated,
            'states left out': time.skipped,
            'states without motor efforts': time.waited,
        }
        counters = (robot.drives.saturated, time.skipped, time.waited)
        cut, skipped, waited = (a > b for a, b in zip(counters, self._reported, strict=True))
        self._reported = counters
        if robot.failure:
            return Report(ERROR, robot.failure, values)
        if skipped:
            return Report(WARN, 'too slow for real time: states are left out', values)
        if waited:
            return Report(
                WARN,
                'no motor efforts within lock_step_timeout: is their rate '
                f'{rate:g} Hz, that of this node?',
                values,
            )
        if cut:
            return Report(WARN, 'motor efforts beyond the limit of a motor are cut', values)
        message = f'last rejection: {self._last_rejection}' if self._rejected else 'ok'
        return Report(OK, message, values)
