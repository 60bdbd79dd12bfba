# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""An arm that MuJoCo moves, with other inertias than the model has, and a ball that it hits."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

import screw_dynamics as sd

PERIOD = 1e-3  # s, of steps, control and measurements
RADIUS = 0.05  # m, of the ball and of the bumpers on the links
OFFSET = 0.12  # m, of the bumpers from the axes of their joints
EFFORT_NOISE, VELOCITY_NOISE = 0.2, 5e-4  # N m, rad/s


class Sample(NamedTuple):
    """What the arm measures, and what acts on it in the step after."""

    time: float
    q: np.ndarray
    qd: np.ndarray
    effort: np.ndarray
    force: np.ndarray  # (3,) of the ball [N], in base-link axes
    load: np.ndarray  # (n,), all efforts that the model lacks: ball, friction, joint stops [N m]

    @property
    def touches(self) -> bool:
        return bool(self.force.any())


class ContactArm:
    """
    The bundled iiwa in MuJoCo; `error` is the relative error of its masses and moments.

    Masses, first moments and central inertias differ from those of the model by factors between
    1 - error and 1 + error, at random. The friction and the damping of the description (up to
    0.3 N m and 0.4 N m s) act in MuJoCo, and the model lacks them.
    """

    def __init__(self, error: float, seed: int, body: int = -1) -> None:
        os.environ.setdefault('MUJOCO_GL', 'disable')  # no rendering
        import mujoco

        self._mujoco = mujoco
        self.model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
        self._rng = np.random.default_rng(seed)
        self._engine = _engine(mujoco, self.model, body)
        self._disturb(error)
        self._data = mujoco.MjData(self._engine)
        n = self.model.n
        self._amplitudes = self._rng.uniform(0.3, 0.7, n)
        self._rates = self._rng.uniform(0.8, 1.6, n)
        self._phases = self._rng.uniform(-np.pi, np.pi, n)

    def _disturb(self, error: float) -> None:
        engine, draw = self._engine, self._rng.uniform
        for i in range(1, engine.nbody):
            mass, moment, inertia = 1.0 + draw(-error, error, 3)
            engine.body_mass[i] *= mass
            engine.body_ipos[i] *= moment / mass
            engine.body_inertia[i] *= inertia

    def reference(self, time: float) -> np.ndarray:
        """Return the joint jet (3, n) of the motion that the arm is to follow."""
        angles = self._rates * time + self._phases
        home = np.array([0.0, 0.6, 0.0, -1.2, 0.0, 0.8, 0.0])
        waves = [np.sin(angles), np.cos(angles), -np.sin(angles)]
        jet = np.array([self._amplitudes * self._rates**d * waves[d] for d in range(3)])
        jet[0] += home
        return jet

    def place_ball(self, body: int, time: float) -> None:
        """Place the ball so that a bumper on the way of the reference meets it at a time."""
        name = self.model.body_names[body]

        def bumper(at: float) -> np.ndarray:
            place = sd.frame_pose(self.model, self.reference(at)[0], name)
            return (place @ [OFFSET, 0.0, 0.0, 1.0])[:3]

        way = bumper(time + 1e-3) - bumper(time - 1e-3)
        direction = way / np.linalg.norm(way)
        self._data.mocap_pos[0] = bumper(time) + 2.0 * RADIUS * direction

    def run(self, duration: float, observe: Callable[[Sample], Any]) -> None:
        """Move for a time [s] under computed torques with the model; call for every sample."""
        model, data, rng = self.model, self._data, self._rng
        start = self.reference(0.0)
        data.qpos[:], data.qvel[:] = start[0], start[1]
        while data.time < duration:
            wanted = self.reference(data.time)
            q, qd = data.qpos.copy(), data.qvel.copy()
            wanted[2] += 100.0 * (wanted[0] - q) + 20.0 * (wanted[1] - qd)
            wanted[0], wanted[1] = q, qd
            effort = sd.inverse_dynamics(model, wanted)[0]
            data.qfrc_applied[:] = effort
            time = float(data.time)
            self._mujoco.mj_step(self._engine, data)
            noise = rng.normal(size=(2, model.n))
            observe(
                Sample(
                    time,
                    q,
                    qd + VELOCITY_NOISE * noise[0],
                    effort + EFFORT_NOISE * noise[1],
                    self._force(),
                    data.qfrc_constraint + data.qfrc_passive,
                )
            )

    def _force(self) -> np.ndarray:
        """Return the force (3,) of the ball on the arm."""
        engine, data = self._engine, self._data
        wrench, total, ball = np.zeros(6), np.zeros(3), engine.body('ball').id
        for i in range(data.ncon):
            contact = data.contact[i]
            self._mujoco.mj_contactForce(engine, data, i, wrench)
            on_second = contact.frame.reshape(3, 3).T @ wrench[:3]
            second = engine.geom_bodyid[contact.geom2]
            total += -on_second if second == ball else on_second
        return total


def _engine(mujoco: Any, model: sd.ScrewModel, body: int) -> Any:
    """Return MuJoCo's model, with a bumper on one body and a ball that touches nothing else."""
    root = ElementTree.parse(sd.share_path('urdf/iiwa14.urdf')).getroot()
    for link in root.iter('link'):
        for part in [*link.findall('visual'), *link.findall('collision')]:
            link.remove(part)  # no mesh files needed
    ElementTree.SubElement(
        ElementTree.SubElement(root, 'mujoco'), 'compiler', boundmass='0', boundinertia='0',
        balanceinertia='true', fusestatic='true',
    )  # fmt: skip
    spec = mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding='unicode'))
    spec.option.timestep = PERIOD
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.gravity = list(model.gravity)
    kind = mujoco.mjtGeom.mjGEOM_SPHERE
    ball = spec.worldbody.add_body(name='ball', mocap=True, pos=[5.0, 0.0, 0.0])
    ball.add_geom(type=kind, size=[RADIUS, 0, 0], contype=1, conaffinity=1)
    if body >= 0:
        spec.body(model.body_names[body]).add_geom(
            type=kind, size=[RADIUS, 0, 0], pos=[OFFSET, 0, 0], mass=0.0, contype=1, conaffinity=1,
        )  # fmt: skip
    return spec.compile()
