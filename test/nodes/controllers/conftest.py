# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`replay`, `pendulums`: the core of the C++ controller, which replays samples."""

import shutil
import subprocess

import numpy as np
import pytest
from helpers.patience import patience
from helpers.pendulums import TOLERANCE, N
from helpers.robot_library import CONTROLLERS, compiled


@pytest.fixture(scope='session')
def replay(tmp_path_factory):
    """Return the program that replays samples of a reference."""
    missing = [name for name in ('gcc', 'g++') if shutil.which(name) is None]
    if missing:
        pytest.skip(f'not installed: {", ".join(missing)}')
    program = tmp_path_factory.mktemp('controller') / 'replay'
    strict = '-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow', '-Werror'
    source = CONTROLLERS / 'test' / 'replay_feedforward.cpp'
    options = '-std=c++17', *strict, '-I', CONTROLLERS / 'include'
    compiled('g++', *options, source, '-o', program, '-ldl')
    return program


@pytest.fixture(scope='module')
def pendulums(tmp_path_factory, replay):
    """Return a function that replays samples with a limit of effort rates [N m/s]."""
    folder = tmp_path_factory.mktemp('pendulums')
    include, tests = CONTROLLERS / 'include', CONTROLLERS / 'test'

    def replayed(rows, rate=None, positions=False, ramp_time=0.25, flags=None):
        given = {**({} if rate is None else {'EFFORT_RATE': rate}), **(flags or {})}
        library = folder / f'libpendulums_{"_".join(map(str, given.items()))}.so'
        if not library.exists():
            options = [f'-D{name}={value}' for name, value in given.items()]
            compiled('gcc', '-std=c99', *options, '-fPIC', '-shared', '-I',
                     include / 'screw_dynamics_controllers', tests / 'pendulums.c',
                     '-o', library, '-lm')  # fmt: skip
        settings = '0', str(int(positions)), '1', str(ramp_time), str(TOLERANCE), 'full'
        ended = subprocess.run(
            [replay, library, *settings],
            input=np.concatenate(rows).tobytes(),
            check=True,
            capture_output=True,
            timeout=patience(),
        )
        assert ended.stderr.startswith(b'allocations 0, locks 0\n')
        out = np.frombuffer(ended.stdout).reshape(len(rows), -1)
        return out[:, 0] != 0.0, out[:, 1], out[:, 2:].reshape(len(out), 3, N)

    return replayed
