# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arms with soft springs: commands by a data sheet, by one recording, and learned from repeats."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

import screw_dynamics as sd
from benchmarks.learning.arms import NOISE, repeated
from screw_dynamics.common.arrays import Array
from screw_dynamics.simulation import ElasticRobot
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    smooth_trajectory,
    waypoints_from_points,
)
from sea_study.arms import ARMS, SPRINGS
from sea_study.plant import rigid_efforts

PERIOD, SUBSTEPS = 1e-3, 3
LATE = 2  # periods, of efforts
LEVEL = 0.1
SHARE, GAP = 0.02, 5e-4  # hysteresis over the largest deflection, backlash [rad]
EXCITED = 20.0  # s
RESTING = 1.0  # s before and after a motion
FREQUENCY, DAMPING = 3.0, 0.7  # of the PD on the motors [Hz]
EFFORT_NOISE = 0.02  # of the largest effort


@dataclass(frozen=True, eq=False)
class Case:
    """An arm without its load, the load, and a fast motion of 2 s."""

    name: str
    model: sd.ScrewModel
    load: tuple[str, float, tuple[float, float, float]]
    drives: sd.Drives
    curve: PiecewisePolynomial
    lossy: bool

    @cached_property
    def true(self) -> sd.Robot:
        """The robot, with hysteresis and backlash if it is `lossy`."""
        clean = self.robot(np.ones((4, self.model.n)))
        if not self.lossy:
            return clean
        jets = self.curve.jets(np.linspace(0.0, self.curve.duration, 200))
        widths = SHARE * np.abs(sd.elastic_feedforward(clean, jets).deflection).max(axis=0)
        joints = {
            name: replace(joint, hysteresis=float(width), backlash=GAP)
            for (name, joint), width in zip(self.drives.joints.items(), widths, strict=True)
        }
        return replace(clean, drives=sd.Drives(joints))

    def robot(self, factors: Array) -> sd.Robot:
        """Return the robot without slip; stiffness, rotors, friction and load (4, n) are wrong."""
        joints = {}
        for (name, joint), (stiffness, rotor, rubs, _) in zip(
            self.drives.joints.items(), factors.T.tolist(), strict=True
        ):
            motor = replace(
                joint.motor,
                rotor_inertia=rotor * joint.motor.rotor_inertia,
                viscous_friction=rubs * joint.motor.viscous_friction,
                coulomb_friction=rubs * joint.motor.coulomb_friction,
            )
            assert isinstance(joint.spring, sd.LinearSpring)
            spring = sd.LinearSpring(stiffness * joint.spring.stiffness)
            joints[name] = replace(joint, spring=spring, motor=motor)
        frame, mass, place = self.load
        model = self.model.with_payload(frame, float(factors[3, 0]) * mass, place)
        return sd.Robot(model, sd.Drives(joints))

    @cached_property
    def gains(self) -> tuple[Array, Array]:
        """Stiffness and damping of the PD on the motors."""
        start = self.curve.jets([0.0])[0, 0]
        inertia = np.diag(sd.mass_matrix(self.true.model, start)) + self.true.motors.rows[:, 0]
        omega = 2.0 * np.pi * FREQUENCY
        return omega**2 * inertia, 2.0 * DAMPING * omega * inertia

    def run(
        self,
        belief: sd.Robot,
        curve: PiecewisePolynomial,
        *,
        rigid: bool = False,
        lead: float = 0.0,
    ) -> tuple[Array, Array, Array, Array]:
        """Return times, links, motors and commanded efforts; efforts act `LATE` periods late."""
        begin, end = curve.breaks[[0, -1]]
        count = round((end - begin + 2.0 * RESTING) / PERIOD)
        times = begin - RESTING + PERIOD * np.arange(count)
        motors = _commands(belief, curve, times)
        ahead = _commands(belief, curve, times + 0.5 * PERIOD + lead)
        efforts = ahead.motor_effort
        if rigid:
            efforts = rigid_efforts(belief, curve.jets(times + 0.5 * PERIOD + lead, 3))
        plant, n, (stiffness, damping) = ElasticRobot(self.true), self.model.n, self.gains
        state = plant.initial_state(
            curve.jets(times[:1])[0], _commands(self.true, curve, times[:1])
        )
        links, thetas, sent = np.empty((count, n)), np.empty((count, n)), np.empty((count, n))
        for k in range(count):
            theta, rate = state[2 * n : 3 * n], state[3 * n : 4 * n]
            links[k], thetas[k] = state[:n], theta
            feedback = stiffness * (motors.motor_position[k] - theta)
            feedback = feedback + damping * (motors.motor_velocity[k] - rate)
            # a drive reports its own feedback as soon as it acts
            late = max(k - LATE, 0)
            plant.step(state, efforts[late] + feedback, PERIOD / SUBSTEPS, steps=SUBSTEPS)
            sent[k] = efforts[late] + feedback
        return times, links, thetas, sent

    def error(self, belief: sd.Robot, *, rigid: bool, lead: float = 0.0) -> float:
        """Return the largest error of the links along the motion [rad]."""
        times, links, _, _ = self.run(belief, self.curve, rigid=rigid, lead=lead)
        inside = (times >= 0.0) & (times <= self.curve.duration)
        return float(np.abs(links - self.curve.jets(times, 1)[:, 0])[inside].max())

    def identified(self, belief: sd.Robot, seed: int) -> sd.Robot:
        """Return the robot found from one recording of random motions under a data sheet."""
        rng = np.random.default_rng(seed)
        curve = self._excitation(rng)
        times, links, motors, sent = self.run(belief, curve)
        noise = EFFORT_NOISE * np.abs(sent).max(axis=0)
        middles = times + 0.5 * PERIOD
        efforts = np.column_stack([np.interp(times, middles, one) for one in sent.T])
        recording = sd.Recording(
            self.model.joint_names,
            times[1::2],
            (links + rng.normal(0.0, NOISE, links.shape))[1::2],
            None,
            (motors + rng.normal(0.0, NOISE, motors.shape))[1::2],
            (efforts + noise * rng.normal(size=efforts.shape))[1::2],
        )
        unloaded = replace(belief, model=self.model)
        found = sd.identify_drives(unloaded, recording, payload=self.load[0], link_uncertainty=0.0)
        return found.robot

    def _excitation(self, rng: np.random.Generator) -> PiecewisePolynomial:
        """Return a motion through random points around that of the case, from its start on."""
        names, centre = self.model.joint_names, self.curve.jets([0.0])[0, 0]
        count = round(EXCITED / 1.25)
        points = [centre, *(centre + rng.uniform(-0.6, 0.6, (count - 1, len(names)))), centre]
        rows = list(zip(np.linspace(0.0, EXCITED, count + 1).tolist(), points, strict=True))
        return smooth_trajectory(waypoints_from_points(names, rows, names))

    def learned(self, belief: sd.Robot, repeats: int, lead: float = 0.0) -> list[float]:
        """Return the largest errors of so many repeats, the first one before learning [rad]."""

        def run(curve: PiecewisePolynomial, _: int) -> tuple[Array, Array]:
            return self.run(belief, curve, lead=lead)[:2]

        late = LATE * PERIOD
        return repeated(belief, self.curve, run, repeats, LEVEL, late, self.gains).largest


