# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The C++ core of the controller as a reader of `JointSpline`, compiled."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from helpers.patience import patience
from screw_dynamics.common.times import nanoseconds

FOLDER = Path(__file__).parents[2] / 'screw_dynamics_controllers'


class Followed(NamedTuple):
    """What the controller samples at T instants."""

    flags: np.ndarray  # (T, 4): whether a motion applies, holds, continues, is first
    jets: np.ndarray  # (T, 5, n)


def build_follower(folder: Path) -> Path:
    """Return the compiled program."""
    program = folder / 'sample_spline'
    strict = '-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow', '-Werror'
    source = FOLDER / 'test' / 'sample_spline.cpp'
    command = 'g++', '-std=c++17', *strict, '-I', FOLDER / 'include', source, '-o', program
    subprocess.run([str(part) for part in command], check=True, timeout=patience())
    return program


def follow(program: Path, n: int, received: list[tuple[Any, np.ndarray]], origin: int) -> Followed:
    """Sample messages, each at the instants [ns] until the next; all counted from `origin`."""
    parts: list[Any] = [[n]]
    numbers: dict[int, int] = {}
    for message, instants in received:
        parts.append([len(message.pieces)])
        for piece in message.pieces:
            release = nanoseconds(piece.release)
            parts.append([
                nanoseconds(piece.begin) - origin, piece.time, piece.speed,
                release and release - origin,
                numbers.setdefault(piece.motion, len(numbers) + 1), piece.continues,
                len(piece.breaks), len(piece.coefficients),
            ])  # fmt: skip
            parts += [piece.breaks, piece.coefficients, piece.end]
        parts += [[len(instants)], np.asarray(instants) - origin]
    data = np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])
    ended = subprocess.run(
        [program], input=data.tobytes(), check=True, capture_output=True, timeout=patience()
    )
    out = np.frombuffer(ended.stdout).reshape(-1, 4 + 5 * n)
    return Followed(out[:, :4] != 0.0, out[:, 4:].reshape(-1, 5, n))
