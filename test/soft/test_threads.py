# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Threads by their closed lengths, polygons and finite differences; pull-only tensions."""

import numpy as np
import pytest
from oracles import material_points
from oracles.differences import slope

import screw_dynamics as sd
from screw_dynamics.soft.segments.thread_set import ThreadJets

SOFT = sd.soft
ANGLES = 2.0 * np.pi * np.arange(3) / 3.0


def offset(angle, d=0.015):
    return (d * np.cos(angle), d * np.sin(angle))


def test_a_robot_without_such_a_body_is_named():
    arm = SOFT.SoftRobot([SOFT.Joint('revolute'), SOFT.ConstantCurvature(0.3, 0.02, 0.4)])
    with pytest.raises(sd.ScrewDynamicsError, match='expected a rod or a body'):
        SOFT.Thread(arm, {'joint_1': (0.0, 0.0)})
    for offsets in ([('body_1', (0.0, 0.0))], None):
        with pytest.raises(sd.ScrewDynamicsError, match='offsets: expected a mapping'):
            SOFT.Thread(arm, offsets)
    with pytest.raises(sd.ScrewDynamicsError, match='actuators: expected a sequence'):
        SOFT.actuation_matrix(None, np.zeros((1, 4)))
    with pytest.raises(sd.ScrewDynamicsError, match='joint_jet: expected'):
        SOFT.Thread(arm, {'body_1': (0.0, 0.0)}).effort_jet(np.zeros(4))


def test_tensions_pull_and_realise_the_efforts():
    matrix = np.array([[np.cos(a), np.sin(a)] for a in ANGLES]).T
    for efforts in np.random.default_rng(2).normal(size=(20, 2)):
        tensions = SOFT.allocate_tensions(matrix, efforts, least=0.5)
        assert tensions.min() >= 0.5
        assert np.allclose(matrix @ tensions, efforts, rtol=0.0, atol=1e-12)
    with pytest.raises(sd.ScrewDynamicsError, match='by pulling'):
        SOFT.allocate_tensions([[1.0]], [-1.0])
    with pytest.raises(sd.ScrewDynamicsError, match='matrix: expected'):
        SOFT.allocate_tensions([1.0], [-1.0])


def test_no_threads_realise_no_efforts():
    assert SOFT.allocate_tensions(np.zeros((2, 0)), [0.0, 0.0]).shape == (0,)
    assert SOFT.allocate_tensions(np.zeros((0, 2)), [], least=3.0).tolist() == [3.0, 3.0]
    with pytest.raises(sd.ScrewDynamicsError, match='by pulling'):
        SOFT.allocate_tensions(np.zeros((2, 0)), [1.0, 2.0])


# Routes that are not parallel to the axis: tangents in space by complex steps, 200 Gauss points

LENGTH = 0.3
_X, _W = np.polynomial.legendre.leggauss(200)
PLACES, WEIGHTS = 0.5 * LENGTH * (_X + 1.0), 0.5 * LENGTH * _W


def slanted(s):
    return np.stack([0.015 - 0.02 * s / LENGTH, 0.01 * s / LENGTH], axis=-1)


def helical(s):
    angle = 0.4 + 3.0 * np.pi * s / LENGTH
    return 0.015 * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def tapering(u):
    return 0.015 * np.stack([1.0 - u * u, 0.0 * u], axis=-1), -0.03 * np.stack(
        [u, 0.0 * u], axis=-1
    )


ROUTES = {
    'parallel': (lambda s: np.broadcast_to([0.01, -0.004], (len(s), 2)), (0.01, -0.004)),
    'slanted': (slanted, [(0.015, 0.0), (-0.005, 0.01)]),
    'helical': (helical, SOFT.Helix(0.015, 1.5, 0.4)),
    'tapering': (lambda s: tapering(s / LENGTH)[0], tapering),
}


def exact_length(poses, route):
    """Return the length of a thread from the poses (..., 4, 4) of sections at complex s."""
    s, h = PLACES + 1e-30j, 1e-30
    places = np.zeros((len(s), 4), complex)
    places[:, :2], places[:, 3] = route(s), 1.0
    moved = np.einsum('sij,sj->si', poses(s), places)[:, :3]
    return WEIGHTS @ np.linalg.norm(moved.imag / h, axis=1)


def screwed(strains):
    """Return the poses of a rod whose strain (6,) is the same all along."""
    return lambda s: material_points.exponential(s[:, None, None] * material_points.hat(strains))


def of_all_strains(q):
    strains = np.asarray(q) / LENGTH + np.eye(6)[5]
    return SOFT.ConstantStrain(0.3, 0.02, 0.4), screwed(strains)


def of_an_arc(q):
    strains = np.array([-q[1], q[0], 0.0, 0.0, 0.0, LENGTH + q[2]]) / LENGTH
    return SOFT.ConstantCurvature(0.3, 0.02, 0.4), screwed(strains)


def of_a_planar_arc(q):
    strains = np.array([0.0, -q[0] / LENGTH, 0.0, 0.0, 0.0, 1.0])
    return SOFT.PlanarConstantCurvature(0.3, 0.02, 0.4), screwed(strains)


