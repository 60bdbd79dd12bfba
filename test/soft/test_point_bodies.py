# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of shape functions, meshes and learned maps, against closed forms and each other."""

import numpy as np
import pytest
from oracles import material_points

import screw_dynamics as sd

LENGTH = 0.3
FRAME = np.array([[0.0, 0.0, LENGTH], [0.02, 0.0, LENGTH], [0.0, 0.02, LENGTH]])
RUBBER = sd.soft.NeoHookean(1e4, 5e4)


@pytest.fixture(autouse=True)
def close_circle(monkeypatch):
    """Keep the shifts of the oracle away from branch points: aliasing below rounding."""
    monkeypatch.setattr(material_points, '_SHIFT_RADIUS', 0.1)


def points(count=12):
    return np.random.default_rng(3).uniform([-0.02, -0.02, 0.0], [0.02, 0.02, LENGTH], (count, 3))


def shapes(x):
    """Return bending and stretching with quadratic functions of z."""
    z = x[..., 2]
    u, zero = z / LENGTH, 0.0 * z
    bend = np.stack([0.1 * u * u, zero, -0.2 * u * x[..., 0] / LENGTH], axis=-1)
    stretch = np.stack([zero, zero, 0.1 * u], axis=-1)
    return np.stack([bend, stretch], axis=-1)


def ritz(**options):
    place = points()
    return sd.soft.RitzGalerkin(shapes, place, np.full(len(place), 0.05), FRAME, **options)


def triad(corners):
    x = corners[..., 1, :] - corners[..., 0, :]
    x = x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True))
    y = corners[..., 2, :] - corners[..., 0, :]
    y = y - np.sum(x * y, axis=-1, keepdims=True) * x
    y = y / np.sqrt(np.sum(y * y, axis=-1, keepdims=True))
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def oracle(place, masses, n, stiffness=None):
    """Return the module of a map (points, q) with q (..., n)."""

    def full(q):
        corners = place(FRAME, q)
        pose = np.zeros((*q.shape[:-1], 4, 4), q.dtype)
        pose[..., :3, :3], pose[..., :3, 3], pose[..., 3, 3] = (
            triad(corners),
            corners[..., 0, :],
            1,
        )
        return pose, place(points(), q)

    return material_points.PointModule(n, full, masses, stiffness)


def agree(got, expected, bound):
    scale = np.abs(expected).max(axis=1, keepdims=True)
    assert np.all(np.abs(got - expected) <= bound * scale)


def test_shape_functions_agree_with_virtual_work():
    module = ritz()
    robot = sd.soft.SoftRobot([sd.soft.Joint('fixed'), module, module], (1.0, 0.0, -9.0))

    def place(x, q):
        return x + np.einsum('kcj,...j->...kc', shapes(x), q)

    jet = np.random.default_rng(1).uniform(-0.4, 0.4, (5, 4))
    parts = [oracle(place, module.masses, 2)] * 2
    expected = material_points.efforts(parts, (1.0, 0.0, -9.0), jet)
    agree(sd.inverse_dynamics(robot, jet), expected, 1e-11)  # rounding of the circle


WEIGHTS = [np.random.default_rng(i).normal(size=s) for i, s in enumerate([(6, 5), (3, 6)])]
BIASES = [np.linspace(-0.3, 0.3, 6), np.zeros(3)]


def network():
    return sd.soft.Perceptron([WEIGHTS[0], 0.02 * WEIGHTS[1]], BIASES)


def place_by_network(x, q):
    hidden = np.tanh(x @ WEIGHTS[0][:, :3].T + (q @ WEIGHTS[0][:, 3:].T + BIASES[0])[..., None, :])
    return x + hidden @ (0.02 * WEIGHTS[1]).T


