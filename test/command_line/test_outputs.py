# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Output files of commands: whole or not at all, never over an input, refused before the work."""

import subprocess

import pytest
from processes import process

import screw_dynamics as sd


@pytest.mark.parametrize('after', ['efforts:', 'writing messages:', 'writing CSV:'])
def test_an_interrupt_leaves_nothing_that_looks_finished(run, folder, monkeypatch, after):
    pytest.importorskip('rosbags', reason='bags need the package rosbags')
    before = sorted(folder.iterdir())
    from screw_dynamics.common.progress import progress
    from screw_dynamics.recordings.results import evaluation, results_bag, results_csv

    def interrupted(items, text, *rest, **named):
        for i, item in enumerate(progress(items, text, *rest, **named)):
            if f'{text}:' == after and i == min(20, len(items) - 1):
                raise KeyboardInterrupt
            yield item

    for module in (evaluation, results_bag, results_csv):
        monkeypatch.setattr(module, 'progress', interrupted)
    code, out, _ = run(
        'evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--csv', 'a.csv', '--bag', 'a_bag'
    )
    assert code == 130
    left = {path.name for path in folder.iterdir()} - {path.name for path in before}
    # earlier files are whole, and reported as such
    assert left == {line.removeprefix('written: ') for line in out.splitlines() if ':' in line}
    assert left == ({'a.csv'} if after == 'writing messages:' else set())


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        (['--csv', 'my_trajectory.csv'], 'my_trajectory.csv: it is an input'),
        (['--csv', './my_robot.urdf'], 'my_robot.urdf: it is an input'),
        (['--drives', 'my_springs.yaml', '--csv', 'my_springs.yaml'], 'it is an input'),
        (['--csv', 'a.png', '--plot', 'a.png'], 'a.png: two outputs have this name'),
        (['--csv', 'no/a.csv'], 'no/a.csv: the folder '),
        (['--csv', '.'], '.: expected the name of a file, this is a folder'),
        (['--plot', 'a.xyz'], 'a.xyz: expected the name of a figure file, ending in one of'),
        (['--bag', 'my_robot.urdf'], 'it is an input'),
        (['--bag', 'my_springs.yaml'], 'my_springs.yaml: it exists already'),
        (['--bag', 'my_springs.yaml/bag'], 'my_springs.yaml is not a folder'),
        (['--csv', 'my_springs.yaml/a.csv'], 'my_springs.yaml is not a folder'),
        (['--bag', 'no/bag'], 'no/bag: the folder '),
        (['--bag', '-'], '-: expected the name of a file or bag: only text goes there'),
        (['--plot', '-'], '-: expected the name of a file or bag: only text goes there'),
        # where not even root may write
        (['--csv', '/proc/sys/a.csv'], ' is not writable'),
        (['--bag', '/proc/sys/bag'], ' is not writable'),
    ],
)
def test_outputs_are_refused_before_the_work(run, folder, arguments, text):
    pytest.importorskip('matplotlib', reason='figures need matplotlib')
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    code, out, err = run('evaluate', 'my_robot.urdf', 'my_trajectory.csv', *arguments)
    assert code == 1 and text in err and err.count('\n') == 1, err
    assert not out
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    'command', ['evaluate my_robot.urdf my_trajectory.csv', 'evaluate my_bag']
)
def test_results_go_to_standard_output(run, folder, trajectory_bag, command):
    """They alone do; what people read is on stderr."""
    assert run(*command.split(), '--csv', 'a.csv')[0] == 0
    before = sorted(folder.iterdir())
    code, out, err = run(*command.split(), '--csv', '-')
    assert code == 0, err
    assert out == (folder / 'a.csv').read_text()
    assert 'max |effort|' in err and 'written' not in err
    assert sorted(folder.iterdir()) == before


def test_results_go_down_a_pipe(run, folder):
    command = 'evaluate', 'my_robot.urdf', 'my_trajectory.csv', '--csv'
    run(*command, 'a.csv')
    done = process(folder, *command, '/dev/stdout', stdout=subprocess.PIPE)
    assert done.returncode == 0 and done.stdout == (folder / 'a.csv').read_text(), done.stderr


def test_a_model_goes_down_a_pipe(run, folder):
    code, out, err = run('model', 'my_robot.urdf', '--yaml', '-')
    assert code == 0 and 'moving mass: ' in err
    assert sd.ScrewModel.from_yaml(out) == sd.read_urdf('my_robot.urdf')


@pytest.mark.parametrize('bag', ['my_bag', 'my_bag/my_bag.mcap'])
def test_no_bag_inside_of_a_bag(run, folder, trajectory_bag, bag):
    before = sorted(folder.rglob('*'))
    code, _, err = run('evaluate', bag, '--bag', 'my_bag/new')
    assert code == 1 and err.count('\n') == 1
    assert f'my_bag/new: expected the name of a new bag outside of the bag {folder}' in err
    assert sorted(folder.rglob('*')) == before
    assert run('evaluate', bag, '--csv', 'my_bag/efforts.csv')[0] == 0


def test_names_that_the_terminal_cannot_show(folder):
    text = (folder / 'my_robot.urdf').read_text().replace('joint_1', 'Hüfte')
    (folder / 'hip.urdf').write_text(text, encoding='utf-8')
    done = process(
        folder, 'model', 'hip.urdf',
        stdout=subprocess.PIPE, environment={'PYTHONIOENCODING': 'ascii'},
    )  # fmt: skip
    assert done.returncode == 0 and r'H\xfcfte' in done.stdout, done.stderr
