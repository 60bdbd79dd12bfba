# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs that are fitted to means of deflections, and what is taken for a play."""

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.estimation.identification.least_squares import cosine_windows
from screw_dynamics.estimation.identification.springs import fitted_springs

STIFFNESS, CUBIC = 500.0, 4e5  # N m/rad, N m/rad^3: twice as stiff at 0.02 rad
# of a real spring that hardens, its effort over the powers 1 to 5 of its deflection
QUINTIC = [60.0, 0.0, -5732.0, 0.0, 1.769e6]
ZERO = 0.003  # rad


def means(values):
    """Return means of 0.1 s."""
    return values.reshape(-1, 50, *values.shape[1:]).mean(axis=1)


def fitted(planar, law, efforts_at, size=0.03, noise=0.0):
    """Return springs, of that law, with efforts at deflections, and what is said of them."""
    times = np.arange(0.0, 20.0, 0.002)
    deflections = size * np.column_stack((np.sin(5.0 * times), np.cos(9.0 * times)))
    efforts = efforts_at(deflections)
    efforts = efforts + noise * np.random.default_rng(0).normal(size=efforts.shape)
    links = np.column_stack((np.sin(2.0 * times), np.sin(3.0 * times)))
    recording = sd.Recording(
        planar.joint_names, times, links, motor_positions=links + deflections + ZERO
    )
    return fitted_springs(
        planar,
        recording,
        efforts,
        np.gradient(links, times, axis=0),
        cosine_windows(means(times), 1.0),
        dict.fromkeys(planar.joint_names, law),
        smooth=means,
        gain=1.0 / 50.0,
    )


def hardening(deflections):
    return STIFFNESS * deflections + CUBIC * deflections**3


def test_laws_are_smoothed_not_their_deflections(planar):
    fits, findings = fitted(planar, 'cubic', hardening)
    for fit in fits:
        assert fit.stiffness == pytest.approx(STIFFNESS, rel=1e-4)
        assert fit.rows[1][1] == pytest.approx(CUBIC, rel=1e-4)
        assert fit.zero == pytest.approx(ZERO, rel=1e-4)
        assert fit.secant > 1.1 * STIFFNESS
    assert findings == ()


def test_stiffness_of_a_table_is_that_at_rest(planar):
    for fit in fitted(planar, 'tabulated', hardening)[0]:
        assert fit.stiffness == pytest.approx(STIFFNESS, rel=0.1)
        names = [row for row, *_ in fit.rows]
        assert names[0] == 'stiffness' and len(names) == 7
        assert all(name.startswith('effort_at_') for name in names[1:])


def test_stiffness_of_a_line_is_its_slope_over_the_visited_range(planar):
    """And another law is named."""
    fits, findings = fitted(planar, 'linear', hardening)
    times = np.arange(0.0, 20.0, 0.002)
    for fit, phase, rate in zip(fits, (np.sin, np.cos), (5.0, 9.0), strict=True):
        visited = 0.03 * phase(rate * times)
        line = np.polyfit(means(visited), means(hardening(visited)), 1)[0]
        assert fit.stiffness == pytest.approx(line, rel=1e-6)
    text = "joint 'joint_2': expected deflections of a linear spring, got some that another law"
    assert [finding.kind for finding in findings] == ['hardening', 'hardening']
    assert text in findings[1].text


def test_a_spring_that_hardens_has_no_play(planar):
    """A quintic of a real module, to 70 mrad: a line with a dead band would take 11 mrad of it."""

    def efforts_at(deflections):
        powers = deflections[..., np.newaxis] ** np.arange(1, 6)
        return powers @ QUINTIC

    fits, findings = fitted(planar, 'linear', efforts_at, 0.07, noise=0.1)
    for fit in fits:
        assert [row for row, *_ in fit.rows] == ['stiffness']
    assert {finding.kind for finding in findings} == {'hardening'}


def test_a_play_is_told_with_its_certainty(planar):
    """Also of a spring that hardens."""
    gap = 4e-3

    def efforts_at(deflections):
        beyond = np.maximum(np.abs(deflections) - 0.5 * gap, 0.0) * np.sign(deflections)
        return STIFFNESS * beyond + 0.2 * CUBIC * beyond**3

    fits, findings = fitted(planar, 'cubic', efforts_at, noise=0.05)
    told = [finding for finding in findings if finding.kind == 'backlash']
    assert len(told) == 2 and all('standard deviations' in one.text for one in told)
    for fit in fits:
        assert dict((row, value) for row, value, _ in fit.rows)['backlash'] == pytest.approx(
            gap, rel=0.1
        )
