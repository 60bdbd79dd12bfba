# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics excite`, `retime`."""

import shutil

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.command_line.main import main
from screw_dynamics.limits.retiming.last_slowing import instants
from screw_dynamics.limits.retiming.limit_shares import limit_shares
from screw_dynamics.limits.retiming.limited_quantities import limited_robot
from screw_dynamics.trajectory import read_trajectory, smooth_trajectory, waypoints_from_points

OPTIONS = ['--trials', '3', '--duration', '8', '--points', '6']


def test_motion_and_bands(folder, capsys):
    drive = sd.JointDrive(sd.LinearSpring(300.0), sd.Motor(rotor_inertia=0.1))
    sd.Drives({'joint_1': drive, 'joint_2': drive}).to_yaml('springs.yaml')
    files = ['--drives', 'springs.yaml', '--csv', 'motion.csv']
    limits = ['--begin', 'joint_2=0.4', '--workspace', 'tool=-3,-3,-3,3,3,3']
    code = main(['excite', 'my_robot.urdf', *OPTIONS, *files, *limits, '--load', 'tool'])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    for text in ('joint_1.stiffness', 'payload.m', 'delay', 'feasible', 'written: motion.csv'):
        assert text in captured.out
    # a receiver makes the same motion of the file
    file = read_trajectory('motion.csv')
    curve = smooth_trajectory(
        waypoints_from_points(file.joint_names, file.points, ('joint_1', 'joint_2'))
    )
    assert curve.duration == 8.0
    assert curve.jets([0.0, 8.0], rows=2)[:, 0] == pytest.approx(np.array([[0.0, 0.4]] * 2))
    model = sd.read_urdf('my_robot.urdf')
    jets = curve.jets(np.arange(0.0, 8.0, 1e-3), rows=3)
    assert (np.abs(jets[:, 1]) <= 0.8 * model.limits.velocity).all()


def test_standard_output_has_the_points_alone(folder, capsys):
    assert main(['excite', 'my_robot.urdf', *OPTIONS, '--csv', '-']) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith('time,joint_1,joint_2\n') and 'coulomb' in captured.err


@pytest.mark.parametrize(
    'options, text',
    [
        (['--workspace', 'tool=1,2'], 'LINK=X,Y,Z,X,Y,Z'),
        (['--share', '1.5'], 'share: expected a number up to 1'),
        (['--load', 'hand'], 'hand'),
    ],
)
def test_options_that_are_refused(folder, capsys, options, text):
    assert main(['excite', 'my_robot.urdf', *OPTIONS, *options]) in (1, 2)
    assert text in capsys.readouterr().err


TRAJECTORY = 'time,joint_1,joint_2\n0.0,0.0,0.0\n1.5,0.8,-0.4\n3.0,0.2,0.5\n'


@pytest.fixture
def arm_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(sd.share_path('urdf/planar_2r.urdf'), 'arm.urdf')
    (tmp_path / 'motion.csv').write_text(TRAJECTORY)
    return tmp_path


def test_points_of_a_fast_motion(arm_folder, capsys):
    assert main(['retime', 'arm.urdf', 'motion.csv', '--effort-rate', '1500',
                 '--velocity', 'joint_2=4', '--csv', 'fast.csv']) == 0  # fmt: skip
    printed = capsys.readouterr().out
    assert printed.startswith('feasible: ')
    assert '3 s before, 0.5' in printed
    assert printed.endswith('written: fast.csv\n')
    found = read_trajectory('fast.csv')
    arm = sd.read_urdf('arm.urdf')
    points = waypoints_from_points(found.joint_names, found.points, arm.joint_names)
    curve = smooth_trajectory(points, rest_at_ends=True)
    np.testing.assert_allclose(curve.end, [0.2, 0.5], atol=1e-12)
    largest = np.abs(curve.jets(np.linspace(0.0, curve.duration, 7001), 2)[:, 1, 1]).max()
    assert 3.96 < largest <= 4.0
    assert main(['evaluate', 'arm.urdf', 'fast.csv', '--limits']) == 0


def test_figure_of_the_shares_of_limits(arm_folder, capsys):
    """A panel per limited quantity; the largest share of each is that of the printed table."""
    pytest.importorskip('matplotlib', reason='figures need matplotlib')
    (arm_folder / 'springs.yaml').write_text(
        'drives:\n  joint_1:\n    spring: {type: linear, stiffness: 3000.0}\n'
        '    limits: {deflection: 0.05}\n'
    )
    code = main(['retime', 'arm.urdf', 'motion.csv', '--drives', 'springs.yaml',
                 '--effort-rate', '1500', '--plot', 'fast.svg'])  # fmt: skip
    printed = capsys.readouterr()
    assert code == 0, printed.err
    assert printed.out.endswith('written: fast.svg\n')
    assert (arm_folder / 'fast.svg').read_text().startswith('<?xml')
    arm = sd.read_urdf('arm.urdf')
    robot = limited_robot(
        sd.Robot(arm, sd.Drives.from_yaml('springs.yaml')), {'effort_rate': 1500.0}
    )
    given = read_trajectory('motion.csv')
    curve = smooth_trajectory(
        waypoints_from_points(given.joint_names, given.points, arm.joint_names), rest_at_ends=True
    )
    fast = sd.retime(robot, curve)
    times = instants(fast)
    shares = limit_shares(robot, fast, times)
    assert list(shares) == ['velocity', 'effort', 'effort rate', 'deflection']
    assert list(shares['deflection']) == ['joint_1']
    report = sd.check_feasibility(robot, fast.jets(times, rows=6), times)
    for check in report.checks:
        if check.quantity != 'position':
            largest = shares[check.quantity][check.joint].max()
            assert largest == pytest.approx(100.0 * (1.0 + check.excess), rel=1e-9)


def test_a_figure_needs_a_file(arm_folder, capsys):
    code = main(['retime', 'arm.urdf', 'motion.csv', '--plot', '-'])
    assert code == 1
    assert '-: expected the name of a file or bag' in capsys.readouterr().err


@pytest.mark.parametrize('limits', [['inf', '4'], ['joint_1=inf', 'joint_2=4']])
def test_an_infinite_limit_is_none(arm_folder, capsys, limits):
    free = (arm_folder / 'arm.urdf').read_text().replace(' velocity="6.0"', '', 1)
    (arm_folder / 'free.urdf').write_text(free)
    printed = []
    for robot, velocity in (('arm.urdf', limits), ('free.urdf', ['joint_2=4'])):
        assert main(['retime', robot, 'motion.csv', '--velocity', *velocity]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


@pytest.mark.parametrize(
    ('options', 'text'),
    [
        (['--velocity', '-inf', '4'], '--velocity: expected a number above 0, got -inf'),
        (['--effort', '3'], 'feasible when slow, got joint_1: effort'),
        (['--effort-rate', '0'], '--effort-rate: expected a number above 0, got 0'),
        (['--velocity', '1', '2', '3'], '--velocity: expected 2 numbers'),
        (['--effort', 'joint_9=3'], "unknown joint of --effort 'joint_9'"),
        (['--csv', 'motion.csv'], 'motion.csv: it is an input'),
    ],
)
def test_errors(arm_folder, capsys, options, text):
    assert main(['retime', 'arm.urdf', 'motion.csv', *options]) == 1
    printed = capsys.readouterr()
    assert printed.out == ''
    assert printed.err.startswith('screw_dynamics retime: ')
    assert text in printed.err
    assert printed.err.count('\n') == 1
