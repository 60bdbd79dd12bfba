# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`MujocoRobot`: a robot with elastic joints simulated by MuJoCo."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import LinearSpring, Robot, VariableStiffness
from screw_dynamics.kernels.drives.laws import COULOMB, COULOMB_VELOCITY
from screw_dynamics.lie import inertia_parameters
from screw_dynamics.model import ScrewModel
from screw_dynamics.simulation import SimulationResult
from sea_study.mjcf import mjcf, principal_inertia

# drive(time, motor positions, motor velocities) -> motor efforts
Drive = Callable[[float, Array, Array], Array]


def load_mujoco() -> Any:
    """
    Import MuJoCo without rendering.

    For rendering it starts processes that look for libraries, and print if they are interrupted.
    """
    os.environ.setdefault('MUJOCO_GL', 'disable')
    import mujoco

    return mujoco


class Followed(NamedTuple):
    """Positions of links and motors, and motor efforts without friction, each (T, n)."""

    links: Array
    motors: Array
    efforts: Array


class MujocoRobot:
    """
    A robot with elastic joints in MuJoCo, see `mjcf`.

    MuJoCo's callbacks are global: only one thread of a process may run such a robot at a time.
    """

    def __init__(self, robot: Robot, *, timestep: float = 1e-3) -> None:
        self._mujoco: Any = load_mujoco()
        model = robot.tree
        text = mjcf(robot, timestep=timestep)
        self.engine_model: Any = self._mujoco.MjModel.from_xml_string(text)
        self.data: Any = self._mujoco.MjData(self.engine_model)
        self._set_inertias(model)
        springs = [drive.spring for drive in robot.joint_drives]
        self._elastic = np.flatnonzero([spring is not None for spring in springs])
        links = ['link' if s is None else 'spring' for s in springs]
        motors = ['link' if s is None else 'motor' for s in springs]
        self._links, self._motors = (
            np.array([self._address(*pair) for pair in zip(kinds, model.joint_names, strict=True)])
            for kinds in (links, motors)
        )
        self._nonlinear: list[tuple[int, Any]] = [
            (j, spring)
            for j, spring in enumerate(springs)
            if spring is not None and not isinstance(spring, (LinearSpring, VariableStiffness))
        ]
        rows = robot.motors.rows
        self._coulomb = rows[:, COULOMB], rows[:, COULOMB_VELOCITY]

    def _address(self, kind: str, name: str) -> int:
        return int(self.engine_model.joint(f'{kind} {name}').dofadr[0])

    def _set_inertias(self, model: ScrewModel) -> None:
        """Set the true inertia of every link, also if MuJoCo's compiler would reject it."""
        for i, name in enumerate(model.body_names):
            mass, first_moment, rotational = inertia_parameters(model.inertias[i])
            body = self.engine_model.body(name).id
            self.engine_model.body_mass[body] = mass
            moments = principal_inertia(mass, first_moment, rotational)[1]
            self.engine_model.body_inertia[body] = moments
        self._mujoco.mj_setConst(self.engine_model, self.data)

    def set_state(
        self, position: Array, velocity: Array, motor_position: Array, motor_velocity: Array
    ) -> None:
        """Set positions and velocities of links and motors, each (n,), and the time to 0."""
        self._mujoco.mj_resetData(self.engine_model, self.data)
        for target, link, motor in (
            (self.data.qpos, position, motor_position),
            (self.data.qvel, velocity, motor_velocity),
        ):
            target[self._motors] = motor
            target[self._links] = link
            target[self._links[self._elastic]] -= motor[self._elastic]

    def state(self) -> tuple[Array, Array, Array, Array]:
        """Return link positions and velocities, motor positions and velocities, each (n,)."""
        (q, theta), (qd, rate) = self._split(self.data.qpos), self._split(self.data.qvel)
        return q, qd, theta, rate

    def accelerations(self, motor_effort: Array) -> tuple[Array, Array]:
        """Return link and motor accelerations (n,) in the current state for motor efforts (n,)."""
        with self._driven_by(lambda t, theta, rate: motor_effort):
            self._mujoco.mj_forward(self.engine_model, self.data)
        return self._split(self.data.qacc)

    def run(
        self, steps: int, drive: Drive, *, every: int = 1, hold: float | None = None
    ) -> SimulationResult:
        """
        Simulate from the current state; `set_state` sets the time to 0.

        The result contains every `every`-th step. With `hold`, the efforts of the time
        ``t + hold * h`` apply during the whole step from t to t + h; by default `drive` is called
        at every stage of a step.
        """
        rows = [(self.data.time, *self.state())]
        h = self.engine_model.opt.timestep
        held = np.zeros(self.engine_model.nu)
        calls = 0

        def driven(t: float, theta: Array, rate: Array) -> Array:
            nonlocal calls
            calls += 1
            return drive(t, theta, rate) if hold is None else held

        with self._driven_by(driven):
            for step in range(1, steps + 1):
                if hold is not None:
                    _, _, theta, rate = self.state()
                    held[:] = drive(self.data.time + hold * h, theta, rate)
                self._mujoco.mj_step(self.engine_model, self.data)
                if step % every == 0:
                    rows.append((self.data.time, *self.state()))
        times, q, qd, theta, rate = (np.array(column) for column in zip(*rows, strict=True))
        return SimulationResult(times, q, qd, theta, rate, calls)

    def follow(
        self,
        efforts: Array,
        wanted: tuple[Array, Array],
        gains: tuple[Array, Array],
        *,
        substeps: int = 1,
    ) -> Followed:
        """
        Simulate motors with a PD in their drives, from the current state on.

        Each of the T periods has `substeps` steps. Feedforward `efforts`, `wanted` positions and
        velocities of the motors, each (T, n), are those of the periods; the feedback is that of
        their beginning, as is what is returned. Dry friction is that of their middle, by
        extrapolation.
        """
        stiffness, damping = gains
        coulomb, knee = self._coulomb
        known = efforts + stiffness * wanted[0] + damping * wanted[1]
        # views of MuJoCo's own arrays
        position, velocity, control = self.data.qpos, self.data.qvel, self.data.ctrl
        rows, before = [], velocity[self._motors]
        for effort in known:
            link, motor = self._split(position)
            rate = velocity[self._motors]
            sent = effort - stiffness * motor - damping * rate
            rows.append((link, motor, sent))
            control[:] = sent - coulomb * np.tanh((1.5 * rate - 0.5 * before) / knee)
            before = rate
            self._mujoco.mj_step(self.engine_model, self.data, nstep=substeps)
        return Followed(*np.array(rows).swapaxes(0, 1))

    def _split(self, values: Array) -> tuple[Array, Array]:
        """Return the link and motor parts of a vector in MuJoCo's coordinates."""
        link, motor = np.array(values[self._links]), np.array(values[self._motors])
        link[self._elastic] += motor[self._elastic]
        return link, motor

    @contextmanager
    def _driven_by(self, drive: Drive) -> Iterator[None]:
        """Set the callbacks of MuJoCo for motor efforts, friction and nonlinear springs."""
        coulomb, knee = self._coulomb
        rubs = bool(coulomb.any())

        def control(_: Any, data: Any) -> None:
            theta, rate = data.qpos[self._motors], data.qvel[self._motors]
            effort = np.asarray(drive(data.time, theta, rate), dtype=np.float64)
            data.ctrl[:] = effort - coulomb * np.tanh(rate / knee) if rubs else effort
            for j, spring in self._nonlinear:
                link = data.qpos[self._links[j]]
                data.qfrc_applied[self._links[j]] = spring.effort(-link)

        self._mujoco.set_mjcb_control(control)
        try:
            yield
        finally:
            self._mujoco.set_mjcb_control(None)
