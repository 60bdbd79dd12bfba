# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from oracles import closed_form
from oracles.random_models import random_model
from oracles.strategies import models, seeds

from screw_dynamics.dynamics.frames import REPRESENTATIONS, frame_jacobian, frame_pose
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, UnknownNameError
from screw_dynamics.lie import adjoint, adjoint_inverse, vee

# Products of a dozen rotations and matrix exponentials.
ROUNDING = 1e-12


def _reach(model):
    """Return a bound of all distances in a robot with joint variables of order 1."""
    steps = np.abs(model.home_poses[:, :3, 3]).sum() + np.abs(model.screws[:, 3:]).sum()
    return 1.0 + steps + max(np.abs(frame.pose[:3, 3]).sum() for frame in model.frames.values())


@settings(max_examples=50)
@given(models(), seeds)
def test_pose_is_the_product_of_exponentials(model, seed):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=model.n)
    name = str(rng.choice(sorted(model.frames)))
    difference = np.abs(frame_pose(model, q, name) - closed_form.frame_pose(model, q, name))
    assert difference[:3, :3].max() <= ROUNDING
    assert difference.max() <= ROUNDING * _reach(model)


@settings(max_examples=50)
@given(models(), seeds)
def test_jacobian_is_the_derivative_of_the_pose(model, seed):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=model.n)
    name = str(rng.choice(sorted(model.frames)))
    pose = frame_pose(model, q, name)
    jacobians = {r: frame_jacobian(model, q, name, r) for r in REPRESENTATIONS}
    for k, step in enumerate(1j * closed_form.STEP * np.eye(model.n)):
        rate = np.imag(closed_form.frame_pose(model, q + step, name)) / closed_form.STEP
        body, spatial = np.linalg.inv(pose) @ rate, rate @ np.linalg.inv(pose)
        expected = {
            'body': [*vee(body[:3, :3]), *body[:3, 3]],
            'spatial': [*vee(spatial[:3, :3]), *spatial[:3, 3]],
            'hybrid': [*vee(spatial[:3, :3]), *rate[:3, 3]],
            'mixed': [*vee(body[:3, :3]), *rate[:3, 3]],
        }
        bound = ROUNDING * _reach(model) * (1.0 + np.abs(model.multipliers).sum())
        for representation, jacobian in jacobians.items():
            difference = np.abs(jacobian[:, k] - expected[representation])
            assert difference.max() <= bound, representation


def test_representations_are_changes_of_frame(rng):
    model = random_model(rng, 5)
    q = rng.normal(size=5)
    pose = frame_pose(model, q, 'tool_4')
    body, spatial, hybrid, mixed = (frame_jacobian(model, q, 'tool_4', r) for r in REPRESENTATIONS)
    turned = pose.copy()
    turned[:3, 3] = 0.0
    np.testing.assert_allclose(adjoint(pose) @ body, spatial, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(adjoint(turned) @ body, hybrid, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(adjoint_inverse(pose) @ spatial, body, rtol=0.0, atol=1e-14)
    parts = np.vstack([body[:3], hybrid[3:]])
    np.testing.assert_allclose(mixed, parts, rtol=0.0, atol=1e-14)
    # joint 5 lies beyond the frame
    np.testing.assert_array_equal(body[:, 4], np.zeros(6))


def test_wrong_arguments_are_named(rng):
    model = random_model(rng, 1)
    unknown = "unknown frame 'tool': expected one of base, body_1, tool_1"
    for name in ('tool', ['tool']):
        with pytest.raises(UnknownNameError, match='unknown frame'):
            frame_pose(model, [0.0], name)
    with pytest.raises(UnknownNameError, match=unknown):
        frame_jacobian(model, [0.0], 'tool')
    expected = "representation: expected one of body, spatial, hybrid, mixed, got 'world'"
    with pytest.raises(InputError, match=expected):
        frame_jacobian(model, [0.0], 'tool_1', 'world')
    with pytest.raises(ShapeError, match=r'q: expected shape \(1,\) or \(..., 1\), got \(2,\)'):
        frame_pose(model, [0.0, 0.0], 'tool_1')
    for function in (frame_pose, frame_jacobian):
        with pytest.raises(NotFiniteError, match=r'q\[0\]: expected a finite number, got nan'):
            function(model, [np.nan], 'tool_1')
