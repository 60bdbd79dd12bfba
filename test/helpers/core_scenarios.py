# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Scenario`: what happens to the cores of `feedforward` and `drive_commands`, drawn by a seed."""

from collections import Counter
from dataclasses import replace

import numpy as np

from helpers.drawn_motions import (
    EFFORT,
    LOADED,
    MOTIONS,
    PLACES,
    ROBOTS,
    SPEED,
    STIFFNESS,
    answered,
    drawn_points,
)
from helpers.drive_network import DriveNetwork
from helpers.drive_rig import Move
from helpers.rig import Client, received, trajectory_message
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.goals import goal_refusal
from screw_dynamics.control.inputs import (
    ClockJumped,
    ControllerSeen,
    GoalAccepted,
    GoalCanceled,
    GoalEnded,
    ParametersChanged,
    RobotChanged,
    Speed,
    Stop,
    Tick,
)
from screw_dynamics.recordings.messages.feedforward import MotorSample

_KINDS = (
    'trajectory silence stream positions state wrench speed payload parameters clear stop jump '
    'stall controller cancel drives'
).split()
_WEIGHTS = 24, 12, 12, 6, 8, 7, 6, 4, 5, 4, 2, 3, 4, 6, 4, 6
_SUMS = np.cumsum(_WEIGHTS) / sum(_WEIGHTS)
FASTEST = 315.0 / 128.0  # velocity of a Move in its middle, of that of its mean
_DERIVATIVES = np.arange(5.0)
_PHASES = 0.5 * np.pi * _DERIVATIVES


