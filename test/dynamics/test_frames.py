# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses, Jacobians and twists of frames against closed forms, 60 digits and the theory."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import closed_form
from oracles.frame_motion import reference_jacobians, reference_twists
from oracles.random_models import BodyRecipe, random_joint_jet, random_model
from oracles.strategies import joint_jets, models, seeds

from screw_dynamics.dynamics.frame_jets import frame_jacobian_jet, frame_twist
from screw_dynamics.dynamics.frames import REPRESENTATIONS, frame_jacobian, frame_pose
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, UnknownNameError
from screw_dynamics.lie import vee
from screw_dynamics.model import ScrewModel

# Products of a dozen rotations and matrix exponentials.
ROUNDING = 1e-12


def _reach(model):
    """Return a bound of all distances in a robot with joint variables of order 1."""
    steps = np.abs(model.home_poses[:, :3, 3]).sum() + np.abs(model.screws[:, 3:]).sum()
    return 1.0 + steps + max(np.abs(frame.pose[:3, 3]).sum() for frame in model.frames.values())


@given(models(), seeds)
def test_pose_is_the_product_of_exponentials(model, seed):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=model.n)
    name = str(rng.choice(sorted(model.frames)))
    difference = np.abs(frame_pose(model, q, name) - closed_form.frame_pose(model, q, name))
    assert difference[:3, :3].max() <= ROUNDING
    assert difference.max() <= ROUNDING * _reach(model)


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


# Relative to the terms whose sum a result is, a few hundred roundings; 3e-15 are seen.
JET_ROUNDING = 1e-13
RECIPES = [
    BodyRecipe('revolute'),
    BodyRecipe('helical'),
    BodyRecipe('prismatic', mimics=0),
    BodyRecipe('revolute', mimics=1),
    BodyRecipe('helical', parent_back=2),
    BodyRecipe('revolute'),
]


def _levers(model):
    """Return a bound of the lever arms of a robot, beside what prismatic joints travel."""
    steps = np.abs(model.home_poses[:, :3, 3]).sum() + np.abs(model.screws[:, 3:]).sum()
    return steps + max(np.abs(frame.pose[:3, 3]).sum() for frame in model.frames.values())


def _frames(model):
    """Return a strategy of names of frames, half of them at the ends of the longest paths."""
    paths = model.joint_frames.paths
    names = sorted(model.frames, key=lambda name: (-len(paths[name].bodies), name))
    return st.sampled_from(names[:4]) | st.sampled_from(names)


def _assert_close(got, expected, scale, reach):
    """Compare twists (r - 1, 6), row by row, the angular and the linear parts."""
    angular = scale[:, :3].max(axis=1)
    linear = scale[:, 3:].max(axis=1) + reach * angular
    bound = JET_ROUNDING * np.repeat(np.stack([angular, linear], axis=1), 3, axis=1)
    assert (np.abs(got - expected) <= bound).all(), (got, expected, bound)


@given(st.data(), st.integers(-1, 4))
def test_twists_are_the_derivatives_of_the_poses(data, order):
    model = data.draw(models())
    jet = data.draw(joint_jets(model.n, order))
    name = data.draw(_frames(model))
    reach = _levers(model) + np.abs(jet[0]).max(initial=0.0) * np.abs(model.multipliers).sum()
    for representation, reference in reference_twists(model, jet, name).items():
        got = frame_twist(model, jet, name, representation)
        _assert_close(got, *reference, reach)


@settings(max_examples=10)
@given(st.data())
def test_jacobians_are_the_derivatives_of_the_poses(data):
    model = data.draw(models(max_bodies=5, scales=False))
    jet = data.draw(joint_jets(model.n, 3))
    name = data.draw(_frames(model))
    size = 1.0 + _levers(model) + np.abs(jet[0]).max() * np.abs(model.multipliers).sum()
    # a derivative of order k has the size of the k-th power of the rates
    rates = 1.0 + np.abs(jet[1:]).max() * np.abs(model.multipliers).sum()
    powers = rates ** np.arange(len(jet))[:, None, None]
    for representation, expected in reference_jacobians(model, jet, name).items():
        got = frame_jacobian_jet(model, jet, name, representation)
        assert (np.abs(got - expected) <= JET_ROUNDING * size * powers).all(), representation
        first = frame_jacobian(model, jet[0], name, representation)
        np.testing.assert_allclose(got[0], first, rtol=0.0, atol=1e-14 * size)


