# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Rig`: the core of the node `drive_commands` with a clock of its own, and what it publishes."""

from dataclasses import replace

import numpy as np

import screw_dynamics as sd
from helpers.rig import joint_state
from screw_dynamics.control.drive_commands import DriveCommands
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.drive_records import State
from screw_dynamics.control.inputs import JointStates, ParametersChanged
from screw_dynamics.drives.robot import Robot
from screw_dynamics.recordings.messages.feedforward import FeedforwardSample, MotorSample
from screw_dynamics.trajectory.reference.reference import Source

START = 1_700_000_000 * 10**9
PERIOD = 4 * 10**6
TICK = 1e-9 * PERIOD
MIT = {
    'fields': ('position', 'velocity', 'kp', 'kd', 'effort'),
    'kp': (20.0, 10.0),
    'kd': (1.0, 0.5),
}
HANGING, STOOD = np.array([-np.pi / 2, 0.0]), np.array([0.6, 0.2])
WHEEL = (
    '<robot name="r"><link name="base"/><joint name="hinge" type="continuous">'
    '<parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>'
    '<link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>'
    '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '</robot>'
)
_POWERS, _ORDERS = np.arange(10.0), np.arange(5.0)
# C4 from 0 to 1, and its derivatives
_SMOOTH = np.polynomial.Polynomial([0, 0, 0, 0, 0, 126, -420, 540, -315, 70])
_ROWS = np.array([np.pad(_SMOOTH.deriv(d).coef, (0, d)) if d else _SMOOTH.coef for d in range(5)])


def rest(position):
    """Return a jet (5, n) at rest."""
    jet = np.zeros((5, len(position)))
    jet[0] = position
    return jet


def rated(rate):
    """Return joints of the planar robot with a limit of the rate of their efforts."""
    limited = sd.JointDrive(max_effort_rate=rate)
    return sd.Drives({'joint_1': limited, 'joint_2': limited})


def steps(rows, field=0):
    """Return the largest changes of a field between commands."""
    return np.abs(np.diff([row[field] for row in rows], axis=0)).max(axis=0)


class Move:
    """A motion from rest to rest with four derivatives that vanish at both ends."""

    def __init__(self, start, end, duration):
        self.start, self.end, self.duration = np.array(start), np.array(end), duration

    def __call__(self, time):
        """Return the jet (5, n) at a time [s]."""
        s = np.clip(time / self.duration, 0.0, 1.0)
        jet = np.outer(_ROWS @ s**_POWERS / self.duration**_ORDERS, self.end - self.start)
        jet[0] += self.start
        return jet


class Rig:
    """Samples in, commands out; `published` are (now, rows) and `log` the lines."""

    def __init__(self, model, drives=None, motors=None, **settings):
        self.robot = Robot(model, drives)
        files = {'drives_path': 'drives.yaml'} if motors else {}
        self.settings = DriveCommandsParameters(**files, **settings)
        self.settings.check()
        self.core = DriveCommands(self.robot, model.joint_names, motors, self.settings)
        self.now, self.motion, self.jumps = START, 1, 0
        self.measured = None  # published with every sample
        self.follows = True  # whether a robot that is measured moves as commanded
        self.published, self.log, self.outputs = [], [], None
        self.load = np.zeros(model.n)  # added to the efforts: a wrench or a payload

    def step(self, *inputs):
        """Let the core step at the present time."""
        outputs = self.outputs = self.core.step(self.now, inputs)
        if outputs.rows is not None:
            self.published.append((self.now, outputs.rows.copy()))
        self.log.extend(line.text for line in outputs.log)
        return outputs.rows

    def measure(self, position, age=0.0):
        """Publish joint_states with a stamp of an age [s]."""
        stamp = self.now - round(1e9 * age)
        self.step(JointStates(joint_state(self.robot.joint_names, position, stamp)))

    def sample(self, jet, since_start=np.inf, known=2, ahead=0, source=None):
        """Return a FeedforwardSample of a reference; `known` rows of the efforts."""
        model, jet = self.robot.model, np.asarray(jet)
        effort = sd.inverse_dynamics(model, jet[:4])
        effort[0] += self.load
        timed = np.isfinite(since_start)
        if source is None:
            source = Source.TRAJECTORY if timed else Source.HOLD
        return FeedforwardSample(
            self.now + ahead,
            self.motion,
            jet[:4].copy(),
            effort[:known].copy(),
            sd.gravity_forces(model, jet[0]),
            source,
            round(1e9 * since_start) if timed else 0,
            jumps=self.jumps,
        )

    def motor_sample(self, jet, ratios):
        """Return the MotorSample of a reference."""
        jet = np.asarray(jet)
        motors = sd.elastic_feedforward(self.robot, jet)
        return MotorSample(
            self.now,
            self.motion,
            motors.motor_jet[:3].copy(),
            motors.motor_effort_jet[:2].copy(),
            motors.deflection.copy(),
            np.array(ratios),
            jumps=self.jumps,
        )

    def tell(self, state, reason=''):
        """Send the last sample of the motion."""
        self.step(self.sample(rest(HANGING))._replace(state=state, reason=reason))

    def send(self, jet, *args, **keywords):
        """Publish a sample, with a measurement if there is one; return the command or None."""
        if self.measured is not None:
            self.measure(self.measured)
        rows = self.step(self.sample(jet, *args, **keywords))
        rows = None if rows is None else rows.copy()
        if self.follows and self.measured is not None and self.core.state is State.DRIVING:
            fields = self.settings.fields
            sent = (
                rows is not None and fields[0] == 'position' and not self.settings.servo_stiffness
            )
            self.measured = rows[0] if sent else np.array(jet[0])
        self.now += PERIOD
        return rows

    def follow(self, motion, begin=0.0, end=None, **keywords):
        """Send the samples of a motion from time `begin` to `end`; return the commands."""
        end = motion.duration if end is None else end
        count = round((end - begin) * 1e9 / PERIOD)
        times = begin + 1e-9 * PERIOD * np.arange(count)
        return [self.send(motion(t), since_start=t, **keywords) for t in times]

    def hold(self, position, seconds):
        """Send a resting reference; return the commands."""
        return [self.send(rest(position)) for _ in range(round(seconds * 1e9 / PERIOD))]

    def holding(self, position=STOOD, seconds=0.4):
        """Send a resting reference; return the rig."""
        self.hold(position, seconds)
        return self

    def standing(self, position=STOOD, seconds=0.4):
        """Send a resting reference to a robot that is measured there; return the rig."""
        self.measured = np.array(position)
        return self.holding(position, seconds)

    def silent(self, seconds):
        """Let time pass without samples; return what is published."""
        before = len(self.published)
        for _ in range(round(seconds * 1e9 / PERIOD)):
            self.step()
            self.now += PERIOD
        return self.published[before:]

    def change(self, **settings):
        """Change settings."""
        self.settings = replace(self.settings, **settings)
        self.settings.check()
        self.step(ParametersChanged(self.settings))

    @property
    def stopped(self):
        """Whether commands have stopped until another motion."""
        return self.core.report().message.startswith('stopped')

    def heard(self):
        """Return the lines since the last call, but those of begins."""
        lines, self.log = self.log, []
        return [line for line in lines if ' begin' not in line[:14]]
