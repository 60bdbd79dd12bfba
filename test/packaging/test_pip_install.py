# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`pip install .` into an empty environment gives the library, complete and without ROS."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path

import pytest
from packaging_tools import run

SCRIPT = """
import importlib.util
import numpy as np
import screw_dynamics as sd

assert importlib.util.find_spec('rclpy') is None
model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
efforts = sd.inverse_dynamics(model, np.zeros((5, 2)))
assert efforts.shape == (3, 2)
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
        ''.join(
            f'{name}=={importlib.metadata.version(name)}\n' for name in ('numpy', 'scipy', 'numba')
        )
    )
    pip = [prefix / 'bin' / 'python', '-m', 'pip', 'install', '--quiet', '-c', constraints]
    run([*pip, source_copy], source_copy, clean_environment())
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


def test_typing_marker_and_licence_are_installed(prefix):
    site = next((prefix / 'lib').glob('python3*/site-packages'))
    assert (site / 'screw_dynamics' / 'py.typed').is_file()
    assert not (site / 'test').exists()
    assert list(site.glob('screw_dynamics-*.dist-info/**/LICENSE'))
