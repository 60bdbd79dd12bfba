# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics evaluate`: figures of CSV files and bags."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from processes import process

pytestmark = pytest.mark.long

pytest.importorskip('rosbags', reason='bags need the package rosbags')
pytest.importorskip('matplotlib', reason='figures need matplotlib')

from matplotlib.figure import Figure  # noqa: E402
from matplotlib.image import imread  # noqa: E402

import screw_dynamics as sd  # noqa: E402
from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.bags.writer import BagWriter  # noqa: E402
from screw_dynamics.recordings.results.results import MotorResults, Origin, Results  # noqa: E402
from screw_dynamics.recordings.results.results_bag import ResultsWriter  # noqa: E402
from screw_dynamics.recordings.results.results_csv import read_csv  # noqa: E402
from screw_dynamics.recordings.results.results_from_bag import read_bag  # noqa: E402
from screw_dynamics.recordings.results.results_plot import save_plot  # noqa: E402

HEADER = 'a.position,a.velocity,a.acceleration,a.effort'


@pytest.fixture
def figures(monkeypatch):
    """Return the figures that are saved."""
    saved = []
    save = Figure.savefig

    def remember(self, *arguments, **options):
        saved.append(self)
        save(self, *arguments, **options)

    monkeypatch.setattr(Figure, 'savefig', remember)
    return saved


def lines(figure, count):
    """Return the data of the first `count` lines of every panel."""
    return [line.get_ydata() for axis in figure.axes for line in axis.lines[:count]]


def titled(figure, title):
    """Return the panel with a title."""
    (axis,) = (axis for axis in figure.axes if axis.get_title(loc='left') == title)
    return axis


