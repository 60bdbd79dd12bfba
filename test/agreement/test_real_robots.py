# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bundled and packaged robots: kernel and recursion against Pinocchio and 60-digit arithmetic."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.high_precision import reference_efforts
from oracles.random_models import random_joint_jet, random_wrench_jets

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.theory.inverse_dynamics.body_fixed import recursive_body_fixed

ORDER = 4
TOLERANCE = 1e-12

implementations = pytest.mark.parametrize('efforts', [sd.inverse_dynamics, recursive_body_fixed])


def read(urdf: Path, **options: Any) -> sd.ScrewModel:
    """Read a robot; many published inertias are not physical, which is a warning only."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return sd.read_urdf(urdf, **options)


def assert_close(got: Array, expected: Array) -> None:
    """Compare row by row with the row's largest effort: a generic motion cancels nothing."""
    error, size = np.abs(got - expected).max(axis=-1), np.abs(expected).max(axis=-1)
    assert (error <= TOLERANCE * size).all(), f'relative errors {error / size}'


def check_against_reference(
    efforts: Callable[..., Any], model: sd.ScrewModel, rng: np.random.Generator
) -> None:
    jets = random_joint_jet(rng, model.n, ORDER, samples=3)
    wrenches = random_wrench_jets(rng, model, ORDER, samples=3)
    batch = efforts(model, jets, wrenches)
    for t, jet in enumerate(jets):
        assert_close(efforts(model, jet), reference_efforts(model, jet).efforts)
        sample = {name: wrench[t] for name, wrench in wrenches.items()}
        assert_close(batch[t], reference_efforts(model, jet, sample).efforts)


def check_against_pinocchio(
    efforts: Callable[..., Any], urdf: Path, model: sd.ScrewModel, rng: np.random.Generator
) -> None:
    pytest.importorskip('pinocchio')
    from oracles.pinocchio_model import PinocchioModel

    oracle = PinocchioModel(urdf, model)
    for jet in random_joint_jet(rng, model.n, 0, samples=3):
        wrenches = random_wrench_jets(rng, model, 0)
        at_once = {name: wrench[0] for name, wrench in wrenches.items()}
        assert_close(efforts(model, jet)[0], oracle.efforts(*jet))
        assert_close(efforts(model, jet, wrenches)[0], oracle.efforts(*jet, at_once))


@implementations
def test_bundled_against_reference(
    efforts: Callable[..., Any], bundled_model: sd.ScrewModel, rng: np.random.Generator
) -> None:
    check_against_reference(efforts, bundled_model, rng)


@implementations
@pytest.mark.parametrize('mimic', ['reduce', 'independent'])
def test_bundled_against_pinocchio(
    efforts: Callable[..., Any], bundled_urdf: Path, mimic: str, rng: np.random.Generator
) -> None:
    model = read(bundled_urdf, mimic=mimic)
    check_against_pinocchio(efforts, bundled_urdf, model, rng)


@implementations
def test_named_against_reference(
    efforts: Callable[..., Any], named_urdf: Path, rng: np.random.Generator
) -> None:
    check_against_reference(efforts, read(named_urdf), rng)


@implementations
def test_named_against_pinocchio(
    efforts: Callable[..., Any], named_urdf: Path, rng: np.random.Generator
) -> None:
    check_against_pinocchio(efforts, named_urdf, read(named_urdf), rng)
