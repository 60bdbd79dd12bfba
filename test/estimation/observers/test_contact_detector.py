# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Contacts: thresholds, hysteresis, the link that is touched."""

import math

import numpy as np
import pytest
from oracles.random_models import random_model

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError

STEP = 0.005
BANDWIDTH = 40.0


def lever_of(model, q, link):
    """Return the vector from the origin of a link to its centre of mass, in base axes."""
    inertia = model.inertias[model.body_names.index(link)]
    centre = inertia[[2, 0, 1], [4, 5, 3]] / inertia[3, 3]
    return sd.frame_pose(model, q, link)[:3, :3] @ centre


def at_rest(detector, model, q, loads, begin=0.0):
    """Return the contacts of an arm held at rest under loads, one row of efforts per sample."""
    holding = sd.gravity_forces(model, q)
    times = begin + STEP * np.arange(len(loads))
    rest = np.zeros(model.n)
    return [
        detector.update(time, q, rest, holding - load)
        for time, load in zip(times, loads, strict=True)
    ]


def test_a_contact_begins_when_the_first_order_rise_reaches_the_threshold(arm):
    load = np.zeros((200, 7))
    load[10:, 3] = 4.0  # from sample 10 on
    detector = sd.ContactDetector(sd.LoadObserver(arm, bandwidth=BANDWIDTH), floor=2.5)
    found = at_rest(detector, arm, np.full(7, 0.4), load)
    first = next(i for i, contact in enumerate(found) if contact)
    # the mean load of a step rises linearly in its first step: r = 4 (1 - (1 - g/2) e^(-K t))
    gain = -math.expm1(-BANDWIDTH * STEP)
    after = [4.0 * (1.0 - (1.0 - gain / 2.0) * (1.0 - gain) ** k) for k in range(60)]
    assert first == 10 + next(k for k, value in enumerate(after) if value >= 2.5)
    assert found[-1].begin == pytest.approx(STEP * first)


def test_a_contact_ends_after_the_hold_time_below_the_release_level(arm):
    q, load = np.full(7, 0.4), np.zeros((400, 7))
    load[:100, 3] = 8.0
    detector = sd.ContactDetector(
        sd.LoadObserver(arm, bandwidth=BANDWIDTH), floor=2.0, release=0.5, hold=0.2
    )
    found = at_rest(detector, arm, q, load)
    last = max(i for i, contact in enumerate(found) if contact)
    # 8 N m fall below 1 N m after ln(8) / 40 s = 0.052 s, from then 0.2 s
    assert STEP * (last - 99) == pytest.approx(math.log(8.0) / BANDWIDTH + 0.2, abs=2 * STEP)
    assert found[-1] is None


def test_efforts_between_the_levels_neither_begin_nor_end_a_contact(arm):
    q = np.full(7, 0.4)

    def level(value, count):
        return np.tile([0.0, 0, value, 0, 0, 0, 0], (count, 1))

    make = sd.ContactDetector(sd.LoadObserver(arm, bandwidth=BANDWIDTH), floor=2.0, release=0.5)
    loads = np.concatenate([level(1.5, 400), level(3.0, 100), level(1.5, 400), level(0.5, 400)])
    found = [bool(contact) for contact in at_rest(make, arm, q, loads)]
    assert not any(found[:400])
    assert all(found[430:900])
    assert not any(found[-100:])
    assert sum(a != b for a, b in zip(found, found[1:], strict=False)) == 2


