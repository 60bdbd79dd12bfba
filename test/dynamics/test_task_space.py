# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint motions for tasks, against 60 digits, numerical pseudo-inverses and the way back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.frame_motion import reference_joint_jet
from oracles.random_models import JOINT_TYPES, BodyRecipe, random_joint_jet, random_model
from oracles.strategies import seeds

from screw_dynamics.common.paths import share_path
from screw_dynamics.dynamics.frame_jets import frame_twist
from screw_dynamics.dynamics.frames import REPRESENTATIONS, frame_jacobian
from screw_dynamics.dynamics.task_space import COMPONENTS, task_to_joint_jet
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    ShapeError,
    SingularJacobianError,
    UnknownNameError,
)
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.urdf import read_urdf

# Relative to the largest entry of an order and to the condition number; 7e-15 are seen.
ROUNDING = 1e-13
TURN, SLIDE = [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]


def _chain(screws) -> ScrewModel:
    """Return a chain with steps of 1 m along x, and a last step of the same length."""
    home = np.eye(4)
    home[0, 3] = 1.0
    inertias = [np.eye(6)] * len(screws)
    return ScrewModel.from_screws(
        range(-1, len(screws) - 1), [home] * len(screws), screws, inertias
    )


@pytest.fixture(scope='module')
def iiwa() -> ScrewModel:
    """An arm of seven joints; straight at q = 0."""
    return read_urdf(share_path('urdf/iiwa14.urdf'))


def _condition(model, q, name, representation, selected, weights, damping):
    """Return the condition number of the weighted Jacobian, with the damping."""
    jacobian = frame_jacobian(model, q, name, representation)[selected] / np.sqrt(weights)
    if damping:
        jacobian = np.hstack([jacobian, damping * np.eye(len(selected))])
    values = np.linalg.svd(jacobian, compute_uv=False)
    return values[0] / values[-1]


def _assert_close(got, expected, condition):
    bound = ROUNDING * condition * np.abs(expected).max(axis=1, keepdims=True)
    assert (np.abs(got - expected) <= bound).all(), (got, expected, condition)


@st.composite
def arms(draw):
    """Draw a chain of eight bodies, at most three of which mimic a joint before them."""
    recipes = [
        BodyRecipe(
            draw(st.sampled_from(['revolute', *JOINT_TYPES])),
            mimics=draw(st.sampled_from([None, None, 0, 1])) if i in (3, 5, 7) else None,
            tilt=draw(st.sampled_from([0.0, 1e-6, 1e-3])),
            parallel_home=draw(st.sampled_from([False, False, True])),
        )
        for i in range(8)
    ]
    return random_model(np.random.default_rng(draw(seeds)), recipes)


@settings(max_examples=12)
@given(st.data())
def test_derivatives_are_those_of_the_weighted_pseudo_inverse(data):
    model = data.draw(arms())
    representation = data.draw(st.sampled_from(REPRESENTATIONS))
    damping = data.draw(st.sampled_from([0.0, 0.0, 1e-3, 0.1]))
    selected = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=6, unique=True))
    rng = np.random.default_rng(data.draw(seeds))
    q, weights = rng.normal(size=model.n), rng.uniform(0.2, 5.0, model.n)
    rows = data.draw(st.integers(1, 5))
    twist, rates = rng.normal(size=(rows, len(selected))), rng.normal(size=(rows, model.n))
    rates = data.draw(st.sampled_from([None, rates]))
    arguments = 'tool_8', representation, selected, weights, damping
    condition = _condition(model, q, *arguments)
    assume(condition < 1e7)
    names = [COMPONENTS[i] for i in selected]
    got = task_to_joint_jet(
        model,
        q,
        twist,
        'tool_8',
        representation,
        components=names,
        weights=weights,
        damping=damping,
        nullspace_rates=rates,
    )
    _assert_close(got, reference_joint_jet(model, q, twist, *arguments, rates), condition)


@pytest.mark.parametrize('elbow', [1e-3, 1e-6])
@pytest.mark.parametrize('representation', REPRESENTATIONS)
def test_near_singularities_cost_the_digits_of_the_condition_number(
    iiwa, elbow, representation, rng
):
    q = np.array([0.3, 0.5, 0.2, elbow, -0.4, 0.7, 0.1])
    twist = rng.normal(size=(4, 6))
    arguments = 'flange', representation, list(range(6)), np.ones(7), 0.0
    condition = _condition(iiwa, q, *arguments)
    assert condition > 0.1 / elbow
    got = task_to_joint_jet(iiwa, q, twist, 'flange', representation)
    _assert_close(got, reference_joint_jet(iiwa, q, twist, *arguments), condition)
    # the task itself is met much better: each order to the digits of its terms
    again = frame_twist(iiwa, got, 'flange', representation)
    terms = np.abs(got[1:]).max(axis=1, keepdims=True)
    assert (np.abs(again - twist) <= ROUNDING * condition * terms).all()


