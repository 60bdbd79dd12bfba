# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts, mass matrix and poses of a robot by MuJoCo, in the coordinates of its `ScrewModel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array

SLOWEST = 1.0  # rad/s or m/s, at which Coulomb friction is complete in both laws


class MujocoRobot:
    """
    A compiled document beside the model that was read of it.

    Contacts, limits, and what `read_mjcf` leaves out with a warning do not act in MuJoCo;
    equalities do not, as the coordinates of the model contain them.
    """

    def __init__(self, engine: Any, model: sd.ScrewModel) -> None:
        self.engine, self.model = engine, model
        flags, kinds = mujoco.mjtDisableBit, mujoco.mjtJoint
        for flag in (flags.mjDSBL_CONTACT, flags.mjDSBL_LIMIT, flags.mjDSBL_EQUALITY):
            engine.opt.disableflags |= int(flag)
        engine.opt.density = engine.opt.viscosity = 0.0
        engine.body_gravcomp[:] = 0.0
        self.several = np.isin(engine.jnt_type, (int(kinds.mjJNT_FREE), int(kinds.mjJNT_BALL)))
        self._clear(
            *(f'tendon_{name}' for name in ('stiffness', 'damping', 'armature', 'frictionloss')),
            *(f'{owner}_dampingpoly' for owner in ('dof', 'tendon', 'actuator')),
            *(f'{owner}_stiffnesspoly' for owner in ('jnt', 'tendon')),
        )
        engine.jnt_stiffness[self.several] = 0.0
        of_several = self.several[engine.dof_jntid]
        for array in (engine.dof_damping, engine.dof_armature, engine.dof_frictionloss):
            array[of_several] = 0.0
        # a soft constraint: hard as it can be, so that it is at its bound in motion
        engine.dof_solimp[:, :2] = 0.9999
        self.data = mujoco.MjData(engine)
        mujoco.mj_setConst(engine, self.data)

    def without_drives(self) -> None:
        """Remove armature, friction and springs."""
        self._clear('dof_damping', 'dof_armature', 'dof_frictionloss', 'jnt_stiffness')
        self._clear('actuator_armature', 'actuator_damping')
        mujoco.mj_setConst(self.engine, self.data)

    def _clear(self, *names: str) -> None:
        """Set fields to 0; older versions of MuJoCo lack some."""
        for name in names:
            if hasattr(self.engine, name):
                getattr(self.engine, name)[:] = 0.0

    def set_state(self, jet: Array) -> Array:
        """Set position, velocity and acceleration of (3, n); return the Jacobian (nv, n)."""
        engine, data, model = self.engine, self.data, self.model
        rates, drift = np.zeros((engine.nv, model.n)), np.zeros(engine.nv)
        tree = {name: i for i, name in enumerate(model.tree_joint_names)}
        data.qpos[:] = engine.qpos0

        def follow(name: str) -> tuple[Array, Array]:
            """Return the position with its derivatives, and the row of the Jacobian."""
            i = tree[name]
            row = model.multipliers[i] * np.eye(model.n)[model.coordinates[i]]
            return jet @ row + [model.offsets[i], 0.0, 0.0], row

        for j in range(engine.njnt):
            name = engine.joint(j).name or f'{engine.body(engine.jnt_bodyid[j]).name}_joint'
            dof, at = engine.jnt_dofadr[j], engine.jnt_qposadr[j]
            if not self.several[j]:
                if name in tree:  # not held by an equality
                    position, rates[dof] = follow(name)
                    data.qpos[at] = position[0]
                continue
            if engine.jnt_type[j] == int(mujoco.mjtJoint.mjJNT_FREE):
                for k, axis in enumerate('xyz'):
                    position, rates[dof + k] = follow(f'{name}/{axis}')
                    data.qpos[at + k] = position[0]
                dof, at = dof + 3, at + 3
            (yaw, _), (pitch, _), (roll, _) = angles = [
                follow(f'{name}/{angle}') for angle in ('yaw', 'pitch', 'roll')
            ]
            turn = Rotation.from_euler('ZYX', [yaw[0], pitch[0], roll[0]])
            data.qpos[at : at + 4] = np.roll(turn.as_quat(), 1)
            matrix, rate = body_rates(pitch[:2], roll[:2])
            rates[dof : dof + 3] = matrix @ [row for _, row in angles]
            drift[dof : dof + 3] = rate @ [yaw[1], pitch[1], roll[1]]
        data.qvel[:] = rates @ jet[1]
        data.qacc[:] = rates @ jet[2] + drift
        return rates

    def efforts(self, jet: Array) -> Array:
        """Return the efforts (n,) of `mj_inverse`."""
        rates = self.set_state(jet)
        mujoco.mj_inverse(self.engine, self.data)
        return np.asarray(rates.T @ self.data.qfrc_inverse)

    def mass_matrix(self, q: Array) -> Array:
        """Return the mass matrix (n, n) of `mj_fullM`, with armature."""
        rates = self.set_state(np.array([q, 0.0 * q, 0.0 * q]))
        mujoco.mj_forward(self.engine, self.data)
        full = np.zeros((self.engine.nv, self.engine.nv))
        if hasattr(self.data, 'qM'):  # before MuJoCo 4.0
            mujoco.mj_fullM(self.engine, full, self.data.qM)
        else:
            mujoco.mj_fullM(self.engine, self.data, full)
        return np.asarray(rates.T @ full @ rates)

    def poses(self, q: Array) -> dict[str, Array]:
        """Return the poses of bodies and sites with names."""
        self.set_state(np.array([q, 0.0 * q, 0.0 * q]))
        mujoco.mj_kinematics(self.engine, self.data)
        found = {}
        for kind, count in (('site', self.engine.nsite), ('body', self.engine.nbody)):
            for i in range(count):
                one = getattr(self.data, kind)(i)
                pose = np.eye(4)
                pose[:3, :3], pose[:3, 3] = one.xmat.reshape(3, 3), one.xpos
                found[one.name] = pose
        return found


