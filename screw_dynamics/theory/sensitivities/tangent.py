# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Tangent of the body-fixed recursion: efforts differentiated along variations.

The recursion of [M2018] (68) differentiated, body by body. A variation of the joint variables, of
the home poses B_i = B_i0 exp(U_i pi) and of the joint screws X_i displaces body i by the twist

    xi_i = X_i ds_i + Ad_{exp(-X_i s_i)} U_i dpi + s_i dexp_{-X_i s_i} dX_i

seen from it, beside what its parent's displacement does ([M2018] section 6.2).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.lie import adjoint_inverse, dexp_se3, exp_screw, exp_se3, twist_cross
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.series import jet_of_series, series_of_jet
from screw_dynamics.theory.tree import Tree, as_row, as_scalars

_Twists = Mapping[int, ScalarArray]


def effort_tangent(
    model: ScrewModel,
    joint_jet: ArrayLike,
    variation: ArrayLike,
    homes: Mapping[int, ArrayLike] | None = None,
    screws: Mapping[int, ArrayLike] | None = None,
) -> ScalarArray:
    """
    Return the derivative of the efforts and of their derivatives, (k + 1, n), along a variation.

    `variation` (k + 3, n) is dq(t) and its time derivatives per unit of the varied parameter,
    `homes` the twists U_i of home poses by body: B_i exp(U_i pi) in place of B_i, `screws` dX_i by
    body.

    Examples
    --------
    A rod on a hinge weighs more on it when it is fixed further out.

    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.sensitivities.tangent import effort_tangent
    >>> rod = sd.ScrewModel.from_screws(
    ...     [-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]],
    ...     [sd.lie.inertia_matrix(1.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))])
    >>> further = {0: [0, 0, 0, 0, 0, 1.0]}  # dX: the axis moves by -x
    >>> effort_tangent(rod, np.zeros((3, 1)), np.zeros((3, 1)), screws=further)
    array([[9.81]])
    """
    jet, direction = as_scalars('joint_jet', joint_jet), as_scalars('variation', variation)
    if jet.ndim != 2 or len(jet) < 3 or jet.shape[1] != model.n:
        raise ShapeError('joint_jet', f'(k + 3, {model.n})', jet.shape)
    if direction.shape != jet.shape:
        raise ShapeError('variation', f'{jet.shape}, that of joint_jet', direction.shape)
    order = len(jet) - 3
    moving = Tree(model, np.stack([series_of_jet(jet[r : r + order + 1]) for r in range(3)]))
    varied = np.stack([series_of_jet(direction[r : r + order + 1]) for r in range(3)])
    varied = varied[:, model.coordinates] * model.multipliers
    changes = [
        _twists_by_body(moving, name, twists or {})
        for name, twists in (('homes', homes), ('screws', screws))
    ]
    efforts = moving.to_coordinates(_tangent(moving, varied, *changes))
    return jet_of_series(efforts, order).astype(np.result_type(jet, direction))


def geometric_partials(model: ScrewModel, joint_jet: ArrayLike) -> tuple[ScalarArray, ScalarArray]:
    """
    Return the derivatives of the efforts by all home poses and by all joint screws.

    [d, j, i, c] of both results (k + 1, n, N, 6) is the derivative of tau_j^(d) by the c-th
    coordinate of U_i, B_i exp(U_i), or of X_i; displacements of an axis are the directions [U,
    X_i], a change of its pitch is (0; e).
    """
    jet = np.asarray(joint_jet)
    still = np.zeros(jet.shape)
    by_homes, by_screws = (
        np.array(
            [
                [effort_tangent(model, jet, still, **{kind: {body: unit}}) for unit in np.eye(6)]
                for body in range(model.body_count)
            ]
        )
        for kind in ('homes', 'screws')
    )
    return np.moveaxis(by_homes, (2, 3), (0, 1)), np.moveaxis(by_screws, (2, 3), (0, 1))


