# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""An arm that carries itself, in MuJoCo: at rest only with efforts without gravity."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.mujoco_panda import FINGER, arm_model, read_by_mujoco

import screw_dynamics as sd

mujoco = pytest.importorskip('mujoco')

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
