# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Newton-Euler equations of one body in every frame: the same wrench in other components."""

import numpy as np
import pytest
from oracles.random_models import BodyRecipe, random_joint_jet, random_model

from screw_dynamics.lie import adjoint, adjoint_inverse, pose, twist_cross, vee
from screw_dynamics.theory import newton_euler, wrench_rates
from screw_dynamics.theory.kinematics import body_fixed as twists_body_fixed
from screw_dynamics.theory.kinematics import hybrid as twists_hybrid
from screw_dynamics.theory.kinematics import mixed as twists_mixed
from screw_dynamics.theory.kinematics import spatial as twists_spatial
from screw_dynamics.theory.tree import Tree

BODY, FRAME, AXES = 3, 1, 2
RECIPES = [BodyRecipe('helical'), BodyRecipe(), BodyRecipe('prismatic'), BodyRecipe()]


class Moving:
    """A body of a moving tree."""

    def __init__(self, rng):
        self.model = random_model(rng, RECIPES)
        self.jet = random_joint_jet(rng, self.model.n, 4)
        self.tree = Tree(self.model, self.jet)
        self.pose = self.tree.poses[BODY]
        self.rotation = self.pose[:3, :3]
        self.inertia = self.model.inertias[BODY]
        twist, rate = self.of(twists_body_fixed)
        self.wrench = newton_euler.body_fixed_wrench(self.inertia, twist, rate)

    def of(self, form, body=BODY):
        return form.twists(self.model, self.jet)[body, :2]


@pytest.fixture
def moving(rng):
    return Moving(rng)


def assert_close(got, expected):
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def turned(rotation, wrench):
    return np.concatenate((rotation @ wrench[:3], rotation @ wrench[3:]))


def test_body_fixed_is_the_sum_over_points_of_mass(rng):
    """An analytic case: points of a rigid body that turns and falls."""
    masses, points = rng.uniform(0.2, 1.0, 6), rng.normal(size=(6, 3))
    twist, rate = rng.normal(size=6), rng.normal(size=6)
    accelerations = (
        rate[3:]
        + np.cross(twist[:3], twist[3:])
        + np.cross(rate[:3], points)
        + np.cross(twist[:3], np.cross(twist[:3], points))
    )
    forces = masses[:, None] * accelerations
    expected = np.concatenate((np.cross(points, forces).sum(axis=0), forces.sum(axis=0)))
    inertia = np.zeros((6, 6))
    for mass, point in zip(masses, points, strict=True):
        arm = np.hstack([np.cross(np.eye(3), point).T, np.eye(3)])
        inertia += mass * arm.T @ arm
    assert_close(newton_euler.body_fixed_wrench(inertia, twist, rate), expected)


def test_momentum_form(moving):
    """W = Pi' - ad_V^T Pi."""
    twist, rate = moving.of(twists_body_fixed)
    momentum = newton_euler.momentum(moving.inertia, twist)
    change = newton_euler.momentum(moving.inertia, rate)
    assert_close(change - twist_cross(twist).T @ momentum, moving.wrench)


def test_spatial(moving):
    inertia = newton_euler.spatial_inertia(moving.inertia, moving.pose)
    wrench = newton_euler.spatial_wrench(inertia, *moving.of(twists_spatial))
    assert_close(adjoint(moving.pose).T @ wrench, moving.wrench)


def test_hybrid(moving):
    inertia = newton_euler.hybrid_inertia(moving.inertia, moving.rotation)
    wrench = newton_euler.hybrid_wrench(inertia, *moving.of(twists_hybrid))
    assert_close(turned(moving.rotation.T, wrench), moving.wrench)


def test_mixed(moving):
    wrench = newton_euler.mixed_wrench(moving.inertia, moving.rotation, *moving.of(twists_mixed))
    assert_close(wrench[:3], moving.wrench[:3])
    assert_close(moving.rotation.T @ wrench[3:], moving.wrench[3:])


def test_center_of_mass(moving):
    center = pose(np.eye(3), vee(moving.inertia[:3, 3:]) / moving.inertia[5, 5])
    inertia = adjoint(center).T @ moving.inertia @ adjoint(center)
    twist, rate = (adjoint_inverse(center) @ x for x in moving.of(twists_body_fixed))
    wrench = newton_euler.central_wrench(inertia, twist, rate)
    assert_close(adjoint_inverse(center).T @ wrench, moving.wrench)


