# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""One least squares of many recordings: against NumPy on all equations, bands, outliers, drift."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from fleet_functions import ARM
from helpers.recordings import V0, drawn
from scipy.special import ndtri, stdtrit

import screw_dynamics as sd
from screw_dynamics.errors import InputError, RecordingWarning, UnknownNameError
from screw_dynamics.fleet import Record, combine, identify, identify_part

OPTIONS = {'coulomb_velocity': V0, 'smoothing_time': 0.04}
NAMES = tuple(f'{kind}_{i}.viscous' for kind in 'ab' for i in range(3))
TRUTH = np.arange(1.0, 7.0)


@pytest.fixture(scope='module')
def recordings():
    arm = sd.read_urdf(ARM)
    return [drawn(arm, seed, seconds=8.0)[0] for seed in range(3)]


def equations(rng, truth, offset, samples=300, correlation=0.0):
    """Return equations (T, P + 2) of slow and fast columns and an offset, and the right side."""
    drawn = rng.normal(size=(samples, len(truth)))
    columns = 0.05 * np.cumsum(drawn, axis=0) + 0.2 * drawn
    noise = rng.normal(size=samples)
    for t in range(1, samples):
        noise[t] = correlation * noise[t - 1] + np.sqrt(1.0 - correlation**2) * noise[t]
    return np.column_stack((columns, np.ones(samples), columns @ truth + offset + noise))


def part(table, path, windows=15, begin=0.0):
    """Return the part of some equations, as `identify_part` does of a recording."""
    parts = [np.linalg.qr(rows, mode='r') for rows in np.array_split(table, windows)]
    columns = dict(zip((*NAMES, 'a.offset', 'effort'), np.vstack(parts).T, strict=True))
    numbers = np.repeat(np.arange(windows), [len(rows) for rows in parts])
    return Record(path, {'begin': begin}, {**columns, 'window': numbers})


def fleet(seed, count, truth=TRUTH, windows=15, **how):
    """Return tables and parts of recordings, truths by their number if it is a function."""
    rng = np.random.default_rng(seed)
    of = truth if callable(truth) else lambda k: truth
    tables = [equations(rng, of(k), rng.normal(), **how) for k in range(count)]
    hours = 3600.0 * np.arange(count) + 1e9
    parts = [part(table, f'{k:04d}', windows, hours[k]) for k, table in enumerate(tables)]
    return tables, parts


def test_one_part_tells_what_identify_tells(recordings):
    found = combine([identify_part(ARM, recordings[0], windows=15, **OPTIONS)])
    alone = sd.identify(sd.read_urdf(ARM), recordings[0], **OPTIONS)
    assert found.names == alone.names
    np.testing.assert_allclose(found.values, alone.values, rtol=1e-9)
    root = found.solution.root
    np.testing.assert_allclose(root.T @ root, alone.root.T @ alone.root, rtol=1e-9, atol=1e-6)
    # some other windows of the same errors
    assert np.all(np.abs(np.log(found.standard_deviations / alone.standard_deviations)) < 0.7)


def test_parts_have_the_least_squares_of_all_weighted_equations(recordings):
    """To 1e-12 of columns of size 1, whose condition is some tens."""
    arm, rows, sides = sd.read_urdf(ARM), [], []
    for k, recording in enumerate(recordings):
        alone = sd.identify(arm, recording, offsets=True, **OPTIONS)
        jets, weights = alone.shares.jets, alone.weights
        rest = weights * (alone.shares.measured - sd.inverse_dynamics(arm, jets)[:, 0])
        for j in range(2):
            q, v, a = jets[:, :, j].T
            own = np.zeros((len(q), 6 + 6))
            own[:, 6 + 2 * k + j] = 1.0
            own[:, [j, 2 + j, 4 + j]] = np.column_stack((v, np.tanh(v / V0), a))
            rows.append(own * weights[:, [j]])
            sides.append(rest[:, j])
    matrix, right = np.vstack(rows), np.concatenate(sides)
    sizes = np.linalg.norm(matrix, axis=0)
    expected = np.linalg.lstsq(matrix / sizes, right, rcond=None)[0]
    parts = [identify_part(ARM, one, offsets=True, **OPTIONS) for one in recordings]
    parts = [dataclasses.replace(one, path=str(k)) for k, one in enumerate(parts)]
    found = combine(parts)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found.values * sizes[:6], expected[:6], rtol=0, atol=1e-12 * scale)
    offsets = [row[1] for k in range(3) for row in found.of(str(k))[:2]]
    np.testing.assert_allclose(offsets * sizes[6:], expected[6:], rtol=0, atol=1e-12 * scale)


