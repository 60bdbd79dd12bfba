# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The executables at their start: Ctrl-C at any moment, packages that are missing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.patience import patience

from ros_demo.processes import release_domain, unused_domain

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]

# what the script that setuptools makes does, with a word when it begins
START = """
import sys
from screw_dynamics.entry_points import {name}
sys.argv[0] = {name!r}
print('begun', flush=True)
sys.exit({name}())
"""
HIDE = "import sys; sys.modules['{package}'] = None"


@pytest.fixture(scope='module', autouse=True)
def own_domain():
    """Nodes of the tests find no others."""
    domain = unused_domain()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('ROS_DOMAIN_ID', str(domain))
        patch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        yield
    release_domain(domain)


def start(name: str, *arguments: str, before: str = '') -> subprocess.Popen[str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get('PYTHONPATH')]))
    return subprocess.Popen(
        [sys.executable, '-W', 'ignore', '-c', before + START.format(name=name), *arguments],
        env={**os.environ, 'PYTHONPATH': path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


# tells when Ctrl-C is no longer handled by Python itself
HANDLED = """
from screw_dynamics import entry_points
imported = entry_points.import_module
def import_module(name):
    print('handled', flush=True)
    return imported(name)
entry_points.import_module = import_module
"""


@pytest.mark.parametrize('delay', [0.02, 0.6])
def test_interrupted_in_the_first_second(delay):
    with start('feedforward', before=HANDLED) as process:
        assert process.stdout.readline() == 'begun\n'
        assert process.stdout.readline() == 'handled\n'
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=patience())
    # before anything is set up, as it is set up, and when it runs
    assert process.returncode in {-signal.SIGINT, 128 + signal.SIGINT, 0}, output
    assert 'Traceback' not in output


def test_interrupted_while_the_package_is_imported():
    before = """
import importlib, os, signal
imported = importlib.import_module
def import_module(name):
    os.kill(os.getpid(), signal.SIGINT)
    return imported(name)
importlib.import_module = import_module
"""
    with start('feedforward', before=before) as process:
        output, _ = process.communicate(timeout=patience())
    assert (process.returncode, output) == (-signal.SIGINT, 'begun\n')


@pytest.mark.parametrize('name', ['feedforward', 'recorder'])
def test_help(name):
    pytest.importorskip('rclpy', reason='the executables are ROS 2 nodes')
    with start(name, '--help') as process:
        output, _ = process.communicate(timeout=patience())
    assert process.returncode == 0, output
    assert f'usage: {name} [' in output
    if name == 'feedforward':
        assert '--ros-args' in output and max(map(len, output.splitlines())) <= 80
        assert '  urdf_path\n' in output and '(default: ' in output


@pytest.mark.parametrize(
    'name, arguments',
    [('feedforward', ['-p', 'urdf_path:=x.urdf']), ('recorder', ['--params-file', 'x.yaml'])],
)
def test_arguments_of_ros_without_their_flag(name, arguments):
    pytest.importorskip('rclpy', reason='the executables are ROS 2 nodes')
    with start(name, *arguments) as process:
        output, _ = process.communicate(timeout=patience())
    assert process.returncode == 2, output
    line = output.splitlines()[-1]
    assert line.startswith(f'{name}: ') and arguments[0] in line and '--ros-args' in line


def test_help_for_a_reader_that_has_seen_enough():
    pytest.importorskip('rclpy', reason='the executables are ROS 2 nodes')
    begin, end = "print('begun', flush=True)", 'os.dup2(reading_end_closed(), 1)'
    script = START.format(name='feedforward').replace(begin, end)
    before = """
import os
def reading_end_closed():
    reading, writing = os.pipe()
    os.close(reading)
    return writing
"""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get('PYTHONPATH')]))
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', before + script, '--help'],
        env={**os.environ, 'PYTHONPATH': path, 'PYTHONUNBUFFERED': ''},
        capture_output=True,
        text=True,
        timeout=patience(),
    )
    assert not done.stderr and done.returncode in (0, 1)


@pytest.mark.parametrize('name', ['nodes', 'feedforward', 'recorder'])
def test_without_ros(name):
    with start(name, before=HIDE.format(package='rclpy')) as process:
        output, _ = process.communicate(timeout=patience())
    assert process.returncode == 1, output
    begun, line = output.splitlines()
    assert line.startswith(f'{name}: ')
    assert 'rclpy' in line
    assert 'source the setup file of ROS 2 (source /opt/ros/<distro>/setup.bash)' in line


def test_without_our_interfaces():
    pytest.importorskip('rclpy', reason='the executables are ROS 2 nodes')
    with start('feedforward', before=HIDE.format(package='screw_dynamics_interfaces')) as process:
        output, _ = process.communicate(timeout=patience())
    assert process.returncode == 1, output
    line = output.splitlines()[-1]
    assert line.startswith('feedforward: ') and 'screw_dynamics_interfaces' in line
    assert 'of the workspace that screw_dynamics was built in' in line


@pytest.mark.parametrize(
    'name, package', [('demo', 'rich'), ('demo_sea', 'mujoco'), ('recorder', 'mcap')]
)
def test_without_a_library(name, package):
    with start(name, before=HIDE.format(package=package)) as process:
        output, _ = process.communicate(timeout=patience())
    assert process.returncode == 1, output
    assert output == f'begun\n{name}: not installed: {package}: pip install {package}\n'


def test_without_any_library():
    """One command installs all of them."""
    hide = ''.join(HIDE.format(package=package) + '\n' for package in ('matplotlib', 'mujoco'))
    with start('demo_sea', before=hide) as process:
        output, _ = process.communicate(timeout=patience())
    assert output.endswith('matplotlib, mujoco: pip install matplotlib mujoco\n')


def test_no_message_names_a_package_of_our_own():
    """Advice to install names packages of others only."""
    sources = [*(ROOT / 'screw_dynamics').rglob('*.py'), *(ROOT / 'examples').rglob('*.py')]
    advice = [re.findall(r'pip install [\'"]?(\w+)', path.read_text()) for path in sources]
    assert {name for names in advice for name in names} == {'mujoco', 'sympy'}


def test_a_mistake_of_our_own_is_not_hidden():
    before = HIDE.format(package='screw_dynamics.nodes.feedforward')
    with start('feedforward', before=before) as process:
        output, _ = process.communicate(timeout=patience())
    assert 'Traceback' in output
    assert 'screw_dynamics.nodes.feedforward' in output
