# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures that every room of the tests shares; none of them needs ROS."""

from __future__ import annotations

import os
import re
import signal
import sys
import zlib
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

# Before NumPy is imported: one thread of linear algebra per process. More would wait for each
# other in loops that burn the cores which other workers need.
os.environ.setdefault('OMP_NUM_THREADS', '1')

import hypothesis  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402

# The helpers in test/oracles are imported as `oracles`, whatever import mode pytest runs in.
sys.path.insert(0, str(Path(__file__).parent))

from oracles.robots import NAMED_ROBOTS, bundled_urdfs, named_robot  # noqa: E402

if TYPE_CHECKING:
    from screw_dynamics import ScrewModel

# Shells start background jobs with SIGINT ignored, and so would be all processes that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Deadlines measure the machine, not the code.
hypothesis.settings.register_profile(
    'default',
    max_examples=20,
    deadline=None,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    # the same examples in every run, so that a failure is due to a change; thorough draws new ones
    derandomize=True,
)
hypothesis.settings.register_profile(
    'thorough', hypothesis.settings.get_profile('default'), max_examples=1000, derandomize=False
)
hypothesis.settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'default'))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import files of proofs, and their large libraries, to deselect them."""
    if 'not long' not in config.option.markexpr or not collection_path.match('test_*.py'):
        return None
    marks = re.search(
        r'^pytestmark = .*?\n\n', collection_path.read_text(), re.DOTALL | re.MULTILINE
    )
    return True if marks and 'pytest.mark.long' in marks[0] else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """
    Take files with and without processes in turn.

    So -m 'not processes' selects those of the library and of nodes in this process; they only
    compute, and fill the cores while others wait. Files with the marker `first` are the first.
    """
    waiting: dict[Path, list[pytest.Item]] = {}
    computing: dict[Path, list[pytest.Item]] = {}
    for item in items:
        if 'ros' in getattr(item, 'fixturenames', ()):
            item.add_marker('processes')
        files = waiting if item.get_closest_marker('processes') else computing
        files.setdefault(item.path, []).append(item)
    in_turn = zip_longest(_longest_first(waiting), _longest_first(computing), fillvalue=[])
    items[:] = chain.from_iterable(chain.from_iterable(in_turn))


def _longest_first(files: dict[Path, list[pytest.Item]]) -> list[list[pytest.Item]]:
    """Return the tests of each file, those of files with the marker `first` first."""
    return sorted(files.values(), key=lambda tests: tests[0].get_closest_marker('first') is None)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that depend on the test's own name only, so that failures repeat."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))


@pytest.fixture(params=bundled_urdfs(), ids=lambda path: path.stem)
def bundled_urdf(request: pytest.FixtureRequest) -> Path:
    """Path of each robot description in urdf/."""
    return request.param


@pytest.fixture
def bundled_model(bundled_urdf: Path) -> ScrewModel:
    """Model of each robot description in urdf/, mimic joints reduced."""
    import screw_dynamics as sd

    return sd.read_urdf(bundled_urdf)


@pytest.fixture(params=list(NAMED_ROBOTS))
def named_urdf(request: pytest.FixtureRequest) -> Path:
    """Path of each robot from a Python package that the tests run by name."""
    path = named_robot(request.param)
    if path is None:
        pytest.skip(f'needs the Python package {NAMED_ROBOTS[request.param][0]}')
    return path
