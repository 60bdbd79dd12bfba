# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics model`, `terms`."""

import json
import sys
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.dynamics.state_terms import State, state_terms, term_text, write_terms_json


def test_joints_come_with_parents_limits_and_masses(run):
    code, out, err = run('model', 'my_robot.urdf')
    model = sd.read_urdf('my_robot.urdf')
    assert code == 0 and not err and 'screw' not in out
    (line,) = (line.split() for line in out.splitlines() if line.startswith('joint_2'))
    limits = model.limits
    numbers = [limits.lower[1], limits.upper[1], limits.velocity[1], limits.effort[1]]
    assert line[1:3] == ['revolute', 'link_1']
    expected = [*numbers, model.inertias[1, 3, 3]]
    np.testing.assert_allclose([float(x) for x in line[3:]], expected, rtol=1e-4)
    total = float(out.split('moving mass: ')[1].split()[0])
    assert total == float(f'{model.inertias[:, 3, 3].sum():.5g}')
    _, more, _ = run('model', 'my_robot.urdf', '--screws')
    _, gravity, screws = str(model).partition(' m/s^2\n')
    assert gravity and screws in more and out.splitlines()[1:5] == more.splitlines()[1:5]
    carried = [line.split()[-1] for line in more.splitlines()[-2:]]
    assert carried == ['-', 'tool']


def test_limits_of_a_file_of_moveit(run, folder):
    entries = '{has_acceleration_limits: true, max_acceleration: 4.5, max_velocity: 1.5}'
    (folder / 'limits.yaml').write_text(f'joint_limits:\n  joint_2: {entries}\n')
    code, out, _ = run('model', 'my_robot.urdf', '--joint-limits', 'limits.yaml')
    starts = 'joint ', 'joint_2'
    heading, second = (line.split() for line in out.splitlines() if line.startswith(starts))
    shown = dict(zip(heading, second, strict=True))
    assert code == 0 and (shown['velocity'], shown['acceleration']) == ('1.5', '4.5')
    assert 'in rad, rad/s, rad/s^2, rad/s^3, N m, kg' in out
    assert run('model', 'my_robot.urdf', '--joint-limits', 'none.yaml')[0] == 1


def test_a_joint_that_follows_another_is_on_a_line_of_its_own(run):
    _, out, _ = run('model', str(sd.share_path('urdf/panda.urdf')))
    assert 'mimic: panda_finger_joint2 = 1 panda_finger_joint1\n' in out
    assert 'm, m/s, N, kg for prismatic joints' in out


def test_the_centre_of_mass_is_that_of_the_file(run, folder):
    Path('rod.urdf').write_text(
        '<robot name="rod"><link name="base"/><joint name="j" type="continuous">'
        '<parent link="base"/><child link="arm"/></joint><link name="arm"><inertial>'
        '<origin xyz="0.1 -0.2 0.3"/><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" '
        'iyy="1" iyz="0" izz="1"/></inertial></link></robot>'
    )
    _, out, _ = run('model', 'rod.urdf', '--screws')
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
        gravity = '--gravity', '1.2345', '-2.3456', '-9.81'
        code, out, _ = run('model', 'wide.urdf', '--screws', *gravity)
        assert code == 0
        assert max(map(len, out.splitlines())) <= int(variable[1] or 80), out
        # every name and vector is there in one piece
        model = sd.read_urdf('wide.urdf', gravity=(1.2345, -2.3456, -9.81))
        for word in (*model.joint_names, *model.body_names, '(1.2345, -2.3456, -9.81) m/s^2'):
            assert word in out, word
        assert all(f'child_{i}' in out for i in range(30))


STATE = {
    '--position': [0.3, -0.5],
    '--velocity': [1.0, 2.0],
    '--acceleration': [-0.4, 0.6],
    '--jerk': [3.0, 1.0],
    '--snap': [-2.0, 5.0],
}
EFFORTS = {'--effort': [5.0, -1.0], '--effort-dot': [2.0, 0.5], '--effort-ddot': [1.0, 0.0]}


def arguments(values):
    return [word for option, row in values.items() for word in (option, *row)]


def test_options_reach_the_terms(run):
    code, out, err = run(
        'terms', 'my_robot.urdf', *arguments(STATE), *arguments(EFFORTS),
        '--frame', 'link_2', '--representation', 'hybrid', '--order', 2, '--json', 'terms.json',
        '--csv', 'terms.csv',
    )  # fmt: skip
    assert code == 0 and not err
    content = json.loads(Path('terms.json').read_text())
    jet, efforts = np.array([*STATE.values()]), np.array([*EFFORTS.values()])
    model = sd.read_urdf('my_robot.urdf')
    terms = state_terms(model, State(jet, efforts, 2, 'link_2', 'hybrid'))
    write_terms_json(model, State(jet, efforts, 2, 'link_2', 'hybrid'), terms, file := StringIO())
    assert content == json.loads(file.getvalue())
    assert out.endswith('written: terms.csv\nwritten: terms.json\n')
    assert all(term_text(term) in out for term in terms)


def test_joints_by_name_are_in_any_order_and_the_rest_is_zero(run):
    run('terms', 'my_robot.urdf', '--position', 'joint_2=-0.5', '--json', 'a.json')
    run('terms', 'my_robot.urdf', '--position', 0, -0.5, '--json', 'b.json')
    assert Path('a.json').read_text() == Path('b.json').read_text()
    order = ('--joints', 'joint_2', 'joint_1', '--velocity', 'joint_1=1', 'joint_2=2')
    run('terms', 'my_robot.urdf', *order, '--json', 'c.json')
    content = json.loads(Path('c.json').read_text())
    assert content['joint_names'] == ['joint_2', 'joint_1']
    assert content['joint_jet'][1] == [2.0, 1.0]
    assert 'forward_dynamics' not in content['terms'] and 'pose' not in content['terms']


@pytest.mark.parametrize('kind', ['csv', 'json'])
def test_standard_output(run, kind):
    code, out, err = run('terms', 'my_robot.urdf', f'--{kind}', '-')
    assert code == 0 and 'mass matrix M' in err and 'mass matrix M' not in out
    run('terms', 'my_robot.urdf', f'--{kind}', 'file')
    assert out == Path('file').read_text()


@pytest.mark.parametrize(
    'given, text',
    [
        (('--position', '1'), '--position: expected 2 numbers, one for each of joint_1, joint_2'),
        (('--json', '-', '--csv', '-'), '-: two outputs go there'),
        (('--position', '1', 'joint_2=1'), '--position: expected 2 numbers'),
        (
            ('--velocity', 'nose=1'),
            "unknown joint of --velocity 'nose': expected one of joint_1, joint_2",
        ),
        (('--frame', 'nose'), "unknown frame 'nose'"),
        (('--effort-dot', '1', '2'), '--effort-dot: expected --order 1 or more with it, got 0'),
        (('--velocity', '1e200', '1'), 'expected a finite number'),
        (('--csv', 'my_robot.urdf'), 'it is an input'),
        (('--csv', 'a', '--json', 'a'), 'two outputs have this name'),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else '',
)
def test_errors_are_one_line(run, given, text):
    code, out, err = run('terms', 'my_robot.urdf', *given)
    assert code == 1 and err.count('\n') == 1 and text in err, err


@pytest.mark.parametrize('value', ['nan', 'inf', '=1', 'joint_1=', 'joint_1=x'])
def test_values_that_are_no_numbers(run, value):
    code, _, err = run('terms', 'my_robot.urdf', '--position', value)
    assert code == 2 and 'argument --position' in err
