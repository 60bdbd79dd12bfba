# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters from simulated recordings: values, error bars, and recordings that cannot be used."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from oracles.random_models import random_model

import screw_dynamics as sd
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    ShapeError,
    TrajectoryError,
    UnknownNameError,
)
from screw_dynamics.identification import Recording, identify
from screw_dynamics.identification.consistency import Cones, consistent
from screw_dynamics.identification.least_squares import cosine_windows, fit
from screw_dynamics.identification.pseudo_inertia import UPPER, pseudo_inertias
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


def random_robot(seed):
    """Return a tree of four joints drawn at random, with prismatic and mimic ones among them."""
    return random_model(np.random.default_rng(seed), 4)


def band_hits(model, seed, payload, seconds):
    """Return whether the bands of all parameters that are known hold them."""
    measured, drives = drawn(model, seed, payload, seconds)
    frame, mass, com, inertia = payload
    found = identify(model, measured, payload=frame)
    about_frame = inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
    truth = np.concatenate((drives.parameters, [mass], mass * com, about_frame[UPPER]))
    low, high = found.bands.T
    known = np.isfinite(found.standard_deviations)
    return ((low <= truth) & (truth <= high))[known]


def robot_of_bands(kind, seed, planar, iiwa):
    """Return a robot, its load, and the duration of a recording."""
    if kind == 'planar':
        return planar, ('tool', 0.5, COM, np.zeros((3, 3))), 15.0
    inertia = np.diag([1e-3, 2e-3, 1.5e-3])
    if kind == 'iiwa':
        return iiwa, ('flange', 1.0, COM, inertia), 20.0
    model = random_robot(seed)
    return model, (model.body_names[-1], 0.7, COM, inertia), 20.0


@pytest.mark.parametrize('kind', ['planar', 'iiwa', 'random'])
@pytest.mark.parametrize('count', [10, pytest.param(150, marks=pytest.mark.long)])
def test_parameters_are_within_their_bands(planar, iiwa, kind, count):
    """
    95 % of all of them, with robots, motions, drives and noise drawn at random.

    Within 2 %, as the guide states; few recordings also within four standard deviations of the
    mean of their shares: those of different recordings are independent, while parameters of one
    are correlated. Seeds from 1000 on served to choose the windows.
    """
    shares = []
    for seed in range(9000, 9000 + count):
        model, payload, seconds = robot_of_bands(kind, seed, planar, iiwa)
        shares.append(np.mean(band_hits(model, seed, payload, seconds)))
    few = 4.0 * np.std(shares) / np.sqrt(count) * (count < 100)
    assert abs(np.mean(shares) - 0.95) < 0.02 + few


def test_windows_are_a_partition_of_unity():
    """The squares of the weights add to 1 at all times, of samples at any distances too."""
    times = np.sort(np.random.default_rng(0).uniform(3.0, 20.0, 500))
    total = np.zeros(500)
    for part, weights in cosine_windows(times, 0.9):
        total[part] += weights**2
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)


