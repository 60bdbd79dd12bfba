# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies that keep their volume, and bases of strains."""

import numpy as np
import pytest
from oracles import material_points
from oracles.differences import slope

import screw_dynamics as sd
from screw_dynamics.series.series_array import SeriesArray

LENGTH, RADIUS, MASS = 0.1, 0.02, 0.12
COEFFICIENT, ETA = 0.178e6, 0.05
SCALE = np.array([0.5, 0.2, 2.0, 0.2, 2.0, 0.5, 0.004, 0.004])
GRAVITY = (1.0, 2.0, -9.0)


@pytest.fixture(autouse=True)
def close_circle(monkeypatch):
    """Keep the shifts of the oracle away from branch points: aliasing below rounding."""
    monkeypatch.setattr(material_points, '_SHIFT_RADIUS', 0.1)


def body(**options):
    return sd.soft.VolumePreserving(LENGTH, RADIUS, MASS, **options)


def mapped(points, q):
    """Return the places (..., m, 3) by Table 4, for coordinates (..., 8)."""
    q1, q2, q3, q4, q5, q6, q7, q8 = (q[..., i, np.newaxis] for i in range(8))
    x, y, z = points.T
    u = z / LENGTH
    slope = 1.0 + u * (1.0 - u) * q1
    x, y = x / np.sqrt(slope), y / np.sqrt(slope)
    z = z + q1 * (z**2 / (2.0 * LENGTH) - z**3 / (3.0 * LENGTH**2))
    x, z = bent(x, z, q2, q3)
    y, z = bent(y, z, q4, q5)
    angle = z / LENGTH * q6
    x, y = x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)
    return np.stack([x + z / LENGTH * q7, y + z / LENGTH * q8, z], axis=-1)


def bent(x, z, first, second):
    angle = (first * z + 0.5 * second * z**2) / LENGTH
    curvature = (first + second * z) / LENGTH
    offset = 2.0 * x / (1.0 + np.sqrt(1.0 - 2.0 * curvature * x))
    nodes, weights = np.polynomial.legendre.leggauss(10)
    sine = sum_of(np.sin, first, second, z, nodes, weights)
    cosine = sum_of(np.cos, first, second, z, nodes, weights)
    return sine + offset * np.cos(angle), cosine - offset * np.sin(angle)


def sum_of(function, first, second, z, nodes, weights):
    total = 0.0
    for node, weight in zip(0.5 * (nodes + 1.0), 0.5 * weights, strict=True):
        part = node * z
        total = total + weight * z * function((first * part + 0.5 * second * part**2) / LENGTH)
    return total


def oracle(module):
    corners = np.array([[0, 0, LENGTH], [RADIUS, 0, LENGTH], [0, RADIUS, LENGTH]])

    def place(q):
        ends = mapped(corners, q)
        x = unit(ends[..., 1, :] - ends[..., 0, :])
        y = ends[..., 2, :] - ends[..., 0, :]
        y = unit(y - np.sum(x * y, axis=-1, keepdims=True) * x)
        pose = np.zeros((*q.shape[:-1], 4, 4), q.dtype)
        pose[..., :3, 0], pose[..., :3, 1], pose[..., :3, 2] = x, y, np.cross(x, y)
        pose[..., :3, 3], pose[..., 3, 3] = ends[..., 0, :], 1.0
        return pose, mapped(module.points, q)

    return material_points.PointModule(8, place, module.masses)


def unit(vector):
    return vector / np.sqrt(np.sum(vector * vector, axis=-1, keepdims=True))


def revolute(axis):
    def place(q):
        twist = np.concatenate([q * np.asarray(axis, float), np.zeros((*q.shape[:-1], 3))], -1)
        return material_points.exponential(material_points.hat(twist)), np.zeros((0, 3))

    return material_points.PointModule(1, place)


def agree(got, expected, bound):
    scale = np.abs(expected).max(axis=1, keepdims=True)
    assert np.all(np.abs(got - expected) <= bound * scale)


