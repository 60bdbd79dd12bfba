# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Warnings of descriptions: inertias, limits and links that may be meant otherwise."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from urdf_texts import LIMIT, joint, link, robot

from screw_dynamics.errors import InertiaWarning, UrdfWarning
from screw_dynamics.lie import inertia_matrix
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.urdf import read_urdf
from screw_dynamics.soft import RigidBody


def test_limits_that_no_joint_has_are_one_warning():
    names = 'abcdef'
    joints = [
        joint('j0', 'base', 'a', content='<limit lower="1" upper="-1"/>'),
        joint('j1', 'base', 'b', 'prismatic', '<limit velocity="-1" effort="2" jerk="-3"/>'),
        joint('j2', 'base', 'c', content='<limit lower="0" upper="0" effort="-2"/>'),
        joint('j3', 'base', 'd', content=LIMIT + '<dynamics damping="-1"/>'),
        joint('j4', 'base', 'e', 'continuous', '<dynamics friction="-1" damping="-0"/>'),
        joint('j5', 'base', 'f', content='<limit lower="2" upper="1" velocity="0" effort="0"/>'),
    ]
    with pytest.warns(UrdfWarning) as warned:
        model = read_urdf(robot(link('base'), *(link(name, 1) for name in names), *joints))
    assert [str(warning.message) for warning in warned] == [
        'joints with impossible limits or damping, used unchanged '
        '(lower limit above the upper one: j0, j5; negative velocity limit: j1; '
        'negative effort limit: j2; negative jerk limit: j1; negative damping: j3; '
        'negative friction: j4)'
    ]
    assert warned[0].filename == __file__
    np.testing.assert_array_equal(model.limits.lower[[0, 5]], [1, 2])


def test_an_undeclared_root_is_a_massless_link():
    """As `world` in files for Drake; all else is that of the declared root."""
    parts = link('a', 1), link('b', 2), joint('weld', 'world', 'a', 'fixed'), joint('j', 'a', 'b')
    with pytest.warns(UrdfWarning) as warned:
        model = read_urdf(robot(*parts))
    assert [str(warning.message) for warning in warned] == [
        'links that the joints name alone (root link that is not declared, taken as one without '
        'mass: world)'
    ]
    assert warned[0].filename == __file__
    declared = read_urdf(robot(link('world'), *parts))
    assert list(model.frames) == list(declared.frames)
    np.testing.assert_array_equal(model.inertias, declared.inertias)


def test_links_inside_other_elements_are_one_warning():
    lost = f'<group>\n{link("b", 1)}<part>\n{joint("j", "a", "b")}</part></group>'
    inside = f'<link name="a"><x>{link("d", 1)}</x></link>'
    with pytest.warns(UrdfWarning) as warned:
        model = read_urdf(robot(inside, lost))
    assert [str(warning.message) for warning in warned] == [
        "ignored links and joints inside elements that are not URDF: link 'b' in <group> "
        "(line 2), link 'd' in <x> (line 1), joint 'j' in <part> (line 3)"
    ]
    assert warned[0].filename == __file__
    assert list(model.frames) == ['a']


def test_links_without_inertia_inside_other_elements_are_named_too():
    lost = (
        '<group>\n<link name="b"/><link name="a"><visual/></link><link name="a"/></group>'
        '<macro><link name="c"><collision/></link><link>a</link></macro>'
    )
    with pytest.warns(UrdfWarning) as warned:
        read_urdf(robot(link('a'), lost))
    assert [str(warning.message) for warning in warned] == [
        "ignored links and joints inside elements that are not URDF: link 'b' in <group> "
        "(line 2), link 'a' in <group> (line 2), link 'c' in <macro> (line 2)"
    ]


def test_mentions_of_links_and_joints_are_none():
    other = (
        '<transmission><joint name="j"><role/></joint></transmission>'
        '<ros2_control><joint name="j"><command_interface/></joint></ros2_control>'
        f'<gazebo><model>{link("g", 1)}{joint("loop", "a", "g")}</model></gazebo>'
        '<sensor><parent link="a"/><child link="a"/></sensor>'
        '<group name="arm"><link name="a"/><joint name="j"/></group>'
    )
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert read_urdf(robot(link('a'), other)).n == 0


