# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
import copy
import pickle
import re
from dataclasses import fields, replace

import numpy as np
import pytest
from oracles.random_models import BodyRecipe, random_model

from screw_dynamics.errors import (
    InertiaError,
    InputError,
    ModelError,
    NotFiniteError,
    ShapeError,
    TopologyError,
    UnknownNameError,
)
from screw_dynamics.model import Frame, JointLimits, ScrewModel

NAN = np.array([np.nan, 0.0])
HELIX = np.array([[0, 0, 1, 0, 0, 0.1], [0, 0, 1, 0, 0, 0]])
LONG = np.array([[0, 0, 2.0, 0, 0, 0], [0, 0, 1, 0, 0, 0]])
SHEARED = np.eye(4) + np.eye(4, k=1)
NOWHERE = np.eye(4) + np.array([[0, 0, 0, np.nan]] + 3 * [[0, 0, 0, 0]])


@pytest.fixture
def model():
    return random_model(np.random.default_rng(3), [BodyRecipe(coordinate_axis=True)] * 2)


@pytest.mark.parametrize(
    ('changes', 'error', 'message'),
    [
        ({'joint_names': ('a', 'a')}, ModelError, 'joint names: expected unique names, got a'),
        ({'joint_names': ('a', 3)}, ModelError, 'joint_names[1]: expected a name, got 3'),
        ({'body_names': ('a', 'a')}, ModelError, 'body names: expected unique names, got a twice'),
        ({'joint_types': ('revolute',)}, ModelError, 'expected one tree joint and type per body'),
        ({'joint_types': ('revolute', 'ball')}, ModelError, "got 'ball'"),
        ({'screws': HELIX}, ModelError, 'expected a revolute one, got a helical one'),
        ({'screws': LONG}, ModelError, "body 0 (joint 'joint_1'): screw [0.0, 0.0, 2.0, 0.0"),
        ({'screws': np.ones((2, 5))}, ShapeError, 'screws: expected shape (2, 6), got (2, 5)'),
        ({'parents': np.array([-1, 1])}, TopologyError, 'expected a parent from -1 (base) to 0'),
        ({'coordinates': np.array([0, 2])}, ModelError, 'coordinates: expected indices below 2'),
        ({'coordinates': np.array([0, 0])}, ModelError, "joint 'joint_2': expected at least one"),
        ({'gravity': np.zeros(2)}, ShapeError, 'gravity: expected shape (3,), got (2,)'),
        ({'gravity': ('a', 'b', 'c')}, InputError, 'gravity: expected real numbers'),
        (
            {'multipliers': NAN},
            NotFiniteError,
            "multipliers[0] (joint 'joint_1'): expected a finite number, got nan",
        ),
        ({'screws': NAN[:, None] * np.ones(6)}, NotFiniteError, "screws[0, 0] (joint 'joint_1')"),
        ({'friction': NAN[::-1]}, NotFiniteError, "friction[1] (joint 'joint_2'): expected"),
        ({'parents': None}, ModelError, 'parents: expected whole numbers, got None'),
        ({'parents': [-1, 0.5]}, ModelError, 'parents: expected whole numbers, got [-1, 0.5]'),
        ({'parents': [-1, 10**400]}, ModelError, 'parents: expected whole numbers, got [-1, 1'),
        ({'coordinates': [None, 0]}, ModelError, 'coordinates: expected whole numbers'),
        ({'limits': None}, ModelError, 'limits: expected JointLimits, got None'),
        (
            {'limits': replace(JointLimits.none(2), upper='ab')},
            InputError,
            'limits.upper: expected real numbers',
        ),
        ({'frames': None}, ModelError, 'frames: expected a mapping of names to frames, got None'),
        ({'frames': {3: Frame(0, np.eye(4))}}, ModelError, 'frames: expected a name, got 3'),
        ({'frames': {'f': 3}}, ModelError, "frame 'f': expected a Frame, got 3"),
        (
            {'frames': {'f': Frame(np.inf, np.eye(4))}},
            ModelError,
            "frame 'f': body: expected whole numbers, got inf",
        ),
        ({'frames': {'f': Frame(0, None)}}, InputError, "frame 'f': expected real numbers"),
        ({'name': 3}, ModelError, 'name: expected a name, got 3'),
        ({'damping': np.zeros(3)}, ShapeError, 'damping: expected shape (2,), got (3,)'),
        ({'home_poses': np.array([SHEARED] * 2)}, ModelError, 'home pose: expected a rotation'),
        ({'inertias': -np.array([np.eye(6)] * 2)}, InertiaError, 'mass: expected 0 or more'),
        ({'inertias': np.ones((2, 6, 6))}, InertiaError, 'expected [[Theta, m c~], [-m c~, m I]]'),
        ({'frames': {'f': Frame(2, np.eye(4))}}, ModelError, "'f': body: expected -1 (base) to 1"),
        (
            {'frames': {'f': Frame(0, SHEARED)}},
            ModelError,
            "frame 'f': expected a rigid-body pose",
        ),
        ({'limits': JointLimits.none(3)}, ShapeError, 'limits.lower: expected shape (2,)'),
        (
            {'limits': replace(JointLimits.none(2), effort=NAN)},
            NotFiniteError,
            'limits.effort[0] (joint_1): expected a finite number, got nan',
        ),
    ],
)
def test_what_is_no_model_is_named(model, changes, error, message):
    with pytest.raises(error, match=re.escape(message)) as raised:
        replace(model, **changes)
    assert len(str(raised.value)) < 300


