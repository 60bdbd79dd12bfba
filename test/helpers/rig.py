# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Rig`: the core of the node `feedforward` on a clock of its own, without ROS and processes."""

import heapq
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import numpy as np

from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.control import fit as fitting
from screw_dynamics.control.controller_hold import ControllerState
from screw_dynamics.control.feedforward import Feedforward
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.inputs import (
    Clear,
    GoalAccepted,
    GoalAnswered,
    GoalBuilt,
    JointStates,
    StreamMessage,
    TaskDone,
    Tick,
    WrenchMessage,
)
from screw_dynamics.control.outputs import BuildGoal, CancelGoal, EndGoal, SendGoal, SendHold
from screw_dynamics.control.tasks import Header, TrajectoryMessage
from screw_dynamics.drives.robot import as_robot
from screw_dynamics.model import JointLimits
from screw_dynamics.trajectory.reference.streamed_reference import Stream

BEGIN = 1_700_000_000 * SECOND
CONTROLLER = '/jtc/follow_joint_trajectory'


def stamped(instant=0, frame_id=''):
    sec, nanosec = divmod(round(instant), SECOND)
    return SimpleNamespace(stamp=SimpleNamespace(sec=sec, nanosec=nanosec), frame_id=frame_id)


def duration(seconds):
    sec, nanosec = divmod(round(SECOND * seconds), SECOND)
    return SimpleNamespace(sec=sec, nanosec=nanosec)


class Serialised(SimpleNamespace):
    """A message, decoded already, that is about as long as its bytes."""

    def __len__(self):
        return 100 * len(self.points)


def trajectory_message(names, points, stamp=0, frame_id=''):
    """Return a JointTrajectory of points (time, positions[, velocities[, accelerations]])."""
    return Serialised(
        header=stamped(stamp, frame_id),
        joint_names=list(names),
        points=[
            SimpleNamespace(
                time_from_start=duration(time),
                positions=list(positions),
                velocities=list(more[0]) if more else [],
                accelerations=list(more[1]) if len(more) > 1 else [],
                effort=[],
            )
            for time, positions, *more in points
        ],
    )


def joint_state(names, positions, stamp, velocities=None):
    """Return a JointState with a stamp [ns]."""
    return SimpleNamespace(
        header=stamped(stamp),
        name=list(names),
        position=[float(x) for x in positions],
        velocity=[] if velocities is None else list(velocities),
        effort=[],
    )


def received(message):
    """Return the input of a core for a message."""
    header = Header(nanoseconds(message.header.stamp), message.header.frame_id)
    return TrajectoryMessage(message, header)


def perform(task):
    """Return the answer of the worker to a task."""
    return fitting.answer(task.arrival.message.data, task)


def limited(arm, velocity=2.0, effort=60.0, position=3.0, acceleration=np.inf, jerk=np.inf):
    bounds = -position, position, velocity, effort, acceleration, jerk
    return replace(arm, limits=JointLimits(*(np.full(arm.n, bound) for bound in bounds)))


def free(arm):
    return limited(arm, np.inf, np.inf, np.inf)


class Published:
    """Samples that were published: instants [ns], jets (5, n), efforts (3, n), gravity (n,)."""

    def __init__(self):
        self.ticks, self.samples, self.motors = [], [], []
        self.jets, self.efforts, self.gravity = [], [], []

    def add(self, now, outputs, core):
        self.ticks.append(now)
        self.samples.append(outputs.sample)
        self.motors.append(outputs.motors)
        self.jets.append(core.jet.copy())
        self.efforts.append(core.efforts.copy())
        self.gravity.append(core.gravity[0].copy())

    def __len__(self):
        return len(self.samples)

    @property
    def jet(self):
        return np.array(self.jets)

    @property
    def tau(self):
        return np.array(self.efforts)

    @property
    def instants(self):
        return np.array([sample.instant for sample in self.samples], dtype=np.int64)

    @property
    def motions(self):
        return [sample.motion for sample in self.samples]


