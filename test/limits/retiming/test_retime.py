# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fastest motions along paths: limits, optimality, path, smoothness."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.curves import curve_through, even, random_curve
from oracles.random_models import random_model
from scipy.optimize import brentq

import screw_dynamics as sd
from screw_dynamics.errors import InputError
from screw_dynamics.limits import certify
from screw_dynamics.limits.retiming import retimed_waypoints
from screw_dynamics.limits.retiming.limited_quantities import limited_robot
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints, smooth_trajectory

MASS = 2.0


def s_curve(distance, velocity, acceleration, jerk):
    """Return the least time of a rest-to-rest motion with limited derivatives."""

    def reached(peak):
        ramp = np.sqrt(peak / jerk)
        if ramp * jerk > acceleration:
            ramp = acceleration / jerk
            return peak * (ramp + peak / acceleration) / 2.0, ramp + peak / acceleration
        return peak * ramp, 2.0 * ramp

    if 2.0 * reached(velocity)[0] >= distance:
        peak = brentq(lambda v: 2.0 * reached(v)[0] - distance, 1e-9, velocity)
        return 2.0 * reached(peak)[1]
    covered, time = reached(velocity)
    return 2.0 * time + (distance - 2.0 * covered) / velocity


@pytest.mark.parametrize(
    ('distance', 'velocity', 'effort', 'rate'),
    [
        (3.0, 1.5, 20.0, 100.0),
        (2.0, 9.0, 1e3, 50.0),
    ],
)
def test_a_slider_takes_little_more_than_the_least_time(slider, distance, velocity, effort, rate):
    """The least time is that of the S-curve, whose jerk jumps; this motion is C4."""
    curve = curve_through(slider, [[0.0], [distance]])
    least = s_curve(distance, velocity, effort / MASS, rate / MASS)
    of_efforts = {'effort': effort, 'effort_rate': rate}
    of_motion = {'effort': 1e9, 'acceleration': effort / MASS, 'jerk': rate / MASS}
    for limits in (of_efforts, of_motion):
        fast = sd.retime(slider, curve, {'velocity': velocity, **limits})
        assert least <= fast.duration <= 1.01 * least


