# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""URDF, mass matrix, bias forces and gravity compensation against MuJoCo."""

import numpy as np
import pytest

mujoco = pytest.importorskip('mujoco')

from oracles.mujoco_panda import FINGER, arm_model, read_by_mujoco  # noqa: E402

import screw_dynamics as sd  # noqa: E402


def full_mass_matrix(engine, data):
    """Return M column by column, which MuJoCo stores sparse."""
    columns = np.zeros((engine.nv, engine.nv))
    for column, unit in zip(columns, np.eye(engine.nv), strict=True):
        mujoco.mj_mulM(engine, data, column, unit)
    return columns.T


def test_mass_matrix_and_bias_forces(rng):
    model = arm_model()
    engine = read_by_mujoco()
    assert engine.body_mass.sum() > 10.0 and not engine.dof_armature.any()
    data = mujoco.MjData(engine)
    joints = [engine.joint(i).name for i in range(engine.njnt)]
    ours = [joints.index(joint) for joint in model.joint_names]
    for _ in range(10):
        q, qd = rng.uniform(-2.0, 2.0, model.n), rng.normal(size=model.n)
        data.qpos[:] = [FINGER if 'finger' in joint else 0.0 for joint in joints]
        data.qvel[:] = 0.0
        data.qpos[ours], data.qvel[ours] = q, qd
        mujoco.mj_forward(engine, data)
        bias = sd.bias_forces(model, q, qd)
        np.testing.assert_allclose(
            data.qfrc_bias[ours], bias, rtol=0.0, atol=1e-13 * np.abs(bias).max()
        )
        matrix = sd.mass_matrix(model, q)
        theirs = full_mass_matrix(engine, data)[np.ix_(ours, ours)]
        np.testing.assert_allclose(theirs, matrix, rtol=0.0, atol=1e-13 * np.abs(matrix).max())


SECONDS = 2.0


def largest_motion(content):
    """Return how far a joint goes from rest under constant efforts, in what time [s]."""
    model, engine = arm_model(), read_by_mujoco(gravity_compensation=1.0)
    data = mujoco.MjData(engine)
    joints = [engine.joint(i).name for i in range(engine.njnt)]
    ours = [joints.index(name) for name in model.joint_names]
    rest = np.zeros((3, model.n))
    rest[0] = [0.3, -0.5, 0.2, -1.8, 0.4, 1.9, -0.7]
    data.qpos[:] = [FINGER if 'finger' in joint else 0.0 for joint in joints]
    data.qpos[ours] = rest[0]
    efforts = sd.inverse_dynamics(model, rest)
    taken = sd.EffortFormat(content).convert(model, rest, efforts)
    data.qfrc_applied[ours] = taken[0]
    largest = 0.0
    while data.time < SECONDS and largest < 0.1:
        mujoco.mj_step(engine, data)
        largest = max(largest, np.abs(data.qpos[ours] - rest[0]).max())
    return largest, data.time


def test_without_gravity_it_rests():
    largest, time = largest_motion('without_gravity')
    assert time >= SECONDS
    # MuJoCo subtracts the weight that it has added: rounding of its sums
    assert largest < 1e-9


def test_with_gravity_it_rises():
    largest, time = largest_motion('full')
    assert largest >= 0.1 and time < 0.5
