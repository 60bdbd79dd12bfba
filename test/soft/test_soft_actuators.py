# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Chambers, joint efforts, actuation matrices and collocated coordinates."""

import numpy as np
import pytest
from oracles.differences import derivatives, slope
from scipy.linalg import expm

import screw_dynamics as sd

SOFT = sd.soft
LENGTH, INNER, OUTER = 0.1, 0.01, 0.02


def mesh_volume(grid):
    """Return the volume inside of triangles on a grid (rings, angles, 3), closed by cones."""
    following = np.roll(grid, -1, axis=1)
    total = 0.0
    for a, b, c in (
        (grid[:-1], following[:-1], following[1:]),
        (grid[:-1], following[1:], grid[1:]),
    ):
        total += np.sum(a * np.cross(b, c)) / 6.0
    for ring, after, sign in ((grid[0], following[0], -1.0), (grid[-1], following[-1], 1.0)):
        apex = np.broadcast_to(ring.mean(axis=0), ring.shape)
        total += sign * np.sum(apex * np.cross(ring, after)) / 6.0
    return total


def wall(offset, radius, rings=120, angles=240):
    """Return points (rings, angles, 3) of a cavity at rest."""
    z, angle = np.meshgrid(
        np.linspace(0.0, LENGTH, rings), 2.0 * np.pi * np.arange(angles) / angles, indexing='ij'
    )
    places = (offset[0] + radius * np.cos(angle), offset[1] + radius * np.sin(angle), z)
    return np.stack(places, axis=-1)


def strained(points, bends, stretch):
    """Return points of a rod of constant strain, by matrix exponentials of its sections."""
    moved = np.empty_like(points)
    kx, ky = bends
    strain = np.array([[0, 0, ky, 0], [0, 0, -kx, 0], [-ky, kx, 0, 1 + stretch], [0, 0, 0, 0]])
    for i, ring in enumerate(points):
        pose = expm(strain * ring[0, 2])
        flat = np.concatenate([ring[:, :2], np.zeros((len(ring), 1))], axis=1)
        moved[i] = flat @ pose[:3, :3].T + pose[:3, 3]
    return moved


def test_a_chamber_in_a_rod_has_the_volume_of_a_mesh():
    offset, radius = (0.006, -0.004), 0.005
    grid = wall(offset, radius)
    inside = 0.5 * 240 * np.sin(2 * np.pi / 240) / np.pi  # of a polygon, relative to the circle
    arc = SOFT.ConstantCurvature(LENGTH, 0.02, 0.1)
    rod = SOFT.ConstantStrain(LENGTH, 0.02, 0.1, strains=['bend_x', 'bend_y', 'stretch'])
    basis = SOFT.strain_basis(LENGTH, 'monomial', {'bend_x': 1, 'bend_y': 1, 'stretch': 1})
    fourth = SOFT.VariableStrain(LENGTH, 0.02, 0.1, basis)  # with two points in each step
    plane = SOFT.PlanarConstantCurvature(LENGTH, 0.02, 0.1)
    for body, q, bends, stretch in (
        (arc, (0.8, -0.5, 0.02), (0.5, 0.8), 0.02),
        (rod, (0.5, 0.8, 0.02), (0.5, 0.8), 0.02),
        (fourth, (0.5, 0.8, 0.02), (0.5, 0.8), 0.02),
        (plane, (0.9,), (0.0, -0.9), 0.0),
    ):
        robot = SOFT.SoftRobot([body])
        chamber = SOFT.PressureChamber(robot, {'body_1': offset}, radius)
        moved = strained(grid, np.array(bends) / LENGTH, stretch / LENGTH)
        # chords of the rings, 1e-4 of the volume at 120 rings squared
        assert np.isclose(chamber.coordinate(q) * inside, mesh_volume(moved), rtol=1e-5)


def gripper():
    """Return the tube of P2025, Table 5: stretch and source of the second power of z."""
    modes = [[0.0, 0.0, 1.0 / LENGTH**2]]
    primitives = [SOFT.VolumePrimitive('stretch', modes), SOFT.VolumePrimitive('source', modes)]
    return SOFT.VolumePreserving(LENGTH, OUTER, 0.1, primitives, inner_radius=INNER)


def test_the_cavity_of_a_widening_tube_has_its_closed_volume():
    robot = SOFT.SoftRobot([gripper()])
    chamber = SOFT.PressureChamber(robot, {'body_1': (0.0, 0.0)}, INNER)
    for stretch, source in ((0.0, 0.0), (0.4, 2e-4), (-0.3, -5e-5)):
        end = LENGTH * (1.0 + stretch / 3.0)
        volume = np.pi * (INNER**2 * LENGTH + source * end**3 / (3.0 * LENGTH**2))
        assert np.isclose(chamber.coordinate([stretch, source]), volume, rtol=1e-12)
        slope = np.pi * np.array([source * end**2 / 3.0 / LENGTH, end**3 / (3.0 * LENGTH**2)])
        efforts = chamber.effort_jet([[stretch, source]])[0]
        assert np.allclose(efforts, slope, rtol=1e-11, atol=1e-15)


