# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Models as values: equality, names, payloads, tables, exact geometry."""

import pickle
import re
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.random_models import BodyRecipe, random_model
from oracles.robots import bundled_urdfs
from oracles.strategies import models

import screw_dynamics as sd
from screw_dynamics.errors import (
    InertiaError,
    InputError,
    NotFiniteError,
    ShapeError,
    UnknownNameError,
)
from screw_dynamics.lie import adjoint, exp_screw
from screw_dynamics.model import Frame, JointLimits, ScrewModel
from screw_dynamics.model.geometry import (
    joint_table,
    limit_rows,
    pitch_and_point,
    reference_poses,
    screw_parts,
    screw_table,
)
from screw_dynamics.model.records import POSITION_UNITS, shared_unit
from screw_dynamics.model.urdf import read_urdf


def gripper():
    return sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))


def test_the_joint_of_a_coordinate_has_its_name():
    model = gripper()
    assert model.body_count > model.n
    names = [model.tree_joint_names[i] for i in model.joint_of_coordinate]
    assert names == list(model.joint_names)
    types = dict(zip(model.tree_joint_names, model.joint_types, strict=True))
    assert model.coordinate_types == tuple(types[name] for name in model.joint_names)


def test_without_such_a_joint_it_is_the_first_that_mimics_the_coordinate():
    model = gripper()
    followed = next(j for j in range(model.n) if (model.coordinates == j).sum() > 1)
    names = list(model.joint_names)
    names[followed] = 'opening'
    renamed = replace(model, joint_names=tuple(names))
    first = int(np.flatnonzero(model.coordinates == followed)[0])
    assert renamed.joint_of_coordinate[followed] == first
    assert renamed.coordinate_types[followed] == model.joint_types[first]


@settings(max_examples=20)
@given(models())
def test_a_copy_is_equal_and_has_the_same_hash(model):
    copy = pickle.loads(pickle.dumps(model))
    assert copy is not model
    assert copy == model and hash(copy) == hash(model)
    assert {model: 1}[copy] == 1


def change(value):
    """Return a value of the same kind, changed as little as possible."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        other = value.copy()
        other.flat[0] = np.nextafter(other.flat[0], np.inf)
        return other
    if isinstance(value, tuple):
        return (f'{value[0]}_', *value[1:])
    if isinstance(value, str):
        return f'{value}_'
    if isinstance(value, JointLimits):
        return replace(value, effort=np.full_like(value.effort, 1.0))
    assert isinstance(value, dict) or hasattr(value, 'items')
    return {**value, 'another': Frame(-1, np.eye(4))}


# joint_types, parents and coordinates cannot change alone; poses and screws are made exact again
@pytest.mark.parametrize(
    'name',
    sorted(
        {entry.name for entry in fields(ScrewModel)}
        - {'joint_types', 'parents', 'coordinates', 'home_poses', 'screws', 'multipliers'}
        - {'tree_joint_names', 'joint_names', 'offsets', 'inertias'}
    ),
)
def test_any_field_makes_a_difference(rng, name):
    model = random_model(rng, 3)
    other = replace(model, **{name: change(getattr(model, name))})
    assert other != model and hash(other) != hash(model)


def test_a_screw_an_inertia_and_a_name_make_a_difference(rng):
    model = random_model(rng, 3)
    assert model.with_payload('body_3', 1e-3) != model
    assert replace(model, screws=-model.screws) != model
    renamed = tuple(f'{name}_' for name in model.joint_names)
    assert replace(model, joint_names=renamed, tree_joint_names=renamed) != model


def test_the_sign_of_zero_and_the_order_of_frames_make_none(rng):
    model = random_model(rng, 2)
    frames = dict(reversed(model.frames.items()))
    other = replace(model, gravity=model.gravity * 0.0, frames=frames)
    negative = replace(model, gravity=model.gravity * -0.0)
    assert other == negative and hash(other) == hash(negative)


def test_nine_digits_are_normalised_and_kept_from_then_on():
    typed = np.array([0.577350269, 0.577350269, 0.577350269, 0.0, 0.0, 0.0])
    model = sd.ScrewModel.from_screws([-1], [np.eye(4)], [typed], [np.eye(6)])
    assert abs(np.linalg.norm(model.screws[0, :3]) - 1.0) <= 2.3e-16
    again = sd.ScrewModel.from_screws([-1], [np.eye(4)], model.screws, [np.eye(6)])
    assert (again.screws == model.screws).all()


def test_methods_agree_on_poses_and_inertias_typed_with_ten_digits(rng):
    source = random_model(rng, [BodyRecipe(parent_back=1)] * 5)
    poses = source.home_poses.copy()
    poses[:, :3, :3] = np.round(poses[:, :3, :3], 10)
    inertias = source.inertias.copy()
    inertias[:, 0, 1] *= 1.0 + 1e-11
    model = sd.ScrewModel.from_screws(source.parents, poses, source.screws, inertias)
    rotations = model.home_poses[:, :3, :3]
    np.testing.assert_allclose(
        rotations.transpose(0, 2, 1) @ rotations, [np.eye(3)] * 5, rtol=0.0, atol=1e-15
    )
    np.testing.assert_allclose(rotations, poses[:, :3, :3], rtol=0.0, atol=3e-10)
    jet = rng.normal(size=(5, 5))
    expected = sd.recursive_body_fixed(model, jet)
    difference = np.abs(sd.inverse_dynamics(model, jet) - expected).max(axis=1)
    assert (difference <= 1e-13 * np.abs(expected).max(axis=1)).all()
    again = sd.ScrewModel.from_yaml(model.to_yaml())
    assert (again.home_poses == model.home_poses).all()
    assert (again.inertias == model.inertias).all()


ARM = """
<robot name="r">
  <link name="base"/>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
  <link name="arm"><inertial><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="f" type="fixed"><parent link="arm"/><child link="tool"/>
    <origin xyz="0.3 -0.2 0.1" rpy="0.4 0.5 0.6"/></joint>
  {tool}
