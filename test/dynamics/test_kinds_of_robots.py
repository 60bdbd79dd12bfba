# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A kind of robot that the package does not know: rigid links with springs beside the joints."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from screw_dynamics.dynamics import register_kind
from screw_dynamics.errors import InputError, UnknownNameError


@dataclass(frozen=True)
class Sprung:
    """A model with springs of a stiffness [N m/rad] from its links to the base."""

    links: sd.ScrewModel
    stiffness: float

    def __getattr__(self, name):
        return getattr(self.links, name)

    def without_gravity(self):
        return replace(self, links=self.links.without_gravity())


class Loaded(sd.ScrewModel):
    """A subclass, which the kernel of its base must not answer for."""


def inverse_dynamics(robot, joint_jet, wrench_jets=None, *, out=None, threads=1):
    efforts = sd.inverse_dynamics(robot.links, joint_jet, wrench_jets, out=out, threads=threads)
    efforts += robot.stiffness * np.asarray(joint_jet)[..., :-2, :]
    return efforts


def bias_forces(robot, q, qd, *, out=None, threads=1):
    forces = sd.bias_forces(robot.links, q, qd, out=out, threads=threads)
    forces += robot.stiffness * np.asarray(q)
    return forces


def forward_dynamics(robot, q, qd, tau, *, out=None, threads=1):
    net = np.asarray(tau) - robot.stiffness * np.asarray(q)
    return sd.forward_dynamics(robot.links, q, qd, net, out=out, threads=threads)


def of_links(function):
    def call(robot, *inputs, **options):
        return function(robot.links, *inputs, **options)

    return call


SAME = 'mass_matrix', 'gravity_forces', 'frame_pose', 'frame_jacobian', 'frame_jacobian_jet'
register_kind(
    Sprung,
    inverse_dynamics=inverse_dynamics,
    bias_forces=bias_forces,
    forward_dynamics=forward_dynamics,
    **{name: of_links(getattr(sd, name)) for name in SAME},
)


@pytest.fixture
def robot(rng):
    return Sprung(random_model(rng, 5), 30.0)


def test_it_is_a_robot_model(robot):
    assert isinstance(robot, sd.RobotModel)
    assert not isinstance(robot, sd.ScrewModel)
    assert sd.Robot(robot).joint_names == robot.links.joint_names


def test_public_functions_compute_what_it_registered(robot, rng):
    # arrays for which a ScrewModel's kernel would be called at once
    q, qd, qdd = jet = rng.normal(size=(3, robot.n))
    tau = sd.inverse_dynamics(robot, jet)[0]
    np.testing.assert_array_equal(
        tau, sd.inverse_dynamics(robot.links, jet)[0] + robot.stiffness * q
    )
    expected = sd.mass_matrix(robot, q) @ qdd + sd.bias_forces(robot, q, qd)
    np.testing.assert_allclose(tau, expected, rtol=1e-11, atol=1e-11 * abs(tau).max())
    found = sd.forward_dynamics(robot, q, qd, tau)
    np.testing.assert_allclose(found, qdd, rtol=1e-8, atol=1e-8)
    out = np.empty(robot.n)
    assert sd.bias_forces(robot, q, qd, out=out) is out
    np.testing.assert_array_equal(
        sd.frame_jacobian_jet(robot, jet, 'tool_1'),
        sd.frame_jacobian_jet(robot.links, jet, 'tool_1'),
    )


def test_functions_of_functions_need_no_entry(robot, rng):
    jet = rng.normal(size=(4, robot.n))
    terms = sd.control_terms(robot, jet[0], jet[1], 'tool_1', 'hybrid')
    np.testing.assert_array_equal(terms.bias_forces, sd.bias_forces(robot, jet[0], jet[1]))
    np.testing.assert_array_equal(
        terms.frame_jacobian, sd.frame_jacobian(robot.links, jet[0], 'tool_1', 'hybrid')
    )
    gravity = sd.gravity_forces_jet(robot, jet)
    expected = sd.gravity_forces_jet(robot.links, jet)
    # the springs are in both of the efforts whose difference it is
    bound = 1e-14 * abs(sd.inverse_dynamics(robot, jet)).max()
    np.testing.assert_allclose(gravity, expected, rtol=0.0, atol=10 * bound)


