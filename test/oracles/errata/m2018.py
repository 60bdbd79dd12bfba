# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Misprints of M2018, sections 2 to 5 and 7."""

from __future__ import annotations

import numpy as np

from oracles.errata.record import Erratum
from oracles.errata.robot import STEP, MovingRobot, bracket, moving, rotating, translating, turning
from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import (
    adjoint,
    dexp_se3,
    exp_se3,
    hat,
    inertia_parameters,
    inverse_pose,
    skew,
    twist_cross,
    vee,
)
from screw_dynamics.theory.closed_form import nth_derivatives
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.kinematics import body_fixed
from screw_dynamics.theory.newton_euler import hybrid_inertia

_Triple = tuple[Array, Array, Array]
_JOINTS = range(4)
_LAST = 3


def jerk(robot: MovingRobot) -> _Triple:
    """Return V'' of the last body, (14): the factor of the triple brackets."""
    columns = robot.columns[_LAST]
    qd, qdd, qddd = robot.jet[1:4]
    known, triple, repeated = (np.zeros(6) for _ in range(3))
    for j in _JOINTS:
        known = known + columns[j] * qddd[j]
        for k in range(j + 1, 4):
            pair = bracket(columns[j], columns[k])
            known = known + pair * (2 * qdd[j] * qd[k] + qd[j] * qdd[k])
            for r in range(k, 4):
                term = bracket(pair, columns[r]) * qd[j] * qd[k] * qd[r]
                triple = triple + 2 * term
                repeated = repeated + (term if k == r else 0)
    return known + triple, known + triple - repeated, robot.body_twists[2, _LAST]


def spatial_acceleration(robot: MovingRobot) -> _Triple:
    """Return (V^s)' of the last body in matrix form, (19)."""
    columns, twists = robot.spatial_columns_at(robot.jet[0]), robot.spatial_twists[0]
    qd, qdd = robot.jet[1:3]
    sums = np.cumsum(columns * qd[:, None], axis=0)  # J^s q' by bodies: the twists
    printed = sum(bracket(twists[j], sums[j]) for j in _JOINTS)
    correct = sum(bracket(twists[j], columns[j]) * qd[j] for j in _JOINTS)
    straight = qdd @ columns
    return straight + printed, straight + correct, robot.spatial_twists[1, _LAST]


def hybrid_partial(robot: MovingRobot) -> _Triple:
    """Return dJ^h_{i,j}/dq_k for k < j, (26), which is printed as zero."""
    columns = robot.hybrid_columns_at(robot.jet[0])[_LAST]
    angular = np.concatenate((columns[0, :3], np.zeros(3)))
    truth = robot.slope(lambda q: robot.hybrid_columns_at(q)[_LAST, 2], 0)
    return np.zeros(6), bracket(angular, columns[2]), truth


def _hybrid_column_rate(robot: MovingRobot) -> Array:
    slopes = [robot.slope(lambda q: robot.hybrid_columns_at(q)[_LAST, 1], k) for k in _JOINTS]
    return robot.jet[1] @ np.array(slopes)


def hybrid_column_rate(robot: MovingRobot) -> _Triple:
    """Return (J^h_{i,j})', (28): the shift from body j - 1, and the spatial twist."""
    positions, twists = robot.poses[0, :, :3, 3], robot.hybrid_twists[0]
    axis = translating(-positions[1]) @ robot.spatial_columns_at(robot.jet[0])[1]
    rates = (robot.spatial_twists[0, 1], twists[1])
    shifts = (positions[0] - positions[_LAST], positions[1] - positions[_LAST])
    printed, correct = (
        translating(shift) @ (twist_cross(rate) - moving(twists[_LAST, 3:])) @ axis
        for shift, rate in zip(shifts, rates, strict=True)
    )
    return printed, correct, _hybrid_column_rate(robot)


def mixed_jerk(robot: MovingRobot) -> _Triple:
    """Return (V^m)'' of the last body from (V^h)'', (34)."""
    rotation, hybrid = robot.poses[0, _LAST, :3, :3], robot.hybrid_twists[2, _LAST]
    printed = np.concatenate((rotation.T @ hybrid[:3], hybrid[3:]))
    spin, spin_rate = robot.body_twists[:2, _LAST, :3]
    extra = np.concatenate((np.cross(spin, spin_rate), np.zeros(3)))
    return printed, printed - extra, robot.mixed_twists[2, _LAST]


