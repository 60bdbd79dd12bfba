# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ContentAtRest`: content and sign of measured efforts, from what they are at rest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.effort_format import SENSES, Content, EffortFormat, other_content
from screw_dynamics.dynamics.regressor import regressor
from screw_dynamics.errors import InputError
from screw_dynamics.model import ScrewModel

_REST = 0.01  # rad/s or m/s
_ELSEWHERE = 0.2  # rad or m between poses
_POSES = 3
_BETTER = 4.0
_EXPLAINED = 0.5  # of gravity, below which efforts count as those that were stated
_PARTS = 10  # inertia parameters of a body, mass and mass times centre of mass first
_REACH = 1.0  # m, from the origin of a link to the centre of a load at the most
_TELLING = 0.05  # of the largest effort of gravity; smaller ones are left to friction


class ContentAtRest:
    """
    Efforts at rest in different poses, beside those of gravity.

    At rest full efforts are those of gravity and of parallel springs, others nearly zero. In one
    pose a support or a brake may hold the robot; three are a verdict, unless a load explains what
    efforts without gravity are there. `doubt` is the text of the first pose in which another
    content explains the efforts four times better.
    """

    def __init__(self, model: ScrewModel, stated: EffortFormat) -> None:
        self._model, self._stated = model, stated
        self._poses: list[tuple[Array, ...]] = []
        self._verdict: str | None = None
        self.doubt = ''

    def add(self, q: Array, qd: Array, reported: Array, gravity: Array, support: Array) -> None:
        """
        Look at a sample (n,): coordinates, rates, efforts as reported in N m or N, and gravity.

        Parallel springs add `support` (n,) to the efforts of the drives.

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
        self._poses.append((q.copy(), reported, gravity, support))
        text = self._other()
        if len(self._poses) == _POSES:
            self._verdict = f'effort: at rest in {_POSES} poses {text}' if text else ''
            self.add(q, qd, reported, gravity, support)
        elif text and not self.doubt:
            self.doubt = f'effort: at rest {text}, or something holds the robot'

    def _other(self) -> str:
        """Return the text of what explains the efforts of all poses better, or ''."""
        q, reported, gravity, support = np.moveaxis(np.array(self._poses), 1, 0)
        size = np.sqrt(np.mean(gravity**2, axis=0))
        heavy = size > _TELLING * size.max(initial=0.0)
        if not heavy.any():
            return ''

        def part(rest: Array) -> float:
            return float(np.sqrt(np.mean((rest[:, heavy] / size[heavy]) ** 2)))

        stated = self._stated.content
        other: Content = 'without_gravity' if stated == 'full' else stated
        lacking = support if other == 'without_gravity' else 0.0 * support
        full = gravity + support
        left: dict[tuple[Content, bool], float] = {
            ('full', False): part(reported - full),
            ('full', True): part(reported + full),
            (other, False): part(reported - lacking),
        }
        own = left[stated, False]
        (content, reverse), least = min(left.items(), key=lambda item: item[1])
        if own < _EXPLAINED or _BETTER * least >= own:
            return ''
        if stated != 'full' and len(self._poses) == _POSES:
            loaded = SENSES[stated] * (reported - lacking)
            explained = map(part, self._without_load(q, loaded, heavy, size))
            if _BETTER * least >= min(explained, default=np.inf):
                return ''
        return other_content(self._stated, content, reverse, own / max(least, 1e-9))

    def _without_load(
        self, q: Array, efforts: Array, heavy: Array, size: Array
    ) -> Iterator[Array]:
        """Return what a load at the end of each chain leaves of efforts (P, n) at rest."""
        rest = np.zeros((len(q), 3, q.shape[1]))
        rest[:, 0] = q
        rows = regressor(self._model, rest)[:, 0]
        for body in set(range(len(self._model.body_names))) - set(self._model.parents):
            own = rows[..., _PARTS * body : _PARTS * body + 4]
            weighted = (own[:, heavy] / size[heavy, np.newaxis]).reshape(-1, 4)
            load = np.linalg.lstsq(
                weighted, (efforts[:, heavy] / size[heavy]).ravel(), rcond=None
            )[0]
            if 0.0 < np.linalg.norm(load[1:]) <= _REACH * load[0]:
                yield efforts - own @ load
