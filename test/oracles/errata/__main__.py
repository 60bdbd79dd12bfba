# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Write docs/theory/errata.md, with residuals measured on three random chains.

    PYTHONPATH=test python -m oracles.errata
"""

from __future__ import annotations

from pathlib import Path

from oracles.errata import ERRATA, Erratum, MovingRobot, residual

PAGE = Path(__file__).resolve().parents[3] / 'docs' / 'theory' / 'errata.md'
SEEDS = range(3)
HEADING = """# Misprints of the papers

What MK2021, M2018, N2021 and P2025 print, and what holds. The residual of a printed formula is its
largest difference to the truth, relative to the largest true value: the smallest of three random
chains of a revolute, a helical, a prismatic and a revolute joint, or of two planar arcs (P2025).
That of the corrected formula is below 1e-12 in each of them. The truth is a complex step, a
truncated Taylor series of the poses, or another formulation; a test repeats all of it. Words
without a residual were corrected by inspection. Some minus signs may be lost in the text only, not
in the journal.

| Place | Printed | Correct | Residual of the printed |
|---|---|---|---|
"""


def row(erratum: Erratum) -> str:
    """Return the row of the table for a misprint."""
    measured = ''
    if erratum.evaluate:
        found = [erratum.evaluate(MovingRobot(seed)) for seed in SEEDS]
        measured = f'{min(residual(printed, truth) for printed, _, truth in found):.1g}'
    # bars would end the cell
    cells = (erratum.place, erratum.printed, erratum.correct)
    place, printed, correct = (cell.replace('|', '\\|') for cell in cells)
    return f'| {place} | `{printed}` | `{correct}` | {measured} |\n'


def page() -> str:
    """Return the text of the page."""
    return HEADING + ''.join(row(erratum) for erratum in ERRATA)


if __name__ == '__main__':
    PAGE.write_text(page(), encoding='utf-8')
