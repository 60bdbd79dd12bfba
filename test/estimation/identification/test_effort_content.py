# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Measured efforts of every content, sign and scale, and what is said of those that are not."""

import warnings
from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from helpers.recordings import COM, Drives, drawn, random_motion, random_robot, recording

import screw_dynamics as sd
from screw_dynamics.errors import InputError, RecordingWarning
from screw_dynamics.estimation.identification import identify

CONTENTS = ('full', 'without_gravity', 'external')
LOAD = np.diag([0.01, 0.02, 0.015])


@cache
def moved(model, seed, mass):
    """Return the state of random numbers, times, jets and efforts of an arm with a load."""
    rng = np.random.default_rng(seed)
    times, jets = random_motion(model, rng, 20.0)
    loaded = model.with_payload(model.body_names[-1], mass, COM, mass * LOAD) if mass else model
    efforts = sd.inverse_dynamics(loaded, jets)[:, 0] + Drives(model, rng).efforts(jets)
    return rng.bit_generator.state, times, jets, efforts


def reported(model, seed, content, mass=0.0, sign=1.0):
    """Return what an arm with a load would report, and the frame of the load."""
    state, times, jets, efforts = moved(model, seed, mass)
    rng = np.random.default_rng()
    rng.bit_generator.state = state
    part = {
        'full': efforts,
        'without_gravity': efforts - sd.gravity_forces(model, jets[:, 0]),
        'external': sd.inverse_dynamics(model, jets)[:, 0] - efforts,
    }[content]
    return recording(model, rng, times, jets, sign * part), model.body_names[-1]


@pytest.mark.parametrize('content', CONTENTS)
@pytest.mark.parametrize('arm', ['planar', pytest.param('iiwa', marks=pytest.mark.long)])
def test_a_load_is_found_in_efforts_of_every_content(request, arm, content):
    model, mass = request.getfixturevalue(arm), 7.0
    measured, frame = reported(model, 3, content, mass)
    found = identify(model, measured, payload=frame, effort_content=content)
    assert found.payload.mass == pytest.approx(mass, abs=5.0 * found.payload.mass_deviation)
    assert found.payload.mass_deviation < 0.02
    held_out = found.validate(measured.between(10.0, 20.0))
    np.testing.assert_allclose(held_out, found.residuals, rtol=0.2)


@pytest.mark.parametrize('stated, content', permutations(CONTENTS, 2))
@pytest.mark.parametrize('arm, sought', [('planar', False), ('iiwa', True)])
def test_another_content_is_refused_by_name(request, arm, stated, content, sought):
    """A negative mass explains gravity that is missing no more than a wrong sign does."""
    model = request.getfixturevalue(arm)
    measured, frame = reported(model, 4, content)
    text = f"effort_content '{stated}', got some that effort_content '{content}' would explain"
    with pytest.raises(InputError, match=text):
        identify(model, measured, payload=frame if sought else None, effort_content=stated)


@pytest.mark.parametrize('content', CONTENTS)
def test_the_opposite_sign_of_every_joint(planar, content):
    measured, frame = reported(planar, 5, content, 2.0, sign=-1.0)
    text = 'got some that the opposite effort_sign of every joint would explain'
    with pytest.raises(InputError, match=text):
        identify(planar, measured, payload=frame, effort_content=content)
    turned = sd.EffortFormat(content, sign=[-1.0, -1.0])
    found = identify(planar, measured, payload=frame, effort_content=turned)
    assert found.payload.mass == pytest.approx(2.0, abs=0.05)


