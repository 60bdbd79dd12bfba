# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Integration on SE(3): orders, conserved quantities, absolute against joint coordinates."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from oracles.random_models import TREE, BodyRecipe, random_inertia, random_model, random_rotation
from scipy.integrate import solve_ivp

import screw_dynamics as sd
from screw_dynamics import lie
from screw_dynamics.errors import InputError, SimulationError
from screw_dynamics.theory.geometric_integration import free_body, joint_space, runge_kutta
from screw_dynamics.theory.geometric_integration.absolute_coordinates import AbsoluteCoordinates
from screw_dynamics.theory.geometric_integration.munthe_kaas import System, integrate
from screw_dynamics.theory.lagrange.energies import kinetic_energy, potential_energy

METHODS = {
    'Euler': runge_kutta.EULER,
    'explicit midpoint': runge_kutta.EXPLICIT_MIDPOINT,
    'Dormand-Prince': runge_kutta.DORMAND_PRINCE,
    'implicit midpoint': runge_kutta.IMPLICIT_MIDPOINT,
    'Gauss': runge_kutta.tableau(
        4, '1/2 1/2', f'1/4 {0.25 - 3**0.5 / 6!r}', f'{0.25 + 3**0.5 / 6!r} 1/4'
    ),
}
NO_POSES = np.zeros((0, 4, 4))
# axes that are almost parallel and almost meet, a light body and a heavy flat one
NEARLY_SINGULAR = [
    BodyRecipe('revolute', coordinate_axis=True, tilt=1e-6),
    BodyRecipe('revolute', coordinate_axis=True, tilt=1e-6, parallel_home=True),
    BodyRecipe('prismatic', coordinate_axis=True, identity_home=True, mass_scale=1e-3),
    BodyRecipe('helical', points=3, mass_scale=10.0),
]
forms = pytest.mark.parametrize('form', ['body_fixed', 'spatial', 'momentum'])


def system_and_start(form, inertia, pose, twist, wrench=None):
    system = getattr(free_body, f'{form}_form')(inertia, wrench)
    if form == 'momentum':
        return system, free_body.spatial_momentum(inertia, pose, twist)
    return system, lie.adjoint(pose) @ twist if form == 'spatial' else twist


def end(system, method, poses, y, duration, steps):
    *_, (_, poses, y) = integrate(system, method, poses, y, duration / steps, steps)
    return poses, y


def symmetric_top(pose, momentum, inertias, t):
    """Return the rotation of a free symmetric top: precession after a turn about its axis."""
    lateral, _, axial = inertias
    own = (pose[:3, :3].T @ momentum)[2] * (1 / axial - 1 / lateral)
    turn = lie.exp_so3(np.array([0.0, 0.0, own * t]))
    return lie.exp_so3(momentum * t / lateral) @ pose[:3, :3] @ turn


@forms
@pytest.mark.parametrize('name', METHODS)
def test_order_of_convergence_on_the_symmetric_top(form, name, rng):
    method = METHODS[name]
    inertias = np.array([0.5, 0.5, 0.8])
    pose, twist = lie.pose(random_rotation(rng), np.zeros(3)), np.zeros(6)
    twist[:3] = [1.5, -0.8, 2.0]
    system, y = system_and_start(form, lie.inertia_matrix(1.3, np.zeros(3), np.diag(inertias)),
                                 pose, twist)  # fmt: skip
    exact = symmetric_top(pose, pose[:3, :3] @ (inertias * twist[:3]), inertias, 1.0)
    errors = []
    for steps in (32, 64):
        found = end(system, method, pose[None], y, 1.0, steps)[0][0, :3, :3]
        errors.append(abs(found - exact).max())
    # the next term of the error changes the order by less than a third at these steps
    assert abs(np.log2(errors[0] / errors[1]) - method.order) < 0.35
    assert errors[1] > 1e-13  # rounding does not blur the order