def test_every_quantity_of_every_joint_and_motor_is_drawn(run, figures):
    run(
        'evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--drives', 'my_springs.yaml',
        '--csv', 'a.csv', '--bag', 'a_bag',
    )  # fmt: skip
    assert run('evaluate', 'a.csv', '--plot', 'a.png')[1].endswith('\nwritten: a.png\n')
    assert run('evaluate', 'a_bag', '--plot', 'b.png')[0] == 0
    table = read_csv(Path('a.csv'))
    assert table.motors is not None
    expected = [
        values
        for jet in (table.joint_jet, table.effort_jet, table.motors.values)
        for d in range(jet.shape[1])
        for values in jet[:, d].T
    ]
    for figure in figures:
        drawn = lines(figure, 2)
        assert len(drawn) == len(expected) == 2 * (5 + 3 + 5)
        for found, wanted in zip(drawn, expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
    assert imread('a.png').shape[0] > 500 and imread('a.png').std() > 0.01


def test_no_peak_of_a_long_recording_is_lost(figures, tmp_path):
    times = np.arange(50_000) / 1000.0
    efforts = np.sin(times)
    efforts[[12_345, 33_333]] = 9.0, -7.0
    efforts[[12_344, 33_334]] = np.nan  # beside what is not known, too
    results = Results(('a',), times, np.zeros((50_000, 3, 1)), efforts[:, None, None])
    save_plot(results, tmp_path / 'a.png', 'long', {})
    (line,) = titled(figures[-1], 'effort').lines
    drawn = line.get_ydata()
    assert len(drawn) < 5000 and np.nanmax(drawn) == 9.0 and np.nanmin(drawn) == -7.0
    assert line.get_xdata()[[0, -1]].tolist() == [0.0, times[-1]]


def test_a_single_sample_is_seen(figures, tmp_path):
    results = Results(('a',), np.zeros(1), np.zeros((1, 3, 1)), np.ones((1, 1, 1)))
    save_plot(results, tmp_path / 'a.png', 'one', {})
    assert all(axis.lines[0].get_marker() == 'o' for axis in figures[-1].axes[:4])


@pytest.mark.parametrize('deviation', ['0.5', 'inf', 'nan'])
def test_what_is_not_known_is_left_open(run, figures, deviation):
    Path('a.csv').write_text(
        f'time,{HEADER},a.effort.sd\n0,1,nan,2,3,{deviation}\n1,1,inf,2,4,0.5\n'
    )
    code, _, err = run('evaluate', 'a.csv', '--plot', 'a.png')
    assert code == 0, err
    low, high = titled(figures[-1], 'effort').get_ylim()
    assert low < 3.0 and high > 4.0


def test_units_are_those_of_the_joint(run, figures):
    slider = (
        Path('my_robot.urdf')
        .read_text()
        .replace(
            '<joint name="joint_2" type="revolute">', '<joint name="joint_2" type="prismatic">'
        )
    )
    assert 'prismatic' in slider
    Path('slider.urdf').write_text(slider)
    arguments = ['slider.urdf', 'my_trajectory.yaml', '--drives', 'my_springs.yaml']
    written = ['--plot', 'a.png', '--csv', 'a.csv', '--bag', 'a_bag']
    code, _, err = run('evaluate', *arguments, *written)
    assert code == 0, err
    header = Path('a.csv').read_text().partition('\n')[0].split(',')
    assert {'time', 'joint_1.position [rad]', 'joint_2.effort_ddot [N/s^2]'} < {*header}
    assert 'joint_2.motor_acceleration [m/s^2]' in header
    labels = [axis.get_ylabel() for axis in figures[-1].axes]
    # a block of motion, efforts and motors for each type of joint
    assert labels[0].endswith('[rad]') and labels[2].endswith('[rad/s²]')
    assert labels[13].endswith('[m]') and labels[13 + 7].endswith('[N/s²]')
    assert labels[8 + 3].endswith('[N m]') and labels[13 + 8 + 3].endswith('[N]')
    assert [titled(figures[-1], name).lines for name in ('torque', 'force')]
    # those of the figure, from the header of the CSV and the robot description in the bag
    for name in ('a.csv', 'a_bag'):
        run('evaluate', name, '--plot', 'b.png')
        assert [axis.get_ylabel() for axis in figures[-1].axes] == labels
    with Bag('a_bag') as bag:
        (found,) = bag.messages(['/robot_description'])
    assert found.message.data == slider
    # drives that take another quantity than efforts, and files of before
    run('evaluate', *arguments[:2], '--effort-scale', 'joint_1=0.1', '--csv', 'scaled.csv')
    assert Path('scaled.csv').read_text().startswith('time,joint_1.position,joint_1.velocity,')
    run('evaluate', 'scaled.csv', '--plot', 's.png')
    labels = [axis.get_ylabel() for axis in figures[-1].axes]
    assert labels[0].endswith('[rad or m]') and labels[7].endswith('[(N m or N)/s²]')


def test_bands_are_two_standard_deviations(run, figures, measured_bag):
    run('evaluate', measured_bag, '--bag', 'new', '--rate', 100)
    assert run('evaluate', 'new', '--joints', 'joint_2', '--plot', 'new.png')[0] == 0
    results = read_bag(Path('new'), None)
    assert len(figures[-1].axes) == 5 + 3
    assert results.effort_deviations is not None
    vertices = figures[-1].axes[-1].collections[0].get_paths()[0].vertices
    top = results.effort_jet[:, 2, 1] + 2 * results.effort_deviations[:, 2, 1]
    bottom = results.effort_jet[:, 2, 1] - 2 * results.effort_deviations[:, 2, 1]
    assert vertices[:, 1].max() == pytest.approx(top.max(), rel=1e-12)
    assert vertices[:, 1].min() == pytest.approx(bottom.min(), rel=1e-12)
    assert 'standard deviations' in figures[-1].get_suptitle()


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('', "as in 'time,joint_1.position,...', got an empty file"),
        (
            't,a.effort\n0,1\n',
            "a header that begins with 'time', as in 'time,joint_1.position,...', "
            "got 't,a.effort'",
        ),
        ('time;a.effort\n0;1,5\n', "got 'time;a.effort': separate columns by commas, and write"),
        ('time,a.effort\n', 'expected rows below the header, got none'),
        ('time,a\n0,1\n', "expected columns such as 'joint_1.effort', got a"),
        ('time,a.effort\n0,1,2\n', 'row 2: expected 2 cells, got 3'),
        ('time,a.effort\n0,x\n', 'expected numbers below the header'),
        (f'time,{HEADER},b.effort\n0,1,2,3,4,5\n', "column 'b.position' is missing"),
        ('time,a.effort\n0,1\n', "column 'a.position' is missing"),
        ('time,a.position,a.velocity,a.effort\n0,1,2,3\n', "column 'a.acceleration' is missing"),
        (f'time,{HEADER},a.snap\n0,1,2,3,4,5\n', "column 'a.jerk' is missing"),
        (f'time,{HEADER},a.position.sd\n0,1,2,3,4,5\n', "column 'a.velocity.sd' is missing"),
        (f'time,{HEADER},a.effort\n0,1,2,3,4,5\n', "every column once, got 'a.effort' twice"),
        (f'time,{HEADER},a.motor_position\n0,1,2,3,4,5\n', "'a.motor_velocity' is missing"),
    ],
)
def test_files_that_hold_no_results(run, text, message):
    Path('odd.csv').write_text(text)
    code, _, err = run('evaluate', 'odd.csv')
    assert code == 1 and err.startswith('screw_dynamics evaluate: odd.csv: ') and message in err


