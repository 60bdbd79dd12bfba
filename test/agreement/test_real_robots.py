# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bundled and packaged robots: the kernel against Pinocchio and 60-digit arithmetic."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.high_precision import reference_efforts
from oracles.random_models import random_joint_jet, random_wrench_jets

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array

ORDER = 4
TOLERANCE = 1e-12


def read(urdf: Path, **options: Any) -> sd.ScrewModel:
    """Read a robot; many published inertias are not physical, which is a warning only."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return sd.read_urdf(urdf, **options)


def assert_close(got: Array, expected: Array) -> None:
    """Compare row by row with the row's largest effort: a generic motion cancels nothing."""
    error, size = np.abs(got - expected).max(axis=-1), np.abs(expected).max(axis=-1)
    assert (error <= TOLERANCE * size).all(), f'relative errors {error / size}'


def check_against_pinocchio(urdf: Path, model: sd.ScrewModel, rng: np.random.Generator) -> None:
    pytest.importorskip('pinocchio')
    from oracles.pinocchio_model import PinocchioModel

    oracle = PinocchioModel(urdf, model)
    for jet in random_joint_jet(rng, model.n, 0, samples=3):
        wrenches = random_wrench_jets(rng, model, 0)
        at_once = {name: wrench[0] for name, wrench in wrenches.items()}
        assert_close(sd.inverse_dynamics(model, jet)[0], oracle.efforts(*jet))
        loaded = sd.inverse_dynamics(model, jet, wrenches)[0]
        assert_close(loaded, oracle.efforts(*jet, at_once))
        centre, jacobian = oracle.centre_of_mass(jet[0])
        assert_close(sd.centre_of_mass(model, jet[0]), centre)
        assert_close(sd.centre_of_mass_jacobian(model, jet[0]).ravel(), jacobian.ravel())
        kinetic, potential = oracle.energies(*jet[:2])
        assert sd.kinetic_energy(model, *jet[:2]) == pytest.approx(kinetic, rel=TOLERANCE)
        weight = model.inertias[:, 3, 3].sum() * np.abs(model.gravity).sum()  # at 1 m
        error = abs(sd.potential_energy(model, jet[0]) - potential)
        assert error <= TOLERANCE * max(weight, abs(potential))


def test_bundled_against_reference(bundled_model: sd.ScrewModel, rng: np.random.Generator) -> None:
    jet = random_joint_jet(rng, bundled_model.n, ORDER)
    wrenches = random_wrench_jets(rng, bundled_model, ORDER)
    efforts = sd.inverse_dynamics(bundled_model, jet, wrenches)
    assert_close(efforts, reference_efforts(bundled_model, jet, wrenches).efforts)


@pytest.mark.parametrize('mimic', ['reduce', 'independent'])
def test_bundled_against_pinocchio(
    bundled_urdf: Path, mimic: str, rng: np.random.Generator
) -> None:
    check_against_pinocchio(bundled_urdf, read(bundled_urdf, mimic=mimic), rng)


def test_named_against_pinocchio(named_urdf: Path, rng: np.random.Generator) -> None:
    check_against_pinocchio(named_urdf, read(named_urdf), rng)
