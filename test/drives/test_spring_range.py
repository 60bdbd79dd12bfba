# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs at any effort, at the end of their range, and in the limit of a rigid joint."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from oracles.elastic_laws import spring_efforts

import screw_dynamics as sd
from screw_dynamics.errors import NotFiniteError, SpringRangeError

MASS = sd.ScrewModel.from_screws(
    [-1], [np.eye(4)], [[0, 0, 0, 0, 0, 1]], [np.diag([0, 0, 0, 1.0, 1.0, 1.0])], np.zeros(3)
)
signs = st.sampled_from([-1.0, 1.0])
decades = st.floats(-8.0, 8.0)


def deflect(spring, effort, stiffness=None) -> np.ndarray:
    """Return the deflection jets, rows by motors, at an effort (a jet or a number)."""
    jet = np.zeros((5, 1))
    jet[2 : 2 + np.size(effort), 0] = effort
    drives = sd.Drives({'joint_1': sd.JointDrive(spring)})
    varied = None if stiffness is None else {'joint_1': stiffness}
    return sd.elastic_feedforward(
        sd.Robot(MASS, drives), jet, stiffness_jets=varied
    ).deflection_jet


@given(signs, st.floats(-150, 150), decades, decades)
def test_cubic_springs_at_any_effort(sign, exponent, k1, k3):
    spring = sd.CubicSpring(10.0**k1, 10.0**k3)
    effort = sign * 10.0**exponent
    phi = deflect(spring, effort)[0, 0]
    assert spring.effort(phi) == pytest.approx(effort, rel=1e-14)


@given(signs, st.floats(-150, 100), decades, st.floats(-3, 3))
def test_exponential_springs_at_any_effort(sign, exponent, k, a):
    spring = sd.ExponentialSpring(10.0**k, 10.0**a)
    effort = sign * 10.0**exponent
    phi = deflect(spring, effort)[0, 0]
    # an error of one unit in a phi is one of the relative effort
    error = 1e-15 * max(1.0, abs(10.0**a * phi))
    assert spring.effort(phi) == pytest.approx(effort, rel=4.0 * error)


def test_no_effort_no_deflection():
    for spring in (sd.CubicSpring(3.0, 5.0), sd.CubicSpring(3.0, 0.0), sd.ExponentialSpring(3, 5)):
        assert (deflect(spring, 0.0) == 0.0).all()


def test_an_overflow_is_an_error_not_a_nan():
    with pytest.raises(NotFiniteError, match="joint 'joint_1': overflow"):
        deflect(sd.LinearSpring(1e-300), 1e20)
    with pytest.raises(NotFiniteError, match='overflow'):
        deflect(sd.ExponentialSpring(1e-300, 1e10), [1e20, 1.0])


PAIRS = {
    'exponential': {'spring_stiffness': 20.0, 'rate': 8.0},
    'quadratic': {'quadratic_stiffness': 300.0},
    'cubic': {'spring_stiffness': 30.0, 'cubic_stiffness': 900.0},
}


def pair(law: str, **more) -> sd.AntagonisticPair:
    return sd.AntagonisticPair(law, stiffness=100.0, **PAIRS[law], **more)


def largest_effort(law: str, sigma: float) -> float:
    """The effort at which a pair of the stiffness sigma ends."""
    p = PAIRS[law]
    if law == 'exponential':
        return sigma / p['rate']
    if law == 'quadratic':
        return sigma**2 / (4.0 * p['quadratic_stiffness'])
    k1, k3 = p['spring_stiffness'], p['cubic_stiffness']
    r2 = 2.0 * (sigma - 2.0 * k1) / (3.0 * k3)
    s = np.sqrt(min(r2, (k1 + 0.75 * k3 * r2) / (1.5 * k3)))
    return s * (k1 + 0.75 * k3 * r2 - 0.5 * k3 * s * s)


@given(st.sampled_from(list(PAIRS)), signs, st.floats(0.0, 1.0), st.floats(61.0, 1e4))
def test_pairs_up_to_the_end_of_their_range(law, sign, share, sigma):
    end = largest_effort(law, sigma)
    effort = sign * end * (1.0 - 10.0 ** (-12.0 * share)) * 0.999999
    try:
        phi = deflect(pair(law), [effort, 3.0], [sigma, -2.0, 5.0])
    except SpringRangeError as error:
        assert law == 'cubic' and 'det J' in str(error)
        return
    one, other = spring_efforts(pair(law), phi[0])
    x, y = (mpf(value) for value in phi[0])
    with mp.workdps(40):
        tau, stiffness = one(x) + other(y), mp.diff(one, x) + mp.diff(other, y)
        rate = mp.diff(one, x) * phi[1, 0] + mp.diff(other, y) * phi[1, 1]
        change = mp.diff(one, x, 2) * phi[1, 0] + mp.diff(other, y, 2) * phi[1, 1]
        size = abs(one(x)) + abs(other(y))
        sizes = abs(mp.diff(one, x) * phi[1, 0]) + abs(mp.diff(other, y) * phi[1, 1])
        changes = abs(mp.diff(one, x, 2) * phi[1, 0]) + abs(mp.diff(other, y, 2) * phi[1, 1])
    assert abs(tau - effort) <= 1e-12 * size + 1e-14 * sigma
    assert abs(stiffness - sigma) <= 1e-12 * sigma
    assert abs(rate - 3.0) <= 1e-12 * sizes
    assert abs(change + 2.0) <= 1e-12 * changes