def bent_robot():
    """Return a robot of all kinds of bodies that chambers and threads know."""
    primitives = [
        SOFT.VolumePrimitive('source', [[0.0, 0.0, 1.0 / LENGTH**2]]),
        SOFT.VolumePrimitive('bend_x', [[1.0 / LENGTH]]),
    ]
    tube = SOFT.VolumePreserving(LENGTH, OUTER, 0.1, primitives, inner_radius=INNER, name='tube')
    arc = SOFT.ConstantCurvature(0.3, 0.02, 0.4, name='arc')
    rod = SOFT.ConstantStrain(0.2, 0.02, 0.3, strains=['bend_x', 'twist', 'shear_x'], name='rod')
    return SOFT.SoftRobot([SOFT.Joint('revolute'), arc, rod, SOFT.Joint('prismatic'), tube])


def drives(robot):
    return [
        SOFT.JointEffort(robot, 'joint_2'),
        SOFT.Thread(robot, {'arc': (0.01, 0.004), 'rod': (0.01, 0.004), 'tube': (0.0, 0.015)}),
        SOFT.PressureChamber(robot, {'tube': (0.0, 0.0)}, INNER),
        SOFT.PressureChamber(robot, {'arc': (0.008, 0.0), 'rod': (0.0, 0.008)}, 0.005),
        SOFT.JointEffort(robot, 'joint_1'),
    ]


def motion():
    """Return robot, actuators, the jet (4, n) of a motion, and units (m,) of coordinates y."""
    robot = bent_robot()
    scale = np.array([1.0, 0.3, 0.3, 0.02, 0.4, 0.3, 0.02, 0.1, 5e-5, 0.5])
    jet = np.random.default_rng(4).uniform(-1.0, 1.0, (4, robot.n)) * scale
    return robot, drives(robot), jet, np.array([0.1, 0.1, 1e-5, 1e-5, 1.0]), scale


def test_columns_are_the_slopes_of_the_collocated_coordinates():
    robot, actuators, jet, units, scale = motion()
    matrix = SOFT.actuation_matrix(actuators, jet[:1])[0]
    assert matrix.shape == (robot.n, 5)
    for j, unit in enumerate(np.diag(scale)):
        for a, actuator in enumerate(actuators):
            expected = slope(lambda h, a=actuator, e=unit: a.coordinate(jet[0] + h * e), 1e-3)
            assert abs(matrix[j, a] * scale[j] - expected) < 1e-10 * units[a]


def test_efforts_and_their_derivatives_are_those_along_the_motion():
    robot, actuators, jet, units, _ = motion()
    inputs = np.random.default_rng(5).uniform(-1.0, 1.0, (4, 5)) / units
    efforts = SOFT.actuation_efforts(actuators, jet, inputs)

    def at(t, rows):
        return rows[0] + t * rows[1] + t**2 / 2.0 * rows[2] + t**3 / 6.0 * rows[3]

    def efforts_at(t):
        matrix = SOFT.actuation_matrix(actuators, at(t, jet)[np.newaxis])[0]
        return matrix @ at(t, inputs)

    expected = derivatives(efforts_at, 0.1, 13)
    for order, bound in ((1, 1e-10), (2, 1e-8), (3, 1e-6)):
        scale = abs(efforts[order]).max()
        assert abs(efforts[order] - expected[order]).max() < bound * scale, order


def test_inputs_of_the_wrong_kind_are_named():
    robot, actuators, jet, _, _ = motion()
    other = SOFT.JointEffort(bent_robot(), 'joint_1')
    for call, text in (
        (lambda: SOFT.JointEffort(robot, 'elbow'), "'elbow'"),
        (lambda: SOFT.PressureChamber(robot, {'joint_1': (0, 0)}, 0.01), 'expected a rod'),
        (lambda: SOFT.PressureChamber(robot, {'elbow': (0, 0)}, 0.01), "body 'elbow'"),
        (lambda: SOFT.PressureChamber(robot, {'arc': (0, 0)}, 0.0), 'radius'),
        (lambda: SOFT.actuation_matrix([], jet), 'actuators: expected one or more'),
        (lambda: SOFT.actuation_matrix([actuators[0], other], jet), r'actuators\[1\]: expected'),
        (lambda: SOFT.actuation_matrix([None], jet), r'actuators\[0\]: expected an Actuator'),
        (lambda: SOFT.actuation_efforts(actuators, jet, np.zeros((4, 2))), 'input_jet'),
        (lambda: SOFT.actuation_matrix(actuators, jet[:, 1:]), 'joint_jet: expected'),
    ):
        with pytest.raises(sd.ScrewDynamicsError, match=text):
            call()


