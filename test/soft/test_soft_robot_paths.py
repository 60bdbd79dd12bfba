# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The compiled closed forms against series of the points of the modules, and the recursion."""

from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.random_models import BodyRecipe, random_joint_jet, random_model
from oracles.strategies import seeds

import screw_dynamics as sd
from screw_dynamics.model.records import REPRESENTATIONS
from screw_dynamics.soft.paper.recursion import chain_efforts

SOFT = sd.soft


class Unknown(SOFT.Module):
    """A module of which the kernels know nothing."""

    def __init__(self, module):
        self.module, self.name, self.n = module, None, module.n
        self.masses = module.masses

    def tip_pose(self, q):
        return self.module.tip_pose(q)

    def positions(self, q):
        return self.module.positions(q)

    def elastic_efforts(self, q):
        return self.module.elastic_efforts(q)

    def damping_efforts(self, q, qd):
        return self.module.damping_efforts(q, qd)


def strain_basis(s):
    basis = np.zeros((6, 4))
    basis[0, 0], basis[1, 1], basis[2, 2], basis[5, 3] = 1.0, 4.0 * s, 0.5, s
    return basis


def pose(rng):
    result = np.eye(4)
    result[:3, :3] = sd.lie.exp_so3(rng.uniform(-2.0, 2.0, 3))
    result[:3, 3] = rng.uniform(-0.3, 0.3, 3)
    return result


def random_module(rng, kind):
    if kind in ('revolute', 'prismatic', 'fixed'):
        return SOFT.Joint(kind, rng.normal(size=3), pose(rng))
    if kind == 'helical':
        return SOFT.Joint(kind, rng.normal(size=3), pose(rng), pitch=0.2)
    if kind == 'rigid':
        moments = rng.uniform(0.1, 0.15, 3)
        turn = sd.lie.exp_so3(rng.normal(size=3))
        return SOFT.RigidBody(1.3, rng.normal(size=3), turn @ np.diag(moments) @ turn.T, pose(rng))
    if kind == 'planar':
        return SOFT.PlanarConstantCurvature(0.3, 0.03, 0.8, 0.2, 0.1)
    if kind == 'constant':
        return SOFT.ConstantCurvature(0.3, 0.03, 0.5, 0.1, 20.0, 0.2)
    if kind == 'bending':
        return SOFT.ConstantCurvature(0.3, 0.03, 0.5, 0.1, elongation=False)
    order = 2 if kind == 'second order' else 4
    stiffness = (1.0, 1.1, 0.8, 20.0, 20.0, 30.0)
    return SOFT.VariableStrain(
        0.4, 0.02, 0.6, strain_basis, stiffness=stiffness, damping=0.1, order=order, nodes=5
    )


CHAIN = ('revolute', 'rigid', 'planar', 'prismatic', 'strain', 'constant')


def both():
    rng = np.random.default_rng(1)
    modules = [random_module(rng, kind) for kind in CHAIN]
    gravity = rng.normal(size=3)
    plain = SOFT.SoftRobot([Unknown(module) for module in modules], gravity)
    return SOFT.SoftRobot(modules, gravity), plain, rng


KINDS = ('revolute', 'prismatic', 'helical', 'fixed', 'rigid', 'planar', 'constant', 'bending')


@settings(max_examples=6)
@given(
    kinds=st.lists(st.sampled_from((*KINDS, 'strain', 'second order')), min_size=1, max_size=5),
    seed=seeds,
    size=st.sampled_from([1.0, 1.0, 1e-2, 1e-5, 1e-10, 0.0]),
    order=st.integers(0, 4),
)
def test_random_chains_agree_on_both_paths(kinds, seed, size, order):
    rng = np.random.default_rng(seed)
    modules = [random_module(rng, kind) for kind in kinds]
    robot = SOFT.SoftRobot(modules)
    plain = SOFT.SoftRobot([Unknown(module) for module in modules])
    jet = rng.uniform(-1.0, 1.0, (order + 3, robot.n))
    jet[0] *= 0.25 * size  # elongations have a range
    wrench, index = rng.normal(size=(order + 1, 6)), rng.integers(len(kinds))
    got, expected = (
        sd.inverse_dynamics(r, jet, {r.module_names[index]: wrench}) for r in (robot, plain)
    )
    scale = np.abs(expected).max(axis=1, keepdims=True, initial=0.1)
    assert np.all(np.abs(got - expected) <= 1e-12 * scale)
    for free in (sd.inverse_dynamics(r, jet) for r in (robot, plain)):
        assert np.all(np.abs(free - chain_efforts(robot, jet)) <= 1e-12 * scale)
    matrix, other = sd.mass_matrix(robot, jet[0]), sd.mass_matrix(plain, jet[0])
    assert np.all(np.abs(matrix - other) <= 1e-12 * np.abs(other).max(initial=0.1))


