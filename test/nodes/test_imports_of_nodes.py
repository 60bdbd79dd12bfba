# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Nodes start without libraries that only some of them need, and only later."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.processes

LATER = {'matplotlib', 'mujoco', 'pinocchio', 'rosbags', 'scipy', 'sympy'}


def test_nodes_import_no_library_for_later():
    text = f"""
import sys
from importlib import import_module
from screw_dynamics.nodes.__main__ import NODES
for name in set(NODES) - {{'sea_simulator'}}:
    import_module('screw_dynamics.nodes.' + NODES[name].rpartition('.')[0])
print(sorted({LATER} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, '-c', text], capture_output=True, text=True, check=True)
    assert run.stdout == '[]\n'