def test_a_network_agrees_with_virtual_work():
    place = points()
    module = sd.soft.Learned(network(), 2, place, np.full(len(place), 0.05), FRAME)
    robot = sd.soft.SoftRobot([module, module])
    jet = np.random.default_rng(2).uniform(-0.2, 0.2, (5, 4))
    expected = material_points.efforts(
        [oracle(place_by_network, module.masses, 2)] * 2, robot.gravity, jet
    )
    agree(sd.inverse_dynamics(robot, jet), expected, 1e-10)  # rounding of the circle
    assert np.array_equal(robot.modules[0].positions(jet[0, :2]), network()(place, jet[0, :2]))


def test_functions_of_complex_numbers_only_give_the_same_efforts():
    def opaque(x, q):
        return network()(np.asarray(x, complex), np.asarray(q, complex))

    def real_if_real(x, q):
        if not isinstance(q, np.ndarray):
            raise TypeError('expected an array of numbers')
        value = opaque(x, q)
        return value if np.iscomplexobj(q) else value.real

    place, masses = points(), np.full(12, 0.05)
    exact = sd.soft.Learned(network(), 2, place, masses, FRAME)
    integral = sd.soft.Learned(real_if_real, 2, place, masses, FRAME, radius=0.2)
    jet = np.random.default_rng(2).uniform(-0.2, 0.2, (5, 4))
    expected = sd.inverse_dynamics(sd.soft.SoftRobot([exact, exact]), jet)
    got = sd.inverse_dynamics(sd.soft.SoftRobot([integral, integral]), jet)
    # rounding grows with 1 / radius per derivative
    for k, bound in enumerate((1e-9, 1e-8, 1e-7)):
        assert np.abs(got[k] - expected[k]).max() <= bound * np.abs(expected[k]).max()


def slopes_by_network(x, q):
    """Return the derivatives (m, 3, 2) of the network by its coordinates."""
    hidden = np.tanh(x @ WEIGHTS[0][:, :3].T + (WEIGHTS[0][:, 3:] @ q + BIASES[0]))
    rate = 1.0 - hidden * hidden
    columns = [(rate * WEIGHTS[0][:, 3 + j]) @ (0.02 * WEIGHTS[1]).T for j in range(2)]
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize('radius', [None, 0.2])
def test_a_given_jacobian_gives_the_same_efforts(radius):
    place, masses = points(), np.full(12, 0.05)
    calls = []

    def function(x, q):
        calls.append(q)
        return network()(x, q)

    plain = sd.soft.Learned(network(), 2, place, masses, FRAME)
    given = sd.soft.Learned(
        function, 2, place, masses, FRAME, jacobian=slopes_by_network, radius=radius
    )
    jet = np.random.default_rng(2).uniform(-0.2, 0.2, (5, 5))
    joint = sd.soft.Joint('revolute')
    plain, given = (sd.soft.SoftRobot([joint, body, body]) for body in (plain, given))
    expected = sd.inverse_dynamics(plain, jet)
    calls.clear()
    agree(sd.inverse_dynamics(given, jet), expected, 1e-11)  # rounding of the circle in time
    # no circle of each coordinate
    assert len(calls) <= (12 if radius is None else 2 * 4 * 32)
    matrix = sd.mass_matrix(plain, jet[0])
    assert np.abs(sd.mass_matrix(given, jet[0]) - matrix).max() <= 1e-13 * np.abs(matrix).max()


def test_a_jacobian_that_is_not_that_of_the_function_is_refused():
    for jacobian, text in (
        (lambda x, q: 1.001 * slopes_by_network(x, q), 'jacobian: expected the derivatives'),
        (lambda x, q: slopes_by_network(x, q)[..., 0], r'jacobian\(points, q\): expected'),
        (3, 'jacobian: expected a function'),
    ):
        with pytest.raises(sd.ScrewDynamicsError, match=text):
            sd.soft.Learned(network(), 2, points(), np.ones(12), FRAME, jacobian=jacobian)


