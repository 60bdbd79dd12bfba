# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo reads the bundled description of the Panda itself: its dynamics against ours."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.mujoco_panda import FINGER, arm_model, read_by_mujoco

import screw_dynamics as sd

mujoco = pytest.importorskip('mujoco')


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
