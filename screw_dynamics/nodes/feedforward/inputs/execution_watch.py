# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ExecutionWatch`: detection of motions that the controller does not execute."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.messages.times import SECOND
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.reference.interpolation import ActiveTrajectory
from screw_dynamics.reference.reference import Reference
from screw_dynamics.trajectory import JET_ROWS

# Evidence that the controller executes the motion although the times differ: this many states
# along it, over this distance [rad or m], with at most this fraction of it as deviation.
_STATES = 5
_DISTANCE = 1e-3
_ASTRAY = 0.5
# A trajectory time that goes back, or ahead by more than this factor of the time that has passed
# and this margin [s], is that of another trajectory.
_FASTEST, _MARGIN = 2.5, 0.02


class ControllerState(NamedTuple):
    """State reported by the controller."""

    instant: int  # [ns]
    time: float  # from the start of its trajectory [s]
    joints: NDArray[np.intp]  # (k,), their columns of the model
    turning: NDArray[np.bool_]  # (k,), those without limits: whole turns are ignored
    positions: Array  # (k,), reference of the controller [rad or m]


class _Evidence:
    """Successive states along the motion, or at its end."""

    def __init__(self) -> None:
        self._count, self._time = 0, 0.0

    def forget(self) -> None:
        self._count = 0

    def add(self, time: float, positions: Array, expected: Array, *, at_end: bool) -> bool:
        """Add a state; return True if there are enough and their positions follow the motion."""
        if not self._count or not (time > self._time or at_end):
            self._count, self._first, self._expected = 0, positions, expected
        self._count, self._time = self._count + 1, time
        if self._count < _STATES:
            return False
        path = expected - self._expected
        astray = np.abs(positions - self._first - path).max()
        distance = np.abs(path).max()
        return at_end or bool(distance >= _DISTANCE and astray <= _ASTRAY * distance)


class _Run:
    """Which of the controller's trajectories the states belong to, by the course of their time."""

    def __init__(self) -> None:
        self.number = 0
        self._instant, self._time = 0, 0.0

    def add(self, state: ControllerState) -> int:
        """Return the number of the trajectory that a state belongs to."""
        passed = (state.instant - self._instant) / SECOND
        if passed > 0.0:
            ahead = state.time - self._time
            if not 0.0 <= ahead <= _FASTEST * passed + _MARGIN:
                self.number += 1
            self._instant, self._time = state.instant, state.time
        return self.number


