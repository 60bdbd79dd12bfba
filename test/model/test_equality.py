# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Models compare by their values, and equal models have equal hashes."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.random_models import random_model
from oracles.strategies import models

from screw_dynamics.model import Frame, JointLimits, ScrewModel


@settings(max_examples=20)
@given(models())
def test_a_copy_is_equal_and_has_the_same_hash(model):
    copy = pickle.loads(pickle.dumps(model))
    assert copy is not model
    assert copy == model and hash(copy) == hash(model)
    assert {model: 1}[copy] == 1


def change(value):
    """Return a value of the same kind, changed as little as possible."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        other = value.copy()
        other.flat[0] = np.nextafter(other.flat[0], np.inf)
        return other
    if isinstance(value, tuple):
        return (f'{value[0]}_', *value[1:])
    if isinstance(value, str):
        return f'{value}_'
    if isinstance(value, JointLimits):
        return replace(value, effort=np.full_like(value.effort, 1.0))
    assert isinstance(value, dict) or hasattr(value, 'items')
    return {**value, 'another': Frame(-1, np.eye(4))}


# joint_types, parents and coordinates cannot change alone; poses and screws are made exact again
@pytest.mark.parametrize(
    'name',
    sorted(
        {entry.name for entry in fields(ScrewModel)}
        - {'joint_types', 'parents', 'coordinates', 'home_poses', 'screws', 'multipliers'}
        - {'tree_joint_names', 'joint_names', 'offsets', 'inertias'}
    ),
)
def test_any_field_makes_a_difference(rng, name):
    model = random_model(rng, 3)
    other = replace(model, **{name: change(getattr(model, name))})
    assert other != model and hash(other) != hash(model)


def test_a_screw_an_inertia_and_a_name_make_a_difference(rng):
    model = random_model(rng, 3)
    assert model.with_payload('body_3', 1e-3) != model
    assert replace(model, screws=-model.screws) != model
    renamed = tuple(f'{name}_' for name in model.joint_names)
    assert replace(model, joint_names=renamed, tree_joint_names=renamed) != model


def test_the_sign_of_zero_and_the_order_of_frames_make_none(rng):
    model = random_model(rng, 2)
    frames = dict(reversed(model.frames.items()))
    other = replace(model, gravity=model.gravity * 0.0, frames=frames)
    negative = replace(model, gravity=model.gravity * -0.0)
    assert other == negative and hash(other) == hash(negative)


def test_another_type_is_not_equal(rng):
    model = random_model(rng, 1)
    assert model != 'model' and model != model.limits
    assert model.limits == JointLimits(
        *(getattr(model.limits, f.name) for f in fields(JointLimits))
    )