def test_currents_are_refused_unless_their_scale_is_given(planar):
    measured, _ = reported(planar, 4, 'full')
    scale = [0.12, 0.15]  # A per N m
    currents = replace(measured, efforts=measured.efforts * scale)
    with pytest.raises(InputError, match=r'times those of the model.*effort_scale'):
        identify(planar, currents)
    given = sd.EffortFormat('full', scale=scale, offset=[0.5, 0.5])
    shifted = replace(measured, efforts=measured.efforts * scale + 0.5)
    same = identify(planar, shifted, effort_content=given)
    np.testing.assert_allclose(
        same.values, identify(planar, measured).values, rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize('factor, unit', [(1e3, 'N mm'), (9.81, 'kgf cm'), (40.0, 'another')])
def test_a_unit_that_all_joints_share_is_named(iiwa, factor, unit):
    measured, _ = reported(iiwa, 4, 'full')
    text = rf'efforts in N m or N, got some that are .* at joint_1, .* {unit}.*effort_scale'
    with pytest.raises(InputError, match=text):
        identify(iiwa, replace(measured, efforts=factor * measured.efforts), offsets=True)


@pytest.mark.parametrize('seed', [10, 37])
def test_efforts_of_another_robot_are_no_wrong_signs(seed):
    one, other = random_robot(seed), random_robot(100 + seed)
    measured, _ = drawn(one, seed, seconds=12.0)
    renamed = replace(measured, joint_names=other.joint_names)
    with pytest.raises(InputError, match=r'the model, got some of which it explains \d+ %.*robot'):
        identify(other, renamed, offsets=True)


@pytest.mark.parametrize('seed', [*(pytest.param(k, marks=pytest.mark.long) for k in range(5)), 5])
def test_loads_that_outweigh_the_wrist_are_no_other_unit(iiwa, seed):
    measured, frame = reported(iiwa, seed, 'full', 2.5 + seed)
    assert identify(iiwa, measured, payload=frame).payload.mass == pytest.approx(
        2.5 + seed, rel=0.01
    )


def test_friction_beyond_the_rigid_effort_of_a_wrist(iiwa):
    """
    Of 3 N m on joints that carry a few tenths; it switches its sign within a sample.

    The tanh of the fit does not, which leaves some per cent.
    """
    rng = np.random.default_rng(7)
    times, jets = random_motion(iiwa, rng, 20.0)
    levels = np.array([12.0, 12.0, 8.0, 8.0, 3.0, 3.0, 2.0])
    loaded = iiwa.with_payload('flange', 2.0, COM, 2.0 * LOAD)
    efforts = sd.inverse_dynamics(loaded, jets)[:, 0] + levels * np.sign(jets[:, 1])
    efforts += 0.5 * levels * jets[:, 1]
    found = identify(iiwa, recording(iiwa, rng, times, jets, efforts), payload='flange')
    assert found.payload.mass == pytest.approx(2.0, abs=0.1)
    np.testing.assert_allclose(found.values[7:14], levels, rtol=0.05)


def test_a_mass_below_zero_is_an_error(planar):
    measured, frame = reported(planar, 4, 'without_gravity')
    text = r'payload: expected a mass above 0, got -\d.* kg: do the efforts lack gravity'
    with pytest.raises(InputError, match=text):
        identify(planar, measured, payload=frame, check=False)


def test_contents_that_no_robot_reports(planar):
    measured, _ = reported(planar, 4, 'full')
    for content in ('gravity_only', 3, sd.EffortFormat('gravity_only')):
        with pytest.raises(InputError, match='effort_content: expected full, without_gravity, e'):
            identify(planar, measured, effort_content=content)


def test_a_load_that_is_not_sought_is_suspected_by_name(planar):
    measured, _ = drawn(planar, 9, ('link_2', 1.0, COM, np.zeros((3, 3))), rotors=False)
    with pytest.warns(RecordingWarning, match=r"a load of about .* kg on link 'link_2' explains"):
        identify(planar, measured)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        identify(planar, measured, payload='link_2')


@pytest.mark.parametrize(
    'arm, content',
    [
        ('planar', 'without_gravity'),
        ('planar', 'external'),
        *(pytest.param('iiwa', content, marks=pytest.mark.long) for content in CONTENTS),
    ],
)
def test_a_heavy_load_that_is_not_sought_is_no_other_content(request, arm, content):
    """Nor a reversed joint, nor another scale: what explains it best is named."""
    model = request.getfixturevalue(arm)
    measured, frame = reported(model, 3, content, 7.0)
    with pytest.warns(RecordingWarning, match=rf"a load of about [67].* kg on link '{frame}'"):
        identify(model, measured, effort_content=content)