def test_a_thousand_recordings_in_any_order_have_the_least_squares_of_numpy():
    tables, parts = fleet(0, 1000, windows=3, samples=60)
    found = combine(parts, per_recording=())
    every = np.vstack(tables)
    sizes = np.linalg.norm(every[:, :-1], axis=0)
    expected = np.linalg.lstsq(every[:, :-1] / sizes, every[:, -1], rcond=None)[0] / sizes
    np.testing.assert_allclose(found.values, expected, rtol=1e-12)
    rng = np.random.default_rng(1)
    shuffled = combine([parts[k] for k in rng.permutation(1000)], per_recording=())
    assert shuffled.values.tobytes() == found.values.tobytes()
    assert shuffled.covariance.tobytes() == found.covariance.tobytes()


@pytest.mark.parametrize('per_robot', [(), NAMES[:2]])
@pytest.mark.parametrize('windows', [1, 3])
def test_own_parameters_and_bands_are_those_of_block_columns(windows, per_robot):
    """Bell and McCaffrey (2002) on all equations, to 1e-9: roots of 1 - H lose half the digits."""
    tables, parts = fleet(7, 5, windows=windows, samples=60)
    robots = ['one', 'one', 'two', 'two', 'two']
    whole = combine(parts, per_robot=per_robot, robots=robots)
    many, own = len(per_robot), len(whole.names)
    columns, right = np.zeros((300, own + 2 * many + 5)), np.concatenate(tables)[:, -1]
    for k, table in enumerate(tables):
        rows, robot = slice(60 * k, 60 * k + 60), robots[k] == 'two'
        columns[rows, own + robot * many : own + robot * many + many] = table[:, :many]
        columns[rows, :own], columns[rows, own + 2 * many + k] = table[:, many:6], table[:, 6]
    inverse = np.linalg.inv(columns.T @ columns)
    values = np.linalg.lstsq(columns, right, rcond=None)[0]
    for k, robot in enumerate(robots):
        first = own + (robot == 'two') * many
        expected = [values[own + 2 * many + k], *values[first : first + many], *values[:own]]
        found = [value for _, value, _ in whole.of(f'{k:04d}')]
        np.testing.assert_allclose(found, expected, rtol=1e-11)
    left = np.eye(300) - columns @ inverse @ columns.T
    gains = np.zeros((own, 300, 5 * windows))
    for k, part in enumerate(np.array_split(np.arange(300), 5 * windows)):
        sizes, axes = np.linalg.eigh(left[np.ix_(part, part)])
        told = np.where(sizes > 1e-9, np.maximum(sizes, 1e-3), np.inf) ** -0.5
        gains[:, part, k] = (axes * told @ axes.T @ columns[part] @ inverse[:, :own]).T
    expected = gains.transpose(0, 2, 1) @ left @ gains
    freedom = np.trace(expected, axis1=1, axis2=2) ** 2 / (expected**2).sum(axis=(1, 2))
    sums = gains.transpose(0, 2, 1) @ left @ right
    found = whole.solution.solved(0)
    np.testing.assert_allclose(found.freedom[-own:], freedom, rtol=1e-9)
    wider = stdtrit(freedom, 0.975) / ndtri(0.975)
    covariance = np.outer(wider, wider) * (sums @ sums.T)
    np.testing.assert_allclose(found.covariance[-own:, -own:], covariance, rtol=1e-9)


def test_bands_hold_the_parameters_of_correlated_errors():
    """95 % of 600 numbers, which are not all independent: 3 standard deviations."""
    inside = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        tables = [equations(rng, TRUTH, 1.0, 800, correlation=0.7) for _ in range(3)]
        found = combine([part(table, str(k)) for k, table in enumerate(tables)])
        inside.append(np.abs(found.values - TRUTH) < 1.96 * found.standard_deviations)
    assert 0.92 < np.mean(inside) < 0.98


def test_what_no_recording_tells_has_no_band():
    tables, _ = fleet(3, 4)
    for table in tables:
        table[:, 2] = 2.0 * table[:, 1]  # only together
        table[:, 3] = 0.0
    tables[1][:, 6] = 0.0
    found = combine([part(table, str(k)) for k, table in enumerate(tables)])
    unknown = np.isinf(found.standard_deviations)
    assert unknown[3] and unknown[[1, 2]].sum() == 1 and unknown.sum() == 2
    lines = [line.split() for line in str(found).splitlines() if 'viscous' in line]
    assert [line[1:3] == ['-', 'unknown'] for line in lines] == unknown.tolist()
    assert np.isinf(found.of('1')[0][2]) and np.isfinite(found.of('2')[0][2])


@pytest.mark.parametrize('seed', range(5))
def test_outlying_recordings_and_robots_are_named(seed):
    odd = lambda k: TRUTH * (1.2 if k in (3, 9) else 1.0)  # noqa: E731
    assert set(combine(fleet(seed, 20, odd)[1]).outlying) == {'0003', '0009'}
    assert combine(fleet(seed, 20)[1]).outlying == ()
    heavy = lambda k: TRUTH * (1.2 if k % 6 == 2 else 1.0)  # noqa: E731
    robots = [f'robot_{k % 6}' for k in range(24)]
    assert combine(fleet(seed, 24, heavy)[1], robots=robots).outlying_robots == ('robot_2',)