def fan(*children: str) -> str:
    """Link 'base' with a revolute joint to each of the links."""
    names = [child.split('"')[1] for child in children]
    joints = [joint(f'to_{name}', 'base', name) for name in names]
    return robot(link('base', 1, '-1 0 0 -1 0 -1'), *children, *joints)


def test_one_warning_names_all_links():
    urdf = fan(
        link('fine', 1, '1 0 0 1 0 1.5'),
        link('empty'),
        link('zero', 0, '0 0 0 0 0 0'),
        link('zero_mass', 0, '1 0 0 1 0 1'),
        link('indefinite', 1, '1 2 0 1 0 1'),
        link('triangle', 1, '1 0 0 1 0 2.1'),
        link('barely', 1, '1 0 0 1 0 2.00001'),
    )
    with pytest.warns(InertiaWarning) as warned:
        model = read_urdf(urdf)
    assert len(warned) == 1
    assert str(warned[0].message) == (
        'non-physical links, used unchanged ('
        'moving links without mass: empty, zero, zero_mass; '
        'mass 0 stated: zero, zero_mass; '
        'inertia not positive semidefinite, or triangle rule broken: '
        'indefinite, triangle, barely)'
    )
    # the numbers are kept
    assert model.inertias[model.body_names.index('triangle'), 2, 2] == 2.1
    np.testing.assert_array_equal(model.inertias[model.body_names.index('zero_mass'), 3:], 0)


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize(
    'child',
    [
        link('point', 1, '0 0 0 0 0 0'),
        link('rod', 1, '1 0 0 1 0 0'),
        link('plate', 1, '1 0 0 1 0 2'),
        link('rounded', 1, '0.1 0 0 0.2 0 0.30000001'),
    ],
)
def test_limits_of_the_possible_are_possible(child):
    assert read_urdf(fan(child)).n == 1


@pytest.mark.filterwarnings('error')
def test_links_that_stand_still_do_not_matter():
    urdf = fan(link('odd', 1, '1 0 0 1 0 9'), link('fine', 1))
    assert read_urdf(urdf, locked={'to_odd': 0.0}).n == 1


@pytest.mark.filterwarnings('error')
def test_a_massless_joint_link_may_carry_mass_behind_a_fixed_joint():
    urdf = robot(
        *map(link, ('base', 'flange')),
        link('hand', 1),
        joint('j', 'base', 'flange'),
        joint('f', 'flange', 'hand', 'fixed'),
    )
    assert read_urdf(urdf).n == 1


def test_models_made_in_code_have_the_warning_too():
    thin = inertia_matrix(2.0, np.array([3.0, 4.0, 5.0]), np.diag([1.0, 1.0, 5.0]))
    round_one = inertia_matrix(2.0, np.array([3.0, 4.0, 5.0]), np.diag([1.0, 1.0, 2.0]))
    screws, poses = [[0, 0, 1, 0, 0, 0]] * 2, [np.eye(4)] * 2
    expected = 'positive semidefinite, or triangle rule broken'
    with pytest.warns(InertiaWarning, match=rf'unchanged \(.*{expected}: body_2\)') as warned:
        model = ScrewModel.from_screws([-1, 0], poses, screws, [round_one, thin])
    assert warned[0].filename == __file__
    np.testing.assert_array_equal(model.inertias[1], thin)
    payload = {'frame': 'body_2', 'mass': 1.0, 'inertia': np.diag([1.0, 1.0, 5.0])}
    with pytest.warns(InertiaWarning, match=f"payload on 'body_2'.*{expected}") as warned:
        model.with_payload(**payload)
    assert warned[0].filename == __file__
    with pytest.warns(InertiaWarning, match=expected) as warned:
        RigidBody(1.0, (0.0, 0.0, 0.0), np.diag([1.0, 1.0, 5.0]))
    assert warned[0].filename == __file__


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('place', [0.1, 1.0, 100.0])
def test_rods_and_points_far_from_the_origin_are_possible(place):
    """The inertia about the origin is a difference of large moments from that about the centre."""
    rod = np.diag([1e-3, 1e-3, 0.0])
    links = [inertia_matrix(0.3, place * np.array([0.3, 0.7, 0.1]), it) for it in (rod, 0.0 * rod)]
    model = ScrewModel.from_screws([-1, 0], [np.eye(4)] * 2, [[0, 0, 1, 0, 0, 0]] * 2, links)
    assert model.with_payload('body_2', 1.0, (place, 0.0, 0.0)).n == 2
