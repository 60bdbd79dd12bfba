# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures that every room of the tests shares; none of them needs ROS."""

from __future__ import annotations

import os
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

# below test/: tests that start processes or wait for others, beside those with the fixture `ros`,
# and of what is shipped
PROCESSES = (
    'recordings/bags/test_recorder.py',
    'recordings/bags/test_recorder_end.py',
    'codegen/robot/test_generated',
    'command_line/test_help.py',
    'command_line/test_exit_codes.py',
    'examples/',
    'nodes/launching/',
    'nodes/test_imports_of_nodes.py',
    'packaging/',
    'viewer/test_viewer_page.py',
)

# files of proofs, which make test-all runs: variants of what another test shows once,
# whose nodes mostly wait, builds and studies
PROOFS = (
    'codegen/extension/test_extension.py',
    'codegen/robot/test_generated_floats.py',
    'codegen/robot/test_generated_for_cpp.py',
    'command_line/test_plot_command.py',
    'control/test_drives_in_mujoco.py',
    'estimation/observers/test_contacts_in_mujoco.py',
    'examples/test_actuators_in_mujoco.py',
    'examples/test_cpp_controller.py',
    'examples/test_gallery.py',
    'examples/test_mujoco_robot.py',
    'examples/test_sea_story.py',
    'examples/test_soft_study.py',
    'nodes/drive_commands/test_drive_guides.py',
    'nodes/dynamics_server/test_dynamics_server_failures.py',
    'nodes/dynamics_server/test_motor_service.py',
    'nodes/dynamics_server/test_retime_service.py',
    'nodes/load_observer/test_identify_service.py',
    'nodes/shared/test_hybrid_process.py',
    'nodes/test_node_shutdown.py',
    'nodes/test_random_messages.py',
    'nodes/test_sender_process.py',
    'packaging/test_colcon_build.py',
    'packaging/test_pip_install.py',
    'recordings/bags/test_cut_off_bags.py',
    'recordings/bags/test_damaged_bags.py',
    'recordings/bags/test_recorder_end.py',
    'soft/test_soft_robot_paths.py',
    'symbolic/test_symbolic_expressions.py',
    'symbolic/test_symbolic_sources.py',
)

# files that take longest
LONGEST = (
    'codegen/extension/test_extension.py',
    'estimation/identification/test_identify_drives.py',
    'examples/test_demo.py',
    'examples/test_gallery.py',
    'examples/test_soft_study.py',
    'nodes/load_observer/test_identify_service.py',
    'packaging/test_document_examples.py',
    'packaging/test_pip_install.py',
)

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
    """Do not import proofs, and the large libraries that they compare with, to deselect them."""
    if 'not long' not in config.option.markexpr or collection_path.suffix != '.py':
        return None
    return True if collection_path.as_posix().endswith(PROOFS) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """
    Mark proofs and tests with processes, and take files with and without processes in turn.

    So -m 'not processes' selects those of the library and of nodes in this process; they only
    compute, and fill the cores while others wait. The longest files come first: none of them is
    left for the end.
    """
    waiting: dict[str, list[pytest.Item]] = {}
    computing: dict[str, list[pytest.Item]] = {}
    for item in items:
        path = item.path.relative_to(Path(__file__).parent).as_posix()
        if path in PROOFS:
            item.add_marker('long')
        if path.startswith(PROCESSES) or 'ros' in getattr(item, 'fixturenames', ()):
            item.add_marker('processes')
            waiting.setdefault(path, []).append(item)
        else:
            computing.setdefault(path, []).append(item)
    in_turn = chain.from_iterable(
        zip_longest(*(_longest_first(files) for files in (waiting, computing)), fillvalue=[])
    )
    items[:] = chain.from_iterable(in_turn)


def _longest_first(files: dict[str, list[pytest.Item]]) -> list[list[pytest.Item]]:
    """Return the tests of each file, those of `LONGEST` first."""
    return [files[path] for path in sorted(files, key=lambda path: path not in LONGEST)]


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
