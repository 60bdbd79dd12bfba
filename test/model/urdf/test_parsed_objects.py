# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from oracles.robots import bundled_urdfs

from screw_dynamics.errors import (
    InertiaError,
    InertiaWarning,
    TopologyError,
    UnsupportedJointError,
    UrdfError,
)
from screw_dynamics.model.urdf import from_parsed_urdf, read_urdf, strip_geometry

ARRAYS = ('home_poses', 'screws', 'inertias', 'multipliers', 'offsets', 'damping', 'friction')


def parsed_by_urdf_parser_py(path):
    urdf = pytest.importorskip('urdf_parser_py.urdf')
    return urdf.URDF.from_xml_string(strip_geometry(path))


def parsed_by_yourdfpy(path):
    yourdfpy = pytest.importorskip('yourdfpy')
    return yourdfpy.URDF.load(path, load_meshes=False, build_scene_graph=False)


@pytest.mark.filterwarnings('ignore::DeprecationWarning')
@pytest.mark.parametrize('parse', [parsed_by_urdf_parser_py, parsed_by_yourdfpy])
@pytest.mark.parametrize('path', bundled_urdfs(), ids=lambda path: path.stem)
def test_other_parsers_give_the_same_model(parse, path):
    expected, model = read_urdf(path), from_parsed_urdf(parse(path))
    assert model.joint_names == expected.joint_names
    assert model.joint_types == expected.joint_types
    assert model.name == expected.name and set(model.frames) == set(expected.frames)
    for name in ARRAYS:
        np.testing.assert_allclose(
            getattr(model, name), getattr(expected, name), rtol=0, atol=4e-16, err_msg=name
        )
    bounded = np.isfinite(expected.limits.lower)
    for name in ('lower', 'upper', 'velocity', 'effort'):
        np.testing.assert_array_equal(
            getattr(model.limits, name)[bounded], getattr(expected.limits, name)[bounded]
        )


def test_options_are_those_of_read_urdf():
    path = next(path for path in bundled_urdfs() if path.stem == 'branched_gripper')
    options = {
        'gravity': (0, 0, -1.6),
        'base_link': 'lift_link',
        'tip_link': 'gripper_link',
        'joints': ['wrist_joint', 'elbow_joint'],
        'locked': {'shoulder_joint': 0.4},
        'mimic': 'independent',
    }
    model = from_parsed_urdf(parsed_by_urdf_parser_py(path), **options)
    assert model.to_yaml() == read_urdf(path, **options).to_yaml()


def like(package: str, **attributes: object) -> SimpleNamespace:
    """Return an object that claims to come from a package."""
    return type('URDF', (SimpleNamespace,), {'__module__': f'{package}.urdf'})(**attributes)


def robot_object(package: str = 'some_parser', *, mass=1.0, inertia=None, **joint):
    """Return two links and a joint, as urdfpy lays them out."""
    inertial = SimpleNamespace(
        mass=mass, inertia=np.eye(3) if inertia is None else inertia, origin=np.eye(4)
    )
    values = {
        'name': 'j',
        'joint_type': 'revolute',
        'parent': 'a',
        'child': 'b',
        'origin': np.eye(4),
        'axis': np.array([0.0, 0.0, 2.0]),
        'limit': None,
        'mimic': None,
        'dynamics': None,
    }
    return like(
        package,
        name='r',
        links=[
            SimpleNamespace(name='a', inertial=None),
            SimpleNamespace(name='b', inertial=inertial),
        ],
        joints=[SimpleNamespace(**(values | joint))],
    )


def link_object(**values):
    """Return a robot of one link, with or without a name and an inertia."""
    return like('some_parser', links=[SimpleNamespace(**({'name': 'b'} | values))], joints=[])


@pytest.mark.parametrize('package', ['urdfpy', 'urchin'])
def test_invented_inertia_is_taken_as_massless(package):
    with pytest.warns(InertiaWarning, match=r'assumed to be invented .* so massless: b') as warned:
        model = from_parsed_urdf(robot_object(package))
    assert len(warned) == 1 and warned[0].filename == __file__
    np.testing.assert_array_equal(model.inertias, np.zeros((1, 6, 6)))


@pytest.mark.filterwarnings('error')
def test_unit_inertia_of_honest_parsers_is_kept():
    model = from_parsed_urdf(robot_object('yourdfpy'))
    np.testing.assert_array_equal(model.inertias, [np.eye(6)])
    assert from_parsed_urdf(robot_object('urdfpy', mass=1.5)).inertias[0, 3, 3] == 1.5


def test_the_robot_may_be_an_attribute():
    model = from_parsed_urdf(SimpleNamespace(robot=robot_object()))
    np.testing.assert_array_equal(model.screws, [[0, 0, 1, 0, 0, 0]])


