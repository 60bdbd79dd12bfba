# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re

import pytest
from urdf_texts import LIMIT, chain, joint, link, robot

from screw_dynamics.errors import InertiaError, TopologyError, UnsupportedJointError, UrdfError
from screw_dynamics.model.urdf import read_urdf

MORE_INSIDE = link('a', 1).split('>', 1)[1].replace('</inertial></link>', '<origin/></inertial>')


def with_joint(content: str = LIMIT, kind: str = 'revolute') -> str:
    return robot(link('a'), link('b', 1), joint('elbow', 'a', 'b', kind, content))


def version(document: str, number: str = '1.1') -> str:
    return document.replace('<robot ', f'<robot version="{number}" ')


def with_inertial(content: str) -> str:
    child = f'<link name="arm"><inertial>{content}</inertial></link>'
    return robot(link('a'), child, joint('j', 'a', 'arm'))


TENSOR = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'

CASES = {
    'no link': (robot(), UrdfError, "robot 'r': expected at least one <link>, got none"),
    'link name': (
        robot('<link/>'),
        UrdfError,
        "link '' (line 1): expected attribute 'name', got none",
    ),
    'joint type missing': (
        robot(link('a'), '<joint name="j"/>'),
        UrdfError,
        "joint 'j' (line 1): expected attribute 'type', got none",
    ),
    'joint type unknown': (
        with_joint(kind='spherical'),
        UnsupportedJointError,
        "joint 'elbow' (line 1): type: expected one of revolute, continuous, prismatic, fixed, "
        "planar, floating, got 'spherical'",
    ),
    'no parent': (
        robot(link('a'), '<joint name="j" type="fixed"><child link="a"/></joint>'),
        UrdfError,
        "joint 'j' (line 1): expected one <parent>, got none",
    ),
    'two children': (
        robot(link('a'), link('b'), joint('j', 'a', 'b', 'fixed', '<child link="a"/>')),
        UrdfError,
        "joint 'j' (line 1): expected one <child>, got different ones (lines 1 and 1)",
    ),
    'missing limit': (
        with_joint(''),
        UrdfError,
        "joint 'elbow' (line 1): expected a <limit> for a revolute joint, got none",
    ),
    'NaN limit': (
        with_joint('<limit upper="nan"/>'),
        UrdfError,
        "joint 'elbow', <limit> (line 1): upper: expected a number, got nan",
    ),
    '4-number rpy': (
        with_joint(LIMIT + '<origin rpy="0 0 0 1"/>'),
        UrdfError,
        "joint 'elbow', <origin> (line 1): rpy: expected 3 numbers separated by spaces, got 4: "
        "'0 0 0 1'",
    ),
    'commas': (
        with_joint(LIMIT + '<axis xyz="1,0,0"/>'),
        UrdfError,
        "joint 'elbow', <axis> (line 1): xyz: expected 3 numbers separated by spaces, got 1: "
        "'1,0,0'",
    ),
    'zero axis': (
        with_joint(LIMIT + '<axis xyz="0 0 0"/>'),
        UrdfError,
        "joint 'elbow', <axis> (line 1): xyz: expected an axis that is not zero, got [0.0, 0.0, "
        '0.0]',
    ),
    'axis without xyz': (
        with_joint(LIMIT + '<axis/>'),
        UrdfError,
        "joint 'elbow', <axis> (line 1): expected attribute 'xyz', got none",
    ),
    'text for a number': (
        with_joint('<limit effort="much"/>'),
        UrdfError,
        "joint 'elbow', <limit> (line 1): effort: expected a number, got 'much'",
    ),
    'quaternion of version 1.0': (
        with_joint(LIMIT + '<origin quat_xyzw="0 0 0 1"/>'),
        UrdfError,
        "joint 'elbow', <origin> (line 1): expected rpy in a document of version 1.0, got "
        'quat_xyzw alone; <robot version="1.1"> has quaternions',
    ),
    'quaternion and rpy': (
        version(with_joint(LIMIT + '<origin quat_xyzw="0 0 0 1" rpy="0 0 0"/>')),
        UrdfError,
        "joint 'elbow', <origin> (line 1): expected either rpy or quat_xyzw, got both",
    ),
    'quaternion of zeros': (
        version(with_inertial(f'<mass value="2"/>{TENSOR}<origin quat_xyzw="0 0 0 0"/>')),
        UrdfError,
        "link 'arm', <origin> (line 1): quat_xyzw: expected a quaternion that is not zero",
    ),
    'version to come': (
        version(with_joint(), '1.3'),
        UrdfError,
        "robot 'r' (line 1): version: expected 1.0, 1.1 or 1.2, got '1.3'",
    ),
    'long list of numbers': (
        with_joint(LIMIT + f'<origin xyz="{"1 " * 2000}"/>'),
        UrdfError,
        'xyz: expected 3 numbers separated by spaces, got 2000: ',
    ),
    'xacro value': (
        with_joint(LIMIT + '<origin xyz="0 0 ${height}"/>'),
        UrdfError,
        "xyz: expected a plain value, got the xacro expression '0 0 ${height}'",
    ),
    'repetition with more inside': (
        robot(link('a', 1).replace('</link>', MORE_INSIDE + '</link>')),
        UrdfError,
        "link 'a' (line 1): expected one <inertial>, got different ones (lines 1 and 1)",
    ),
    'damping': (
        with_joint(LIMIT + '<dynamics damping="inf"/>'),
        UrdfError,
        "joint 'elbow', <dynamics> (line 1): damping: expected finite numbers, got 'inf'",
    ),
    'negative mass': (
        with_inertial(f'<mass value="-2"/>{TENSOR}'),
        InertiaError,
        "link 'arm', <inertial> (line 1): mass: expected 0 or more, got -2 kg",
    ),
    'infinite inertia': (
        with_inertial('<mass value="1"/>' + TENSOR.replace('izz="1"', 'izz="inf"')),
        InertiaError,
        "link 'arm', <inertial> (line 1): inertia: expected 3x3 finite numbers, got [[",
    ),
    'no mass': (
        with_inertial(TENSOR),
        UrdfError,
        "link 'arm', <inertial> (line 1): expected one <mass>, got none",
    ),
    'part of an inertia': (
        with_inertial('<mass value="1"/><inertia ixx="1" iyy="1" izz="1"/>'),
        UrdfError,
        "link 'arm', <inertia> (line 1): expected attribute 'ixy', got none",
    ),
    'duplicate link': (
        robot(link('a'), link('a')),
        UrdfError,
        "link 'a' (line 1): expected a unique name, got it twice: also link 'a' (line 1)",
    ),
    'duplicate joint': (
        robot(*map(link, 'abc'), joint('j', 'a', 'b'), joint('j', 'b', 'c')),
        UrdfError,
        "joint 'j' (line 1): expected a unique name, got it twice",
    ),
    'undefined parent': (
        robot(link('root'), link('a'), joint('j', 'ghost', 'a')),
        TopologyError,
        "joint 'j', <parent> (line 1): expected the name of a link, got 'ghost'",
    ),
    'two parents': (
        robot(*map(link, 'abc'), joint('j', 'a', 'c'), joint('k', 'b', 'c')),
        TopologyError,
        "link 'c': expected one parent joint, got joint 'j' (line 1) and joint 'k' (line 1)",
    ),
    'two roots': (
        robot(*map(link, 'abc'), joint('j', 'a', 'c')),
        TopologyError,
        "robot 'r': expected one root link, got 2: a, b",
    ),
    'loop of all': (
        robot(*map(link, 'abc'), joint('j', 'a', 'b'), joint('k', 'b', 'c'), joint('l', 'c', 'a')),
        TopologyError,
        'expected a tree, got a loop without any root link: b, c, a',
    ),
    'mimic of nothing': (
        with_joint(LIMIT + '<mimic joint="ghost"/>'),
        TopologyError,
        "joint 'elbow', <mimic> (line 1): expected the name of a joint, got 'ghost'; lock this "
        "joint (locked={'elbow': 0.0}) or read with mimic='independent'",
    ),
    'mimic without joint': (
        with_joint(LIMIT + '<mimic multiplier="2"/>'),
        UrdfError,
        "joint 'elbow', <mimic> (line 1): expected attribute 'joint', got none",
    ),
    'mimic of itself': (
        with_joint(LIMIT + '<mimic joint="elbow"/>'),
        TopologyError,
        'expected a chain that ends at an independent joint, got a loop: elbow -> elbow',
    ),
    'floating mimic': (
        with_joint('<mimic joint="elbow"/>', kind='floating'),
        UnsupportedJointError,
        "joint 'elbow' (line 1): expected a revolute, continuous or prismatic joint to mimic "
        'another, got a floating joint',
    ),
}


@pytest.mark.parametrize('name', CASES)
def test_message(name):
    urdf, error, message = CASES[name]
    with pytest.raises(error, match=re.escape(message)) as caught:
        read_urdf(urdf)
    assert type(caught.value) is error
    assert len(str(caught.value)) < 300


def test_the_well_formed_neighbour_loads():
    assert read_urdf(with_joint()).n == 1
    assert read_urdf(with_inertial(f'<mass value="2"/>{TENSOR}')).n == 1


def test_exact_repetitions_count_once():
    twice = LIMIT + '<axis xyz="0 1 0"/>' * 2
    assert read_urdf(with_joint(twice)).screws[0, 1] == 1.0


def test_lines_are_those_of_the_element():
    lines = chain('revolute').replace('><', '>\n<').splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith('<limit'))
    lines[at] = '<limit lower="low"/>'
    with pytest.raises(UrdfError, match=rf"joint 'j1', <limit> \(line {at + 1}\): lower"):
        read_urdf('\n'.join(lines))