def test_joints_beyond_the_frame_have_their_own_rates(rng):
    model = random_model(rng, 8)
    twist, rates = rng.normal(size=(3, 6)), rng.normal(size=(3, 8))
    q = rng.normal(size=8)
    got = task_to_joint_jet(model, q, twist, 'tool_6', nullspace_rates=rates)
    np.testing.assert_array_equal(got[1:, 6:], rates[:, 6:])
    np.testing.assert_array_equal(task_to_joint_jet(model, q, twist, 'tool_6')[1:, 6:], 0.0)


def test_damping_of_one_joint():
    slider = _chain([SLIDE])
    twist = [[3.0], [-1.0], [0.5]]
    got = task_to_joint_jet(
        slider, [0.2], twist, 'body_1', 'hybrid', components=['vx'], weights=[4.0], damping=0.5
    )
    # q' = w^-1 (w^-1 + lambda^2)^-1 V
    np.testing.assert_allclose(got, [[0.2], [1.5], [-0.5], [0.25]], rtol=1e-15)


def test_damping_moves_a_singular_arm_with_exact_derivatives(iiwa, rng):
    twist = rng.normal(size=(4, 6))
    got = task_to_joint_jet(iiwa, np.zeros(7), twist, 'flange', damping=0.05)
    expected = reference_joint_jet(
        iiwa, np.zeros(7), twist, 'flange', 'body', list(range(6)), np.ones(7), 0.05
    )
    _assert_close(got, expected, 1e2)


@pytest.mark.parametrize('representation', REPRESENTATIONS)
def test_least_squares_of_an_arm_with_few_joints(representation, rng):
    model = random_model(rng, 5)
    q, twist = rng.normal(size=5), rng.normal(size=(4, 6))
    got = task_to_joint_jet(model, q, twist, 'tool_4', representation, least_squares=True)
    arguments = 'tool_4', representation, list(range(6)), np.ones(5), 0.0, None, True
    jacobian = frame_jacobian(model, q, 'tool_4', representation)[:, :4]
    _assert_close(got, reference_joint_jet(model, q, twist, *arguments), np.linalg.cond(jacobian))
    # a motion that the arm can make comes back
    jet = random_joint_jet(rng, 5, 2)
    jet[1:, 4] = 0.0
    twist = frame_twist(model, jet, 'tool_4', representation)
    got = task_to_joint_jet(model, jet[0], twist, 'tool_4', representation, least_squares=True)
    np.testing.assert_allclose(got, jet, rtol=0.0, atol=1e-10)


def test_missing_joints_are_named(rng):
    model = _chain([TURN, TURN])
    text = (
        "frame 'body_2': expected at least 3 joints that move it for the components vx, vy, wz, "
        r'got 2 \(joint_1, joint_2\): select components, or request least_squares or damping'
    )
    with pytest.raises(InputError, match=text):
        task_to_joint_jet(
            model, [0.1, 0.2], [[1, 2, 3]], 'body_2', 'hybrid', components=['vx', 'vy', 'wz']
        )
    for request in ({}, {'damping': 0.1}, {'least_squares': True}):
        with pytest.raises(
            InputError, match="frame 'base': expected joints that move it, got none$"
        ):
            task_to_joint_jet(model, [0.1, 0.2], [[1.0]], 'base', components=['wx'], **request)


def test_lost_direction_is_named():
    model = _chain([TURN, TURN, TURN])
    q = [np.pi / 4, 0.0, 0.0]
    text = (
        r"Jacobian of frame 'body_3' is singular at q = \(0.7854, 0, 0\): expected a smallest "
        r'singular value above 2.24e-08, got \S+: no joint moves it along \+1.00 vx \+1.00 vy'
    )
    with pytest.raises(SingularJacobianError, match=text) as caught:
        task_to_joint_jet(model, q, [[1.0, 0.0]], 'body_3', 'hybrid', components=['vx', 'vy'])
    assert caught.value.frame == 'body_3'
    assert caught.value.sample is None
    assert caught.value.singular_value < 1e-15 < caught.value.bound
    with pytest.raises(SingularJacobianError, match='is singular at sample 1 at q = ') as caught:
        q = [[0.1, 0.5, 0.0], q]
        task_to_joint_jet(
            model, q, [[[1.0, 0.0]]] * 2, 'body_3', 'hybrid', components=['vx', 'vy']
        )
    assert caught.value.sample == 1
    # two turning joints on one axis
    model = ScrewModel.from_screws([-1, 0], [np.eye(4)] * 2, [TURN, TURN], [np.eye(6)] * 2)
    text = r'the joint motion \+1.00 joint_1 -1.00 joint_2 does not move it'
    with pytest.raises(SingularJacobianError, match=text):
        task_to_joint_jet(model, [0.1, 0.2], [[0.0] * 6], 'body_2', least_squares=True)


