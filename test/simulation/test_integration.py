# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`integrate`: any equations of motion with error control."""

import numpy as np
import pytest

from screw_dynamics.common.integration import integrate
from screw_dynamics.errors import SimulationError

STIFFNESS, TIMES = 9.0, np.linspace(0.0, 2.0, 11)


class Oscillator:
    """A unit mass on a spring, pulled by a force."""

    state_size = 2

    def derivatives(self, state, force):
        if state[0] > 3.0:
            raise SimulationError('too far')
        return np.array([state[1], force - STIFFNESS * state[0]])


def test_any_system_is_integrated_under_its_inputs():
    seen = []
    times, states, evaluations = integrate(
        Oscillator(),
        TIMES,
        lambda t, state: {'force': STIFFNESS * 0.5},
        [1.5, 0.0],
        rtol=1e-10,
        progress=seen.append,
    )
    assert np.array_equal(times, TIMES) and seen[-1] == TIMES[-1] and evaluations > len(seen)
    expected = 0.5 + np.cos(np.sqrt(STIFFNESS) * TIMES)
    np.testing.assert_allclose(states[:, 0], expected, atol=1e-8)


def test_a_state_without_derivative_is_reported_with_its_time():
    with pytest.raises(SimulationError, match=r'^after [0-9.]+ s: too far$'):
        integrate(Oscillator(), TIMES, lambda t, state: {'force': 100.0}, [0.0, 0.0])
