# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes without a step: blends, and the stiffness of joints."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from screw_dynamics import VariableStiffness
from screw_dynamics.control.blends import Blend, Transition
from screw_dynamics.control.stiffness_transition import StiffnessTransition
from screw_dynamics.errors import InputError

TICK = 1e-3
NONE = np.zeros(2)


def blended(blend, target, count, begin=0):
    """Return the values (count, 2, 2) of a blend beside `target(i)`, one a ms."""
    values = np.zeros((count, 2, 2))
    for i in range(count):
        blend.write(target(begin + i), values[i])
        blend.advance(TICK)
    return values


def moving(i):
    t = TICK * i
    return np.array([[np.sin(t), 2.0 * t], [np.cos(t), 2.0]])


def resting(i):
    return np.zeros((2, 2))


class TestBlend:
    """Offsets of values and slopes."""

    def test_it_begins_at_the_offset_and_joins_a_moving_target(self):
        blend, start = Blend(2), np.array([[0.03, -0.02], [0.0, 0.0]])
        blend.add(*(start - moving(0)), 0.1)
        values = blended(blend, moving, 150)
        np.testing.assert_allclose(values[0], start, rtol=0.0, atol=1e-15)
        np.testing.assert_array_equal(values[101:], [moving(i) for i in range(101, 150)])
        # the slopes are the derivatives of the values, to differences of second order
        slopes = (values[2:, 0] - values[:-2, 0]) / (2.0 * TICK)
        bound = TICK**2 / 6.0 * 60.0 * (0.03 / 0.1**3 + 2.0 / 0.1**2)
        np.testing.assert_allclose(slopes, values[1:-1, 1], rtol=0.0, atol=bound)
        # no step: the second derivatives of the two quintics are at most 5.78 and 4
        bound = TICK * (5.78 * 0.03 / 0.1**2 + 4.0 * 2.0 / 0.1 + 1.0)
        assert np.abs(np.diff(values[:, 1], axis=0)).max() < bound

    @pytest.mark.parametrize('passed', [0, 5, 30])
    def test_another_offset_is_added_at_once(self, passed):
        """Also to a blend that goes on."""
        blend, offset = Blend(2), np.array([[0.3, -0.1], [2.0, 5.0]])
        blend.add(np.array([1.0, -2.0]), np.array([3.0, 0.5]), 0.1)
        blended(blend, resting, passed)
        before, after = np.zeros((2, 2, 2))
        blend.write(resting(0), before)
        blend.add(*offset, 0.1)
        blend.write(resting(0), after)
        np.testing.assert_allclose(after - before, offset, rtol=0.0, atol=1e-12)

    @pytest.mark.parametrize('every', [1, 5, 13, 40])
    def test_changes_that_follow_each_other_are_no_steps_and_arrive(self, every):
        """A change at every sample does not put off the ones before."""
        blend, random = Blend(2), np.random.default_rng(every)
        target, last, values, targets = np.zeros((2, 2)), np.zeros((2, 2)), [], []
        for i in range(600):
            if i % every == 0:
                change = random.uniform(-1.0, 1.5, 2)
                target[0] += change
                blend.add(-change, NONE, 0.1)
            out = np.zeros((2, 2))
            blend.write(target, out)
            values.append(out)
            targets.append(target[0].copy())
            # what has arrived is at least the target of a length before, and its latest part
            if i % every == 0:
                np.testing.assert_allclose(out[0] - last[0], 0.0, atol=0.05 * 120.0 / every)
            last = out
            blend.advance(TICK)
        assert sum(length > 0.0 for length in blend._lengths) <= 9
        # the lag is at most the target's change within a length and an eighth
        lags = [abs(values[i][0] - targets[i]).max() for i in range(150, 600)]
        spans = [np.ptp(targets[i - 120 : i + 1], axis=0).max() for i in range(150, 600)]
        assert (np.array(lags) <= np.array(spans) + 1e-9).all()

    def test_a_change_while_all_blends_are_taken_is_no_step(self):
        blend, last = Blend(2), np.zeros((2, 2))
        for i in range(40):
            blend.add(np.array([1.0, -1.0]), NONE, 1.0 + 0.1 * i)  # longer each time
            out = np.zeros((2, 2))
            blend.write(np.array([[-1.0 - i, 1.0 + i], [0.0, 0.0]]), out)
            assert np.abs(out - last).max() < 0.1
            last = out
            blend.advance(TICK)

    def test_without_a_length_there_is_no_offset(self):
        blend = Blend(2)
        blend.add(np.ones(2), NONE, 0.0)
        np.testing.assert_array_equal(blended(blend, moving, 1)[0], moving(0))

    def test_one_that_is_shorter_than_a_tick_is_over_at_the_next(self):
        """Else a distance of rounding would have the slope of its length, for many ticks."""
        blend = Blend(2)
        blend.add(np.full(2, 1e-12), NONE, 1e-12)
        values = blended(blend, resting, 2)
        np.testing.assert_array_equal(values, [[[1e-12] * 2, [0.0] * 2], np.zeros((2, 2))])

    def test_a_stall_delays_it(self):
        blend, values = Blend(2), np.zeros((2, 2))
        blend.add(np.array([8.0, 9.0]), NONE, 0.1)
        last = np.array([8.0, 9.0])
        for _ in range(20):
            blend.advance(3600.0)
            blend.write(resting(0), values)
            assert (last - values[0] <= 1.875 / 20.0 * 9.0).all()
            last = values[0].copy()
        assert not blend.moving


