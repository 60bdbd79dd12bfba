# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`CarriedScenario`: what happens to the core of `compensation`, drawn by a seed."""

from collections import Counter
from dataclasses import replace

import numpy as np

from helpers.drawn_motions import LOADED, PLACES, ROBOTS
from helpers.drive_network import DriveNetwork
from helpers.rig import BEGIN
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.compensation import (
    Compensation,
    CompensationParameters,
    MeasuredStates,
)
from screw_dynamics.control.inputs import Clear, ParametersChanged, RobotChanged

PERIOD = SECOND // 100
EFFORT = 22.0  # N m: less than the heaviest payload needs


def _weak(robot):
    limits = replace(robot.model.limits, effort=np.full(2, EFFORT))
    return robot.with_model(replace(robot.model, limits=limits))


_ROBOTS = [tuple(map(_weak, (one, *more))) for one, more in zip(ROBOTS, LOADED, strict=True)]


class CarriedScenario:
    """
    A robot that is moved by hand; `samples` are (number of stops before, sample).

    `outlasted` counts samples that are published between a stop and the next `Clear`.
    """

    def __init__(self, seed):
        random = self.random = np.random.default_rng((1, seed)).random
        self.robot, *self._loaded = _ROBOTS[int(3 * random())]
        self.effort = EFFORT
        self.core = Compensation(self.robot, CompensationParameters(coriolis=random() < 0.5))
        self.counts, self.now, self.lines, self.samples = Counter(), BEGIN, [], []
        mode = ('effort', 'without gravity', 'MIT')[int(3 * random())]
        self.drives = DriveNetwork(self.robot, mode, random) if random() < 0.5 else None
        self.place, self.pace = PLACES[int(len(PLACES) * random())].copy(), np.zeros(2)
        self.stops = self.outlasted = 0
        self._changes = []  # inputs of the next step

    def play(self):
        """Let drawn events happen between portions of measured states."""
        random = self.random
        for _ in range(3 + int(6 * random())):
            self.pass_time(1 + int(12 * random()))
            kind = int(8 * random())
            if kind == 0:
                self.pace = (random(2) - 0.5) * (0.2, 1.0, 8.0)[int(3 * random())]
            elif kind == 1:
                self.pace = np.zeros(2)
            elif kind == 2:
                self.place += (random(2) - 0.5) * (0.02, 0.5)[int(2 * random())]
            elif kind == 3:
                self.now += round(SECOND * (random() - 0.3))
            elif kind == 4:
                robot = (self.robot, *self._loaded)[int(3 * random())]
                self._changes.append(RobotChanged(robot))
            elif kind == 5:
                parameters = CompensationParameters(
                    coriolis=random() < 0.5, input_timeout=(0.05, 0.1)[int(2 * random())]
                )
                self._changes.append(ParametersChanged(parameters))
            elif kind == 6:
                self._changes.append(Clear())
            else:
                self.step()
        return self

    def pass_time(self, count):
        """Let states be measured, some of which are lost, old or wrong."""
        random = self.random
        for _ in range(count):
            self.now += PERIOD
            self.place = self.place + self.pace * (PERIOD / SECOND)
            positions, velocities, stamp = self.place.copy(), self.pace.copy(), self.now
            if self.robot.model.coordinate_types[0] == 'continuous':
                positions[0] %= 2.0 * np.pi
            odd = random()
            if odd < 0.05:
                continue
            if odd < 0.1:
                stamp -= round(SECOND * 0.2 * random())
            elif odd < 0.13:
                stamp = 0
            elif odd < 0.17:
                positions[int(2 * random())] = (np.nan, np.inf, 50.0)[int(3 * random())]
            elif odd < 0.2:
                velocities[int(2 * random())] = (np.nan, 1e3)[int(2 * random())]
            self.step(MeasuredStates(stamp, positions, velocities))
            if self.drives is not None:
                if random() < 0.3:
                    self.drives.measure(self.now, self.place, self.now)
                self.drives.reach(self.now)

    def step(self, *inputs):
        """Let the core step, and send what it publishes."""
        given, self._changes = [*self._changes, *inputs], []
        cleared = any(isinstance(one, Clear) for one in given)
        stopped = bool(self.core.stopped) and not cleared
        outputs = self.core.step(self.now, given)
        self.counts['ticks'] += 1
        self.stops += bool(self.core.stopped) and not stopped
        self.lines += outputs.lines
        sample = outputs.sample
        if outputs.end is not None and self.drives is not None:
            self.drives.send(self.now, outputs.end)
        if sample is None:
            return
        self.outlasted += stopped
        self.samples.append(sample)
        if self.drives is not None:
            self.drives.send(self.now, sample)
