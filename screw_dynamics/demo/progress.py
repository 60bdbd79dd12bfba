# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress of the demo on the terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator

from tqdm import tqdm

LABEL_WIDTH = 44
LOG_INTERVAL = 10.0  # s between lines where the output is no terminal


def stage(text: str, total: int | None = None) -> tqdm:
    """
    Return a progress line that shows the time spent, for use in a ``with`` block.

    Parameters
    ----------
    text : str
        What is being done.
    total : int, optional
        Number of steps, for a bar; call ``update(1)`` after each, ``update(0)`` while waiting.

    Returns
    -------
    tqdm

    """
    bar = '' if total is None else '|{bar:24}| '
    layout = '{desc}' + bar + '{elapsed_s:.1f} s'
    return tqdm(
        desc=text.ljust(LABEL_WIDTH),
        total=total,
        bar_format=layout,
        mininterval=0.1 if sys.stderr.isatty() else LOG_INTERVAL,
        miniters=0,  # update(0) shows that time passes
    )


def ticks(text: str, duration: float, step: float = 0.25) -> Iterator[float]:
    """
    Yield steps of time until their sum reaches a duration, and show how far that is.

    Parameters
    ----------
    text : str
        What is being done.
    duration : float
        [s].
    step : float
        [s].

    Returns
    -------
    iterator of float
        `step`, as often as needed.

    """
    count = math.ceil(duration / step)
    with stage(text, count) as bar:
        for _ in range(count):
            yield step
            bar.update()