@pytest.mark.parametrize(
    ('function', 'radius', 'text'),
    [
        (lambda x, q: x + abs(q[0]), None, 'function: expected NumPy operations that series know'),
        (lambda x, q: x + float(q[0]), None, 'with radius, complex arrays suffice'),
        (lambda x, q: x + abs(q[0]), 0.2, 'function: expected an analytic function'),
        (lambda x, q: x + np.real(q[0]), 0.2, 'function: expected an analytic function'),
        (lambda x, q: x + 0.01 / (1.1 + q[0]), 2.0, 'give a smaller radius'),
    ],
)
def test_functions_that_have_no_derivatives_are_refused(function, radius, text):
    """Without an error the efforts would be wrong."""
    body = sd.soft.Learned(function, 1, points(), np.ones(12), FRAME, radius=radius)
    with pytest.raises(sd.ScrewDynamicsError, match=text):
        sd.inverse_dynamics(sd.soft.SoftRobot([body]), [[0.3], [1.0], [0.0]])


def test_shapes_that_are_wrong_at_complex_points_are_refused():
    def modes(x):
        return 0.1 * abs(x)[..., np.newaxis]

    options = {'volumes': np.full(12, 1e-6), 'material': RUBBER}
    sd.soft.RitzGalerkin(modes, points(), np.ones(12), FRAME)
    with pytest.raises(sd.ScrewDynamicsError, match='shapes: expected analytic'):
        sd.soft.RitzGalerkin(modes, points(), np.ones(12), FRAME, **options)


def test_materials_of_constant_volume_are_refused_for_maps_that_change_it():
    rubber = sd.soft.NeoHookean(1e4)
    with pytest.raises(sd.ScrewDynamicsError, match='material: expected first_lame'):
        cube(TETRAHEDRA, rubber)
    with pytest.raises(sd.ScrewDynamicsError, match='material: expected first_lame'):
        ritz(volumes=np.full(12, 1e-6), material=rubber)


CUBE = np.array([[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], float)
TETRAHEDRA = [[0, 1, 3, 4], [1, 2, 3, 6], [1, 3, 4, 6], [1, 4, 5, 6], [3, 4, 6, 7]]
HEXAHEDRON = [list(range(8))]


def linear_basis(nodes):
    basis = np.zeros((len(nodes), 3, 2))
    basis[:, 2, 0] = nodes[:, 2]  # stretch
    basis[:, 0, 1] = nodes[:, 2]  # shear
    return basis


def cube(elements, material=RUBBER, frame=(4, 5, 7)):
    return sd.soft.FiniteElements(
        CUBE, elements, linear_basis(CUBE), 960.0, frame, material=material,
        viscosity=sd.soft.KelvinVoigt(3.0),
    )  # fmt: skip


@pytest.mark.parametrize('elements', [TETRAHEDRA, HEXAHEDRON])
def test_a_uniformly_deformed_cube_has_its_closed_energy_and_dissipation(elements):
    module, (stretch, shear) = cube(elements), (0.2, -0.3)
    q = np.array([stretch, shear])
    gradient = np.array([[1.0, 0.0, shear], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0 + stretch]])
    logarithm = np.log(1.0 + stretch)
    energy = 1e4 * (np.sum(gradient**2) - 3.0 - 2.0 * logarithm) + 2.5e4 * logarithm**2
    assert np.isclose(module.energy(q), energy, rtol=1e-13)
    slope = 2e4 * ((1.0 + stretch) - 1.0 / (1.0 + stretch)) + 5e4 * logarithm / (1.0 + stretch)
    assert np.allclose(module.elastic_efforts(q), [slope, 2e4 * shear], rtol=1e-12)
    rates = np.array([0.4, 0.7])
    rate = np.array([[0.0, 0.0, 0.7], [0.0, 0.0, 0.0], [0.0, 0.0, 0.4]])
    strain = gradient.T @ rate + rate.T @ gradient
    power = rates @ module.damping_efforts(q, rates)
    assert np.isclose(power, 3.0 * np.sum(strain**2), rtol=1e-13)
    assert np.isclose(module.masses.sum(), 960.0, rtol=1e-14)


