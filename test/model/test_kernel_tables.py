# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What functions read of a model: frames, bodies, base, wrenches; without some joints."""

import re

import numpy as np
import pytest
from oracles.random_models import TREE, random_model

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, UnknownNameError
from screw_dynamics.lie import adjoint_inverse, exp_screw
from screw_dynamics.model.locked_joints import without_joints
from screw_dynamics.model.robot_model import frame_of, frames_of, threads_of


def poses_of_bodies(model, q):
    """Return the poses (N, 4, 4) by the product of exponentials."""
    found = []
    variables = model.multipliers * q[model.coordinates] + model.offsets
    for parent, home, *joint in zip(
        model.parents, model.home_poses, model.screws, variables, strict=True
    ):
        pose = home @ exp_screw(*joint)
        found.append(pose if parent < 0 else found[parent] @ pose)
    return np.array(found)


@pytest.mark.parametrize('seed', range(3))
def test_frames_wrenches_and_the_base_are_where_the_bodies_are(seed):
    """Poses by exponentials; efforts -J^T W of wrenches, J by differences of these poses."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, TREE)
    q, step = rng.normal(size=model.n), 1e-6
    poses = poses_of_bodies(model, q)
    rest = np.stack((q, *np.zeros((2, model.n))))
    for name, frame in model.frames.items():
        pose = np.eye(4) if frame.body < 0 else poses[frame.body]
        np.testing.assert_allclose(sd.frame_pose(model, q, name), pose @ frame.pose, atol=1e-13)
        jacobian = np.zeros((6, model.n))
        for j, shift in enumerate(step * np.eye(model.n) if frame.body >= 0 else ()):
            ends = (poses_of_bodies(model, q + s * shift)[frame.body] for s in (1.0, -1.0))
            rate = np.linalg.inv(pose) @ (next(ends) - next(ends)) / (2.0 * step)
            twist = [rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]]
            jacobian[:, j] = adjoint_inverse(frame.pose) @ twist
        found = sd.frame_jacobian(model, q, name)
        np.testing.assert_allclose(found, jacobian, atol=1e-7 * np.abs(jacobian).max(initial=1.0))
        wrench = rng.normal(size=6)
        loaded = sd.inverse_dynamics(model, rest, {name: [wrench]})[0]
        expected = sd.gravity_forces(model, q) - found.T @ wrench
        np.testing.assert_allclose(loaded, expected, atol=1e-12 * np.abs(expected).max() + 1e-12)
    m, moments = model.inertias[:, 5, 5], model.inertias[:, [2, 0, 1], [4, 5, 3]]
    sums = m @ poses[:, :3, 3] + np.einsum('bij,bj->i', poses[:, :3, :3], moments)
    np.testing.assert_allclose(sd.centre_of_mass(model, q), sums / m.sum(), atol=1e-12)


@pytest.mark.parametrize(
    ('wrenches', 'error', 'text'),
    [
        ([1.0], InputError, 'wrench_jets: expected a mapping of frame names to arrays, got list'),
        ({'nose': np.zeros((1, 6))}, UnknownNameError, "unknown frame 'nose'"),
        ({'tool_1': np.zeros(6)}, ShapeError, r"wrench_jets['tool_1']: expected shape (1, 6)"),
        ({'tool_1': np.zeros((2, 1, 6))}, ShapeError, 'got (2, 1, 6)'),
        ({'tool_1': [[0, 0, np.nan, 0, 0, 0]]}, NotFiniteError, "wrench_jets['tool_1'][0, 2]"),
    ],
)
def test_wrenches_are_checked(wrenches, error, text):
    model = random_model(np.random.default_rng(0), TREE)
    with pytest.raises(error, match=re.escape(text)):
        sd.inverse_dynamics(model, np.zeros((3, model.n)), wrenches)


def test_a_wrench_of_all_samples_or_of_each(rng):
    model = random_model(rng, TREE)
    jets, wrench = rng.normal(size=(4, 4, model.n)), rng.normal(size=(2, 6))
    each = np.broadcast_to(wrench, (4, 2, 6))
    expected = [sd.inverse_dynamics(model, jet, {'tool_2': wrench}) for jet in jets]
    for given in (wrench, each):
        found = sd.inverse_dynamics(model, jets, {'tool_2': given})
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize('seed', range(20))
def test_a_model_without_joints_is_that_with_zeros_in_their_place(seed):
    """In its efforts and frames, of trees with joints that mimic others too."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, TREE if seed % 2 else 6)
    free = rng.random(model.n) < 0.6
    free[rng.integers(model.n)] = True
    names = np.array(model.joint_names)
    found = without_joints(model, names[~free].tolist())
    assert found.joint_names == tuple(names[free])
    jets = np.zeros((5, 3, model.n))
    jets[..., free] = rng.normal(size=(5, 3, int(free.sum())))
    expected = sd.inverse_dynamics(model, jets)[:, 0, free]
    efforts = sd.inverse_dynamics(found, jets[..., free])[:, 0]
    # sums of the same bodies in another order, at positions of some rad
    np.testing.assert_allclose(efforts, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    assert found.frames.keys() == model.frames.keys()
    for name in model.frames:
        pairs = ((model, jets[0, 0]), (found, jets[0, 0, free]))
        np.testing.assert_allclose(*(sd.frame_pose(m, q, name) for m, q in pairs), atol=1e-12)


def test_frames_and_threads_of_other_kinds():
    model = random_model(np.random.default_rng(0), TREE)
    assert threads_of(model) is None and frames_of(model) is model.frames
    assert frame_of(model, 'tool_1') is model.frames['tool_1']
    with pytest.raises(UnknownNameError, match="unknown frame 'nose'"):
        frame_of(model, 'nose')
    with pytest.raises(InputError, match="frame 'nose': expected none for a object"):
        frame_of(object(), 'nose')
    assert not frames_of(object())