class Scenario(Client):
    """
    A client, a robot and its network; `counts` are the events by kind.

    `stops` are (number of published samples, number of the motion) at each stop by a limit,
    `fastest` is the largest factor of the speed, `kept` the most motions or goals at a time, and
    `left` what has outlasted a stop that was asked for.
    """

    def __init__(self, seed):
        draw = np.random.default_rng(seed)
        random = self.random = draw.random
        self.seed, self.counts, self.stops, self.motors = seed, Counter(), [], []
        which = self.which = int(len(ROBOTS) * random())
        robot, self.loaded, self.springs = ROBOTS[which], LOADED[which], which == 3
        self.goals_sent = random() < 0.25
        super().__init__(
            robot,
            fit_time=self._choose(0.0, 0.004, lambda: 0.2 * random(), lambda: 0.03 * random()),
            latency=self._choose(0.0, 0.002, 0.1),
            ready=random() < 0.97,
            goals=self.goals_sent,
            **self._first_parameters(),
        )
        self.accepts, self.answers = random() < 0.95, random() < 0.95
        modes = 'effort', 'without gravity', 'MIT', 'MIT', 'servo'
        self.drives = None
        if random() < 0.5:
            mode = 'motors' if self.springs and random() < 0.5 else self._choose(*modes)
            self.drives = DriveNetwork(self.robot, mode, random)
        self.number = self.trajectories = self.kept = self.left = 0
        self.fastest, self.effort = 1.0, EFFORT
        self.turns = self.robot.model.coordinate_types[0] == 'continuous'
        self.home = int(len(PLACES) * random())
        self.place = PLACES[self.home]
        self.late = random() * 0.5 if random() < 0.3 else 0.0  # of a period

    def _choose(self, *options):
        return options[int(len(options) * self.random())]

    def _first_parameters(self):
        random = self.random
        interpolation = 'jtc' if random() < 0.12 and not self.goals_sent else 'smooth'
        modes = ['reject', 'reject', 'reject', 'slow'][: 4 - (interpolation == 'jtc')]
        if len(modes) > 3 and random() < 0.04:
            modes = ['retime']
        return {
            'publish_rate': self._choose(50.0, 50.0, 100.0),
            'interpolation': interpolation,
            'limits': self._choose(*modes),
            'start_state': self._choose('reference', 'reference', 'joint_states', 'first_point'),
            'lead_time': self._choose(0.0, 0.0, 'auto', 0.02),
            'hold_time': self._choose(-1.0, -1.0, 0.0, 0.05),
            'allow_partial_joints': random() < 0.5,
            'allow_nonzero_velocity_at_end': random() < 0.2,
            'drives_path': 'given' if self.springs else '',
            'stiffness_transition': self._choose(0.05, 0.3),
        }

    def play(self):
        """Let drawn events happen, and everything come to its end."""
        random = self.random
        if random() < 0.85:
            self._measure(self.place)
        if random() < 0.4:
            self._ask(trajectory_message(self.names, MOTIONS[self.home][0]))
            self.pass_time(4)
        for _ in range(2 + int(5 * random())):
            kind = _KINDS[int(np.searchsorted(_SUMS, random()))]
            self.counts[kind] += 1
            getattr(self, f'_{kind}')()
            self.pass_time(int(6 * random()))
        self.answer_until(self.now + 100 * SECOND)
        if random() < 0.5:
            self.pass_time(2)
        self.step(Stop('end'))
        self.answer_until(self.now + 100 * SECOND)
        return self

    def pass_time(self, ticks, every=None):
        """Let ticks pass, before each of which `every` is called."""
        for _ in range(ticks):
            at = self.now + self.period
            if self.late:
                at += round(self.period * self.late * self.random())
            self.answer_until(at)
            self.now = at
            if every is not None:
                every()
            self._tick()

    def step(self, method, *arguments, **further):
        """Call a method of the core; what has ended is told to the drives."""
        outputs = super().step(method, *arguments, **further)
        ends = [] if outputs.end is None else [outputs.end]
        if outputs.motors_end is not None:
            one = outputs.motors_end
            head, none = (one.instant, one.motion), np.zeros((0, 0))
            last = MotorSample(*head, none, none, none, none, one.jumps, one.state, one.reason)
            ends.append(last)
        if ends and self.drives is not None:
            self.drives.send(self.now, *ends)
        return outputs

    def _tick(self):
        guard = self.core.guard
        stopped, count = guard.reason, len(self.published)
        outputs = self.step(Tick())
        self.counts['ticks'] += 1
        if guard.reason and not stopped:
            self.stops.append((len(self.published), guard.motion))
        if outputs.motors:
            found = self.core.motors.buffers[outputs.rows]
            rows = (found.motor_jet, found.motor_effort_jet, found.deflection)
            self.motors.append((*(row.copy() for row in rows), found.gear_ratios))
        if len(self.published) > count:
            self.place = self.core.jet[0].copy()
            if self.drives is not None:
                self.drives.send(self.now, *self._samples())
        if self.drives is not None:
            self.drives.reach(self.now)
        kept = len(self.core.queue.pending), len(self.core.reference.motions_from(0))
        self.kept = max(self.kept, len(self.core.goals.live), *kept)

    def _samples(self):
        """Return the sample that was published last, and that of its motors if there is one."""
        published = self.published
        sample = published.samples[-1]
        known = sample.rows
        links = sample._replace(
            jet=published.jets[-1][:known],
            efforts=published.efforts[-1][: known - 2],
            gravity=published.gravity[-1],
        )
        if self.drives.mode != 'motors' or not published.motors[-1]:
            return [links]
        jet, efforts, deflection, ratios = self.motors[-1]
        head, jumps = (sample.instant, sample.motion), sample.jumps
        return [links, MotorSample(*head, jet[:3], efforts, deflection, ratios, jumps)]

    def _silence(self):
        self.pass_time(int(16 * self.random()))

    def _trajectory(self):
        random = self.random
        self._measure(self.place)
        if random() < 0.7:
            points = self._choose(*MOTIONS[self.home])
            if self.turns:  # the same motion, counted otherwise
                turn = 2.0 * np.pi * self._choose(-1, 0, 0, 2)
                points = [[t, [x + turn, y], *more] for t, (x, y), *more in points]
            self._ask(trajectory_message(self.names, points))
            return
        points = drawn_points(self.place, random)
        names, odd = list(self.names), random()
        if odd < 0.3:
            names = [names[int(2 * random())]]
            points = [[t, *(row[:1] for row in rows)] for t, *rows in points]
        elif odd < 0.5:
            self._spoil(names, points)
        stamp = 0 if random() < 0.5 else self.now + round(SECOND * (random() - 0.4) * 0.6)
        self._ask(trajectory_message(names, points, stamp))

    def _ask(self, message):
        """Send a trajectory, or a goal with it."""
        if not (self.goals_sent and self.random() < 0.7):
            self.trajectories += 1
            self.step(received(message))
        elif not goal_refusal(message, self.names, self.parameters, self.now):
            self.number += 1
            self.step(GoalAccepted(self.number, received(message), ready=self.ready))

    def perform(self, task):
        """Return the answer of the worker to a task."""
        return answered(task, self.which, self.counts)

    def _spoil(self, names, points):
        kind = int(7 * self.random())
        if kind == 0:
            points.clear()
        elif kind == 1:
            names[0] = 'nobody'
        elif kind == 2:
            points[-1][1][0] = self._choose(np.nan, np.inf, 1e9)
        elif kind == 3:
            points[-1][1].append(0.0)
        elif kind == 4:
            points[-1][0] = points[0][0]
        elif kind == 5:
            points[-1][1][1] += self._choose(-3.0, 3.0)
        else:
            names.clear()

    def _stream(self):
        random, base, begin = self.random, self.place, self.now
        amplitude = (random(2) - 0.5) * self._choose(0.1, 0.5, 1.5)
        rate = self._choose(1.0, 4.0, 10.0)
        phase = 2.0 * np.pi * random() if random() < 0.3 else 0.0
        move, length = None, self._choose(0.2, 0.3, 0.5)
        if random() < 0.3:
            amplitude[0] = self._choose(-0.95, 0.95) * SPEED * length / FASTEST
        if random() < 0.6:
            move = Move(base, base + amplitude, length)
        rows, odd, age = self._choose(5, 5, 4, 3), random(), 0.0
        if random() < 0.2:
            age = random() * self._choose(0.05, 0.5)
        powers = rate**_DERIVATIVES

        def send():
            if random() < 0.1:
                return
            time = (self.now - begin) / SECOND
            if move is None:
                values = powers * np.cos(rate * time + phase + _PHASES)
                values[0] -= np.cos(phase)
                jet = values[:, None] * amplitude
                jet[0] += base
            else:
                jet = move(time)
            if odd < 0.3 and random() < 0.2:
                row = int(4 * random())
                jet[row, int(2 * random())] += self._choose(0.3, 1e3, np.nan)
            jitter = random() if age else 0.0
            self.sample(jet[:rows], round(self.now - SECOND * age * jitter))

        self._measure(base)
        self.pass_time(1 + int(9 * random()), send)

    def _positions(self):
        random = self.random
        end = self.place + (random(2) - 0.5) * self._choose(0.2, 1.0, 4.0)

        def send():
            if random() < 0.9:
                self.positions(end)

        self._measure(self.place)
        self.pass_time(1 + int(9 * random()), send)

    def _measure(self, positions, noise=None):
        """Measure the robot, which may be lost."""
        noise = noise or self._choose(1e-3, 0.09)
        if self.random() < 0.9:
            self.joint_states(positions)
            places = positions + noise * (self.random(2) - 0.5)
            if self.drives is not None:
                turns = np.zeros(2)
                if self.robot.model.coordinate_types[0] == 'continuous':
                    turns[0] = 2.0 * np.pi * self._choose(0, 0, 1, -3)
                self.drives.measure(self.now, places + turns, self.now)

    def _state(self):
        random = self.random
        if random() < 0.5:
            self._measure(self.place, self._choose(0.05, 0.2, 3.0))
            return
        positions = self.place + (random(2) - 0.5) * self._choose(0.0, 2.0)
        if random() < 0.1:
            positions[0] = self._choose(np.nan, np.inf)
        stamp = self.now - round(SECOND * (random() - 0.3))
        names = self.names if random() < 0.7 else self.names[:1]
        count = len(names)
        self.joint_states(positions[:count], random(count), stamp, names)
        if self.drives is not None and count == 2:
            self.drives.measure(self.now, positions, stamp)

    def _wrench(self):
        force = (self.random(3) - 0.5) * self._choose(10.0, 100.0)
        if self.random() < 0.05:
            force[0] = np.nan
        frame = self._choose('tool', 'tool', 'link_1', 'world', 'nowhere')
        stamp = 0 if self.random() < 0.7 else self.now - round(SECOND * self.random() * 0.3)
        self.wrench(frame, [0.0] * 3, force.tolist(), stamp)

    def _speed(self):
        factor = self._choose(0.0, 0.3, 0.5, 1.0, 1.0, 1.5, 2.0, np.nan)
        self.fastest = max(self.fastest, factor)
        self.step(Speed(factor))

    def _payload(self):
        robot = self._choose(self.robot, *self.loaded)
        self.step(RobotChanged(self.robot.with_model(robot.model), {}))
        if self.drives is not None:
            self.drives.change_robot(self.now, robot)

    def _parameters(self):
        random, choose = self.random, self._choose
        changed = {
            'hold_time': choose(-1.0, 0.0, 0.1),
            'start_state': choose('reference', 'joint_states', 'first_point'),
            'allow_partial_joints': random() < 0.5,
            'input_timeout': choose(0.2, 0.05),
            'filter_order': choose(5, 8),
            'filter_bandwidth': choose(5.0, 2.0, 20.0),
            'publish_rate': choose(25.0, 50.0, 100.0),
        }
        if self.springs:
            low, high = STIFFNESS
            changed['stiffness'] = choose((), tuple(low + (high - low) * random(2)))
        kept = {name: value for name, value in changed.items() if random() < 0.4}
        self.parameters = replace(self.parameters, **kept)
        self.period = round(SECOND / self.parameters.publish_rate)
        self.step(ParametersChanged(self.parameters))

    def _clear(self):
        self.clear_motion()
        self.left += len(self.core.queue.pending)

    def _stop(self):
        self.step(Stop('stopped'))
        self.left += len(self.core.queue.pending) + len(self.core.goals.live)

    def _jump(self):
        self.now += round(SECOND * (self.random() - 0.5) * self._choose(0.5, 10.0))
        self.step(ClockJumped('jumped'))
        if self.drives is not None:
            self.drives.jump(self.now)

    def _stall(self):
        late = self.now + round(SECOND * self.random() * self._choose(0.1, 0.6))
        if self.random() < 0.5:
            self.answer_until(late)
        self.now = late

    def _cancel(self):
        if self.number:
            self.step(GoalCanceled(1 + int(self.number * self.random())))

    def _controller(self):
        if not self.sent or self.random() < 0.2:
            for _ in range(self._choose(1, 60)):
                self.step(ControllerSeen(ready=self.random() < 0.998))
            return
        event = self._choose('succeed', 'abort', 'canceled', 'unknown')
        self.step(GoalEnded(self._choose(*self.numbers), event, violated=self.random() < 0.5))

    def _drives(self):
        if self.drives is not None:
            self.drives.change(self.now)