def test_inertia_that_no_body_has_is_legal(model):
    assert replace(model, inertias=np.array([-np.diag([1.0, 1, 1, 0, 0, 0])] * 2)).n == 2


def test_lists_are_taken(model):
    again = replace(model, gravity=[0, 0, -1], parents=[-1, -1], screws=model.screws.tolist())
    np.testing.assert_array_equal(again.parents, [-1, -1])
    assert again.gravity.dtype == np.float64


def test_nothing_can_be_changed(model):
    arrays = [
        model.parents,
        model.home_poses,
        model.screws,
        model.inertias,
        model.gravity,
        model.limits.effort,
        model.frames['tool_1'].pose,
    ]
    for array in arrays:
        with pytest.raises(ValueError, match='read-only'):
            array[...] = 0
    with pytest.raises(AttributeError):
        model.gravity = np.zeros(3)
    with pytest.raises(TypeError):
        model.frames['new'] = model.frames['tool_1']


def test_the_caller_keeps_its_arrays(model):
    gravity = np.array([0.0, 0.0, -9.81])
    limits = JointLimits.none(2)
    changed = replace(model, gravity=gravity, limits=limits)
    gravity[2] = limits.lower[0] = 0.0
    assert changed.gravity[2] == -9.81 and changed.limits.lower[0] == -np.inf


class _Named(ScrewModel):
    pass


@pytest.mark.parametrize(
    'copied', [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_models_can_be_copied_and_pickled(model, copied):
    again = copied(model)
    assert isinstance(again, ScrewModel) and again.to_yaml() == model.to_yaml()
    named = _Named(**{entry.name: getattr(model, entry.name) for entry in fields(model)})
    assert type(copied(named)) is _Named


@pytest.mark.parametrize(
    ('changes', 'error', 'message'),
    [
        ({'parents': []}, ShapeError, 'home_poses: expected shape (0, 4, 4), got (2, 4, 4)'),
        ({'parents': [-1, [0]]}, ShapeError, 'parents: expected shape (n,) of integers'),
        ({'parents': [-1.0, 0.0]}, ShapeError, '(n,) of integers, got (2,) float64'),
        ({'parents': [[-1, 0]]}, ShapeError, '(n,) of integers, got (1, 2) int64'),
        ({'joint_names': 5}, ModelError, 'joint_names: expected a sequence of names, got 5'),
        ({'joint_names': 'ab'}, ModelError, "joint_names: expected a sequence of names, got 'ab'"),
        ({'joint_names': ['a']}, ModelError, "joint_names: expected 2 names, got ['a']"),
    ],
)
def test_screws_that_make_no_model_are_named(model, changes, error, message):
    taken = {
        name: getattr(model, name) for name in ('parents', 'home_poses', 'screws', 'inertias')
    }
    with pytest.raises(error, match=re.escape(message)):
        ScrewModel.from_screws(**(taken | changes))


def test_names_given_as_lists_cannot_be_changed_later(rng):
    names = ['a', 'b']
    model = replace(
        random_model(rng, 2),
        joint_names=names,
        tree_joint_names=list(names),
        body_names=['x', 'y'],
        joint_types=['revolute', 'revolute'],
        frames={},
    )
    names[0] = 'c'
    assert model.joint_names == model.tree_joint_names == ('a', 'b')
    assert model.body_names == ('x', 'y') and isinstance(model.joint_types, tuple)


def test_unknown_frames_are_named(model):
    with pytest.raises(UnknownNameError, match="unknown frame 'hand': expected one of base, body"):
        model.frame('hand')
