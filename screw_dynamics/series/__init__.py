# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Truncated Taylor arithmetic: jets, series as scalars, series of matrices."""

from screw_dynamics.series.jets import (
    jet_of_coefficients,
    leibniz_terms,
    scale_speed,
    taylor_coefficients,
    taylor_shifted,
)
from screw_dynamics.series.taylor import Series, jet_of_series, series_of_jet

__all__ = [
    'Series',
    'jet_of_coefficients',
    'jet_of_series',
    'leibniz_terms',
    'scale_speed',
    'series_of_jet',
    'taylor_coefficients',
    'taylor_shifted',
]
