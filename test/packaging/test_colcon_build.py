# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds by colcon as documented, and executables where `ros2 run` would find them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging_tools import EXECUTABLES, run

pytestmark = [pytest.mark.long, pytest.mark.processes]

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / 'README.md').read_text(encoding='utf-8')


def build_environment() -> dict[str, str]:
    """Return the environment of a terminal in which ROS 2 is sourced and nothing is overlaid."""
    environment = {**os.environ, 'PATH': f'{Path(sys.executable).parent}:{os.environ["PATH"]}'}
    prefixes = [part for part in os.environ.get('AMENT_PREFIX_PATH', '').split(':') if part]
    if (Path(sys.prefix) / 'share' / 'ament_cmake').is_dir():
        prefixes = [sys.prefix]  # ROS 2 from wheels
        environment.pop('PYTHONPATH', None)
    for name in ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH'):
        environment[name] = ':'.join(prefixes)
    environment['SCREW_DYNAMICS_EXTENSION'] = '0'  # takes half a minute; pip builds it too
    return environment


LINE = 'colcon', 'build', '--base-paths', '.', 'screw_dynamics_interfaces'  # in a checkout
ONE = '--packages-select', 'screw_dynamics'  # the interfaces take minutes


def build(folder: Path, *arguments: str) -> str:
    """Build a checkout and return what is printed; skip without tools."""
    environment = build_environment()
    if shutil.which('colcon', path=environment['PATH']) is None:
        pytest.skip('colcon is not installed')
    prefixes = environment['AMENT_PREFIX_PATH'].split(':')
    if not any((Path(prefix) / 'share' / 'ament_cmake').is_dir() for prefix in prefixes):
        pytest.skip('no ROS 2 that can build interfaces')
    result = run([*LINE, *arguments], folder, environment)
    return result.stderr + result.stdout


@pytest.fixture(scope='module')
def workspace(source_copy: Path) -> Path:
    """Return a folder with the package built beside its interfaces."""
    assert '1 package finished' in build(source_copy, *ONE)
    return source_copy


def in_workspace(workspace: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a shell that has sourced the workspace."""
    shell = ['bash', '-c', f'source install/setup.bash && {command}']
    return run(shell, workspace, build_environment())


def test_executables_are_where_ros2_run_looks(workspace):
    folder = workspace / 'install' / 'screw_dynamics' / 'lib' / 'screw_dynamics'
    for name in EXECUTABLES:
        assert os.access(folder / name, os.X_OK), f'{folder / name} is no executable'


def test_package_is_in_the_resource_index(workspace):
    share = workspace / 'install' / 'screw_dynamics' / 'share'
    assert (share / 'ament_index/resource_index/packages/screw_dynamics').is_file()
    for name in ('package.xml', 'launch', 'config', 'urdf'):
        assert (share / 'screw_dynamics' / name).exists()


@pytest.mark.long
def test_both_packages_are_built(source_copy, tmp_path):
    text = (ROOT / 'docs' / 'installation.md').read_text(encoding='utf-8')
    assert ' '.join(LINE) in ' '.join(text.split())
    folder = shutil.copytree(source_copy, tmp_path / 'source', symlinks=True)
    assert '2 packages finished' in build(folder)
    service = 'screw_dynamics_interfaces.srv'
    script = f'import {service} as found; print(found.__file__)'
    output = in_workspace(folder, f"cd / && python3 -c '{script}'").stdout
    assert Path(output.strip()).is_relative_to(folder / 'install' / 'screw_dynamics_interfaces')


def test_installed_package_finds_its_files_and_interfaces(workspace):
    script = (
        'import screw_dynamics as sd, screw_dynamics_interfaces.srv; '
        'print(sd.__file__); print(sd.share_path("urdf"))'
    )
    output = in_workspace(workspace, f"cd / && python3 -c '{script}'").stdout
    package, share = map(Path, output.split())
    installed = workspace / 'install' / 'screw_dynamics'
    assert package.is_relative_to(installed / 'lib')
    assert share == installed / 'share' / 'screw_dynamics' / 'urdf'


def test_an_executable_runs_from_the_workspace(workspace):
    # no such file: the node logs that and ends
    command = (
        'install/screw_dynamics/lib/screw_dynamics/dynamics_server '
        '--ros-args -p urdf_path:=/does/not/exist.urdf; test $? -eq 1'
    )
    result = in_workspace(workspace, command)
    assert '/does/not/exist.urdf' in result.stdout + result.stderr


def test_the_studies_are_found_in_the_workspace(workspace):
    for library in ('matplotlib', 'mujoco', 'rosbags', 'rich'):
        pytest.importorskip(library, reason='the studies need it')
    folder = workspace / 'install' / 'screw_dynamics' / 'lib' / 'screw_dynamics'
    for name, arguments in (('demo', ''), ('demo_sea', 'sea'), ('demo_soft', 'soft')):
        for command in (folder / name, f'python3 -m screw_dynamics.demo {arguments}'):
            result = in_workspace(workspace, f'cd / && {command} --help')
            assert result.stdout.startswith(f'usage: {name} [')


def test_a_workspace_with_the_link_of_the_readme(source_copy, tmp_path):
    """Without it colcon sees the outer package alone, as rosdep does."""
    environment = build_environment()
    if shutil.which('colcon', path=environment['PATH']) is None:
        pytest.skip('colcon is not installed')
    (line,) = re.findall(r'^ln -s (\S+) src/$', README, re.MULTILINE)
    (tmp_path / 'src').mkdir()
    (tmp_path / 'src' / 'screw_dynamics').symlink_to(source_copy)

    def listed(*arguments: str) -> list[str]:
        command = ['colcon', 'list', '--names-only', *arguments]
        return run(command, tmp_path, environment).stdout.split()

    both = ['screw_dynamics', 'screw_dynamics_interfaces']
    assert listed() == both[:1]
    assert listed('--base-paths', 'src', 'src/screw_dynamics/screw_dynamics_interfaces') == both
    (tmp_path / 'src' / 'screw_dynamics_interfaces').symlink_to(line)
    assert listed() == both


def test_a_build_by_links(source_copy, tmp_path):
    """Setup runs in a build folder that has links to some of the sources."""
    environment = build_environment()
    if shutil.which('colcon', path=environment['PATH']) is None:
        pytest.skip('colcon is not installed')
    source = shutil.copytree(source_copy, tmp_path / 'src' / 'screw_dynamics', symlinks=True)
    command = ['colcon', 'build', '--symlink-install', '--packages-select', 'screw_dynamics']
    run(command, tmp_path, environment)
    share = tmp_path / 'install' / 'screw_dynamics' / 'share' / 'screw_dynamics'
    for name in ('package.xml', 'launch/bringup.launch.py', 'urdf/iiwa14.urdf'):
        assert (share / name).resolve() == source / name