def test_friction_that_grows_is_told_from_friction_that_varies(tmp_path):
    growing = lambda k: TRUTH + 0.05 * k * np.eye(6)[1]  # noqa: E731
    drift = combine(fleet(4, 20, growing)[1]).drift()
    assert drift.significant == (NAMES[1],) and drift.unit == 's'
    near = [trend._replace(probability=0.06) for trend in drift.trends]
    assert not dataclasses.replace(drift, trends=near).significant
    trend = drift.trends[1]
    assert abs(trend.rate * 3600.0 - 0.05) < 3.0 * 3600.0 * trend.standard_deviation
    two = combine(fleet(4, 2, growing)[1]).drift()
    assert not two.significant and np.isinf(two.trends[1].standard_deviation)
    (axes,) = drift.plot().axes
    assert axes.get_title(loc='left').startswith(f'{NAMES[1]}: ')
    bars = np.array(axes.containers[0].lines[2][0].get_segments())[:, :, 1]
    np.testing.assert_allclose(np.ptp(bars, axis=1), 3.92 * drift.deviations[:, 1], rtol=1e-3)
    # of 20 fleets with friction that varies to and fro: one by chance, 5 in one of 400 draws
    rng, false = np.random.default_rng(5), 0
    for seed in range(20):
        steps = 0.1 * rng.normal(size=12)
        parts = fleet(seed, 12, lambda k, steps=steps: TRUTH + steps[k] * np.eye(6)[1])[1]
        false += bool(combine(parts).drift().significant)
    assert false <= 4


def test_a_fleet_of_files_is_the_combination_of_its_parts(tmp_path, recordings):
    pytest.importorskip('pyarrow')
    paths = []
    for k, one in enumerate(recordings[:2]):
        paths.append(tmp_path / f'{k}.npz')
        np.savez(paths[-1], joint_names=one.joint_names, times=one.times, positions=one.positions,
                 efforts=one.efforts)  # fmt: skip
    lost = tmp_path / 'lost.npz'
    found = identify(ARM, [*paths, lost], jobs=1, output=tmp_path / 'out', **OPTIONS)
    (failed,) = found.failed
    assert failed.path == str(lost) and 'No such file' in failed.error
    assert str(failed.error) in str(found) and '2 recordings' in str(found)
    again = identify(ARM, [lost, *paths[::-1]], jobs=1, **OPTIONS)
    np.testing.assert_array_equal(again.values, found.values)
    np.testing.assert_array_equal(again.bands, found.bands)
    one = found.identification(ARM, recordings[0], offsets=True, **OPTIONS)
    own = [one.names.index(name) for name in found.names]
    np.testing.assert_array_equal(one.values[own], found.values)
    np.testing.assert_array_equal(one.covariance[np.ix_(own, own)], found.covariance)
    assert not np.delete(one.covariance[own], own, axis=1).any()
    root = one.root[:, own]
    np.testing.assert_allclose(root.T @ root, found.solution.root.T @ found.solution.root)
    assert one.robot().drives is not None


def test_parts_that_differ_or_have_all_failed_are_refused(recordings):
    parts = [identify_part(ARM, recordings[0], **{**OPTIONS, 'coulomb_velocity': v}) for v in (
        0.01, 0.02)]  # fmt: skip
    with pytest.raises(InputError, match=r'joint_1.coulomb_velocity: expected one .* 0.01 in'):
        combine(parts)
    with pytest.raises(InputError, match=r'expected one that has not failed, got 1: broken'):
        combine([Record('a', error='broken')])
    with pytest.raises(InputError, match=r'robots: expected 1 names, one per part, got 2'):
        combine(parts[:1], robots=['a', 'b'])
    with pytest.raises(UnknownNameError, match="parameter 'viscos': expected one of"):
        combine(parts[:1], per_robot=['viscos'])


def test_copies_are_left_out_and_other_robots_refused():
    first, second = fleet(3, 2)[1]
    copy = dataclasses.replace(first, path='copy')
    with pytest.warns(RecordingWarning, match='copy: left out: it has the samples of 0000'):
        found = combine([first, second, copy])
    assert found.warnings[0] in str(found) and len(found.records) == 2
    np.testing.assert_array_equal(found.bands, combine([first, second]).bands)
    other = {f'other_{name}': column for name, column in first.columns.items()}
    other |= {name: first.columns[name] for name in ('effort', 'window')}
    strange = dataclasses.replace(first, path='strange', columns=other)
    with pytest.raises(InputError, match='no common parameter of 0000 and strange'):
        combine([first, strange])
