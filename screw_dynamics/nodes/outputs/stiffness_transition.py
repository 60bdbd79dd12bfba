# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`StiffnessTransition`: the stiffness of variable joints on its way from one value to another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.conversions import SECOND

# rows, columns: conditions at 0 (value and two derivatives) and at 1; powers 0 to 5
_CONDITIONS = np.array(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 2.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        [0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        [0.0, 0.0, 2.0, 6.0, 12.0, 20.0],
    ]
)
_ROWS = 3
# entry d, row p, column e: factor of u^e in the d-th derivative of u^p
_DERIVATIVES = tuple(np.polynomial.polynomial.polyder(np.eye(6), d).T for d in range(_ROWS))


class StiffnessTransition:
    """
    Stiffness as a C2 function of time, which continuous motor efforts need: quintics.

    Parameters
    ----------
    joint_names : sequence of str
        The V joints with variable stiffness.
    stiffness : (V,) ndarray
        At first [N m/rad or N/m].

    """

    def __init__(self, joint_names: Sequence[str], stiffness: Array) -> None:
        self.joint_names = tuple(joint_names)
        self._default = stiffness
        self._jet = np.zeros((_ROWS, len(stiffness)))
        self._jet[0] = self._target = stiffness
        self._rows = {name: self._jet[:, i] for i, name in enumerate(self.joint_names)}
        self._coefficients = np.zeros((6, len(stiffness)))
        self._begin = 0
        self._last: int | None = None
        self._duration = 0.0

    def check(self, values: Sequence[float]) -> None:
        """
        Check what is to be the stiffness.

        Parameters
        ----------
        values : sequence of float
            Empty: that at first.

        Raises
        ------
        InputError
            If there is not one value above 0 for every joint.

        """
        names = ', '.join(self.joint_names) or 'none'
        if len(values) not in (0, len(self.joint_names)) or any(value <= 0.0 for value in values):
            raise InputError(
                f"parameter 'stiffness': expected no value or one above 0 for each joint with "
                f'variable stiffness ({names}), got {list(values)}'
            )

    def set_target(self, values: Sequence[float], duration: float) -> None:
        """
        Go to another stiffness from the instant sampled last; at once where there is none.

        Parameters
        ----------
        values : sequence of float
            See `check`.
        duration : float
            [s].

        """
        target = np.array(values) if len(values) else self._default
        if np.array_equal(target, self._target):
            return
        self._target = target
        if self._last is None:
            self._arrive()
            return
        scales = duration ** np.arange(_ROWS)[:, np.newaxis]
        ends = np.vstack([self._jet * scales, target, np.zeros((2, len(target)))])
        self._coefficients = np.linalg.solve(_CONDITIONS, ends)
        self._begin, self._duration = self._last, duration

    def sample(self, instant: int) -> dict[str, Array] | None:
        """
        Return the stiffness and its two time derivatives.

        Parameters
        ----------
        instant : int
            [ns].

        Returns
        -------
        dict of str to (3,) ndarray, or None
            By joint; shared arrays. None where no joint is variable.

        """
        self._last = instant
        if not self._rows:
            return None
        if self._duration > 0.0:
            u = min(1.0, max(0.0, (instant - self._begin) / SECOND / self._duration))
            powers = u ** np.arange(6.0)
            for d in range(_ROWS):
                self._jet[d] = _DERIVATIVES[d] @ powers[: 6 - d] @ self._coefficients
                self._jet[d] /= self._duration**d
            if u == 1.0:
                self._arrive()
        return self._rows

    def forget(self) -> None:
        """Be there: the instants sampled so far mean nothing any more."""
        self._last = None
        self._arrive()

    def _arrive(self) -> None:
        self._duration = 0.0
        self._jet[0], self._jet[1:] = self._target, 0.0
