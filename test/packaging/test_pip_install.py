# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`pip install .` into an empty environment gives the library, complete and without ROS."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
import tarfile
from pathlib import Path

import pytest
from packaging_tools import EXECUTABLES, run

pytestmark = [pytest.mark.first, pytest.mark.long, pytest.mark.processes]

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import importlib.util
import numpy as np
import screw_dynamics as sd

assert importlib.util.find_spec('rclpy') is None
model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
efforts = sd.inverse_dynamics(model, np.zeros((5, 2)))
assert efforts.shape == (3, 2)
assert sd.kernel_form() == 'c'
assert sd.Recording.from_file(sd.share_path('examples/recorded/ur10.npz')).times[-1] > 27.0
print(sd.__file__)
print(sd.share_path('urdf'))
"""


@pytest.fixture(scope='module')
def prefix(source_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an environment that holds nothing but the package and what it asks for."""
    prefix = tmp_path_factory.mktemp('pip') / 'env'
    run([sys.executable, '-m', 'venv', prefix], source_copy, clean_environment())
    # the releases that are here already, so that nothing has to be downloaded twice
    constraints = prefix / 'constraints.txt'
    constraints.write_text(
        ''.join(f'{name}=={importlib.metadata.version(name)}\n' for name in ('numpy', 'scipy'))
    )
    pip = [prefix / 'bin' / 'python', '-m', 'pip', 'install', '--quiet', '-c', constraints]
    # what is compiled runs as well if that takes seconds in place of half a minute
    quick = {**clean_environment(), 'SCREW_DYNAMICS_CFLAGS': '-O0'}
    run([*pip, '--no-compile', source_copy], source_copy, quick)
    return prefix


def clean_environment() -> dict[str, str]:
    unwanted = ('PYTHONPATH', 'AMENT_PREFIX_PATH', 'LD_LIBRARY_PATH', 'VIRTUAL_ENV')
    return {name: value for name, value in os.environ.items() if name not in unwanted}


def test_library_works_alone(prefix, tmp_path):
    python = prefix / 'bin' / 'python'
    output = run([python, '-W', 'error', '-c', SCRIPT], tmp_path, clean_environment()).stdout
    package, share = output.split()
    assert Path(package).is_relative_to(prefix / 'lib')
    assert Path(share) == prefix / 'share' / 'screw_dynamics' / 'urdf'


def test_the_command_line_is_all_that_is_installed_as_a_command(prefix, tmp_path):
    scripts = {path.name for path in (prefix / 'bin').iterdir()}
    assert 'screw_dynamics' in scripts
    assert not scripts & {*EXECUTABLES} - {'screw_dynamics'}
    command = [prefix / 'bin' / 'screw_dynamics', '--version']
    version = (ROOT / 'setup.py').read_text().split("version='")[1].split("'")[0]
    text = f'screw_dynamics {version} (kernels: c)\n'
    assert run(command, tmp_path, clean_environment()).stdout == text


def test_the_readme_is_the_long_description(prefix, source_copy):
    (metadata,) = prefix.glob('lib/python3*/site-packages/screw_dynamics-*.dist-info/METADATA')
    text = metadata.read_text(encoding='utf-8')
    assert 'Description-Content-Type: text/markdown' in text
    assert (source_copy / 'README.md').read_text(encoding='utf-8').strip() in text


def test_the_sdist_holds_what_builds_and_the_documents(source_copy, tmp_path):
    script = 'from setuptools import build_meta; print(build_meta.build_sdist({!r}))'
    copy = shutil.copytree(source_copy, tmp_path / 'copy')
    (copy / 'test').mkdir()
    (copy / 'test' / 'test_jit.py').touch()  # setuptools would take this one alone
    python = [sys.executable, '-W', 'ignore', '-c', script.format(str(tmp_path))]
    run(python, copy, clean_environment())
    with tarfile.open(next(tmp_path.glob('*.tar.gz'))) as archive:
        names = {name.partition('/')[2] for name in archive.getnames()}
    assert {'README.md', 'LICENSE', 'CHANGELOG.rst', 'docs/guides.md', 'urdf/iiwa14.urdf'} <= names
    assert not any(name.startswith('test/') or name.endswith('.pyc') for name in names)


def test_typing_marker_and_licence_are_installed(prefix):
    site = next((prefix / 'lib').glob('python3*/site-packages'))
    assert (site / 'screw_dynamics' / 'py.typed').is_file()
    assert not (site / 'test').exists()
    assert list(site.glob('screw_dynamics-*.dist-info/**/LICENSE'))
