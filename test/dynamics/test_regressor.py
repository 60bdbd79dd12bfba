# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Regressors and base parameters."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import two_links
from oracles.comparison import assert_agrees
from oracles.high_precision import reference_efforts
from oracles.random_models import TREE, BodyRecipe, random_joint_jet, random_model
from oracles.strategies import joint_jets, models

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError
from screw_dynamics.lie import pose, rpy_rotation
from screw_dynamics.theory.sensitivities import regressors


def assert_close(got, expected, tolerance=1e-12):
    size = np.abs(expected).max(initial=1e-30)
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * size)


@given(data=st.data(), order=st.integers(0, 5))
def test_efforts_of_random_trees(data, order):
    model = data.draw(models(scales=False, max_bodies=6))
    jet = data.draw(joint_jets(model.n, order))
    efforts = sd.regressor(model, jet) @ sd.inertial_parameters(model)
    assert_agrees(efforts, reference_efforts(model, jet))


def test_every_column(rng):
    model = random_model(rng, TREE)
    jet = random_joint_jet(rng, model.n, 4)
    expected = regressors.regressor(model, jet)
    for got, rows in zip(sd.regressor(model, jet), expected, strict=True):
        assert_close(got, rows)


def test_pinocchio(rng):
    pinocchio = pytest.importorskip('pinocchio')
    path = sd.share_path('urdf/iiwa14.urdf')
    model, robot = sd.read_urdf(path), pinocchio.buildModelFromUrdf(str(path))
    data = robot.createData()
    jet = random_joint_jet(rng, model.n, 0)
    expected = pinocchio.computeJointTorqueRegressor(robot, data, *jet)
    assert_close(sd.regressor(model, jet)[0], expected)
    parameters = [inertia.toDynamicParameters() for inertia in list(robot.inertias)[1:]]
    assert_close(sd.inertial_parameters(model), np.concatenate(parameters))


def test_batches(rng):
    model = random_model(rng, TREE)
    jets = np.stack([[random_joint_jet(rng, model.n, 1) for _ in range(3)] for _ in range(2)])
    matrices = sd.regressor(model, jets)
    assert matrices.shape == (2, 3, 2, model.n, 40)
    np.testing.assert_array_equal(matrices[1, 2], sd.regressor(model, jets[1, 2]))


def test_bad_arguments(rng):
    model = random_model(rng, 2)
    with pytest.raises(ShapeError, match=r'joint_jet: expected shape .*k \+ 3, 2'):
        sd.regressor(model, np.zeros((2, 2)))
    with pytest.raises(NotFiniteError, match='joint_jet'):
        sd.regressor(model, np.full((3, 2), np.nan))
    with pytest.raises(InputError, match='model: expected a ScrewModel'):
        sd.regressor('robot', np.zeros((3, 2)))
    with pytest.raises(InputError, match='model: expected a ScrewModel'):
        sd.inertial_parameters('robot')


MASS, MX, MY, ZZ = 0, 1, 2, 9  # of a body in `inertial_parameters`
TURN, SLIDE, SCREW = [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1], [0, 0, 1, 0, 0, 0.1]
LINK = sd.lie.inertia_matrix(2.0, np.array([0.2, 0.1, -0.1]), np.diag([0.1, 0.2, 0.15]))
TREES = {
    'chain': [BodyRecipe()] * 4,
    'helical': [BodyRecipe('helical'), BodyRecipe('revolute'), BodyRecipe('helical')],
    'sliding': [BodyRecipe('prismatic'), BodyRecipe('prismatic'), BodyRecipe('revolute')],
    'mimic': [BodyRecipe(), BodyRecipe('prismatic', mimics=0), BodyRecipe(), BodyRecipe(mimics=1)],
    'branches': [BodyRecipe(), BodyRecipe(), BodyRecipe('prismatic', parent_back=2), BodyRecipe()],
    'parallel axes': [BodyRecipe(coordinate_axis=True, parallel_home=True)] * 4,
    'one place': [BodyRecipe(coordinate_axis=True, identity_home=True)] * 4,
}


