# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Soft robots that are others in other coordinates, and invariants of mechanics."""

import numpy as np
import pytest
from oracles import material_points

import screw_dynamics as sd

SOFT = sd.soft
LENGTH, RADIUS, DENSITY = 0.3, 0.03, 1000.0
MASS = DENSITY * np.pi * RADIUS**2 * LENGTH
SECTION = RADIUS / np.sqrt(2.0) * np.array([[1, 0], [-1, 0], [0, 1], [0, -1.0]])


def bent_points(q, nodes=14):
    """Return pose and points of an arc with angles (..., 1), and weights of the points."""
    x, weights = np.polynomial.legendre.leggauss(nodes)
    x, weights = 0.5 * (x + 1.0), 0.5 * weights
    along = np.append(x, 1.0)
    # the axis by quadrature of its tangent (-sin, 0, cos)
    part = q[..., np.newaxis] * along[:, np.newaxis] * x
    axis_x = -LENGTH * along * (np.sin(part) @ weights)
    axis_z = LENGTH * along * (np.cos(part) @ weights)
    angle = q * along
    sine, cosine = np.sin(angle), np.cos(angle)
    pose = np.zeros((*q.shape[:-1], 4, 4), q.dtype)
    pose[..., 0, 0], pose[..., 0, 2], pose[..., 0, 3] = cosine[..., -1], -sine[..., -1], axis_x[
        ..., -1
    ]  # fmt: skip
    pose[..., 2, 0], pose[..., 2, 2], pose[..., 2, 3] = sine[..., -1], cosine[..., -1], axis_z[
        ..., -1
    ]  # fmt: skip
    pose[..., 1, 1] = pose[..., 3, 3] = 1.0
    places = [
        np.stack([axis_x + a * cosine, b + 0.0 * angle, axis_z + a * sine], axis=-1)[..., :-1, :]
        for a, b in SECTION
    ]
    return pose, np.concatenate(places, axis=-2), np.tile(0.25 * weights, 4)


def virtual_work(modules, jet):
    """Return the efforts of a motion (3, n) without gravity: partials and accelerations only."""
    q, radius = material_points.on_circle(jet)
    places = material_points.world_points(modules, q)
    acceleration = 2.0 * material_points.coefficients(places, radius, 3)[2].real
    partials = material_points.partials(modules, jet[0] + 0j).real
    masses = np.concatenate([module.masses for module in modules])
    return np.einsum('jkc,kc,k->j', partials, acceleration, masses)


@pytest.mark.long
def test_random_motions_of_arcs_have_the_efforts_of_virtual_work():
    """Simulation 3 of P2025: angles to pi, rates to 10, accelerations to 100."""
    rng = np.random.default_rng(11)
    arc = SOFT.PlanarConstantCurvature(LENGTH, RADIUS, MASS)
    points = material_points.PointModule(1, lambda q: bent_points(q)[:2])
    points.masses = MASS * bent_points(np.zeros(1))[2]
    pace = 0.1  # without gravity, efforts at this pace are pace^2 times as large
    errors = []
    for count, samples in ((1, 10), (2, 6), (3, 4), (6, 2)):
        robot = SOFT.SoftRobot([arc] * count, gravity=(0, 0, 0))
        for _ in range(samples):
            jet = rng.uniform(-1.0, 1.0, (3, count)) * [[np.pi], [10.0], [100.0]]
            slow = jet * [[1.0], [pace], [pace**2]]
            expected = material_points.efforts([points] * count, (0, 0, 0), slow)[0] / pace**2
            got = sd.inverse_dynamics(robot, jet)[0]
            errors.append(np.abs(got - expected).max() / np.abs(expected).max())
    assert np.max(errors) < 1e-12  # rounding of the circle
    assert np.mean(errors) < 1e-13


def joints_and_arc(*last):
    return SOFT.SoftRobot(
        [
            SOFT.Joint('revolute', (0, 0.6, 0.8)),
            SOFT.PlanarConstantCurvature(LENGTH, RADIUS, MASS, 0.3, 0.1),
            SOFT.Joint('prismatic', (1, 0, 0)),
            *last,
        ]
    )


class Turned(SOFT.Module):
    """A body with another frame at its end, which moves with the coordinates."""

    def __init__(self, module):
        self.module, self.name, self.n, self.masses = module, None, module.n, module.masses

    def tip_pose(self, q):
        rotation, translation = self.module.tip_pose(q)
        zero = 0.0 * q[0]
        sine, cosine = np.sin(2.0 * q[0] + 0.4), np.cos(2.0 * q[0] + 0.4)
        turn = [[cosine, -sine, zero], [sine, cosine, zero], [zero, zero, zero + 1.0]]
        turn = np.stack([np.stack(row) for row in turn])
        return rotation @ turn, translation + np.stack([0.2 * q[0], 0.1 + zero, q[0] * q[0]])

    def positions(self, q):
        return self.module.positions(q)


