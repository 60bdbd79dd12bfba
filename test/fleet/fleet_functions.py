# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of recordings that end their process, wait or return much, and small recordings."""

import os
import signal
from pathlib import Path

import numpy as np

from screw_dynamics.fleet import Record


def size(robot, path, length=0):
    """Return how many characters a file has, and a column of a length."""
    text = Path(path).read_text()
    return Record(path, {'characters': len(text)}, {'column': np.full(length, float(len(text)))})


def deadly(robot, path, always=False):
    """End the process at files that say so: once, or always."""
    text = Path(path).read_text()
    mark = Path(f'{path}.tried')
    if 'deadly' in text and (always or not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return size(robot, path, 3)


def write_tables(folder, count, samples=60):
    """Write tables of motions of planar_2r; return their paths."""
    times = 0.01 * np.arange(samples)
    paths = []
    for k in range(count):
        path = folder / f'run_{k}.csv'
        columns = times, np.sin((2.0 + k) * times), np.cos(3.0 * times)
        rows = [','.join(map(repr, row)) for row in np.column_stack(columns).tolist()]
        path.write_text('\n'.join(['time,joint_1.position,joint_2.position', *rows]))
        paths.append(str(path))
    return paths


def write_texts(folder, texts):
    """Write files; return their paths."""
    paths = [folder / f'{k}.txt' for k in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return list(map(str, paths))
