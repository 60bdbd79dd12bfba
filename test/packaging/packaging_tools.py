# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Executables and processes for the tests of the packaging."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from helpers.patience import patience

NEED_ROS = (
    'nodes',
    'feedforward',
    'compensation',
    'drive_commands',
    'dynamics_server',
    'trajectory_sender',
    'sea_simulator',
    'load_observer',
    'viewer',
    'recorder',
)
EXECUTABLES = (*NEED_ROS, 'demo', 'demo_sea', 'demo_soft', 'screw_dynamics')


def run(
    command: list[str | Path], folder: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder; on failure show what it printed."""
    result = subprocess.run(
        command,
        cwd=folder,
        env=environment or dict(os.environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=patience(900.0),
    )
    assert result.returncode == 0, f'{result.stdout[-4000:]}\n{result.stderr[-4000:]}'
    return result
