# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensions of the threads of hybrid robots: conditions of optimality, time derivatives, limits."""

import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.differences import slope
from oracles.strategies import seeds
from scipy.optimize import lsq_linear

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ModelError, ShapeError

SOFT = sd.soft
TRUNK = """
segments:
  - {name: trunk, type: TYPE, length: 0.3, radius: 0.02, mass: 0.4, youngs_modulus: 1.0e+6}
threads:
  - {name: a, offsets: {trunk: [0.015, 0.0]}, least_tension: 2.0}
  - {name: b, offsets: {trunk: [-0.008, 0.013]}, least_tension: 2.0}
  - {name: c, offsets: {trunk: [-0.007, -0.013]}, least_tension: 2.0}
"""
ARC = 'constant_curvature, elongation: false'
STRAIN = 'variable_strain, strains: {bend_x: 1, bend_y: 1}'


def trunk(kind):
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    return SOFT.append_segments(arm, TRUNK.replace('TYPE', kind))


def motion(t, order=5):
    """Return a jet of the four coordinates, of sines."""
    speeds, places = np.array([1.0, 1.3, 0.7, 0.9]), np.array([0.2, 0.4, 1.4, 0.5])
    rows = [
        speeds**d * places * np.sin(speeds * t + 0.5 * np.pi * d + [0, 1, 2, 3])
        for d in range(order)
    ]
    return np.array(rows)


def tensions_at(robot, t, rows=3):
    jet = motion(t)
    efforts = sd.inverse_dynamics(robot, jet)
    values, errors = robot.threads.tensions(jet, efforts[:rows])
    return jet, efforts, values, errors


@pytest.mark.parametrize('kind', [ARC, STRAIN])
def test_tensions_realise_the_efforts_with_the_least_norm(kind):
    robot = trunk(kind)
    for t in np.linspace(0.0, 3.0, 7):
        jet, efforts, values, errors = tensions_at(robot, t)
        matrix = np.array(
            [
                SOFT.Thread(robot, {'trunk': offset}).effort_jet(jet[:1])[0, 2:]
                for offset in ([0.015, 0.0], [-0.008, 0.013], [-0.007, -0.013])
            ]
        ).T
        np.testing.assert_allclose(matrix @ values[0], efforts[0, 2:], atol=1e-8)
        assert errors.max() < 1e-8
        assert values[0].min() >= 2.0
        # of least norm: tau - least = max(A^T y, 0) for some y (Karush, Kuhn, Tucker)
        above = values[0] - 2.0
        pulling = above > 1e-6
        multipliers = np.linalg.lstsq(matrix[:, pulling].T, above[pulling], rcond=None)[0]
        optimal = np.maximum(matrix.T @ multipliers, 0.0)
        np.testing.assert_allclose(above, optimal, rtol=0, atol=1e-6 * (1.0 + above.max()))


@pytest.mark.parametrize('kind', [ARC, STRAIN])
def test_derivatives_of_tensions_are_those_along_the_motion(kind):
    robot = trunk(kind)
    for t in (0.3, 1.1, 2.2):
        values = tensions_at(robot, t)[2]
        rates = slope(lambda h, t=t: tensions_at(robot, t + h)[2], 1e-4)
        # rounding of the tensions (1e-10 by the least-norm term) over the step
        scale = 1.0 + np.abs(values).max()
        np.testing.assert_allclose(values[1:], rates[:-1], rtol=0, atol=2e-5 * scale)


def limited(*rows):
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    threads = ''.join(
        f'  - {{name: t{i}, offsets: {{trunk: [{x!r}, {y!r}]}}, least_tension: {low!r}, '
        f'most_tension: {high!r}}}\n'
        for i, (x, y, low, high) in enumerate(rows)
    )
    return SOFT.append_segments(
        arm, TRUNK.replace('TYPE', ARC).partition('threads:')[0] + 'threads:\n' + threads
    )


def test_a_thread_at_its_upper_limit_leaves_the_rest_to_another():
    """Two threads at the same side: without its limit one takes four fifths of the demand."""
    robot = limited((0.02, 0.0, 0.0, 10.0), (0.01, 0.0, 0.0, 100.0))
    efforts = np.zeros((2, 4))
    efforts[:, 2] = 1.0
    tensions, errors = robot.threads.tensions(np.zeros((4, 4)), efforts)
    # 1 N m = 0.02 m 10 N + 0.01 m 80 N, and the second carries all of the rate
    np.testing.assert_allclose(tensions, [[10.0, 80.0], [0.0, 100.0]], rtol=1e-8)
    assert errors.max() < 1e-8