def mixed_column_rate(robot: MovingRobot) -> _Triple:
    """Return (J^m_{i,j})' from (J^h_{i,j})', (34)."""
    rotation = robot.poses[0, _LAST, :3, :3]
    column, rate = robot.hybrid_columns_at(robot.jet[0])[_LAST, 1], _hybrid_column_rate(robot)
    printed = np.concatenate((rotation.T @ rate[:3], rate[3:]))
    extra = np.cross(robot.body_twists[0, _LAST, :3], rotation.T @ column[:3])
    truth = body_fixed.jacobian_columns(robot.model, robot.jet[:2])[_LAST, 1, 1]
    truth = np.concatenate((truth[:3], rate[3:]))
    return printed, printed - np.concatenate((extra, np.zeros(3))), truth


def centre_twist(robot: MovingRobot) -> _Triple:
    """Return the hybrid twist of a body from its body-fixed one, section 3.3."""
    turn, twist = rotating(robot.poses[0, _LAST, :3, :3]), robot.body_twists[0, _LAST]
    return turn.T @ twist, turn @ twist, robot.hybrid_twists[0, _LAST]


def _hybrid_momentum(robot: MovingRobot) -> tuple[Array, Array, Array, Array]:
    """Return the inertia in base axes, momentum, its rate, and the wrench of the last body."""
    rotation = robot.poses[0, _LAST, :3, :3]
    inertia = hybrid_inertia(robot.model.inertias[_LAST], rotation)
    twist, rate = robot.hybrid_twists[:2, _LAST]
    turn = turning(twist[:3])
    # M^h = Ad_R M Ad_R^T turns with the body
    momentum_rate = inertia @ rate + (turn @ inertia - inertia @ turn) @ twist
    body = robot.model.inertias[_LAST]
    local, local_rate = robot.body_twists[:2, _LAST]
    wrench = body @ local_rate - twist_cross(local).T @ body @ local
    return inertia @ twist, momentum_rate, rotating(rotation) @ wrench, twist


def hybrid_momentum(robot: MovingRobot) -> _Triple:
    """Return the wrench on the last body from its momentum, (53)."""
    momentum, rate, truth, twist = _hybrid_momentum(robot)
    return rate, rate - moving(twist[3:]).T @ momentum, truth


def mass_centre(robot: MovingRobot) -> _Triple:
    """Return the force on the last body from the motion of its mass centre, (51)."""
    mass, moment, _ = inertia_parameters(robot.model.inertias[_LAST])
    center = moment / mass
    rate, acceleration = (p[:3, :3] @ center + p[:3, 3] for p in robot.poses[1:3, _LAST])
    return mass * rate, mass * acceleration, _hybrid_momentum(robot)[2][3:]


def origin_acceleration(robot: MovingRobot) -> _Triple:
    """Return r'' of the last body from its body-fixed twist, section 3.4."""
    spin, velocity = robot.body_twists[0, _LAST, :3], robot.body_twists[0, _LAST, 3:]
    printed = robot.body_twists[1, _LAST, 3:] + np.cross(spin, velocity)
    return printed, robot.poses[0, _LAST, :3, :3] @ printed, robot.poses[2, _LAST, :3, 3]


def relative_pose_partial(robot: MovingRobot) -> _Triple:
    """Return dC_{i,j}/dq_k at k = j, (4), which is zero."""
    home, pose = robot.tree.poses[_LAST], robot.tree.poses[1]
    relative = inverse_pose(home) @ pose

    def function(q: Array) -> Array:
        poses = robot.at(q[None]).poses
        return inverse_pose(poses[_LAST]) @ poses[1]

    printed = -hat(robot.columns[_LAST, 1]) @ relative
    # relative to the pose, as the true derivative is zero
    return relative + printed, relative, relative + robot.slope(function, 1)