@pytest.mark.parametrize(
    ('joint', 'motors', 'text'),
    [
        ('b', ('b',), "topic '/feedforward/feedforward': expected the same joints in all"),
        ('a', ('a/1', 'a/2'), "topic '/feedforward/motor_feedforward': expected the same motors"),
    ],
)
def test_a_robot_that_changed_while_it_was_recorded_is_told(run, joint, motors, text):
    with BagWriter('changed') as writer:
        output = ResultsWriter(writer)
        for i, (name, names) in enumerate([('a', ('a',)), (joint, motors)]):
            results = one_sample(name, names)
            output.write(results, Origin(np.array([i]), np.array([i]), 4, 1))
    code, _, err = run('evaluate', 'changed')
    assert code == 1 and err.startswith(f'screw_dynamics evaluate: changed: {text}')
    assert err.count('\n') == 1


def one_sample(joint: str, motors: tuple[str, ...]) -> Results:
    m = len(motors)
    return Results(
        (joint,), np.zeros(1), np.zeros((1, 3, 1)), np.ones((1, 1, 1)),
        motors=MotorResults(motors, np.ones(m), np.zeros((1, 5, m))),
    )  # fmt: skip


def test_motors_of_other_instants_are_not_drawn(run, figures):
    with BagWriter('apart') as writer:
        for name, instant in (('a', 0), ('b', 5)):
            output = ResultsWriter(writer, f'/{name}/torque', f'/{name}/motors')
            results = one_sample(name, (name,))
            if name == 'a':
                results = replace(results, motors=None)
            output.write(results, Origin(np.array([instant]), np.array([0]), 4, 1))
    assert run('evaluate', 'apart', '--topic', '/a/torque', '--plot', 'a.png')[0] == 0
    assert run('evaluate', 'apart', '--topic', '/b/torque', '--plot', 'b.png')[0] == 0
    assert [len(figure.axes) for figure in figures] == [4, 4 + 5]


def test_messages_without_a_motion(run):
    results = replace(one_sample('a', ()), joint_jet=np.zeros((1, 1, 1)), motors=None)
    with BagWriter('still') as writer:
        ResultsWriter(writer).write(results, Origin(np.array([0]), np.array([0]), 4, 1))
    code, _, err = run('evaluate', 'still', '--plot', 'a.png')
    assert code == 1 and 'expected values in reference.velocities, got none' in err


def test_other_errors(run):
    run('evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--csv', 'a.csv')
    code, _, err = run('evaluate', 'a.csv', '--joints', 'elbow')
    assert code == 1 and "unknown joint 'elbow': expected one of joint_1, joint_2" in err
    code, _, err = run('evaluate', 'a.csv', '--plot', 'a.xyz')
    assert code == 1 and 'evaluate: a.xyz: expected the name of a figure file' in err
    code, _, err = run('evaluate', 'a.csv', '--limits')
    assert code == 1 and 'expected a motion, got its efforts' in err
    code, _, err = run('evaluate', 'a.csv', '--plot', 'no/such/folder/a.png')
    assert code == 1 and 'no/such/folder/a.png: the folder ' in err


def long_chain(count: int) -> str:
    """Return the URDF of a chain of revolute joints."""
    inertia = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    inertial = f'<inertial><mass value="1"/>{inertia}</inertial>'
    links = ''.join(f'<link name="l{i}">{inertial}</link>' for i in range(count + 1))
    joints = ''.join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        '<axis xyz="0 0 1"/></joint>'
        for i in range(count)
    )
    return f'<robot name="chain">{links}{joints}</robot>'


