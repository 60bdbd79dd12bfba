# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""State of motors at and between samples of their reference."""

from numpy import int64
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.jit import Kernel

POSITION, VELOCITY, ACCELERATION, EFFORT, STIFFNESS = range(5)  # rows of a sample


def _set_state_at(
    instants: NDArray[int64],
    samples: Array,
    newest: int,
    count: int,
    instant: int,
    out: Array,
) -> bool:
    """Set the reference (4, m) at an instant [ns]; return False before the oldest sample."""
    if count == 0:
        return False
    later = earlier = newest
    for back in range(count):
        earlier = (newest - back) % len(instants)
        if instants[earlier] <= instant:
            break
        later = earlier
    if instants[earlier] > instant:
        return False
    elapsed = 1e-9 * (instant - instants[earlier])
    for i in range(out.shape[1]):
        a, b = samples[earlier, :, i], samples[later, :, i]
        if later == earlier:  # beyond the newest
            out[0, i] = a[POSITION] + elapsed * (a[VELOCITY] + 0.5 * elapsed * a[ACCELERATION])
            out[1, i] = a[VELOCITY] + elapsed * a[ACCELERATION]
            out[2, i], out[3, i] = a[EFFORT], a[STIFFNESS]
            continue
        step = 1e-9 * (instants[later] - instants[earlier])
        s = elapsed / step
        for d in range(2):
            # Hermite's cubic, as a correction of the line
            rise = b[d] - a[d]
            first, last = step * a[d + 1] - rise, step * b[d + 1] - rise
            bend = s * (1.0 - s) * ((1.0 - s) * first - s * last)
            out[d, i] = a[d] + s * rise + bend
        out[2, i] = a[EFFORT] + s * (b[EFFORT] - a[EFFORT])
        out[3, i] = a[STIFFNESS] + s * (b[STIFFNESS] - a[STIFFNESS])
    return True


set_motor_state = Kernel(
    _set_state_at,
    'boolean(int64[::1], float64[:, :, ::1], int64, int64, int64, float64[:, ::1])',
)