class TestTransition:
    """Values that lead to others."""

    def test_it_begins_and_ends_exactly(self):
        transition, target = Transition(np.array([0.1, -7.0])), np.array([0.3, 1e-17])
        transition.start(target, 0.1)
        values = []
        while transition.moving:
            transition.advance(TICK)
            values.append(transition.values.copy())
        assert len(values) == 100
        np.testing.assert_array_equal(values[-1], target)
        assert np.abs(np.diff(values, axis=0)).max() <= 1.875 / 100.0 * 7.0

    def test_an_interruption_is_no_step(self):
        transition = Transition(np.zeros(1))
        transition.start(np.array([8.0]), 0.1)
        values = [transition.values.copy()]
        for i in range(300):
            if i == 40:
                transition.start(np.array([0.0]), 0.1)
            transition.advance(TICK)
            values.append(transition.values.copy())
        assert np.abs(np.diff(values, axis=0)).max() <= 1.875 / 100.0 * 8.0
        assert not transition.values.any()

    def test_without_a_length_it_is_there_at_once(self):
        transition = Transition(np.zeros(1))
        transition.start(np.ones(1), 0.0)
        assert transition.values == 1.0 and not transition.moving


START = 1_700_000_000 * 10**9
LOW, HIGH = 90.0, 20000.0
# largest |s'|, |s''|, |s'''| of the quintic s
QUINTIC = 1.875, 10.0 / np.sqrt(3.0), 60.0


def transition(*stiffness):
    """Return the transition of joint_2 and of the joints behind it."""
    return StiffnessTransition(
        {f'joint_{2 + i}': VariableStiffness(k, LOW, HIGH) for i, k in enumerate(stiffness)}
    )


@pytest.mark.parametrize('begin', [0, START])
def test_stiffness_of_a_start_and_after_the_clock_has_been_set_back(begin):
    stiffness = transition(120.0)
    stiffness.set_target([200.0], 0.5)
    assert stiffness.sample(begin)['joint_2'].tolist() == [200.0, 0.0, 0.0]
    stiffness.sample(begin + 30 * 10**9)
    stiffness.set_target([100.0], 0.5)
    assert 100.0 < stiffness.sample(begin + 30 * 10**9 + 10**8)['joint_2'][0] < 200.0
    stiffness.set_target([140.0], 0.5)
    for instant in (begin + 30 * 10**9 + 3 * 10**8, begin):
        stiffness.forget()
        assert stiffness.sample(instant)['joint_2'].tolist() == [140.0, 0.0, 0.0]
    stiffness.set_target([250.0], 0.5)
    assert 140.0 < stiffness.sample(begin + 10**8)['joint_2'][0] < 250.0
    assert stiffness.sample(begin + 10**9)['joint_2'].tolist() == [250.0, 0.0, 0.0]


def test_the_rows_are_derivatives_of_each_other_and_zero_at_both_ends():
    stiffness = transition(100.0)
    stiffness.sample(START)
    stiffness.set_target([220.0], 0.5)
    times = np.linspace(0.0, 0.5, 5001)
    rows = np.array([stiffness.sample(START + round(1e9 * t))['joint_2'].copy() for t in times])
    np.testing.assert_allclose(rows[[0, -1]], [[100.0, 0.0, 0.0], [220.0, 0.0, 0.0]], atol=1e-9)
    u = times / 0.5
    quintic = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    np.testing.assert_allclose(rows[:, 0], 100.0 + 120.0 * quintic, rtol=1e-14)
    for d in (0, 1):
        central = (rows[2:, d] - rows[:-2, d]) / (times[2:] - times[:-2])
        largest = np.abs(rows[:, d + 1]).max()
        np.testing.assert_allclose(rows[1:-1, d + 1], central, rtol=0, atol=1e-5 * largest)


def thousandths(low, high):
    return st.integers(1, 1000).map(lambda part: low + (high - low) * part / 1000.0)


stiffnesses = st.tuples(thousandths(LOW, HIGH), thousandths(LOW, HIGH))
waits = st.one_of(st.just(0.0), thousandths(0.0, 0.1), thousandths(0.0, 70.0))
durations = st.one_of(st.sampled_from([0.01, 0.3, 1.0, 2.0]), thousandths(0.01, 60.0))


