# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics doctor`: faults that are drawn into a URDF are found and explained."""

from __future__ import annotations

import re

import pytest
from oracles.robots import bundled_urdfs

LIMIT = (
    '<limit lower="-3.141592653589793" upper="3.141592653589793" velocity="6.0" effort="60.0"/>'
)
_ELBOW = '<child link="link_2"/>\n    <origin xyz="0.5 0 0"'
INERTIAL = re.compile(r'<inertial>.*?</inertial>', re.DOTALL)
SOUND = '<dynamics damping="0.1"/>'
NO_SOLID = '<inertia ixx="1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
LARGE = '<inertia ixx="9" ixy="0" ixz="0" iyy="9" iyz="0" izz="9"/>'
FAULTS = {
    'moving links without mass': ('missing', 'link_2', 'weight and inertia are left out'),
    'inertia not positive': ('wrong', 'link_1', 'inertial efforts'),
    'inertia too large for the mass': ('wrong', 'link_1', 'larger than the robot'),
    'centre of mass farther away': ('wrong', 'link_1', 'is the centre in mm'),
    'lower limit above the upper one': ('wrong', 'joint_1', 'reversed, or its limits swapped'),
    'the robot is 500 m long': ('wrong', 'world', 'are lengths in mm'),
    'position limits of many turns': ('wrong', 'joint_1', 'degrees'),
    'no position limits': ('missing', 'joint_1', 'not checked'),
    'no effort limit': ('missing', 'joint_1', 'do not see any effort'),
    'q = 0 beyond the limits': ('odd', 'joint_1', 'q = 0'),
    'effort limit below the efforts of gravity': ('odd', 'joint_1', 'cannot hold'),
    'no damping and friction': ('missing', 'joint_2', '`identify`'),
}


@pytest.fixture
def text(folder):
    """Return the robot with damping at its joints, so that nothing is odd."""
    return re.sub('(<limit .*?/>)', rf'\1{SOUND}', (folder / 'my_robot.urdf').read_text())


def faulty(text, fault):
    """Return the URDF with a fault."""
    first, second = INERTIAL.findall(text)
    assert LIMIT in text
    changes = {
        'moving links without mass': (second, ''),
        'inertia not positive': (first, re.sub('<inertia .*?/>', NO_SOLID, first)),
        'inertia too large for the mass': (first, re.sub('<inertia .*?/>', LARGE, first)),
        'centre of mass farther away': (first, re.sub('xyz=".*?"', 'xyz="500 0 0"', first)),
        'lower limit above the upper one': (LIMIT, LIMIT.replace('"-3', '"7')),
        'the robot is 500 m long': (_ELBOW, _ELBOW.replace('0.5 0 0', '500 500 500')),
        'position limits of many turns': (LIMIT, re.sub(r'3\.1\d+', '180', LIMIT)),
        'no position limits': (LIMIT, re.sub('(lower|upper)=".*?" ', '', LIMIT)),
        'no effort limit': (LIMIT, LIMIT.replace('"60.0"', '"0"')),
        'q = 0 beyond the limits': (LIMIT, LIMIT.replace('"-3.', '"0.')),
        'effort limit below the efforts of gravity': (LIMIT, LIMIT.replace('"60.0"', '"2"')),
        'no damping and friction': (SOUND, ''),
    }
    old, new = changes[fault]
    cut = text.rpartition if fault == 'no damping and friction' else text.partition
    before, found, after = cut(old)
    assert found and new != old
    return before + new + after


def test_a_sound_robot_has_no_findings(run, folder, text):
    (folder / 'sound.urdf').write_text(text)
    code, out, err = run('doctor', 'sound.urdf')
    assert (code, err) == (0, '')
    assert out == 'planar_2r: 2 coordinates, 3 kg that move\nnothing is missing or odd\n'


@pytest.mark.parametrize('fault', FAULTS)
def test_every_fault_is_found_where_it_is(run, folder, text, monkeypatch, fault):
    monkeypatch.setenv('COLUMNS', '300')
    (folder / 'faulty.urdf').write_text(faulty(text, fault))
    code, out, err = run('doctor', 'faulty.urdf')
    kind, where, meaning = FAULTS[fault]
    rows = [re.split(' {2,}', line) for line in out.splitlines()[2:]]
    (row,) = [row for row in rows if row[1].startswith(fault)]
    assert row[0].removeprefix('> ') == kind and row[2] == where and meaning in row[3]
    assert code == (3 if any(found[0] == '> wrong' for found in rows) else 0), err


def test_joints_that_are_not_one_coordinate_are_named(run, folder):
    links = ''.join(f'<link name="{name}"/>' for name in 'abcde')
    joints = ''.join(
        f'<joint name="{name}" type="{kind}"><parent link="a"/><child link="{child}"/>'
        f'{more}</joint>'
        for name, kind, child, more in (
            ('slide', 'continuous', 'b', ''),
            ('finger', 'continuous', 'c', '<mimic joint="slide"/>'),
            ('base', 'planar', 'd', ''),
            ('fly', 'floating', 'e', ''),
        )
    )
    (folder / 'odd.urdf').write_text(f'<robot name="odd">{links}{joints}</robot>')
    _, out, _ = run('doctor', 'odd.urdf')
    assert out.splitlines()[:4] == [
        'odd: 10 coordinates, 0 kg that move',
        'mimic joints are no coordinates: finger follows slide',
        'planar joints are 3 coordinates each: base',
        'floating joints are 6 coordinates each: fly',
    ]


def test_meshes_that_are_not_found_are_named(run, folder, text, monkeypatch):
    monkeypatch.setenv('COLUMNS', '300')
    visual = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    (folder / 'there.stl').write_text('')
    shown = text.replace(
        '<link name="link_1">', f'<link name="link_1">{visual.format("there.stl")}'
    )
    shown = shown.replace(
        '<link name="link_2">', f'<link name="link_2">{visual.format("not.stl")}'
    )
    (folder / 'shown.urdf').write_text(shown)
    _, out, _ = run('doctor', 'shown.urdf')
    (row,) = out.splitlines()[2:]
    assert re.split(' {2,}', row)[:3] == ['missing', 'mesh files that are not found', 'link_2']


def test_all_inertias_that_no_body_has_are_in_one_error(run, folder, text):
    first, second = INERTIAL.findall(text)
    odd = text.replace(first, re.sub('<mass .*?/>', '<mass value="-1"/>', first))
    odd = odd.replace(second, re.sub('<mass .*?/>', '<mass value="nan"/>', second))
    tool = '<link name="tool">' if '<link name="tool">' in odd else '<link name="tool"/>'
    solid = f'<inertial><mass value="1"/>{NO_SOLID}</inertial>'
    odd = odd.replace(tool, f'<link name="tool">{solid}' + '</link>' * tool.endswith('/>'))
    (folder / 'odd.urdf').write_text(odd)
    code, out, err = run('doctor', 'odd.urdf')
    assert (code, out) == (1, '') and len(err.splitlines()) == 1
    assert "link 'link_1'" in err and "link 'link_2'" in err
    assert err.rstrip().endswith(': tool')


def test_published_robots_have_nothing_wrong(run):
    for urdf in bundled_urdfs():
        assert run('doctor', urdf)[0] == 0


def test_what_is_no_robot_is_an_error(run):
    code, out, err = run('doctor', 'my_trajectory.yaml')
    assert (code, out) == (1, '') and 'expected a robot, got a trajectory' in err