def test_numbers_may_be_text_and_absent_values_have_defaults():
    dynamics = SimpleNamespace(damping='0.7', friction=None)
    limit = SimpleNamespace(
        lower=None, upper=2.0, velocity='3', effort=None, acceleration=8.0, deceleration='7'
    )
    model = from_parsed_urdf(robot_object(dynamics=dynamics, limit=limit, axis=None, origin=None))
    assert (model.damping[0], model.friction[0]) == (0.7, 0.0)
    assert (model.limits.lower[0], model.limits.upper[0]) == (-np.inf, 2.0)
    assert (model.limits.velocity[0], model.limits.effort[0]) == (3.0, np.inf)
    assert (model.limits.acceleration[0], model.limits.jerk[0]) == (7.0, np.inf)
    np.testing.assert_array_equal(model.screws, [[1, 0, 0, 0, 0, 0]])


@pytest.mark.parametrize('kind', ['fixed', 'floating'])
def test_what_has_no_axis_may_carry_any(kind):
    model = from_parsed_urdf(robot_object(joint_type=kind, axis=np.zeros(3)))
    assert model.n == (0 if kind == 'fixed' else 6)


def test_a_mimic_tag_of_a_fixed_joint_does_not_count():
    found = robot_object(joint_type='fixed', mimic=SimpleNamespace(joint='nobody'))
    follower = robot_object(name='k', child='c', mimic=SimpleNamespace(joint='j', offset=0.5))
    found.joints += follower.joints
    found.links.append(SimpleNamespace(name='c', inertial=None))
    model = from_parsed_urdf(found)
    assert model.n == 0
    np.testing.assert_allclose(model.frames['c'].pose[1, 0], np.sin(0.5), rtol=1e-15)


@pytest.mark.parametrize(
    ('robot', 'error', 'message'),
    [
        (object(), UrdfError, 'expected an object with links and joints .* got object'),
        (robot_object(mass=None), UrdfError, "'b', <inertial>: mass: expected a number, got None"),
        (robot_object(mass=-1), InertiaError, 'mass: expected 0 or more, got -1 kg'),
        (robot_object(inertia=np.ones(6)), InertiaError, 'inertia: expected 3x3'),
        (robot_object(inertia=np.triu(np.ones((3, 3)))), InertiaError, 'a symmetric tensor'),
        (
            robot_object(inertia=[[1, 1e-6, 0], [0, 1, 0], [0, 0, 1]]),
            InertiaError,
            'a symmetric tensor',
        ),
        (robot_object(axis=np.zeros(3)), UrdfError, "'j', <axis>: xyz: expected an axis that is"),
        (robot_object(axis=[1, 0]), UrdfError, "'j', <axis>: xyz: expected 3 finite numbers"),
        (robot_object(axis='z'), UrdfError, "'j', <axis>: xyz: expected 3 numbers, got 'z'"),
        (robot_object(origin=2 * np.eye(4)), UrdfError, "'j', <origin>: expected a 4x4 rigid"),
        (robot_object(child='ghost'), TopologyError, '<child>: expected the name of a link'),
        (
            robot_object(limit=SimpleNamespace(upper=np.nan)),
            UrdfError,
            "'j', <limit>: upper: expected a number, got nan",
        ),
        (
            robot_object(mimic=SimpleNamespace(joint='j', multiplier=np.inf)),
            UrdfError,
            "'j', <mimic>: multiplier: expected a finite number, got inf",
        ),
        (
            like('p', links=None, joints=[]),
            UrdfError,
            'robot: links: expected a sequence, got None',
        ),
        (
            like('p', links=[], joints={}),
            UrdfError,
            r'robot: joints: expected a sequence, got \{\}',
        ),
        (
            like('p', links=[3], joints=[]),
            UrdfError,
            'link: expected an object with name, got int',
        ),
        (link_object(name=None), UrdfError, 'parsed link: name: expected a name, got None'),
        (link_object(inertial=3), UrdfError, "'b', <inertial>: expected an object with mass, got"),
        (
            link_object(inertial=SimpleNamespace(mass=1.0)),
            UrdfError,
            "'b', <inertial>: expected an object with inertia, got SimpleNamespace",
        ),
        (
            link_object(inertial=SimpleNamespace(mass=1.0, inertia=SimpleNamespace(ixx=1.0))),
            UrdfError,
            "'b', <inertial>: expected an object with ixy, got SimpleNamespace",
        ),
        (robot_object(inertia='round'), UrdfError, "inertia: expected a 3x3 tensor, got 'round'"),
        (robot_object(mass=10**400), UrdfError, 'mass: expected a number, got 1000'),
        (robot_object(name=3), UrdfError, 'parsed joint: name: expected a name, got 3'),
        (robot_object(parent=None), UrdfError, "'j': parent: expected a name, got None"),
        (robot_object(joint_type=np.ones(2)), UnsupportedJointError, "'j': type: expected one of"),
        (robot_object(origin='here'), UrdfError, '<origin>: expected a 4x4 rigid-body pose, got'),
        (
            robot_object(origin=SimpleNamespace(xyz=[0, 0, 0])),
            UrdfError,
            "'j', <origin>: expected an object with rpy, got SimpleNamespace",
        ),
        (robot_object(mimic=3), UrdfError, "'j', <mimic>: expected an object with joint, got int"),
    ],
)
def test_malformed_objects(robot, error, message):
    with pytest.raises(error, match=message):
        from_parsed_urdf(robot)
