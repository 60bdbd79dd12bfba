# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of the arguments of recorder and replay, with errors that say what was expected."""

from __future__ import annotations

import argparse
import math
from typing import NoReturn


def positive(text: str) -> float:
    """
    Return a finite number above 0.

    Parameters
    ----------
    text : str

    Returns
    -------
    float

    """
    value = _number(text)
    return value if value > 0.0 else _refuse('a number above 0', text)


def not_negative(text: str) -> float:
    """
    Return a finite number of at least 0.

    Parameters
    ----------
    text : str

    Returns
    -------
    float

    """
    value = _number(text)
    return value if value >= 0.0 else _refuse('a number of at least 0', text)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    return value if math.isfinite(value) else math.nan


def _refuse(expected: str, got: str) -> NoReturn:
    raise argparse.ArgumentTypeError(f'expected {expected}, got {got!r}')