def test_spinning_wheel_keeps_the_digits_of_its_constant_screw():
    # (R^T r')^(k) of a body on a fast joint grows with rate^(k + 1); a spatial twist does not
    wheel = ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, -2, 0]], [np.eye(6)])
    jet = np.array([[0.3], [500.0], [1.0], [2.0], [-3.0], [0.5]])
    for representation in ('body', 'spatial'):
        twists = frame_twist(wheel, jet, 'body_1', representation)
        np.testing.assert_allclose(twists, jet[1:] * [[0, 0, 1, 0, -2, 0]], rtol=1e-14)


def test_far_base_costs_no_digits(rng):
    model = random_model(rng, RECIPES)
    far = model.home_poses.copy()
    far[0, :3, 3] += 1e9
    jet = random_joint_jet(rng, model.n, 2)
    for representation in ('body', 'hybrid', 'mixed'):
        near = frame_twist(model, jet, 'tool_6', representation)
        got = frame_twist(replace(model, home_poses=far), jet, 'tool_6', representation)
        np.testing.assert_allclose(got, near, rtol=0.0, atol=1e-13 * np.abs(near).max())


@pytest.mark.parametrize('representation', REPRESENTATIONS)
def test_batches_are_their_samples(representation, rng):
    model = random_model(rng, RECIPES)
    jets = rng.normal(size=(2, 3, 4, model.n))
    twists = frame_twist(model, jets, 'tool_4', representation)
    jacobians = frame_jacobian_jet(model, jets, 'tool_4', representation)
    assert twists.shape == (2, 3, 3, 6)
    assert jacobians.shape == (2, 3, 4, 6, model.n)
    for index in np.ndindex(2, 3):
        single = frame_twist(model, jets[index], 'tool_4', representation)
        np.testing.assert_array_equal(twists[index], single)
        single = frame_jacobian_jet(model, jets[index], 'tool_4', representation)
        np.testing.assert_array_equal(jacobians[index], single)
    assert frame_twist(model, jets[:0], 'tool_4').shape == (0, 3, 3, 6)


def test_out_is_filled_and_returned(rng):
    model = random_model(rng, 3)
    jet, out = rng.normal(size=(4, 3)), np.empty((3, 6))
    assert frame_twist(model, jet, 'tool_3', 'hybrid', out=out) is out
    np.testing.assert_array_equal(out, frame_twist(model, jet, 'tool_3', 'hybrid'))
    with pytest.raises(ShapeError, match=r'out: expected shape \(3, 6\), got \(2, 6\)'):
        frame_twist(model, jet, 'tool_3', out=out[:2])
    with pytest.raises(InputError, match='out: expected a writable, aligned, C-contiguous'):
        frame_twist(model, jet, 'tool_3', out=np.empty((6, 3)).T)
    square = rng.normal(size=(7, 6))
    six = random_model(rng, 6)
    with pytest.raises(InputError, match='out: expected memory of its own, got memory of joint'):
        frame_twist(six, square, 'tool_3', out=square[:6])


def test_wrong_jets_are_named(rng):
    model = random_model(rng, 2)
    jet = rng.normal(size=(3, 2))
    for function, rows in ((frame_twist, 2), (frame_jacobian_jet, 1)):
        with pytest.raises(UnknownNameError, match="unknown frame 'tool'"):
            function(model, jet, 'tool')
        text = "representation: expected one of body, spatial, hybrid, mixed, got 'world'"
        with pytest.raises(InputError, match=text):
            function(model, jet, 'tool_1', 'world')
        text = rf'joint_jet: expected shape \(r, 2\) or \(..., r, 2\) with r >= {rows}'
        for wrong in (jet[0], jet[: rows - 1], jet[:, :1]):
            with pytest.raises(ShapeError, match=text):
                function(model, wrong, 'tool_1')
        with pytest.raises(NotFiniteError, match=r'joint_jet\[1, 0, 1\]: expected a finite'):
            function(model, [jet, [[0.0, np.nan], [0.0, 0.0], [0.0, 0.0]]], 'tool_1')
        with pytest.raises(InputError, match='model: expected a ScrewModel, got str'):
            function('robot.urdf', jet, 'tool_1')
