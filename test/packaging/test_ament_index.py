# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`make setup` enters in the ament index what `ros2 run` and `ros2 launch` look for."""

import os
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging_tools import EXECUTABLES

pytestmark = pytest.mark.processes

packages = pytest.importorskip('ament_index_python.packages', reason='needs ament_index_python')

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def prefix(tmp_path, monkeypatch):
    """Return a prefix in which the package of this interpreter was entered."""
    try:
        distribution('screw_dynamics')
    except PackageNotFoundError:
        pytest.skip('screw_dynamics is not installed by pip')
    monkeypatch.syspath_prepend(ROOT / '.ci' / 'setup_steps')
    from ament_index import enter_in_index
    from environment import Environment
    from progress import Progress

    environment = Environment(ROOT, None, Progress(tmp_path / 'log'))
    environment.prefix, environment.python = tmp_path, Path(sys.prefix) / 'bin' / 'python'
    enter_in_index(environment)
    (tmp_path / 'stamps' / 'ament_index').unlink()
    # an installation without ROS 2, as of the documentation, leaves this where make setup runs
    other = tmp_path / 'root' / 'screw_dynamics.egg-info'
    other.mkdir(parents=True)
    (other / 'PKG-INFO').write_text('Metadata-Version: 2.1\nName: screw_dynamics\nVersion: 0\n')
    monkeypatch.chdir(other.parent)
    enter_in_index(environment)  # again, over what is there
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    return tmp_path


def test_files(prefix):
    assert packages.get_package_prefix('screw_dynamics') == str(prefix)
    share = Path(packages.get_package_share_directory('screw_dynamics'))
    assert (share / 'package.xml').samefile(ROOT / 'package.xml')
    for folder in ('launch', 'config', 'urdf'):
        # as ros2 launch does, which follows no links to folders
        found = [Path(at, file) for at, _, files in os.walk(share / folder) for file in files]
        assert {file.name for file in found} == {f.name for f in (ROOT / folder).iterdir()}


def test_executables(prefix):
    folder = prefix / 'lib' / 'screw_dynamics'
    assert {path.name for path in folder.iterdir()} == set(EXECUTABLES)
    assert all(os.access(path, os.X_OK) for path in folder.iterdir())
