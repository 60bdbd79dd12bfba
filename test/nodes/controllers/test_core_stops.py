# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Stops, dropouts and ramps of the core of the C++ controller: two pendulums in closed form."""

import numpy as np
import pytest
from helpers.pendulums import (
    ASKS,
    DT,
    EFFORT,
    ENDED,
    INERTIA,
    LIMIT,
    LOST,
    POSITION,
    TOLERANCE,
    VELOCITY,
    WEIGHT,
    Chain,
    N,
    blend,
    close,
    efforts_of,
)

NONE, EFFORT_BEYOND, RATE_BEYOND = 0, 1, 2
NOT_COMPUTABLE, START, ASKED, MOVING, STEP = 7, 8, 9, 10, 17
BRIDGED = 3  # updates


def test_a_ramp_uses_half_of_a_tight_rate(pendulums):
    chain, rate = Chain(), 20.0
    chain.hold(3000)
    followed, _, out = pendulums(chain.rows, rate=rate)
    assert followed.all()
    # the steepest slope of the quintic is 1.875 of its mean; 12 N m are the longest way
    length = 1.875 / 0.5 * WEIGHT[0] / rate
    expected = blend(DT * np.arange(3000) / length)[:, None] * WEIGHT
    close(out[:, EFFORT], expected)
    steepest = np.abs(np.diff(out[:, EFFORT], axis=0)).max() / DT
    assert 0.499 * rate < steepest <= 0.5 * rate


@pytest.mark.parametrize('present', [ENDED, LOST])
def test_without_a_ramp_commands_begin_and_end_at_once(pendulums, present):
    chain = Chain()
    chain.hold(10)
    chain.move([0.1, 0.1], 0.3)
    moving = len(chain.rows) - 100
    del chain.rows[moving:]
    chain.lose(10, present)
    followed, _, out = pendulums(chain.rows, ramp_time=0.0, positions=True)
    assert followed[:moving].all() and not followed[moving:].any()
    close(out[:moving, EFFORT], efforts_of(chain.rows[:moving]))
    assert np.abs(out[moving - 1, VELOCITY]).max() > 0.4
    kept = BRIDGED if present == LOST else 0
    for k in range(kept):
        np.testing.assert_array_equal(out[moving + k], out[moving - 1])
    ended = out[moving + kept :]
    assert not ended[:, (EFFORT, VELOCITY)].any()
    np.testing.assert_array_equal(ended[:, POSITION] - out[moving - 1, POSITION], 0.0)


@pytest.mark.parametrize('positions', [False, True])
def test_a_step_of_the_reference_stops_until_it_moves_from_rest(pendulums, positions):
    """Steps of 0.048 rad per millisecond, and motions to any place at any speed passed (H4)."""
    chain = Chain()
    chain.hold(500)
    chain.q = chain.q + [0.2, -0.3]
    chain.hold(500)
    chain.move([0.1, 0.1], 0.5)
    followed, violated, out = pendulums(chain.rows, positions=positions)
    assert followed[:500].all() and not followed[500:1000].any() and followed[1000:].all()
    assert (violated[500:1000] == STEP).all()
    assert np.abs(np.diff(out[:, EFFORT], axis=0)).max() <= 0.02 * WEIGHT[0]


@pytest.mark.parametrize('quantity', ['position', 'velocity', 'step'])
def test_what_is_commanded_keeps_the_limits_of_positions_and_velocities(pendulums, quantity):
    flags = {'LOWER': -1.0, 'UPPER': 1.0, 'VELOCITY': 2.0}
    chain = Chain()
    chain.hold(100)
    if quantity == 'step':
        for _ in range(20):
            chain.q = chain.q + 0.048
            chain.hold(1)
    else:
        way, length = (3.0, 4.0) if quantity == 'position' else (0.9, 0.8)
        chain.move([way] * 2, length)
    followed, violated, out = pendulums(chain.rows, positions=True, flags=flags)
    assert not followed[-1] and violated[-1] == (13 if quantity == 'position' else STEP)
    assert out[:, POSITION, 0].max() <= 1.0 + 1e-6
    assert np.abs(out[:, VELOCITY]).max() <= 2.0 + 1e-6
    assert np.abs(np.diff(out[:, POSITION], axis=0)).max() <= 2.0 * DT * (1.0 + 1e-5)
    free, _, _ = pendulums(chain.rows, positions=quantity == 'step')
    assert free[-1] or quantity == 'step'


def test_whole_turns_of_a_continuous_joint_do_not_count(pendulums):
    chain, turn = Chain(), 2.0 * np.pi
    chain.q = np.array([0.3, 3.0])
    chain.hold(100, measured=[0.3, 3.0 - turn])
    chain.move([0.2, 0.5], 0.5)
    rows = [row.copy() for row in chain.rows]
    for row in rows:
        if row[7] > np.pi:
            row[7] -= turn  # as an encoder or a newer trajectory counts
    followed, _, out = pendulums(rows, positions=True, flags={'CONTINUOUS': 1})
    assert followed.all()
    np.testing.assert_allclose(out[-1, POSITION], [0.5, 3.5 - turn], atol=1e-12)
    assert np.abs(np.diff(out[:, POSITION], axis=0)).max() < 0.01


