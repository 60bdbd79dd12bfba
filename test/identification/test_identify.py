# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters from simulated recordings: values, error bars, and recordings that cannot be used."""

from __future__ import annotations

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, UnknownNameError
from screw_dynamics.identification import Recording, identify
from screw_dynamics.trajectory import Waypoints, smooth_trajectory

V0 = 0.01
POSITION_NOISE, EFFORT_NOISE = 2e-5, 0.3
COM = np.array([0.02, -0.01, 0.05])


@pytest.fixture(scope='module')
def iiwa():
    return sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))


@pytest.fixture(scope='module')
def planar():
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


def random_motion(model, rng, seconds, rate=200.0):
    """Return times and joint jets of a motion through random points, 1.5 s apart."""
    count = round(seconds / 1.5) + 1
    low, high = np.maximum(model.limits.lower, -2.0), np.minimum(model.limits.upper, 2.0)
    positions = 0.7 * rng.uniform(low, high, (count, model.n))
    free = np.full(positions.shape, np.nan)
    knots = np.linspace(0.0, seconds, count)
    curve = smooth_trajectory(Waypoints(model.joint_names, knots, positions, free, free))
    times = np.arange(0.0, seconds, 1.0 / rate)
    return times, curve.jets(times, rows=3)


class Drives:
    """Friction and rotors drawn at random, and the efforts that they add."""

    def __init__(self, model, rng):
        self.viscous, self.coulomb = rng.uniform(0.2, 1.0, (2, model.n))
        self.rotors = rng.uniform(0.05, 0.5, model.n)

    def efforts(self, jets):
        friction = self.viscous * jets[:, 1] + self.coulomb * np.tanh(jets[:, 1] / V0)
        return friction + self.rotors * jets[:, 2]

    @property
    def parameters(self):
        return np.concatenate((self.viscous, self.coulomb, self.rotors))


def recording(model, rng, times, jets, efforts):
    noise = rng.normal(size=(2, len(times), model.n))
    positions = jets[:, 0] + POSITION_NOISE * noise[0]
    return Recording(model.joint_names, times, positions, efforts + EFFORT_NOISE * noise[1])


def drawn(model, seed, payload=None, seconds=20.0, rotors=True):
    """Return a simulated recording and the drives."""
    rng = np.random.default_rng(seed)
    times, jets = random_motion(model, rng, seconds)
    drives = Drives(model, rng)
    drives.rotors *= rotors
    loaded = model if payload is None else model.with_payload(*payload)
    efforts = sd.inverse_dynamics(loaded, jets)[:, 0] + drives.efforts(jets)
    return recording(model, rng, times, jets, efforts), drives


def test_a_payload_of_one_kilogram_is_found_to_a_per_cent(iiwa):
    measured, drives = drawn(iiwa, 0, ('flange', 1.0, COM, np.zeros((3, 3))))
    found = identify(iiwa, measured, payload='flange')
    assert found.payload.mass == pytest.approx(1.0, abs=0.01)
    assert 1e-4 < found.payload.mass_deviation < 5e-3
    np.testing.assert_allclose(found.payload.com, COM, atol=3e-3)
    assert (np.abs(found.payload.com - COM) < 5.0 * found.payload.com_deviations).all()
    np.testing.assert_allclose(found.values[:21], drives.parameters, atol=0.05)
    np.testing.assert_allclose(found.noise, EFFORT_NOISE, rtol=0.05)
    np.testing.assert_allclose(found.residuals, EFFORT_NOISE, rtol=0.1)
    assert (found.before > 2.0 * found.residuals).all()
    loaded = found.with_payload()
    gravity = sd.gravity_forces(loaded, np.full(7, 0.4))
    true = iiwa.with_payload('flange', 1.0, COM, np.zeros((3, 3)))
    np.testing.assert_allclose(gravity, sd.gravity_forces(true, np.full(7, 0.4)), atol=0.05)


def test_another_recording_validates(iiwa):
    measured, _ = drawn(iiwa, 1)
    found = identify(iiwa, measured.between(0.0, 12.0))
    held_out = found.validate(measured.between(12.0, 20.0))
    np.testing.assert_allclose(held_out, EFFORT_NOISE, rtol=0.15)
    assert str(found).splitlines()[1].startswith('joint_1.viscous')


@pytest.mark.parametrize('count', [40, pytest.param(300, marks=pytest.mark.long)])
def test_parameters_are_within_their_bands(planar, count):
    """
    95 % of them, within three standard deviations of what so many draws of a binomial have.

    Parameters of one recording are correlated, so that a recording counts as one and a half draws.
    """
    inside = []
    for seed in range(count):
        measured, drives = drawn(planar, seed, ('tool', 0.5, COM, np.zeros((3, 3))), 15.0)
        found = identify(planar, measured, payload='tool')
        mass = found.names.index('payload.m')
        truth = np.append(drives.parameters, 0.5)
        low, high = found.bands[[*range(6), mass]].T
        inside.append((low <= truth) & (truth <= high))
    share = float(np.mean(inside))
    slack = 3.0 * np.sqrt(0.95 * 0.05 / (1.5 * count))
    assert 0.94 - slack < share < min(0.95 + slack, 1.0)