@pytest.mark.parametrize('compiled', [True, False])
def test_the_frame_at_the_end_of_the_last_body_does_not_change_the_efforts(compiled):
    rod = SOFT.ConstantCurvature(0.25, 0.02, 0.3)
    turned = joints_and_arc(Turned(rod))
    if not compiled:
        parts = [Turned(rod)] * 2
        turned = SOFT.SoftRobot([parts[0]])
        assert turned.kernel_table.given.all()
    plain = joints_and_arc(rod) if compiled else SOFT.SoftRobot([rod])
    jet = np.random.default_rng(4).uniform(-0.2, 0.2, (5, plain.n))
    expected, got = sd.inverse_dynamics(plain, jet), sd.inverse_dynamics(turned, jet)
    scale = np.abs(expected).max(axis=1, keepdims=True)
    assert np.all(np.abs(got - expected) <= 1e-12 * scale)
    matrix = sd.mass_matrix(plain, jet[0])
    assert np.abs(sd.mass_matrix(turned, jet[0]) - matrix).max() <= 1e-13 * np.abs(matrix).max()
    assert (
        np.abs(sd.frame_pose(turned, jet[0], 'tip') - sd.frame_pose(plain, jet[0], 'tip')).max()
        > 0.05
    )


def test_the_frame_of_the_last_volume_preserving_body_does_not_change_its_efforts():
    body = SOFT.VolumePreserving(0.1, 0.02, 0.12, nodes=(2, 4, 4))
    units = np.array([0.5, 0.2, 2.0, 0.2, 2.0, 0.5, 0.004, 0.004])
    for before, scale in (([], units), ([body], np.tile(units, 2))):
        plain, turned = (
            SOFT.SoftRobot([*before, last], (0, 0, 0)) for last in (body, Turned(body))
        )
        jet = np.random.default_rng(3).uniform(-0.5, 0.5, (3, plain.n)) * scale
        expected, got = (sd.inverse_dynamics(robot, jet)[0] * scale for robot in (plain, turned))
        assert np.abs(got - expected).max() <= 2e-14 * np.abs(expected).max()


def test_a_soft_body_that_does_not_move_is_a_rigid_body():
    angle = 1.3
    pose, places, weights = bent_points(np.array([angle]), nodes=20)
    com = weights @ places
    r = places - com
    inertia = MASS * np.einsum(
        'k,kij->ij', weights, [x @ x * np.eye(3) - np.outer(x, x) for x in r]
    )
    before = [SOFT.Joint('revolute', (0, 1, 0)), SOFT.Joint('prismatic', (0.6, 0, 0.8))]
    after = [
        SOFT.Joint('revolute', (1, 0, 0)),
        SOFT.RigidBody(0.7, (0.1, 0, 0.2), np.diag([0.02, 0.03, 0.04])),
    ]
    soft = SOFT.SoftRobot([*before, SOFT.PlanarConstantCurvature(LENGTH, RADIUS, MASS), *after])
    rigid = SOFT.SoftRobot([*before, SOFT.RigidBody(MASS, com, inertia, pose), *after])
    jet = np.random.default_rng(5).uniform(-1.0, 1.0, (5, 3))
    wide = np.insert(jet, 2, 0.0, axis=1)
    wide[0, 2] = angle
    moving = [0, 1, 3]
    expected, got = sd.inverse_dynamics(rigid, jet), sd.inverse_dynamics(soft, wide)[:, moving]
    scale = np.abs(expected).max(axis=1, keepdims=True)
    assert np.all(np.abs(got - expected) <= 1e-13 * scale)
    matrix = sd.mass_matrix(soft, wide[0])[np.ix_(moving, moving)]
    expected = sd.mass_matrix(rigid, jet[0])
    assert np.abs(matrix - expected).max() <= 1e-14 * np.abs(expected).max()


def test_velocity_forces_are_those_of_the_christoffel_symbols():
    robot = joints_and_arc(SOFT.ConstantCurvature(0.25, 0.02, 0.3, 0.1, 20.0, 0.2))
    q, qd = np.random.default_rng(6).uniform(-0.2, 0.2, (2, robot.n))
    h = 1e-2
    steps = h * np.eye(robot.n)

    def difference(i):
        return sd.mass_matrix(robot, q + i * steps) - sd.mass_matrix(robot, q - i * steps)

    # error of about h^6 / 140 times the seventh derivative
    slopes = (45.0 * difference(1) - 9.0 * difference(2) + difference(3)) / (60.0 * h)
    symbols = 0.5 * (slopes.transpose(1, 2, 0) + slopes.transpose(1, 0, 2) - slopes)
    coriolis = symbols @ qd
    rate = np.einsum('kij,k->ij', slopes, qd)
    damping = np.concatenate(
        [m.damping_efforts(q[o], qd[o]) for m, o in zip(robot.modules, robot.slices, strict=True)]
    )
    velocity = sd.bias_forces(robot, q, qd) - sd.bias_forces(robot, q, 0.0 * qd) - damping
    assert np.abs(velocity - coriolis @ qd).max() <= 1e-11 * np.abs(damping).max()
    skew = rate - 2.0 * coriolis
    assert np.abs(skew + skew.T).max() <= 1e-11 * np.abs(rate).max()