def test_center_of_mass_in_other_axes(moving):
    """Forces are m r_c'', torques those of Euler; a complex step differentiates the twists."""
    jet = moving.jet + 1e-30j * np.roll(moving.jet, -1, axis=0)
    arm = vee(moving.inertia[:3, 3:]) / moving.inertia[5, 5]
    center = pose(np.eye(3), arm)
    inertia = adjoint(center).T @ moving.inertia @ adjoint(center)
    turn = np.kron(np.eye(2), moving.rotation)
    expected = turn @ adjoint(center).T @ moving.wrench
    w, velocity = np.split(twists_hybrid.twists(moving.model, jet)[BODY, 0], 2)
    rotation = Tree(moving.model, jet).poses[BODY][:3, :3]
    velocity = velocity + np.cross(w, rotation @ arm)
    twist = np.concatenate((w, velocity))
    got = newton_euler.central_hybrid_wrench(
        turn @ inertia @ turn.T, twist.real, twist.imag / 1e-30
    )
    assert_close(got, expected)
    twist = np.concatenate((rotation.T @ w, velocity))
    got = newton_euler.central_mixed_wrench(inertia, twist.real, twist.imag / 1e-30)
    assert_close(got, np.concatenate((moving.rotation.T @ expected[:3], expected[3:])))


def test_spatial_momentum(moving):
    """Its derivative is the wrench, and that of the inertia is a sum of two products."""
    jet = moving.jet + 1e-30j * np.roll(moving.jet, -1, axis=0)
    twist = twists_spatial.twists(moving.model, jet)[BODY, 0]
    inertia = newton_euler.spatial_inertia(moving.inertia, Tree(moving.model, jet).poses[BODY])
    rate = newton_euler.momentum(inertia, twist).imag / 1e-30
    assert_close(rate, adjoint_inverse(moving.pose).T @ moving.wrench)
    assert_close(newton_euler.spatial_inertia_rate(inertia.real, twist.real), inertia.imag / 1e-30)


def test_a_moving_frame_and_other_axes(moving):
    frame = moving.tree.poses[FRAME]
    frame_twist = moving.of(twists_body_fixed, FRAME)[0]
    spatial_twist, spatial_rate = moving.of(twists_spatial)
    twist = adjoint_inverse(frame) @ spatial_twist
    rate = adjoint_inverse(frame) @ spatial_rate - twist_cross(frame_twist) @ twist
    in_base = newton_euler.spatial_inertia(moving.inertia, moving.pose)
    inertia = adjoint(frame).T @ in_base @ adjoint(frame)
    wrench = newton_euler.wrench_in_moving_frame(inertia, twist, rate, frame_twist)
    spatial_wrench = adjoint_inverse(moving.pose).T @ moving.wrench
    assert_close(wrench, adjoint(frame).T @ spatial_wrench)
    # measured there, resolved in the axes of a third body
    axes = moving.tree.poses[AXES][:3, :3]
    turn = np.kron(np.eye(2), axes.T @ frame[:3, :3])
    velocities = moving.of(twists_spatial, AXES)[0, :3], moving.of(twists_spatial, FRAME)[0, :3]
    relative = axes.T @ (velocities[0] - velocities[1])
    resolved = turn @ twist
    resolved_rate = turn @ rate - np.concatenate(
        (np.cross(relative, resolved[:3]), np.cross(relative, resolved[3:]))
    )
    got = newton_euler.wrench_resolved(
        turn @ inertia @ turn.T, resolved, resolved_rate, turn @ frame_twist, relative
    )
    assert_close(got, turn @ wrench)


def test_rates_of_a_wrench_go_there_and_back(moving, rng):
    jet = rng.normal(size=(5, 6))
    body, base, mid = (
        form.twists(moving.model, moving.jet)[BODY]
        for form in (twists_body_fixed, twists_spatial, twists_hybrid)
    )
    there = wrench_rates.spatial_from_body(jet, moving.pose, body)
    assert_close(wrench_rates.body_from_spatial(there, moving.pose, base), jet)
    # the first derivative: W^s' = Ad_C^-T (W^b' - ad_V^T W^b)
    rate = jet[1] - twist_cross(body[0]).T @ jet[0]
    assert_close(there[1], adjoint_inverse(moving.pose).T @ rate)
    there = wrench_rates.hybrid_from_body(jet, moving.rotation, body[:, :3])
    assert_close(wrench_rates.body_from_hybrid(there, moving.rotation, mid[:, :3]), jet)
    angular = np.concatenate((body[0, :3], np.zeros(3)))
    assert_close(there[1], turned(moving.rotation, jet[1] + twist_cross(angular) @ jet[0]))