def test_mass_matrices_poses_and_forces_agree():
    robot, plain, rng = both()
    q, qd, qdd = rng.uniform(-0.25, 0.25, (3, 2, robot.n))
    matrices = sd.mass_matrix(robot, q)
    scale = np.abs(matrices).max()
    assert np.abs(matrices - sd.mass_matrix(plain, q)).max() <= 1e-13 * scale
    again, taus = SOFT.mass_inverse_dynamics(robot, q, qd, qdd)
    assert np.abs(again - matrices).max() <= 1e-14 * scale
    jets = np.stack([q, qd, qdd], axis=1)
    assert np.array_equal(taus, sd.inverse_dynamics(robot, jets)[:, 0])
    bound = 1e-12 * np.abs(taus).max()
    forces = sd.bias_forces(robot, q, qd) + np.einsum('tij,tj->ti', matrices, qdd)
    assert np.abs(forces - taus).max() <= bound
    assert np.abs(sd.forward_dynamics(robot, q, qd, taus) - qdd).max() <= 1e-7  # condition of M
    frames = zip(('base', 'tip', *robot.module_names), cycle(REPRESENTATIONS), strict=False)
    for frame, representation in frames:
        index = robot.modules_to(frame) - 1
        other = frame if frame in ('base', 'tip') else plain.module_names[index]
        expected = sd.frame_pose(plain, q, other)
        assert np.abs(sd.frame_pose(robot, q, frame) - expected).max() < 1e-14
        expected = sd.frame_jacobian(plain, q, other, representation)
        got = sd.frame_jacobian(robot, q, frame, representation)
        assert np.abs(got - expected).max(initial=0.0) < 1e-13


@pytest.mark.parametrize('order', [0, 2])
def test_batches_and_threads_agree(order):
    robot, _, rng = both()
    jets = rng.uniform(-0.25, 0.25, (130, order + 3, robot.n))
    batch, out = sd.inverse_dynamics(robot, jets), np.empty((130, order + 1, robot.n))
    assert sd.inverse_dynamics(robot, jets, out=out, threads=2) is out
    assert np.array_equal(batch, out)
    assert np.array_equal(batch[7], sd.inverse_dynamics(robot, jets[7]))
    assert np.array_equal(batch[7], sd.inverse_dynamics(robot, jets[7].tolist()))
    assert sd.inverse_dynamics(robot, jets[:0]).shape == (0, order + 1, robot.n)


def test_chains_with_one_known_module_run_in_the_kernel():
    robot, plain, rng = both()
    for i, module in enumerate(robot.modules):
        modules = list(plain.modules)
        modules[i] = module
        mixed = SOFT.SoftRobot(modules, robot.gravity)
        assert mixed.kernel_table.given.sum() == len(modules) - 1
        jet = rng.uniform(-0.25, 0.25, (4, robot.n))
        got, expected = sd.inverse_dynamics(mixed, jet), sd.inverse_dynamics(robot, jet)
        scale = np.abs(expected).max(axis=1, keepdims=True)
        assert np.all(np.abs(got - expected) <= 1e-12 * scale)
        matrix = sd.mass_matrix(robot, jet[0])
        deviation = np.abs(sd.mass_matrix(mixed, jet[0]) - matrix).max()
        assert deviation <= 1e-13 * np.abs(matrix).max()


@pytest.mark.parametrize('seed', range(2))
def test_random_rigid_chains_agree_with_their_models(seed):
    rng = np.random.default_rng(seed)
    types = rng.choice(['revolute', 'continuous', 'prismatic', 'helical'], rng.integers(1, 9))
    model = random_model(rng, [BodyRecipe(str(kind)) for kind in types])
    robot = SOFT.SoftRobot.from_model(model)
    jet = random_joint_jet(rng, model.n, 3)
    expected, got = sd.inverse_dynamics(model, jet), sd.inverse_dynamics(robot, jet)
    assert np.all(np.abs(got - expected) <= 1e-12 * np.abs(expected).max(axis=1, keepdims=True))
    matrix = sd.mass_matrix(model, jet[0])
    assert np.abs(sd.mass_matrix(robot, jet[0]) - matrix).max() <= 1e-12 * np.abs(matrix).max()
    bias = sd.bias_forces(model, *jet[:2])
    gap = np.abs(sd.bias_forces(robot, *jet[:2]) - bias).max()
    assert gap <= 1e-12 * np.abs(bias).max()
    body = model.body_names[-1]
    place = sd.frame_pose(model, jet[0], body)
    assert np.abs(sd.frame_pose(robot, jet[0], body) - place).max() <= 1e-12 * np.abs(place).max()


