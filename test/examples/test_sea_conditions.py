# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What the comparison of feedforwards does to commands, parameters and positions."""

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('mujoco', reason='the comparison runs in MuJoCo')

from screw_dynamics.dynamics import inverse_dynamics  # noqa: E402
from sea_study import differences  # noqa: E402
from sea_study.arms import IIWA, MOTION, PANDA, Arm, Factors  # noqa: E402
from sea_study.commands import JITTER, SECONDS, Link, lateness, step_efforts, tick_times  # noqa: E402
from sea_study.conditions import PARAMETERS, Condition, Feedback, Trial  # noqa: E402
from sea_study.mujoco_robot import MujocoRobot  # noqa: E402
from sea_study.robustness import PERIOD, endure  # noqa: E402
from sea_study.scene import CLEAN, EXACT, NOISY, RIGID, scene  # noqa: E402

DOCS = Path(__file__).resolve().parents[2] / 'docs'
SOFT = Arm(PANDA, 'soft', 'hanging')


# commands ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    'link',
    [Link(), Link(250.0, 0.0), Link(1000.0, 0.0005, 0.0013), Link(250.0, 0.002, 0.002, jitter=1)],
    ids=['as sent', 'slow', 'late', 'jitter'],
)
def test_a_step_has_the_mean_of_the_commands_held_in_it(link):
    found = step_efforts(link, lambda t: np.stack([t, t**2], axis=1), 100, PERIOD)
    ticks = tick_times(link, 100 * PERIOD)
    fine = 1000
    instants = PERIOD / fine * (np.arange(100 * fine) + 0.5)
    sent = [ticks[ticks + link.delay <= t][-1] + link.lead for t in instants]
    expected = np.mean(np.reshape(sent, (100, fine)), axis=1)
    # the sum has a step at each arrival
    np.testing.assert_allclose(found[:, 0], expected, atol=2.0 * 0.03 / fine)
    expected = np.mean(np.reshape(np.square(sent), (100, fine)), axis=1)
    np.testing.assert_allclose(found[:, 1], expected, atol=2.0 * 0.03**2 / fine)


def test_the_jitter_is_that_of_the_document():
    rows = re.findall(
        r'(\d+) Hz: (\d+) / (\d+) / (\d+) µs', (DOCS / 'demo_sea.md').read_text(encoding='utf-8')
    )
    assert {float(rate): tuple(1e-6 * float(x) for x in three) for rate, *three in rows} == {
        rate: pytest.approx(three, rel=1e-12) for rate, three in JITTER.items()
    }
    for rate, (median, high, largest) in JITTER.items():
        delays = lateness(rate, np.random.default_rng(0), 400_000)
        assert np.median(delays) == pytest.approx(median, rel=0.02)
        # the tail is steep: 0.016 % of the ticks, a standard deviation here, are 5 % of the value
        assert np.percentile(delays, 99) == pytest.approx(high, rel=0.15)
        assert delays.max() == pytest.approx(largest, rel=1e-12)
        assert (delays >= 0.999 * largest).mean() == pytest.approx(1.0 / (SECONDS * rate), rel=0.9)


# parameters --------------------------------------------------------------------------------------


@pytest.mark.parametrize('parameter', PARAMETERS)
def test_the_exact_feedforward_is_worse_the_more_is_wrong(parameter):
    largest = []
    for excess in (0.0, 0.05, 0.1, 0.2):
        trial = Trial(Factors(**{parameter: 1.0 + excess}))
        (found,) = endure(SOFT, Condition('', (trial,), feedforwards=(EXACT,)))
        largest.append(found.largest[0])
    assert (np.diff(largest) > 0.0).all()
    assert largest[0] < 0.05 * largest[1]  # and only rounding and the hold are left without
    # an error that is small grows in proportion
    assert largest[2] / largest[1] == pytest.approx(2.0, rel=0.15)


# differences -------------------------------------------------------------------------------------


