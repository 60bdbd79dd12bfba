# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`MotorSamples`: motor motion and effort of each sample of a robot with drives."""

from collections.abc import Mapping

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.outputs import Outputs
from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.control.sample_guard import SampleGuard
from screw_dynamics.control.stiffness_transition import StiffnessTransition
from screw_dynamics.drives import DeflectionFilter, elastic_feedforward, feedforward_from_efforts
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.springs import AdjustableSpring
from screw_dynamics.drives.workspace import Workspace
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.recordings.messages.feedforward import FeedforwardSample
from screw_dynamics.trajectory import JET_ROWS


class MotorSamples:
    """
    Motor commands for the reference in the shared array `jet` (5, n).

    There are none if they cannot be computed, or are `guarded` and beyond a limit.
    """

    def __init__(self, robot: Robot, jet: Array, outputs: Outputs, *, guarded: bool) -> None:
        self._jet, self._outputs = jet, outputs
        self._guarded = guarded
        self.least_rows = robot.required_rows
        # a joint with a damper in parallel requires one derivative less
        counts = sorted({self.least_rows, JET_ROWS})
        self.stiffness = StiffnessTransition(
            {
                name: spring
                for name, drive in zip(robot.joint_names, robot.joint_drives, strict=True)
                if isinstance(spring := drive.spring, AdjustableSpring)
            }
        )
        self._rows = self._origin = 0
        self._problem = ''
        self._start: Mapping[str, float] | None = None
        self._filters: dict[int, DeflectionFilter | None] = {}
        self.buffers = {rows: robot.buffers(rows) for rows in counts}
        self._workspaces: dict[int, Workspace] = {}
        self._jets = {rows: jet[:rows] for rows in counts}
        self.guard = SampleGuard(robot)
        self._computed = self._failed = 0
        self.set_robot(robot)

    def set_robot(self, robot: Robot) -> None:
        """Continue with another model that has the same joints."""
        self._robot = robot
        self._workspaces = {
            rows: Workspace(robot, rows - 3, commands=commands)
            for rows, commands in self.buffers.items()
        }
        self.guard.set_robot(robot)
        self._start = self._deflections()
        damped = bool(robot.motors.damped_names)
        self._filters = {
            rows: DeflectionFilter(robot, rows=rows) if damped else None for rows in self.buffers
        }
        self._rows = 0

    def forget(self) -> None:
        """Reset; at the next sample damped joints start quasi-steady."""
        self._rows = self._origin = 0
        self._start = None
        self._problem = ''
        self.guard.forget()
        self.stiffness.forget()

    def pause(self) -> None:
        """Register that a sample is not published: damped joints start quasi-steady."""
        self._rows, self._start = 0, None

    @property
    def stopped(self) -> bool:
        """True if there are no motor commands for the current motion."""
        return bool(self._problem or self.guard.reason)

    def compute(
        self, sample: FeedforwardSample, wrenches: Mapping[str, Array], efforts: Array
    ) -> int:
        """
        Compute `buffers[rows]` of a sample; return these rows of the reference, 0 for none.

        `wrenches` (6,) act ON the links, by frame; `efforts` (k + 1, n) are those under them.
        """
        if self.guard.stops(sample):
            self.pause()
            return 0
        if sample.rows < self.least_rows:
            reason = (
                f'expected references with derivatives up to order {self.least_rows - 1}, got '
                f'them up to order {sample.rows - 1}'
            )
            return self._fail(sample, reason)
        rows = JET_ROWS if sample.rows == JET_ROWS else self.least_rows
        try:
            self._compute(sample, rows, wrenches, efforts)
        except ScrewDynamicsError as error:
            return self._fail(sample, str(error))
        motors, stopped = self.buffers[rows], self.stopped
        self._problem = ''
        violation = self._guarded and self.guard.motor_violation(motors)
        if violation:
            self._failed += 1
            reason = f'limit exceeded: {violation}; {RESUMPTION}'
            self.guard.stop(sample.motion, reason)
            self._outputs.log('warning', f'No motor efforts are published: {reason}')
            return 0
        if stopped:
            self.guard.forget()
            self._outputs.log('info', 'Motor efforts are published again')
        self._computed += 1
        return rows

    def _compute(
        self, sample: FeedforwardSample, rows: int, wrenches: Mapping[str, Array], efforts: Array
    ) -> None:
        damper = self._filters[rows]
        if damper is not None and rows != self._rows:
            # in the state of the previous filter, if there was one
            damper.reset(self._deflections() or self._start)
            self._origin = sample.instant
        self._rows = rows
        jet, motors = self._jets[rows], self.buffers[rows]
        stiffness = self.stiffness.sample(sample.instant)
        time, count = 1e-9 * (sample.instant - self._origin), len(motors.effort_jet)
        if self._robot.coupling is not None:
            jets = {frame: _constant(wrench, rows - 2) for frame, wrench in wrenches.items()}
            elastic_feedforward(
                self._robot,
                jet,
                jets or None,
                stiffness_jets=stiffness,
                times=time,
                deflection=damper,
                out=motors,
            )
            return
        if damper is None and stiffness is None:
            self._workspaces[rows].motor_commands(jet, efforts[:count])
            return
        feedforward_from_efforts(
            self._robot,
            jet,
            efforts[:count],
            stiffness_jets=stiffness,
            times=time,
            deflection=damper,
            out=motors,
        )

    def _deflections(self) -> dict[str, float] | None:
        damper = self._filters.get(self._rows)
        if damper is None:
            return None
        _, jets, _ = damper.state
        return dict(zip(damper.joint_names, jets[:, 0].tolist(), strict=True))

    def _fail(self, sample: FeedforwardSample, reason: str) -> int:
        """Publish no motors with a sample; return 0 rows."""
        self._failed += 1
        self.pause()
        if not self.stopped:
            self._outputs.log('warning', f'No motor efforts are published: {reason}')
        self._problem = reason
        if self._jet[1].any():
            self.guard.stop(sample.motion, reason)  # resuming in motion would be a jump
        return 0

    def report(self) -> Report:
        """Return the report for /diagnostics; WARN while nothing is published."""
        values = {'published': self._computed, 'not published': self._failed}
        problem = self.guard.reason or self._problem
        return Report(WARN if problem else OK, problem or 'ok', values)


RESUMPTION = 'they resume when another motion begins from rest within the limits'


def _constant(wrench: Array, rows: int) -> Array:
    jet = np.zeros((rows, 6))
    jet[0] = wrench
    return jet