def loaded_body(rng):
    """Return a body that a spring, a damper and a periodic wrench move, and its derivatives."""
    inertia, anchor, drive = random_inertia(rng), rng.normal(size=3), rng.normal(size=6)

    def wrench(t, pose, twist):
        spring = pose[:3, :3].T @ (20.0 * (anchor - pose[:3, 3]))
        return np.cos(3.0 * t) * drive + np.append(np.zeros(3), spring) - 0.3 * twist

    return inertia, wrench


def by_quaternion(inertia, wrench, pose, twist, duration):
    """Return pose and twist from the equations in quaternion, origin and body-fixed twist."""
    first = lie.log_so3(pose[:3, :3])
    angle = np.linalg.norm(first)
    quaternion = np.append(np.sin(angle / 2) / angle * first, np.cos(angle / 2))

    def derivative(t, y):
        rotation, (w, v) = lie.quaternion_rotation(y[:4]), y[7:].reshape(2, 3)
        spin = 0.5 * np.append(y[3] * w + np.cross(y[:3], w), -y[:3] @ w)
        angular, linear = (inertia @ y[7:]).reshape(2, 3)
        bias = np.append(np.cross(w, angular) + np.cross(v, linear), np.cross(w, linear))
        force = wrench(t, lie.pose(rotation, y[4:7]), y[7:])
        return np.concatenate([spin, rotation @ v, np.linalg.solve(inertia, force - bias)])

    start = np.concatenate([quaternion, pose[:3, 3], twist])
    y = solve_ivp(derivative, (0, duration), start, 'DOP853', rtol=1e-12, atol=1e-13).y[:, -1]
    return lie.pose(lie.quaternion_rotation(y[:4]), y[4:7]), y[7:]


@forms
def test_a_loaded_body_against_quaternions(form, rng):
    inertia, wrench = loaded_body(rng)
    pose, twist = lie.exp_se3(rng.normal(size=6)), rng.normal(size=6)
    expected, _ = by_quaternion(inertia, wrench, pose, twist, 1.0)
    system, y = system_and_start(form, inertia, pose, twist, wrench)
    errors = []
    for steps in (50, 100):
        found = end(system, runge_kutta.DORMAND_PRINCE, pose[None], y, 1.0, steps)[0][0]
        errors.append(abs(found - expected).max())
    assert errors[1] < 1e-8
    assert errors[0] / errors[1] > 2**4.4  # the order is 5


@pytest.mark.parametrize('form', ['body_fixed', 'spatial'])
def test_fifty_digits(form, rng):
    """Orders hold far below the rounding of floats."""
    inertias = np.array([0.5, 0.5, 0.8])
    with mpmath.workdps(50):
        digits = np.vectorize(mpmath.mpf, otypes=[object])
        inertia = digits(lie.inertia_matrix(1.3, np.zeros(3), np.diag(inertias)))
        twist = digits([1.5, -0.8, 2.0, 0.0, 0.0, 0.0])
        pose = digits(np.eye(4))
        system, y = system_and_start(form, inertia, pose, twist)
        h, errors = mpmath.mpf(1) / 10**5, []
        for steps in (1, 2):
            for _, poses, _ in integrate(
                system, runge_kutta.CLASSICAL, pose[None], y, 2 * h / steps, steps
            ):
                found = poses[0, :3, :3]
            own = digits(inertias) * twist[:3]
            exact = symmetric_top(pose, own, digits(inertias), 2 * h)
            errors.append(abs(found - exact).max())
            assert abs(found.T @ found - digits(np.eye(3))).max() < mpmath.mpf(10) ** -48
        # one step of 2h against two of h
        assert 1e-30 < errors[0] < 1e-23
        assert abs(mpmath.log(errors[0] / errors[1], 2) - 4) < 0.1


def driven(model, rng):
    """Return q, q' and periodic efforts."""
    q, qd = 0.4 * rng.normal(size=(2, model.n))
    amplitudes = rng.normal(size=model.n)
    return q, qd, lambda t, *_: amplitudes * np.cos(4.0 * t)