def arm():
    """Return a hinge with two rods, driven at the hinge and by three threads through both."""
    rod = SOFT.ConstantCurvature(0.3, 0.02, 0.4, 0.06, 630.0, 0.1)
    robot = SOFT.SoftRobot([SOFT.Joint('revolute', (0, 1, 0)), rod, rod])
    offsets = [(0.015 * np.cos(a), 0.015 * np.sin(a)) for a in 2.0 * np.pi * np.arange(3) / 3]
    threads = [SOFT.Thread(robot, {'body_1': o, 'body_2': o}) for o in offsets]
    return robot, [SOFT.JointEffort(robot, 'joint_1'), *threads]


def curved():
    """Return a robot with a thread of which A depends on q."""
    rod = SOFT.ConstantStrain(0.3, 0.02, 0.4, strains=['bend_y', 'shear_x', 'stretch'])
    robot = SOFT.SoftRobot([rod, rod])
    return robot, [SOFT.Thread(robot, {'body_1': (0.01, 0.0), 'body_2': (0.0, 0.01)})]


@pytest.mark.parametrize('build', [arm, curved])
def test_rates_are_those_along_the_motion(build):
    robot, drives = build()
    jet = np.random.default_rng(0).uniform(-0.1, 0.1, (3, robot.n))
    found = SOFT.collocated_coordinates(drives, jet[0], jet[1])
    h = 1e-3

    def at(t):
        q = jet[0] + t * jet[1] + 0.5 * t * t * jet[2]
        return np.array([drive.coordinate(q) for drive in drives])

    rate = slope(at, h)
    second = (at(h) - 2.0 * at(0.0) + at(-h)) / h**2
    assert np.abs(found.position - at(0.0)).max() < 1e-15
    assert np.abs(found.velocity - rate).max() < 1e-11
    # rounding of y over h^2
    assert np.abs(found.matrix.T @ jet[2] + found.drift - second).max() < 1e-7


@pytest.mark.parametrize('build', [arm, curved])
def test_the_law_is_that_of_the_equations_in_theta(build):
    """The corrected law of P2025, with z some of q."""
    robot, drives = build()
    rng = np.random.default_rng(1)
    q, qd = rng.uniform(-0.1, 0.1, (2, robot.n))
    wanted = rng.uniform(-1.0, 1.0, len(drives))
    m, h = len(drives), 1e-5
    rest = [4, 5, 6] if build is arm else [1, 2, 3, 4, 5]

    def turn(x):
        return np.vstack([SOFT.actuation_matrix(drives, [x])[0].T, np.eye(robot.n)[rest]])

    jacobian = turn(q)  # theta' = jacobian q'
    inverse = np.linalg.inv(jacobian)
    rate = (turn(q + h * qd) - turn(q - h * qd)) / (2.0 * h)
    mass, bias = sd.mass_matrix(robot, q), sd.bias_forces(robot, q, qd)
    mass_theta = inverse.T @ mass @ inverse
    bias_theta = inverse.T @ (bias - mass @ inverse @ rate @ qd)
    blocks = mass_theta[:m, m:] @ np.linalg.inv(mass_theta[m:, m:])
    schur = mass_theta[:m, :m] - blocks @ mass_theta[m:, :m]
    expected = schur @ wanted + bias_theta[:m] - blocks @ bias_theta[m:]
    got = SOFT.linearising_inputs(drives, q, qd, wanted)
    # inverses of jacobians with a condition of 1e3, differences of 1e-10
    assert np.allclose(got, expected, rtol=1e-8, atol=1e-8 * abs(expected).max())


def test_known_efforts_of_other_inputs_are_allowed_for():
    robot, drives = arm()
    rng = np.random.default_rng(3)
    q, qd, known = rng.uniform(-0.1, 0.1, (3, robot.n))
    wanted = np.array([0.5, -0.3])
    inputs = SOFT.linearising_inputs(drives[:2], q, qd, wanted, known)
    found = SOFT.collocated_coordinates(drives[:2], q, qd)
    qdd = sd.forward_dynamics(robot, q, qd, found.matrix @ inputs + known)
    assert np.allclose(found.matrix.T @ qdd + found.drift, wanted, rtol=0.0, atol=1e-9)


def test_dependent_inputs_are_refused():
    robot, drives = arm()
    zero = np.zeros(robot.n)
    with pytest.raises(sd.ScrewDynamicsError, match='actuators: expected independent inputs'):
        SOFT.linearising_inputs([drives[1], drives[1]], zero, zero, [0.0, 0.0])
    weightless = SOFT.SoftRobot([SOFT.Joint('revolute')])
    with pytest.raises(sd.ScrewDynamicsError, match='q: expected a positive definite mass'):
        SOFT.linearising_inputs([SOFT.JointEffort(weightless, 'joint_1')], [0.0], [0.0], [0.0])
    with pytest.raises(sd.ScrewDynamicsError, match='acceleration'):
        SOFT.linearising_inputs(drives, zero, zero, [0.0])