def test_what_it_did_not_register_is_refused(robot, rng):
    q = rng.normal(size=robot.n)
    with pytest.raises(InputError, match='^model: expected a ScrewModel, got Sprung$'):
        sd.coriolis_matrix(robot, q, q)
    with pytest.raises(InputError, match='^model: expected a ScrewModel, got int$'):
        sd.mass_matrix(3, q)
    with pytest.raises(InputError, match='^model: expected a ScrewModel, got object$'):
        sd.Robot(object())


def test_a_subclass_has_the_functions_that_it_registered(rng):
    model = random_model(rng, 3)
    loaded = Loaded(**{name: getattr(model, name) for name in model.__dataclass_fields__})
    q = rng.normal(size=3)
    np.testing.assert_array_equal(sd.mass_matrix(loaded, q), sd.mass_matrix(model, q))
    register_kind(Loaded, mass_matrix=lambda robot, q, *, out, threads: np.eye(3))
    np.testing.assert_array_equal(sd.mass_matrix(loaded, q), np.eye(3))


def test_unknown_functions_are_named():
    with pytest.raises(UnknownNameError, match="function 'mass'"):
        register_kind(Sprung, mass=of_links(sd.mass_matrix))


NAMES = ('mass_matrix', 1), ('gravity_forces', 1), ('bias_forces', 2), ('coriolis_matrix', 2)


@pytest.mark.parametrize(('name', 'inputs'), [*NAMES, ('forward_dynamics', 3)])
@pytest.mark.parametrize('mimic', [False, True])
def test_batches_of_any_shape_are_their_samples(name, inputs, mimic, rng):
    follower = [BodyRecipe(mimics=0)] if mimic else []
    model = random_model(rng, [BodyRecipe(), BodyRecipe(parent_back=2), *follower])
    states = rng.normal(size=(inputs, 2, 3, model.n))
    function = getattr(sd, name)
    found = function(model, *states, threads=2)
    out = np.full_like(found, np.nan)
    assert function(model, *states, out=out) is out
    np.testing.assert_array_equal(out, found)
    for index in np.ndindex(2, 3):
        expected = function(model, *states[(slice(None), *index)])
        np.testing.assert_allclose(found[index], expected, rtol=1e-9, atol=1e-9)


def test_batches_of_motions_with_wrenches(rng):
    model = random_model(rng, 3)
    jets, wrench = rng.normal(size=(2, 3, 4, 3)), rng.normal(size=(2, 3, 2, 6))
    found = sd.inverse_dynamics(model, jets, {'tool_1': wrench})
    for index in np.ndindex(2, 3):
        expected = sd.inverse_dynamics(model, jets[index], {'tool_1': wrench[index]})
        np.testing.assert_allclose(found[index], expected, rtol=1e-10, atol=1e-10)
    arm = sd.soft.SoftRobot([sd.soft.ConstantCurvature(0.3, 0.03, 0.85, bending_stiffness=1.0)])
    jets = 0.1 * rng.normal(size=(2, 2, 3, 3))
    found = sd.inverse_dynamics(arm, jets, {'tip': wrench[:, :2, :1]})
    for index in np.ndindex(2, 2):
        expected = sd.inverse_dynamics(arm, jets[index], {'tip': wrench[index][:1]})
        np.testing.assert_allclose(found[index], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.skipif("sd.kernel_form() != 'c'", reason='needs the extension module')
@pytest.mark.parametrize(
    ('name', 'shape'),
    [
        ('mass_matrix', (1, 3)),
        ('bias_forces', (2, 3)),
        ('forward_dynamics', (3, 3)),
        ('inverse_dynamics', (1, 4, 3)),
    ],
)
def test_only_what_a_kernel_does_not_accept_is_checked(name, shape, rng, monkeypatch):
    model, function, inputs = random_model(rng, 3), getattr(sd, name), rng.normal(size=shape)
    expected = function(model, *inputs)  # it also loads the kernel

    def refuse(*arguments, **options):
        raise LookupError('checked')

    monkeypatch.setitem(function.__globals__, 'checked_call', refuse)
    np.testing.assert_array_equal(function(model, *inputs), expected)
    with pytest.raises(LookupError, match='checked'):
        function(model, *inputs.tolist())
