# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`DriveNetwork`: the core of `drive_commands` behind a network that delays and loses samples."""

import heapq
from dataclasses import replace
from itertools import count

import numpy as np

from helpers.drive_rig import MIT
from helpers.rig import joint_state
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.drive_commands import DriveCommands
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.drive_records import State
from screw_dynamics.control.inputs import (
    ClockJumped,
    JointStates,
    ParametersChanged,
    RobotChanged,
    Stop,
)
from screw_dynamics.recordings.messages.feedforward import Course

SERVO_LIMIT = 0.3
MOTOR_FIELDS = ('position', 'velocity', 'effort')
MODES = {
    'effort': {},
    'without gravity': {'effort_content': 'without_gravity'},
    'MIT': MIT,
    'servo': {
        'fields': ('position', 'velocity'),
        'servo_stiffness': (200.0, 100.0),
        'servo_damping': (2.0, 1.0),
        'servo_limit': SERVO_LIMIT,
    },
    'motors': {'fields': MOTOR_FIELDS, 'content': 'motors'},
}


class WatchedCommands(DriveCommands):
    """A core that registers how it begins."""

    on_begin = None

    def _begin(self):
        self.on_begin()
        super()._begin()


class DriveNetwork:
    """
    Samples on their way to `DriveCommands`, and its commands; `random` returns numbers in [0, 1).

    `commands` are (time that has passed, instant or None in a ramp out, whether they begin, number
    of the motion, efforts that the robot adds, rows), where a clock that jumps back stands still;
    `began` are (number, stopped number, whether the number is new, largest velocity, whether the
    robot is near) of each begin.
    """

    def __init__(self, robot, mode, random):
        motors = robot.joint_names if mode == 'motors' else None
        self.mode, self._random, self.robot = mode, random, robot
        ramp = (0.0, 0.05, 0.25)[int(3 * random())]
        self.settings = DriveCommandsParameters(
            drives_path='drives.yaml' if motors else '', **MODES[mode], ramp_time=ramp
        )
        self.core = WatchedCommands(robot, robot.joint_names, motors, self.settings)
        self.core.on_begin = self._register
        self._delay = random() * 0.03 if random() < 0.7 else 0.0
        self._jitter = random() * 0.06 if random() < 0.3 else 0.0
        self._loss, self._repeats = random() * 0.3, random() * 0.2
        self._under_way, self._order = [], count()
        self._changes = []  # inputs of the next step
        self._place = np.full(2, np.nan)  # of the robot
        self._measured, self._stamps = np.full(2, np.nan), np.zeros(2, dtype=np.int64)
        self.commands, self.began, self.lines = [], [], []
        self.intruded = False  # by samples that nobody has sent
        self._number, self._stopped, self._newest = -1, None, None
        self._now, self._passed = None, 0

    def send(self, now, *items):
        """Send samples of `Feedforward`, and of its motors; some are lost, late or repeated."""
        random = self._random
        for item in items:
            last = item.state != Course.FOLLOWS
            if random() < self._loss and not last:
                continue
            for _ in range(2 if random() < self._repeats else 1):
                due = now + round(SECOND * (self._delay + self._jitter * random()))
                heapq.heappush(self._under_way, (due, next(self._order), item))
        if items and items[0].state == Course.FOLLOWS:
            self._newest = items[0]

    def measure(self, now, positions, stamp):
        """Receive joint_states."""
        known = np.isfinite(positions)
        self._place = np.where(known, positions, self._place)
        self._measured[known], self._stamps[known] = positions[known], stamp
        self.step(now, JointStates(joint_state(self.robot.joint_names, positions, stamp)))

    def reach(self, now):
        """Let time pass; after a stall, what has come meanwhile is received at once."""
        items, late = [], self._random() < 0.05
        while self._under_way and self._under_way[0][0] <= now:
            due, _, item = heapq.heappop(self._under_way)
            if late:
                items.append(item)
            else:  # after what has come before it
                self.step(min(now, max(due, self._now or due)), item)
        self._move(now)
        if items or self._random() < 0.3 or self.core.state is State.LEADING_OUT:
            self.step(now, *items)

    def _move(self, now):
        """Let the robot be where it was sent, and be measured there."""
        core, random = self.core, self._random
        if core.state is State.DRIVING:
            self._place = core._place.copy()
        if random() < 0.9 and np.isfinite(self._place).all():
            self.measure(now, self._place + 1e-3 * np.array([random(), random()]), now)

    def jump(self, now):
        """Receive the jump of the clock; what is under way is lost, or has old stamps."""
        late = [item for _, _, item in self._under_way if self._random() < 0.5]
        self._under_way = []
        self._measured[:] = np.nan
        self.step(now, ClockJumped('jump'), *late)

    def change_robot(self, now, robot):
        """Continue with another payload."""
        self._changes.append(RobotChanged(robot))

    def change(self, now):
        """Change parameters, or receive a sample that nobody has sent."""
        random = self._random
        if random() < 0.6:
            self._intrude(now)
            return
        changes = {'ramp_time': (0.0, 0.05, 0.25)[int(3 * random())]}
        if self.mode == 'MIT':
            changes['kp'] = tuple(100.0 * random(2))
        self.settings = replace(self.settings, **changes)
        self._changes.append(ParametersChanged(self.settings))

    def _intrude(self, now):
        """Receive the last sample, of now, with something that is odd."""
        sample, random, joint = self._newest, self._random, int(2 * self._random())
        if sample is None:
            return
        self.intruded = True
        kind, jet, efforts = int(7 * random()), sample.jet.copy(), sample.efforts.copy()
        if kind < 3:
            jet[kind, joint] += (np.nan, 0.03, -0.5, 1e9)[int(4 * random())]
        elif kind == 3:
            efforts[0, joint] += (np.nan, 10.0, -100.0)[int(3 * random())]
        instant = now + (round(SECOND * (random() - 0.5)) if kind == 4 else 0)
        motion = sample.motion + (1 if kind == 5 else -1 if kind == 6 else 0)
        self.step(now, sample._replace(jet=jet, efforts=efforts, instant=instant, motion=motion))

    def end(self, now):
        """End for good, and return whether the commands do within the time of their ramps."""
        outputs, steps = self.step(now, Stop()), 0
        while outputs.busy and steps < 25:  # a ramp advances by a twentieth
            now, steps = now + 60 * SECOND, steps + 1
            outputs = self.step(now)
        return not outputs.busy and self.core.state is State.SILENT

    def step(self, now, *inputs):
        """Let the core step, and keep what it commands."""
        core, before = self.core, self.core.state
        self._passed += max(now - (self._now or now), 0)
        self._now = now
        outputs, self._changes = core.step(now, [*self._changes, *inputs]), []
        driving = core.state is State.DRIVING
        begins = driving and before is not State.DRIVING
        number = core.report().values['motion']
        if driving:
            self._stopped = None
        elif core.report().message.startswith('stopped') and before is State.DRIVING:
            self._stopped = number
        self._number = number
        self.lines += [line.text for line in outputs.log]
        if outputs.rows is not None:
            instant = outputs.instant if driving else None
            added = core.target.added.copy()
            rows = outputs.rows.copy()
            self.commands.append((self._passed, instant, begins, number, added, rows))
        return outputs

    def _register(self):
        """Register a begin."""
        core = self.core
        number = core.report().values['motion']
        pace = np.abs(core.target.joint_jet[1]).max()
        near = not self.settings.moves or self._is_near(self._now)
        self.began.append((number, self._stopped, number != self._number, pace, near))
        self._stopped, self._number = None, number

    def _is_near(self, now):
        """Return whether the robot is measured near the reference, whole turns aside."""
        distance = self._measured - self.core.target.joint_jet[0]
        if self.robot.model.coordinate_types[0] == 'continuous':
            distance[0] = np.remainder(distance[0] + np.pi, 2.0 * np.pi) - np.pi
        fresh = np.abs(now - self._stamps) <= self.settings.input_timeout * SECOND
        return bool((fresh & (np.abs(distance) <= self.settings.start_tolerance + 1e-9)).all())