def _resolved(robot: MovingRobot) -> tuple[Array, ...]:
    """Return the last body seen from body 1, in axes that turn as body 2."""
    frame, axes = robot.poses[0, 1], robot.poses[0, 2, :3, :3]
    turn = rotating(axes.T @ frame[:3, :3])
    spatial = robot.spatial_twists
    inverse = adjoint(inverse_pose(frame))
    twist = inverse @ spatial[0, _LAST]
    twist_rate = inverse @ (spatial[1, _LAST] - twist_cross(spatial[0, 1]) @ spatial[0, _LAST])
    own = inverse @ spatial[0, 1]
    shift = adjoint(inverse_pose(robot.poses[0, _LAST]) @ frame)
    inertia = shift.T @ robot.model.inertias[_LAST] @ shift
    relative = axes.T @ (spatial[0, 1, :3] - spatial[0, 2, :3])  # of j seen from k
    rate = turn @ twist_rate + turning(relative) @ turn @ twist
    wrench = inertia @ (twist_rate + twist_cross(own) @ twist)
    wrench = wrench - twist_cross(twist).T @ inertia @ twist
    return turn, inertia, twist, rate, own, relative, wrench, axes.T @ spatial[0, 2, :3]


def resolved_frames(robot: MovingRobot) -> _Triple:
    """Return the wrench measured in one frame and resolved in another, (64), (65)."""
    turn, inertia, twist, rate, own, relative, wrench, spin = _resolved(robot)
    results = []
    for matrix, extra in ((turn.T @ inertia @ turn, spin), (turn @ inertia @ turn.T, -relative)):
        moved = turn @ twist
        value = matrix @ (rate + (twist_cross(turn @ own) + turning(extra)) @ moved)
        results.append(value - twist_cross(moved).T @ matrix @ moved)
    return results[0], results[1], turn @ wrench


def _efforts(robot: MovingRobot, first: int, sign: float) -> Array:
    """Return the efforts of the body-fixed recursion (68) that begins at a body, with a load."""
    tree, model = robot.tree, robot.model
    gravity = np.concatenate((np.zeros(3), -model.gravity))
    wrenches = np.zeros((5, 6))
    for i in range(first, -1, -1):
        twist, rate = robot.body_twists[:2, i]
        rate = rate + adjoint(inverse_pose(tree.poses[i])) @ gravity
        inertia = model.inertias[i]
        wrenches[i] = inertia @ rate - twist_cross(twist).T @ inertia @ twist
        if i < _LAST:
            wrenches[i] += tree.transforms[i + 1].T @ wrenches[i + 1]
        else:
            wrenches[i] += sign * robot.wrench
    return np.array([x @ w for x, w in zip(model.screws, wrenches[:4], strict=True)])


def _true_efforts(robot: MovingRobot) -> Array:
    load = {f'body_{_LAST + 1}': robot.wrench[None]}
    return nth_derivatives.inverse_dynamics(robot.model, robot.jet[:3], load)[0]


def first_body(robot: MovingRobot) -> _Triple:
    """Return the efforts of (68), for i = n - 1 to 1 as printed."""
    return _efforts(robot, _LAST - 1, -1.0), _efforts(robot, _LAST, -1.0), _true_efforts(robot)


def load_sign(robot: MovingRobot) -> _Triple:
    """Return the efforts of (68) under a wrench ON the last body."""
    return _efforts(robot, _LAST, 1.0), _efforts(robot, _LAST, -1.0), _true_efforts(robot)


def hybrid_screw(robot: MovingRobot) -> _Triple:
    """Return x0 of the second joint, (76b): Y at q = 0 or the screw as it is now."""
    position, model = robot.poses[0, 1, :3, 3], robot.model
    home = model.home_poses[0] @ model.home_poses[1]
    printed = translating(-position) @ adjoint(home) @ model.screws[1]
    correct = translating(-position) @ robot.spatial_columns_at(robot.jet[0])[1]
    truth = rotating(robot.poses[0, 1, :3, :3]) @ model.screws[1]
    return printed, correct, truth