def home_twists(twists: ArrayLike, parameters: ArrayLike) -> ScalarArray:
    """
    Return the twists of a home pose B_0 exp(U_1 pi_1) .. exp(U_m pi_m) by its parameters, (m, 6).

    The product of [M2018] section 6.2, of twists U (m, 6) and parameters pi (m,). The derivative
    of the pose by pi_a is the pose times the 4x4 matrix of the twist U_a seen behind the
    exponentials that follow: what `effort_tangent` wants as `homes`, of a model with the pose as
    home pose.
    """
    rows, values = as_scalars('twists', twists), as_scalars('parameters', parameters)
    if rows.ndim != 2 or rows.shape[1] != 6:
        raise ShapeError('twists', '(m, 6)', rows.shape)
    if values.shape != rows.shape[:1]:
        raise ShapeError('parameters', f'{rows.shape[:1]}', values.shape)
    behind = np.eye(4)
    result = np.zeros(rows.shape, np.result_type(rows, values))
    for a in reversed(range(len(rows))):
        result[a] = adjoint_inverse(behind) @ rows[a]
        behind = exp_se3(rows[a] * values[a]) @ behind
    return result


def _twists_by_body(tree: Tree, name: str, twists: Mapping[int, ArrayLike]) -> _Twists:
    """Return the twists (6,) by body; raise an error that names the argument and the body."""
    if not isinstance(twists, Mapping):
        raise InputError(
            f'{name}: expected a mapping of numbers of bodies to twists, got '
            f'{type(twists).__name__}'
        )
    return {
        tree.index(name, body): as_row(f'{name}[{body}]', twist, 6)
        for body, twist in twists.items()
    }


def _tangent(tree: Tree, varied: ScalarArray, homes: _Twists, screws: _Twists) -> ScalarArray:
    """Return dQ_i of the tree joints (N,), with rows ds, ds', ds'' of the joints."""
    count, model, no_change = tree.count, tree.model, np.zeros(6)
    twists, accelerations, wrenches = (np.zeros((count, 6), object) for _ in range(3))
    d_twists, d_accelerations, d_wrenches = (np.zeros((count, 6), object) for _ in range(3))
    displacements = np.zeros((count, 6), object)
    for i, p in enumerate(model.parents):
        screw, change = model.screws[i], screws.get(i, no_change)
        s, rate, rate2 = tree.joints[:3, i]
        ds, d_rate, d_rate2 = varied[:, i]
        displacements[i] = screw * ds + s * dexp_se3(-screw * s) @ change
        displacements[i] += adjoint_inverse(exp_screw(screw, s)) @ homes.get(i, no_change)
        transform, displaced = tree.transforms[i], twist_cross(displacements[i])
        twist = transform @ (twists[p] if p >= 0 else no_change)
        acceleration = transform @ (accelerations[p] if p >= 0 else tree.G)
        d_twist = transform @ (d_twists[p] if p >= 0 else no_change)
        d_acceleration = transform @ (d_accelerations[p] if p >= 0 else no_change)
        ad, d_ad = twist_cross(screw), twist_cross(change)
        twists[i] = twist + screw * rate
        accelerations[i] = acceleration - rate * ad @ twists[i] + screw * rate2
        d_twists[i] = d_twist - displaced @ twist + screw * d_rate + change * rate
        d_accelerations[i] = d_acceleration - displaced @ acceleration
        d_accelerations[i] -= d_rate * ad @ twists[i]
        d_accelerations[i] -= rate * (ad @ d_twists[i] + d_ad @ twists[i])
        d_accelerations[i] += screw * d_rate2 + change * rate2
        inertia, bracket = model.inertias[i], twist_cross(twists[i]).T
        momentum = inertia @ twists[i]
        wrenches[i] = inertia @ accelerations[i] - bracket @ momentum
        d_wrenches[i] = inertia @ d_accelerations[i] - bracket @ inertia @ d_twists[i]
        d_wrenches[i] -= twist_cross(d_twists[i]).T @ momentum
    efforts = np.zeros(count, object)
    for i in reversed(range(count)):
        p, change = model.parents[i], screws.get(i, no_change)
        efforts[i] = model.screws[i] @ d_wrenches[i] + change @ wrenches[i]
        if p >= 0:
            turned = twist_cross(displacements[i]).T @ wrenches[i]
            wrenches[p] += tree.transforms[i].T @ wrenches[i]
            d_wrenches[p] += tree.transforms[i].T @ (d_wrenches[i] - turned)
    return efforts
