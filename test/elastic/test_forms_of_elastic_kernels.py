# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernels give the same numbers in C, by numba and as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.jit import extension_kernels

TABLE = np.linspace(-2.0, 2.0, 7)
MOTOR = sd.Motor(2e-3, 10.0, 1e-2, 2e-2, 1.0)
SPRINGS = [
    None,
    sd.LinearSpring(3000.0),
    sd.LinearSpring(3000.0, 20.0),
    sd.CubicSpring(2000.0, 5e4),
    sd.ExponentialSpring(1000.0, 3.0),
    sd.TabulatedSpring(TABLE, 800.0 * TABLE + 300.0 * TABLE**3),
    sd.VariableStiffness(5000.0),
    sd.AntagonisticPair('exponential', 5000.0, spring_stiffness=50.0, rate=4.0),
    sd.AntagonisticPair('quadratic', 5000.0, quadratic_stiffness=2000.0),
    sd.AntagonisticPair('cubic', 5000.0, spring_stiffness=500.0, cubic_stiffness=4e3),
]


def commands() -> dict[str, np.ndarray]:
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    rng = np.random.default_rng(0)
    t = np.linspace(0.0, 0.2, 12)
    jets = rng.normal(size=(12, 6, model.n))
    jets[:, 1:] *= 0.1
    results = {}
    for shift in (0, len(SPRINGS) - model.n):
        parts = [sd.ElasticJoint(spring, MOTOR) for spring in SPRINGS[shift:]]
        joints = sd.ElasticJoints(dict(zip(model.joint_names, parts, strict=False)))
        result = sd.elastic_feedforward(model, joints, jets, times=t)
        for name in ('deflection_jet', 'motor_jet', 'motor_effort_jet'):
            results[f'{name} {shift}'] = getattr(result, name)
    return results | actuators(model, jets)


def actuators(model: sd.ScrewModel, jets: np.ndarray) -> dict[str, np.ndarray]:
    """Return efforts and accelerations with friction and parallel springs of every kind."""
    joints = sd.ElasticJoints.from_yaml(sd.share_path('config/geared_arm_joints.yaml'))
    parallel = [
        sd.TorsionSpring(30.0, 0.2),
        sd.GasSpring(400.0, 3.0, 2.9, (0, 0, 1), (0, 0, -1)),
        sd.BalancingSpring(300.0, (0, 0, 0.3), (0, 0.2, 0), 0.1),
    ]
    bearing = sd.JointFriction(1.0, 0.5, 0.02, 0.8, 0.1, 0.1)
    parts = {
        name: replace(joint, friction=bearing, parallel_spring=parallel[j % 3])
        for j, (name, joint) in enumerate(joints.joints.items())
    }
    drives = sd.ElasticJoints(parts)
    efforts = sd.actuator_efforts(model, drives, jets)
    robot = sd.simulation.ElasticRobot(model, drives)
    state = robot.state(jets[0, 0], jets[0, 1])
    slopes = robot.derivatives(state, efforts[0, 0])
    np.testing.assert_allclose(robot.split(slopes)[1], jets[0, 2], rtol=0, atol=1e-8)
    return {'actuator efforts': efforts, 'slopes': slopes[np.newaxis, :, np.newaxis]}


@pytest.mark.skipif(not extension_kernels(), reason='needs the extension module')
@pytest.mark.parametrize('form', ['numpy', pytest.param('numba', marks=pytest.mark.long)])
def test_all_forms_of_the_kernels_agree(tmp_path, form):
    from helpers.patience import patience  # this file runs as a program too

    file = tmp_path / 'commands.npz'
    environment = os.environ | {'SCREW_DYNAMICS_KERNELS': form}
    environment['PYTHONPATH'] = os.pathsep.join(sys.path)
    run = [sys.executable, '-W', 'ignore::UserWarning', __file__, file]
    subprocess.run(run, check=True, env=environment, timeout=patience())
    compiled = commands()
    with np.load(file) as plain:
        assert sorted(plain) == sorted(compiled)
        for name, expected in compiled.items():
            scale = np.abs(expected).max(axis=(0, 2), keepdims=True)
            assert (np.abs(plain[name] - expected) <= 1e-12 * scale).all(), name


if __name__ == '__main__':
    assert not extension_kernels()
    np.savez(Path(sys.argv[1]), **commands())
    assert ('numba' in sys.modules) == (os.environ['SCREW_DYNAMICS_KERNELS'] == 'numba')