def test_a_begin_while_velocities_are_led_to_zero_has_no_step(pendulums):
    chain = Chain()
    chain.hold(300)
    chain.move([1.0, 1.0], 1.0)
    del chain.rows[800:]
    chain.lose(50, ENDED)  # the end of the reference at full speed
    chain.q = chain.rows[799][6:8]
    chain.hold(400, measured=chain.q + 0.9 * TOLERANCE)
    followed, _, out = pendulums(chain.rows, positions=True)
    assert not followed[800:850].any() and followed[850:].all()
    assert np.abs(out[849, VELOCITY]).max() > 1.0
    assert np.abs(np.diff(out[:, VELOCITY], axis=0)).max() < 0.05  # 50 rad/s^2 of a ramp of 0.25 s
    # positions stay while velocities end; from there on they are the integral of the velocities
    moved = np.diff(out[849:, POSITION], axis=0)
    mean = (out[849:-1, VELOCITY] + out[850:, VELOCITY]) / 2.0 * DT
    assert not moved[0].any()
    assert np.abs(moved[1:] - mean[1:]).max() < 1e-5  # a'' dt^3 / 12
    close(out[-1, POSITION], chain.q)


def stopped_in_motion():
    """Return a chain whose motion is stopped by an effort, and the update of the stop."""
    chain = Chain()
    chain.hold(400)
    chain.move([0.4, 0.6], 0.3)
    beyond = np.abs(efforts_of(chain.rows)).max(axis=1) > LIMIT
    assert beyond.any()
    stop = int(np.argmax(beyond))
    del chain.rows[stop + 10 :]
    chain.q = chain.rows[-1][6:8]
    return chain, stop


@pytest.mark.parametrize(
    'gap', [(), (LOST,), (LOST,) * 20, (ENDED,), (ENDED,) * 500], ids=lambda gap: f'{len(gap)}'
)
def test_a_stop_lasts_until_another_motion_begins_from_rest(pendulums, gap):
    chain, stop = stopped_in_motion()
    for present in gap:
        chain.lose(1, present)
    chain.move([0.3, 0.3], 1.0)  # slow, but in the same motion
    del chain.rows[-1]  # and without a rest at its end
    chain.hold(20)
    resumed = len(chain.rows)
    chain.move([-0.3, -0.3], 1.0)
    followed, why, out = pendulums(chain.rows)
    assert followed[:stop].all() and why[stop] == EFFORT_BEYOND
    assert not followed[stop:resumed].any()
    assert (why[stop:resumed] == EFFORT_BEYOND).all()
    assert followed[resumed:].all() and not why[resumed:].any()
    assert not out[resumed - 1, EFFORT].any()
    close(out[-1, EFFORT], efforts_of(chain.rows[-1:])[0])


def test_a_motion_that_comes_back_halfway_does_not_lift_a_stop(pendulums):
    chain, stop = stopped_in_motion()
    chain.hold(100)  # the reference rests
    chain.lose(100, ENDED)
    back = len(chain.rows)
    chain.move([0.3, 0.3], 1.0)
    del chain.rows[back : back + 500]
    for i, row in enumerate(chain.rows):
        row[0] = DT * i
    chain.hold(10)
    followed, why, _ = pendulums(chain.rows)
    assert not followed[stop:].any() and (why[stop:] == EFFORT_BEYOND).all()


def test_the_first_sample_after_a_stop_continues_no_other(pendulums):
    """What differs from the last effort that was sent is not a rate."""
    chain = Chain()
    chain.hold(400)
    chain.add([[0.0, 0.0], [0.1, 0.1], [20.0, 0.0]])  # 52 N m
    chain.q = np.array([1.5, 0.0])  # 0.8 N m; 12 were sent last
    chain.hold(1)
    chain.move([0.1, 0.1], 2.0)
    followed, why, _ = pendulums(chain.rows, rate=100.0)
    assert followed[:400].all() and why[400] == EFFORT_BEYOND and not followed[400:402].any()
    assert followed[402:].all()


