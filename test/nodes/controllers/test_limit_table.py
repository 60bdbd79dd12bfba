# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""One table of limits: guards in Python and in C++ find the same violations."""

import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from helpers.robot_library import CONTROLLERS, compiled, library_of

import screw_dynamics as sd
from screw_dynamics.drives.robot import Robot
from screw_dynamics.limits.table import LimitTable

SAMPLES = 100_000
QUANTITIES = {1: 'effort', 2: 'effort rate', 13: 'position', 14: 'velocity', 15: 'acceleration'}
QUANTITIES[18] = 'jerk'
missing = [name for name in ('gcc', 'g++') if shutil.which(name) is None]
pytestmark = pytest.mark.skipif(bool(missing), reason=f'not installed: {", ".join(missing)}')


def drawn(table, n, random):
    """Return samples (SAMPLES, 6, n): within the limits, at them, beyond, and absurd."""
    rows = [table.rows[name] for name in ('position', 'velocity', 'acceleration', 'jerk')]
    rows += [table.rows[name] for name in ('effort', 'effort rate')]
    values = np.empty((SAMPLES, 6, n))
    for k, row in enumerate(rows):
        lower = np.where(np.isfinite(row.lower), row.lower, -5.0)
        upper = np.where(np.isfinite(row.upper), row.upper, 5.0)
        inside = lower + (upper - lower) * random.uniform(size=(SAMPLES, n))
        edge = np.where(random.uniform(size=(SAMPLES, n)) < 0.5, lower, upper)
        shift = random.choice(
            [-1e-3, -1e-10, 0.0, 1e-10, 5e-10, 2e-9, 5e-7, 2e-6, 1e-3], inside.shape
        )
        odd = random.choice([np.nan, np.inf, -np.inf, 1e5, 1e7, -1e10], inside.shape)
        which = random.uniform(size=inside.shape)
        values[:, k] = np.where(which < 0.97, inside, np.where(which < 0.997, edge + shift, odd))
    return values


@pytest.mark.parametrize('moves', [True, False])
def test_both_find_the_same(tmp_path, moves):
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    bounds = np.array([9.0, 9.0, 8.0, np.inf, 7.0, 7.0, np.inf])
    limits = replace(model.limits, acceleration=bounds, jerk=10.0 * bounds[::-1])
    model = replace(model, limits=limits)
    drive = sd.JointDrive(max_effort_rate=700.0)
    robot = Robot(model, sd.Drives(dict.fromkeys(model.joint_names[:5], drive)))
    library, program = library_of(robot, tmp_path), tmp_path / 'judge'
    source = CONTROLLERS / 'test' / 'judge_samples.cpp'
    options = '-std=c++17', '-Wall', '-Wextra', '-Werror', '-I', CONTROLLERS / 'include'
    compiled('g++', *options, source, '-o', program, '-ldl')
    limits = LimitTable.of(robot)
    table, free = limits.against_absurd(), limits.without_limits().against_absurd()
    samples = drawn(limits, model.n, np.random.default_rng(11))
    ended = subprocess.run(
        [program, library, str(int(moves))],
        input=samples.tobytes(),
        capture_output=True,
        check=True,
    )
    found = np.frombuffer(ended.stdout).reshape(-1, 2).astype(int)
    places = table if moves else free
    for (q, v, a, jerk, effort, rate), (quantity, joint) in zip(samples, found, strict=True):
        text = (
            table.violation(('effort', effort))
            or places.violation(
                ('position', q),
                ('velocity', v),
                ('acceleration', a),
                ('jerk', jerk),
            )
            or table.violation(('effort rate', rate))
        )
        expected = f'{model.joint_names[joint]}: {QUANTITIES[quantity]} ' if quantity else ''
        assert text.startswith(expected) and bool(text) == bool(quantity), (text, quantity, joint)
    kinds, counts = np.unique(found[:, 0], return_counts=True)
    assert set(kinds) >= {0, 1, 2, 13, 14, 15, 18} and counts.min() > 100