@pytest.mark.parametrize('sign', [-1.0, 1.0])
@pytest.mark.parametrize('law', PAIRS)
def test_beyond_its_range_a_pair_says_so(law, sign):
    effort = sign * 1.000001 * largest_effort(law, 90.0)
    with pytest.raises(
        SpringRangeError, match="joint 'joint_1': antagonistic pair: expected a stiffness .*got 90"
    ) as caught:
        deflect(pair(law), effort, [90.0, 0.0, 0.0])
    assert caught.value.joint == 'joint_1' and caught.value.sample is None
    assert caught.value.values[:2] == (pytest.approx(effort), 90.0)
    for sigma in (0.0, -5.0):
        with pytest.raises(SpringRangeError, match='expected a stiffness'):
            deflect(pair(law), 1.0, [sigma, 0.0, 0.0])


def test_a_cubic_pair_without_cocontraction_is_singular():
    # phi1 = phi2: all of the stiffness comes from the effort
    k1, k3 = PAIRS['cubic']['spring_stiffness'], PAIRS['cubic']['cubic_stiffness']
    phi = 0.1
    assert k1 > 3.0 * k3 * phi**2
    effort = 2.0 * (k1 * phi + k3 * phi**3)
    sigma = 2.0 * (k1 + 3.0 * k3 * phi**2)
    with pytest.raises(
        SpringRangeError, match='pair is singular: .* det J = .* expected one away'
    ):
        deflect(pair('cubic'), effort, [sigma * (1.0 + 1e-14), 0.0, 0.0])


@pytest.mark.parametrize('apart', [1e-3, 1e-4, 1e-5])
def test_a_cubic_pair_next_to_its_singularity(apart):
    spring = pair('cubic')
    phi = 0.1 + apart * np.array([0.5, -0.5])
    k1, k3 = PAIRS['cubic']['spring_stiffness'], PAIRS['cubic']['cubic_stiffness']
    effort = k1 * phi.sum() + k3 * (phi**3).sum()
    sigma = 2.0 * k1 + 3.0 * k3 * (phi @ phi)
    found = deflect(spring, [effort, 0.0], [sigma, 0.0, 0.0])[0]
    assert found.sum() == pytest.approx(0.2, rel=1e-12)
    # the difference is the root of a difference
    assert found[0] - found[1] == pytest.approx(apart, rel=1e-13 * (0.1 / apart) ** 2)


def test_tendons_pull():
    soft = pair('exponential', pull_only=True)
    least = 2.0 * 20.0 + 8.0 * 1.5  # sigma >= 2 k + a |tau|
    phi = deflect(soft, 1.5, [1.000001 * least, 0.0, 0.0])[0]
    assert phi[0] > 0.0 > phi[1] > -1e-6
    with pytest.raises(SpringRangeError, match='expected tendons that pull, .* got .* and'):
        deflect(soft, 1.5, [0.999999 * least, 0.0, 0.0])
    loose = deflect(pair('exponential'), 1.5, [0.999999 * least, 0.0, 0.0])[0]
    assert loose[1] > 0.0


def test_a_slack_quadratic_tendon_transmits_nothing():
    first, second = pair('quadratic').efforts([-0.1, 0.1], [-0.1, 0.1])
    np.testing.assert_allclose(first, [0.0, 300.0 * 0.1**2], rtol=1e-15)
    np.testing.assert_allclose(second, [-300.0 * 0.1**2, 0.0], rtol=1e-15)


@pytest.mark.parametrize('stiffness', [0.0, -3.0])
def test_a_stiffness_is_positive(stiffness):
    jets = np.zeros((3, 5, 1))
    drives = sd.Drives({'joint_1': sd.JointDrive(sd.VariableStiffness(10.0))})
    varied = np.full((3, 3), 5.0)
    varied[2, 0] = stiffness
    message = f"joint 'joint_1' at sample 2: stiffness: expected K > 0, got {stiffness:g}"
    with pytest.raises(SpringRangeError, match=message) as caught:
        sd.elastic_feedforward(sd.Robot(MASS, drives), jets, stiffness_jets={'joint_1': varied})
    assert caught.value.sample == 2