def inverse_kinematics(robot: MovingRobot) -> _Triple:
    """Return q'' of the last joint from the twists, Remark 3."""
    screw, tree = robot.model.screws[_LAST], robot.tree
    twist, rate = robot.body_twists[:2, _LAST]
    rate_before = robot.body_twists[1, _LAST - 1]
    known = tree.transforms[_LAST] @ rate_before
    known = known - robot.jet[1, _LAST] * bracket(screw, twist)
    values = [screw @ (given - known) / (screw @ screw) for given in (twist, rate)]
    return values[0], values[1], robot.jet[2, _LAST]


def _symbols(robot: MovingRobot) -> Array:
    """Return the Christoffel symbols (86), by complex steps of the mass matrix."""

    def mass(q: Array) -> Array:
        return SystemMatrices(robot.model, np.stack([q, 0 * q])).mass_matrix

    d = np.stack([robot.slope(mass, j) for j in _JOINTS], axis=-1)
    return (d.transpose(0, 2, 1) + d - d.transpose(2, 0, 1)) / 2


def christoffel(robot: MovingRobot) -> _Triple:
    """Return Gamma_ijk in closed form, (87): which joints the third bracket is of."""
    printed, correct = np.zeros((4, 4, 4)), np.zeros((4, 4, 4))
    for body in _JOINTS:
        inertia, columns = robot.model.inertias[body], robot.columns[body]
        for i, j, k in np.ndindex(body + 1, body + 1, body + 1):
            shared = columns[k] @ inertia @ bracket(columns[i], columns[j])
            shared += columns[j] @ inertia @ bracket(columns[i], columns[k])
            for result, (x, y) in ((printed, sorted((i, j))), (correct, sorted((j, k)))):
                third = columns[i] @ inertia @ bracket(columns[x], columns[y])
                result[i, j, k] += (shared + third) / 2
    i, j, k = np.indices(printed.shape)
    covered = ((i < j) & (j <= k)) | ((j <= i) & (i < k))  # by the print
    return printed[covered], correct[covered], _symbols(robot)[covered]


def binet(robot: MovingRobot) -> _Triple:
    """Return Gamma_ijk in the form of Binet, (88)."""
    printed, correct = np.zeros((4, 4, 4)), np.zeros((4, 4, 4))
    for body in _JOINTS:
        mass, moment, theta = inertia_parameters(robot.model.inertias[body])
        center = moment / mass
        columns = robot.columns[body] @ translating(-center).T
        about = theta + mass * skew(center) @ skew(center)
        second = np.trace(about) / 2 * np.eye(3) - about
        weights = np.zeros((6, 6))
        weights[:3, :3], weights[3:, 3:] = second, mass * np.eye(3)
        for i, j, k in np.ndindex(body + 1, body + 1, body + 1):
            low, high = sorted((j, k))
            (a, u), (b, _), (c, v) = ((columns[x, :3], columns[x, 3:]) for x in (i, low, high))
            correct[i, j, k] += b @ second @ np.cross(c, a) + mass * u @ np.cross(b, v)
            product = turning(columns[k, :3]) @ columns[i]
            printed[i, j, k] += columns[j] @ weights @ product / 2
    return printed, correct, _symbols(robot)


def inverse_shift_rate(robot: MovingRobot) -> _Triple:
    """Return (Ad_d^-1)' for a vector d fixed in a body, section 3.3."""
    fixed = robot.rng.normal(size=3)
    rotation, spin = robot.poses[0, _LAST, :3, :3], turning(robot.spatial_twists[0, _LAST, :3])
    inverse = translating(-rotation @ fixed)
    rate = robot.poses[1, _LAST, :3, :3] @ fixed
    truth = translating(-rate) - np.eye(6)
    printed = inverse @ spin - spin @ inverse
    return printed, -printed, truth


def spatial_increment(robot: MovingRobot) -> _Triple:
    """Return V^s of C = C_0 exp(X), (90), for X that moves with X'."""
    start, (x, rate) = robot.poses[0, _LAST], robot.rng.normal(size=(2, 6))
    stepped = start @ exp_se3(x + 1j * STEP * rate)
    moved = (stepped.imag / STEP) @ inverse_pose(stepped.real)
    printed = dexp_se3(x) @ rate
    truth = np.concatenate((vee(moved[:3, :3]), moved[:3, 3]))
    return printed, adjoint(start) @ printed, truth


