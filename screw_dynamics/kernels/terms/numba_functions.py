# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of the terms for numba; imported before it compiles one of them."""

from screw_dynamics.kernels.taylor import numba_functions
from screw_dynamics.kernels.taylor.numba_functions import register
from screw_dynamics.kernels.terms import (
    articulated,
    coriolis,
    effort_partials,
    efforts,
    frame_motion,
    frames,
    mass_matrix,
    places,
    samples,
)

_SWEEPS = (
    articulated, coriolis, effort_partials, efforts, frame_motion, frames, mass_matrix, places,
)  # fmt: skip

SOURCES = (*numba_functions.SOURCES, samples, *_SWEEPS)

register(_SWEEPS)
register([samples], but=('single', 'rows_of_jet', 'batch', 'control'))
