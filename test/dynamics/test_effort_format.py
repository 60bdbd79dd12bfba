# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts as robots take them: gravity and its derivatives, sign, scale and offset."""

import numpy as np
import pytest
from hypothesis import given, settings
from oracles import closed_form
from oracles.comparison import CANCELLATION, TOLERANCE, ZERO
from oracles.high_precision import reference_efforts
from oracles.random_models import random_joint_jet, random_model
from oracles.strategies import models, seeds

import screw_dynamics as sd
from screw_dynamics.dynamics.effort_format import measured_format, other_content
from screw_dynamics.errors import InputError, ShapeError

ORDER = 3


@settings(max_examples=12)
@given(models(), seeds)
def test_gravity_along_a_motion(model, seed):
    """60 digits and another formulation give the same derivatives of g(q)."""
    jet = random_joint_jet(np.random.default_rng(seed), model.n, ORDER)
    full, weightless = (
        reference_efforts(robot, jet) for robot in (model, model.without_gravity())
    )
    found = sd.gravity_forces_jet(model, jet)
    # the error is that of the efforts which are subtracted
    largest = np.maximum(np.abs(full.efforts), np.abs(weightless.efforts))
    size = np.maximum(largest.max(axis=1, initial=0.0), CANCELLATION * full.scale)
    error = np.abs(found - (full.efforts - weightless.efforts)).max(axis=1, initial=0.0)
    assert (error <= 2.0 * TOLERANCE * np.maximum(size, ZERO)).all()
    gravity = closed_form.gravity_forces(model, jet[0])
    assert (np.abs(found[0] - gravity) <= 2.0 * TOLERANCE * np.maximum(size[0], ZERO)).all()