class ExecutionWatch:
    """
    Compares the states of the controller with the motion; withholds output if they differ.

    After `sync_timeout` without a state within the tolerances the motion is no longer published,
    until several states have moved along it, at any time; that time then becomes the trajectory
    time. After the end of the motion only positions are compared, and no further state is needed.
    A trajectory of the controller is that of one motion only: its states are compared neither with
    the next motion, which the controller may not have yet, nor with the one before, from which the
    controller may have gone on to it.
    """

    def __init__(self) -> None:
        self.withheld = False
        self.reason = ''  # why the last state does not agree, or why output is withheld
        self.correction = 0.0  # last correction of the trajectory time [s]
        self._followed: object = None  # identifies the motion
        self._agreed = self._heard = 0
        self._finished = False
        self._evidence = _Evidence()
        self._run = _Run()
        self._own: int | None = None  # number of the controller's trajectory that is the motion
        self._taken: int | None = None  # that of the motion before
        self._jet = np.empty((JET_ROWS, 0))

    def follow(self, motion: ActiveTrajectory | None, now: int) -> None:
        """Set the motion published at `now` [ns]; a new one starts without disagreement."""
        followed = None if motion is None else motion.waypoints
        if followed is not self._followed:
            self._followed, self._agreed, self._finished = followed, now, False
            self.withheld, self.reason = False, ''
            self._evidence.forget()
            self._taken = self._taken if self._own is None else self._own
            self._own = None

    def lapsed(self, now: int, timeout: float) -> bool:
        """Return True if output must be withheld: no state has agreed for `timeout` [s]."""
        if self.withheld or self._followed is None or (self._finished and not self.reason):
            return self.withheld
        silent = now - self._heard > timeout * SECOND
        if silent or now - self._agreed > timeout * SECOND:
            self.withheld = True
            self._evidence.forget()
            if silent or not self.reason:
                self.reason = f'no state for {timeout:g} s (parameter sync_timeout)'
        return self.withheld

    def take(
        self,
        reference: Reference,
        state: ControllerState,
        now: int,
        parameters: FeedforwardParameters,
    ) -> bool:
        """Take a state; return True if its speed applies to the motion or to a later one."""
        self._heard, run = now, self._run.add(state)
        motion = reference.motion_at(state.instant)
        if motion is None:
            return True
        if motion.waypoints is not self._followed:
            return False
        own = motion.time_at(state.instant, reference.speed)
        reach = parameters.sync_position_tolerance
        at_end = max(own, state.time) > motion.end and self._near(motion, state, motion.end, reach)
        rests = at_end and own > motion.end
        if self.withheld:
            if not self._moves_along(motion, state, reach, at_end):
                return False
            if not rests:
                self._set_time(reference, motion, state, own)
        else:
            self.reason = '' if rests else self._apart(motion, state, own, run, parameters)
            if self.reason:
                return False
            if abs(state.time - own) <= parameters.sync_tolerance:
                self._set_time(reference, motion, state, own)
        self._agreed, self._finished = now, at_end
        if not rests or self._own is None:  # what begins at the end may be the next trajectory
            self._own = run
        self.withheld, self.reason = False, ''
        return True

    def _set_time(
        self, reference: Reference, motion: ActiveTrajectory, state: ControllerState, own: float
    ) -> None:
        self.correction = state.time - own
        reference.set_time(motion, state.time, state.instant)

    def _apart(
        self,
        motion: ActiveTrajectory,
        state: ControllerState,
        own: float,
        run: int,
        parameters: FeedforwardParameters,
    ) -> str:
        """Return how a state differs from the motion; empty if it does not."""
        tolerance, reach = parameters.sync_tolerance, parameters.sync_position_tolerance
        if abs(state.time - own) > tolerance:
            return (
                f'its trajectory time is {state.time:.3f} s, expected {own:.3f} s within '
                f'{tolerance:g} s (parameter sync_tolerance)'
            )
        if run == self._taken or self._own not in (None, run):
            which = 'the one before' if run == self._taken else 'another'
            return f'it executes {which} at trajectory time {state.time:.3f} s'
        if self._near(motion, state, state.time, reach):
            return ''
        j = int(np.argmax(self._gaps))
        column = state.joints[j]
        return (
            f'its reference of joint {motion.waypoints.joint_names[column]} is '
            f'{state.positions[j]:.4g}, expected {self._jet[0, column]:.4g} within {reach:g} '
            '(parameter sync_position_tolerance)'
        )

    def _moves_along(
        self, motion: ActiveTrajectory, state: ControllerState, reach: float, at_end: bool
    ) -> bool:
        """Return True if the controller has moved along the motion or is at its end."""
        if not (at_end or self._near(motion, state, state.time, reach)):
            self._evidence.forget()
            return False
        expected = self._jet[0, state.joints]
        return self._evidence.add(state.time, state.positions, expected, at_end=at_end)

    def _near(
        self, motion: ActiveTrajectory, state: ControllerState, time: float, reach: float
    ) -> bool:
        """Return True if the reference of a state is within `reach` of the motion at a time."""
        if self._jet.shape[1] != len(motion.waypoints.joint_names):
            self._jet = np.empty((JET_ROWS, len(motion.waypoints.joint_names)))
        motion.curve.sample(max(0.0, time - motion.joined), self._jet)
        gaps = state.positions - self._jet[0, state.joints]
        turns = np.round(gaps / (2.0 * math.pi))
        self._gaps = np.abs(np.where(state.turning, gaps - 2.0 * math.pi * turns, gaps))
        return bool(self._gaps.max() <= reach)
