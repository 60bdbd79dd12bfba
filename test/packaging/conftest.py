# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A copy of the sources to build in, as a fresh clone would be."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# what a checkout may hold beside its sources
NOT_SOURCES = shutil.ignore_patterns(
    '.*', '__pycache__', '*.egg-info', 'build', 'install', 'log', 'output', 'test'
)


@pytest.fixture(scope='session')
def source_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the sources; what they build stays away from the checkout."""
    return shutil.copytree(ROOT, tmp_path_factory.mktemp('copy') / 'source', ignore=NOT_SOURCES)
