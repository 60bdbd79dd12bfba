# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Help texts: present for every command, with examples that run as written."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from itertools import chain
from math import isfinite

import pytest
from processes import python

import screw_dynamics as sd
import screw_dynamics.command_line.main as program
from screw_dynamics.command_line.command_parser import CommandParser
from screw_dynamics.command_line.records import read

DOCUMENT = sd.share_path('docs/command_line.md').read_text().replace('`', '')
COMMANDS = (
    'demo doctor model terms evaluate observe identify excite learn generate symbolic retime view'
).split()


def parser_of(command: str) -> CommandParser:
    """Return the parser of a command, with its arguments."""
    parser = program.parser()._subparsers._group_actions[0].choices[command]
    parser.declare()
    return parser


@pytest.mark.parametrize('command', COMMANDS)
def test_every_argument_is_explained_as_in_the_documents(command):
    parser = parser_of(command)
    rows = re.split('<!-- (?:end )?table.*-->', DOCUMENT.partition(f'options {command} -->')[2])[0]
    for action in parser._actions[1:]:  # the first is --help
        name = (action.option_strings or [action.metavar])[-1]
        told = action.help.replace('`', '')
        assert f'| {told.replace("%%", "%")} |' in rows and name in rows, name
    assert all(record.__dataclass_params__.frozen for record in parser._records.values())
    told = ' '.join(action.help for action in parser._actions)
    for item in chain.from_iterable(map(fields, parser._records.values())):
        if isinstance(item.default, float) and isfinite(item.default):
            assert f'default: {item.default:g}' in told, item.name


@pytest.mark.parametrize('command', COMMANDS)
def test_help_begins_with_what_must_be_given_and_fits_the_terminal(run, monkeypatch, command):
    monkeypatch.setenv('COLUMNS', '80')
    code, out, _ = run(command, '--help')
    parser = parser_of(command)
    given = [
        (action.option_strings or [action.metavar])[-1]
        for action in parser._actions
        if action.required
    ]
    (usage,) = re.findall(r'^usage: screw_dynamics \w+ (.*)\[options\]\n', out)
    assert code == 0 and [name for name in given if name in usage] == given
    explained, _, shown = out.partition('examples:')
    assert max(map(len, explained.splitlines())) <= 80
    assert shown.splitlines()[1:] == parser.epilog.splitlines()[1:]


@pytest.mark.parametrize('command', COMMANDS)
def test_records_have_what_examples_give(command):
    parser = parser_of(command)
    for line in parser.epilog.splitlines()[1:]:
        words = shlex.split(line)[2:]
        options = parser.parse_args(words)
        records = [read(record, options) for record in parser._records.values()]
        given = {name: value for record in records for name, value in vars(record).items()}
        for option, value in zip(words, words[1:], strict=False):
            if option.startswith('--') and not value.startswith('-'):
                found = given[option[2:].replace('-', '_')]
                shown = str(found[0] if isinstance(found, tuple) else found)
                assert value.partition('=')[0] in shown or float(value) == found


@pytest.mark.parametrize(
    ('arguments', 'now'),
    [
        ('bag my_bag', 'evaluate BAG'),
        ('feasibility my_robot.urdf my_trajectory.yaml', 'evaluate URDF TRAJECTORY --limits'),
        ('plot efforts.csv', 'evaluate RESULTS --plot PNG'),
        ('retime my_robot.urdf my_trajectory.yaml --elastic my_springs.yaml', '--drives YAML'),
    ],
)
def test_former_names_are_answered_with_the_present_ones(run, arguments, now):
    code, out, err = run(*arguments.split())
    assert code == 2 and not out and err.endswith(f'; it is `{now}` now\n'), err


def test_no_terminal_is_too_narrow(run, monkeypatch):
    monkeypatch.setenv('COLUMNS', '1')
    assert run('model', 'my_robot.urdf')[0] == 0


@pytest.mark.parametrize(
    'arguments',
    [('model', 'my_robot.urdf'), ('evaluate', 'my_robot.urdf', 'my_trajectory.yaml')],
    ids=' '.join,
)
def test_a_file_that_a_list_of_joints_took_is_told_where_to_stand(run, arguments):
    command, *files = arguments
    code, _, err = run(command, '--joints', 'joint_1', 'joint_2', *files)
    assert code == 2
    assert '(before options that take lists, as --joints does, or behind --)' in err
    assert run(command, '--joints', 'joint_1', 'joint_2', '--', *files)[0] == 0
    assert run(command, *files, '--joints', 'joint_1', 'joint_2')[0] == 0


