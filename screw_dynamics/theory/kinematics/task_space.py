# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Task motions of a frame from joint motions and back, of any order: [N2021] (37) to (39).

    x^(m) = sum_{k=1..m} comb(m - 1, k - 1) J^(k - 1) q^(m - k + 1)                         (38)
    q^(m) = J^-1 (x^(m) - sum_{k=1..m-1} comb(m - 1, k) J^(k) q^(m - k))                    (39)

with x' the twist of the frame in one of the four representations. (39) needs a square, regular
Jacobian; here q' = W^-1 J^T y, (J W^-1 J^T + lambda^2 I) y = x' for joints that are more than
the components, which minimises q'^T W q', is differentiated by Leibniz' rule: its derivatives are
exact, and those of (39) where J is square.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.scalars import require_choice
from screw_dynamics.errors import InputError, ShapeError, SingularJacobianError, shown
from screw_dynamics.lie import adjoint, adjoint_inverse, inverse_pose
from screw_dynamics.lie.scalars import ScalarArray, dtype, solve, value
from screw_dynamics.model.records import Representation
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.kinematics import body_fixed, hybrid, mixed, spatial
from screw_dynamics.theory.tree import Tree, as_row, as_scalars

_MODULES: Mapping[Representation, ModuleType] = {
    'body': body_fixed,
    'spatial': spatial,
    'hybrid': hybrid,
    'mixed': mixed,
}

# a smaller ratio of singular values leaves fewer than four digits of a double
_REGULAR = 1e-12


def jacobian_jet(
    model: ScrewModel, joint_jet: ArrayLike, frame: str, representation: Representation = 'body'
) -> ScalarArray:
    """
    Return the Jacobian of a frame on a moving body and its derivatives J^(d), (r, 6, n); r >= 1.

    The representation is 'body', 'spatial', 'hybrid' or 'mixed'.
    """
    module = _MODULES[require_choice('representation', representation, _MODULES)]
    body = model.frame(frame).body
    if body < 0:
        raise InputError(f'frame {frame!r}: expected one on a moving link, got the base')
    seen = _with_body_frame(model, frame)
    columns = module.jacobian_columns(seen, joint_jet)[body]
    matrix = Tree(model, joint_jet).mimic_matrix
    return np.tensordot(columns, matrix, axes=(0, 0))


def task_jet(
    model: ScrewModel, joint_jet: ArrayLike, frame: str, representation: Representation = 'body'
) -> ScalarArray:
    """Return the twist of a frame and its derivatives, (r - 1, 6), by (38); r >= 2."""
    jet = as_scalars('joint_jet', joint_jet)
    jacobians = jacobian_jet(model, jet, frame, representation)
    rates = jet[1:]
    return np.array([sum(leibniz_terms(k, jacobians, rates)) for k in range(len(rates))])


def joint_jet(
    model: ScrewModel,
    q: ArrayLike,
    twist_jet: ArrayLike,
    frame: str,
    representation: Representation = 'body',
    components: Sequence[int] = range(6),
    weights: ArrayLike | None = None,
    damping: float = 0.0,
) -> ScalarArray:
    """
    Return the joint jet (m + 1, n) that moves a frame as given, (39) and its form for redundancy.

    `twist_jet` (m, c) has the `components` of [angular; linear] that are given, c <= n, all six by
    default; `weights` (n,) are the diagonal of W, ones by default. With `damping`, lambda of
    damped least squares, the frame lags behind near singularities; without, SingularJacobianError
    is raised for floats if the frame cannot move as given.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.kinematics.task_space import joint_jet
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, -2, 0]], [np.eye(6)])
    >>> joint_jet(wheel, [0.0], [[-6.0]], 'body_1', 'hybrid', components=[4]).ravel()
    array([0., 3.])
    """
    positions, given = as_row('q', q, model.n), as_scalars('twist_jet', twist_jet)
    rows = list(components)
    if not set(rows) <= set(range(6)):
        raise InputError(f'components: expected numbers from 0 to 5, got {shown(rows)}')
    if given.ndim != 2 or given.shape[1] != len(rows):
        raise ShapeError('twist_jet', f'(m, {len(rows)})', given.shape)
    cost = np.ones(model.n) if weights is None else as_row('weights', weights, model.n)
    for joint, weight in enumerate(map(value, cost)):
        if weight is not None and not weight > 0.0:
            got = shown(cost[joint])
            raise InputError(f'weights[{joint}]: expected a number above 0, got {got}')
    orders = len(given)
    jet = np.zeros((orders + 1, model.n), dtype(positions, given, cost))
    jet[0] = positions
    solutions = np.zeros(given.shape, jet.dtype)  # y and its derivatives
    for k in range(orders):
        jacobians = jacobian_jet(model, jet[: k + 1], frame, representation)[:, rows]
        transposed = np.array([(j / cost).T for j in jacobians])  # W^-1 J^T
        products = np.array([sum(leibniz_terms(s, jacobians, transposed)) for s in range(k + 1)])
        damped = products[0] + damping**2 * np.eye(len(rows))
        if k == 0 and not damping:
            _require_regular(jacobians[0] / np.sqrt(cost), frame, positions)
        known = sum(leibniz_terms(k, products, solutions))  # y^(k) is still zero
        solutions[k] = solve(damped, given[k] - known)
        jet[k + 1] = sum(leibniz_terms(k, transposed, solutions))
    return jet


def _with_body_frame(model: ScrewModel, frame: str) -> ScrewModel:
    """Return the model with a frame as the frame of its body (M2018 section 4.4)."""
    body, shift = model.frames[frame].body, model.frames[frame].pose
    homes, screws = model.home_poses.copy(), model.screws.copy()
    inertias = model.inertias.copy()
    homes[body] = homes[body] @ shift
    homes[model.parents == body] = inverse_pose(shift) @ homes[model.parents == body]
    screws[body] = adjoint_inverse(shift) @ screws[body]
    inertias[body] = adjoint(shift).T @ inertias[body] @ adjoint(shift)
    return replace(model, home_poses=homes, screws=screws, inertias=inertias)


def _require_regular(jacobian: ScalarArray, frame: str, q: ScalarArray) -> None:
    """Raise SingularJacobianError for a Jacobian of floats that has lost a direction."""
    if jacobian.dtype.kind != 'f':
        return
    left, values, _ = np.linalg.svd(jacobian)
    smallest = values[-1] if len(jacobian) <= jacobian.shape[1] else 0.0
    if smallest <= _REGULAR * values[0]:
        lost = ', '.join(f'{x:.3g}' for x in left[:, -1])
        configuration = ', '.join(f'{x:.6g}' for x in q)
        raise SingularJacobianError(
            frame,
            configuration,
            float(smallest),
            float(_REGULAR * values[0]),
            f'no joint moves it along ({lost}); damping would slow such a motion',
        )