def robot(screws, homes=None, parents=None, gravity=(0.0, 0.0, -9.81)):
    count = len(screws)
    homes = [np.eye(4)] * count if homes is None else homes
    parents = range(-1, count - 1) if parents is None else parents
    return sd.ScrewModel.from_screws(list(parents), homes, screws, [LINK] * count, gravity)


def combination(size, **parts):
    """Return a row of coefficients; parts as ``m_2=0.25`` of body 2, counted from 1."""
    row = np.zeros(size)
    for name, value in parts.items():
        entry, body = name.split('_')
        row[10 * (int(body) - 1) + {'m': MASS, 'x': MX, 'y': MY, 'zz': ZZ}[entry]] = value
    return row


def assert_spans(base, rows):
    """Check that given combinations are as many as the base parameters, and follow from them."""
    rows = np.array(rows)
    assert len(base.columns) == len(rows)
    np.testing.assert_allclose(rows, rows[:, base.columns] @ base.combinations, atol=1e-12)


def test_planar_arm():
    base, length = sd.base_parameters(two_links.model()), two_links.LENGTHS[0]
    far = [combination(20, **{name: 1.0}) for name in ('zz_2', 'x_2', 'y_2')]
    near = [
        combination(20, zz_1=1.0, m_2=length**2),
        combination(20, x_1=1.0, m_2=length),
        combination(20, y_1=1.0),
    ]
    assert_spans(base, near + far)
    flat = sd.base_parameters(replace(two_links.model(), gravity=np.array([0.0, 0.0, -9.81])))
    assert_spans(flat, [near[0], *far])


def test_slides_and_screws():
    one = combination(10, m_1=1.0)
    assert_spans(sd.base_parameters(robot([SLIDE])), [one])
    assert_spans(sd.base_parameters(robot([SCREW])), [one, combination(10, zz_1=1.0)])
    across = [[0, 0, 0, 1, 0, 0], SLIDE]
    both, second = combination(20, m_1=1.0, m_2=1.0), combination(20, m_2=1.0)
    assert_spans(sd.base_parameters(robot(across)), [both, second])
    lifted = sd.base_parameters(robot([SLIDE, TURN]))
    assert_spans(lifted, [both, combination(20, zz_2=1.0)])
    assert set(lifted.names) <= {'body_1 m', 'body_2 m', 'body_2 zz'}


def test_a_mimic_joint_shares_the_parameters_of_its_coordinate():
    fingers = robot([[0, 0, 0, 1, 0, 0]] * 2, parents=[-1, -1])
    gripper = replace(
        fingers,
        joint_names=fingers.joint_names[:1],
        coordinates=np.zeros(2, dtype=np.int64),
        multipliers=np.array([1.0, -0.5]),
        limits=sd.JointLimits.none(1),
        damping=np.zeros(1),
        friction=np.zeros(1),
    )
    assert_spans(sd.base_parameters(gripper), [combination(20, m_1=1.0, m_2=0.25)])


def puma():
    """Return the links of a PUMA 560 by modified Denavit-Hartenberg parameters."""
    quarter = np.pi / 2
    rows = [(0, 0, 0), (-quarter, 0, 0), (0, 0.4318, 0.15005), (-quarter, 0.0203, 0.4318),
            (quarter, 0, 0), (-quarter, 0, 0)]  # fmt: skip
    homes = []
    for angle, along, offset in rows:
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        homes.append(pose(turn, np.array([along, -s * offset, c * offset])))
    return robot([TURN] * 6, homes)


def test_counts_of_the_literature():
    """36 of a PUMA 560, 43 of the KUKA arms with seven joints."""
    assert len(sd.base_parameters(puma()).columns) == 36
    iiwa = sd.base_parameters(sd.read_urdf(sd.share_path('urdf/iiwa14.urdf')))
    assert len(iiwa.columns) == 43
    assert iiwa.pivots[42] > 1e-2 and iiwa.pivots[43] < 1e-13


