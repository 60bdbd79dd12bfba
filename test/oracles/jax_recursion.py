# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The recursive Newton-Euler algorithm of order 0 in JAX, which differentiates it.

Time derivatives of the efforts are nested forward derivatives by time, those by the motion and by
inertia parameters are JAX's own: nothing is shared with the package but the numbers of the model.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from screw_dynamics.model import ScrewModel


def skew(v: Any) -> Any:
    return jnp.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def moved(home: Any, screw: Any, s: Any) -> Any:
    """Return the pose home exp(screw s), by the formula of Rodrigues."""
    e, v = jnp.asarray(screw[:3]), jnp.asarray(screw[3:])
    if not screw[:3].any():
        turn, position = jnp.eye(3), v * s
    else:
        turn = jnp.eye(3) + jnp.sin(s) * skew(e) + (1.0 - jnp.cos(s)) * skew(e) @ skew(e)
        position = (jnp.eye(3) - turn) @ jnp.cross(e, v) + e * (e @ v) * s
    return home @ jnp.block([[turn, position[:, None]], [jnp.zeros((1, 3)), jnp.ones((1, 1))]])


def adjoint_of_inverse(pose: Any) -> Any:
    turn = pose[:3, :3].T
    return jnp.block([[turn, jnp.zeros((3, 3))], [-turn @ skew(pose[:3, 3]), turn]])


def bracket(x: Any) -> Any:
    return jnp.block([[skew(x[:3]), jnp.zeros((3, 3))], [skew(x[3:]), skew(x[:3])]])


def inertia(p: Any) -> Any:
    """Return the inertia (6, 6) of m, m c, and xx, xy, yy, xz, yz, zz about the origin."""
    about = jnp.array([[p[4], p[5], p[7]], [p[5], p[6], p[8]], [p[7], p[8], p[9]]])
    return jnp.block([[about, skew(p[1:4])], [-skew(p[1:4]), p[0] * jnp.eye(3)]])


def efforts(model: ScrewModel, q: Any, qd: Any, qdd: Any, parameters: Any) -> Any:
    """Return tau (n,) of a motion, for inertia parameters (10 N,)."""
    of_bodies, tau = parameters.reshape(-1, 10), jnp.zeros(model.n)
    steps, twists, rates = [], [], []
    base = jnp.concatenate([jnp.zeros(3), -jnp.asarray(model.gravity)])
    for i, parent in enumerate(model.parents.tolist()):
        c, m = model.coordinates[i], model.multipliers[i]
        screw = jnp.asarray(model.screws[i])
        step = moved(model.home_poses[i], model.screws[i], m * q[c] + model.offsets[i])
        steps.append(adjoint_of_inverse(step))
        before = (jnp.zeros(6), base) if parent < 0 else (twists[parent], rates[parent])
        twist = steps[i] @ before[0] + screw * m * qd[c]
        twists.append(twist)
        rates.append(
            steps[i] @ before[1] + screw * m * qdd[c] + bracket(twist) @ screw * m * qd[c]
        )
    wrenches = [
        inertia(p) @ a - bracket(v).T @ (inertia(p) @ v)
        for p, v, a in zip(of_bodies, twists, rates, strict=True)
    ]
    for i in range(model.body_count - 1, -1, -1):
        c, parent = model.coordinates[i], model.parents[i]
        tau = tau.at[c].add(model.multipliers[i] * (model.screws[i] @ wrenches[i]))
        if parent >= 0:
            wrenches[parent] = wrenches[parent] + steps[i].T @ wrenches[i]
    return tau


def effort_jet(model: ScrewModel, jet: Any, parameters: Any) -> Any:
    """Return tau, tau', ... (k + 1, n) of a joint jet (k + 3, n)."""
    rows = [lambda t: efforts(model, *(_polynomial(jet[d:], t) for d in range(3)), parameters)]
    for _ in range(len(jet) - 3):
        rows.append(jax.jacfwd(rows[-1]))
    return jnp.stack([row(0.0) for row in rows])


def _polynomial(jet: Any, t: Any) -> Any:
    total, power = jnp.zeros(jet.shape[1]), 1.0
    for d, row in enumerate(jet):
        total, power = total + row * power, power * t / (d + 1.0)
    return total


def accelerations(model: ScrewModel, q: Any, qd: Any, tau: Any, parameters: Any) -> Any:
    """Return q'' (n,), by the mass matrix."""
    rest = efforts(model, q, qd, jnp.zeros(model.n), parameters)
    mass = jax.jacfwd(lambda qdd: efforts(model, q, qd, qdd, parameters))(jnp.zeros(model.n))
    return jnp.linalg.solve(mass, tau - rest)


def frame_pose(model: ScrewModel, q: Any, frame: str) -> Any:
    """Return the pose (4, 4) of a frame."""
    body, pose = model.frames[frame].body, jnp.asarray(model.frames[frame].pose)
    while body >= 0:
        s = model.multipliers[body] * q[model.coordinates[body]] + model.offsets[body]
        pose = moved(model.home_poses[body], model.screws[body], s) @ pose
        body = int(model.parents[body])
    return pose