def test_joints_in_another_order_than_the_chain_are_refused():
    """Jets in the order of the model would move the wrong joints."""
    turned = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'), joints=('joint_2', 'joint_1'))
    segments = sd.share_path('config/soft_finger.yaml')
    text = 'order of the chain, joint_1, joint_2, got joint_2, joint_1'
    for call in (
        lambda: SOFT.SoftRobot.from_model(turned),
        lambda: SOFT.append_segments(turned, segments),
    ):
        with pytest.raises(sd.ScrewDynamicsError, match=text):
            call()


def test_mimic_joints_are_refused():
    follower = [BodyRecipe(), BodyRecipe(mimics=0), BodyRecipe()]
    model = random_model(np.random.default_rng(1), follower)
    with pytest.raises(sd.ScrewDynamicsError, match='expected no mimic joints'):
        SOFT.SoftRobot.from_model(model)
    chain = random_model(np.random.default_rng(1), 2)
    for changed in ({'multipliers': np.array([1.0, 2.0])}, {'offsets': np.array([0.1, 0.0])}):
        with pytest.raises(sd.ScrewDynamicsError, match='got a multiple or an offset'):
            SOFT.SoftRobot.from_model(replace(chain, **changed))


def test_bad_arguments_are_named():
    arc = SOFT.PlanarConstantCurvature(0.3, 0.03, 0.8, name='arc')
    robot = SOFT.SoftRobot([SOFT.Joint('fixed'), arc])
    long = SOFT.SoftRobot([SOFT.ConstantCurvature(0.3, 0.03, 0.8)])

    def rod(basis=strain_basis, **options):
        return SOFT.VariableStrain(1.0, 0.1, 1.0, basis, **options)

    def varying(s):
        return np.zeros((6, 1 if s < 0.5 else 2))

    for call, text in (
        (lambda: rod(lambda s: np.eye(5)), 'basis at s = '),
        (lambda: rod(order=3), 'order: expected'),
        (lambda: rod(nodes=0), 'nodes: expected'),
        (lambda: rod(varying), r'basis at s = .* \(6, 1\)'),
        (lambda: rod(stiffness=(-1,) * 6), 'stiffness: expected eigenvalues of 0 or more'),
        (lambda: rod(stiffness=np.ones(3)), r'stiffness: expected shape \(6,\) or \(6, 6\)'),
        (lambda: rod(stiffness=np.triu(np.ones((6, 6)))), 'stiffness: expected a symmetric'),
        (lambda: SOFT.strain_basis(1.0, 'monomial', {'twist': 1.0}), 'expected a whole number'),
        (lambda: SOFT.strain_basis(1.0, 'monomial', {'twist': True}), 'expected a whole number'),
        (lambda: SOFT.strain_basis(1.0, 'hermite', {'twist': 2}), 'whole number of at least 4'),
        (lambda: SOFT.ConstantStrain(1.0, 0.1, 1.0, strains=['twist'] * 2), 'at most once'),
        (lambda: SOFT.ConstantCurvature(1.0, 0.1, 1.0, elongation='no'), 'elongation: expected'),
        (lambda: SOFT.RigidBody(1.0, np.zeros(3), np.ones(3)), 'inertia: expected shape'),
        (lambda: SOFT.RigidBody(1.0, np.zeros(3), np.tri(3)), 'inertia: expected a symmetric'),
        (lambda: SOFT.RigidBody(1.0, np.zeros(3), np.eye(3), 2.0 * np.eye(4)), 'a rotation and'),
        (lambda: SOFT.Joint('revolute', np.zeros(3)), 'axis: expected a vector other than zero'),
        (lambda: SOFT.Joint('revolute', pitch=0.1), 'pitch: expected 0 for a revolute joint'),
        (lambda: SOFT.Joint('revolute', name=''), "name: expected a name or None, got ''"),
        (lambda: SOFT.SoftRobot([]), 'modules: expected one or more'),
        (lambda: SOFT.SoftRobot([arc, 'arc']), r'modules\[1\]: expected a joint or a body'),
        (lambda: SOFT.SoftRobot([arc, arc]), "than 'arc': two modules have it"),
        (lambda: SOFT.SoftRobot([SOFT.Joint('fixed', name='tip')]), 'a meaning of its own'),
        (lambda: SOFT.Joint('helical', pitch='no'), "pitch: expected a finite number, got 'no'"),
        (lambda: SOFT.SoftRobot(arc), 'modules: expected a sequence of joints and bodies'),
        (lambda: SOFT.VolumePreserving(0.1, 0.02, 0.1, 3), 'primitives: expected a sequence'),
        (lambda: SOFT.VolumePrimitive(['twist'], [[1.0]]), 'kind: expected one of'),
        (lambda: sd.inverse_dynamics(robot, np.zeros((2, 1))), 'joint_jet: expected'),
        (lambda: sd.inverse_dynamics(robot, np.full((3, 1), np.nan)), 'joint_jet'),
        (lambda: sd.inverse_dynamics(robot, np.full((3, 1), 1e200)), "'arc', overflow"),
        (lambda: sd.inverse_dynamics(robot, np.zeros((3, 1)), threads=0), 'threads: expected'),
        (lambda: sd.mass_matrix(long, [0.0, 0.0, 1e200]), 'overflow inside the recursion'),
    ):
        with pytest.raises(sd.ScrewDynamicsError, match=text):
            call()


