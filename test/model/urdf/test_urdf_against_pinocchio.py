# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses and inertias of all links, against Pinocchio's URDF reader."""

import numpy as np
import pytest
from frame_poses import frame_poses
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.robots import NAMED_ROBOTS, bundled_urdfs, named_robot
from oracles.silence import silenced
from random_urdf import document, link_specs

from screw_dynamics.lie import inertia_matrix
from screw_dynamics.model.urdf import read_urdf

pinocchio = pytest.importorskip('pinocchio')

ROBOTS = [*(path.stem for path in bundled_urdfs()), *NAMED_ROBOTS]


@pytest.fixture(params=ROBOTS)
def urdf(request):
    bundled = {path.stem: path for path in bundled_urdfs()}
    path = bundled.get(request.param) or named_robot(request.param)
    if path is None:
        pytest.skip(f'needs the Python package {NAMED_ROBOTS[request.param][0]}')
    return path


@pytest.fixture
def both(urdf):
    model = read_urdf(urdf, mimic='independent')
    other = pinocchio.buildModelFromXML(urdf.read_text(encoding='utf-8'))
    return model, other


def configuration(model, other, q):
    """Return Pinocchio's vector; it stores a continuous joint as cosine and sine."""
    full = pinocchio.neutral(other)
    for name, value in zip(model.joint_names, q, strict=True):
        joint = other.joints[other.getJointId(name)]
        at = joint.idx_q
        full[at : at + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))
    return full


def test_links_are_where_pinocchio_puts_them(both, rng):
    model, other = both
    data = other.createData()
    for _ in range(5):
        q = rng.uniform(-2, 2, model.n)
        pinocchio.framesForwardKinematics(other, data, configuration(model, other, q))
        for name, pose in frame_poses(model, q).items():
            expected = data.oMf[other.getFrameId(name, pinocchio.BODY)].homogeneous
            np.testing.assert_allclose(pose, expected, atol=1e-13, err_msg=name)


def test_bodies_carry_what_pinocchio_lumps(both):
    model, other = both
    assert set(model.tree_joint_names) == set(other.names) - {'universe'}
    for i, name in enumerate(model.tree_joint_names):
        body = other.inertias[other.getJointId(name)]
        expected = inertia_matrix(body.mass, body.lever, body.inertia)
        scale = max(1e-3, np.abs(expected).max())
        np.testing.assert_allclose(model.inertias[i], expected, atol=1e-13 * scale, err_msg=name)


@pytest.fixture(scope='module')
def knows_quaternions():
    with silenced():
        try:
            pinocchio.buildModelFromXML('<robot name="r" version="1.1"><link name="a"/></robot>')
        except ValueError:
            pytest.skip('needs a Pinocchio whose urdfdom reads URDF 1.1')


@pytest.mark.usefixtures('knows_quaternions')
@settings(max_examples=20)
@given(specs=link_specs(), seed=st.integers(0, 2**32 - 1))
def test_origins_by_quaternions(specs, seed):
    text = document(specs, list(range(2 * len(specs) + 1)), quaternions=True)
    model = read_urdf(text)
    with silenced():  # zero masses
        other = pinocchio.buildModelFromXML(text)
    q = np.random.default_rng(seed).uniform(-2, 2, model.n)
    data = other.createData()
    pinocchio.framesForwardKinematics(other, data, configuration(model, other, q))
    for name, pose in frame_poses(model, q).items():
        expected = data.oMf[other.getFrameId(name, pinocchio.BODY)].homogeneous
        np.testing.assert_allclose(pose, expected, atol=1e-13, err_msg=name)
    test_bodies_carry_what_pinocchio_lumps((model, other))


def test_limits(both):
    model, other = both
    if hasattr(other, 'upperVelocityLimit'):
        velocity, effort = other.upperVelocityLimit, other.upperEffortLimit
    else:  # Pinocchio 2
        velocity, effort = other.velocityLimit, other.effortLimit
    for j, name in enumerate(model.joint_names):
        joint = other.joints[other.getJointId(name)]
        if joint.nq == 1:
            assert model.limits.lower[j] == other.lowerPositionLimit[joint.idx_q]
            assert model.limits.upper[j] == other.upperPositionLimit[joint.idx_q]
            assert model.limits.velocity[j] == velocity[joint.idx_v]
            assert model.limits.effort[j] == effort[joint.idx_v]