ERRATA = (
    Erratum(
        'M2018 (3), (4), (5)',
        'j <= k; C_i^-1 C_j as the last factor in (3); J_{i,j} in (5)',
        'j < k, zero at k = j; C_j^-1 C_i; J_{i,k}',
        relative_pose_partial,
    ),
    Erratum(
        'M2018 (14)',
        'factor 2 on all triple brackets, j < k <= r',
        '2 for k < r, 1 for k = r',
        jerk,
    ),
    Erratum('M2018 (19)', "L b^s J^s q'", "L b^s diag(J^s_j) q'", spatial_acceleration),
    Erratum(
        'M2018 (26), (27), (29)',
        'only j <= k <= i',
        '+ [J^{h,w}_{i,k}, J^h_{i,j}] for k < j',
        hybrid_partial,
    ),
    Erratum(
        'M2018 (28)', 'Ad_{r_{i,j-1}}, ad_{V^s_j}', 'Ad_{r_{i,j}}, ad_{V^h_j}', hybrid_column_rate
    ),
    Erratum('M2018 (34)', "(V^m)'' = P (V^h)''", "P (V^h)'' - (w^b × (w^b)'; 0)", mixed_jerk),
    Erratum(
        'M2018 (34)', "(J^m)' = P (J^h)'", "P (J^h)' - (w^b × R^T J^{h,w}; 0)", mixed_column_rate
    ),
    Erratum('M2018 (51)', "m r_c' = f", "m r_c'' = f", mass_centre),
    Erratum(
        'M2018 (53)',
        "(Pi^h)' = W^h for any body frame",
        "(Pi^h)' - ad_{r'}^T Pi^h = W^h; equal at the mass centre only",
        hybrid_momentum,
    ),
    Erratum('M2018, section 3.3', 'V_c^h = Ad_R^-1 V_c^b', 'Ad_R V_c^b', centre_twist),
    Erratum(
        'M2018, section 3.3',
        "(Ad_d^-1)' = Ad_d^-1 ad_w - ad_w Ad_d^-1",
        'the opposite sign',
        inverse_shift_rate,
    ),
    Erratum('M2018, section 3.4', "r'' = v' + w × v", "r'' = R (v' + w × v)", origin_acceleration),
    Erratum(
        'M2018 (64), (65)',
        'Ad_{R_kj}^T jM Ad_{R_kj}; the angular velocity of frame k',
        'Ad_{R_kj} jM Ad_{R_kj}^T; that of frame k relative to frame j',
        resolved_frames,
    ),
    Erratum('M2018 (68), (72), (77)', 'for i = n - 1, .., 1', 'for i = n, .., 1', first_body),
    Erratum(
        'M2018 (68a), (72b), (77b)',
        '+ W of the load',
        '- W for a wrench ON the body, as in (78), (79)',
        load_sign,
    ),
    Erratum('M2018 (76b)', 'Ad_{-r_i} Y_i', 'Ad_{-r_i} J^s_i; Y_i is that of q = 0', hybrid_screw),
    Erratum('M2018, Remark 3', 'X^T (V_i - ..)', "X^T (V_i' - ..)", inverse_kinematics),
    Erratum(
        'M2018 (87)',
        'the third bracket of the joints i and j; only i < j <= k and j <= i < k',
        'of the joints j and k, all i, j, k; l from the largest of them',
        christoffel,
    ),
    Erratum(
        'M2018 (88)',
        'half of J_j^T M ad_{w_k} J_i at the mass centre',
        'w_lo^T vartheta (w_hi × w_i) + m v_i . (w_lo × v_hi)',
        binet,
    ),
    Erratum(
        'M2018 (90)',
        "V^s = dexp_X X' with C_0^-1 C = exp(X)",
        "V^s = Ad_{C_0} dexp_X X'; as printed with C C_0^-1 = exp(X)",
        spatial_increment,
    ),
    Erratum(
        'M2018 (9), (11), (12), (79), (84), (85)',
        'minus signs are lost in the text',
        "J' = -A a J, V' = J q'' - A a J q', C = -J^T (M A a + b^T M) J",
    ),
)
