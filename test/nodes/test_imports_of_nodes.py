# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Nodes start without libraries that only some of them need, and only later."""

from __future__ import annotations

import subprocess
import sys

import pytest

LATER = {'matplotlib', 'mujoco', 'pinocchio', 'rosbags', 'scipy', 'sympy'}


@pytest.mark.parametrize(
    'name', ['drive_commands', 'dynamics_server', 'feedforward', 'load_observer']
)
def test_nodes_import_no_library_for_later(name):
    text = f"""
import sys
import screw_dynamics.nodes.{name}.node
print(sorted({LATER} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, '-c', text], capture_output=True, text=True, check=True)
    assert run.stdout == '[]\n'
