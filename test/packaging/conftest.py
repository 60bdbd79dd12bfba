# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A copy of the sources to build in, as a fresh clone would be; a session for the documents."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from documents import ROOT, Session

# what a checkout may hold beside its sources
NOT_SOURCES = shutil.ignore_patterns(
    '.*',
    '_build',
    '__pycache__',
    '*.egg-info',
    'build',
    'install',
    'log',
    'output',
    'test',
    '_kernels*',
)


@pytest.fixture(scope='session')
def source_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the sources; what they build stays away from the checkout."""
    return shutil.copytree(ROOT, tmp_path_factory.mktemp('copy') / 'source', ignore=NOT_SOURCES)


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """Return a session in an empty folder with the robot of the documents."""
    shutil.copy(ROOT / 'urdf' / 'iiwa14.urdf', tmp_path / 'my_robot.urdf')
    monkeypatch.chdir(tmp_path)
    return Session()