def _commands(robot: sd.Robot, curve: PiecewisePolynomial, times: Array) -> sd.MotorFeedforward:
    return sd.elastic_feedforward(robot, curve.jets(times), times=times)


def cases(lossy: bool) -> list[Case]:
    """Return two arms of the study with springs of 500 to 2000 N m/rad, and a planar one."""
    found = []
    for arm in ARMS:
        if arm.kind == SPRINGS:
            given = arm.payload, arm.drives(), arm.motion(), lossy
            found.append(Case(arm.name, arm.bare(), *given))
    planar = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    names = planar.joint_names
    drives = {
        name: sd.JointDrive(
            sd.LinearSpring(stiffness),
            sd.Motor(inertia, viscous_friction=1.0, coulomb_friction=dry, coulomb_velocity=0.02),
        )
        for name, stiffness, inertia, dry in zip(
            names, (900.0, 500.0), (0.8, 0.3), (1.5, 0.8), strict=True
        )
    }
    points = [(0.0, [-1.2, 0.4]), (1.0, [-0.2, -0.5]), (2.0, [-0.8, 0.9])]
    curve = smooth_trajectory(waypoints_from_points(names, points, names))
    load = 'tool', 1.0, (0.0, 0.0, 0.0)
    return [*found, Case('planar arm', planar, load, sd.Drives(drives), curve, lossy)]


def errors(case: Case, repeats: int, seed: int) -> list[float]:
    """Return the largest errors [rad] of the columns of the table."""
    rng = np.random.default_rng(seed)
    factors = 1.0 + LEVEL * rng.uniform(-1.0, 1.0, (4, case.model.n))
    sheet, late = case.robot(factors), LATE * PERIOD
    found = case.identified(sheet, seed)
    row = [case.error(case.true, rigid=rigid, lead=late) for rigid in (True, False)]
    row += [case.error(sheet, rigid=rigid) for rigid in (True, False)]
    row += [case.error(found, rigid=rigid, lead=late) for rigid in (True, False)]
    for belief, lead in ((sheet, 0.0), (found, late)):
        largest = case.learned(belief, repeats, lead)
        largest += [largest[-1]] * (repeats + 1 - len(largest))
        row += [largest[3], largest[repeats]]
    return row