@pytest.mark.parametrize('seed', range(3))
def test_a_force_on_a_link_is_located_there(arm, seed):
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1.5, 1.5, 7)
    for body, name in enumerate(arm.body_names):
        jacobian = sd.frame_jacobian(arm, q, name, 'hybrid')
        point = 0.15 * rng.normal(size=3)
        force = rng.normal(size=3)
        force *= 60.0 / np.linalg.norm(force)
        load = jacobian.T @ np.concatenate([np.cross(point, force), force])
        detector = sd.ContactDetector(sd.LoadObserver(arm, bandwidth=200.0), floor=0.01)
        found = at_rest(detector, arm, q, np.tile(load, (60, 1)))[-1]
        felt = np.flatnonzero(abs(load) > 0.005).max(initial=-1)  # of 0.01 N m half is released
        assert found.link == arm.body_names[felt]
        if body == 6:
            # seven joints measure the whole wrench, wherever the force acts: 1e-3 of it
            np.testing.assert_allclose(found.force, force, atol=0.06)
            torque = np.cross(point - lever_of(arm, q, name), force)
            np.testing.assert_allclose(found.torque, torque, atol=0.01)


def test_a_force_through_the_centre_of_mass_is_found_with_three_joints(arm):
    q, force = np.array([0.3, 0.9, -0.5, 1.2, 0.4, -0.6, 0.2]), np.array([20.0, -15.0, 30.0])
    lever = lever_of(arm, q, 'link_4')
    jacobian = sd.frame_jacobian(arm, q, 'link_4', 'hybrid')
    load = jacobian.T @ np.concatenate([np.cross(lever, force), force])
    detector = sd.ContactDetector(sd.LoadObserver(arm, bandwidth=200.0), floor=0.1)
    found = at_rest(detector, arm, q, np.tile(load, (60, 1)))[-1]
    assert found.link == 'link_4'
    # four joints cannot tell a torque from a force: the smallest wrench is a little smaller
    assert np.linalg.norm(found.force) <= np.linalg.norm(force) * (1 + 1e-6)
    cosine = found.force @ force / np.linalg.norm(found.force) / np.linalg.norm(force)
    assert cosine > 0.9


def test_the_branch_that_is_touched_is_found():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        model = random_model(rng, 6)
        q = rng.uniform(-1, 1, model.n)
        for body, name in enumerate(model.body_names):
            jacobian = sd.frame_jacobian(model, q, name)
            load = jacobian.T @ (50.0 * rng.normal(size=6))
            detector = sd.ContactDetector(sd.LoadObserver(model, bandwidth=300.0), floor=1e-3)
            found = at_rest(detector, model, q, np.tile(load, (40, 1)))[-1]
            if found is None:
                assert abs(load).max(initial=0.0) < 1e-3
                continue
            # the link found explains the load, and is on the way to the one that is touched
            way = []
            while body >= 0:
                way.append(model.body_names[body])
                body = model.parents[body]
            assert found.link in way


@pytest.mark.parametrize('seed', range(3))
def test_a_model_error_stays_below_the_threshold_without_acceleration(arm, seed):
    """Every inertia parameter off by 5 %: at constant velocity no contact, whatever the signs."""
    rng = np.random.default_rng(seed)
    real = abs(sd.inertial_parameters(arm))
    signs = rng.choice([-0.05, 0.05], real.shape)
    detector = sd.ContactDetector(
        sd.LoadObserver(arm, bandwidth=30.0), floor=1e-3, model_error=0.05
    )
    q, qd = rng.uniform(-1, 1, 7), rng.uniform(-0.5, 0.5, 7)
    parameters = sd.inertial_parameters(arm) + signs * real
    for i in range(200):
        position = q + STEP * i * qd
        jet = np.stack([position, qd, np.zeros(7)])
        effort = sd.regressor(arm, jet)[0] @ parameters
        assert detector.update(STEP * i, position, qd, effort) is None
        ratio = abs(detector.observer.effort) / detector.threshold
    assert ratio.max() > 0.2  # the bound is not idle


def test_the_threshold_at_rest_is_that_of_errors_of_gravity(arm):
    jet = np.outer([1.0, 0.0, 0.0], np.linspace(-1.0, 1.0, 7))
    detector = sd.ContactDetector(sd.LoadObserver(arm), floor=1.0, model_error=0.05)
    detector.update(0.0, *jet[:2], sd.gravity_forces(arm, jet[0]))
    size = abs(sd.regressor(arm, jet)[0]) @ abs(sd.inertial_parameters(arm))
    np.testing.assert_allclose(detector.threshold, 1.0 + 0.05 * size, rtol=1e-12)