def derivative_bounds(width, running):
    """Return bounds of |K'|, |K''|, |K'''| with changes of these durations, first to last."""
    first = second = third = 0.0
    for duration in running:
        a, b, c = (QUINTIC[d] / duration ** (d + 1) for d in range(3))
        third += 3.0 * a * second + 3.0 * b * first + c * width
        second += 2.0 * a * first + b * width
        first += a * width
    return np.array([first, second, third])


class Path:
    """A transition that is checked wherever it is sampled."""

    def __init__(self, start):
        self.stiffness, self.now = transition(*start), START
        self.lows = self.highs = np.array(start)
        self.changes = []  # when each came [ns], and its duration [s]
        self.sample()

    def sample(self):
        return np.array(list(self.stiffness.sample(self.now).values()))

    def change(self, targets, duration):
        self.stiffness.set_target(targets, duration)
        self.changes.append((self.now, duration))
        self.lows = np.minimum(self.lows, targets)
        self.highs = np.maximum(self.highs, targets)

    def advance(self, end):
        """
        Check pairs of samples close together up to an instant.

        The last is around it. That each row is the derivative of the one before, up to what a
        bound of the third derivative leaves, holds nowhere near a jump.
        """
        # a change begins late by 1/8 of the longest duration at most
        late = max((duration for _, duration in self.changes), default=0.0) / 8.0
        running = [d for t, d in self.changes if self.now <= t + 1e9 * (d + late) + 10]
        bounds = derivative_bounds((self.highs - self.lows).max(), running)
        step = round(1e9 * min([*running, 1.0]) / 2000.0)
        h = 1e-9 * step
        rounding = 1e-12 * HIGH / h ** np.arange(3)
        for instant in np.linspace(self.now, end - step, 4).astype(np.int64).tolist():
            self.now = max(self.now, instant)
            before = self.sample()
            self.now += step
            after = self.sample()
            for rows in (before, after):
                assert (self.lows <= rows[:, 0]).all()
                assert (rows[:, 0] <= self.highs).all()
                assert (np.abs(rows[:, 1:]) <= bounds[:2] * (1.0 + 1e-9)).all()
            linear = np.column_stack([h * before[:, 1], h * before[:, 2], np.zeros(len(before))])
            left = np.abs(after - before - linear)
            allowed = [h * h / 2.0 * bounds[1], h * h / 2.0 * bounds[2], h * bounds[2]]
            assert (left <= allowed + rounding).all()


@settings(deadline=None)
@given(stiffnesses, st.lists(st.tuples(waits, stiffnesses, durations), min_size=1, max_size=25))
@example((12000.0, 500.0), [(0.0, (1000.0, 400.0), 1.0), (0.5, (900.0, 500.0), 2.0)])
@example((12000.0, 500.0), [(0.0, (400.0, 500.0), 1.0), (0.5, (399.0, 500.0), 1.0)])
@example((12000.0, 500.0), [(0.0, (1000.0, 500.0), 1.0), (0.5, (1000.1, 500.0), 1.0)])
@example((20000.0, 500.0), [(0.0, (1000.0, 500.0), 1.0), (0.5, (1000.1, 500.0), 1.0)])
@example((12000.0, 500.0), [(0.0, (1000.0, 500.0), 0.3), (0.1, (1000.1, 500.0), 1.0)])
def test_any_sequence_of_changes_stays_between_its_values_c2_and_arrives(start, changes):
    path = Path(start)
    for wait, targets, duration in changes:
        path.advance(path.now + round(1e9 * wait))
        path.change(targets, duration)
        path.advance(path.now)
    longest = max(duration for _, _, duration in changes)
    path.now += round(1e9 * 9.0 / 8.0 * longest) + 10
    np.testing.assert_array_equal(path.sample(), [[k, 0.0, 0.0] for k in targets])


def test_a_joint_whose_target_stays_goes_on_as_it_did():
    alone, beside = transition(12000.0), transition(12000.0, 100.0)
    for k in range(1200):
        rows = [joints.sample(START + k * 10**6)['joint_2'].tolist() for joints in (alone, beside)]
        assert rows[0] == rows[1]
        if k == 100:
            alone.set_target([1000.0], 1.0)
            beside.set_target([1000.0, 150.0], 1.0)
        if k == 600:
            beside.set_target([1000.0, 300.0], 0.2)
    assert rows[0] == [1000.0, 0.0, 0.0]


@pytest.mark.parametrize(
    'values, expected',
    [
        ([1.0], "joint 'joint_2': expected 90 to 20000, its min_stiffness to max_.*, got 1$"),
        ([20000.0, 50000.0], "joint 'joint_3': expected 90 to 20000, .*, got 50000$"),
        ([-1.0, 100.0], r'one above 0 for each joint .* \(joint_2, joint_3\), got \[-1.0, 100.0]'),
    ],
)
def test_what_is_no_stiffness_is_named(values, expected):
    with pytest.raises(InputError, match="^parameter 'stiffness': .*" + expected):
        transition(*[100.0] * len(values)).check(values)
