# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rods and arcs that are the same body in other coordinates."""

from __future__ import annotations

import numpy as np

import screw_dynamics as sd

SOFT = sd.soft


def test_an_arc_cut_in_two_halves_is_the_same_arc():
    whole = SOFT.SoftRobot([SOFT.PlanarConstantCurvature(0.4, 0.03, 0.8)])
    halves = SOFT.SoftRobot([SOFT.PlanarConstantCurvature(0.2, 0.03, 0.4)] * 2)
    jet = np.random.default_rng(3).normal(size=(5, 1))
    tau = sd.inverse_dynamics(whole, jet)
    parts = sd.inverse_dynamics(halves, 0.5 * np.repeat(jet, 2, axis=1))
    # virtual work: half the angle in each half
    assert np.allclose(0.5 * parts.sum(axis=1, keepdims=True), tau, rtol=1e-12)


def test_planar_and_spatial_arcs_agree_in_the_plane():
    planar = SOFT.SoftRobot([SOFT.PlanarConstantCurvature(0.3, 0.03, 0.8, 0.2, 0.1)] * 2)
    spatial = SOFT.SoftRobot(
        [SOFT.ConstantCurvature(0.3, 0.03, 0.8, 0.2, damping=0.1, elongation=False)] * 2
    )
    jet = np.random.default_rng(3).uniform(-1.0, 1.0, (5, 2))
    wide = np.zeros((5, 4))
    wide[:, [0, 2]] = -jet  # q1 turns about +y
    expected, got = sd.inverse_dynamics(planar, jet), sd.inverse_dynamics(spatial, wide)
    # eight Gauss points are exact to 1e-13 at these angles
    assert np.allclose(-got[:, [0, 2]], expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())


def test_a_rod_of_constant_strain_is_the_arc_of_constant_curvature():
    basis = np.zeros((6, 3))
    basis[1, 0], basis[0, 1], basis[5, 2] = np.array([1.0, -1.0, 1.0]) / 0.3
    arc = SOFT.ConstantCurvature(0.3, 0.03, 0.5, 0.2, 15.0, 0.1)
    stiffness = (0.2, 0.2, 0.0, 0.0, 0.0, 15.0)
    rods = [
        SOFT.VariableStrain(
            0.3, 0.03, 0.5, lambda s: basis, stiffness=stiffness, damping=0.1, nodes=12, order=k
        )
        for k in (2, 4)
    ]
    jet = np.random.default_rng(8).uniform(-0.25, 0.25, (5, 3))
    expected = sd.inverse_dynamics(SOFT.SoftRobot([arc]), jet)
    for rod in rods:
        got = sd.inverse_dynamics(SOFT.SoftRobot([rod]), jet)
        assert np.allclose(got, expected, rtol=1e-12, atol=1e-13)
