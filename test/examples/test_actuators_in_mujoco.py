# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
A geared rigid arm in MuJoCo: what motor efforts gain over the efforts of the links.

Rotor inertia is MuJoCo's armature, viscous friction its joint damping, the balancing spring its
tendon between two sites: all exact. Coulomb and Stribeck friction are the smooth law of the file,
written here by hand and applied as external torques, because MuJoCo's frictionloss is a soft
constraint with a law of its own. Load-dependent friction, of which the engine knows no load, is
left out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import screw_dynamics as sd

pytestmark = [pytest.mark.long, pytest.mark.processes]

pytest.importorskip('mujoco')

from sea_study.mjcf import mjcf, principal_inertia  # noqa: E402
from sea_study.mujoco_robot import load_mujoco  # noqa: E402

DOCUMENT = Path(__file__).resolve().parents[2] / 'docs' / 'elastic_robots.md'
PROPORTIONAL, DERIVATIVE = 100.0, 10.0  # N m/rad, N m s/rad: light for an arm of 20 kg
STEP, DURATION = 1e-3, 2.0


@pytest.fixture(scope='module')
def drives() -> sd.Drives:
    """Return the drives of the example file, without load-dependent friction."""
    file = sd.Drives.from_yaml(sd.share_path('config/geared_arm_joints.yaml'))
    parts = {
        name: replace(joint, motor=replace(joint.motor, load_friction=0.0))
        for name, joint in file.joints.items()
    }
    return sd.Drives(parts)


@pytest.fixture(scope='module')
def motion(arm):
    """Return a fast motion through three points, with pauses of all joints at both ends."""
    turn = [[0.0] * 7, [0.7, 0.6, -0.5, -0.8, 0.6, 0.9, 0.8], [-0.2, 0.2, 0.4, -0.3, -0.5, 0.1, 0]]
    points = [
        sd.trajectory.TrajectoryPoint(time, position)
        for time, position in zip([0.0, 1.0, DURATION], turn, strict=True)
    ]
    waypoints = sd.trajectory.waypoints_from_points(arm.joint_names, points, arm.joint_names)
    return sd.trajectory.smooth_trajectory(waypoints)


class Engine:
    """MuJoCo with the arm, its armature, damping, spring and dry friction."""

    def __init__(self, arm, drives):
        mujoco = load_mujoco()
        motors = [drives.joints[name].motor for name in arm.joint_names]
        bearings = [drives.joints[name].friction for name in arm.joint_names]
        ratio = np.array([motor.gear_ratio for motor in motors])
        inertia = ratio**2 * [motor.rotor_inertia for motor in motors]
        assert (0.09 < inertia).all() and (inertia < 1.0).all()
        viscous = ratio**2 * [motor.viscous_friction for motor in motors]
        viscous += [bearing.viscous for bearing in bearings]
        plain = {
            name: sd.JointDrive(motor=sd.Motor(b, viscous_friction=d))
            for name, b, d in zip(arm.joint_names, inertia, viscous, strict=True)
        }
        root = ElementTree.fromstring(mjcf(sd.Robot(arm, sd.Drives(plain)), timestep=STEP))
        self._add_spring(root, arm, drives.joints['joint_2'].parallel_spring)
        self._mujoco = mujoco
        self._model = mujoco.MjModel.from_xml_string(
            ElementTree.tostring(root, encoding='unicode')
        )
        self.data = mujoco.MjData(self._model)
        self._set_inertias(arm)
        self._motors, self._bearings, self._ratio = motors, bearings, ratio

    def _set_inertias(self, arm):
        """Set the inertias of the URDF, of which MuJoCo's compiler rejects some."""
        for i, name in enumerate(arm.body_names):
            body = self._model.body(name).id
            mass, first_moment, rotational = sd.lie.inertia_parameters(arm.inertias[i])
            self._model.body_mass[body] = mass
            moments = principal_inertia(mass, first_moment, rotational)[1]
            self._model.body_inertia[body] = moments
        self._mujoco.mj_setConst(self._model, self.data)

    def _add_spring(self, root, arm, spring):
        for body, name, place in (
            (arm.body_names[0], 'start', spring.on_parent),
            (arm.body_names[1], 'end', spring.on_link),
        ):
            [element] = [found for found in root.iter('body') if found.get('name') == body]
            ElementTree.SubElement(element, 'site', name=name, pos=' '.join(map(str, place)))
        tendon = ElementTree.SubElement(
            ElementTree.SubElement(root, 'tendon'),
            'spatial',
            stiffness=str(spring.stiffness),
            springlength=str(spring.free_length),
        )
        for name in ('start', 'end'):
            ElementTree.SubElement(tendon, 'site', site=name)

    def friction(self, rates):
        """Return Coulomb and Stribeck friction at joint velocities (n,) on the joint side."""
        result = np.zeros(len(rates))
        for i, (motor, bearing) in enumerate(zip(self._motors, self._bearings, strict=True)):
            speed = self._ratio[i] * rates[i]
            decay = np.exp(-((speed / motor.stribeck_velocity) ** 2))
            level = motor.coulomb_friction
            level += (motor.breakaway_friction - motor.coulomb_friction) * decay
            result[i] = self._ratio[i] * level * np.tanh(speed / motor.coulomb_velocity)
            result[i] += bearing.coulomb * np.tanh(rates[i] / bearing.coulomb_velocity)
        return result

    def largest_error(self, motion, efforts, held=True):
        """
        Return the largest tracking error [rad] with a light PD beside `efforts(t)`.

        With `held`, efforts of the middle of a step and feedback of its beginning apply during the
        step; otherwise both are computed at every stage of it.
        """
        self._mujoco.mj_resetData(self._model, self.data)
        self.data.qpos[:], self.data.qvel[:] = motion.jets([0.0], 2)[0]
        command = np.zeros(self._model.nu)

        def drive(time):
            position, rate = motion.jets([min(self.data.time, DURATION)], 2)[0]
            feedback = PROPORTIONAL * (position - self.data.qpos)
            feedback += DERIVATIVE * (rate - self.data.qvel)
            command[:] = efforts(min(time, DURATION)) + feedback

        def control(_, data):
            if not held:
                drive(data.time)
            data.ctrl[:] = command
            data.qfrc_applied[:] = -self.friction(data.qvel)

        worst = 0.0
        self._mujoco.set_mjcb_control(control)
        try:
            for step in range(1, round(DURATION / STEP) + 1):
                drive(self.data.time + 0.5 * STEP)
                self._mujoco.mj_step(self._model, self.data)
                position = motion.jets([min(step * STEP, DURATION)], 1)[0, 0]
                worst = max(worst, float(np.abs(self.data.qpos - position).max()))
        finally:
            self._mujoco.set_mjcb_control(None)
        return worst


