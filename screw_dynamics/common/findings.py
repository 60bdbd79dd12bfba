# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Finding`: what is odd about a recording, and what it means for what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

Level: TypeAlias = Literal['wrong', 'left out', 'odd', 'remark']
LEVELS: tuple[Level, ...] = ('wrong', 'left out', 'odd', 'remark')


class Finding(NamedTuple):
    """
    What was found about a recording.

    `kind` is one word for programs, as 'reversed'. Of a recording with a finding of the level
    'wrong' nothing follows; what was 'left out' no longer matters; what is 'odd' may spoil the
    result; a 'remark' says what was done. `joints` are concerned, or none in particular; `text`
    says what, expected, got, and the remedy; `explains` is the part of what efforts leave that
    goes if it is so.
    """

    kind: str
    level: Level
    joints: tuple[str, ...]
    text: str
    explains: float = 0.0


def by_weight(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings, the gravest first, and of one level what explains most first."""
    return tuple(sorted(findings, key=lambda found: (LEVELS.index(found.level), -found.explains)))
