# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Every implementation reproduces the efforts of robots whose efforts are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracles import golden
from oracles.high_precision import reference_efforts

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.theory.inverse_dynamics.body_fixed import recursive_body_fixed


def reference(model: sd.ScrewModel, joint_jet: Array) -> Array:
    return reference_efforts(model, joint_jet).efforts


implementations = pytest.mark.parametrize(
    'efforts', [sd.inverse_dynamics, recursive_body_fixed, reference]
)


@implementations
@pytest.mark.parametrize('order', range(6))
def test_chain(efforts: Callable[..., Any], order: int) -> None:
    got = efforts(golden.chain(), golden.CHAIN_JET[: order + 3])
    expected = golden.CHAIN_EFFORTS[: order + 1]
    # the table has 15 digits, one or two of them lost to cancellation in its smallest entries
    np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-13)


@implementations
def test_planar_2r(efforts: Callable[..., Any], rng: np.random.Generator) -> None:
    jet = rng.normal(size=(5, 2))
    expected = golden.planar_2r_efforts(jet)
    got = efforts(golden.planar_2r(), jet)
    assert (np.abs(got - expected).max(axis=1) <= 1e-13 * np.abs(expected).max(axis=1)).all()


@implementations
def test_planar_2r_hangs_at_rest(efforts: Callable[..., Any]) -> None:
    """Hanging straight down, gravity needs no effort and nothing moves."""
    jet = np.zeros((5, 2))
    jet[0, 0] = -np.pi / 2
    got = efforts(golden.planar_2r(), jet)
    assert np.abs(got).max() <= 1e-14
