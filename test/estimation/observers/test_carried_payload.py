# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads that are picked up in motion, and contacts that are none."""

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.estimation.observers.carried_payload import PayloadWatch

STEP, PICKED = 0.01, 1.0
MASS, CENTRE = 2.0, np.array([0.03, -0.02, 0.12])


def robot(name):
    return sd.read_urdf(sd.share_path(f'urdf/{name}.urdf'))


def motion(model, seconds):
    """Return times (T,) and joint jets (T, 3, n) of a motion of all joints."""
    rng = np.random.default_rng(0)
    times = np.arange(0.0, seconds, STEP)
    size, rate, phase = rng.uniform(0.2, 0.5, (3, model.n)) * [[1.0], [4.0], [9.0]]
    angle = rate * times[:, np.newaxis] + phase
    rows = size * np.sin(angle), size * rate * np.cos(angle), -size * rate**2 * np.sin(angle)
    return times, np.stack(rows, axis=1)


def found(model, loads, *, noise=0.0, seconds=8.0, frame=''):
    """Return (time, load) as found, and whether contacts are, for efforts of a time and a jet."""
    times, jets = motion(model, seconds)
    observer = sd.LoadObserver(
        model, bandwidth=50.0, effort_deviation=noise, velocity_deviation=0.01 * noise
    )
    detector = sd.ContactDetector(observer, floor=1.0, model_error=0.02)
    watch, rng = PayloadWatch(detector, frame), np.random.default_rng(7)
    offers, touched = [], False
    for time, jet in zip(times, jets, strict=True):
        effort = sd.inverse_dynamics(model, jet)[0] - loads(time, jet)
        of_effort, of_velocity = noise * rng.normal(size=(2, model.n)) * [[1.0], [0.01]]
        contact = detector.update(time, jet[0], jet[1] + of_velocity, effort + of_effort)
        touched |= contact is not None
        load = watch.update(time)
        if load is not None:
            offers.append((time, load))
    return offers, touched


def picked(model, link, mass=MASS, com=CENTRE, dropped=np.inf):
    """Return the efforts of a load that is carried from `PICKED` to `dropped` [s]."""
    loaded = model.with_payload(link, mass, com, np.diag([2e-3, 2e-3, 1e-3]))

    def efforts(time, jet):
        if not PICKED <= time < dropped:
            return np.zeros(model.n)
        return sd.inverse_dynamics(model, jet)[0] - sd.inverse_dynamics(loaded, jet)[0]

    return efforts


@pytest.mark.parametrize(('name', 'noise'), [('iiwa14', 0.0), ('panda', 0.3)])
def test_a_load_that_is_picked_up_in_motion_is_offered_once(name, noise):
    model = robot(name)
    link = model.body_names[-1]
    ((time, load),), _ = found(model, picked(model, link), noise=noise, frame=link)
    assert PICKED + 2.5 < time < PICKED + 5.0
    assert load.frame == link
    # four deviations, and 0.5 % for what is between filters
    assert abs(load.mass - MASS) < 4.0 * load.mass_deviation + 0.005 * MASS
    assert (np.abs(load.com - CENTRE) < 4.0 * load.com_deviations + 1e-3).all()
    assert load.mass_deviation < 0.1 * MASS


def test_the_link_is_found_and_another_frame_has_its_own_axes():
    model = robot('iiwa14')
    link = model.body_names[-1]
    ((_, load),), _ = found(model, picked(model, link))
    assert load.frame == link
    frame = next(name for name, one in model.frames.items() if one.body == 6 and name != link)
    ((_, other),), _ = found(model, picked(model, link), frame=frame)
    pose = model.frame(frame).pose
    np.testing.assert_allclose(pose[:3, :3] @ other.com + pose[:3, 3], load.com, atol=1e-9)


def test_what_no_motion_shows_of_a_centre_is_zero():
    model = robot('planar_2r')
    ((_, load),), _ = found(model, picked(model, 'link_2', com=[0.4, 0.0, 0.3]))
    seen = np.abs(load.com) > 0.01
    assert seen.sum() == 1
    assert load.mass == pytest.approx(MASS, rel=0.01)


def test_a_load_that_is_dropped_and_another_one_are_two():
    model = robot('iiwa14')
    link = model.body_names[-1]
    first, second = picked(model, link, dropped=6.0), picked(model, link, mass=3.0)
    offers, _ = found(
        model, lambda t, jet: first(t, jet) + (second(t, jet) if t > 8.0 else 0.0), seconds=16.0
    )
    assert [load.mass for _, load in offers] == pytest.approx([2.0, 3.0], rel=0.02)


def pulled(model, force, axes):
    """Return the efforts of a force [N] at the last link in axes of it, or of the base."""
    link = model.body_names[-1]

    def efforts(time, jet):
        if time < PICKED:
            return np.zeros(model.n)
        rotation = sd.frame_pose(model, jet[0], link)[:3, :3] if axes == 'link' else np.eye(3)
        jacobian = sd.frame_jacobian(model, jet[0], link, 'hybrid')[3:]
        acting = force(time, jacobian @ jet[1]) if callable(force) else np.array(force)
        return jacobian.T @ (rotation @ acting)

    return efforts


@pytest.mark.parametrize(
    ('force', 'axes'),
    [
        pytest.param([20.0, 0.0, 0.0], 'base', id='rope'),
        pytest.param([0.0, 0.0, 20.0], 'base', id='lift'),
        pytest.param([10.0, 0.0, -15.0], 'base', id='oblique'),
        pytest.param([0.0, 0.0, -25.0], 'link', id='tool'),
        pytest.param([15.0, 10.0, 0.0], 'link', id='cutting'),
        pytest.param(lambda t, v: -60.0 * v, 'base', id='drag'),
        pytest.param(lambda t, v: np.array([0, 0, -40 * np.sin(t) ** 2]), 'base', id='leaning'),
        pytest.param(
            lambda t, v: np.array([0, 0, -30.0 if t % 2 < 1 else 0.0]), 'base', id='taps'
        ),
    ],
)
def test_other_contacts_are_no_payload(force, axes):
    model = robot('iiwa14')
    offers, touched = found(model, pulled(model, force, axes), noise=0.2)
    assert touched and not offers


def test_noise_and_rest_are_no_payload():
    model = robot('iiwa14')
    assert not found(model, lambda time, jet: np.zeros(7), noise=1.0)[0]
    # at rest a load may as well be a support: it is offered when the robot moves
    q, rest = np.full(7, 0.4), np.zeros(7)
    detector = sd.ContactDetector(sd.LoadObserver(model, bandwidth=50.0))
    watch = PayloadWatch(detector)
    load = picked(model, model.body_names[-1])(PICKED, np.stack([q, rest, rest]))
    for i in range(300):
        contact = detector.update(STEP * i, q, rest, sd.gravity_forces(model, q) - load * (i > 9))
        assert watch.update(STEP * i) is None
    assert contact is not None
