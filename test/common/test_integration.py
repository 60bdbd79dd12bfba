# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`integrate`: an oscillator against its closed form, and what ends an integration."""

import numpy as np
import pytest

from screw_dynamics.common.integration import EXPLICIT, IMPLICIT, integrate
from screw_dynamics.errors import InputError, ShapeError, SimulationError

RATE = 3.0
TIMES = np.linspace(0.5, 2.5, 41)


class Oscillator:
    """y'' = -RATE^2 y + push."""

    state_size = 2

    def __init__(self, stiffness=RATE**2):
        self.stiffness = stiffness

    def derivatives(self, state, push):
        return np.array([state[1], push - self.stiffness * state[0]])


def run(system=None, **options):
    arguments = {'times': TIMES, 'inputs': lambda t, y: {'push': 0.0}, 'state': [0.0, RATE]}
    return integrate(system or Oscillator(), **{**arguments, **options})


@pytest.mark.parametrize('method', [*EXPLICIT, *IMPLICIT])
def test_states_are_those_of_the_closed_form(method):
    seen = []
    matrix = np.array([[0.0, 1.0], [-(RATE**2), 0.0]])
    times, states, count = run(
        method=method,
        methods=(*EXPLICIT, *IMPLICIT),
        progress=seen.append,
        jacobian=lambda t, y: matrix,
        rtol=1e-8,
    )
    np.testing.assert_array_equal(times, TIMES)
    phases = RATE * (TIMES - TIMES[0])
    expected = np.column_stack([np.sin(phases), RATE * np.cos(phases)])
    # local errors of 1e-8 add up over hundreds of steps, and BDF is of low order
    np.testing.assert_allclose(states, expected, atol=2e-5 if method == 'BDF' else 2e-6)
    assert seen[-1] == TIMES[-1] and (np.diff(seen) > 0.0).all() and count > len(seen)


def test_tolerances_decide_how_much_is_computed():
    assert run(rtol=1e-4)[2] < run(rtol=1e-9)[2] == run()[2] == run(atol=1e-11)[2]


def test_inputs_are_those_of_the_time_and_the_state():
    # of y'' + RATE^2 y = RATE^2 t, y = t is a motion
    _, states, _ = run(
        inputs=lambda t, y: {'push': RATE**2 * t}, state=[TIMES[0], 1.0], rtol=1e-10
    )
    np.testing.assert_allclose(states[:, 0], TIMES, atol=1e-8)


@pytest.mark.parametrize(
    ('options', 'error', 'text'),
    [
        ({'times': [1.0]}, ShapeError, r'times: expected shape \(T,\) with T >= 2, got'),
        ({'times': [[1.0, 2.0]]}, ShapeError, 'times'),
        ({'times': [1.0, 1.0]}, InputError, r'times\[1\]: expected more than 1, got 1'),
        ({'state': [1.0]}, ShapeError, 'state'),
        ({'method': 'BDF'}, InputError, 'method: expected one of'),
        ({'rtol': 0.0}, InputError, 'rtol: expected a finite number above 0'),
        ({'system': Oscillator(-400.0)}, SimulationError, r'after \d.* s: expected a bounded'),
        ({'system': Oscillator(-400.0), 'state': [1e6, 0.0]}, SimulationError, 'got a state of'),
    ],
)
def test_what_cannot_be_integrated_is_named(options, error, text):
    with pytest.raises(error, match=text):
        run(**options)


def test_errors_of_the_system_have_the_time():
    def broken(t, state):
        if t > 1.0:
            raise SimulationError('a spring broke')
        return {'push': 0.0}

    with pytest.raises(SimulationError, match=r'after (0\.\d+|1) s: a spring broke'):
        run(inputs=broken)