def test_inertias_of_no_solid_are_used_with_a_warning():
    with pytest.warns(sd.errors.InertiaWarning, match='used unchanged'):
        body = SOFT.RigidBody(1.0, np.zeros(3), np.diag([1.0, 1.0, 3.0]))
    arm = SOFT.SoftRobot([SOFT.Joint('revolute'), Unknown(body)])
    assert sd.mass_matrix(arm, [0.3])[0, 0] == pytest.approx(3.0, rel=1e-14)


def test_bodies_without_stiffness_are_slack():
    for body in (
        SOFT.PlanarConstantCurvature(0.3, 0.03, 0.8),
        SOFT.ConstantCurvature(0.3, 0.03, 0.8),
        SOFT.ConstantStrain(0.3, 0.03, 0.8),
        SOFT.ConstantStrain(0.3, 0.03, 0.8, damping=2.0),
        SOFT.VariableStrain(0.3, 0.03, 0.8, strain_basis, stiffness=np.ones(6)),
        SOFT.VolumePreserving(0.3, 0.03, 0.8),
    ):
        q, qd = np.full((2, body.n), 0.1)
        assert not body.damping_efforts(q, qd).any()
        assert body.elastic_efforts(q).any() == (body.energy(q) > 0.0)
        assert (body.energy(q) > 0.0) == (type(body) is SOFT.VariableStrain)


def test_the_table_of_a_robot_has_its_modules():
    robot = SOFT.SoftRobot([SOFT.Joint('fixed'), SOFT.ConstantCurvature(0.3, 0.03, 0.5, name='a')])
    lines = [line.split() for line in str(robot).splitlines()]
    assert lines[0] == ['SoftRobot(joint_1,', 'a,', 'n=3)']
    assert ['joint_1', 'Joint', '-'] in lines
    assert ['a', 'ConstantCurvature', 'a_curve_x,', 'a_curve_y,', 'a_stretch'] in lines


def test_ranges_of_modules_hold_on_the_compiled_path():
    robot = SOFT.SoftRobot([SOFT.Joint('fixed'), SOFT.ConstantCurvature(0.3, 0.03, 0.5)])
    jets = np.zeros((2, 3, 3))
    jets[1, 0, 2] = -0.4
    for call in (
        lambda: sd.inverse_dynamics(robot, jets),
        lambda: sd.inverse_dynamics(robot, jets[1]),
        lambda: sd.mass_matrix(robot, jets[1, 0]),
    ):
        with pytest.raises(sd.ScrewDynamicsError, match='body_1: elongation'):
            call()


@pytest.mark.parametrize('size', [1e-200, 1.0, 1e200])
def test_axes_of_any_length_are_directions(size):
    joint = SOFT.Joint('revolute', (0.0, 3.0 * size, 4.0 * size))
    assert np.abs(joint.axis - [0.0, 0.6, 0.8]).max() < 1e-15


def test_a_class_derived_from_a_known_body_keeps_its_own_shape():
    class Twice(SOFT.PlanarConstantCurvature):
        def tip_pose(self, q):
            return super().tip_pose(2.0 * q)

    mixed = SOFT.SoftRobot([SOFT.Joint('fixed'), Twice(0.3, 0.03, 0.8)])
    assert mixed.kernel_table.given.tolist() == [False, True]
