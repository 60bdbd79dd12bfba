# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The library imports and computes without ROS."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.patience import patience

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]

# hides ROS, then imports every module outside the ROS rooms and computes something
SCRIPT = """
import importlib, pkgutil, sys

HIDDEN = ('rclpy', 'launch', 'launch_ros', 'ament_index_python', 'std_srvs')

def is_hidden(name):
    root = name.partition('.')[0]
    return root in HIDDEN or root.endswith(('_msgs', '_interfaces'))

class Hiding:
    # a finder of modules that does not see the hidden ones, as if they were not installed
    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, path=None, target=None):
        return None if is_hidden(name) else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Hiding(finder) for finder in sys.meta_path]

import numpy as np
import screw_dynamics as sd

others = (
    'screw_dynamics.nodes',
    'screw_dynamics.recordings.bags',
    'screw_dynamics.codegen.extension.build',  # setuptools
)
names = [
    module.name
    for module in pkgutil.walk_packages(sd.__path__, 'screw_dynamics.', onerror=lambda name: None)
    if not module.name.startswith(others)
]
assert len(names) > 20, names
for name in names:
    importlib.import_module(name)
importlib.import_module('screw_dynamics.recordings.bags')  # not the recorder

model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
jet = np.zeros((5, len(model.joint_names)))
efforts = sd.inverse_dynamics(model, jet)
assert efforts.shape == (3, len(model.joint_names)) and np.isfinite(efforts).all()
assert not any(map(is_hidden, sys.modules))
print('computed', efforts[0])
"""

MODULES_AT_IMPORT = """
import sys
import screw_dynamics
heavy = {'matplotlib', 'rclpy', 'rosbags', 'pinocchio', 'yaml'}
print(sorted((heavy | {'numpy', 'scipy'}) & set(sys.modules)))
from screw_dynamics import *
assert callable(inverse_dynamics)
print(sorted(heavy & set(sys.modules)))
"""


def run(script: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, 'PYTHONPATH': str(ROOT)}
    return subprocess.run(
        [sys.executable, '-W', 'error', '-c', script],
        cwd='/',
        env=environment,
        capture_output=True,
        text=True,
        timeout=patience(),
    )


def test_library_works_without_ros():
    result = run(SCRIPT)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith('computed')


def test_import_is_light():
    result = run(MODULES_AT_IMPORT)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == ['[]', '[]']
