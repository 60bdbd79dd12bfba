# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics terms`: tables, CSV and JSON of one state, against the readable algorithms."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.forward_dynamics import any_order
from screw_dynamics.theory.inverse_dynamics import hybrid as hybrid_dynamics
from screw_dynamics.theory.kinematics import hybrid
from screw_dynamics.theory.lagrange.christoffel import christoffel_symbols

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


def tables(content):
    return {name: np.array(term['values']) for name, term in content['terms'].items()}


def test_numbers_of_all_terms(run):
    code, out, err = run(
        'terms', 'my_robot.urdf', *arguments(STATE), *arguments(EFFORTS),
        '--frame', 'link_2', '--representation', 'hybrid', '--order', 2, '--json', 'terms.json',
        '--csv', 'terms.csv',
    )  # fmt: skip
    assert code == 0 and not err
    content = json.loads(Path('terms.json').read_text())
    model = sd.read_urdf('my_robot.urdf')
    jet, efforts = np.array([*STATE.values()]), np.array([*EFFORTS.values()])
    assert content['joint_jet'] == jet.tolist() and content['effort_jet'] == efforts.tolist()
    assert content['joint_names'] == list(model.joint_names)
    closed = SystemMatrices(model, jet)
    coriolis = christoffel_symbols(model, jet[0]) @ jet[1]
    taus = hybrid_dynamics.inverse_dynamics(model, jet)
    expected = {
        'mass_matrix': closed.mass_matrix,
        'coriolis_matrix': coriolis,
        'efforts': np.stack([coriolis @ jet[1], closed.gravity_forces, *taus], axis=1),
        'pose': closed.tree.poses[1][:3],
        'twist': hybrid.twists(model, jet[:4])[1].T,
        'forward_dynamics': any_order.forward_dynamics(model, jet[0], jet[1], efforts)[2:].T,
    }
    found = tables(content)
    for name, values in expected.items():
        # a robot of metres and kilograms, well conditioned
        np.testing.assert_allclose(
            found[name], values, rtol=0.0, atol=1e-12 * np.abs(values).max(), err_msg=name
        )
    # V'' = J q''' + 2 J' q'' + J'' q'
    twice = found['jacobian'] @ jet[3] + 2.0 * found['jacobian_dot'] @ jet[2]
    twice += found['jacobian_ddot'] @ jet[1]
    np.testing.assert_allclose(found['twist'][:, 2], twice, rtol=0.0, atol=1e-12)
    rows = list(csv.DictReader(Path('terms.csv').read_text().splitlines()))
    assert len(rows) == sum(values.size for values in found.values())
    for row in rows:
        term = content['terms'][row['term']]
        i, j = term['rows'].index(row['row']), term['columns'].index(row['column'])
        assert float(row['value']) == term['values'][i][j]
    assert out.endswith('written: terms.csv\n\nwritten: terms.json\n')
    for text in ('Coriolis matrix C', 'twist of link_2, hybrid', 'effort_ddot', 'snap'):
        assert text in out
    line = next(line for line in out.splitlines() if line.startswith('joint_2'))
    np.testing.assert_allclose(
        [float(word) for word in line.split()[1:]], closed.mass_matrix[1], rtol=1e-5
    )


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
        (('--velocity', 'joint_1=1', 'joint_1=2'), "joint once, got 'joint_1' twice"),
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
