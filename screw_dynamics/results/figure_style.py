# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Colours and style of all figures."""

from typing import Any

# Okabe and Ito's palette, distinguishable with all common kinds of colour vision, without its
# yellow (too faint for a line on white).
COLOURS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#222222')
GREY = '#5F6770'
BLACK = '#222222'

STYLE: dict[Any, Any] = {
    'font.family': 'sans-serif',
    'font.size': 11,
    'axes.edgecolor': '#B4BAC1',
    'axes.linewidth': 0.8,
    'axes.spines.top': False,
    'axes.spines.right': False,
    'axes.grid': True,
    'axes.axisbelow': True,
    'axes.labelcolor': GREY,
    'grid.color': '#E8EAED',
    'grid.linewidth': 0.8,
    'xtick.color': GREY,
    'ytick.color': GREY,
    'xtick.major.size': 0,
    'ytick.major.size': 0,
    'lines.linewidth': 1.5,
    'mathtext.fontset': 'dejavusans',
}
