# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""All tests of this folder compute with mpmath numbers of 50 digits."""

from __future__ import annotations

from collections.abc import Iterator

import mpmath
import pytest
from scalar_kinds import DIGITS


@pytest.fixture(autouse=True)
def fifty_digits() -> Iterator[None]:
    with mpmath.workdps(DIGITS):
        yield
