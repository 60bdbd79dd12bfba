# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A folder with a robot, trajectories, springs and bags, and the command run in it."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import screw_dynamics as sd
from screw_dynamics.command_line.main import main

TRAJECTORY = """joint_names: [joint_1, joint_2]
points:
  - {time_from_start: 0.0, positions: [0.0, 0.0]}
  - {time_from_start: 0.6, positions: [0.4, -0.6]}
  - {time_from_start: 1.2, positions: [0.0, 0.5]}
"""
SPRINGS = """drives:
  joint_1:
    spring: {type: linear, stiffness: 400.0}
    motor: {rotor_inertia: 1.0e-5, gear_ratio: 100.0, max_effort: 3.0}
  joint_2:
    spring: {type: linear, stiffness: 200.0}
    motor: {rotor_inertia: 1.0e-5, gear_ratio: 100.0}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder to work in: my_robot.urdf, my_trajectory.yaml/.csv, my_springs.yaml."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(sd.share_path('urdf/planar_2r.urdf'), tmp_path / 'my_robot.urdf')
    (tmp_path / 'my_trajectory.yaml').write_text(TRAJECTORY)
    (tmp_path / 'my_trajectory.csv').write_text(
        'time,joint_1,joint_2\n0,0,0\n0.6,0.4,-0.6\n1.2,0,0.5\n'
    )
    (tmp_path / 'my_springs.yaml').write_text(SPRINGS)
    return tmp_path


@pytest.fixture(scope='session')
def recordings() -> ModuleType:
    """Return the writer of bags if its library is installed."""
    pytest.importorskip('rosbags', reason='bags need the package rosbags')
    return importlib.import_module('helpers.bag_messages')


@pytest.fixture
def trajectory_bag(folder: Path, recordings: ModuleType) -> Path:
    """Return a bag with a description, a trajectory, and one that replaces it."""
    second, start, joints = recordings.SECOND, recordings.START, recordings.JOINTS
    joint_trajectory = recordings.joint_trajectory
    points = [(0.0, [0.0, 0.0]), (0.6, [0.4, -0.6]), (1.2, [0.0, 0.5])]
    backwards = [(t, q[::-1]) for t, q in points]
    return recordings.write_bag(
        folder / 'my_bag',
        [
            recordings.description(folder / 'my_robot.urdf'),
            ('/arm/joint_trajectory', second // 10, joint_trajectory(joints, points)),
            # in another order of joints, with a start of its own
            (
                '/arm/joint_trajectory',
                second // 2,
                joint_trajectory(
                    joints[::-1], [(0.5, [0.2, 0.1]), *backwards[2:]], start + second
                ),
            ),
        ],
    )


@pytest.fixture
def measured_bag(folder: Path, written_bag: Path) -> Path:
    """Return a bag with 2 s of noisy joint states at 500 Hz, odd ones among them."""
    return shutil.copytree(written_bag, folder / 'measured_bag')


@pytest.fixture(scope='session')
def written_bag(tmp_path_factory: pytest.TempPathFactory, recordings: ModuleType) -> Path:
    """Return the original of `measured_bag`."""
    return recordings.write_measured(tmp_path_factory.mktemp('bags') / 'measured_bag')


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs the command and returns code, output and errors."""

    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        return code, out, err

    return call