def test_base_parameters_of_all_links(planar):
    measured, drives = drawn(planar, 3)
    found = identify(planar, measured, links=True)
    base = sd.base_parameters(planar)
    names = found.names[6:]
    assert names == base.names
    np.testing.assert_allclose(found.residuals, EFFORT_NOISE, rtol=0.1)
    # the rotor of the first joint and the inertia of its link cannot be told apart
    known = np.isfinite(found.standard_deviations)
    assert known.sum() == len(found.names) - 1
    assert not known[[found.names.index(n) for n in ('joint_1.rotor_inertia', 'link_1 zz')]].all()
    without = drawn(planar, 3, rotors=False)[0]
    found = identify(planar, without, links=True, rotors=False)
    away = np.abs(found.values[4:] - base.values) / found.standard_deviations[4:]
    assert away.max() < 4.0


def test_what_the_motion_does_not_tell_has_no_band(planar):
    """In a plane that gravity does not pull, a mass at the axis of its joint has no effect."""
    flat = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'), gravity=(0.0, 0.0, 0.0))
    measured, _ = drawn(flat, 4)
    found = identify(flat, measured, payload='tool')
    assert np.isinf(found.standard_deviations).any()
    assert 'unknown' in str(found)


def test_offsets(planar):
    rng = np.random.default_rng(5)
    times, jets = random_motion(planar, rng, 15.0)
    efforts = sd.inverse_dynamics(planar, jets)[:, 0] + [1.5, -0.5]
    found = identify(
        planar, recording(planar, rng, times, jets, efforts), offsets=True, rotors=False
    )
    offsets = [found['joint_1.offset'], found['joint_2.offset']]
    np.testing.assert_allclose(offsets, [1.5, -0.5], atol=0.05)
    np.testing.assert_allclose(found['joint_1.viscous'], 0.0, atol=0.05)


class TestUnusableRecordings:
    @pytest.fixture(scope='class')
    def good(self, iiwa):
        return drawn(iiwa, 6)[0]

    def changed(self, good, **fields):
        kept = {name: getattr(good, name) for name in ('times', 'positions', 'efforts')}
        return Recording(good.joint_names, **(kept | fields))

    def refused(self, iiwa, measured, text):
        with pytest.raises(InputError, match=text):
            identify(iiwa, measured)

    def test_reversed_joint(self, iiwa, good):
        efforts = good.efforts * [1, 1, 1, 1, 1, -1, 1]
        self.refused(iiwa, self.changed(good, efforts=efforts), "'joint_6'.*is reversed")

    def test_swapped_joints(self, iiwa, good):
        efforts = good.efforts[:, [0, 3, 2, 1, 4, 5, 6]]
        self.refused(iiwa, self.changed(good, efforts=efforts), "'joint_2'.*'joint_4'.*swapped")

    def test_efforts_in_another_unit(self, iiwa, good):
        self.refused(
            iiwa, self.changed(good, efforts=100.0 * good.efforts), 'times those of the model'
        )

    def test_positions_in_degrees(self, iiwa, good):
        positions = np.degrees(good.positions)
        self.refused(iiwa, self.changed(good, positions=positions), 'are they in degrees')

    def test_clipped_efforts(self, iiwa, good):
        limit = 0.5 * np.abs(good.efforts).max(axis=0)
        efforts = np.clip(good.efforts, -limit, limit)
        self.refused(iiwa, self.changed(good, efforts=efforts), 'they are clipped')

    def test_a_joint_at_rest(self, iiwa, good):
        positions = good.positions.copy()
        positions[:, 4] = 0.3
        self.refused(iiwa, self.changed(good, positions=positions), "'joint_5'.*expected a motion")

    def test_a_short_recording(self, iiwa, good):
        self.refused(iiwa, good.between(0.0, 0.5), 'recording')

    def test_nothing_to_identify(self, iiwa, good):
        with pytest.raises(InputError, match='expected some parameters'):
            identify(iiwa, good, friction=False, rotors=False)

    def test_names_and_shapes(self, iiwa, good):
        with pytest.raises(UnknownNameError, match='nose'):
            identify(iiwa, good, payload='nose')
        other = Recording([f'j{i}' for i in range(7)], good.times, good.positions, good.efforts)
        with pytest.raises(UnknownNameError, match='joint_1'):
            identify(iiwa, other)
        with pytest.raises(ShapeError, match='efforts'):
            self.changed(good, efforts=good.efforts[:, :3])
        with pytest.raises(NotFiniteError, match='times'):
            self.changed(good, times=good.times * np.nan)
        with pytest.raises(InputError, match='named twice'):
            Recording(['a', 'a'], [0.0], [[0.0, 0.0]], [[0.0, 0.0]])


def test_order_of_the_columns_does_not_matter(planar):
    measured, _ = drawn(planar, 7, seconds=15.0)
    swapped = Recording(
        measured.joint_names[::-1],
        measured.times,
        measured.positions[:, ::-1],
        measured.efforts[:, ::-1],
    )
    same = identify(planar, swapped).values
    np.testing.assert_array_equal(same, identify(planar, measured).values)