def test_errors_that_cancel_each_other_do_not_widen_bands():
    """
    Residuals that are second differences of white noise, as those of accelerations.

    The bands are compared with the scatter of the parameters in 200 draws: 1.1 times, of which
    Student's distribution makes 1.04; windows with sharp ends make it 7 times.
    """
    rng = np.random.default_rng(0)
    times = 0.01 * np.arange(1500)
    rows = np.stack((np.sin(2.0 * times), np.cos(3.0 * times)), axis=1)[:, np.newaxis]
    windows = cosine_windows(times, 0.3)
    found = []
    for _ in range(200):
        rest = np.diff(rng.normal(size=1502), n=2)[:, np.newaxis]
        line = fit(lambda part: rows[part], rest, np.zeros_like(rest), windows)
        found.append((line.values, np.sqrt(np.diag(line.covariance))))
    values, deviations = np.transpose(found, (1, 0, 2))
    ratio = np.sqrt(np.mean(deviations**2, axis=0)) / values.std(axis=0)
    assert (ratio < 1.3).all() and (ratio > 0.8).all()


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

    @pytest.mark.parametrize('value', [0.0, 3.3])
    def test_efforts_that_were_not_measured(self, iiwa, good, value):
        efforts = good.efforts.copy()
        efforts[:, 3] = value
        text = f"'joint_4': expected measured efforts, got {value:g} all the time"
        self.refused(iiwa, self.changed(good, efforts=efforts), text)

    def test_efforts_that_are_missing_for_a_while(self, iiwa, good):
        efforts = good.efforts.copy()
        efforts[1000:1400] = 0.0
        text = 'got 0 all the time from 5 s to 6.995 s'
        self.refused(iiwa, self.changed(good, efforts=efforts), text)

    def test_efforts_that_are_noise(self, iiwa, good):
        efforts = 0.1 * np.random.default_rng(0).normal(size=good.efforts.shape)
        self.refused(iiwa, self.changed(good, efforts=efforts), 'or no measured efforts')

    @pytest.mark.parametrize('back, text', [(3.0, 'one motion.*jump back'), (0.05, 'a jump at')])
    def test_time_stamps_that_jump_back(self, iiwa, good, back, text):
        times = np.where(good.times < 10.0, good.times, good.times - back)
        self.refused(iiwa, self.changed(good, times=times), text)

    def test_time_stamps_that_jump_ahead(self, iiwa, good):
        times = np.where(good.times < 10.0, good.times, good.times + 5.0)
        with pytest.raises(TrajectoryError, match='nothing was recorded for 5.005 s after 9.995'):
            identify(iiwa, self.changed(good, times=times))

    @pytest.mark.parametrize('unit', [1e3, 1e9])
    def test_time_stamps_in_another_unit(self, iiwa, good, unit):
        self.refused(iiwa, self.changed(good, times=unit * good.times), 'are the times in s?')

    def test_positions_that_jump(self, iiwa, good):
        positions = good.positions.copy()
        positions[2000, 1] += 0.5
        text = "'joint_2': expected positions of a smooth motion, got a jump at 10 s"
        self.refused(iiwa, self.changed(good, positions=positions), text)

    def test_positions_that_are_held_for_a_while(self, iiwa, good):
        positions = good.positions.copy()
        positions[1000:1400] = positions[1000]
        text = 'expected positions of a smooth motion, got a jump at (6.995|7) s'
        self.refused(iiwa, self.changed(good, positions=positions), text)

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


@pytest.mark.parametrize('order', ['shuffled', 'backwards', 'twice'])
def test_order_of_the_samples_does_not_matter(planar, order):
    """Nor does a sample that was recorded twice: neither parameters nor bands change."""
    measured, _ = drawn(planar, 7, seconds=15.0)
    count = len(measured.times)
    rows = {
        'shuffled': np.random.default_rng(0).permutation(count),
        'backwards': np.arange(count)[::-1],
        'twice': np.repeat(np.arange(count), 2),
    }[order]
    columns = (measured.times[rows], measured.positions[rows], measured.efforts[rows])
    same = identify(planar, Recording(measured.joint_names, *columns))
    found = identify(planar, measured)
    np.testing.assert_allclose(same.values, found.values, rtol=1e-6)
    known = np.isfinite(found.standard_deviations)
    np.testing.assert_allclose(same.bands[known], found.bands[known], rtol=1e-6)


def test_stamps_of_coarse_clocks_and_lost_samples(planar):
    """Several samples at one instant, or half of them lost at random: the bands remain honest."""
    measured, drives = drawn(planar, 9, seconds=15.0)
    kept = np.random.default_rng(0).random(len(measured.times)) < 0.5
    for times, rows in ((np.round(measured.times, 2), slice(None)), (measured.times, kept)):
        columns = (times[rows], measured.positions[rows], measured.efforts[rows])
        found = identify(planar, Recording(measured.joint_names, *columns))
        away = np.abs(found.values - drives.parameters) / found.standard_deviations
        assert away.max() < 4.0


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


