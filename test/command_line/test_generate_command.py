# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics generate`: files, names, errors."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import screw_dynamics as sd


def functions(header):
    return re.findall(r'^void (\w+)\(', Path(header).read_text(), re.MULTILINE)


def test_files_are_those_of_the_library(run):
    code, out, err = run('generate', 'my_robot.urdf', '--order', 1, '--self-test')
    assert code == 0 and not err
    expected = sd.generate_c(
        sd.read_urdf('my_robot.urdf'),
        'my_robot',
        order=1,
        quantities=(
            'inverse_dynamics mass_matrix gravity_forces bias_forces coriolis_forces '
            'coriolis_matrix reference'
        ).split(),
    )
    for name, text in {**expected.files, 'my_robot_self_test.c': expected.self_test}.items():
        assert Path(name).read_text() == text and f'written: {name}' in out
    assert run('generate', 'my_robot.urdf', '--casadi', '--prefix', 'arm')[0] == 0
    assert 'int jac_arm_efforts(' in Path('arm.c').read_text()


def test_quantities_frames_and_names_are_those_of_the_options(run, folder):
    code, _, err = run(
        'generate', 'my_robot.urdf', '--prefix', 'arm', '--quantities', 'mass_matrix',
        'frame_jacobian', '--frame', 'link_1', '--frame', 'link_2', '--output', 'src',
    )  # fmt: skip
    assert code == 0, err
    assert sorted(path.name for path in (folder / 'src').iterdir()) == ['arm.c', 'arm.h']
    names = ['arm_mass_matrix', 'arm_frame_jacobian_link_1', 'arm_frame_jacobian_link_2']
    assert functions('src/arm.h') == names


def test_springs_and_motors_are_those_of_the_file(run):
    options = '--prefix', 'arm', '--drives', 'my_springs.yaml'
    code, _, err = run('generate', 'my_robot.urdf', *options)
    assert code == 0, err
    header = Path('arm.h').read_text(encoding='ascii')
    assert functions('arm.h')[-1] == 'arm_drive_forces' and 'int arm_motor_commands(' in header
    expected = sd.generate_c(
        sd.Robot(sd.read_urdf('my_robot.urdf'), sd.Drives.from_yaml('my_springs.yaml')),
        'arm',
        quantities=['motor_commands'],
    )
    table = re.search('motor_numbers.*?};', expected.source, re.DOTALL)
    assert table is not None and table[0] in Path('arm.c').read_text(encoding='ascii')


@pytest.mark.skipif(shutil.which('gcc') is None, reason='gcc is not installed')
def test_options_of_the_robot_are_in_the_code(run, folder):
    options = {'loaded': ('--gravity', 0, 9.81, 0, '--payload', 'link_2=1.5,0,0,0.1'), 'plain': ()}
    for name, chosen in options.items():
        (folder / name).mkdir()
        code, _, err = run('generate', 'my_robot.urdf', *chosen, '--output', name, '--self-test')
        assert code == 0, err
    for source in options:
        files = [f'{source}/my_robot.c', 'loaded/my_robot_self_test.c']
        subprocess.run(['gcc', '-std=c99', '-o', 'self_test', *files, '-lm'], check=True)
        agree = subprocess.run(['./self_test'], check=False).returncode == 0
        assert agree == (source == 'loaded')


@pytest.mark.parametrize(
    ('arguments', 'code', 'text'),
    [
        (('--output', 'nowhere/deeper'), 1, 'nowhere does not exist'),
        (('--prefix', '1'), 1, "prefix: expected a name in C, got '1'"),
        (('--quantities', 'motor_commands'), 1, 'robot: expected one with drives for motor'),
        (('--drives', 'my_springs.yaml', '--order', '1'), 1, 'order: expected 2 or more'),
        (('--frame', 'nothing'), 1, "frames: frame 'nothing'"),
        (('--real', 'float', '--controller'), 1, '--real: expected double with --controller'),
        (('--quantities', 'mass'), 2, 'invalid choice'),
        (('--order', '11'), 2, 'invalid choice'),
    ],
)
def test_wrong_arguments_end_in_one_line(run, arguments, code, text):
    got, _, err = run('generate', 'my_robot.urdf', *arguments)
    assert got == code and text in err
    assert not list(Path('.').glob('*.h'))


def test_names_of_files_become_names_in_c(run, folder):
    (folder / 'my_robot.urdf').rename(folder / '7-axis arm.urdf')
    code, out, err = run('generate', '7-axis arm.urdf')
    assert code == 0, err
    assert (folder / 'robot_7_axis_arm.c').is_file()


def test_floats_are_written_instead_of_doubles(run):
    code, _, err = run('generate', 'my_robot.urdf', '--real', 'float')
    assert code == 0, err
    assert 'double' not in Path('my_robot.c').read_text()
