# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics evaluate`: figures of CSV files and bags."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.long

pytest.importorskip('rosbags', reason='bags need the package rosbags')
pytest.importorskip('matplotlib', reason='figures need matplotlib')

from matplotlib.figure import Figure  # noqa: E402

from screw_dynamics.recordings.results.results_csv import read_csv  # noqa: E402


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


def test_files_have_the_figure_of_what_was_evaluated(run, figures):
    """Units come from the header of the CSV and the robot description in the bag."""
    urdf = Path('my_robot.urdf').read_text()
    slider = urdf.replace('name="joint_2" type="revolute"', 'name="joint_2" type="prismatic"')
    assert slider != urdf
    Path('slider.urdf').write_text(slider)
    arguments = ['slider.urdf', 'my_trajectory.yaml', '--drives', 'my_springs.yaml']
    written = ['--plot', 'a.png', '--csv', 'a.csv', '--bag', 'a_bag']
    code, _, err = run('evaluate', *arguments, *written)
    assert code == 0, err
    labels = [axis.get_ylabel() for axis in figures[-1].axes]
    assert len(labels) == 2 * 13 and labels[13].endswith('[m]')
    for name in ('a.csv', 'a_bag'):
        assert run('evaluate', name, '--plot', 'b.png')[1].endswith('\nwritten: b.png\n')
        assert [axis.get_ylabel() for axis in figures[-1].axes] == labels
    assert run('evaluate', 'a_bag', '--joints', 'joint_2', '--plot', 'b.png')[0] == 0
    assert [axis.get_ylabel() for axis in figures[-1].axes] == labels[13:]
    # drives that take another quantity than efforts
    run('evaluate', *arguments[:2], '--effort-scale', 'joint_1=0.1', '--csv', 'scaled.csv')
    assert Path('scaled.csv').read_text().startswith('time,joint_1.position,joint_1.velocity,')


def test_other_errors(run):
    run('evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--csv', 'a.csv')
    for options, text in (
        (['--joints', 'elbow'], "unknown joint 'elbow': expected one of joint_1, joint_2"),
        (['--plot', 'a.xyz'], 'evaluate: a.xyz: expected the name of a figure file'),
        (['--limits'], 'expected a motion, got its efforts'),
        (['--plot', 'no/such/folder/a.png'], 'no/such/folder/a.png: the folder '),
    ):
        code, _, err = run('evaluate', 'a.csv', *options)
        assert code == 1 and text in err


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