def joint_motion(model, q, qd, efforts, duration):
    """Return q, q' from the compiled accelerations, by DOP853."""

    def derivative(t, y):
        position, velocity = np.split(y, 2)
        return np.append(velocity, sd.forward_dynamics(model, position, velocity, efforts(t)))

    start = np.append(q, qd)
    solution = solve_ivp(derivative, (0, duration), start, 'DOP853', rtol=1e-12, atol=1e-13)
    return np.split(solution.y[:, -1], 2)


@pytest.mark.parametrize('form', ['velocity', 'momentum'])
def test_trees_in_joint_coordinates(form, rng):
    model = random_model(rng, TREE)
    q, qd, efforts = driven(model, rng)
    expected = joint_motion(model, q, qd, efforts, 0.3)
    second = qd if form == 'velocity' else joint_space.momenta(model, q, qd)
    system = getattr(joint_space, f'{form}_form')(model, efforts)
    errors = []
    for steps in (15, 30):
        _, y = end(system, runge_kutta.CLASSICAL, NO_POSES, np.append(q, second), 0.3, steps)
        found = y[model.n :]
        if form == 'momentum':
            found = joint_space.velocities(model, y[: model.n], found)
        errors.append(abs(np.append(y[: model.n] - expected[0], found - expected[1])).max())
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] > 2**3.4


@pytest.mark.parametrize('recipes', [TREE, NEARLY_SINGULAR], ids=['tree', 'nearly singular'])
@pytest.mark.parametrize('form', ['twist', 'momentum'])
def test_trees_in_absolute_coordinates(form, recipes, rng):
    """Poses of all bodies are those of the joint coordinates, to the order of the method."""
    model = random_model(rng, recipes)
    q, qd, efforts = driven(model, rng)
    robot = AbsoluteCoordinates(model, efforts)
    expected, expected_twists = robot.state(*joint_motion(model, q, qd, efforts, 0.2))
    poses, twists = robot.state(q, qd)
    y = twists.ravel() if form == 'twist' else robot.momenta(poses, twists)
    errors = []
    for steps in (10, 20):
        system = getattr(robot, f'{form}_form')()
        at_end, y_end = end(system, runge_kutta.CLASSICAL, poses, y, 0.2, steps)
        found = y_end.reshape(-1, 6) if form == 'twist' else robot.twists(at_end, y_end)
        errors.append(max(abs(at_end - expected).max(), abs(found - expected_twists).max()))
        assert abs(robot.position_errors(at_end)).max() <= 2.0 * errors[-1]
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] > 2**3.4


def test_a_joint_on_the_base_is_kept_exactly(rng):
    """Its motions are a subgroup: exp(X) stays in it, and the constraint holds to rounding."""
    for joint_type in ('revolute', 'prismatic', 'helical'):
        model = random_model(rng, [BodyRecipe(joint_type)])
        robot = AbsoluteCoordinates(model)
        poses, twists = robot.state(np.array([0.3]), np.array([0.5]))
        poses, _ = end(
            robot.twist_form(), runge_kutta.EXPLICIT_MIDPOINT, poses, twists.ravel(), 1.0, 20
        )
        assert abs(robot.position_errors(poses)).max() < 1e-13


