# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Recursion`: the record of a term."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

N = -1  # in the shape of a result: the number of coordinates


class Recursion(NamedTuple):
    """A sweep (see `kernels.terms`), its workspace, inputs and result."""

    name: str
    sweep: Callable[..., None]
    rows: Callable[[int], int]
    """Rows of the workspace for a number of bodies."""
    inputs: int
    """1 for q, 2 for q and qd, 3 for q, qd and tau, each (n,)."""
    shape: tuple[int, ...]
    """Of the result of one sample."""