def body_rates(pitch: Array, roll: Array) -> tuple[Array, Array]:
    """Return E of omega = E (yaw', pitch', roll') in the axes of the body, and its rate."""
    (p, dp), (r, dr) = pitch, roll
    sp, cp, sr, cr = np.sin(p), np.cos(p), np.sin(r), np.cos(r)
    matrix = np.array([[-sp, 0.0, 1.0], [cp * sr, cr, 0.0], [cp * cr, -sr, 0.0]])
    of_pitch = np.array([[-cp, 0.0, 0.0], [-sp * sr, 0.0, 0.0], [-sp * cr, 0.0, 0.0]])
    of_roll = np.array([[0.0, 0.0, 0.0], [cp * cr, -sr, 0.0], [-cp * sr, -cr, 0.0]])
    return matrix, of_pitch * dp + of_roll * dr


def random_jet(model: sd.ScrewModel, rng: np.random.Generator) -> Array:
    """Return position, velocity and acceleration (3, n), no joint slower than `SLOWEST`."""
    q = model.random_configuration(seed=rng)
    chain = [name.endswith('/pitch') for name in model.joint_names]
    q = np.where(chain, 0.4 * q, q)  # far from the singularity at 90 degrees
    qd = rng.uniform(SLOWEST, 2.0, model.n) * rng.choice([-1.0, 1.0], model.n)
    # such as leaves the friction of MuJoCo, a soft constraint, at its bound
    return np.array([q, qd, rng.uniform(-1.0, 1.0, model.n)])


def joint_efforts(robot: sd.Robot, jet: Array) -> Array:
    """Return the efforts (n,) of motors, with friction, rotors and springs."""
    if robot.drives is None:
        return sd.inverse_dynamics(robot.model, jet)[0]
    return np.asarray(sd.elastic_feedforward(robot, jet).motor_effort)


def mass_with_rotors(robot: sd.Robot, q: Array) -> Array:
    """Return the mass matrix (n, n) of links and rotors."""
    inertias = [drive.motor.joint_inertia for drive in robot.joint_drives]
    return sd.mass_matrix(robot.tree, q) + np.diag(inertias)


def deviations(
    path_or_text: Any,
    robot: sd.Robot,
    states: int,
    seed: int,
    assets: Mapping[str, bytes] | None = None,
) -> dict[str, float]:
    """
    Return the largest relative errors of a robot against MuJoCo's reading of its document.

    Of `efforts` and `mass` of the links, `driven efforts` and `driven mass` with drives: relative
    to the largest entry of MuJoCo's. Of `poses` in m and of rotation matrices. `assets` are
    files that MuJoCo takes by their names.
    """
    text = isinstance(path_or_text, str)
    read = mujoco.MjModel.from_xml_string if text else mujoco.MjModel.from_xml_path
    driven, links = (MujocoRobot(read(str(path_or_text), assets), robot.tree) for _ in range(2))
    links.without_drives()
    found = dict.fromkeys(('efforts', 'mass', 'driven efforts', 'driven mass', 'poses'), 0.0)
    rng = np.random.default_rng(seed)
    for _ in range(states):
        jet = random_jet(robot.tree, rng)
        for name, got, expected in (
            ('efforts', sd.inverse_dynamics(robot.model, jet)[0], links.efforts(jet)),
            ('mass', sd.mass_matrix(robot.model, jet[0]), links.mass_matrix(jet[0])),
            ('driven efforts', joint_efforts(robot, jet), driven.efforts(jet)),
            ('driven mass', mass_with_rotors(robot, jet[0]), driven.mass_matrix(jet[0])),
        ):
            error = np.abs(got - expected).max(initial=0.0)
            found[name] = max(found[name], error / np.abs(expected).max(initial=1e-9))
        for name, pose in driven.poses(jet[0]).items():
            if name in robot.tree.frames:
                error = np.abs(sd.frame_pose(robot.model, jet[0], name) - pose).max()
                found['poses'] = max(found['poses'], error)
    return found