def test_a_floating_tree_preserves_its_momentum(rng):
    model = random_model(rng, TREE[:2] + [BodyRecipe('revolute', parent_back=2)])
    model = replace(model, gravity=np.zeros(3))
    robot = AbsoluteCoordinates(model, lambda t: np.cos(t * np.arange(1, 4)), free_base=True)
    poses, twists = robot.state(*(0.4 * rng.normal(size=(2, model.n))))
    momenta = robot.momenta(poses, twists)
    total = momenta.reshape(-1, 6).sum(axis=0)
    method, drifts = runge_kutta.EXPLICIT_MIDPOINT, {}
    _, y = end(robot.momentum_form(), method, poses, momenta, 0.5, 25)
    drifts['momentum'] = abs(y.reshape(-1, 6).sum(axis=0) - total).max()
    at_end, y = end(robot.twist_form(), method, poses, twists.ravel(), 0.5, 25)
    found = robot.momenta(at_end, y.reshape(-1, 6))
    drifts['twist'] = abs(found.reshape(-1, 6).sum(axis=0) - total).max()
    # a hundred sums of opposite numbers of the size of the momenta
    assert drifts['momentum'] < 1e-13 * abs(momenta).max()
    assert drifts['twist'] > 1e-6
    assert abs(found - momenta).max() > 1e-2  # the bodies exchange momentum


def test_momenta_of_cyclic_joints_are_preserved(rng):
    """The joint on the base is cyclic without gravity."""
    model = replace(random_model(rng, [*TREE[:2], TREE[3]]), gravity=np.zeros(3))
    q, qd = 0.4 * rng.normal(size=(2, model.n))
    p = joint_space.momenta(model, q, qd)
    method = runge_kutta.EXPLICIT_MIDPOINT
    _, y = end(joint_space.momentum_form(model), method, NO_POSES, np.append(q, p), 0.5, 50)
    assert abs(y[model.n] - p[0]) < 1e-13 * abs(p).max()
    _, y = end(joint_space.velocity_form(model), method, NO_POSES, np.append(q, qd), 0.5, 50)
    drifted = joint_space.momenta(model, *np.split(y, 2))
    assert abs(drifted[0] - p[0]) > 1e-8


@pytest.mark.parametrize('form', ['twist', 'momentum'])
def test_energy_grows_by_the_work_of_the_efforts(form, rng):
    model = random_model(rng, TREE)
    q, qd, efforts = driven(model, rng)
    robot = AbsoluteCoordinates(model, efforts)
    poses, twists = robot.state(q, qd)
    before = robot.energy(poses, twists)
    assert before == pytest.approx(kinetic_energy(model, q, qd) + potential_energy(model, q))
    system = getattr(robot, f'{form}_form')()
    y = twists.ravel() if form == 'twist' else robot.momenta(poses, twists)

    def with_work(t, at, state):
        """The work is one more number of the state."""
        moving, rate = system.rates(t, at, state[:-1])
        in_body = robot.twists(at, state[:-1]) if form == 'momentum' else moving
        _, wrenches = robot.accelerations(t, at, in_body)
        relative = in_body.copy()
        for i, p in enumerate(model.parents):
            if p >= 0:
                relative[i] -= lie.adjoint(lie.inverse_pose(at[i]) @ at[p]) @ in_body[p]
        return moving, np.append(rate, np.sum(wrenches * relative))

    poses, y = end(
        System(with_work, system.spatial), runge_kutta.DORMAND_PRINCE, poses, np.append(y, 0.0),
        0.2, 20,
    )  # fmt: skip
    twists = y[:-1].reshape(-1, 6) if form == 'twist' else robot.twists(poses, y[:-1])
    after = robot.energy(poses, twists)
    assert abs(y[-1]) > 1e-3
    assert after - before == pytest.approx(y[-1], rel=1e-6, abs=1e-7)


def test_steps_that_are_too_long_are_refused():
    stiff = System(lambda t, poses, y: (np.zeros((0, 6)), -100.0 * y))
    with pytest.raises(SimulationError, match='implicit stages converge, got 0.5 s'):
        end(stiff, runge_kutta.IMPLICIT_MIDPOINT, NO_POSES, np.ones(1), 0.5, 1)


def test_tableaux_are_checked():
    with pytest.raises(InputError, match=r'a: expected 2 rows of at most 2 entries, got \[0\]'):
        runge_kutta.tableau(2, '1/2 1/2', '')
    for method in METHODS.values():
        assert sum(method.b) == 1
