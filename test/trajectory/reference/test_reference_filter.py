# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The reference filter against the matrix exponential and closed-form responses."""

import math
import tracemalloc
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg

from screw_dynamics.errors import InputError, NotFiniteError, ShapeError
from screw_dynamics.trajectory.reference.reference_filter import FilteredPositions, ReferenceFilter

ORDERS = [5, 6, 8, 12]


def output(smooth, elapsed=0.0):
    return smooth.sample(elapsed, np.empty((5, len(smooth.goal))))


def scaled(smooth, jet):
    """Return the rows in units of the filter's own time."""
    return np.asarray(jet) / smooth.pole ** np.arange(5)[:, None]


def companion(smooth):
    """Return the state matrix of (s + w)^N in output, first derivative, ...; scaled by w."""
    order = smooth.order
    matrix = np.eye(order, k=1)
    matrix[-1] = [-comb(order, k) for k in range(order)]
    return matrix


@pytest.mark.parametrize('order', ORDERS)
@pytest.mark.parametrize('scaled_step', [1e-3, 0.1, 3.0, 40.0])
def test_a_step_in_time_is_the_matrix_exponential(order, scaled_step):
    smooth = ReferenceFilter(2, order, bandwidth=3.0)
    state = np.zeros((order, 2))
    state[:5] = np.random.default_rng(order).normal(size=(5, 2))
    goal = np.array([0.3, -2.0])
    smooth.start(goal, state[:5] * smooth.pole ** np.arange(5)[:, None])
    equilibrium = np.zeros((order, 2))
    equilibrium[0] = goal
    expected = equilibrium + linalg.expm(companion(smooth) * scaled_step) @ (state - equilibrium)
    got = scaled(smooth, output(smooth, scaled_step / smooth.pole))
    # binomials up to comb(12, 6) multiply rounding, here and in the matrix
    np.testing.assert_allclose(got, expected[:5], rtol=0, atol=1e-12 * comb(order, order // 2))


@given(
    split=st.floats(0.0, 1.0),
    order=st.integers(5, 12),
    bandwidth=st.floats(0.1, 500.0),
    values=st.lists(st.floats(-5.0, 5.0), min_size=2, max_size=2),
)
def test_two_steps_are_one(split, order, bandwidth, values):
    once, twice = (ReferenceFilter(1, order, bandwidth) for _ in range(2))
    for smooth in (once, twice):
        smooth.start(values[:1])
        smooth.follow(values[1:])
    whole = 3.0 / once.pole
    twice.advance(split * whole)
    np.testing.assert_allclose(
        scaled(twice, output(twice, (1.0 - split) * whole)),
        scaled(once, output(once, whole)),
        rtol=0,
        atol=1e-13 * max(1.0, *np.abs(values)),
    )


@pytest.mark.parametrize('order', ORDERS)
def test_a_step_is_reached_without_overshoot_and_then_held_at_rest(order):
    smooth = ReferenceFilter(1, order, bandwidth=5.0)
    smooth.start([0.0])
    smooth.follow([1.0])
    jets = np.array([output(smooth, t) for t in np.linspace(0.0, 4.0 * smooth.delay, 500)])
    assert (np.diff(jets[:, 0, 0]) >= -1e-15).all()
    assert jets[:, 0].max() <= 1.0
    assert (jets[:, 1] >= -1e-12 * smooth.pole).all()
    # the closed form of a chain of lags: 1 - exp(-x) (1 + x + ... + x^(N-1) / (N-1)!)
    x = smooth.pole * np.linspace(0.0, 4.0 * smooth.delay, 500)
    terms = [x**k / float(np.prod(range(1, k + 1))) for k in range(order)]
    np.testing.assert_allclose(jets[:, 0, 0], 1.0 - np.exp(-x) * sum(terms), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(output(smooth, 1e4)[:, 0], [1.0, 0.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize('order', ORDERS)
def test_a_ramp_is_followed_with_the_delay_that_is_told(order):
    smooth = ReferenceFilter(1, order, bandwidth=20.0)
    step, speed = 1e-3, 2.0
    smooth.start([0.0])
    for i in range(4000):
        smooth.follow([speed * i * step])
        smooth.advance(step)
    # a staircase is half a step late itself
    expected = speed * (4000 * step - 0.5 * step - smooth.delay)
    got = output(smooth)[:, 0]
    assert got[0] == pytest.approx(expected, abs=1e-3 * speed * step)
    assert got[1] == pytest.approx(speed, rel=1e-3)
    assert smooth.delay == pytest.approx(order / smooth.pole)


@pytest.mark.parametrize('order', ORDERS)
def test_the_amplitude_at_the_bandwidth_is_3_db_lower(order):
    from scipy import signal  # which takes a second

    smooth = ReferenceFilter(1, order, bandwidth=7.0)
    numerator, denominator = [smooth.pole**order], np.poly([-smooth.pole] * order)
    _, response = signal.freqs(numerator, denominator, [2.0 * np.pi * 7.0])
    assert abs(response[0]) == pytest.approx(np.sqrt(0.5), rel=1e-9)


@pytest.mark.parametrize('bandwidth', [0.01, 1e3, 1e5])
def test_a_long_ramp_gathers_no_rounding(bandwidth):
    smooth = ReferenceFilter(1, 8, bandwidth)
    step, speed, far = 1e-3, 1.0, 1e3
    smooth.start([far])
    for i in range(1, 4001):
        smooth.follow([far + speed * i * step])
        smooth.advance(step)
    assert np.isfinite(output(smooth)).all()
    smooth.advance(1e5 * smooth.delay + 1.0)
    np.testing.assert_array_equal(output(smooth)[1:], 0.0)
    assert output(smooth)[0, 0] == far + speed * 4000 * step


@pytest.mark.parametrize('order', ORDERS)
def test_a_motion_is_taken_over_with_all_its_derivatives(order):
    smooth = ReferenceFilter(2, order, bandwidth=6.0)
    jet = np.random.default_rng(5).normal(size=(5, 2)) * smooth.pole ** np.arange(5)[:, None]
    smooth.start([4.0, -3.0], jet)
    np.testing.assert_allclose(scaled(smooth, output(smooth)), scaled(smooth, jet), atol=1e-13)
    np.testing.assert_allclose(output(smooth, 100.0 * smooth.delay)[0], [4.0, -3.0])


def test_a_tick_allocates_nothing():
    smooth = ReferenceFilter(7)
    smooth.start(np.zeros(7))
    smooth.follow(np.ones(7))
    out = np.empty((5, 7))
    smooth.sample(0.001, out)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(1000):
            smooth.sample(0.001, out)
            smooth.advance(0.001)
        current, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # a few Python floats in flight; a single array of the state would be 448 bytes
    assert current - before < 200
    assert peak - before < 400


@pytest.mark.parametrize(
    'order, bandwidth, message',
    [
        (4, 1.0, 'order: expected an integer from 5 to 12, got 4'),
        (13, 1.0, 'order: expected an integer from 5 to 12, got 13'),
        (5.5, 1.0, 'order: expected an integer from 5 to 12, got 5.5'),
        ('5', 1.0, "order: expected an integer from 5 to 12, got '5'"),
        (5, 0.0, 'bandwidth: expected a finite number above 0, got 0.0'),
        (5, float('inf'), 'bandwidth: expected a finite number above 0, got inf'),
        (5, '1', "bandwidth: expected a finite number above 0, got '1'"),
    ],
)
def test_nonsense_is_refused(order, bandwidth, message):
    with pytest.raises(InputError, match=message):
        ReferenceFilter(1, order, bandwidth)


@pytest.mark.parametrize('count', ['a', -1, 1.5, None])
def test_a_count_of_joints_is_whole(count):
    with pytest.raises(InputError, match='joint_count: expected a whole number of 0 or more, got'):
        ReferenceFilter(count)


@pytest.mark.parametrize('elapsed', [math.nan, math.inf, -1.0, -1, 'x', None, 10**400, [0.0, 1.0]])
def test_times_that_are_none_change_nothing(elapsed):
    smooth = ReferenceFilter(2)
    smooth.start([1.0, 2.0])
    smooth.follow([3.0, 0.0])
    before = output(smooth, 0.01)
    for use in (smooth.advance, lambda time: smooth.sample(time, np.empty((5, 2)))):
        with pytest.raises(
            InputError, match='elapsed: expected a finite number of 0 or more, got'
        ):
            use(elapsed)
    np.testing.assert_array_equal(output(smooth, 0.01), before)


def test_after_any_time_the_output_rests_at_the_input():
    for elapsed in (1e3, 1e10, 1e308, np.float64(1e10), 10**18):
        smooth = ReferenceFilter(2)
        smooth.start([1.0, 2.0])
        smooth.follow([3.0, 0.0])
        np.testing.assert_array_equal(output(smooth, elapsed), [[3.0, 0.0], *np.zeros((4, 2))])
        smooth.advance(elapsed)
        np.testing.assert_array_equal(output(smooth), [[3.0, 0.0], *np.zeros((4, 2))])


@pytest.mark.parametrize('out', [[0.0], np.empty((5, 2), np.float32), np.empty((2, 5)).T])
def test_an_output_that_cannot_be_filled_is_named(out):
    with pytest.raises(InputError, match='out: expected'):
        ReferenceFilter(2).sample(0.0, out)


def test_bad_positions_change_nothing():
    smooth = ReferenceFilter(2)
    smooth.start([1.0, 2.0])
    smooth.follow([3.0, 0.0])
    before = output(smooth, 0.01)
    with pytest.raises(ShapeError, match=r'positions: expected shape \(2,\)'):
        smooth.follow([0.0])
    with pytest.raises(NotFiniteError, match=r'positions\[1\]'):
        smooth.follow([0.0, float('nan')])
    with pytest.raises(ShapeError, match='jet: expected shape'):
        smooth.start([0.0, 0.0], np.zeros((4, 2)))
    with pytest.raises(ShapeError, match='out: expected shape'):
        smooth.sample(0.0, np.empty((4, 2)))
    np.testing.assert_array_equal(output(smooth, 0.01), before)


def test_an_input_that_overflows_is_refused():
    smooth = ReferenceFilter(2)
    smooth.start([1e308, 0.0])
    with pytest.raises(NotFiniteError, match=r'positions\[0\] \(overflow'):
        smooth.follow([-1e308, 0.0])
    np.testing.assert_array_equal(output(smooth), [[1e308, 0.0], *np.zeros((4, 2))])


def test_a_state_that_overflows_is_refused():
    smooth = ReferenceFilter(1, order=5, bandwidth=1e-3)
    smooth.start([0.5])
    jet = np.full((5, 1), 1e307)  # divided by the powers of a slow pole
    with pytest.raises(NotFiniteError, match='overflow in the reference filter'):
        smooth.start([0.0], jet)
    assert smooth.sample(1.0, np.empty((5, 1)))[0, 0] == smooth.goal[0] == 0.5


MS = 1_000_000


def test_a_filter_that_cannot_go_on_where_the_old_one_is_rests_at_its_input():
    filtered = FilteredPositions(np.zeros(2, dtype=bool), 8, 200.0)
    filtered.start(np.array([1e305, 0.0]), 0, None)
    filtered.follow(np.array([-1e305, 0.5]), 0)
    filtered.retune(8, 0.1, 1 * MS)
    state = filtered.sample(2 * MS, np.empty((5, 2)))
    np.testing.assert_array_equal(state, [[-1e305, 0.5], *np.zeros((4, 2))])
    assert filtered.delay > 3.0


def test_a_position_that_arrives_with_an_earlier_time_turns_nothing_back():
    """It counts from the latest instant on, at which the output is continuous."""
    filtered = FilteredPositions(np.zeros(1, dtype=bool), 5, 40.0)
    filtered.start(np.array([0.0]), 0, None)
    filtered.follow(np.array([1.0]), 10 * MS)
    filtered.follow(np.array([1.2]), 30 * MS)
    before = filtered.sample(30 * MS, np.empty((5, 1)))
    filtered.follow(np.array([1.4]), 20 * MS)
    after = filtered.sample(30 * MS, np.empty((5, 1)))
    np.testing.assert_allclose(after, before, rtol=1e-12)