@pytest.mark.parametrize('seed', range(3))
def test_robots_drawn_at_random(seed):
    """Friction, rotors and a load at the last body, within five standard deviations."""
    model = random_robot(seed)
    load = model.body_names[-1], 1.0, COM, np.diag([1e-3, 2e-3, 1.5e-3])
    measured, drives = drawn(model, seed, load)
    found = identify(model, measured, payload=load[0])
    known = np.isfinite(found.standard_deviations[: 3 * model.n])
    assert known.sum() >= 3 * model.n - 1
    away = np.abs(found.values[: 3 * model.n] - drives.parameters)
    assert (away < 5.0 * found.standard_deviations[: 3 * model.n])[known].all()
    if np.isfinite(found.payload.mass_deviation):
        assert abs(found.payload.mass - 1.0) < max(0.01, 5.0 * found.payload.mass_deviation)


def test_pinocchio_finds_the_same_parameters(iiwa):
    """The regressor of another library, at the same motion, by its own least squares."""
    pinocchio = pytest.importorskip('pinocchio')
    measured, drives = drawn(iiwa, 2)
    found = identify(iiwa, measured, links=True)
    motion = sd.estimation.measured_motion(measured.times, measured.positions)
    seen = found.explained(measured)
    twin = pinocchio.buildModelFromUrdf(str(sd.share_path('urdf/iiwa14.urdf')))
    data, rows = twin.createData(), []
    jets = motion.jets(seen.times, 3)
    for q, v, a in jets:
        inertial = pinocchio.computeJointTorqueRegressor(twin, data, q, v, a)
        own = (np.diag(v), np.diag(np.tanh(v / V0)), np.diag(a))
        rows.append(np.hstack((*own, inertial)))
    matrix, efforts = np.concatenate(rows), seen.measured.ravel()
    fitted = matrix @ np.linalg.lstsq(matrix, efforts, rcond=1e-9)[0]
    again = (seen.known + seen.columns @ found.values).ravel()
    # both weigh samples differently: the difference is far below the noise
    assert np.sqrt(np.mean((fitted - again) ** 2)) < 0.05 * EFFORT_NOISE
    remaining = np.sqrt(np.mean((efforts - fitted) ** 2))
    assert remaining == pytest.approx(np.sqrt(np.mean(found.residuals**2)), rel=0.01)


