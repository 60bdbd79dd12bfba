# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Sine and cosine of many angles without branches, so that the compiler vectorises the loop.

The angle is reduced to [-pi/4, pi/4] by subtracting a multiple of pi/2 in three parts of 33 bits
(Cody, Waite); in this range the minimax polynomials of fdlibm are used. The absolute error is
below 2.3e-16 up to `LARGEST_ANGLE`; a run with a larger angle uses the C library.
"""

import numpy as np

from screw_dynamics.kernels.pointers import load_row, store_row

LARGEST_ANGLE = 1e5  # multiples of pi/2 below 2^17 keep the first two products exact

_TWO_OVER_PI = 0.6366197723675814
_PI_2_HIGH = 1.5707963267341256
_PI_2_MIDDLE = 6.077100506303966e-11
_PI_2_LOW = 2.0222662487959506e-21

_S1, _S2, _S3 = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
)
_S4, _S5, _S6 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
_C1, _C2, _C3 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
_C4, _C5, _C6 = (
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def sine_run(floats, start, count):
    """Write `count` cosines and `count` sines after the run of `count` angles at `start`."""
    largest = 0.0
    for i in range(start, start + count):
        largest = max(largest, abs(load_row(floats, i)))
    if largest > LARGEST_ANGLE:
        for i in range(start, start + count):
            store_row(floats, i + count, np.cos(load_row(floats, i)))
            store_row(floats, i + 2 * count, np.sin(load_row(floats, i)))
        return
    for i in range(start, start + count):
        x = load_row(floats, i)
        multiple = np.floor(x * _TWO_OVER_PI + 0.5)
        y = ((x - multiple * _PI_2_HIGH) - multiple * _PI_2_MIDDLE) - multiple * _PI_2_LOW
        z = y * y
        s = y + (y * z) * (_S1 + z * (_S2 + z * (_S3 + z * (_S4 + z * (_S5 + z * _S6)))))
        c = (1.0 - 0.5 * z) + (z * z) * (
            _C1 + z * (_C2 + z * (_C3 + z * (_C4 + z * (_C5 + z * _C6))))
        )
        quadrant = multiple - 4.0 * np.floor(0.25 * multiple)
        odd = (quadrant == 1.0) | (quadrant == 3.0)
        cosine = s if odd else c
        sine = c if odd else s
        cosine_negative = (quadrant == 1.0) | (quadrant == 2.0)
        store_row(floats, i + count, -cosine if cosine_negative else cosine)
        store_row(floats, i + 2 * count, -sine if quadrant >= 2.0 else sine)
