# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A copy of the sources to build in, as a fresh clone would be."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from documents import ROOT

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
