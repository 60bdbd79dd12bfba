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

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import screw_dynamics as sd

pytest.importorskip('mujoco')

from sea_study.mjcf import mjcf, principal_inertia  # noqa: E402
from sea_study.mujoco_robot import load_mujoco  # noqa: E402

PROPORTIONAL, DERIVATIVE = 100.0, 10.0  # N m/rad, N m s/rad: light for an arm of 20 kg
STEP, DURATION = 1e-3, 2.0


@pytest.fixture(scope='module')
def drives() -> sd.ElasticJoints:
    """Return the drives of the example file, without load-dependent friction."""
    joints = sd.ElasticJoints.from_yaml(sd.share_path('config/geared_arm_joints.yaml'))
    parts = {
        name: replace(joint, motor=replace(joint.motor, load_friction=0.0))
        for name, joint in joints.joints.items()
    }
    return sd.ElasticJoints(parts)


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
            name: sd.ElasticJoint(motor=sd.Motor(b, viscous_friction=d))
            for name, b, d in zip(arm.joint_names, inertia, viscous, strict=True)
        }
        root = ElementTree.fromstring(
            mjcf(arm, sd.ElasticJoints(plain), timestep=STEP, integrator='RK4')
        )
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
            root.find('tendon'),
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

    def largest_error(self, motion, efforts):
        """Return the largest tracking error [rad] with a light PD beside `efforts(t)`."""
        self._mujoco.mj_resetData(self._model, self.data)
        start = motion.jets([0.0], 2)[0]
        self.data.qpos[:], self.data.qvel[:] = start

        def control(_, data):
            # at every stage of a step
            position, rate = motion.jets([min(data.time, DURATION)], 2)[0]
            feedback = PROPORTIONAL * (position - data.qpos) + DERIVATIVE * (rate - data.qvel)
            data.ctrl[:] = efforts(min(data.time, DURATION)) + feedback
            data.qfrc_applied[:] = -self.friction(data.qvel)

        worst = 0.0
        self._mujoco.set_mjcb_control(control)
        try:
            for step in range(1, round(DURATION / STEP) + 1):
                self._mujoco.mj_step(self._model, self.data)
                position = motion.jets([min(step * STEP, DURATION)], 1)[0, 0]
                worst = max(worst, float(np.abs(self.data.qpos - position).max()))
        finally:
            self._mujoco.set_mjcb_control(None)
        return worst


def test_motor_efforts_track_better_than_link_efforts(arm, drives, motion):
    engine = Engine(arm, drives)

    def link(t):
        return sd.inverse_dynamics(arm, motion.jets([t], 3)[0])[0]

    def motor(t):
        return sd.actuator_efforts(arm, drives, motion.jets([t], 3)[0])[0]

    def inertia_and_damping(t):
        plain = {
            name: sd.ElasticJoint(
                motor=replace(joint.motor, coulomb_friction=0.0, breakaway_friction=0.0),
                friction=replace(joint.friction, coulomb=0.0),
                parallel_spring=joint.parallel_spring,
            )
            for name, joint in drives.joints.items()
        }
        return sd.actuator_efforts(arm, sd.ElasticJoints(plain), motion.jets([t], 3)[0])[0]

    alone = engine.largest_error(motion, link)
    half = engine.largest_error(motion, inertia_and_damping)
    full = engine.largest_error(motion, motor)
    print(
        f'link efforts {alone:.2g}, without dry friction {half:.2g}, motor efforts {full:.2g} rad'
    )
    assert alone > 20.0 * full
    assert half > 20.0 * full  # dry friction and its derivatives of the law matter
    # the step of 1 ms against the velocity of Coulomb friction, 0.02 rad/s, at accelerations of
    # some rad/s^2, is what remains
    assert full < 1e-4 and alone > 1e-2
