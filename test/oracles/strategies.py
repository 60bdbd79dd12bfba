# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies: random robots and joint jets, near-singular ones among them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from oracles.random_models import JOINT_TYPES, BodyRecipe, random_joint_jet, random_model
from screw_dynamics.common.arrays import Array
from screw_dynamics.model import ScrewModel

seeds = st.integers(0, 2**32 - 1)


@st.composite
def body_recipes(draw: st.DrawFn, *, mimic: bool = True) -> BodyRecipe:
    """Draw one body; the simplest is a plain revolute joint on the previous body."""
    return BodyRecipe(
        joint_type=draw(st.sampled_from(JOINT_TYPES)),
        parent_back=draw(st.sampled_from([1, 1, 1, 2, 3, 1000])),
        mimics=draw(st.none() | st.integers(0, 3)) if mimic else None,
        coordinate_axis=draw(st.booleans()),
        tilt=draw(st.sampled_from([0.0, 0.0, 1e-12, 1e-9, 1e-6])),
        identity_home=draw(st.sampled_from([False, False, False, True])),
        parallel_home=draw(st.booleans()),
        com_on_axis=draw(st.sampled_from([False, False, True])),
        mass_scale=draw(st.sampled_from([1.0, 1.0, 1e-9, 1e-3, 0.0])),
        points=draw(st.sampled_from([6, 2, 1])),
    )


@st.composite
def models(
    draw: st.DrawFn, *, max_bodies: int = 8, mimic: bool = True, scales: bool = True
) -> ScrewModel:
    """
    Draw a random tree: branches, all joint types, mimic joints, degenerate geometry and mass.

    With `scales`, robots a thousand times smaller, larger, lighter or heavier may come.
    """
    recipes = draw(st.lists(body_recipes(mimic=mimic), min_size=1, max_size=max_bodies))
    rng = np.random.default_rng(draw(seeds))
    gravity = draw(st.sampled_from([None, (0.0, 0.0, -9.81), (0.0, 9.81, 0.0), (0.0, 0.0, 0.0)]))
    return random_model(
        rng,
        recipes,
        gravity=None if gravity is None else np.array(gravity),
        length=draw(st.sampled_from([1.0, 1e-3, 1e3])) if scales else 1.0,
        mass=draw(st.sampled_from([1.0, 1e-6, 1e6])) if scales else 1.0,
    )


@st.composite
def joint_jets(draw: st.DrawFn, n: int, order: int) -> Array:
    """Draw a joint jet (k + 3, n): ordinary, at rest or nearly, at zero angles, or far from 0."""
    jet = random_joint_jet(np.random.default_rng(draw(seeds)), n, order)
    jet[0] *= draw(st.sampled_from([1.0, 0.0, 1e-9, 30.0]))
    jet[1:] *= draw(st.sampled_from([1.0, 0.0, 1e-8, 3.0]))
    still = draw(st.lists(st.integers(0, max(n - 1, 0)), max_size=n))
    jet[:, still] = 0.0
    return jet