def of_a_twist_that_grows(q):
    """Twist linear in s: the axis stays straight."""
    basis = SOFT.strain_basis(0.3, 'monomial', {'twist': 2, 'stretch': 1})

    def poses(s):
        angle = q[0] * s / LENGTH + 0.5 * q[1] * (s / LENGTH) ** 2
        result = np.zeros((len(s), 4, 4), complex)
        result[:, 0, 0] = result[:, 1, 1] = np.cos(angle)
        result[:, 0, 1], result[:, 1, 0] = -np.sin(angle), np.sin(angle)
        result[:, 2, 2] = result[:, 3, 3] = 1.0
        result[:, 2, 3] = s * (1.0 + q[2] / LENGTH)
        return result

    return SOFT.VariableStrain(0.3, 0.02, 0.4, basis), poses


BODIES = {
    'six strains': (of_all_strains, 6),
    'arc': (of_an_arc, 3),
    'planar arc': (of_a_planar_arc, 1),
    'growing twist': (of_a_twist_that_grows, 3),
}


@pytest.mark.parametrize('route', ROUTES)
@pytest.mark.parametrize('body', BODIES)
def test_slanted_and_helical_threads_have_the_length_of_their_line_in_space(body, route):
    make, n = BODIES[body]
    exact, offset = ROUTES[route]
    scale = np.where(np.arange(n) < 2, 1.0, 0.03)
    if body == 'six strains':
        scale[2] = 1.0  # a twist, not an elongation
    q = np.random.default_rng(4).uniform(-0.8, 0.8, n) * scale
    module, poses = make(q)
    robot = SOFT.SoftRobot([module])
    thread = SOFT.Thread(robot, {'body_1': offset})
    assert abs(thread.length(q) - exact_length(poses, exact)) < 1e-15
    jet = np.array([q, scale, 0.2 * scale, 0.0 * q])
    efforts = thread.effort_jet(jet)
    for j, unit in enumerate(scale):
        e = unit * np.eye(n)[j]
        # fourth powers of the step, and rounding over it
        expected = slope(lambda h, e=e: exact_length(make(q + h * e)[1], exact), 1e-3)
        assert abs(efforts[0, j] * unit + expected) < 1e-12
    rate = slope(lambda t: thread.effort_jet([q + t * jet[1] + 0.5 * t * t * jet[2]])[0], 1e-3)
    np.testing.assert_allclose(efforts[1], rate, atol=1e-11)
    check_control_loop(robot, offset, jet, efforts)


def check_control_loop(robot, offset, jet, efforts):
    """The same efforts, prepared for calls in a loop."""
    columns = ThreadJets(robot, {'body_1': offset})
    matrices = np.zeros((*jet.shape, 1))
    matrices[0, :, 0] = columns.constant_part
    columns.add(jet, matrices, 0, np.empty((3 * len(jet) + 1, 3)))
    np.testing.assert_allclose(matrices[..., 0], efforts, atol=1e-13 * abs(efforts).max())


def test_a_route_through_a_volume_body_has_the_length_of_a_fine_polygon():
    body = SOFT.VolumePreserving(0.1, 0.02, 0.12)
    robot = SOFT.SoftRobot([body])
    q = np.array([0.3, 0.1, 1.0, -0.1, 0.5, 0.4, 0.002, -0.003])
    u = np.linspace(0.0, 1.0, 8001)
    for offset in ([(0.02, 0.0), (0.0, 0.01)], tapering):
        thread = SOFT.Thread(robot, {'body_1': offset})
        if callable(offset):
            line = offset(u)[0]
        else:
            line = np.outer(1.0 - u, offset[0]) + np.outer(u, offset[1])
        points = body.places(np.column_stack([line, 0.1 * u]), q)
        expected = np.sum(np.linalg.norm(np.diff(points, axis=0), axis=1))
        assert np.isclose(thread.length(q), expected, rtol=1e-6)  # pieces squared
        jet = np.array([q, -q])
        check_control_loop(robot, offset, jet, thread.effort_jet(jet))
        efforts = thread.effort_jet([q])[0]
        for j, step in enumerate([1e-4] * 6 + [1e-6] * 2):
            e = np.eye(8)[j]
            expected = -slope(lambda h, t=thread, e=e: t.length(q + h * e), step)
            assert abs(efforts[j] - expected) < 1e-8 + 1e-6 * abs(expected)


def test_wrong_routes_are_refused():
    arm = SOFT.SoftRobot([SOFT.ConstantCurvature(0.3, 0.02, 0.4)])
    for offset, text in (
        ([(0.0, 0.0)] * 3, r"offsets\['body_1'\]: expected shape \(2,\), or \(2, 2\)"),
        (lambda u: u, r"offsets\['body_1'\]: expected places and slopes at 72 fractions"),
        (lambda u: (u, u), r"offsets\['body_1'\]: expected shape \(72, 2\)"),
        (lambda u: (np.full((72, 2), np.nan), np.zeros((72, 2))), 'body_1'),
    ):
        with pytest.raises(sd.ScrewDynamicsError, match=text):
            SOFT.Thread(arm, {'body_1': offset})
    with pytest.raises(sd.ScrewDynamicsError, match='radius: expected'):
        SOFT.Helix(-0.01, 1.0)
