# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress of the stages of a study: a line or a bar for each."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from screw_dynamics.common.progress import LOG_INTERVAL

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

LABEL_WIDTH = 44
_LONGEST_NOTE = 60  # characters


class Stage:
    """
    A line with the progress of a task inside a ``with`` block, a bar if `total` is set.

    If the output is not a terminal, the line is repeated every 10 s. `n` counts the steps done.
    """

    def __init__(self, text: str, total: int | None = None) -> None:
        self.n = 0
        self._text, self._total, self._note = text, total, ''
        self._begun = self._shown = time.monotonic()
        self._bar: Progress | None = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            label = TextColumn('{task.description}', markup=False)
            bar = [] if total is None else [BarColumn(24)]
            time_and_note = TextColumn('{task.elapsed:.1f} s {task.fields[note]}', markup=False)
            self._bar = Progress(
                *(label, *bar, time_and_note),
                console=Console(stderr=True),
                auto_refresh=False,
                redirect_stdout=False,
            )
            self._task: TaskID = self._bar.add_task(text.ljust(LABEL_WIDTH), total=total, note='')
            self._bar.start()

    def __enter__(self) -> Stage:
        """Return the stage."""
        return self

    def __exit__(self, *_: object) -> None:
        """Write the last line."""
        self._note = ''
        if self._bar is None:
            self._write()
        else:
            self._bar.update(self._task, note='')
            self._bar.stop()

    def update(self, steps: int = 1, note: str = '') -> None:
        """Count finished steps, 0 while waiting; `note` describes what is missing."""
        self.n += steps
        self._note = note
        if self._bar is not None:
            note = note[:_LONGEST_NOTE]
            self._bar.update(self._task, advance=steps, note=note, refresh=True)
        elif time.monotonic() - self._shown >= LOG_INTERVAL:
            self._write()

    def _write(self) -> None:
        self._shown = time.monotonic()
        count = '' if self._total is None else f'{self.n}/{self._total} '
        note = f', {self._note}' if self._note else ''
        text = self._text.ljust(LABEL_WIDTH)
        print(f'{text}{count}{self._shown - self._begun:.1f} s{note}', file=sys.stderr, flush=True)


def ticks(text: str, duration: float, step: float = 0.25) -> Iterator[float]:
    """
    Yield `step` [s] until the sum reaches `duration` [s], and show the progress.

    The caller waits for each step.
    """
    count = math.ceil(duration / step)
    with Stage(text, count) as bar:
        for _ in range(count):
            yield step
            bar.update()
