# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Oddities of documents that are loaded with a warning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from urdf_texts import LIMIT, joint, link, robot

from screw_dynamics.errors import UrdfWarning
from screw_dynamics.model.urdf import read_urdf


def test_limits_that_no_joint_has_are_one_warning():
    names = 'abcdef'
    joints = [
        joint('j0', 'base', 'a', content='<limit lower="1" upper="-1"/>'),
        joint('j1', 'base', 'b', 'prismatic', '<limit velocity="-1" effort="2"/>'),
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
        'negative effort limit: j2; negative damping: j3; negative friction: j4)'
    ]
    assert warned[0].filename == __file__
    np.testing.assert_array_equal(model.limits.lower[[0, 5]], [1, 2])


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
