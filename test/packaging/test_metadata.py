# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""package.xml, setup.py, interfaces, the ament index and the package agree."""

from __future__ import annotations

import importlib
import re
import runpy
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import setuptools
from packaging_tools import EXECUTABLES

import screw_dynamics
from screw_dynamics.common.paths import share_path

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope='module')
def setup_arguments() -> dict:
    """Return what setup.py passes to setuptools where ROS is sourced."""
    return arguments_of_setup('/opt/ros/jazzy')


def arguments_of_setup(prefixes: str) -> dict:
    captured = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('AMENT_PREFIX_PATH', prefixes)
        patch.chdir(ROOT)
        patch.setattr(setuptools, 'setup', captured.update)
        runpy.run_path(str(ROOT / 'setup.py'))
    return captured


@pytest.fixture(scope='module')
def manifest() -> ElementTree.Element:
    return ElementTree.parse(ROOT / 'package.xml').getroot()


def test_versions_agree(setup_arguments, manifest):
    assert setup_arguments['version'] == manifest.findtext('version')
    for nested in ('screw_dynamics_interfaces', 'screw_dynamics_controllers'):
        other = ElementTree.parse(ROOT / nested / 'package.xml').getroot()
        assert setup_arguments['version'] == other.findtext('version')
    assert setup_arguments['version'] == screw_dynamics.__version__
    assert setup_arguments['version'] in (ROOT / 'CHANGELOG.rst').read_text()


def test_the_interfaces_are_a_package_of_their_own():
    """With a changelog in the form that the tools of releases read, and the same licence."""
    folder = ROOT / 'screw_dynamics_interfaces'
    assert (folder / 'LICENSE').read_text() == (ROOT / 'LICENSE').read_text()
    for path, name in ((ROOT, 'screw_dynamics'), (folder, 'screw_dynamics_interfaces')):
        lines = (path / 'CHANGELOG.rst').read_text().splitlines()
        assert lines[1] == f'Changelog for package {name}'
        headings = [a for a, b in pairwise(lines) if re.fullmatch('-+', b)]
        assert headings[0] == 'Forthcoming' or re.match(r'\d', headings[0])
        version = re.escape(screw_dynamics.__version__)
        assert any(re.fullmatch(rf'{version} \(\d{{4}}-\d\d-\d\d\)', line) for line in headings)


@pytest.mark.filterwarnings('ignore:nodes.Node.traverse:DeprecationWarning')  # of catkin_pkg
@pytest.mark.parametrize('folder', [ROOT, ROOT / 'screw_dynamics_interfaces'])
def test_tools_of_releases_read_manifest_and_changelog(folder):
    changelogs = pytest.importorskip('catkin_pkg.changelog', reason='colcon is not installed')
    from catkin_pkg.package import parse_package

    warnings: list[str] = []
    package = parse_package(folder, warnings=warnings)
    package.validate(warnings=warnings)
    assert not warnings and package.package_format == 3
    assert package.licenses == ['Apache-2.0'] and package.maintainers and package.description
    changelog = changelogs.get_changelog_from_path(folder, package.name)
    assert package.version in [version for version, _, _ in changelog.foreach_version()]


def test_libraries_of_the_nodes_are_declared(setup_arguments, manifest):
    declared = {element.text for element in manifest.iter('exec_depend')}
    for requirement in setup_arguments['install_requires']:
        name = re.match(r'[a-z]+', requirement).group().removeprefix('py')
        assert f'python3-{name}' in declared, requirement


def test_system_packages_are_enough(manifest):
    """Tools of binary releases take none from PyPI."""
    for element in manifest:
        if element.tag.endswith('depend'):
            assert not element.text.endswith('-pip') and element.text != 'mcap-ros2-support'


def test_a_change_without_a_line_in_the_changelog_is_refused(tmp_path, monkeypatch):
    monkeypatch.delenv('CHANGELOG_BASE', raising=False)
    monkeypatch.chdir(tmp_path)
    source, changelog = tmp_path / 'screw_dynamics' / 'file.py', tmp_path / 'CHANGELOG.rst'
    source.parent.mkdir()
    for path, text in ((tmp_path / 'setup.py', "version='1.0.0',"), (source, ''), (changelog, '')):
        path.write_text(text)
    identity = ['-c', 'user.name=name', '-c', 'user.email=name@example.org']
    for command in (['init', '-q'], ['add', '.'], [*identity, 'commit', '-q', '-m', 'Release']):
        subprocess.run(['git', *command], check=True)
    check = [ROOT / '.ci' / 'changelog']
    assert subprocess.run(check).returncode == 0
    source.write_text('changed = True\n')
    refused = subprocess.run(check, capture_output=True, text=True)
    assert refused.returncode == 1 and 'CHANGELOG.rst: expected a line' in refused.stderr
    changelog.write_text('* a line\n')
    assert subprocess.run(check).returncode == 0


def test_every_data_file_exists(setup_arguments):
    for folder, files in setup_arguments['data_files']:
        assert files, f'nothing is installed in {folder}'
        for file in files:
            assert (ROOT / file).is_file(), f'{file} (for {folder}) does not exist'


def test_every_file_that_ships_is_a_data_file(setup_arguments):
    installed = {file for _, files in setup_arguments['data_files'] for file in files}
    for pattern in (
        *('launch/*.py', 'config/*', 'urdf/*.urdf'),
        'examples/recorded/*',
        *('examples/ros_demo/*.py', 'examples/sea_study/*.py', 'examples/soft_study/*.py'),
    ):
        present = {path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern)}
        assert present and present <= installed, pattern


