# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`HeardCommands`: what the node `drive_commands` says of itself."""

from collections.abc import Sequence
from dataclasses import replace

from screw_dynamics.common.times import SECOND
from screw_dynamics.control.drive_records import Condition, State
from screw_dynamics.control.outputs import Verdict

_LONGEST_AGE = 5 * SECOND // 2  # ns, of a condition that is repeated each second


class HeardCommands:
    """The condition of the commands, as long as it is fresh and there is one source of it."""

    def __init__(self) -> None:
        self.positions = False  # whether positions are sent
        self._condition: Condition | None = None
        self._heard, self._drove = 0, False  # when [ns], and whether it has ever sent anything

    def hear(self, now: int, condition: Condition | None, *, positions: bool) -> None:
        """Register a condition that is received at `now` [ns]; None where there are several."""
        self._condition, self._heard, self.positions = condition, now, positions
        self._drove |= condition is not None and condition.state is not State.SILENT

    def _fresh(self, now: int) -> Condition | None:
        return self._condition if 0 <= now - self._heard <= _LONGEST_AGE else None

    def silence(self, now: int) -> str:
        """Return why commands have ended; '' unless they have."""
        condition = self._fresh(now)
        if condition is None or condition.state is not State.SILENT:
            return ''
        return condition.reason or ('it was started again' if self._drove else '')

    def warned(self, verdicts: Sequence[Verdict], now: int) -> list[Verdict]:
        """Return verdicts with a warning where efforts alone were sent, and are no more."""
        silence = '' if self.positions else self.silence(now)
        text = f'drive_commands sends nothing: {silence}'
        return [
            replace(one, warnings=(*one.warnings, text)) if silence and not one.reason else one
            for one in verdicts
        ]

    def lead_out(self, now: int) -> bool:
        """Return True while positions are led to rest."""
        condition = self._fresh(now)
        leading = condition is not None and condition.state is State.LEADING_OUT
        return leading and self.positions

    def away(self, now: int) -> bool:
        """Return True if the robot may be elsewhere than positions that were asked for."""
        return self.lead_out(now) or (self.positions and bool(self.silence(now)))
