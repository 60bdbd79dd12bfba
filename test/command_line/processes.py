# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The command as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from helpers.patience import patience

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, '-m', 'screw_dynamics.command_line.main']


def environment(**changes: str) -> dict[str, str]:
    """Return the environment of the process: this checkout, streams with buffers."""
    variables = {**os.environ, 'PYTHONPATH': str(ROOT), **changes}
    variables.pop('PYTHONUNBUFFERED', None)
    return variables


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder; its output and errors are caught."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder, env=environment(), capture_output=True, text=True, timeout=patience(),
    )  # fmt: skip


def process(folder: Path, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder; its errors are caught."""
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder, env=environment(**options.pop('environment', {})),
        stderr=subprocess.PIPE, text=True, timeout=patience(), **options,
    )  # fmt: skip


def in_shell(folder: Path, line: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in a folder; `$COMMAND` is the command in it."""
    return subprocess.run(
        ['bash', '-c', line],
        cwd=folder, env=environment(COMMAND=' '.join(COMMAND), **changes),
        capture_output=True, text=True, timeout=patience(),
    )  # fmt: skip