@pytest.mark.parametrize(
    ('arguments', 'nearest'),
    [
        ('modle my_robot.urdf', 'model'),
        ('model my_robot.urdf --ylam=a', '--yaml'),
        ('evaluate my_robot.urdf my_trajectory.yaml --interpolation smoth', 'smooth'),
        ('terms my_robot.urdf --frame tol', 'tool'),
        ('terms my_robot.urdf --position joint1=0.5', 'joint_1'),
    ],
)
def test_a_misspelt_name_is_answered_with_the_nearest_one(run, arguments, nearest):
    code, out, err = run(*arguments.split())
    assert code and not out and err.endswith(f'; did you mean {nearest}?\n'), err
    command = arguments.split()[0]
    if code == 2 and command != 'modle':
        assert f'usage: screw_dynamics {command} ' in err


@pytest.mark.processes
@pytest.mark.parametrize(
    ('line', 'expected'),
    [
        ('screw_dynamics eval', 'evaluate'),
        ('screw_dynamics evaluate a.urdf b.yaml --interpolation ', 'smooth jtc'),
    ],
)
def test_shells_complete_commands_options_and_choices(folder, monkeypatch, line, expected):
    pytest.importorskip('argcomplete')
    asked = {
        '_ARGCOMPLETE': '1',
        '_ARGCOMPLETE_IFS': ' ',
        '_ARGCOMPLETE_STDOUT_FILENAME': 'found',
        '_ARGCOMPLETE_SUPPRESS_SPACE': '1',
        'COMP_LINE': line,
        'COMP_POINT': str(len(line)),
    }
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    done = python(folder, '-m', 'screw_dynamics.command_line.main')
    assert (folder / 'found').read_text() == expected, done.stderr


def test_the_demo_runs_where_matplotlib_is_missing(folder, monkeypatch, run):
    monkeypatch.setattr(
        'screw_dynamics.command_line.commands.demo.find_spec', lambda package: None
    )
    code, out, err = run('demo', '-o', 'tried')
    assert code == 0 and not err
    shown = [line.split()[2] for line in out.splitlines() if line.startswith('$ screw_dynamics ')]
    assert shown == ['doctor', 'evaluate']
    assert '21 limits kept' in out and '> ' in out
    names = {path.name for path in (folder / 'tried').iterdir()}
    files = {'my_robot.urdf', 'my_springs.yaml', 'planar_2r.urdf', 'my_trajectory.yaml'}
    assert names == files | {'efforts.csv'}
    code, _, err = run('demo', '-o', 'tried')
    assert code == 1 and 'it exists already' in err


@pytest.mark.processes
def test_the_program_runs_as_a_process(folder):
    command = ['-W', 'error', '-m', 'screw_dynamics.command_line.main']
    done = python(folder, *command, 'evaluate', 'my_robot.urdf', 'none.yaml')
    assert done.returncode == 1 and done.stderr.count('\n') == 1
    done = python(folder, *command)
    assert done.returncode == 0 and all(name in done.stdout for name in COMMANDS)
    assert 'what is missing or odd' in done.stdout


@pytest.mark.processes
def test_the_help_of_the_program_imports_no_library(tmp_path):
    script = """
import sys
from screw_dynamics.command_line.main import main
code = main(['--help'])
print(code, sorted({'numpy', 'scipy', 'yaml', 'matplotlib', 'rosbags'} & set(sys.modules)))
"""
    done = python(tmp_path, '-c', script)
    assert done.stdout.splitlines()[-1] == '0 []', done.stderr


@pytest.mark.processes
@pytest.mark.parametrize(
    ('package', 'extra', 'arguments'),
    [
        (
            'matplotlib',
            'plot',
            ['evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--plot', 'a.png'],
        ),
        ('rosbags', 'bags', ['evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--bag', 'a_bag']),
    ],
)
def test_missing_libraries_are_named_before_the_work(folder, package, extra, arguments):
    hidden = (
        f'import sys; sys.modules[{package!r}] = None\n'
        'from screw_dynamics.command_line.main import main\n'
        f'sys.exit(main({arguments}))\n'
    )
    done = python(folder, '-c', hidden)
    assert done.returncode == 1 and not done.stdout
    assert done.stderr == (
        f'screw_dynamics {arguments[0]}: not installed: {package}: pip install {package} '
        f"(extra '{extra}' of screw_dynamics)\n"
    )


@pytest.mark.processes
def test_commands_need_no_ros(folder):
    hidden = (
        'import sys\n'
        "sys.modules.update({name: None for name in ('rclpy', 'ament_index_python', "
        "'sensor_msgs', 'trajectory_msgs', 'screw_dynamics_interfaces')})\n"
        'from screw_dynamics.command_line.main import main\n'
        "sys.exit(main(['evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--bag', 'new']))\n"
    )
    done = python(folder, '-c', hidden)
    assert done.returncode == 0 and 'written: new' in done.stdout, done.stderr
