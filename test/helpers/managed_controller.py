# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The controller of the package, built against the ros2_control here, and its updates."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from controller_manager_msgs.srv import SwitchController
from numpy.typing import NDArray

from helpers.patience import patience
from helpers.robot_library import CONTROLLERS
from helpers.ros_fixture import RosFixture

Array = NDArray[np.float64]

NAME = 'screw_dynamics_controllers'
BUILT_WITH = (
    'ament_cmake_gmock',
    'controller_interface',
    'controller_manager',
    'generate_parameter_library',
    'joint_state_broadcaster',
    'joint_trajectory_controller',
)
BUILD_TIME = 900.0  # s, on an idle machine


def missing_packages(names: Sequence[str] = BUILT_WITH) -> list[str]:
    """Return which packages are needed and not there."""
    missing = []
    for name in names:
        try:
            get_package_prefix(name)
        except PackageNotFoundError:
            missing.append(name)
    return missing


@dataclass(frozen=True)
class BuiltController:
    """The package in folders of its own."""

    build: Path
    prefix: Path

    @property
    def environment(self) -> list[str]:
        """The start of a command line, for programs that load the controller."""
        prefixes = f'{self.prefix}{os.pathsep}{os.environ["AMENT_PREFIX_PATH"]}'
        libraries = f'{self.prefix / "lib"}{os.pathsep}{os.environ.get("LD_LIBRARY_PATH", "")}'
        return ['env', f'AMENT_PREFIX_PATH={prefixes}', f'LD_LIBRARY_PATH={libraries}']

    def watched(self, record: Path) -> list[str]:
        """Return the start of a command line that records updates in a file, see `Updates`."""
        loaded = str(self.build / 'libwatch_update.so'), os.environ.get('LD_PRELOAD', '')
        preload = os.pathsep.join(filter(None, loaded))
        return [*self.environment, f'LD_PRELOAD={preload}', f'WATCH_UPDATE={record}']


def build_controller(folder: Path, *options: str) -> BuiltController:
    """Build the package with its tests."""
    command = [sys.executable, '-m', 'colcon', '--log-base', folder / 'log', 'build']
    command += ['--base-paths', CONTROLLERS, '--build-base', folder / 'build', '--merge-install']
    command += ['--install-base', folder / 'install', '--event-handlers', 'console_direct+']
    command += ['--cmake-args', '-DBUILD_TESTING=ON', '-DCMAKE_BUILD_TYPE=Release']
    command += [f'-DPython3_EXECUTABLE={sys.executable}', *options]
    prefixes = os.environ['AMENT_PREFIX_PATH']
    known = [prefixes, os.environ.get('CMAKE_PREFIX_PATH', '')]
    built = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, 'CMAKE_PREFIX_PATH': os.pathsep.join(filter(None, known))},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=patience(BUILD_TIME),
    )
    assert built.returncode == 0, built.stdout
    ours = re.escape(str(CONTROLLERS))
    assert not re.search(rf'^{ours}.*warning:', built.stdout, re.MULTILINE), built.stdout
    return BuiltController(folder / 'build' / NAME, folder / 'install')


class Updates:
    """
    What a preloaded library has recorded of the updates of the controller.

    Attributes
    ----------
    instants : numpy.ndarray
        Of the updates (T,) [ns].
    durations : numpy.ndarray
        Of the updates (T,) [us].
    allocations, locks : numpy.ndarray
        Calls of malloc and free, and of locks that wait, in each update (T,).
    commands : numpy.ndarray
        What the controller wrote (T, m), interface by interface.
    references : numpy.ndarray
        What was written into the controller in a chain (T, 3, n).

    """

    def __init__(self, record: Path) -> None:
        numbers = np.fromfile(record)
        m, r = (int(count) for count in numbers[:2])
        rows = numbers[2:].reshape(-1, 5 + m + r)
        self.instants = rows[:, 0].astype(np.int64) * 10**9 + rows[:, 1].astype(np.int64)
        self.durations, self.allocations, self.locks = rows[:, 2:5].T
        self.commands = rows[:, 5 : 5 + m]
        self.references = rows[:, 5 + m :].reshape(len(rows), 3, -1)


def switch(
    ros: RosFixture, *, activate: tuple[str, ...] = (), deactivate: tuple[str, ...] = ()
) -> bool:
    """Activate and deactivate controllers in one update; return whether it was done."""
    request = SwitchController.Request()
    request.activate_controllers, request.deactivate_controllers = list(activate), list(deactivate)
    request.strictness = SwitchController.Request.STRICT
    request.timeout.sec = 60
    node, name = '/controller_manager', 'switch_controller'
    return bool(ros.call_once(SwitchController, node, name, request).ok)