@pytest.mark.parametrize('seed', range(4))
def test_drawn_limits_of_drawn_robots(seed):
    """Trees of all joints; efforts are limited too, to twice what they are at slow motion."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, 4)
    n, free = model.n, np.full(model.n, np.inf)
    velocity, acceleration, jerk = (
        size * 10.0 ** rng.uniform(-0.5, 0.5, n) for size in (1.0, 4.0, 30.0)
    )
    curve = random_curve(model, rng)
    slow = curve.jets(even(curve, 1001), rows=3) * [[1.0], [0.0], [0.0]]
    effort = 2.0 * np.abs(sd.inverse_dynamics(model, slow)[:, 0]).max(axis=0) + 1.0
    limits = sd.JointLimits(-free, free, velocity, effort, acceleration, jerk)
    fast = sd.retime(model, curve, limits, intervals=80)
    limited = replace(model, limits=limits)
    times = even(fast, 20_001)
    report = sd.check_feasibility(limited, fast.jets(times), times)
    assert report.feasible and certify(limited, fast).feasible
    assert report.binding.excess > -2e-3
    slowed = sd.slow_down(limited, curve.jets(even(curve, 401)), even(curve, 401), tolerance=1e-3)
    assert fast.duration < curve.duration * slowed.factor


def reachable_optimum(coefficients, most, s):
    """
    Return the least time under |m u + c x + g| <= effort at stations, x = a, u = a' / 2.

    Backwards the largest controllable x of each station, forwards the largest reachable one.
    """
    m, c, g, effort = coefficients
    step = np.diff(s)

    def range_of_u(i, x):
        upper = np.where(m[i] > 0, effort, -effort)
        with np.errstate(divide='ignore', invalid='ignore'):
            high = (upper - c[i] * x - g[i]) / m[i]
            low = (-upper - c[i] * x - g[i]) / m[i]
        moving = np.abs(m[i]) > 1e-12
        fits = (np.abs(c[i] * x + g[i]) <= effort)[~moving].all()
        if not fits:
            return 1.0, -1.0
        return low[moving].max(initial=-1e9), high[moving].min(initial=1e9)

    largest = most.copy()
    for i in range(len(s) - 2, -1, -1):

        def feasible(x, i=i):
            low, high = range_of_u(i, x)
            return low <= high and x + 2.0 * step[i] * low <= largest[i + 1] * (1.0 + 1e-12)

        if not feasible(largest[i]):
            good, bad = 0.0, largest[i]
            for _ in range(60):
                middle = (good + bad) / 2.0
                good, bad = (middle, bad) if feasible(middle) else (good, middle)
            largest[i] = good
    x = largest.copy()
    for i in range(len(s) - 1):
        x[i + 1] = min(largest[i + 1], x[i] + 2.0 * step[i] * range_of_u(i, x[i])[1])
    speed = np.sqrt(x)
    return float((2.0 * step / (speed[1:] + speed[:-1])).sum())


def test_without_a_rate_limit_the_time_is_that_of_reachability_analysis(planar, rng):
    """An optimum found without any spline or program; both discretise: 2 %."""
    curve = curve_through(planar, rng.uniform(-1.0, 1.0, (2, 2)))
    effort = np.array([60.0, 25.0])
    fast = sd.retime(planar, curve, {'velocity': 3.0, 'effort': effort}, intervals=200)
    s = np.linspace(curve.breaks[0], curve.breaks[-1], 4001)[1:-1]
    path = curve.jets(s, rows=3)
    rest, both = np.zeros_like(path), path.copy()
    rest[:, 0] = path[:, 0]
    pulled = rest.copy()
    pulled[:, 2] = path[:, 1]
    g, c, m = (sd.inverse_dynamics(planar, jets)[:, 0] for jets in (rest, both, pulled))
    most = ((3.0 / np.maximum(np.abs(path[:, 1]), 1e-9)) ** 2).min(axis=1)
    optimum = reachable_optimum((m - g, c - g, g, effort), np.minimum(most, 1e4), s)
    assert 0.995 * optimum <= fast.duration <= 1.02 * optimum


@pytest.mark.long
def test_a_random_path(iiwa):
    """Limits by Pinocchio, gains over slowing down, loss by the limit of the effort rate."""
    pinocchio = pytest.importorskip('pinocchio')
    twin = pinocchio.buildModelFromUrdf(str(sd.share_path('urdf/iiwa14.urdf')))
    data = twin.createData()
    curve = random_curve(iiwa, np.random.default_rng(7))
    limits = {'effort_rate': 1500.0}
    fast = sd.retime(iiwa, curve, limits)
    times = even(fast)
    q, qd, qdd = np.moveaxis(fast.jets(times, rows=3), 1, 0)
    efforts = np.array(
        [pinocchio.rnea(twin, data, *state) for state in zip(q, qd, qdd, strict=True)]
    )
    assert (np.abs(qd) <= iiwa.limits.velocity).all()
    assert (np.abs(efforts) <= iiwa.limits.effort).all()
    # the mean rate between two instants is at most the largest rate; and it is used
    rates = np.abs(np.diff(efforts, axis=0)) / np.diff(times)[:, None]
    assert rates.max() <= 1500.0
    velocities = np.abs(qd) / iiwa.limits.velocity
    assert max(rates.max() / 1500.0, velocities.max()) > 0.98
    robot = limited_robot(iiwa, limits)
    given = np.linspace(curve.breaks[0], curve.breaks[-1], 400)[:-1]
    slow = sd.slow_down(robot, curve.jets(given), given, tolerance=1e-3)
    assert curve.duration * slow.factor >= 1.5 * fast.duration
    # a rest-to-rest S-curve with full acceleration takes effort / rate longer than without jerk
    unbounded = sd.retime(iiwa, curve)
    assert fast.duration - unbounded.duration <= iiwa.limits.effort.max() / 1500.0
    if len(curve.breaks) > 2:
        assert fast.duration <= 1.10 * unbounded.duration


def test_the_result_is_on_the_path_and_c4(iiwa):
    curve = random_curve(iiwa, np.random.default_rng(3))
    fast = sd.retime(iiwa, curve, {'effort_rate': 1500.0})
    assert fast.breaks[0] == curve.breaks[0] and np.diff(fast.breaks).min() >= 1e-3
    np.testing.assert_array_equal(fast.end, curve.end)
    for position in fast.jets(even(fast, 40), rows=1)[:, 0]:
        s = np.linspace(curve.breaks[0], curve.breaks[-1], 2001)
        for _ in range(6):
            distance = np.linalg.norm(curve.jets(s, rows=1)[:, 0] - position, axis=1)
            nearest, width = s[distance.argmin()], s[1] - s[0]
            s = np.clip(np.linspace(nearest - width, nearest + width, 201), *curve.breaks[[0, -1]])
        assert distance.min() < 1e-8  # 1e-9 for each of seven joints, and the search
    before = fast.jets(np.nextafter(fast.breaks[1:-1], -np.inf))
    after = fast.jets(fast.breaks[1:-1])
    size = np.abs(after).max(axis=(0, 2))
    # snap of short pieces has few digits
    bounds = np.array([1e-12, 1e-10, 1e-8, 1e-6, 1e-4])
    assert (np.abs(after - before).max(axis=(0, 2)) <= bounds * size).all()


def test_points_that_are_passed_within_a_millisecond(planar):
    """Segments take 1 ms or more, though 400 points of the path are passed in 0.2 s."""
    rough = curve_through(planar, [[0.0, 0.0], [0.3, -0.2]])
    curve = curve_through(planar, rough.jets(np.linspace(0.0, 1.0, 400), rows=1)[:, 0], 1e-2)
    limits = {'velocity': 9.0, 'effort': 80.0, 'effort_rate': 8e3}
    fast = sd.retime(planar, curve, limits, intervals=60)
    assert np.diff(fast.breaks).min() >= 1e-3 and fast.duration < 0.3
    times = even(fast, 20_001)
    assert sd.check_feasibility(limited_robot(planar, limits), fast.jets(times), times).feasible
    # positions of both joints at the same place of the path
    s = np.linspace(*curve.breaks[[0, -1]], 20_001)
    path, found = curve.jets(s, rows=1)[:, 0], fast.jets(times, rows=1)[:, 0]
    other = np.interp(found[:, 0], path[:, 0], path[:, 1])  # off by half of its largest gap^2
    assert np.abs(other - found[:, 1]).max() < 1e-7


def test_a_motion_under_way_keeps_its_state(planar):
    start = np.array([[0.0, 0.0], [0.5, -0.3], [0.2, 0.1], [0.0, 0.0], [0.0, 0.0]])
    unknown = np.full((1, 2), np.nan)
    points = Waypoints(
        planar.joint_names, np.array([2.0]), np.array([[1.0, 0.5]]), unknown, unknown
    )
    curve = smooth_trajectory(points, start)
    fast = sd.retime(planar, curve, {'velocity': 2.0, 'effort': 60.0, 'effort_rate': 1000.0})
    np.testing.assert_allclose(fast.jets([0.0])[0], start, atol=1e-6)
    assert fast.duration < 0.7 * curve.duration


def test_points_of_the_result_give_a_feasible_curve(planar):
    limits = {'velocity': 3.0, 'effort': 60.0, 'effort_rate': 800.0}
    robot = limited_robot(planar, limits)
    curve = curve_through(planar, [[0.0, 0.0], [1.0, -0.5], [0.3, 0.8]])
    fast = sd.retime(planar, curve, limits)
    waypoints, smooth = retimed_waypoints(robot, fast)
    again = smooth_trajectory(waypoints, rest_at_ends=True)
    np.testing.assert_array_equal(again.coefficients, smooth.coefficients)
    times = even(again, 20001)
    assert sd.check_feasibility(robot, again.jets(times), times).feasible
    assert again.duration < 1.02 * fast.duration


@pytest.mark.parametrize('count', [1, 3])
def test_positions_that_rest_need_no_time(planar, count):
    curve = curve_through(planar, [[0.2, 0.1]] * count)
    fast = sd.retime(planar, curve)
    assert fast.duration == 0.0
    np.testing.assert_array_equal(fast.jets([0.0, 1.0])[:, 0], [[0.2, 0.1]] * 2)
    nowhere = PiecewisePolynomial(np.zeros(1), np.zeros((0, 1, 2)), np.zeros(2), 4)
    still = sd.retime(planar, nowhere)
    assert still.duration == 0.0
    with pytest.raises(InputError, match='a path along which the robot moves'):
        retimed_waypoints(limited_robot(planar, None), still)


def test_small_motions_take_little_time(slider):
    """A millimetre takes 68 ms; a micrometre is shorter than the densest knots allow."""
    curve = curve_through(slider, [[0.0], [1e-3]])
    fast = sd.retime(slider, curve, {'effort_rate': 200.0})
    least = s_curve(1e-3, 5.0, 20.0 / MASS, 200.0 / MASS)
    assert least <= fast.duration <= 1.05 * least
    tiny = sd.retime(slider, curve_through(slider, [[0.0], [1e-6]]), {'effort_rate': 200.0})
    assert tiny.duration < 0.1


def test_no_segment_is_faster_and_pauses_last(planar):
    points = np.array([[0.0, 0.0], [0.5, 0.2], [0.5, 0.2], [0.6, 0.1]])
    times, rest = np.array([0.0, 0.2, 0.5, 2.5]), np.zeros((4, 2))
    curve = smooth_trajectory(Waypoints(planar.joint_names, times, points, rest, rest))
    limits = {'velocity': 2.0}
    fast = sd.retime(planar, curve, limits, no_faster=True, intervals=60)
    hurried = sd.retime(planar, curve, limits, no_faster=True, longest=0.0, intervals=60)
    assert fast.duration < hurried.duration
    for motion in (fast, hurried):
        jets = motion.jets(np.linspace(0.0, motion.duration, 4001), rows=2)
        assert np.abs(jets[:, 1]).max() <= 2.0
        pause = np.abs(jets[:, 1]).max(axis=1) < 1e-9
        assert 0.29 < motion.duration * pause[100:-100].mean()
        late = curve.jets(np.linspace(0.5, 2.5, 1001), rows=2)[:, 1]
        moves = jets[jets[:, 0, 0] > 0.5 + 1e-9, 1]
        assert (np.abs(moves).max(axis=0) <= 1.006 * np.abs(late).max(axis=0)).all()


def test_a_payload_makes_the_motion_longer(planar):
    curve = curve_through(planar, [[0.0, 0.0], [1.0, -0.5]])
    limits = {'velocity': 3.0, 'effort': 60.0, 'effort_rate': 800.0}
    loaded = planar.with_payload('tool', 2.0)
    light, heavy = (sd.retime(model, curve, limits, intervals=60) for model in (planar, loaded))
    assert heavy.duration > 1.02 * light.duration
    shares = []
    for motion in (light, heavy):
        tau = sd.inverse_dynamics(loaded, motion.jets(even(motion)))
        shares.append(max(np.abs(tau[:, 0]).max() / 60.0, np.abs(tau[:, 1]).max() / 800.0))
    assert shares[0] > 1.02
    assert 0.98 < shares[1] <= 1.0


def test_the_time_of_the_given_curve_does_not_matter(planar):
    points = [[0.0, 0.0], [1.0, 0.3]]
    limits = {'velocity': 3.0, 'effort': 60.0, 'effort_rate': 800.0}
    fast, slow = (
        sd.retime(planar, curve_through(planar, points, seconds), limits, intervals=60).duration
        for seconds in (1e-3, 1e5)
    )
    assert fast == pytest.approx(slow, rel=1e-3)


@pytest.mark.parametrize('distance', [0.02, 0.08, 1.0])
def test_more_intervals_are_not_slower(planar, distance):
    """Also of motions that take less time than many intervals would have."""
    curve = curve_through(planar, [[0.0, 0.0], [distance, distance / 2.0]])
    limits = {'velocity': 2.0, 'effort': 60.0, 'effort_rate': 1500.0}
    durations = [
        sd.retime(planar, curve, limits, intervals=count).duration
        for count in (10, 20, 50, 100, 200, 400)
    ]
    assert (np.diff(durations) <= 5e-3 * np.array(durations[:-1])).all(), durations
