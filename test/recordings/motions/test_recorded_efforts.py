# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of joint states as they come: noise, clocks mixed, gaps, springs at their ends."""

import re

import numpy as np
import pytest
from helpers.bag_messages import JOINTS, NOISE, SECOND, START, joint_state, true_jets
from scipy.signal import lfilter

import screw_dynamics as sd
from screw_dynamics.errors import BagError, InputError, RecordingWarning, TrajectoryError

STEP = 4_000_000  # ns
TIMES = STEP * np.arange(1000)


@pytest.fixture
def noisy(rng):
    """Return the measured positions (1000, 2) of the motion."""
    return true_jets(TIMES / SECOND)[:, 0] + NOISE * rng.normal(size=(1000, 2))


def states(positions, times=TIMES, stamp_of=lambda i, time: START + time):
    """Return the rows of a bag of joint states."""
    return [
        ('/joint_states', time, joint_state(JOINTS, q, stamp_of(i, time)))
        for i, (time, q) in enumerate(zip(times.tolist(), positions, strict=True))
    ]


def test_bands_cover_the_truth(efforts_of, measured_bag, arm):
    found = efforts_of(measured_bag, order=1)
    assert 'repeated: 10, without all joints or a stamp: 11' in found.report
    lines = [line.split() for line in found.report.splitlines() if line.startswith('joint_')]
    np.testing.assert_allclose([float(line[1]) for line in lines], NOISE, rtol=0.1)
    results, ((_, origin),) = found.results, found.parts
    assert results.effort_jet.shape == (1000, 2, 2)
    truth = true_jets((origin.stamps - START) / SECOND)
    for d in range(5):
        gap = np.abs(results.joint_jet[:, d] - truth[:, d]) / results.joint_deviations[:, d]
        assert (gap < 2.0).mean() > 0.9, d
    error = results.effort_jet - sd.inverse_dynamics(arm, truth[:, :4].copy())
    assert (np.abs(error) < 2 * results.effort_deviations).mean(axis=(0, 2)).min() > 0.9


def test_bands_of_motor_commands_cover_the_truth(efforts_of, measured_bag, elastic):
    found = efforts_of(measured_bag, elastic())
    ((results, origin),) = found.parts
    truth = sd.elastic_feedforward(elastic(), true_jets((origin.stamps - START) / SECOND))
    expected = [truth.motor_position, truth.motor_velocity, truth.motor_acceleration]
    expected += [truth.motor_effort, truth.deflection]
    score = (results.motors.values - np.stack(expected, axis=1)) / results.motors.deviations
    assert (np.abs(score) < 2.0).mean(axis=(0, 2)).min() > 0.9
    assert np.sqrt((score**2).mean(axis=(0, 2))).min() > 0.2
    # a linear spring: the deflection is as uncertain as the effort
    np.testing.assert_allclose(
        results.motors.deviations[:, 4],
        results.effort_deviations[:, 0] / [400.0, 200.0],
        rtol=1e-6,
    )


def test_dampers_remember_so_their_motors_have_no_bands(efforts_of, measured_bag, elastic):
    springs = sd.LinearSpring(400.0, damping=2.0), sd.LinearSpring(200.0)
    results = efforts_of(measured_bag, elastic(*springs)).results
    assert results.motors.deviations is None and results.effort_deviations.min() > 0.0


def test_rotors_on_moving_links_need_more_than_is_measured(efforts_of, measured_bag, elastic):
    with pytest.raises(InputError, match='rotor_coupling: expected false'):
        efforts_of(measured_bag, elastic(rotor_coupling=True))


def test_springs_whose_range_ends_within_the_band(efforts_of, noisy, elastic, tmp_path):
    def compute(most):
        ends = np.array([-1.0, 0.0, 1.0])
        table = sd.TabulatedSpring(0.1 * ends, most * ends)
        return efforts_of(path, elastic(table, sd.LinearSpring(200.0)), order=0).results

    efforts_of(states(noisy), order=0)
    path = tmp_path / 'a_bag'
    whole = compute(30.0)
    largest = float(np.abs(whole.effort_jet[:, 0, 0]).max())
    # the estimate is within the range, one standard deviation beside it is not
    with pytest.warns(RecordingWarning, match='no standard deviations of the motors: .*joint_1'):
        part = compute(largest + 1e-7)
    assert part.motors.deviations is None
    np.testing.assert_allclose(part.motors.values[:, 3], whole.motors.values[:, 3], rtol=0.05)
    np.testing.assert_allclose(part.effort_deviations, whole.effort_deviations, rtol=1e-6)
    # and beyond it the error names the time
    with pytest.raises(InputError, match=r"joint 'joint_1' at .* s: effort: exp"):
        compute(largest - 0.01)


