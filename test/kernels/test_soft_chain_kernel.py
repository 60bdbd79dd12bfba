# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0

from math import factorial

import numpy as np
import pytest
from oracles import material_points as oracle
from oracles.material_points import PointModule

from screw_dynamics.kernels.soft.dynamics import soft_dynamics
from screw_dynamics.kernels.soft.layout import INPUT_NOT_FINITE, OK, RESULT_NOT_FINITE
from screw_dynamics.lie import exp_so3
from screw_dynamics.soft import Joint, PlanarConstantCurvature, RigidBody
from screw_dynamics.soft.bodies.rod import Rod, RodStep
from screw_dynamics.soft.kernel_table import kernel_table
from screw_dynamics.soft.user_module_series import PointSeries, user_module_series

NO_POSES, NO_JACOBIANS = np.empty((1, 0, 4, 4)), np.empty((1, 0, 0))
NO_WRENCHES, NO_CARRIERS = np.empty((1, 0, 1, 6)), np.empty(0, np.int64)
GRAVITY = (0.7, -1.3, -9.6)


class Given(Rod):
    """A rod that the kernels do not know by its type."""


class Chain:
    """Table and material points of the same chain."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.modules, self.soft_modules, self.given_modules = [], [], []

    @property
    def n(self):
        return sum(module.n for module in self.modules)

    def pose(self, length=0.2):
        pose = np.eye(4)
        pose[:3, :3] = exp_so3(self.rng.uniform(-2.0, 2.0, 3))
        pose[:3, 3] = self.rng.uniform(-length, length, 3)
        return pose

    def joint(self, kind, pitch=0.0):
        axis = self.rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        home = self.pose()
        self.soft_modules.append(Joint(kind, axis, home, pitch=pitch))
        screw = np.concatenate([axis, pitch * axis])
        if kind == 'prismatic':
            screw = np.concatenate([np.zeros(3), axis])

        def place(q):
            motion = q[..., :1] * screw if kind != 'fixed' else np.zeros((*q.shape[:-1], 6))
            pose = home @ oracle.exponential(oracle.hat(motion))
            return pose, np.zeros((*q.shape[:-1], 0, 3))

        self.modules.append(PointModule(0 if kind == 'fixed' else 1, place))
        return self

    def rigid(self):
        points, masses = self.rng.uniform(-0.3, 0.3, (6, 3)), self.rng.uniform(0.1, 1.0, 6)
        com = masses @ points / masses.sum()
        r = points - com
        inertia = np.einsum('k,kij->ij', masses, [x @ x * np.eye(3) - np.outer(x, x) for x in r])
        tip = self.pose()
        self.soft_modules.append(RigidBody(masses.sum(), com, inertia, tip))
        self.modules.append(
            PointModule(0, lambda q: (tip + 0.0 * q.sum(axis=-1)[..., None, None],
                                      points + 0.0 * q.sum(axis=-1)[..., None, None]), masses)
        )  # fmt: skip
        return self

    def planar(self, length=0.3, radius=0.05, mass=0.9, stiffness=0.4, damping=0.03, order=16):
        self.soft_modules.append(
            PlanarConstantCurvature(length, radius, mass, stiffness * length, damping / stiffness)
        )
        nodes, weights = np.polynomial.legendre.leggauss(order)
        sigma, weights = 0.5 * (nodes + 1.0), 0.5 * weights
        offsets = radius / np.sqrt(2.0) * np.array([[1, 0], [-1, 0], [0, 1], [0, -1.0]])

        def place(q):
            turn = np.zeros((*q.shape[:-1], len(sigma) + 1, 6), complex)
            along = np.append(sigma, 1.0)
            turn[..., 1] = -q * along
            turn[..., 5] = length * along
            poses = oracle.exponential(oracle.hat(turn))
            frames = poses[..., :-1, np.newaxis, :3, :]
            points = frames[..., 3] + frames[..., 0] * offsets[:, :1] + (
                frames[..., 1] * offsets[:, 1:])  # fmt: skip
            return poses[..., -1, :, :], points.reshape(*q.shape[:-1], -1, 3)

        masses = np.repeat(0.25 * mass * weights, 4)
        self.modules.append(
            PointModule(1, place, masses, np.array([[stiffness]]), np.array([[damping]]))
        )
        return self

    def rod(self, n=3, cells=3, fourth=True):
        rng, steps = self.rng, []
        for cell in range(cells):
            h = rng.uniform(0.05, 0.15)
            straight = np.array([0, 0, 0, 0, 0, 1.0])
            strains = [straight + rng.normal(size=6) * 0.3 for _ in range(1 + fourth)]
            bases = [rng.normal(size=(6, n)) for _ in range(1 + fourth)]
            mass = 0.0 if cell == cells - 1 else rng.uniform(0.1, 0.5)
            moments = tuple(mass * rng.uniform(0.001, 0.003, 2))
            bracket = np.sqrt(3.0) / 12.0 * h**2 if fourth else 0.0
            steps.append(RodStep(h, bracket, mass, moments, strains, bases))
        stiffness, damping = rng.normal(size=(n, n)), rng.normal(size=(n, n))
        self.soft_modules.append(Rod(steps, stiffness, damping, None))

        def place(q):
            pose, points = np.eye(4), []
            for step in steps:
                xi = [strain + q @ basis.T for strain, basis in zip(
                    step.strains, step.bases, strict=True)]  # fmt: skip
                exponent = step.length * oracle.hat(sum(xi) / len(xi))
                if fourth:
                    a, b = oracle.hat(xi[0]), oracle.hat(xi[1])
                    exponent = exponent + step.bracket * (a @ b - b @ a)
                pose = pose @ oracle.exponential(exponent)
                if step.mass > 0.0:
                    x, y = (np.sqrt(2.0 * s / step.mass) for s in step.second_moments)
                    offsets = np.array([[x, 0, 0, 1], [-x, 0, 0, 1], [0, y, 0, 1], [0, -y, 0, 1]])
                    points.append(np.einsum('...ij,kj->...ki', pose, offsets)[..., :3])
            return pose, np.concatenate(points, axis=-2)

        masses = np.repeat([0.25 * step.mass for step in steps if step.mass > 0.0], 4)
        self.modules.append(PointModule(n, place, masses, stiffness, damping))
        return self

    def given(self):
        """Add a rod of which the kernel gets only the series."""
        other = Chain(5).rod(n=3)
        self.given_modules.append((self.n, other.modules[0]))
        rod = other.soft_modules[0]
        self.soft_modules.append(Given(rod.steps, rod.stiffness, rod.damping_matrix, None))
        self.modules += other.modules
        return self

    def run(self, jets, mass=False, kernel=soft_dynamics):
        """Return the efforts and the mass matrices of the kernel."""
        table, samples = kernel_table(self.soft_modules, np.array(GRAVITY)), len(jets)
        taus = np.empty((samples, max(0, jets.shape[1] - 2), self.n))
        matrices = np.empty((samples, self.n * mass, self.n * mass))
        given = np.empty((samples, table.given_width * jets.shape[1]))
        for t, jet in enumerate(jets):
            parts = [point_series(m, jet[:, i : i + m.n]) for i, m in self.given_modules]
            given[t] = np.concatenate([np.zeros(0), *parts])
        poses = np.empty((samples, 0, 4, 4))
        status = kernel(
            jets, table.modules, table.reals, given, np.empty((samples, 0, 0, 6)), NO_CARRIERS,
            taus, matrices, poses, 0, np.empty((samples, 0, 0)),
        )  # fmt: skip
        assert status == OK
        return taus, matrices


def point_series(module, jet):
    """Return the series of a module along a motion, from Cauchy integrals over its points."""
    rows, n = jet.shape

    def place(q):
        pose, points = module.place(q)
        return np.concatenate([pose[..., :3, :].reshape(*q.shape[:-1], 4, 3), points], axis=-2)

    q, radius = oracle.on_circle(jet)
    values, partials = place(q), oracle.partials_of(place, q)
    values, partials = (oracle.coefficients(x, radius, rows).real for x in (values, partials))
    pose = values[:, :4].reshape(rows, 3, 4)
    slopes = partials[:, :, :4].reshape(rows, n, 3, 4)
    turn, shift = np.zeros((rows, n, 3)), np.zeros((rows, n, 3))
    for k in range(rows):
        for m in range(k + 1):
            back = np.einsum('ba,jbc->jac', pose[m, :, :3], slopes[k - m])
            turn[k] += 0.5 * (back[:, [2, 0, 1], [1, 2, 0]] - back[:, [1, 2, 0], [2, 0, 1]])
            shift[k] += back[:, :, 3]
    rate = np.array(
        [(k + 1) * (jet[k + 1] / factorial(k + 1)) for k in range(rows - 1)] + [0 * jet[0]]
    )
    stress = np.array([jet[k] / factorial(k) for k in range(rows)]) @ module.stiffness.T
    stress += rate @ module.damping.T
    series = PointSeries(
        pose[:, :, :3], pose[:, :, 3], turn, shift, values[:, 4:], partials[:, :, 4:], stress
    )
    return user_module_series(series, module.masses)


CHAINS = {
    'joints and bodies': lambda: Chain().joint('revolute').rigid().joint('prismatic').rigid()
    .joint('fixed').joint('helical', 0.3).rigid(),
    'two planar': lambda: Chain().planar().planar(0.2, 0.03, 0.5),
    'hybrid': lambda: Chain().joint('revolute').rigid().rod(fourth=False).joint('prismatic')
    .planar().rod(n=2).rigid(),
    'given': lambda: Chain().joint('revolute').given().rigid().planar(),
}  # fmt: skip


@pytest.mark.parametrize('name', CHAINS)
def test_efforts_are_the_virtual_work_of_the_material_points(name):
    order = 3
    chain = CHAINS[name]()
    jet = chain.rng.uniform(-1.0, 1.0, (order + 3, chain.n))
    taus = chain.run(jet[np.newaxis])[0][0]
    expected = oracle.efforts(chain.modules, GRAVITY, jet)
    scale = np.abs(expected).max(axis=1, keepdims=True)
    # the floor of the Cauchy integrals grows by 1 / radius per order
    assert np.all(np.abs(taus - expected) <= 1e-13 * 40.0 ** np.arange(order + 1)[:, None] * scale)


@pytest.mark.parametrize('name', CHAINS)
def test_the_mass_matrix_is_that_of_the_material_points(name):
    chain = CHAINS[name]()
    jet = chain.rng.uniform(-1.0, 1.0, (3, chain.n))
    taus, matrices = chain.run(jet[np.newaxis], mass=True)
    alone = chain.run(jet[np.newaxis, :1], mass=True)[1]
    efforts = chain.run(jet[np.newaxis])[0]
    expected = oracle.mass_matrix(chain.modules, jet[0])
    assert np.abs(matrices[0] - expected).max() <= 1e-13 * np.abs(expected).max()
    # the series of a given module may be rounded differently
    assert np.allclose(matrices, alone, rtol=0.0, atol=1e-14 * np.abs(expected).max())
    assert np.array_equal(taus, efforts)
    assert np.array_equal(matrices[0], matrices[0].T)


def test_batches_in_c_and_samples_in_python_give_the_same_numbers():
    chain = CHAINS['hybrid']().planar().given()
    jets = chain.rng.uniform(-1.0, 1.0, (3, 4, chain.n))
    taus, matrices = chain.run(jets, mass=True)
    for t in range(3):
        single = chain.run(jets[t : t + 1], mass=True, kernel=soft_dynamics.function)
        for got, expected in zip((taus[t], matrices[t]), single, strict=True):
            # compiled code fuses multiplication and addition
            assert np.abs(got - expected[0]).max() <= 1e-13 * np.abs(expected).max()


@pytest.mark.parametrize('angle', [0.0, 1e-9, np.pi])
def test_planar_arcs_are_exact_at_any_curvature(angle):
    chain = Chain().planar().planar()
    jet = chain.rng.uniform(-1.0, 1.0, (5, 2))
    jet[0] = angle, -angle
    taus, matrices = chain.run(jet[np.newaxis, :3], mass=True)
    jerks = chain.run(jet[np.newaxis])[0]
    nodes = Chain().planar().planar().modules
    expected, mass = oracle.efforts(nodes, GRAVITY, jet), oracle.mass_matrix(nodes, jet[0])
    assert np.abs(taus[0, 0] - expected[0]).max() <= 1e-13 * np.abs(expected[0]).max()
    assert np.abs(matrices[0] - mass).max() <= 1e-13 * np.abs(mass).max()
    assert np.abs(jerks[0] - expected).max() <= 1e-11 * np.abs(expected).max()


def test_a_result_or_input_that_is_not_finite_has_a_status():
    chain = CHAINS['hybrid']()
    table = kernel_table(chain.soft_modules, np.array(GRAVITY))
    for value, status in ((np.nan, INPUT_NOT_FINITE), (1e200, RESULT_NOT_FINITE)):
        jet = np.zeros((1, 3, chain.n))
        jet[0, 1, 3] = value
        got = soft_dynamics(
            jet, table.modules, table.reals, np.zeros((1, 0)), NO_WRENCHES, NO_CARRIERS,
            np.empty((1, 1, chain.n)), np.empty((1, 0, 0)), NO_POSES, 0, NO_JACOBIANS,
        )  # fmt: skip
        assert got == status


def test_the_taylor_series_of_the_efforts_predicts_later_efforts():
    chain = CHAINS['hybrid']()
    order, step = 10, 0.04
    jet = chain.rng.uniform(-1.0, 1.0, (order + 3, chain.n))
    jet[4:] = 0.0
    series = chain.run(jet[np.newaxis])[0][0] / np.array(
        [[factorial(k)] for k in range(order + 1)]
    )
    later = [
        sum(jet[d + k] * step**k / factorial(k) for k in range(len(jet) - d)) for d in range(3)
    ]
    expected = chain.run(np.array([later]))[0][0, 0]
    predicted = step ** np.arange(order + 1) @ series
    # the series converges like (1.4 step)^order or faster
    assert np.abs(predicted - expected).max() <= 1e-13 * np.abs(expected).max()
