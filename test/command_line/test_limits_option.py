# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics evaluate --limits`: verdicts on a trajectory, and points that are close."""

import re
from pathlib import Path

import pytest

FAST = 'time,joint_1,joint_2\n0,0,0\n0.005,0.1,0\n0.009,-0.1,0\n1,0,0\n'


def test_feasible(run):
    code, out, _ = run('evaluate', '--limits', 'my_robot.urdf', 'my_trajectory.yaml')
    assert code == 0 and '\n\nfeasible: ' in out


def test_infeasible_and_slowed_down(run):
    arguments = ['my_robot.urdf', 'my_trajectory.yaml', '--drives', 'my_springs.yaml']
    fast = Path('my_trajectory.yaml').read_text().replace('0.6,', '0.06,')
    Path('my_trajectory.yaml').write_text(fast.replace('1.2,', '0.12,'))
    code, out, err = run('evaluate', '--limits', *arguments, '--rate', 2000, '--slow-down')
    assert code == 3, err
    assert '\n\ninfeasible: ' in out
    factor = float(out.split('feasible when slowed ')[1].split()[0])
    assert 1.0 < factor < 20.0


def test_no_factor_makes_it_feasible(run):
    text = Path('my_robot.urdf').read_text()
    Path('weak.urdf').write_text(re.sub(r'effort="[\d.]+"', 'effort="1"', text))
    code, out, err = run('evaluate', '--limits', 'weak.urdf', 'my_trajectory.yaml', '--slow-down')
    assert code == 3 and not err
    verdict = out.splitlines()[-1]
    assert verdict.startswith('infeasible up to --max-factor 100: expected a motion that is feas')
    # both joints are too weak for gravity alone
    assert 'joint_1: effort' in verdict and 'joint_2: effort' in verdict


def test_the_largest_factor_is_too_small(run):
    Path('fast.csv').write_text(FAST)
    arguments = 'evaluate', '--limits', 'my_robot.urdf', 'fast.csv', '--slow-down', '--max-factor'
    code, out, err = run(*arguments, 1.5)
    assert code == 3 and not err and 'max_factor' not in out
    assert out.splitlines()[-1].endswith('it is feasible at rest: try factors above 1.5')
    assert 'feasible when slowed' in run(*arguments, 100)[1]
    for factor in ('1', '0.5', '1e300', 'nan'):
        code, _, err = run(*arguments, factor)
        assert code == 2 and 'argument --max-factor: expected a number above 1, at most' in err


def test_limits_are_checked_between_close_points(run):
    Path('fast.csv').write_text(FAST)
    tables = []
    for rate in (20, 20_000):
        code, out, _ = run('evaluate', '--limits', 'my_robot.urdf', 'fast.csv', '--rate', rate)
        assert code == 3
        rows = [
            re.split(' {2,}', line.removeprefix('> '))
            for line in out[out.index('infeasible: ') :].splitlines()[2:]
        ]
        tables.append({(row[0].split(' [')[0], row[1]): row[2] for row in rows})
    for key in (('velocity', 'joint_1'), ('effort', 'joint_1'), ('effort', 'joint_2')):
        assert float(tables[0][key]) == pytest.approx(float(tables[1][key]), rel=0.05), key


def test_points_closer_than_samples_are_told(run):
    Path('fast.csv').write_text(FAST)
    code, _, err = run('evaluate', 'my_robot.urdf', 'fast.csv', '--rate', 100)
    assert code == 0 and err.startswith('warning: --rate 100: some points are 0.004 s apart')
    assert not run('evaluate', 'my_robot.urdf', 'fast.csv', '--rate', 251)[2]
    Path('one.csv').write_text('time,joint_1,joint_2\n0,0.1,0\n')
    code, out, err = run('evaluate', 'my_robot.urdf', 'one.csv')
    assert code == 0 and not err and '1 sample over 0 s' in out
    assert run('evaluate', '--limits', 'my_robot.urdf', 'one.csv')[0] == 0


def test_a_robot_without_limits(run):
    text = Path('my_robot.urdf').read_text().replace('type="revolute"', 'type="continuous"')
    lines = [line for line in text.splitlines() if '<limit' not in line]
    Path('free.urdf').write_text('\n'.join(lines))
    code, out, _ = run('evaluate', '--limits', 'free.urdf', 'my_trajectory.yaml')
    assert code == 0 and out.endswith('\n\nthe robot has no limits: nothing was checked\n')