def scaled(drives, inertia=1.0, friction=1.0):
    """Return drives whose rotor inertia and friction are multiplied by factors."""
    parts = {}
    for name, joint in drives.joints.items():
        motor, bearing = joint.motor, joint.friction
        parts[name] = replace(
            joint,
            motor=replace(
                motor,
                rotor_inertia=inertia * motor.rotor_inertia,
                viscous_friction=friction * motor.viscous_friction,
                coulomb_friction=friction * motor.coulomb_friction,
                breakaway_friction=friction * motor.breakaway_friction,
            ),
            friction=replace(
                bearing, viscous=friction * bearing.viscous, coulomb=friction * bearing.coulomb
            ),
        )
    return sd.Drives(parts)


def without_spring(drives):
    return sd.Drives(
        {name: replace(joint, parallel_spring=None) for name, joint in drives.joints.items()}
    )


def test_motor_efforts_track_better_than_link_efforts(arm, drives, motion):
    engine = Engine(arm, drives)

    def link(t):
        return sd.inverse_dynamics(arm, motion.jets([t], 3)[0])[0]

    def motors(drives):
        return lambda t: sd.actuator_efforts(sd.Robot(arm, drives), motion.jets([t], 3)[0])[0]

    errors = {
        'tau, the efforts of the links': engine.largest_error(motion, link),
        'tau_m without friction': engine.largest_error(motion, motors(scaled(drives, 1.0, 0.0))),
        'tau_m without rotor inertia': engine.largest_error(motion, motors(scaled(drives, 0.0))),
        'tau_m without the balancing spring': engine.largest_error(
            motion, motors(without_spring(drives))
        ),
        'tau_m, friction 20 % too small': engine.largest_error(
            motion, motors(scaled(drives, 1.0, 0.8))
        ),
        'tau_m': engine.largest_error(motion, motors(drives)),
        'tau_m, not held': engine.largest_error(motion, motors(drives), held=False),
    }
    assert errors['tau, the efforts of the links'] > 20.0 * errors['tau_m']
    # without the steps of held commands rounding is left, and what the PD does not damp
    assert errors['tau_m, not held'] < 1e-8
    print(*(f'| {name} | {error:.1e} |' for name, error in errors.items()), sep='\n')
    assert documented() == pytest.approx(errors, rel=0.1, abs=1e-9)


def documented():
    """Return the errors in the table of the document."""
    rows = re.findall(r'^\| (tau[^|]*) \| ([\d.e-]+) \|$', DOCUMENT.read_text(), re.MULTILINE)
    return {name: float(value) for name, value in rows}
