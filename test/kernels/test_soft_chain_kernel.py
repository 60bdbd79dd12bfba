# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
import pytest
from oracles import material_points as oracle
from oracles.material_points import PointModule

from screw_dynamics.jit import uncompiled
from screw_dynamics.kernels.soft.dynamics import soft_dynamics
from screw_dynamics.lie import exp_so3
from screw_dynamics.soft.kernel_table import RodStep, TableBuilder

GRAVITY = (0.7, -1.3, -9.6)


class Chain:
    """Table and material points of the same chain."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.builder, self.modules = TableBuilder(GRAVITY), []

    @property
    def n(self):
        return sum(module.n for module in self.modules)

    def pose(self, length=0.2):
        pose = np.eye(4)
        pose[:3, :3] = exp_so3(self.rng.uniform(-2.0, 2.0, 3))
        pose[:3, 3] = self.rng.uniform(-length, length, 3)
        return pose

    def joint(self, kind):
        axis = self.rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        home = self.pose()
        self.builder.add_joint(kind, axis, home)
        screw = np.concatenate([axis, np.zeros(3)])
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
        self.builder.add_rigid_body(masses.sum(), com, inertia, tip)
        self.modules.append(
            PointModule(0, lambda q: (tip + 0.0 * q.sum(axis=-1)[..., None, None],
                                      points + 0.0 * q.sum(axis=-1)[..., None, None]), masses)
        )  # fmt: skip
        return self

    def planar(self, length=0.3, radius=0.05, mass=0.9, stiffness=0.4, damping=0.03):
        self.builder.add_planar_arc(length, radius, mass, stiffness, damping)
        nodes, weights = np.polynomial.legendre.leggauss(16)
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
        self.builder.add_rod(stiffness, damping, steps)

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

    def run(self, jets, mass=False):
        """Return the efforts and the mass matrices of the kernel."""
        table, samples = self.builder.table(), len(jets)
        taus = np.empty((samples, max(0, jets.shape[1] - 2), self.n))
        matrices = np.empty((samples, self.n * mass, self.n * mass))
        given = np.zeros((samples, 0))
        assert soft_dynamics(jets, table.modules, table.reals, given, taus, matrices) == 0
        return taus, matrices


CHAINS = {
    'joints and bodies': lambda: Chain().joint('revolute').rigid().joint('prismatic').rigid()
    .joint('fixed').joint('revolute').rigid(),
    'planar': lambda: Chain().planar(),
    'three planar': lambda: Chain().planar().planar(0.2, 0.03, 0.5).planar(),
    'rod of second order': lambda: Chain().rod(fourth=False),
    'rod': lambda: Chain().rod(n=4),
    'hybrid': lambda: Chain().joint('revolute').rigid().rod().joint('prismatic').planar()
    .joint('revolute').rod(n=2, cells=4).rigid(),
}  # fmt: skip


@pytest.mark.parametrize('name', CHAINS)
@pytest.mark.parametrize('order', [0, 1, 2, 4])
def test_efforts_are_the_virtual_work_of_the_material_points(name, order):
    chain = CHAINS[name]()
    jet = chain.rng.uniform(-1.0, 1.0, (order + 3, chain.n))
    with uncompiled():
        taus = chain.run(jet[np.newaxis])[0][0]
    expected = oracle.efforts(chain.modules, GRAVITY, jet)
    scale = np.abs(expected).max(axis=1, keepdims=True)
    print(np.abs(taus - expected).max(axis=1) / scale[:, 0])
    # the floor of the Cauchy integrals grows by 1 / radius per order
    assert np.all(np.abs(taus - expected) <= 1e-13 * 40.0 ** np.arange(order + 1)[:, None] * scale)


@pytest.mark.parametrize('name', CHAINS)
def test_the_mass_matrix_is_that_of_the_material_points(name):
    chain = CHAINS[name]()
    jet = chain.rng.uniform(-1.0, 1.0, (3, chain.n))
    with uncompiled():
        taus, matrices = chain.run(jet[np.newaxis], mass=True)
        alone = chain.run(jet[np.newaxis, :1], mass=True)[1]
        efforts = chain.run(jet[np.newaxis])[0]
    expected = oracle.mass_matrix(chain.modules, jet[0])
    assert np.abs(matrices[0] - expected).max() <= 1e-13 * np.abs(expected).max()
    assert np.array_equal(matrices, alone) and np.array_equal(taus, efforts)
    assert np.array_equal(matrices[0], matrices[0].T)