class TestConsistentRobot:
    """Parameters that masses and friction can have, as a robot and in its URDF."""

    def possible(self, model):
        for inertia in model.inertias:
            mass, first, rotational = sd.lie.inertia_parameters(inertia)
            assert mass > 0.0
            moment = 0.5 * np.trace(rotational) * np.eye(3) - rotational
            both = np.block([[moment, first[:, None]], [first[None], mass]])
            assert np.linalg.eigvalsh(both).min() > 0.0

    @pytest.mark.parametrize('values', [(3.0, 0.0, 1.0), (0.0, 3.0, 1.0)])
    def test_it_does_not_matter_which_of_two_alike_is_undetermined(self, values):
        cones = Cones(np.array(values), np.full(3, True), np.empty((0, 10)))
        matrix = 100.0 * np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        found = consistent(cones, matrix, matrix @ values)
        np.testing.assert_allclose(found[:2].sum(), 3.0, rtol=1e-3)
        assert found[:2].min() > 0.5

    @pytest.mark.parametrize('seed', range(2))
    def test_links_of_the_iiwa(self, iiwa, seed):
        """Two links of the description are not possible; efforts are explained all the same."""
        measured, _ = drawn(iiwa, 20 + seed)
        found = identify(iiwa, measured.between(0.0, 15.0), links=True)
        rest = measured.between(15.0, 20.0)
        np.testing.assert_allclose(
            found.validate(rest, consistent=True), found.validate(rest), rtol=0.03
        )
        robot = found.robot()
        self.possible(robot.model)
        with warnings.catch_warnings():
            warnings.simplefilter('error')  # a description that is not possible warns
            again = sd.read_urdf(found.to_urdf(sd.share_path('urdf/iiwa14.urdf')))
        np.testing.assert_allclose(again.inertias, robot.model.inertias, atol=1e-14)
        np.testing.assert_array_equal(again.friction, [j.friction.coulomb for j in robot.joints])
        np.testing.assert_array_equal(again.damping, [j.friction.viscous for j in robot.joints])
        assert again.limits == iiwa.limits

    def test_a_load_is_added_to_its_link(self, planar, tmp_path):
        source = sd.share_path('urdf/planar_2r.urdf')
        measured, drives = drawn(planar, 5, ('tool', 0.5, COM, np.zeros((3, 3))), 15.0)
        found = identify(planar, measured, payload='tool')
        robot = found.robot()
        text = found.to_urdf(source, tmp_path / 'loaded.urdf')
        assert (tmp_path / 'loaded.urdf').read_text(encoding='utf-8') == text
        again = sd.read_urdf(tmp_path / 'loaded.urdf')
        np.testing.assert_allclose(again.inertias, robot.model.inertias, atol=1e-14)
        added = again.inertias[1][3, 3] - planar.inertias[1][3, 3]
        assert added == pytest.approx(0.5, abs=0.01)
        assert text.count('<visual>') == source.read_text(encoding='utf-8').count('<visual>')
        rotors = [joint.motor.rotor_inertia for joint in robot.joints]
        np.testing.assert_allclose(rotors, drives.rotors, atol=0.05)
        assert sd.ElasticJoints.from_yaml(robot.drives.to_yaml()) == robot.drives

    def test_friction_is_never_below_zero(self, planar):
        """Without friction, noise makes about half of its estimates negative."""
        rng = np.random.default_rng(6)
        times, jets = random_motion(planar, rng, 15.0)
        efforts = sd.inverse_dynamics(planar, jets)[:, 0]
        found = identify(planar, recording(planar, rng, times, jets, efforts))
        assert (found.values < 0.0).any()
        assert (found.consistent_values > 0.0).all()
        away = np.abs(found.consistent_values - found.values) / found.standard_deviations
        assert away.max() < 5.0
        for joint in found.robot().joints:
            assert joint.motor.rotor_inertia > 0.0 and joint.friction.coulomb > 0.0

    def test_numbers_that_no_robot_has(self):
        """Negative friction and masses, impossible inertias: something possible comes out."""
        rng = np.random.default_rng(0)
        bodies = rng.normal(size=(3, 10))
        cones = Cones(np.array([-1.0, 2.0]), np.array([True, False]), bodies)
        matrix = rng.normal(size=(40, 32))
        y = consistent(cones, matrix, matrix @ np.concatenate((cones.numbers, bodies.ravel())))
        numbers, matrices = cones.split(y)
        assert numbers > 0.0
        assert np.linalg.eigvalsh(matrices).min() > 0.0
        np.testing.assert_array_equal(matrices, pseudo_inertias(y[2:].reshape(3, 10)))

    def test_errors(self, planar):
        found = identify(planar, drawn(planar, 8, seconds=15.0)[0])
        other = '<robot name="r"><link name="a"/></robot>'
        with pytest.raises(UnknownNameError, match="URDF: unknown joint 'joint_1'"):
            found.to_urdf(other)