</robot>
"""
TENSOR = np.array([[0.3, 0.01, -0.02], [0.01, 0.4, 0.03], [-0.02, 0.03, 0.5]])


def test_a_payload_is_what_a_link_with_that_inertial_would_be():
    loaded = ARM.format(
        tool='<link name="tool"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="1.5"/><inertia '
        'ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial></link>'
    )
    bare = read_urdf(ARM.format(tool='<link name="tool"/>'))
    model = bare.with_payload('tool', 1.5, [0.1, 0.2, 0.3], TENSOR)
    np.testing.assert_allclose(model.inertias, read_urdf(loaded).inertias, atol=1e-15)
    assert bare.inertias[0, 3, 3] == 2.0


def test_a_payload_is_a_point_mass_in_the_origin_of_the_frame_by_default(rng):
    model = random_model(rng, 2)
    assert model.with_payload('tool_2', 2.0) == model.with_payload(
        'tool_2', 2.0, np.zeros(3), np.zeros((3, 3))
    )
    assert model.with_payload('body_2', 2.0).inertias[1, 3, 3] == model.inertias[1, 3, 3] + 2.0


def test_a_load_on_the_base_changes_nothing(rng):
    model = random_model(rng, 2)
    loaded = model.with_payload('base', 5.0, np.zeros(3), TENSOR)
    assert loaded is not model
    assert loaded == model


@pytest.mark.parametrize(
    ('arguments', 'error', 'message'),
    [
        (('hand', 1, np.zeros(3), TENSOR), UnknownNameError, "unknown frame 'hand'"),
        (('body_1', -1, np.zeros(3), TENSOR), InertiaError, 'expected 0 or more, got -1'),
        (('body_1', np.nan, np.zeros(3), TENSOR), InertiaError, 'got nan kg'),
        (('body_1', [1], np.zeros(3), TENSOR), ShapeError, 'mass'),
        (('body_1', 1, np.zeros(2), TENSOR), ShapeError, 'com'),
        (
            ('body_1', 1e308, [0, 0, 1e3], TENSOR),
            InertiaError,
            r"^payload on 'body_1': expected a load with which the inertia of its body is finite, "
            r'got 1e\+308 kg at \[0.0, 0.0, 1000.0\]$',
        ),
        (('body_1', 1, [0, 0, np.inf], TENSOR), NotFiniteError, r'com\[2\]'),
        (('body_1', 1, np.zeros(3), np.ones(3)), ShapeError, 'inertia'),
        (('body_1', 1, np.zeros(3), np.triu(TENSOR)), InertiaError, 'symmetric'),
        (('body_1', 1, np.zeros(3), np.full((3, 3), np.nan)), InertiaError, 'finite'),
        (('body_1', 1, np.zeros(3), np.full((3, 3), np.inf)), InertiaError, 'finite'),
    ],
)
def test_arguments_are_checked(rng, arguments, error, message):
    with pytest.raises(error, match=message) as raised:
        random_model(rng, 1).with_payload(*arguments)
    assert len(str(raised.value)) < 200


BUNDLED = {path.stem: path for path in bundled_urdfs()}


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv('COLUMNS', '200')


def test_the_table_of_the_planar_robot():
    assert str(read_urdf(BUNDLED['planar_2r'])).splitlines() == [
        "planar_2r: 2 coordinates, 2 bodies, base link 'world', gravity (0, 0, -9.81) m/s^2",
        'joint    type      link    on      screw    angular e   linear v      pitch  point',
        'joint_1  revolute  link_1  world   body     (0, 0, 1)   (0, 0, 0)     0      (0, 0, 0)',
        '                                   spatial  (0, -1, 0)  (0, 0, 0)     0      (0, 0, 0)',
        'joint_2  revolute  link_2  link_1  body     (0, 0, 1)   (0, 0, 0)     0      (0, 0, 0)',
        '                                   spatial  (0, -1, 0)  (0, 0, -0.5)  0      (0.5, 0, 0)',
    ]


def test_mimic_and_prismatic_joints_in_the_table():
    text = str(read_urdf(BUNDLED['branched_gripper']))
    assert 'right_tip_joint = 8 left_finger_joint - 0.2  revolute' in text
    assert re.search(r'lift_joint +prismatic.* \(0, 0, 0\) +\(0, 0, 1\) +inf +-\n', text)


def test_helical_joints_show_their_pitch():
    screw = [0, 0, 1, 0.2, -0.1, 0.05]
    model = ScrewModel.from_screws([-1], [np.eye(4)], [screw], [np.eye(6)])
    row = str(model).splitlines()[2]
    assert (
        row.split('body ')[1].split() == '(0, 0, 1) (0.2, -0.1, 0.05) 0.05 (0.1, 0.2, 0)'.split()
    )
    assert repr(model) == "ScrewModel('robot', n=1, bodies=1)"


def test_tables_of_joints_and_limits(monkeypatch):
    monkeypatch.setenv('COLUMNS', '120')
    model = gripper()
    whole = joint_table(model)
    rows = {words[0]: words[1:] for words in map(str.split, whole.splitlines())}
    assert rows['right_tip_joint'] == 'revolute right_finger_link 0 0.05 0.1 50 0.02'.split()
    tail = 'in rad, rad/s, N m, kg; m, m/s, N, kg for prismatic joints\n'
    tail += 'mimic: right_finger_joint = 1 left_finger_joint\n'
    tail += 'mimic: right_tip_joint = 8 left_finger_joint - 0.2\nmoving mass: 12.23 kg'
    assert whole.endswith(tail)
    header, first, *_ = limit_rows(model)
    assert len(header) == 5 and first == ('lift_joint', '0', '0.6', '0.25', '400')
    bounded = replace(model, limits=replace(model.limits, jerk=np.full(model.n, 50.0)))
    assert 'm/s^2, m/s^3, N, kg for prismatic' in joint_table(bounded)
    assert limit_rows(bounded)[1][-2:] == ('400', '50')
    headline, joints, limits = screw_parts(model)
    assert headline.startswith('branched_gripper: 7 coordinates, 9 bodies, base link')
    assert joints[1][:3] == ('lift_joint', 'prismatic', 'lift_link') and limits[1] == first
    assert len(joints) == 10
    monkeypatch.setenv('COLUMNS', '60')
    tables = screw_table(model).split('\n\n')
    assert len(tables) > 1 and 'upper_arm_link' in tables[0] and 'spatial' in tables[-1]


def test_a_robot_that_cannot_move_has_an_empty_table():
    lines = str(read_urdf('<robot name="rock"><link name="a"/></robot>')).splitlines()
    assert lines[0].startswith('rock: 0 coordinates, 0 bodies')
    assert len(lines) == 2


@pytest.mark.parametrize('count', [1, 6])
def test_spatial_screws_give_the_same_motion(rng, count):
    """C_n(q) = exp(Y_1 q_1) ... exp(Y_n q_n) A_n for a chain."""
    model = random_model(rng, count)
    q = rng.normal(size=count)
    left, right = np.eye(4), np.eye(4)
    for i in range(count):
        left = left @ exp_screw(model.spatial_screws[i], q[i])
        right = right @ model.home_poses[i] @ exp_screw(model.screws[i], q[i])
    np.testing.assert_allclose(left @ reference_poses(model)[-1], right, atol=1e-13)
    assert not model.spatial_screws.flags.writeable


def test_mimic_offsets_belong_to_the_reference_configuration():
    model = read_urdf(BUNDLED['branched_gripper'])
    tip = model.body_names.index('right_tip_link')
    finger = reference_poses(model)[model.parents[tip]]
    pose = finger @ model.home_poses[tip] @ exp_screw(model.screws[tip], -0.2)
    np.testing.assert_allclose(reference_poses(model)[tip], pose, atol=1e-16)
    np.testing.assert_allclose(
        model.spatial_screws[tip], adjoint(pose) @ model.screws[tip], atol=1e-15
    )


def test_pitch_and_point():
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    point = np.cross(axis, [0.3, 0.4, 0.5])  # orthogonal to the axis, so nearest to the origin
    screw = np.concatenate([axis, np.cross(point, axis) + 0.7 * axis])
    pitch, found = pitch_and_point(screw)
    assert pitch == pytest.approx(0.7, abs=1e-15)
    np.testing.assert_allclose(found, point, atol=1e-15)
    assert pitch_and_point(np.array([0.0, 0, 0, 0, 1, 0])) == (np.inf, None)


def test_index_and_drawn_configurations():
    model = gripper()
    assert [model.index(name) for name in model.joint_names] == list(range(model.n))
    with pytest.raises(UnknownNameError, match="unknown joint 'wrst'"):
        model.index('wrst')
    drawn = model.random_configuration(200, seed=0)
    assert drawn.shape == (200, model.n)
    assert (drawn == model.random_configuration(200, seed=0)).all()
    for seed in ('x', -1, 1.5):
        with pytest.raises(InputError, match='seed: expected a whole number of 0 or more, got '):
            model.random_configuration(seed=seed)
    reach = np.where(np.array(model.coordinate_types) == 'prismatic', 0.5, np.pi)
    lower = np.where(np.isfinite(model.limits.lower), model.limits.lower, -reach)
    upper = np.where(np.isfinite(model.limits.upper), model.limits.upper, reach)
    assert ((lower <= drawn) & (drawn <= upper)).all()
    # 200 even draws leave no tenth of the range empty: 10 n 0.9^200 is below 1e-7
    parts = np.floor(10 * (drawn - lower) / (upper - lower)).astype(int)
    assert all(set(column) == set(range(10)) for column in parts.T)
    far = replace(model.limits, lower=np.full(model.n, 9.0), upper=np.full(model.n, np.inf))
    assert (replace(model, limits=far).random_configuration(50) >= 9.0).all()


@pytest.mark.parametrize(
    'kinds, unit',
    [
        (['revolute', 'continuous'], 'rad'),
        (['prismatic', 'prismatic'], 'm'),
        (['revolute', 'prismatic'], 'rad or m'),
        (['deformation'], 'rad or m'),
        (['deformation', 'revolute'], 'rad or m'),
        ([], 'rad or m'),
    ],
)
def test_the_unit_that_coordinates_share(kinds, unit):
    assert shared_unit(kinds, POSITION_UNITS) == unit
