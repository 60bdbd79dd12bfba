# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics symbolic`: what it prints and writes, and options that it refuses."""

import runpy
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import screw_dynamics as sd

pytestmark = pytest.mark.skipif(find_spec('sympy') is None, reason='expressions need sympy')


def test_rates_of_efforts_are_written_up_to_the_order(run):
    code, _, err = run(
        'symbolic', 'my_robot.urdf', '--terms', 'inverse_dynamics', '--order', '1', '--python',
        'arm.py',
    )  # fmt: skip
    assert code == 0, err
    names = runpy.run_path('arm.py')
    assert 'inverse_dynamics_2' not in names
    model = sd.read_urdf(Path('my_robot.urdf'))
    jet = np.random.default_rng(4).normal(size=(4, model.n))
    rows = ('q', 'qd', 'qdd', 'q3d')
    numbers = {
        names[f'{row}_{j + 1}']: jet[d, j] for d, row in enumerate(rows) for j in range(model.n)
    }
    expected = sd.inverse_dynamics(model, jet)
    for name, efforts in zip(('inverse_dynamics', 'inverse_dynamics_1'), expected, strict=True):
        found = np.array(names[name].subs(numbers).evalf(30), float).ravel()
        np.testing.assert_allclose(found, efforts, rtol=0, atol=1e-13 * np.abs(efforts).max())


@pytest.mark.parametrize(
    ('options', 'text'),
    [
        (['--order', '-1'], '--order: expected a whole number of 0 or more, got -1'),
        (
            ['--order', '2', '--terms', 'mass_matrix', 'frame_pose'],
            '--order: expected one of inverse_dynamics, regressor among --terms, got '
            'mass_matrix, frame_pose',
        ),
        (['--order', '1'], '--order: expected one of inverse_dynamics, regressor among --terms'),
        (['--c', 'arm.cpp'], "--c: expected a file name that ends in .c, got 'arm.cpp'"),
    ],
)
def test_options_without_effect_are_refused(run, options, text):
    code, out, err = run('symbolic', 'my_robot.urdf', *options)
    assert (code, out) == (1, '')
    assert text in err