def test_demands_beyond_all_limits_leave_an_error():
    robot = limited((0.02, 0.0, 0.0, 10.0), (0.01, 0.0, 3.0, 20.0))
    efforts = np.zeros((1, 4))
    efforts[0, 2:] = 1.0, -0.25
    tensions, errors = robot.threads.tensions(np.zeros((3, 4)), efforts)
    np.testing.assert_array_equal(tensions, [[10.0, 20.0]])
    np.testing.assert_allclose(errors, [0.6, 0.25], rtol=1e-14)


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_tensions_are_those_of_a_bounded_least_squares_solver(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 7))
    least = rng.uniform(0.0, 3.0, count).round(3)
    span = rng.choice([0.0, 5.0, 40.0], count)
    places = rng.uniform(-0.014, 0.014, (count, 2)).round(5)
    rows = [
        (*map(float, place), float(low), float(low + top))
        for place, low, top in zip(places, least, span, strict=True)
    ]
    threads = limited(*rows).threads
    wanted = rng.normal(size=2) * rng.choice([0.01, 0.3])
    found, errors = threads.tensions(np.zeros((3, 4)), np.array([[0.0, 0.0, *wanted]]))
    matrix = places.T
    assert (found[0] >= least).all() and (found[0] <= least + span).all()
    np.testing.assert_allclose(errors, abs(matrix @ found[0] - wanted), atol=1e-12)
    # the same sum of squares, by scipy; a thread without a range is no unknown there
    free = span > 0.0
    if not free.any():
        return
    scale = 1e-5 * np.linalg.norm(matrix)
    system = np.vstack([matrix[:, free], scale * np.eye(free.sum())])
    right = np.append(wanted - matrix @ least, np.zeros(free.sum()))
    expected = lsq_linear(system, right, (0.0, span[free]), method='bvls', tol=1e-14)
    got = system @ (found[0] - least)[free] - right
    # costs of 1e-10 decide among equal efforts
    assert got @ got <= 2.0 * expected.cost * (1.0 + 1e-9) + 1e-20
    # rounding of the least-norm part: eps over the square of 1e-5
    np.testing.assert_allclose(found[0][free], (least + 0.0)[free] + expected.x, atol=2e-3)


@pytest.mark.parametrize('kind', [ARC, STRAIN])
def test_tensions_to_fill_are_the_same_and_allocate_nothing(kind):
    robot = trunk(kind)
    jet = motion(0.4)
    efforts = sd.inverse_dynamics(robot, jet)[:2].copy()
    expected = robot.threads.tensions(jet, efforts)
    out = np.full((2, 3), np.nan), np.full(2, np.nan)
    assert robot.threads.tensions(jet, efforts, out) is out
    for got, other in zip(out, expected, strict=True):
        np.testing.assert_array_equal(got, other)

    def ticks(count):
        for _ in range(count):
            robot.threads.tensions(jet, efforts, out)

    blocks = []
    for _ in range(5):
        ticks(10)
        before = sys.getallocatedblocks()
        ticks(300)
        blocks.append(sys.getallocatedblocks() - before)
    assert min(blocks) <= 0
    # views of arrays aside, none is made on the way either
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        ticks(1)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert peak < 2000
    with pytest.raises(ShapeError, match='out: expected shape'):
        robot.threads.tensions(jet, efforts, (out[0][:1], out[1]))
    with pytest.raises(InputError, match='efforts: expected finite ones'):
        robot.threads.tensions(jet, np.full((1, 4), np.nan))


def test_efforts_that_need_a_push_leave_an_error():
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    one = TRUNK.replace('TYPE', ARC).split('  - {name: b')[0]
    robot = SOFT.append_segments(arm, one)
    efforts = np.zeros((1, 4))
    efforts[0, 2:] = -0.3, 0.2
    tensions, errors = robot.threads.tensions(np.zeros((3, 4)), efforts)
    # the thread cannot push: only the least tension is left
    np.testing.assert_allclose(tensions, [[2.0]])
    np.testing.assert_allclose(errors, [0.3 + 2.0 * 0.015, 0.2])


@pytest.mark.parametrize('kind', [ARC, STRAIN])
def test_threads_of_a_file_may_be_slanted_and_helical(kind):
    robot = trunk(kind)
    routes = [(0.015, 0.0), [(0.015, 0.0), (0.0, 0.01)], SOFT.Helix(0.01, -1.5, 0.5)]
    entries = '[0.015, 0.0]', '[[0.015, 0], [0, 0.01]]', '{radius: 0.01, turns: -1.5, angle: 0.5}'
    text = TRUNK.replace('TYPE', kind).partition('threads:')[0] + 'threads:\n' + ''.join(
        f'  - {{name: t{i}, offsets: {{trunk: {entry}}}}}\n' for i, entry in enumerate(entries)
    )  # fmt: skip
    read = SOFT.append_segments(robot.rigid, text)
    jet = motion(0.7)
    found = read.threads.matrices(jet, 3)
    for i, route in enumerate(routes):
        expected = SOFT.Thread(read, {'trunk': route}).effort_jet(jet[:3])[:, 2:]
        np.testing.assert_allclose(found[:, :, i], expected, atol=1e-14)


@pytest.mark.parametrize(
    ('entry', 'message'),
    [
        ('[[0.015, 0.0], [0.0, 0.021]]', 'trunk: expected a place at most 0.02 m, the radius'),
        ('{radius: 0.021, turns: 1}', 'trunk: expected a place at most 0.02 m, the radius'),
        ('{radius: -0.01, turns: 1}', 'trunk.radius: expected'),
        ('{radius: 0.01}', "trunk: expected an entry 'turns', got none"),
        ('{radius: 0.01, turns: 1, pitch: 2}', "entries radius, turns, angle, got 'pitch'"),
        ('[[0.01, 0.0], [0.0]]', r'trunk\[1\]: expected 2 entries, got 1'),
    ],
)
def test_wrong_routes_in_a_file_are_named(entry, message):
    text = TRUNK.replace('TYPE', ARC).replace('[0.015, 0.0]', entry)
    with pytest.raises(ModelError, match=rf'threads\[0\].offsets.*{message}'):
        SOFT.read_segments(text)