@pytest.mark.parametrize('name', ['panda', 'branched_gripper'])
def test_every_chain_of_a_bundled_tree_agrees_with_its_model(name):
    source = sd.share_path(f'urdf/{name}.urdf')
    for tip in sd.read_urdf(source, mimic='independent').body_names:
        model = sd.read_urdf(source, tip_link=tip, mimic='independent')
        robot = SOFT.SoftRobot.from_model(model)
        jet = np.random.default_rng(2).normal(size=(5, model.n))
        expected, got = sd.inverse_dynamics(model, jet), sd.inverse_dynamics(robot, jet)
        scale = np.abs(expected).max(axis=1, keepdims=True)
        assert np.all(np.abs(got - expected) <= 1e-12 * scale)


def test_gravity_forces_along_a_motion_have_the_derivatives_of_the_chain_rule():
    rod = SOFT.ConstantCurvature(0.25, 0.02, 0.3, 0.1, 20.0, 0.2)
    robot = joints_and_arc(rod)
    jet = np.random.default_rng(7).uniform(-0.2, 0.2, (4, robot.n))
    jets = sd.gravity_forces_jet(robot, jet)
    scale = np.abs(jets).max()
    assert np.abs(jets[0] - sd.gravity_forces(robot, jet[0])).max() <= 1e-14 * scale
    h = 1e-2

    def difference(i):
        ahead, behind = (sd.gravity_forces(robot, jet[0] + s * i * h * jet[1]) for s in (1, -1))
        return ahead - behind

    # error of about h^6 / 140 times the seventh derivative
    slope = (45.0 * difference(1) - 9.0 * difference(2) + difference(3)) / (60.0 * h)
    assert np.abs(jets[1] - slope).max() <= 1e-12 * scale


def test_an_output_array_in_the_memory_of_the_motion_is_refused():
    robot = joints_and_arc()
    memory = np.zeros((4, 3, robot.n))
    with pytest.raises(sd.ScrewDynamicsError, match='out: expected memory of its own'):
        sd.inverse_dynamics(
            robot, memory, out=memory.reshape(3, 4, robot.n)[:1].reshape(4, 1, robot.n)
        )


def test_an_arc_cut_in_two_halves_is_the_same_arc():
    whole = SOFT.SoftRobot([SOFT.PlanarConstantCurvature(0.4, 0.03, 0.8)])
    halves = SOFT.SoftRobot([SOFT.PlanarConstantCurvature(0.2, 0.03, 0.4)] * 2)
    jet = np.random.default_rng(3).normal(size=(5, 1))
    tau = sd.inverse_dynamics(whole, jet)
    parts = sd.inverse_dynamics(halves, 0.5 * np.repeat(jet, 2, axis=1))
    # virtual work: half the angle in each half
    assert np.allclose(0.5 * parts.sum(axis=1, keepdims=True), tau, rtol=1e-12)


def test_planar_and_spatial_arcs_agree_in_the_plane():
    planar = SOFT.SoftRobot([SOFT.PlanarConstantCurvature(0.3, 0.03, 0.8, 0.2, 0.1)] * 2)
    spatial = SOFT.SoftRobot(
        [SOFT.ConstantCurvature(0.3, 0.03, 0.8, 0.2, damping=0.1, elongation=False)] * 2
    )
    jet = np.random.default_rng(3).uniform(-1.0, 1.0, (5, 2))
    wide = np.zeros((5, 4))
    wide[:, [0, 2]] = -jet  # q1 turns about +y
    expected, got = sd.inverse_dynamics(planar, jet), sd.inverse_dynamics(spatial, wide)
    # eight Gauss points are exact to 1e-13 at these angles
    assert np.allclose(-got[:, [0, 2]], expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())


def test_a_rod_of_constant_strain_is_the_arc_of_constant_curvature():
    basis = np.zeros((6, 3))
    basis[1, 0], basis[0, 1], basis[5, 2] = np.array([1.0, -1.0, 1.0]) / 0.3
    arc = SOFT.ConstantCurvature(0.3, 0.03, 0.5, 0.2, 15.0, 0.1)
    stiffness = (0.2, 0.2, 0.0, 0.0, 0.0, 15.0)
    rods = [
        SOFT.VariableStrain(
            0.3, 0.03, 0.5, lambda s: basis, stiffness=stiffness, damping=0.1, nodes=12, order=k
        )
        for k in (2, 4)
    ]
    jet = np.random.default_rng(8).uniform(-0.25, 0.25, (5, 3))
    expected = sd.inverse_dynamics(SOFT.SoftRobot([arc]), jet)
    for rod in rods:
        got = sd.inverse_dynamics(SOFT.SoftRobot([rod]), jet)
        assert np.allclose(got, expected, rtol=1e-12, atol=1e-13)
