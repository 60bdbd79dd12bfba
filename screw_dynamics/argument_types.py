# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Argparse types for numbers, with errors that name the expected range."""

from __future__ import annotations

import argparse
import math
from typing import NoReturn

from screw_dynamics.error_texts import shown


def finite(text: str) -> float:
    """Return a finite number."""
    value = finite_or_nan(text)
    return refuse('a finite number', text) if math.isnan(value) else value


def positive(text: str) -> float:
    """Return a finite number above 0."""
    value = finite_or_nan(text)
    return value if value > 0.0 else refuse('a number above 0', text)


def not_negative(text: str) -> float:
    """Return a finite number of at least 0."""
    value = finite_or_nan(text)
    return value if value >= 0.0 else refuse('a number of at least 0', text)


def finite_or_nan(text: str) -> float:
    """Return a finite number, otherwise NaN, for which every comparison is false."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    return value if math.isfinite(value) else math.nan


def refuse(expected: str, got: str) -> NoReturn:
    """Raise ArgumentTypeError; argparse prints its text after the name of the argument."""
    raise argparse.ArgumentTypeError(f'expected {expected}, got {shown(got)}')
