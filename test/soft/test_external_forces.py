# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""External wrenches and forces on soft robots against their virtual work; inertial efforts."""

import numpy as np
import pytest
from oracles import material_points
from oracles.hybrid_points import arc_module, rigid_module

import screw_dynamics as sd

SOFT = sd.soft
ORDER = 2


@pytest.fixture(scope='module')
def case():
    """Return a planar arm with two arcs and a hand, its modules as points, and a motion."""
    segments = '\n'.join(
        f'  - {{name: {name}, type: constant_curvature, length: 0.3, radius: 0.02, mass: 0.4, '
        'bending_stiffness: 0, axial_stiffness: 0}'
        for name in ('near', 'far')
    )
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    robot = SOFT.append_segments(arm, f'segments:\n{segments}')
    parts = zip(arm.home_poses, arm.screws, arm.inertias, strict=True)
    arcs = [arc_module(np.eye(4), 0.3, 0.02, 0.4, np.zeros(3), 0.0, sections=12)] * 2
    modules = [*(rigid_module(*part) for part in parts), *arcs]
    rng = np.random.default_rng(3)
    jet = rng.uniform(-0.5, 0.5, (ORDER + 3, robot.n))
    jet[:, [4, 7]] *= 0.05
    return robot, modules, jet, rng


def same(got, expected):
    """Compare row by row: a circle of radius 0.25 loses a factor of 4 per derivative."""
    scale = np.abs(expected).max(axis=1, keepdims=True)
    assert np.all(np.abs(got - expected) <= 1e-12 * 4.0 ** np.arange(len(got))[:, None] * scale)


@pytest.mark.parametrize('frame', ['link_2', 'far'])
def test_wrenches_at_frames_do_their_virtual_work(case, frame):
    robot, modules, jet, rng = case
    wrench = rng.normal(size=(ORDER + 1, 6))
    place = ('link_1', 'link_2', 'near', 'far').index(frame) + 1
    count = sum(module.n for module in modules[:place])
    expected = np.zeros((ORDER + 1, robot.n))
    expected[:, :count] = material_points.wrench_efforts(
        modules[:place], wrench, jet[: ORDER + 1, :count]
    )
    free = sd.inverse_dynamics(robot, jet)
    loaded = sd.inverse_dynamics(robot, jet, {frame: wrench})
    same(free - loaded, expected)
    # at order 0 the transposed Jacobian
    work = sd.frame_jacobian(robot, jet[0], frame).T @ wrench[0]
    np.testing.assert_allclose((free - loaded)[0], work, atol=1e-12 * abs(free[0]).max())


def test_batches_share_wrenches_or_have_their_own(case):
    robot, _, jet, rng = case
    jets = np.stack([jet, 0.7 * jet, -0.3 * jet])
    wrenches = rng.normal(size=(3, ORDER + 1, 6))
    each = sd.inverse_dynamics(robot, jets, {'far': wrenches}, threads=2)
    shared = sd.inverse_dynamics(robot, jets, {'far': wrenches[0]})
    twice = sd.inverse_dynamics(robot, jets, {'far': wrenches, 'tip': -wrenches})
    free = sd.inverse_dynamics(robot, jets, {'base': wrenches})
    assert np.array_equal(free, sd.inverse_dynamics(robot, jets))
    np.testing.assert_allclose(twice, free, atol=1e-12 * abs(free).max())
    for t in range(3):
        single = sd.inverse_dynamics(robot, jets[t], {'far': wrenches[t]})
        assert np.array_equal(each[t], single)
        assert np.array_equal(shared[t], sd.inverse_dynamics(robot, jets[t], {'far': wrenches[0]}))


def test_forces_on_the_points_do_their_virtual_work(case):
    robot, modules, jet, rng = case
    motion = jet[: ORDER + 1]
    names = [robot.module_names[i] for i in (-2, -1)]
    counts = [len(robot.modules[i].masses) for i in (-2, -1)]
    forces = [rng.normal(size=(ORDER + 1, count, 3)) for count in counts]
    arcs = [module.masses.size for module in modules]
    found = SOFT.point_force_efforts(robot, motion, dict(zip(names, forces, strict=True)))
    assert counts == arcs[2:]
    unloaded = np.zeros((ORDER + 1, sum(arcs[:2]), 3))
    everything = np.concatenate([unloaded, *forces], axis=1)
    same(found, material_points.force_efforts(modules, everything, motion))


def test_inertial_efforts_lack_gravity_and_stress_alone():
    rod = SOFT.ConstantCurvature(0.3, 0.02, 0.4, 0.06, 630.0, 0.1)
    arm = SOFT.SoftRobot([SOFT.Joint('revolute', (0, 1, 0)), rod, rod])
    soft = SOFT.ConstantCurvature(0.3, 0.02, 0.4)
    slack = SOFT.SoftRobot([arm.modules[0], soft, soft], gravity=(0, 0, 0))
    jets = np.random.default_rng(7).uniform(-0.2, 0.2, (2, 5, arm.n))
    expected = sd.inverse_dynamics(slack, jets)
    scale = np.abs(expected).max(axis=2, keepdims=True)
    assert np.all(np.abs(SOFT.inertial_inverse_dynamics(arm, jets) - expected) <= 1e-12 * scale)
    matrices, efforts = SOFT.mass_inertial_inverse_dynamics(arm, *jets[:, :3].swapaxes(0, 1))
    np.testing.assert_allclose(efforts, expected[:, 0], rtol=1e-11, atol=1e-14)
    mass = sd.mass_matrix(arm, jets[:, 0])
    np.testing.assert_allclose(matrices, mass, rtol=0, atol=1e-14 * abs(mass).max())


def test_wrong_loads_are_refused(case):
    robot, _, jet, _ = case
    for wrenches, error, text in (
        ({'hand': np.zeros((5, 6))}, sd.errors.UnknownNameError, "'hand'"),
        (
            {'far': np.zeros((4, 6))},
            sd.errors.ShapeError,
            r"wrench_jets\['far'\]: expected shape \(3, 6\)",
        ),
        ({'far': np.full((3, 6), np.nan)}, sd.errors.NotFiniteError, 'far'),
        ([np.zeros((5, 6))], sd.errors.InputError, 'wrench_jets: expected a mapping'),
    ):
        with pytest.raises(error, match=text):
            sd.inverse_dynamics(robot, jet, wrenches)
    for forces, error, text in (
        ({'hand': np.zeros((5, 48, 3))}, sd.errors.UnknownNameError, "'hand'"),
        ({'far': np.zeros((5, 3, 3))}, sd.errors.ShapeError, r"force_jets\['far'\]"),
        ([], sd.errors.InputError, 'force_jets: expected a mapping'),
    ):
        with pytest.raises(error, match=text):
            SOFT.point_force_efforts(robot, jet, forces)
    with pytest.raises(sd.errors.ShapeError, match='joint_jet'):
        SOFT.point_force_efforts(robot, jet[0], {})
    with pytest.raises(sd.errors.ShapeError, match='joint_jet'):
        SOFT.inertial_inverse_dynamics(robot, jet[:2])
    with pytest.raises(sd.errors.InputError, match='SoftRobot'):
        SOFT.mass_inertial_inverse_dynamics(robot.rigid, jet[0], jet[1], jet[2])