@pytest.mark.parametrize(
    ('stamp_of', 'left_out'),
    [
        (lambda i, time: 0, 0),  # nobody stamps: the times of reception
        (lambda i, time: STEP * i, 1),  # a simulation's clock, which begins at 0
        (lambda i, time: 0 if i % 50 == 7 else START + time, 20),  # one of two drivers stamps
    ],
    ids=['none', 'simulated', 'some'],
)
def test_stamps_of_two_clocks_are_not_mixed(efforts_of, noisy, stamp_of, left_out):
    found = efforts_of(states(noisy, 3 * SECOND + TIMES, stamp_of), order=0)
    assert f'or a stamp: {left_out}' in found.report
    assert f'{1000 - left_out} samples' in found.report
    assert found.results.times[-1] == pytest.approx(0.004 * 999, abs=0.005)


def test_a_gap_is_told_as_start_and_end_count(efforts_of, noisy, tmp_path):
    rows = [('/early', 0, joint_state(['gripper'], [0.0], START))]  # where the bag begins
    rows += states(noisy, 3 * SECOND + TIMES)
    rows[101:998] = []
    text = 'nothing was recorded for 3.592 s after 3.396000 s.*: choose it by --start and --end'
    with pytest.raises(TrajectoryError, match=text):
        efforts_of(rows, topic='/joint_states')
    found = efforts_of(tmp_path / 'a_bag', topic='/joint_states', end=3.3965)
    assert '100 samples' in found.report


def test_a_part_and_a_rate(efforts_of, measured_bag):
    """Times count from the first sample; none is outside of what was measured."""
    found = efforts_of(measured_bag, start=0.5, end=1.5, rate=50.0)
    stamps = found.parts[0][1].stamps - START
    assert 0.49 * SECOND < stamps[0] < 0.51 * SECOND and 1.47 * SECOND < stamps[-1] < 1.51 * SECOND
    even = 0.02 * np.arange(len(stamps) - 1)  # and the last sample
    np.testing.assert_allclose(found.results.times[:-1], even, rtol=0.0, atol=2e-9)
    with pytest.raises(BagError, match='no messages between --start and --end; the bag has'):
        efforts_of(measured_bag, start=99.0)


@pytest.mark.parametrize(
    ('change', 'text'),
    [
        (lambda q: q, None),
        (lambda q: lfilter([0.5], [1.0, -0.5], q, axis=0), 'neighbouring samples err alike'),
        (lambda q: q + [[0.0], [0.5]] * (len(q) // 2), 'do two sources send on this topic?'),
    ],
    ids=['white', 'filtered', 'two robots'],
)
def test_samples_that_the_bands_do_not_fit_are_told(efforts_of, noisy, recwarn, change, text):
    efforts_of(states(change(noisy)), order=0)
    told = [str(warning.message) for warning in recwarn]
    if text is None:
        assert not told
        return
    assert [line.partition(':')[0] for line in told] == list(JOINTS)
    for line in told:
        assert text in line
        for r, factor in re.findall(r'correlation ([0-9.]+)\), .* least ([0-9.]+) times', line):
            expected = np.sqrt((1 + float(r)) / (1 - float(r)))
            assert float(factor) == pytest.approx(expected, abs=0.1)


def test_a_smoothing_time_that_is_too_long_is_told(efforts_of, measured_bag, recwarn):
    efforts_of(measured_bag, order=0, smoothing_time=1.5)
    told = [str(warning.message) for warning in recwarn]
    assert len(told) == 2 and all('or --smoothing-time too long' in text for text in told)
    with pytest.raises(InputError, match='smoothing_time: expected 0.002'):
        efforts_of(measured_bag, smoothing_time=50.0)


def test_turns_of_continuous_joints_are_undone(efforts_of, rng):
    text = sd.share_path('urdf/planar_2r.urdf').read_text()
    robot = sd.read_urdf(text.replace('"revolute"', '"continuous"'))
    turning = np.outer(TIMES / SECOND, [5.0, -3.0]) + NOISE * rng.normal(size=(1000, 2))
    rows = states((turning + np.pi) % (2 * np.pi) - np.pi)
    jets = efforts_of(rows, robot, order=0).results.joint_jet
    np.testing.assert_allclose(jets[:, 1], np.tile([5.0, -3.0], (1000, 1)), atol=0.05)


def test_measured_efforts_are_kept_beside_those_of_the_model(efforts_of, noisy):
    """One message has none."""
    measured = np.arange(2000.0).reshape(1000, 2)
    rows = states(noisy)
    for i, (*_, message) in enumerate(rows):
        message.effort = measured[i] if i != 8 else np.empty(0)
    found = efforts_of(rows, order=0).results.measured_effort
    np.testing.assert_array_equal(np.delete(found, 8, axis=0), np.delete(measured, 8, axis=0))
    assert np.isnan(found[8]).all()


def test_positions_in_degrees_are_asked_about(efforts_of, noisy):
    with pytest.raises(InputError, match="/joint_states.*joint 'joint_.*are they in degrees?"):
        efforts_of(states(np.degrees(noisy)))


def test_joints_that_are_not_recorded_are_named(efforts_of):
    with pytest.raises(BagError, match='joint_2 are not among joint_1: choose others by --joints'):
        efforts_of([('/a', 0, joint_state(['joint_1'], [0.0], 5))])
