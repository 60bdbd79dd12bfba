# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Misprints of the papers: printed and corrected formulas, evaluated on a random robot."""

from oracles.errata import m2018, mk2021, n2021, p2025
from oracles.errata.record import Erratum, residual
from oracles.errata.robot import MovingRobot

ERRATA = (*mk2021.ERRATA, *m2018.ERRATA, *n2021.ERRATA, *p2025.ERRATA)

__all__ = ['ERRATA', 'Erratum', 'MovingRobot', 'residual']