def test_a_body_behind_joints_agrees_with_virtual_work():
    module = body(nodes=(1, 3, 3))
    axes = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    joints = [sd.soft.Joint('revolute', axis=axis) for axis in axes]
    scale = np.concatenate([np.ones(3), SCALE])  # work per unit of motion of each coordinate
    jet = np.random.default_rng(5).uniform(-1.0, 1.0, (5, 11)) * scale
    robot = sd.soft.SoftRobot([*joints, module], GRAVITY)
    parts = [*(revolute(axis) for axis in axes), oracle(module)]
    expected = material_points.efforts(parts, GRAVITY, jet) * scale
    got = sd.inverse_dynamics(robot, jet) * scale
    agree(got[:1], expected[:1], 1e-12)
    agree(got, expected, 1e-10)  # rounding of the circle, growing with the order
    matrix = material_points.mass_matrix(parts, jet[0]) * np.outer(scale, scale)
    scaled = sd.mass_matrix(robot, jet[0]) * np.outer(scale, scale)
    assert np.abs(scaled - matrix).max() <= 1e-12 * np.abs(matrix).max()


KINDS = ('stretch', 'twist', 'bend_x', 'bend_y', 'shear_x', 'shear_y')


@pytest.mark.parametrize('kind', KINDS)
def test_every_primitive_keeps_the_volume(kind):
    primitive = sd.soft.VolumePrimitive(kind, [[0.3, 2.0, -4.0], [0.0, 3.0, 1.0]])
    module = body(primitives=[primitive])
    gradient = module.deformation(np.array([0.4, -0.7])).value
    assert np.abs(np.linalg.det(gradient) - 1.0).max() <= 1e-15


def test_modes_are_a_copy_that_nobody_writes():
    rows = np.array([[0.3, 2.0]])
    primitive = sd.soft.VolumePrimitive('twist', rows)
    rows[:] = 0.0
    assert primitive.modes.tolist() == [[0.3, 2.0]] and not primitive.modes.flags.writeable


def test_a_source_keeps_the_volume_of_a_tube():
    source = sd.soft.VolumePrimitive('source', [[1e-4, 1e-3]])
    module = body(primitives=[source], inner_radius=0.01)
    gradient = module.deformation(np.array([-0.4])).value
    assert np.abs(np.linalg.det(gradient) - 1.0).max() < 4e-15
    assert np.isclose(module.masses.sum(), MASS, rtol=1e-14)
    with pytest.raises(sd.ScrewDynamicsError, match="of 'source'"):
        sd.mass_matrix(sd.soft.SoftRobot([module]), [-1.0])


def slopes(function, n=8, step=1e-20):
    return np.array([function(1j * step * e).imag / step for e in np.eye(n)])


def test_stiffness_and_damping_of_the_straight_body():
    module = body(
        material=sd.soft.NeoHookean(COEFFICIENT), viscosity=sd.soft.KelvinVoigt(COEFFICIENT * ETA)
    )
    stiffness = slopes(module.elastic_efforts)
    published = [4.54819, 1.78945, 5.98721e-3, 1.78945, 5.98721e-3, 0.894726, 4473.63, 4473.63]
    assert np.allclose(np.diag(stiffness), published, rtol=2e-6)  # six digits
    area, moment = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4.0
    exact = [8 * moment, 4 * moment, 2 * area]  # bend, twist, shear: C I / L
    assert np.allclose(
        np.diag(stiffness)[[1, 5, 6]], COEFFICIENT / LENGTH * np.array(exact), rtol=1e-12
    )
    damping = np.array([module.damping_efforts(np.zeros(8), e) for e in np.eye(8)])
    assert np.abs(damping - ETA * stiffness).max() <= 1.3e-15 * np.abs(ETA * stiffness).max()