@pytest.mark.parametrize('representation', REPRESENTATIONS)
def test_batches_are_their_samples(iiwa, representation, rng):
    q, twist = rng.normal(size=(2, 2, 7)), rng.normal(size=(2, 2, 3, 3))
    rates = rng.normal(size=(2, 2, 3, 7))
    arguments = 'flange', representation
    options = {'components': 'linear', 'weights': np.arange(1.0, 8.0)}
    jets = task_to_joint_jet(iiwa, q, twist, *arguments, **options, nullspace_rates=rates)
    assert jets.shape == (2, 2, 4, 7)
    for i in np.ndindex(2, 2):
        one = q[i], twist[i], *arguments
        single = task_to_joint_jet(iiwa, *one, **options, nullspace_rates=rates[i])
        np.testing.assert_array_equal(jets[i], single)
    assert task_to_joint_jet(iiwa, q[:0], twist[:0], *arguments, **options).shape == (0, 2, 4, 7)


def test_order_of_the_components_is_that_of_the_columns(iiwa, rng):
    q, twist = rng.normal(size=7), rng.normal(size=(3, 6))
    expected = task_to_joint_jet(iiwa, q, twist, 'flange')
    got = task_to_joint_jet(iiwa, q, twist[:, ::-1], 'flange', components=COMPONENTS[::-1])
    _assert_close(got, expected, 1e2)


WRONG = {
    "representation: expected one of body, spatial, hybrid, mixed, got 'world'": {
        'representation': 'world'
    },
    'components: expected all, angular, linear or different names out of wx, wy, wz, vx, vy, vz, '
    "got 'x'": {'components': 'x'},
    r"got \['wx', 'wx'\]": {'components': ['wx', 'wx']},
    r'got \[\]': {'components': []},
    'linear or different names .*, got 3': {'components': 3},
    r'twist_jet: expected shape \(2, 3\), for 3 components, got \(2, 6\)': {
        'components': 'linear'
    },
    r'q: expected shape \(7,\) or \(..., 7\), got \(6,\)': {'q': np.zeros(6)},
    r'twist_jet: expected shape \(m, 6\) with m >= 1, for q of \(7,\), got \(6,\)': {
        'twist_jet': np.zeros(6)
    },
    r'twist_jet: expected shape \(2, m, 6\) with m >= 1, for q of \(2, 7\)': {
        'q': np.zeros((2, 7))
    },
    r'twist_jet\[1, 2\]: expected a finite number, got inf': {
        'twist_jet': [[0.0] * 6, [0.0, 0.0, np.inf, 0.0, 0.0, 0.0]]
    },
    r'q\[3\]: expected a finite number, got nan': {'q': [0, 0, 0, np.nan, 0, 0, 0]},
    r'weights: expected shape \(7,\), got \(6,\)': {'weights': np.ones(6)},
    "weights of joint 'joint_2': expected a number above 0, got 0.0": {
        'weights': [1, 0, 1, 1, 1, 1, 1]
    },
    'damping: expected a finite number of at least 0, got -0.1': {'damping': -0.1},
    'damping: expected a finite number of at least 0, got nan': {'damping': np.nan},
    r'nullspace_rates: expected shape \(2, 7\), got \(3, 7\)': {
        'nullspace_rates': np.zeros((3, 7))
    },
    r'nullspace_rates\[0, 0\]: expected a finite': {'nullspace_rates': np.full((2, 7), np.nan)},
    "unknown frame 'hand'": {'frame': 'hand'},
    'model: expected a ScrewModel, got None': {'model': None},
}


@pytest.mark.parametrize('text', WRONG)
def test_wrong_arguments_are_named(iiwa, text):
    right = {'model': iiwa, 'q': np.ones(7), 'twist_jet': np.zeros((2, 6)), 'frame': 'flange'}
    with pytest.raises((InputError, ShapeError, NotFiniteError, UnknownNameError), match=text):
        task_to_joint_jet(**right | WRONG[text])
