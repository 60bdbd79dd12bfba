# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Printed formulas are wrong where the list of errata says so, and the corrected ones right."""

from __future__ import annotations

import pytest
from oracles.errata import ERRATA, MovingRobot, residual
from oracles.errata.__main__ import PAGE, page

EVALUATED = [erratum for erratum in ERRATA if erratum.evaluate]
# twelve digits: roundings of sums of some hundred terms
CORRECT = 1e-12
# far beyond rounding; the smallest of the printed residuals is 0.004
WRONG = 1e-3


@pytest.mark.parametrize('erratum', EVALUATED, ids=lambda erratum: erratum.place)
@pytest.mark.parametrize('seed', range(3))
def test_residuals(erratum, seed):
    printed, correct, truth = erratum.evaluate(MovingRobot(seed))
    assert residual(correct, truth) < CORRECT
    assert residual(printed, truth) > WRONG


def test_the_page_is_that_of_the_records():
    assert PAGE.read_text(encoding='utf-8') == page()
