# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ThreadTensions`: tensions of threads, which realise the efforts of soft segments."""

from collections.abc import Sequence

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.soft.segments.thread_set import ThreadSet

_TOLERANCE = 1e-6  # of the largest effort


class ThreadTensions:
    """Tensions [N], and their rates [N/s], in arrays that are used again."""

    def __init__(self, threads: ThreadSet, joint_names: Sequence[str]) -> None:
        self._threads, self.names = threads, threads.names
        self._joints = tuple(joint_names)[-threads.size :]
        self._found = tuple(
            (np.zeros((rows, len(threads.names))), np.zeros(threads.size)) for rows in (1, 2)
        )

    def write(self, jet: Array, efforts: Array, *, rates: bool) -> tuple[Array | None, str]:
        """Return tensions (1 or 2, threads) for a jet (4, n) and efforts (2, n), and a warning."""
        rows = 2 if rates else 1
        try:
            tensions, errors = self._threads.tensions(
                jet, np.ascontiguousarray(efforts[:rows]), self._found[rows - 1]
            )
        except InputError as error:
            return None, f'No tensions are published: {error}'
        worst = int(np.argmax(errors))
        if errors[worst] <= _TOLERANCE * np.abs(efforts[0, -self._threads.size :]).max():
            return tensions, ''
        return tensions, (
            f'{self._joints[worst]}: threads realise its effort only to {errors[worst]:.3g}: '
            f'they pull, and may be too few{self._at_limits(tensions[0])}'
        )

    def _at_limits(self, tensions: Array) -> str:
        pairs = zip(self.names, tensions >= self._threads.most, strict=True)
        names = [name for name, reached in pairs if reached]
        return f'; at most_tension: {", ".join(names)}' if names else ''