@pytest.mark.parametrize('lame', [None, 0.4e6])
def test_elastic_efforts_are_the_gradient_of_the_energy(lame):
    module = body(material=sd.soft.NeoHookean(COEFFICIENT, lame), nodes=(2, 4, 4))
    q = SCALE * np.linspace(-1.0, 1.0, 8)
    efforts = module.elastic_efforts(q)
    gradient = slopes(lambda step: module.energy(q + step))
    assert np.abs((efforts - gradient) * SCALE).max() <= 1e-13 * np.abs(efforts * SCALE).max()
    partials = module.energy(SeriesArray.variables(q[np.newaxis])).gradient().value
    np.testing.assert_allclose(partials * SCALE, efforts * SCALE, rtol=1e-11, atol=1e-13)
    with pytest.raises(sd.ScrewDynamicsError, match='q: expected real series or complex coord'):
        module.elastic_efforts(SeriesArray.variables(np.stack([q, 1j * q])))


def test_stress_along_a_motion_has_the_derivatives_of_finite_differences():
    module = body(
        material=sd.soft.NeoHookean(COEFFICIENT),
        viscosity=sd.soft.KelvinVoigt(COEFFICIENT * ETA),
        nodes=(2, 4, 4),
    )
    jet = np.random.default_rng(4).uniform(-1.0, 1.0, (4, 8)) * SCALE
    stress = module.motion(jet).stress.jet()

    def at(t):
        q = jet[0] + t * jet[1] + t**2 / 2 * jet[2] + t**3 / 6 * jet[3]
        qd = jet[1] + t * jet[2] + t**2 / 2 * jet[3]
        return module.elastic_efforts(q) + module.damping_efforts(q, qd)

    rate = slope(at, 1e-3)
    assert np.allclose(stress[0] * SCALE, at(0.0) * SCALE, rtol=1e-12, atol=1e-12)
    assert np.abs((stress[1] - rate) * SCALE).max() <= 1e-8 * np.abs(rate * SCALE).max()
    assert jet[1] @ module.damping_efforts(jet[0], jet[1]) > 0.0


@pytest.mark.parametrize(
    ('index', 'value', 'text'),
    [(0, -4.1, "of 'stretch'"), (1, 3.0, "of 'bend_x'"), (3, 3.0, "of 'bend_y'")],
)
def test_coordinates_outside_of_a_primitive_are_named(index, value, text):
    q = np.zeros(8)
    q[index] = value
    with pytest.raises(sd.ScrewDynamicsError, match=text):
        sd.mass_matrix(sd.soft.SoftRobot([body()]), q)


def test_bad_arguments_of_primitives_and_bodies_are_named():
    for call, text in (
        (lambda: sd.soft.VolumePrimitive('squeeze', [[1.0]]), 'kind: expected one of'),
        (lambda: sd.soft.VolumePrimitive('twist', [1.0]), 'modes: expected'),
        (lambda: body(inner_radius=0.03), 'inner_radius: expected less'),
        (lambda: sd.soft.VolumePreserving(0.0, RADIUS, MASS), 'length: expected'),
        (lambda: sd.soft.VolumePreserving(LENGTH, 0.0, MASS), 'radius: expected'),
        (lambda: body(primitives=['twist']), r'primitives\[0\]: expected'),
        (lambda: body(nodes=(3, 3)), 'nodes: expected three'),
        (lambda: body(nodes=(0, 3, 3)), r'nodes\[0\]: expected a whole number'),
        (lambda: sd.soft.NeoHookean(-1.0), 'coefficient: expected'),
    ):
        with pytest.raises(sd.ScrewDynamicsError, match=text):
            call()


ROD_LENGTH = 0.3


@pytest.mark.parametrize('functions', ['monomial', 'legendre', 'chebyshev', 'fourier', 'hermite'])
def test_bases_of_strains_span_their_functions(functions):
    counts = {'bend_y': 4, 'stretch': 4}
    basis = sd.soft.strain_basis(ROD_LENGTH, functions, counts)
    places = np.linspace(0.0, ROD_LENGTH, 9)
    values = ROD_LENGTH * np.array([basis(s)[1, :4] for s in places])
    u = places / ROD_LENGTH
    if functions == 'fourier':
        space = np.stack(
            [u**0, np.cos(2 * np.pi * u), np.sin(2 * np.pi * u), np.cos(4 * np.pi * u)]
        )
    else:
        space = np.stack([u**k for k in range(4)])  # all cubic polynomials
    coefficients = np.linalg.lstsq(space.T, values, rcond=None)[0]
    assert np.abs(space.T @ coefficients - values).max() < 1e-13
    assert np.linalg.matrix_rank(coefficients) == 4
    assert np.abs(values).max() <= 1.0 + 1e-15
    assert np.array_equal(basis(0.1)[5, 4:], basis(0.1)[1, :4])
    assert not basis(0.1)[[0, 2, 3, 4]].any()