@pytest.mark.parametrize('name', TREES)
def test_random_trees(name, rng):
    """The rank is that of the theory's regressors at other states, and no effort is lost."""
    model = random_model(rng, TREES[name])
    base = sd.base_parameters(model, 1e-9)
    states = [random_joint_jet(rng, model.n, 0) for _ in range(10 * model.body_count + 10)]
    stacked = np.vstack([regressors.regressor(model, state)[0] for state in states])
    values = np.linalg.svd(stacked, compute_uv=False)
    rank = len(base.columns)
    # the gap between what there is and rounding errors
    assert values[rank - 1] > 1e-7 * values[0]
    assert rank == stacked.shape[1] or values[rank] < 1e-12 * values[0]
    size = np.abs(stacked).max()
    again = stacked[:, base.columns] @ base.combinations
    np.testing.assert_allclose(again, stacked, rtol=0, atol=1e-10 * size)
    np.testing.assert_array_equal(base.combinations[:, base.columns], np.eye(rank))
    parameters = sd.inertial_parameters(model)
    np.testing.assert_allclose(base.values, base.combinations @ parameters, rtol=1e-12)


@pytest.mark.parametrize('length', [1e-3, 1.0])
@pytest.mark.parametrize('leader', [TURN, SLIDE], ids=['turning', 'sliding'])
def test_slides_of_mimic_joints_count_as_lengths(length, leader):
    """A slide advances by two metres, per radian or from the start, whatever the lengths are."""
    step = pose(rpy_rotation(0.4, 0.7, 0.2), length * np.array([1.0, 0.5, -0.3]))
    tree = robot([leader, TURN, SLIDE, TURN], [step] * 4)
    model = replace(
        tree,
        joint_names=('joint_1', 'joint_2', 'joint_4'),
        coordinates=np.array([0, 1, 0, 2]),
        multipliers=np.array([1.0, 1.0, 2.0, 1.0]),
        offsets=np.array([0.0, 0.0, 2.0, 0.0]),
        limits=sd.JointLimits.none(3),
        damping=np.zeros(3),
        friction=np.zeros(3),
    )
    jets = np.random.default_rng(2).normal(size=(60, 3, 3))
    rows = sd.regressor(model, jets).reshape(-1, 40)
    sizes = np.linalg.norm(rows, axis=0)
    some = sizes > 1e-12 * sizes.max()
    singular = np.linalg.svd(rows[:, some] / sizes[some], compute_uv=False)
    rank = np.count_nonzero(singular > 1e-10 * singular[0])
    assert len(sd.base_parameters(model).columns) == rank


def test_a_far_base_changes_nothing(rng):
    model = random_model(rng, TREES['branches'])
    homes = model.home_poses.copy()
    homes[0] = pose(np.eye(3), np.array([1e6, -2e6, 5e5])) @ homes[0]
    near, far = sd.base_parameters(model), sd.base_parameters(replace(model, home_poses=homes))
    np.testing.assert_array_equal(near.columns, far.columns)
    np.testing.assert_allclose(near.combinations, far.combinations, atol=1e-9)


@pytest.mark.parametrize('tilt', [1e-7, 1e-6, 1e-2])
def test_nearly_parallel_axes(tilt):
    """Axes that are parallel but for rounded angles count as parallel, by the tolerance."""
    model = two_links.model()
    screws = model.screws.copy()
    screws[1, :3] = [np.sin(tilt), 0.0, np.cos(tilt)]
    tilted = replace(model, screws=screws)
    base = sd.base_parameters(tilted)
    assert (len(base.columns) == 6) == (tilt < 1e-5)
    assert len(sd.base_parameters(tilted, 1e-10).columns) > 6
    jet = random_joint_jet(np.random.default_rng(1), 2, 0)
    Y = sd.regressor(tilted, jet)[0]
    lost = Y - Y[:, base.columns] @ base.combinations
    assert np.abs(lost).max() < 1e-5 * np.abs(Y).max()


def test_odd_models_and_arguments():
    with pytest.raises(InputError, match='model: expected a ScrewModel'):
        sd.base_parameters('robot')
    for tolerance in (0.0, 1.0, np.nan):
        with pytest.raises(InputError, match='tolerance: expected a'):
            sd.base_parameters(two_links.model(), tolerance)
    unmoved = sd.base_parameters(robot([TURN], gravity=(0.0, 0.0, -9.81)))
    assert_spans(unmoved, [combination(10, zz_1=1.0)])
    nothing = sd.ScrewModel.from_screws([], [], np.zeros((0, 6)), np.zeros((0, 6, 6)))
    assert sd.base_parameters(nothing).combinations.shape == (0, 0)