class TestSprings:
    """Stiffness from the encoders of motors and links."""

    def elastic(self, model, seed, seconds=12.0):
        """Return a recording with motor positions, and the stiffness of the joints."""
        rng = np.random.default_rng(seed)
        times, jets = random_motion(model, rng, seconds)
        viscous, coulomb = rng.uniform(0.2, 1.0, (2, model.n))
        stiffness = rng.uniform(3e2, 3e3, model.n)
        friction = {
            name: sd.ElasticJoint(sd.LinearSpring(k), friction=sd.JointFriction(d, c, V0))
            for name, k, d, c in zip(model.joint_names, stiffness, viscous, coulomb, strict=True)
        }
        smooth = np.concatenate((jets, np.zeros((len(jets), 2, model.n))), axis=1)
        motion = sd.elastic_feedforward(model, sd.ElasticJoints(friction), smooth)
        noise = rng.normal(size=(3, len(times), model.n))
        measured = Recording(
            model.joint_names,
            times,
            jets[:, 0] + POSITION_NOISE * noise[0],
            motion.motor_effort + EFFORT_NOISE * noise[1],
            motion.motor_position + 0.01 + POSITION_NOISE * noise[2],
        )
        return measured, stiffness

    @pytest.mark.parametrize('seed', range(3))
    def test_stiffness_of_robots_drawn_at_random(self, seed):
        model = random_robot(seed)
        measured, stiffness = self.elastic(model, seed)
        found = identify(model, measured)
        assert [spring.joint for spring in found.springs] == list(model.joint_names)
        for spring, true in zip(found.springs, stiffness, strict=True):
            assert abs(spring.stiffness - true) < 5.0 * spring.deviation < 0.05 * true
            assert spring.zero == pytest.approx(0.01, abs=1e-3)
            assert found.robot().drives.joints[spring.joint].spring.stiffness == spring.stiffness
        assert f'{model.joint_names[0]}.stiffness' in str(found)
        # rotors behind springs do not move the links
        assert not any('rotor' in name for name in found.names)

    @pytest.mark.parametrize('count', [8, pytest.param(100, marks=pytest.mark.long)])
    def test_the_bands_hold_the_stiffness(self, planar, count):
        away = []
        for seed in range(count):
            measured, stiffness = self.elastic(planar, 100 + seed)
            for spring, true in zip(identify(planar, measured).springs, stiffness, strict=True):
                away.append((spring.stiffness - true) / spring.deviation)
        share = np.mean(np.abs(away) < 1.96)
        assert 0.95 - 3.0 * np.sqrt(0.95 * 0.05 / len(away)) < share

    def test_joints_without_motor_encoder(self, planar):
        measured, stiffness = self.elastic(planar, 1)
        motors = measured.motor_positions.copy()
        motors[:, 0] = np.nan
        part = Recording(
            measured.joint_names, measured.times, measured.positions, measured.efforts, motors
        )
        found = identify(planar, part)
        assert [spring.joint for spring in found.springs] == ['joint_2']
        assert [name for name in found.names if 'rotor' in name] == ['joint_1.rotor_inertia']
        assert found.robot().joints[0].spring is None

    def test_a_rigid_shaft_has_no_stiffness(self, planar):
        measured, _ = self.elastic(planar, 2)
        rng = np.random.default_rng(0)
        motors = measured.positions + POSITION_NOISE * rng.normal(size=measured.positions.shape)
        rigid = Recording(
            measured.joint_names, measured.times, measured.positions, measured.efforts, motors
        )
        found = identify(planar, rigid)
        assert all(np.isinf(spring.stiffness) for spring in found.springs)
        assert 'inf     unknown' in str(found)
        assert found.robot().joints[0].spring is None

    @pytest.mark.parametrize(
        ('change', 'text'),
        [
            (lambda q, motors: 100.0 * motors, "'joint_1'.*joint side of the gear, got 100 times"),
            (lambda q, motors: -motors, "'joint_1'.*one of both encoders is reversed"),
            (lambda q, motors: 2.0 * q - motors, "'joint_1'.*the effort or both positions are"),
        ],
    )
    def test_motor_positions_that_cannot_be(self, planar, change, text):
        measured, _ = self.elastic(planar, 3)
        bad = Recording(
            measured.joint_names,
            measured.times,
            measured.positions,
            measured.efforts,
            change(measured.positions, measured.motor_positions),
        )
        with pytest.raises(InputError, match=text):
            identify(planar, bad)