def test_differences_of_a_parabola_are_exact():
    model = scene(SOFT).model
    times = differences.SAMPLING * np.arange(9.0)
    positions = 0.3 + np.outer(0.2 * times + 0.5 * times**2, np.ones(model.n))
    tau, rate, acceleration = differences.motor_motion(model, positions, np.full(model.n, 1e9))
    jets = np.zeros((5, 3, model.n))
    jets[:, 0], jets[:, 1], jets[:, 2] = positions[2:-2], 0.2 + times[2:-2, None], 1.0
    # rounding of positions divided by the square of the step
    np.testing.assert_allclose(tau, inverse_dynamics(model, jets)[:, 0], atol=1e-7)
    np.testing.assert_allclose(rate, jets[:, 1], atol=1e-6)
    np.testing.assert_allclose(acceleration, 1.0, atol=1e-3)


def test_clean_differences_are_exact_but_for_their_step():
    place = scene(SOFT)
    times = np.linspace(0.0, MOTION, 777)
    exact = place.efforts(EXACT, times)
    error = np.abs(place.efforts(CLEAN, times) - exact).max()
    assert 0.0 < error < 2e-2
    assert np.abs(place.efforts(RIGID, times) - exact).max() > 1e2 * error
    assert np.abs(place.efforts(NOISY, times) - exact).max() > 3.0 * error


def test_encoder_and_filter():
    times = np.arange(-1.0, 3.0, differences.SAMPLING)
    slow, fast = (np.sin(2.0 * np.pi * f * times)[:, None] for f in (1.0, 200.0))
    read = differences.readings(slow, 1)
    np.testing.assert_allclose(read / differences.STEP, np.round(read / differences.STEP))
    expected = np.hypot(differences.NOISE, differences.STEP / np.sqrt(12.0))
    assert (read - slow).std() == pytest.approx(expected, rel=0.05)
    middle = slice(1000, -1000)
    left = differences.smoothed(slow + fast, 10.0)[middle] - slow[middle]
    assert np.abs(left).max() < 1e-4  # neither delay nor ripple: both ways of order 4


# feedback ----------------------------------------------------------------------------------------


def test_feedback_is_what_it_is_called():
    place = scene(Arm(IIWA, 'soft', 'hanging'))
    stiffness, damping = place.gains(3.0)
    jet = np.zeros((3, 7))
    jet[0] = place.reference(np.zeros(1))[0, 0]
    weight = inverse_dynamics(place.model, jet)[0]
    for j in range(7):
        jet[2] = np.eye(7)[j]
        link = (inverse_dynamics(place.model, jet)[0] - weight)[j]
        drives = IIWA.drives
        inertia = link + drives.gear_ratios[j] ** 2 * drives.rotor_inertias[j]
        poles = np.roots([inertia, damping[j], stiffness[j]])
        assert np.abs(poles) == pytest.approx(6.0 * np.pi, rel=1e-12)
        assert poles.real == pytest.approx(-0.7 * 6.0 * np.pi, rel=1e-12)


def test_following_is_that_of_the_engine_with_friction_at_every_stage():
    place = scene(SOFT)
    steps = 1000
    instants = PERIOD * np.arange(steps)
    efforts = place.efforts(EXACT, instants + 0.5 * PERIOD)
    wanted, gains = place.wanted(instants, False), place.gains(Feedback().frequency)
    positions = []
    for way in ('follow', 'run'):
        robot = MujocoRobot(place.robot, timestep=PERIOD)
        robot.set_state(*place.simulation.split(place.start))
        if way == 'follow':
            positions.append(robot.follow(efforts, wanted, gains))
            continue

        def drive(t, theta, rate):
            k = round(t / PERIOD)
            feedback = gains[0] * (wanted[0][k] - theta) + gains[1] * (wanted[1][k] - rate)
            return efforts[k] + feedback

        positions.append(robot.run(steps, drive, hold=0.0).position)
    moved = np.abs(positions[1] - positions[1][0]).max()
    assert moved > 0.5
    # extrapolated friction is of second order in the step
    assert np.abs(positions[0] - positions[1]).max() < 1e-6