class Rig:
    """
    A core with a clock; tasks take `fit_time` [s], a number or a function without arguments.

    `published`, `verdicts`, `lines`, `goals` and `forwarded` collect what the core puts out.
    """

    def __init__(self, robot, *, fit_time=0.004, others=None, **parameters):
        self.robot = as_robot(robot)
        self.names = self.robot.joint_names
        self.parameters = FeedforwardParameters(**parameters)
        self.parameters.check()
        self.core = Feedforward(self.robot, others or {}, self.parameters, 1)
        self.now, self._fit_time = BEGIN, fit_time
        self.period = round(SECOND / self.parameters.publish_rate)
        self._due, self._order = [], count()
        self.clear()

    def clear(self):
        """Forget what was collected."""
        self.published = Published()
        self.verdicts, self.lines, self.goals, self.forwarded = [], [], [], []
        self.ends = []  # last samples of motions
        self.resumptions = []  # largest velocity of each sample that is published after a stop

    def step(self, *inputs):
        """Let the core take inputs, and start the tasks that it asks for."""
        stopped = bool(self.core.guard.reason)
        outputs = self.core.step(self.now, inputs)
        if stopped and outputs.sample is not None:
            self.resumptions.append(np.abs(self.core.jet[1]).max())
        self.lines += [f'{line.level}: {line.text}' for line in outputs.lines]
        self.verdicts += outputs.verdicts
        self.goals += outputs.goals
        self.forwarded += outputs.forwarded
        self.ends += [] if outputs.end is None else [outputs.end]
        for task in outputs.requests:
            taken = self._fit_time() if callable(self._fit_time) else self._fit_time
            self.later(taken, lambda t=task: self._answer(t))
        if outputs.sample is not None:
            self.published.add(self.now, outputs, self.core)
        return outputs

    def _answer(self, task):
        self.step(TaskDone(task.number, self.perform(task)))

    def perform(self, task):
        """Return the answer of the worker to a task."""
        return perform(task)

    def later(self, seconds, call):
        """Call a function without arguments after some time."""
        due = self.now + round(SECOND * seconds)
        heapq.heappush(self._due, (due, next(self._order), call))

    def send(self, *points, names=None, stamp=0):
        """Send a trajectory of points (time, positions, ...)."""
        message = trajectory_message(names or self.names, points, stamp)
        self.step(received(message))

    def joint_states(self, positions, velocities=None, stamp=None, names=None):
        """Measure joints now, or with a stamp [ns]."""
        stamp = self.now if stamp is None else stamp
        message = joint_state(names or self.names, positions, stamp, velocities)
        self.step(JointStates(message))

    def sample(self, jet, stamp=None):
        """Send a JointReference with the rows of a jet (3 to 5, n)."""
        rows = [list(row) for row in jet] + [[], []]
        self.step(
            StreamMessage(
                SimpleNamespace(
                    header=stamped(self.now if stamp is None else stamp),
                    joint_names=list(self.names),
                    positions=rows[0],
                    velocities=rows[1],
                    accelerations=rows[2],
                    jerks=rows[3],
                    snaps=rows[4],
                ),
                Stream.SAMPLES,
            )
        )

    def positions(self, positions, stamp=None):
        """Send a JointState to be followed through the filter."""
        self.step(
            StreamMessage(
                SimpleNamespace(
                    header=stamped(self.now if stamp is None else stamp),
                    name=list(self.names),
                    position=list(positions),
                ),
                Stream.POSITIONS,
            )
        )

    def wrench(self, frame, torque, force, stamp=0):
        """Apply a wrench on a link."""
        vectors = [SimpleNamespace(x=v[0], y=v[1], z=v[2]) for v in (torque, force)]
        self.step(
            WrenchMessage(
                SimpleNamespace(
                    header=stamped(stamp, frame),
                    wrench=SimpleNamespace(torque=vectors[0], force=vectors[1]),
                )
            )
        )

    def clear_motion(self):
        """Call ~/clear and return its answer."""
        self.step(Clear())
        return self.core.cleared

    def run(self, seconds, *, every=None, jitter=0.0, seed=0, stalls=()):
        """
        Let time pass with ticks; `every` is called before each of them.

        Ticks are late by up to `jitter` [s], and there are none in `stalls`, (begin, length) [s].
        """
        rng, begin = np.random.default_rng(seed), self.now
        end = begin + round(SECOND * seconds)
        tick = begin + self.period
        while tick <= end:
            at = tick + round(SECOND * jitter * rng.random())
            passed = (at - begin) / SECOND
            for start, length in stalls:
                if start <= passed < start + length:
                    at = begin + round(SECOND * (start + length))
            self.answer_until(at)
            self.now = max(self.now, at)
            if every is not None:
                every()
            self.step(Tick())
            tick += self.period
            if tick < at:  # missed
                tick = at + self.period - (at - begin) % self.period
        self.answer_until(end)
        self.now = max(self.now, end)

    def answer_until(self, instant):
        while self._due and self._due[0][0] <= instant:
            due, _, call = heapq.heappop(self._due)
            self.now = max(self.now, due)
            call()

    @property
    def reasons(self):
        """Reasons of the verdicts; '' for accepted ones."""
        return [verdict.reason for verdict in self.verdicts]


class Client(Rig):
    """
    A core with goals, and a controller that answers after `latency` [s].

    `sent` are the goals that it has: number, samples and stamp; `ended` events and reasons.
    """

    def __init__(self, robot, *, latency=0.002, ready=True, goals=True, **parameters):
        controller = CONTROLLER if goals else ''
        super().__init__(robot, follow_joint_trajectory=controller, **parameters)
        self.latency, self.ready, self.accepts, self.answers = latency, ready, True, True
        self.built, self.sent, self.canceled, self.held = {}, [], [], []
        self.ended = {}

    def goal(self, number, *points, names=None, stamp=0):
        message = trajectory_message(names or self.names, points, stamp)
        self.step(GoalAccepted(number, received(message), ready=self.ready))

    def step(self, *inputs):
        before = len(self.goals)
        outputs = super().step(*inputs)
        for action in self.goals[before:]:
            self._perform(action)
        return outputs

    def see(self, *references, names=None):
        """Receive states of the controller, 10 ms apart."""
        for positions in references:
            self.now += SECOND // 100
            names = tuple(names or self.names)
            self.step(ControllerState(self.now, names, tuple(positions)))

    def _perform(self, action):
        if isinstance(action, BuildGoal):
            self.built[action.goal] = action.samples
            self.later(0.001, lambda: self.step(GoalBuilt(action.goal, self.ready)))
        elif isinstance(action, SendGoal):
            self.sent.append((action.goal, self.built[action.goal], action.stamp))
            if self.answers:
                answer = GoalAnswered(action.goal, self.accepts)
                self.later(self.latency, lambda: self.step(answer))
        elif isinstance(action, CancelGoal):
            self.canceled.append(action.goal)
        elif isinstance(action, EndGoal):
            assert action.goal not in self.ended  # once
            self.ended[action.goal] = action.event, action.reason
        else:
            assert isinstance(action, SendHold)
            self.held.append(action.samples)

    @property
    def numbers(self):
        return [number for number, *_ in self.sent]