def test_coordinates_keep_the_order_of_the_strains_and_are_named_by_them():
    strains = ['stretch', 'twist', 'bend_y']
    rod = sd.soft.ConstantStrain(ROD_LENGTH, 0.02, 0.4, strains=strains)
    basis = sd.soft.strain_basis(ROD_LENGTH, 'legendre', {'twist': 1, 'bend_x': 2})
    twisted = sd.soft.VariableStrain(ROD_LENGTH, 0.02, 0.4, basis, name='tail')
    other = sd.soft.VariableStrain(ROD_LENGTH, 0.02, 0.4, lambda s: basis(s))
    robot = sd.soft.SoftRobot([rod, twisted, other])
    assert robot.joint_names == (
        'body_1_stretch', 'body_1_twist', 'body_1_bend_y',
        'tail_twist', 'tail_bend_x_1', 'tail_bend_x_2',
        'body_3_1', 'body_3_2', 'body_3_3',
    )  # fmt: skip
    columns = np.abs(sd.frame_jacobian(robot, np.zeros(9), 'body_1')[:, :3])
    # the rotation axis of a bend is y, its tip moves along x
    np.testing.assert_allclose(columns[:, 0], [0, 0, 0, 0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(columns[:, 1], [0, 0, 1, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(columns[:, 2], [0, 1, 0, 0.5 * ROD_LENGTH, 0, 0], atol=1e-15)
    assert basis(0.1)[2, 0] == 1.0 / ROD_LENGTH and not basis(0.1)[0, 0]


def test_pieces_of_hermite_meet_with_their_slopes():
    basis = sd.soft.strain_basis(1.0, 'hermite', {'twist': 8})
    for border in (1.0 / 3.0, 2.0 / 3.0):
        h = 1e-6
        left, middle, right = (basis(border + s)[2] for s in (-h, 0.0, h))
        assert np.abs((middle - left) - (right - middle)).max() < 1e-10  # h^2 times curvature
    with pytest.raises(sd.ScrewDynamicsError, match='even'):
        sd.soft.strain_basis(1.0, 'hermite', {'twist': 5})
    with pytest.raises(sd.ScrewDynamicsError, match='functions: expected'):
        sd.soft.strain_basis(1.0, 'splines', {'twist': 5})
    with pytest.raises(sd.ScrewDynamicsError, match='counts: expected'):
        sd.soft.strain_basis(1.0, 'monomial', {'turn': 5})


@pytest.mark.parametrize(
    ('functions', 'count', 'pieces'),
    [('legendre', 20, 1), ('chebyshev', 20, 1), ('fourier', 11, 8), ('hermite', 12, 5)],
)
def test_the_stiffness_of_any_basis_is_its_integral(functions, count, pieces):
    basis = sd.soft.strain_basis(ROD_LENGTH, functions, {'bend_y': count})
    rod = sd.soft.VariableStrain(ROD_LENGTH, 0.02, 0.4, basis, stiffness=np.full(6, 0.7))
    x, weights = np.polynomial.legendre.leggauss(40)
    places = ROD_LENGTH * np.add.outer(np.arange(pieces), 0.5 * (x + 1.0)).ravel() / pieces
    values = np.array([basis(s)[1] for s in places])
    shares = np.tile(0.5 * ROD_LENGTH / pieces * weights, pieces)
    expected = 0.7 * values.T @ (shares[:, np.newaxis] * values)
    assert np.abs(rod.stiffness - expected).max() <= 1e-13 * np.abs(expected).max()