def test_noise_alone_makes_no_contact_and_moves_the_threshold(arm):
    rng = np.random.default_rng(1)
    observer = sd.LoadObserver(arm, bandwidth=30.0, effort_deviation=2.0)
    detector = sd.ContactDetector(observer, floor=0.01, deviations=5.0)
    q = rng.uniform(-1, 1, 7)
    loads = 2.0 * rng.normal(size=(2000, 7))
    # 2000 samples of 7 joints above 5 standard deviations: probability below 1e-2
    assert not any(at_rest(detector, arm, q, loads))
    deviation = np.sqrt(np.diag(observer.covariance))
    np.testing.assert_allclose(detector.threshold, 0.01 + 5.0 * deviation, rtol=1e-12)
    assert abs(observer.effort).max() > 0.1 * deviation.max()


def test_the_strongest_sample_is_kept_and_the_begin_stays(arm):
    q, load = np.full(7, 0.4), np.zeros((120, 7))
    load[:, 2] = 6.0 * np.sin(np.linspace(0, np.pi, 120))
    detector = sd.ContactDetector(sd.LoadObserver(arm, bandwidth=200.0), floor=1.0)
    found = [contact for contact in at_rest(detector, arm, q, load) if contact]
    assert len({contact.begin for contact in found}) == 1
    last = found[-1]
    assert last.time == pytest.approx(STEP * 60, abs=2 * STEP)
    assert last.strength == pytest.approx(6.0, rel=0.02)
    assert last.effort[2] == pytest.approx(6.0, rel=0.02)


def test_reset_forgets_the_contact_and_the_samples(arm):
    q = np.full(7, 0.4)
    detector = sd.ContactDetector(sd.LoadObserver(arm), floor=1.0)
    assert at_rest(detector, arm, q, np.full((50, 7), 5.0))[-1]
    detector.reset()
    assert detector.contact is None
    assert not any(at_rest(detector, arm, q, np.zeros((50, 7))))


def test_a_bad_sample_leaves_the_detector_as_it_was(arm):
    q = np.full(7, 0.4)
    detector = sd.ContactDetector(sd.LoadObserver(arm), floor=1.0, model_error=0.05)
    before = at_rest(detector, arm, q, np.full((50, 7), 5.0))[-1]
    level = detector.threshold
    for error, text, arguments in (
        (InputError, 'time: expected more than', (0.0, q, q, q)),
        (ShapeError, r'qd: expected shape \(7,\)', (9.0, q, q[:3], q)),
        (NotFiniteError, 'overflow', (9.0, q, q + 1e200, q)),
    ):
        with pytest.raises(error, match=text):
            detector.update(*arguments)
    assert detector.contact is before
    assert (detector.threshold == level).all()
    assert detector.update(9.0, q, 0.0 * q, q) is not None


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        ({'floor': 0.0}, 'floor: expected numbers above 0, got 0'),
        ({'floor': [1.0, 2.0]}, r'floor: expected shape \(\) or \(7,\)'),
        ({'deviations': -1.0}, 'deviations: expected a finite number of 0 or more, got -1'),
        ({'model_error': float('nan')}, 'model_error: expected a finite number'),
        ({'release': 0.0}, 'release: expected a finite number above 0, got 0'),
        ({'release': 1.5}, 'release: expected a number up to 1, got 1.5'),
        ({'hold': -1}, 'hold: expected a finite number of 0 or more, got -1'),
    ],
)
def test_bad_settings_are_named(arm, arguments, text):
    with pytest.raises(InputError, match=text):
        sd.ContactDetector(sd.LoadObserver(arm), **arguments)


def test_a_detector_needs_an_observer(arm):
    with pytest.raises(InputError, match='observer: expected a LoadObserver, got'):
        sd.ContactDetector(arm)