def test_many_joints_have_blocks_of_lines_with_colours_of_their_own(run, figures):
    Path('chain.urdf').write_text(long_chain(16))
    names = [f'j{i}' for i in range(16)]
    Path('motion.csv').write_text(f'time,{",".join(names)}\n0{",0" * 16}\n1{",1" * 16}\n')
    code, _, err = run('evaluate', 'chain.urdf', 'motion.csv', '--plot', 'a.png', '--rate', 10)
    assert code == 0, err
    (figure,) = figures
    panels = [axis for axis in figure.axes if axis.get_title(loc='left') == 'torque']
    colours = [
        {line.get_color() for line in axis.lines if len(line.get_xdata()) == 11} for axis in panels
    ]
    assert [len(own) for own in colours] == [6, 5, 5]


def test_the_csv_is_written_where_a_figure_has_no_room(run):
    joints = 211
    Path('chain.urdf').write_text(long_chain(joints))
    names = ','.join(f'j{i}' for i in range(joints))
    Path('motion.csv').write_text(f'time,{names}\n0{",0" * joints}\n1{",1" * joints}\n')
    files = ['--csv', 'a.csv', '--plot', 'a.png']
    code, _, err = run('evaluate', 'chain.urdf', 'motion.csv', *files, '--rate', 3, '--order', 0)
    assert code == 1 and len(read_csv(Path('a.csv')).joint_names) == joints
    assert not Path('a.png').exists()
    assert err == (
        'screw_dynamics evaluate: a figure has room for 210 joints, got 211: draw some of them: '
        'screw_dynamics evaluate RESULTS --joints JOINT ... --plot PNG\n'
    )
    assert run('evaluate', 'a.csv', '--joints', 'j0', 'j1', '--plot', 'a.png')[0] == 0


def test_limits_are_drawn_and_the_nearest_is_named(run, figures):
    """Of positions, velocities and efforts; the figure ends at a limit that a joint is near."""
    arm = sd.read_urdf('my_robot.urdf')
    run('evaluate', 'my_robot.urdf', 'my_trajectory.csv', '--plot', 'a.png', '--csv', 'a.csv')
    table, limits = read_csv(Path('a.csv')), arm.limits
    (figure,) = figures
    for title, values, bounds in (
        ('velocity', table.joint_jet[:, 1], limits.velocity),
        ('torque', table.effort_jet[:, 0], limits.effort),
    ):
        axis = titled(figure, title)
        drawn = {line.get_ydata()[0] for line in axis.lines if len({*line.get_ydata()}) == 1}
        assert drawn >= {*bounds, *-bounds}
        shares = np.abs(values).max(axis=0) / bounds
        name = arm.joint_names[int(shares.argmax())]
        assert axis.get_title(loc='right') == f'{name}: {100.0 * shares.max():.3g} % of its limit'
        assert (axis.get_ylim()[1] > bounds[shares.argmax()]) == (shares.max() >= 0.5)


NAMES = {'joint_1': '関節一', 'joint_2': '$' + chr(92) + 'nonsense{$'}


def test_any_names_are_drawn(folder, figures, run):
    """Those that the font has not are named in one line; none is taken for a formula."""
    urdf, points = Path('my_robot.urdf').read_text(), Path('my_trajectory.csv').read_text()
    for plain, odd in NAMES.items():
        urdf, points = urdf.replace(plain, odd), points.replace(plain, odd)
    Path('odd.urdf').write_text(urdf, encoding='utf-8')
    Path('$odd {.csv').write_text(points, encoding='utf-8')
    arguments = ['evaluate', 'odd.urdf', '$odd {.csv', '--plot', 'a.png']
    utf8 = {'PYTHONIOENCODING': 'utf-8'}
    done = process(folder, *arguments, stdout=subprocess.PIPE, environment=utf8, encoding='utf-8')
    assert done.returncode == 0 and Path('a.png').stat().st_size > 10_000
    assert done.stderr.count('\n') == 1
    assert done.stderr.startswith('warning: the font of the figure has no ')
    assert set('関節一') <= set(done.stderr)