def test_contents_add_up(rng):
    model = random_model(rng, 5)
    jets = rng.normal(size=(4, 5, 5))
    wrench = {next(iter(model.frames)): rng.normal(size=(3, 6))} if model.frames else None
    efforts = sd.inverse_dynamics(model, jets, wrench)
    without, gravity, full = (
        sd.EffortFormat(content).convert(model, jets, efforts)
        for content in ('without_gravity', 'gravity_only', 'full')
    )
    np.testing.assert_array_equal(full, efforts)
    np.testing.assert_allclose(without + gravity, efforts, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(gravity, sd.gravity_forces_jet(model, jets))


def test_sign_scale_and_offset(rng):
    model = random_model(rng, 3)
    jet = rng.normal(size=(5, 3))
    efforts = sd.inverse_dynamics(model, jet)
    taken = sd.EffortFormat(
        'gravity_only', sign=[1, -1, 1], scale=[2.0, 0.5, 1.0], offset=[0.1, 0.2, 0.3]
    )
    out = np.empty((3, 3))
    found = taken.convert(model, jet, efforts, out=out)
    assert found is out
    expected = sd.gravity_forces_jet(model, jet) * [2.0, -0.5, 1.0]
    expected[0] += [0.1, 0.2, 0.3]
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(taken.convert(model, jet, efforts), expected)


def test_out_is_filled(rng):
    model = random_model(rng, 3)
    jet = rng.normal(size=(5, 3))
    efforts, out = sd.inverse_dynamics(model, jet), np.empty((3, 3))
    taken = sd.EffortFormat('without_gravity', scale=[2.0] * 3)
    found = taken.convert(model, jet, efforts, out=out)
    assert found is out
    np.testing.assert_array_equal(out, taken.convert(model, jet, efforts))
    assert sd.gravity_forces_jet(model, jet, out=out) is out
    np.testing.assert_array_equal(out, sd.gravity_forces_jet(model, jet))
    # of one sample as in `inverse_dynamics`, which reads the jet before it writes
    np.testing.assert_array_equal(sd.gravity_forces_jet(model, jet, out=jet[2:]), out)


@pytest.mark.parametrize(
    'fields, text',
    [
        (
            {'content': 'gravity'},
            'content: expected one of full, without_gravity, gravity_only, external',
        ),
        ({'sign': [1, 0.5]}, 'sign: expected 1 or -1 for each joint, got'),
        ({'scale': 2.0}, 'scale: expected a number above 0 for each joint, got 2.0'),
        ({'scale': [0.0]}, 'scale: expected a number above 0 for each joint, got'),
        ({'scale': [np.inf]}, 'scale: expected a number above 0 for each joint, got'),
        ({'offset': [np.nan]}, 'offset: expected a finite number for each joint, got'),
        ({'offset': 1.0}, 'offset: expected a finite number for each joint, got 1.0'),
    ],
)
def test_bad_fields(fields, text):
    with pytest.raises(InputError) as raised:
        sd.EffortFormat(**fields)
    assert str(raised.value).startswith(text)


def test_bad_arguments(rng):
    model = random_model(rng, 2)
    jet = np.zeros((3, 2))
    efforts = sd.inverse_dynamics(model, jet)
    with pytest.raises(InputError, match='scale: expected 2 values, one for each of .*, got 3'):
        sd.EffortFormat(scale=[1.0] * 3).convert(model, jet, efforts)
    with pytest.raises(ShapeError):
        sd.EffortFormat('gravity_only').convert(model, np.zeros((3, 4)), efforts)
    # rows that would be broadcast
    with pytest.raises(ShapeError, match=r'efforts: .*\(1, 2\), as of joint_jet'):
        sd.EffortFormat('without_gravity').convert(model, jet, np.zeros((2, 2)))
    with pytest.raises(ShapeError, match=r'efforts: expected shape \(..., k \+ 1, 2\)'):
        sd.EffortFormat().convert(model, jet, np.zeros(2))
    with pytest.raises(ShapeError, match='out: '):
        sd.EffortFormat().convert(model, jet, efforts, out=np.empty((3, 2)))


@pytest.mark.parametrize(
    'fields, trivial',
    [
        ({}, True),
        ({'sign': [1, 1], 'scale': [1.0, 1.0], 'offset': [0.0, 0.0]}, True),
        ({'sign': [1, -1]}, False),
        ({'scale': [1.0, 2.0]}, False),
        ({'offset': [0.0, 0.5]}, False),
        ({'sign': [1, -1], 'offset': [0.0, 0.5]}, False),
        ({'content': 'without_gravity'}, False),
    ],
)
def test_what_leaves_efforts_as_they_are(rng, fields, trivial):
    model = random_model(rng, 2)
    jet = rng.normal(size=(5, 2))
    efforts = sd.inverse_dynamics(model, jet)
    taken = sd.EffortFormat(**fields)
    assert taken.trivial == trivial
    found = taken.convert(model, jet, efforts)
    assert np.array_equal(found, efforts) == trivial
    if 'content' not in fields:
        scaled = efforts * np.multiply(fields.get('sign', 1), fields.get('scale', 1.0))
        scaled[0] += fields.get('offset', 0.0)
        np.testing.assert_array_equal(found, scaled)


SCALED = {'sign': [1, -1, 1], 'scale': [2.0, 0.5, 4.0], 'offset': [0.1, 0.2, -0.3]}
GAINS = np.array([2.0, -0.5, 4.0])


def test_what_a_robot_reports(rng):
    """Of an effort that its own model explains in part: gravity, or all but the external load."""
    model = random_model(rng, 3)
    jets, load = rng.normal(size=(4, 3, 3)), rng.normal(size=(4, 3))
    full = sd.inverse_dynamics(model, jets)[:, 0] - load
    gravity = sd.gravity_forces(model, jets[:, 0])
    for content, part in (('full', full), ('without_gravity', full - gravity), ('external', load)):
        reported = sd.EffortFormat(content, **SCALED)
        values = part * GAINS + SCALED['offset']
        np.testing.assert_allclose(reported.reported(values), part, rtol=1e-12, atol=1e-12)
        found = reported.full_efforts(model, jets, values)
        np.testing.assert_allclose(found, full, rtol=1e-12, atol=1e-12)
        some = reported.of_joints(np.array([True, False, True]))
        expected = sd.EffortFormat(content, [1, 1], [2.0, 4.0], [0.1, -0.3])
        assert some == measured_format(some, 'ac') == expected
        assert measured_format(content, 'abc') == sd.EffortFormat(content)
    with pytest.raises(
        InputError, match='content: expected full, .* of measured efforts, got .gr'
    ):
        sd.EffortFormat('gravity_only').full_efforts(model, jets, full)
    with pytest.raises(InputError, match='sign: expected 3 values'):
        some.full_efforts(model, jets, full)
    for wrong in ('gravity_only', sd.EffortFormat('gravity_only')):
        with pytest.raises(
            InputError, match='effort_content: expected full, .* got .gravity_only'
        ):
            measured_format(wrong, 'abc')
    with pytest.raises(
        InputError, match='content: expected full, .* that a robot takes, got .ext'
    ):
        sd.EffortFormat('external').convert(model, jets, full[:, np.newaxis])


def test_efforts_that_act_on_the_bodies(rng):
    model = random_model(rng, 3)
    jet = rng.normal(size=(5, 3))
    efforts = sd.inverse_dynamics(model, jet)
    for content, gravity in (('full', model.gravity), ('without_gravity', np.zeros(3))):
        taken = sd.EffortFormat(content, **SCALED)
        bodies, found = taken.efforts_of_bodies(model, taken.convert(model, jet, efforts))
        np.testing.assert_array_equal(bodies.gravity, gravity)
        np.testing.assert_allclose(
            found, efforts if content == 'full' else efforts - sd.gravity_forces_jet(model, jet),
            rtol=1e-12, atol=1e-11,
        )  # fmt: skip
    with pytest.raises(InputError, match="expected 'full' or 'without_gravity', got 'gravity_on"):
        sd.EffortFormat('gravity_only').efforts_of_bodies(model, efforts)


def test_another_content_that_explains_more_is_named():
    stated = sd.EffortFormat('full')
    text = other_content(stated, 'without_gravity', True, 12.34)
    assert "got some that effort_content 'without_gravity' and the opposite effort_sign" in text
    assert text.endswith('would explain 12 times better')
    assert 'some that the opposite' in other_content(stated, 'full', True, 3.0)
