# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics model`: the table, limits, masses and warnings of a robot."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import screw_dynamics as sd


def test_table_limits_and_masses(run):
    code, out, err = run('model', 'my_robot.urdf')
    model = sd.read_urdf('my_robot.urdf')
    assert code == 0 and not err
    assert out.startswith(str(model))
    table = next(part for part in out.split('\n\n') if part.startswith('coordinate'))
    line = next(line for line in table.splitlines() if line.startswith('joint_2'))
    limits = model.limits
    expected = [limits.lower[1], limits.upper[1], limits.velocity[1], limits.effort[1]]
    np.testing.assert_allclose([float(x) for x in line.split()[1:]], expected, rtol=1e-4)
    total = float(out.split('moving mass: ')[1].split()[0])
    assert total == float(f'{model.inertias[:, 3, 3].sum():.5g}')


def test_the_centre_of_mass_is_that_of_the_file(run, folder):
    Path('rod.urdf').write_text(
        '<robot name="rod"><link name="base"/><joint name="j" type="continuous">'
        '<parent link="base"/><child link="arm"/></joint><link name="arm"><inertial>'
        '<origin xyz="0.1 -0.2 0.3"/><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" '
        'iyy="1" iyz="0" izz="1"/></inertial></link></robot>'
    )
    _, out, _ = run('model', 'rod.urdf')
    assert '2          0.1, -0.2, 0.3' in out


def test_what_no_solid_body_has_is_one_line_of_warning(run, folder):
    text = Path('my_robot.urdf').read_text()
    Path('odd.urdf').write_text(text.replace('izz="', 'izz="9'))
    code, _, err = run('model', 'odd.urdf')
    assert code == 0
    assert err.startswith('warning: ') and err.count('\n') == 1 and 'triangle rule' in err


def test_selection_and_yaml(run):
    links = list(sd.read_urdf('my_robot.urdf').frames)
    code, out, err = run(
        'model', 'my_robot.urdf', '--locked', 'joint_2=0.5', '--base-link', links[0],
        '--payload', f'{links[-1]}=2', '--yaml', 'out.yaml',
    )  # fmt: skip
    assert code == 0, err
    expected = sd.read_urdf('my_robot.urdf', locked={'joint_2': 0.5}, base_link=links[0])
    assert sd.ScrewModel.from_yaml(Path('out.yaml')) == expected.with_payload(links[-1], 2.0)
    assert out.endswith('written: out.yaml\n')
    code, out, _ = run('model', 'my_robot.urdf', '--joints', 'joint_2', 'joint_1')
    assert out.index('joint_2') and '2 coordinates' in out


def test_numbers_below_zero_in_every_notation(run):
    for text in ('-9.81', '-9.81e0', '-981E-2', '-9.81_0', '-0.0981e+2'):
        code, out, err = run('model', 'my_robot.urdf', '--gravity', '-1e-3', '-.5', text)
        assert code == 0 and 'gravity (-0.001, -0.5, -9.81) m/s^2' in out, err
    assert 'gravity (0, 0, -9) ' in run('model', 'my_robot.urdf', '--gravity', '0', '0', '-9.')[1]


def test_lists_that_are_given_twice_are_one_list(run):
    _, once, _ = run('model', 'my_robot.urdf', '--joints', 'joint_2', 'joint_1')
    assert run('model', 'my_robot.urdf', '--joints', 'joint_2', '--joints', 'joint_1')[1] == once
    _, locked, _ = run('model', 'my_robot.urdf', '--locked', 'joint_1=1', '--locked', 'joint_2=2')
    assert '0 coordinates' in locked


@pytest.mark.parametrize('columns', ['60', '80', '200'])
def test_tables_are_no_wider_than_the_terminal(run, folder, monkeypatch, columns):
    """Without one they fit 80 columns."""
    tip = 'a_link_with_many_children'
    children = ''.join(
        f'<link name="child_{i}"/><joint name="fixed_{i}" type="fixed"><parent link="{tip}"/>'
        f'<child link="child_{i}"/></joint>'
        for i in range(30)
    )
    text = Path('my_robot.urdf').read_text().replace('link_2', tip)
    text = text.replace('joint_1', 'a_joint_with_a_long_name')
    Path('wide.urdf').write_text(text.replace('</robot>', f'{children}</robot>'))
    for variable in ('COLUMNS', columns), ('COLUMNS', None):
        if variable[1] is None:
            monkeypatch.delenv('COLUMNS')
            monkeypatch.setattr(sys, '__stdout__', None)  # as it is without a terminal
        else:
            monkeypatch.setenv(*variable)
        code, out, _ = run('model', 'wide.urdf', '--gravity', '1.2345', '-2.3456', '-9.81')
        assert code == 0
        assert max(map(len, out.splitlines())) <= int(variable[1] or 80), out
        # every name and vector is there in one piece
        model = sd.read_urdf('wide.urdf', gravity=(1.2345, -2.3456, -9.81))
        for word in (*model.joint_names, *model.body_names, '(1.2345, -2.3456, -9.81) m/s^2'):
            assert word in out, word
        assert all(f'child_{i}' in out for i in range(30))
