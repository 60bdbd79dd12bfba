# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ContentAtRest`: content and sign of measured efforts, from what they are at rest."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.dynamics.effort_format import EffortFormat, other_content
from screw_dynamics.errors import InputError

_REST = 0.01  # rad/s or m/s
_ELSEWHERE = 0.2  # rad or m between poses
_POSES = 3
_BETTER = 4.0
_TELLING = 0.05  # of the largest effort of gravity; smaller ones are left to friction


class ContentAtRest:
    """
    Efforts at rest in different poses, beside those of gravity.

    At rest full efforts are those of gravity, others nearly zero. In one pose a support or a brake
    may hold the robot; three are a verdict. `doubt` is the text of the first pose in which another
    content explains the efforts four times better.
    """

    def __init__(self, stated: EffortFormat) -> None:
        self._stated = stated
        self._poses: list[tuple[Array, Array, Array]] = []
        self._verdict: str | None = None
        self.doubt = ''

    def add(self, q: Array, qd: Array, reported: Array, gravity: Array) -> None:
        """
        Look at a sample (n,): coordinates, rates, efforts as reported in N m or N, and gravity.

        Raises
        ------
        InputError
            If another content, or the opposite sign, explains three poses four times better.
        """
        if self._verdict:
            raise InputError(self._verdict)
        if self._verdict is not None or np.abs(qd).max(initial=0.0) > _REST:
            return
        if self._poses and np.abs(q - self._poses[-1][0]).max() < _ELSEWHERE:
            return
        self._poses.append((q.copy(), reported, gravity))
        text = self._other()
        if len(self._poses) == _POSES:
            self._verdict = f'effort: at rest in {_POSES} poses {text}' if text else ''
            self.add(q, qd, reported, gravity)
        elif text and not self.doubt:
            self.doubt = f'effort: at rest {text}, or something holds the robot'

    def _other(self) -> str:
        """Return the text of what explains the efforts of all poses better, or ''."""
        _, reported, gravity = np.moveaxis(np.array(self._poses), 1, 0)
        size = np.sqrt(np.mean(gravity**2, axis=0))
        heavy = size > _TELLING * size.max(initial=0.0)
        if not heavy.any():
            return ''
        left = {
            key: float(np.sqrt(np.mean(((reported - expected)[:, heavy] / size[heavy]) ** 2)))
            for key, expected in (
                (('full', False), gravity),
                (('full', True), -gravity),
                (('without_gravity', False), 0.0),
            )
        }
        own = left['full' if self._stated.content == 'full' else 'without_gravity', False]
        (content, reverse), least = min(left.items(), key=lambda item: item[1])
        if _BETTER * least >= own:
            return ''
        return other_content(self._stated, content, reverse, own / max(least, 1e-9))
