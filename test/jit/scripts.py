# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Python programs run as processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]


def start(script: str, *arguments: object, first: Path = REPOSITORY, **environment: object) -> Any:
    """Start a program; modules are looked for in the folder `first` before all others."""
    return subprocess.Popen(
        [sys.executable, '-W', 'ignore', '-c', script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=os.sep,  # python -c looks into it first
        env={
            **os.environ,
            'SCREW_DYNAMICS_KERNELS': 'numba',
            'PYTHONPATH': f'{first}{os.pathsep}{os.environ.get("PYTHONPATH", "")}',
            **{name: str(value) for name, value in environment.items()},
        },
    )


def run(script: str, *arguments: object, **options: Any) -> str:
    """Return what a program that must succeed has printed."""
    process = start(script, *arguments, **options)
    output: str = process.communicate()[0]
    assert process.returncode == 0, output
    return output
