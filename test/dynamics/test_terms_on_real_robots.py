# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Every term against Pinocchio, which reads the same URDF with its own parser."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from oracles.robots import bundled_urdfs, named_robot, package_urdfs

from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.coriolis_matrix import coriolis_matrix
from screw_dynamics.dynamics.forward_dynamics import forward_dynamics
from screw_dynamics.dynamics.frame_jets import frame_jacobian_jet, frame_twist
from screw_dynamics.dynamics.frames import REPRESENTATIONS, frame_jacobian, frame_pose
from screw_dynamics.dynamics.gravity_forces import gravity_forces
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.model.urdf import read_urdf

# The accuracy that the package promises, relative to the largest entry.
TOLERANCE = 1e-12


def _urdfs() -> list[Path]:
    installed = [named_robot('ur5')]
    installed += [p for p in package_urdfs('example-robot-data') if p.stem == 'panda']
    return bundled_urdfs() + [path for path in installed if path is not None]


@pytest.fixture(params=_urdfs(), ids=lambda path: f'{path.parent.name}-{path.stem}')
def urdf(request) -> Path:
    return request.param


@pytest.fixture
def model(urdf):
    with warnings.catch_warnings():
        # massless links of real files; what is warned of is tested with the parser
        warnings.simplefilter('ignore')
        return read_urdf(urdf)


@pytest.fixture
def peer(urdf, model):
    pytest.importorskip('pinocchio')
    from oracles.pinocchio_terms import PinocchioTerms

    return PinocchioTerms(urdf, model)


def _assert_close(got, expected):
    scale = np.abs(expected).max(initial=0.0)
    assert np.abs(got - expected).max(initial=0.0) <= TOLERANCE * scale


def test_mass_and_coriolis_matrix(model, peer, rng):
    q, qd = rng.normal(size=(2, model.n))
    _assert_close(mass_matrix(model, q), peer.mass_matrix(q))
    _assert_close(coriolis_matrix(model, q, qd), peer.coriolis_matrix(q, qd))


def test_gravity_and_bias_forces(model, peer, rng):
    q, qd = rng.normal(size=(2, model.n))
    _assert_close(gravity_forces(model, q), peer.gravity_forces(q))
    _assert_close(bias_forces(model, q, qd), peer.bias_forces(q, qd))


def test_forward_dynamics(model, peer, rng):
    q, qd, qdd = rng.normal(size=(3, 4, model.n))
    tau = np.array([peer.efforts(*state) for state in zip(q, qd, qdd, strict=True)])
    accelerations = forward_dynamics(model, q, qd, tau)
    # rounding of the efforts comes back multiplied by the inverse of M
    inverse = np.linalg.inv(mass_matrix(model, q))
    bound = 1e-14 * np.abs(inverse).sum(axis=2).max() * np.abs(tau).max()
    np.testing.assert_allclose(accelerations, qdd, rtol=0.0, atol=bound)


def test_poses_and_jacobians_of_all_links(model, peer, rng):
    q = rng.normal(size=model.n)
    for name in model.frames:
        _assert_close(frame_pose(model, q, name), peer.frame_pose(q, name))
        for representation in REPRESENTATIONS:
            difference = frame_jacobian(model, q, name, representation)
            difference -= peer.frame_jacobian(q, name, representation)
            # columns are unit screws; a reach of metres leaves them of order 1
            assert np.abs(difference).max() <= TOLERANCE, (name, representation)


def test_twists_of_all_links(model, peer, rng):
    jet = rng.normal(size=(3, model.n))
    for name in model.frames:
        for representation, expected in peer.frame_twist(*jet, name).items():
            got = frame_twist(model, jet, name, representation)
            # rates and accelerations of order 1, and a reach of metres
            assert np.abs(got - expected).max() <= TOLERANCE, (name, representation)


def test_rates_of_the_jacobians_of_all_links(model, peer, rng):
    jet = rng.normal(size=(2, model.n))
    for name in model.frames:
        for representation in ('body', 'spatial', 'hybrid'):
            _, got = frame_jacobian_jet(model, jet, name, representation)
            expected = peer.frame_jacobian_rate(*jet, name, representation)
            # unit screws, rates of order 1, and a reach of metres
            assert np.abs(got - expected).max() <= TOLERANCE, (name, representation)
