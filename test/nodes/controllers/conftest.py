# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`pendulums`: the core of the C++ controller, which replays samples."""

import subprocess

import numpy as np
import pytest
from helpers.patience import patience
from helpers.pendulums import TOLERANCE, N
from helpers.robot_library import CONTROLLERS, compiled


@pytest.fixture(scope='module')
def pendulums(tmp_path_factory):
    """Return a function that replays samples with a limit of effort rates [N m/s]."""
    folder = tmp_path_factory.mktemp('pendulums')
    include, tests = CONTROLLERS / 'include', CONTROLLERS / 'test'
    program = folder / 'replay'
    compiled('g++', '-std=c++17', '-I', include, tests / 'replay_feedforward.cpp',
             '-o', program, '-ldl')  # fmt: skip

    def replay(rows, rate=None, positions=False, ramp_time=0.25, flags=None):
        given = {**({} if rate is None else {'EFFORT_RATE': rate}), **(flags or {})}
        library = folder / f'libpendulums_{"_".join(map(str, given.items()))}.so'
        if not library.exists():
            options = [f'-D{name}={value}' for name, value in given.items()]
            compiled('gcc', '-std=c99', *options, '-fPIC', '-shared', '-I',
                     include / 'screw_dynamics_controllers', tests / 'pendulums.c',
                     '-o', library, '-lm')  # fmt: skip
        settings = '0', str(int(positions)), '1', str(ramp_time), str(TOLERANCE), 'full'
        ended = subprocess.run(
            [program, library, *settings],
            input=np.concatenate(rows).tobytes(),
            check=True,
            capture_output=True,
            timeout=patience(),
        )
        assert ended.stderr.startswith(b'allocations 0, locks 0\n')
        out = np.frombuffer(ended.stdout).reshape(len(rows), -1)
        return out[:, 0] != 0.0, out[:, 1], out[:, 2:].reshape(len(out), 3, N)

    return replay