@pytest.mark.parametrize('count', [1, BRIDGED])
def test_lost_samples_are_no_begin(pendulums, count):
    """The robot is far behind the reference: commands could not begin again."""
    chain = Chain()
    chain.hold(400)
    first = len(chain.rows)
    chain.move([1.0, 1.0], 1.0)
    for row in chain.rows[first + 100 :]:
        row[-N:] -= 2.0 * TOLERANCE
    whole = pendulums(chain.rows, positions=True)
    keep = np.ones(len(chain.rows), dtype=bool)
    for begin in (500, 600):
        keep[first + begin :][:count] = False
    for i in np.flatnonzero(~keep):
        chain.rows[i][5] = LOST
    followed, why, out = pendulums(chain.rows, positions=True)
    for begin in (500, 600):
        before = first + begin - 1
        np.testing.assert_array_equal(out[before + 1 :][:count], out[[before] * count])
    assert not why.any() and whole[0].all()
    np.testing.assert_array_equal(followed, keep)
    np.testing.assert_array_equal(out[keep], whole[2][keep])


def test_more_lost_samples_are_an_end(pendulums):
    chain = Chain()
    chain.hold(400)
    chain.lose(BRIDGED + 400)
    _, _, out = pendulums(chain.rows)
    last = 400 + BRIDGED
    np.testing.assert_array_equal(out[400:last, EFFORT], out[[399] * BRIDGED, EFFORT])
    s = DT * np.arange(400) / 0.25
    close(out[last:, EFFORT], WEIGHT * (1.0 - blend(s))[:, None])


def test_measured_positions_are_needed_at_the_begin_only(pendulums):
    chain = Chain()
    for unknown in (20, 0, 100):
        chain.hold(unknown, measured=np.nan)
        chain.hold(100)
    followed, why, out = pendulums(chain.rows, positions=True)
    assert not followed[:20].any() and followed[20:].all()
    assert not why.any()  # waiting is no violation
    s = DT * np.arange(len(out) - 20) / 0.25
    close(out[20:, EFFORT], WEIGHT * blend(s)[:, None])


def test_positions_do_not_begin_in_the_middle_of_a_motion(pendulums):
    """A reference sweeps through the pose of the robot, or is there at first."""
    chain = Chain()
    jets = chain.move([0.6, 0.6], 1.0, measured=0.3)
    del chain.rows[:500]
    for i, row in enumerate(chain.rows):
        row[0] = DT * i
    chain.hold(10, measured=0.3)
    chain.move([-0.6, -0.6], 1.0, measured=0.3)
    chain.hold(20, measured=0.0)
    followed, why, out = pendulums(chain.rows, positions=True)
    assert np.abs(jets[500, 0] - 0.3).max() < TOLERANCE  # near at once
    assert not followed[:-20].any() and not out[:-20].any()
    assert followed[-20:].all() and not why[-20:].any()
    assert why[0] == MOVING and set(why[:-20]) == {MOVING, START}


def test_positions_begin_with_the_first_sample_of_a_motion(pendulums):
    chain = Chain()
    chain.hold(10, measured=np.nan)
    chain.move([0.2, 0.2], 0.5)
    followed, why, _ = pendulums(chain.rows, positions=True)
    assert not followed[:10].any() and followed[10:].all() and not why.any()


def test_rest_that_is_asked_for_is_reached_by_a_ramp_and_lasts(pendulums):
    chain = Chain()
    chain.hold(400)
    asked = len(chain.rows)
    chain.add(chain.q, present=ASKS)
    chain.hold(400)
    resumed = len(chain.rows)
    chain.move([0.2, 0.2], 1.0)
    followed, why, out = pendulums(chain.rows)
    assert followed[:asked].all() and not followed[asked:resumed].any()
    assert (why[asked:resumed] == ASKED).all()
    s = DT * np.arange(resumed - asked) / 0.25
    close(out[asked:resumed, EFFORT], WEIGHT * (1.0 - blend(s))[:, None])
    assert followed[resumed:].all()
    close(out[-1, EFFORT], efforts_of(chain.rows[-1:])[0])


def test_a_known_jerk_bounds_the_rate_itself(pendulums):
    """One sample whose jerk is beyond the limit does not change the effort yet."""
    rate = 100.0
    for rows, expected in ((3, NONE), (4, RATE_BEYOND)):
        chain = Chain()
        chain.hold(400)
        jet = np.zeros((4, N))
        jet[3, 0] = 1.01 * rate / INERTIA[0]
        chain.add(jet, rows=rows)
        _, why, _ = pendulums(chain.rows, rate=rate)
        assert not why[:400].any() and why[400] == expected
    chain = Chain()
    chain.hold(400)
    jet[3, 0] = 0.99 * rate / INERTIA[0]
    chain.add(jet, rows=4)
    assert not pendulums(chain.rows, rate=rate)[1].any()


@pytest.mark.parametrize('value', [np.nan, np.inf])
def test_what_cannot_be_computed_is_not_sent(pendulums, value):
    chain = Chain()
    chain.hold(400)
    chain.add([[0.0, 0.0], [0.0, 0.0], [value, 0.0]])
    _, why, out = pendulums(chain.rows)
    assert why[400] == NOT_COMPUTABLE and np.isfinite(out).all()
