# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled dynamics of a soft robot: calls of the kernel, and errors by its status."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NoReturn

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import NotFiniteError
from screw_dynamics.kernels.soft.dynamics import soft_dynamics
from screw_dynamics.kernels.soft.layout import OK
from screw_dynamics.soft.kernel_table import KernelTable

# with fewer samples, starting a thread costs more than it saves
_SAMPLES_PER_THREAD = 64


def run_chain(
    table: KernelTable,
    names: Sequence[str],
    jets: Array,
    given: Array,
    taus: Array | None = None,
    matrices: Array | None = None,
    poses: Array | None = None,
    threads: int = 1,
) -> None:
    """
    Fill the results of jets (T, k + 3, n), or (T, 1, n) without efforts; all are C-contiguous.

    Efforts are (T, k + 1, n), mass matrices (T, n, n), poses (T, m, 4, 4). Raises NotFiniteError
    with the name of the coordinate.
    """
    samples, rows, n = jets.shape
    if taus is None:
        taus = np.empty((samples, max(0, rows - 2), n))
    matrices = np.empty((samples, 0, 0)) if matrices is None else matrices
    poses = np.empty((samples, 0, 4, 4)) if poses is None else poses
    results = (taus, matrices, poses)
    kernel = soft_dynamics.compile()

    def run(part: slice) -> int:
        return int(
            kernel(jets[part], table.modules, table.reals, given[part],
                   *(result[part] for result in results))
        )  # fmt: skip

    if _status(run, samples, threads) != OK:
        _raise_not_finite(names, jets, results)


def _status(run: Callable[[slice], int], samples: int, threads: int) -> int:
    """Return the worst status of a batch that threads share."""
    threads = min(threads, max(1, samples // _SAMPLES_PER_THREAD))
    if threads == 1:
        return run(slice(None))
    edges = np.linspace(0, samples, threads + 1).astype(int)
    with ThreadPoolExecutor(threads) as pool:
        return max(pool.map(run, (slice(a, b) for a, b in zip(edges, edges[1:], strict=False))))


def _raise_not_finite(names: Sequence[str], jets: Array, results: Sequence[Array]) -> NoReturn:
    for name, array, words in (
        ('joint_jet', jets, 'derivative'),
        ('result', results[0], 'overflow in derivative'),
    ):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            index = tuple(int(i) for i in bad[0])
            where = f'coordinate {names[index[-1]]!r}, {words} {index[-2]}'
            index = index if len(array) > 1 else index[1:]
            raise NotFiniteError(name, index, float(np.squeeze(array[tuple(bad[0])])), where)
    raise NotFiniteError('result', (), float('nan'), 'overflow inside the recursion')