def test_a_mesh_moves_as_the_same_shape_functions_do():
    module = cube(TETRAHEDRA, None)
    module.viscosity = None

    def modes(x):
        z, zero = x[..., 2], 0.0 * x[..., 2]
        columns = [np.stack([zero, zero, z], axis=-1), np.stack([z, zero, zero], axis=-1)]
        return np.stack(columns, axis=-1)

    other = sd.soft.RitzGalerkin(modes, CUBE, module.masses, CUBE[[4, 5, 7]])
    jet = np.random.default_rng(7).uniform(-0.3, 0.3, (5, 4))
    got, expected = (
        sd.inverse_dynamics(sd.soft.SoftRobot([part, part]), jet) for part in (module, other)
    )
    agree(got, expected, 1e-13)


def test_inverted_elements_are_named():
    robot = sd.soft.SoftRobot([cube(TETRAHEDRA)])
    with pytest.raises(sd.ScrewDynamicsError, match='in element'):
        sd.mass_matrix(robot, [-1.5, 0.0])
    with pytest.raises(sd.ScrewDynamicsError, match=r'elements\[0\]: expected a positive volume'):
        cube([[1, 0, 3, 4]])


def test_shape_functions_that_turn_points_over_are_named():
    module = ritz(volumes=np.full(12, 1e-6), material=RUBBER)
    with pytest.raises(sd.ScrewDynamicsError, match='determinant'):
        sd.mass_matrix(sd.soft.SoftRobot([module]), [0.0, -4.0])


def test_bad_arguments_are_named():
    place = points()
    masses = np.ones(12)

    def mesh(nodes, basis):
        return sd.soft.FiniteElements(nodes, TETRAHEDRA, basis, 960.0, (4, 5, 7))

    for call, text in (
        (lambda: ritz(material=RUBBER), 'volumes: expected'),
        (lambda: sd.soft.RitzGalerkin(lambda x: x, place, masses, FRAME), r'shapes\(points\)'),
        (lambda: sd.soft.RitzGalerkin(shapes, place, -masses, FRAME), 'masses: expected'),
        (lambda: sd.soft.RitzGalerkin(shapes, place, masses, np.eye(2)), 'frame_points: expected'),
        (lambda: sd.soft.RitzGalerkin(shapes, place, masses, np.ones((3, 3))), 'not on a line'),
        (lambda: sd.soft.Learned(network(), 0, place, masses, FRAME), 'n: expected'),
        (lambda: sd.soft.Perceptron([np.ones((2, 5))], [np.ones(2)]), r'weights\[0\]: expected'),
        (lambda: cube([[0, 1, 2]]), 'elements: expected'),
        (lambda: cube(np.zeros((0, 4))), 'elements: expected one or more'),
        (lambda: cube(TETRAHEDRA, 'rubber'), 'material: expected a NeoHookean or None'),
        (lambda: mesh(CUBE[:, :2], linear_basis(CUBE)), 'nodes: expected shape'),
        (lambda: mesh(CUBE, linear_basis(CUBE)[:4]), r'basis: expected shape \(8, 3, n\)'),
        (lambda: sd.soft.RitzGalerkin(shapes, place[0], masses, FRAME), 'points: expected shape'),
        (lambda: sd.soft.RitzGalerkin(shapes, place, masses[1:], FRAME), r'\(12,\), one per'),
        (
            lambda: sd.soft.Learned(lambda x, q: x[:3], 1, place, masses, FRAME),
            r'function\(points, q\): expected shape \(12, 3\)',
        ),
        (lambda: sd.soft.Perceptron([np.ones((3, 4))], []), 'biases: expected one per layer'),
        (lambda: cube(TETRAHEDRA, None, 4), 'frame_nodes: expected shape'),
        (lambda: sd.soft.Learned(network(), 3, place, masses, FRAME), 'function: expected a func'),
        (lambda: sd.soft.Perceptron(3, 4), 'weights: expected a sequence'),
        (
            lambda: sd.soft.ConstantStrain(1.0, 0.1, 1.0, strains=['bend']),
            'strains: expected each of bend_x',
        ),
        (lambda: cube([[0, 1, 2, 9]]), 'numbers of nodes'),
    ):
        with pytest.raises(sd.ScrewDynamicsError, match=text):
            call()
