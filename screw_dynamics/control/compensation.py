# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Compensation`: efforts that carry a robot in its measured state."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.settings import setting
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.blends import quintic
from screw_dynamics.control.inputs import Clear, ParametersChanged, RobotChanged, same_joints
from screw_dynamics.control.limit_checks import Load, require_bearable
from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.control.outputs import Outputs, Publication
from screw_dynamics.control.sample_guard import SampleGuard
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.recordings.messages.feedforward import Course, FeedforwardSample
from screw_dynamics.trajectory.reference.reference import Source
from screw_dynamics.trajectory.waypoint_checks import LARGEST

# rad or m beyond the velocity limit times the time between two samples: noise of encoders, and
# of the stamps near that velocity
_TOLERANCE = 0.02
_BEYOND = 0.5  # rad or m beyond a position limit: no robot is there, but degrees or mm are
_BLEND = 0.5  # s, from the efforts of one model or setting to those of the next
_SELDOM = 10.0  # s between texts about refused samples


@dataclass(frozen=True)
class MeasuredStates:
    """Positions and velocities (n,) at `stamp` [ns], 0 if unknown; NaN for joints without any."""

    stamp: int
    positions: Array
    velocities: Array


@dataclass(frozen=True)
class CompensationParameters(ModelParameters):
    """Parameters of the node `compensation`."""

    coriolis: bool = setting(
        False,
        'Include Coriolis and centrifugal efforts of the measured velocities, which are noisy.',
    )
    input_timeout: float = setting(
        0.1,
        'Largest age of joint_states by their stamp [s]; without younger ones the efforts end, '
        'and begin again as another motion.',
        within=(1e-3, 60.0),
    )


CompensationInput: TypeAlias = MeasuredStates | Clear | ParametersChanged | RobotChanged