def test_every_package_is_installed(setup_arguments):
    present = {
        '.'.join(path.parent.relative_to(ROOT).parts)
        for path in (ROOT / 'screw_dynamics').rglob('__init__.py')
    }
    assert set(setup_arguments['packages']) == present
    assert (ROOT / 'screw_dynamics' / 'py.typed').is_file()


@pytest.mark.parametrize('ros', ['/opt/ros/jazzy', ''])
def test_console_scripts_can_be_called(ros):
    """Without ROS the names of nodes stay free."""
    scripts = arguments_of_setup(ros)['entry_points']['console_scripts']
    names = {script.split(' = ')[0] for script in scripts}
    assert names == (set(EXECUTABLES) if ros else {'screw_dynamics'})
    for script in scripts:
        module, function = script.split(' = ')[1].split(':')
        assert callable(getattr(importlib.import_module(module), function))


def test_every_imported_ros_package_is_declared(manifest):
    declared = {element.text for element in manifest.iter('exec_depend')}
    imported = set()
    for folder in ('screw_dynamics', 'examples', 'launch'):
        for path in (ROOT / folder).rglob('*.py'):
            roots = re.findall(r'^ *(?:from|import) (\w+)', path.read_text(), re.MULTILINE)
            imported |= {root for root in roots if is_ros(root)}
    assert imported and imported <= declared


def is_ros(name: str) -> bool:
    packages = {
        'rclpy',
        'launch',
        'launch_ros',
        'ament_index_python',
        'std_srvs',
        'rcl_interfaces',
    }
    return name in packages or name.endswith(('_msgs', '_interfaces'))


def test_share_path_finds_bundled_files():
    assert share_path('urdf/iiwa14.urdf').read_text().lstrip().startswith('<')


def test_share_path_says_where_it_looked(monkeypatch):
    monkeypatch.setenv('AMENT_PREFIX_PATH', '/opt/ros/jazzy')
    with pytest.raises(FileNotFoundError, match='(?s)urdf/none.urdf.*/opt/ros/jazzy/share'):
        share_path('urdf/none.urdf')


@pytest.mark.parametrize('path', ['/etc/passwd', '../package.xml', '', '.'])
def test_share_path_stays_below_the_share_folder(path):
    with pytest.raises(ValueError, match='below the share folder'):
        share_path(path)


def test_share_path_finds_files_of_another_prefix(monkeypatch, tmp_path):
    folder = tmp_path / 'share' / 'screw_dynamics'
    folder.mkdir(parents=True)
    (folder / 'only_here.yaml').write_text('')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    assert share_path('only_here.yaml') == folder / 'only_here.yaml'


FOLDER = Path(__file__).resolve().parents[2] / 'screw_dynamics_interfaces'
DEFINITIONS = sorted([*FOLDER.glob('msg/*.msg'), *FOLDER.glob('srv/*.srv')])
FIELD = re.compile(r'^(?P<type>[\w/]+)(?P<array>\[\d*\])? +(?P<name>\w+)(?P<value>=\S+)?')
NUMBER = re.compile(r'^u?int(8|16|32|64)$|^float(32|64)$')
# messages made of numbers whose unit depends on who uses them
CARRIES_NUMBERS = {
    'builtin_interfaces/Duration',
    'geometry_msgs/Inertia',
    'geometry_msgs/Pose',
    'geometry_msgs/Vector3',
    'geometry_msgs/WrenchStamped',
    'trajectory_msgs/JointTrajectory',
    'trajectory_msgs/JointTrajectoryPoint',
}
UNIT = re.compile(r'\[(-|[a-zA-Z][a-zA-Z0-9 /^|,.]*)\]')


def fields(definition: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield each field and the comment that belongs to it: above it, or behind it."""
    above: list[str] = []
    for line in definition.splitlines():
        if line.startswith('#'):
            above.append(line[1:].strip())
        elif match := FIELD.match(line):
            behind = line[match.end() :].partition('#')[2].strip()
            yield match, behind or ' '.join(above)
            # a field directly below another one shares no comment with it
            above = []
        elif not line.strip() or line == '---':
            above = []
        else:
            raise AssertionError(f'not understood: {line!r}')


def test_every_field_has_a_comment_and_every_number_a_unit():
    assert len(DEFINITIONS) > 10
    for path in DEFINITIONS:
        for field, comment in fields(path.read_text()):
            place = f'{path.name}: {field["name"]}'
            assert len(comment.split()) >= 3, f'{place} has no comment'
            if NUMBER.match(field['type']) or field['type'] in CARRIES_NUMBERS:
                assert UNIT.search(comment), f'{place} has no unit in: {comment}'


def test_every_service_answers_with_the_same_status():
    for path in FOLDER.glob('srv/*.srv'):
        _, response = path.read_text().split('\n---\n')
        named = {field['name']: field for field, _ in fields(response)}
        constants = {name: field['value'] for name, field in named.items() if field['value']}
        common = {
            'OK': '=0',
            'INVALID_REQUEST': '=-1',
            'INVALID_JOINTS': '=-2',
            'NOT_FINITE': '=-3',
            'NO_MODEL': '=-4',
            'LIMIT_EXCEEDED': '=-5',
        }
        assert constants.items() >= common.items(), path.name
        assert len(set(constants.values())) == len(constants), path.name
        status = [named[name]['type'] for name in ('success', 'error_code', 'message')]
        assert status == ['bool', 'int32', 'string'], path.name


def test_every_definition_is_built():
    built = (FOLDER / 'CMakeLists.txt').read_text()
    for path in DEFINITIONS:
        assert f'"{path.parent.name}/{path.name}"' in built
