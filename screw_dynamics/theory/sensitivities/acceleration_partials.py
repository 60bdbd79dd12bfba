# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Partial derivatives of the accelerations by positions, rates and efforts; linearised motion.

The implicit function F(q, q', q'') = tau gives dq''/dq = -M^-1 dF/dq, dq''/dq' = -M^-1 dF/dq' and
dq''/dtau = M^-1 ([M2018] section 6.1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_vector
from screw_dynamics.common.scalars import require_number
from screw_dynamics.errors import InputError
from screw_dynamics.lie.scalars import ScalarArray, solve
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.forward_dynamics import any_order
from screw_dynamics.theory.sensitivities.effort_partials import first_partials


def forward_dynamics_partials(
    model: ScrewModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike
) -> tuple[ScalarArray, ScalarArray, ScalarArray]:
    """Return dq''/dq, dq''/dq' and dq''/dtau, each (n, n)."""
    jet = any_order.forward_dynamics(model, q, qd, np.asarray(tau)[None])
    by_position, by_rate, mass = first_partials(model, jet)
    by_effort = solve(mass, np.eye(model.n))
    return -by_effort @ by_position, -by_effort @ by_rate, by_effort


def linearised_motion(
    model: ScrewModel,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    stiffness: ArrayLike | None = None,
    rotor_inertias: ArrayLike | None = None,
) -> tuple[ScalarArray, ScalarArray]:
    """
    Return the matrices A and B of the linearised motion x' = A x + B u.

    Of a rigid robot x = (dq, dq') and u = dtau. With motors behind springs of `stiffness` K (n,),
    tau = K (theta - q), and rotors B_m theta'' = tau_m - tau of `rotor_inertias` (n,) behind their
    gears, x = (dq, dtheta, dq', dtheta') and u = dtau_m. Both are given, or neither.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.sensitivities.acceleration_partials import linearised_motion
    >>> pendulum = sd.ScrewModel.from_screws(
    ...     [-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]],
    ...     [sd.lie.inertia_matrix(1.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))])
    >>> a, b = linearised_motion(pendulum, [0.5], [0], [0])
    >>> a.round(3), b.round(3)
    (array([[0.   , 1.   ],
           [9.406, 0.   ]]), array([[0.],
           [4.]]))
    """
    if (stiffness is None) != (rotor_inertias is None):
        missing = 'stiffness' if stiffness is None else 'rotor_inertias'
        raise InputError(f'{missing}: expected together with the other of both, got None')
    by_position, by_rate, by_effort = forward_dynamics_partials(model, q, qd, tau)
    n, zero = model.n, np.zeros((model.n, model.n))
    if stiffness is None or rotor_inertias is None:
        blocks = [[by_position, by_rate]]
        inputs = [zero, by_effort]
    else:
        springs = np.diag(_positive('stiffness', stiffness, n))
        rotors = 1 / _positive('rotor_inertias', rotor_inertias, n)[:, None]
        pulled = by_effort @ springs
        blocks = [
            [by_position - pulled, pulled, by_rate, zero],
            [rotors * springs, -rotors * springs, zero, zero],
        ]
        inputs = [zero, zero, zero, rotors * np.eye(n)]
    size = n * len(blocks)
    rates = np.hstack([np.zeros((size, size)), np.eye(size)])
    return np.vstack([rates, np.block(blocks)]), np.vstack(inputs)


def _positive(name: str, values: ArrayLike, n: int) -> Array:
    """Return numbers of the joints (n,) above 0; raise InputError otherwise."""
    vector = as_vector(name, values, n)
    for j, value in enumerate(vector.tolist()):
        require_number(f'{name}[{j}]', value, above=True)
    return vector