class Compensation:
    """
    Efforts that carry a robot, for every measured state that is plausible.

    A sample is refused if a joint would have moved faster than its velocity limit since the one
    before. Efforts begin when every joint has two samples that agree; after a time without any
    they end, and begin again as another motion; motions are numbered from `number` on. A limit of
    the efforts stops them until `clear`.
    """

    def __init__(self, robot: Robot, settings: CompensationParameters, number: int = 0) -> None:
        self.settings = settings
        self.refused, self.motion = 0, number
        self._outputs = Outputs()
        self._published = Publication(self._outputs)
        self._refusal = ''  # of the newest states
        self._now = 0
        self._start(robot)

    def _start(self, robot: Robot) -> None:
        self.robot, n = robot, robot.n
        self._guard = SampleGuard(robot)
        self._use(robot)
        self._jet, self._none = np.zeros((3, n)), np.zeros(n)
        self._stamps = np.zeros(n, dtype=np.int64)
        self._sent, self._offset = np.zeros((2, n)), np.zeros((2, n))  # efforts, their gravity
        self._forget()

    def _use(self, robot: Robot) -> None:
        self.robot = robot
        self._guard.set_robot(robot)
        model = robot.model
        self._velocities = model.limits.ignoring_zeros().velocity
        self._turning = np.array([kind == 'continuous' for kind in model.coordinate_types])

    def _forget(self) -> None:
        """Drop what was measured."""
        self._known = np.zeros(self.robot.n, dtype=np.bool_)
        self._trusted = self._known.copy()
        self.running = self._changed = False
        self._blend_begin: int | None = None
        self._told: dict[str, int] = {}  # when a refusal of a kind was

    @property
    def stopped(self) -> str:
        """Why no efforts are published until `clear`; empty if they are."""
        return self._guard.reason

    def step(self, now: int, inputs: Sequence[CompensationInput] = ()) -> Outputs:
        """
        Take inputs at `now` [ns]; return the efforts of measured states that are plausible.

        The outputs are valid until the next step.
        """
        self._outputs.clear()
        if now < self._now:
            self._finish(Course.ENDED, 'the clock was set back')
            self._forget()
        self._now = now
        measured = False
        for item in inputs:
            match item:
                case MeasuredStates():
                    measured = self._measure(item)
                case Clear(reason):
                    self._clear(reason)
                case ParametersChanged(values):
                    self._apply(values)
                case RobotChanged(robot, _):
                    self._change_robot(robot)
        if self._fresh() and measured:
            self._sample()
        return self._outputs

    def _finish(self, state: Course, reason: str) -> None:
        """End the motion: none continues it."""
        self._published.finish(state, reason)
        self.running = False

    def _clear(self, reason: str) -> None:
        """Let efforts be published again after a stop, as another motion."""
        self._finish(Course.ENDED, reason)
        self._guard.forget()

    def _apply(self, settings: CompensationParameters) -> None:
        """Apply changed parameters."""
        self._changed |= settings.coriolis != self.settings.coriolis
        self.settings = settings

    def _change_robot(self, robot: Robot) -> None:
        """Continue with another model, of the same joints or of others."""
        if same_joints(self.robot, robot):
            self._use(robot)
            self._changed = True
        else:
            self._finish(Course.ENDED, 'the robot model has other joints now')
            self._start(robot)

    def check_load(self, robot: Robot) -> None:
        """Raise LimitError if a payload would drop the arm."""
        if self.running and same_joints(self.robot, robot):
            jet = np.stack([self._jet[0], self._none, self._none])
            require_bearable(Load(self.robot, {}), Load(robot, {}), jet)

    def _measure(self, states: MeasuredStates) -> bool:
        """Take over plausible states; return True if there are any."""
        stamp, timeout = states.stamp or self._now, self.settings.input_timeout
        if abs(self._now - stamp) > timeout * SECOND:
            self._refuse(
                'stamp',
                f'header.stamp: expected an instant within {timeout:g} s of now '
                f'({self._now / SECOND:.3f}), got {stamp / SECOND:.3f}: too old, or of another '
                'clock',
            )
            return False
        given = np.abs(states.positions) <= LARGEST
        elapsed = np.where(self._known, (stamp - self._stamps) / SECOND, np.inf)
        given &= elapsed > 0.0  # a driver may repeat its last message
        limits, places = self.robot.model.limits, np.where(given, states.positions, 0.0)
        outside = np.maximum(places - limits.upper, limits.lower - places)
        outside = np.where(given, outside, -np.inf)
        j = int(np.argmax(outside))
        if outside[j] > _BEYOND:
            self._refuse(
                'position',
                f'position of {self.robot.joint_names[j]}: expected rad or m within '
                f'[{limits.lower[j]:g}, {limits.upper[j]:g}], got {places[j]:.6g}',
            )
            return False
        follows = given & (elapsed <= timeout)
        velocities = np.where(np.abs(states.velocities) <= LARGEST, states.velocities, 0.0)
        if follows.any() and not self._plausible(states.positions, velocities, elapsed, follows):
            return False
        self._jet[0, given], self._jet[1, given] = states.positions[given], velocities[given]
        self._stamps[given], self._trusted[given] = stamp, follows[given]
        self._known |= given
        if given.any():
            self._refusal = ''
        return bool(given.any())

    def _plausible(
        self, positions: Array, velocities: Array, elapsed: Array, follows: NDArray[np.bool_]
    ) -> bool:
        """Return True if the joints that follow can have moved so."""
        moved = np.where(follows, positions - self._jet[0], 0.0)
        moved = np.where(self._turning, (moved + np.pi) % (2.0 * np.pi) - np.pi, moved)
        checks = [('position', positions, self._jet[0], np.abs(moved))]
        if self.settings.coriolis:
            ways = np.abs(velocities) * np.where(follows, elapsed, 0.0)
            checks.append(('velocity', velocities, self._jet[1], ways))
        for field, got, before, ways in checks:
            excess = np.where(follows, ways - self._velocities * elapsed - _TOLERANCE, -np.inf)
            j = int(np.argmax(excess))
            if excess[j] > 0.0:
                self._refuse(
                    f'step of {field}',
                    f'{field} of {self.robot.joint_names[j]}: expected what the velocity limit '
                    f'{self._velocities[j]:g} allows within {elapsed[j]:.3g} s after '
                    f'{before[j]:.6g}, got {got[j]:.6g}',
                )
                return False
        return True

    def _refuse(self, kind: str, reason: str) -> None:
        self.refused += 1
        self._refusal = reason
        told = self._told.get(kind)
        if told is None or self._now - told > _SELDOM * SECOND:
            self._told[kind] = self._now
            self._outputs.log('warning', f'joint_states ignored: {reason}')

    def _fresh(self) -> bool:
        """Return True if all joints are known; tell if they are not any more."""
        timeout = self.settings.input_timeout
        oldest = self._now - round(timeout * SECOND)
        if self._trusted.all() and (self._stamps >= oldest).all():
            return True
        if self.running:
            why = f', as they are refused: {self._refusal}' if self._refusal else ''
            text = f'no joint_states for {timeout:g} s{why}'
            self._finish(Course.ENDED, text)
            self._outputs.log('warning', f'No efforts are published: {text}')
        return False

    def _sample(self) -> None:
        """Publish the present state with its efforts, unless they exceed a limit."""
        velocities = self._jet[1].copy()
        self._jet[1] = 0.0
        model, efforts = self.robot.model, np.zeros((2, self.robot.n))
        inverse_dynamics(model, self._jet, out=efforts[1:])
        efforts[0], self._jet[1] = efforts[1], velocities
        if self.settings.coriolis:
            inverse_dynamics(model, self._jet, out=efforts[:1])
        if self.running:
            self._blend(efforts)
        if self.stopped or self._exceeds(efforts[:1]):
            self.running = False
            return
        if not self.running:
            self.motion += 1
            self.running, self._changed, self._blend_begin = True, False, None
        self._sent[:] = efforts
        stamp, jet, tau, gravity = int(self._stamps.max()), self._jet[:2].copy(), *efforts
        sample = FeedforwardSample(stamp, self.motion, jet, jet[:0], None, Source.MEASURED)
        self._published.publish(sample, tau[np.newaxis], gravity)

    def _exceeds(self, tau: Array) -> bool:
        """Stop, with a warning, if efforts (1, n) are beyond a limit."""
        violation = self._guard.effort_violation(tau)
        if not violation:
            return False
        reason = f'limit exceeded: {violation}; they resume after ~/clear'
        self._guard.stop(self.motion, reason)
        self._finish(Course.STOPPED, reason)
        self._outputs.log('warning', f'No efforts are published: {reason}')
        return True

    def _blend(self, efforts: Array) -> None:
        """Lead efforts and their gravity (2, n) from those before a change to the present ones."""
        if self._changed:
            self._changed, self._blend_begin = False, self._now
            self._offset[:] = self._sent - efforts
        if self._blend_begin is not None:
            s = (self._now - self._blend_begin) / (_BLEND * SECOND)
            if s < 1.0:
                efforts += (1.0 - quintic(s)) * self._offset
            else:
                self._blend_begin = None
