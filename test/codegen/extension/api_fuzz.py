# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Drawn calls of the public API: `python api_fuzz.py FOLDER ROBOTS`, on the module in a folder.

Arrays of the same values change no result, however they lie in memory. Arrays of other shapes,
types and values, and outputs of all kinds, end in a result or in an error of the package.
"""

import sys
from functools import partial
from pathlib import Path

import numpy as np
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from screw_dynamics import soft, trajectory

SPRINGS = None, sd.LinearSpring(300.0), sd.LinearSpring(300.0, 9.0), sd.CubicSpring(200.0, 5e4)


def unaligned(a):
    moved = np.empty(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
    moved[...] = a
    return moved


def with_last(a, value):
    return np.append(a.ravel()[:-1], value).reshape(a.shape) if a.size else a


LAYOUTS = [
    unaligned,
    np.asfortranarray,
    lambda a: np.flip(np.flip(a).copy()),
    lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    lambda a: a.astype('>f8'),
    lambda a: a.tolist() if a.size else a,
]
SPOILS = [
    lambda a: a[..., :-1], lambda a: a[:-1], lambda a: a[:0], lambda a: a[..., :0],
    lambda a: a[0] if len(a) else a, lambda a: a[np.newaxis], lambda a: np.concatenate((a, a)),
    lambda a: np.concatenate((a, a), axis=-1), lambda a: with_last(a, np.nan),
    lambda a: with_last(a, np.inf), lambda a: 1e200 * a, lambda a: 0.0 * a, np.ma.masked_array,
    lambda a: None, lambda a: np.broadcast_to(0.5, a.shape),
    *(lambda a, kind=kind: a.astype(kind) for kind in ('f4', 'i8', '?', 'c16', 'O', 'U4')),
]  # fmt: skip


def random_robot(rng):
    types = rng.choice(('revolute', 'prismatic', 'helical'), rng.integers(1, 8))
    back, mimics = rng.integers(1, 3, len(types)), rng.random(len(types)) < 0.15
    parts = zip(types, back, mimics, strict=True)
    recipes = [BodyRecipe(str(t), int(b), 0 if m else None) for t, b, m in parts]
    return random_model(rng, recipes, length=0.5)


def rod(strain):
    basis = np.eye(6, 2)
    basis[0] += strain
    return basis


def random_soft_robot(rng):
    modules = [
        soft.ConstantCurvature(0.3, 0.03, 0.5, 0.1, 20.0, 0.2),
        soft.PlanarConstantCurvature(0.3, 0.03, 0.8, 0.2, 0.1),
        soft.Joint('revolute', [0.0, 0.0, 1.0], np.eye(4)),
        soft.VariableStrain(0.4, 0.02, 0.6, rod, stiffness=[1.0] * 6, order=4, nodes=5),
        soft.VariableStrain(0.4, 0.02, 0.6, rod, stiffness=[1.0] * 6, order=2, nodes=3),
    ]
    chosen = rng.integers(0, len(modules), rng.integers(1, 4))
    return soft.SoftRobot([modules[k] for k in chosen], [0.0, 0.0, 9.8])


def terms(rng, model, batch):
    """Return calls for models of all kinds: function, arrays, shape of `out` or None."""
    n, order = model.n, int(rng.integers(0, 7))
    q, qd, tau = rng.normal(size=(3, *batch, n))
    jet, square = rng.normal(size=(*batch, order + 3, n)), (*batch, n, n)
    return [
        (partial(sd.inverse_dynamics, model), [jet], (*batch, order + 1, n)),
        (partial(sd.inverse_dynamics, model, threads=2), [jet], (*batch, order + 1, n)),
        (partial(sd.mass_matrix, model), [q], square),
        (partial(sd.gravity_forces, model), [q], q.shape),
        (partial(sd.bias_forces, model), [q, qd], q.shape),
        (partial(sd.forward_dynamics, model), [q, qd, tau], q.shape),
    ]


def terms_of_trees(rng, model, batch):
    n, rows, frame = model.n, int(rng.integers(1, 8)), str(rng.choice(list(model.frames)))
    q, qd, tau = rng.normal(size=(3, *batch, n))
    jet, wrench = rng.normal(size=(*batch, rows + 2, n)), rng.normal(size=(*batch, rows, 6))
    few, covariances = jet[..., :3, :].copy(), np.eye(3) + np.full((2, n, 3, 3), 0.01)
    kinds = [SPRINGS[k] for k in rng.integers(0, 4, n)]
    drives = [sd.JointDrive(spring, sd.Motor(2e-3, 10.0)) for spring in kinds]
    robot = sd.Robot(model, sd.Drives(dict(zip(model.joint_names, drives, strict=True))))
    simulation = sd.simulation.ElasticRobot(robot)
    state = np.zeros(simulation.state_size)

    def loaded(jet, wrench, out=None):
        return sd.inverse_dynamics(model, jet, {frame: wrench}, out=out)

    def step(effort, out=None):
        return simulation.step(state.copy() if out is None else out, effort, 1e-3)

    return [
        (loaded, [jet, wrench], (*batch, rows, n)),
        (partial(sd.coriolis_matrix, model), [q, qd], (*batch, n, n)),
        (partial(sd.effort_partials, model), [few], None),
        (partial(sd.frame_pose, model, frame=frame), [q], (*batch, 4, 4)),
        (partial(sd.frame_jacobian, model, frame=frame), [q], (*batch, 6, n)),
        (partial(sd.frame_twist, model, frame=frame), [jet], (*batch, rows + 1, 6)),
        (partial(sd.frame_jacobian_jet, model, frame=frame), [jet], None),
        (partial(sd.task_to_joint_jet, model, frame=frame), [q, wrench], None),
        (partial(sd.control_terms, model, frame=frame), [q, qd], None),
        (partial(sd.regressor, model), [jet], None),
        (partial(sd.forward_dynamics_jet, model), [q, qd, jet], None),
        (partial(sd.forward_dynamics_partials, model), [q, qd, tau], None),
        (partial(sd.effort_deviations, model), [np.stack([few] * 2), covariances], None),
        (partial(sd.actuator_efforts, robot), [jet], (*batch, rows, n)),
        (partial(sd.elastic_feedforward, robot), [jet], None),
        (partial(sd.measured_spring_efforts, robot), [few[..., 1:, :]] * 2 + [tau], None),
        (simulation.derivatives, [state, tau], None),
        (step, [tau], state.shape),
        (lambda *arrays: sd.LoadObserver(model).update(0.0, *arrays), [q, qd, tau], None),
    ]


def motions(rng, n):
    breaks, coefficients = np.arange(4.0), rng.normal(size=(3, 6, n))
    curve = trajectory.PiecewisePolynomial(breaks, coefficients, np.ones(n), 0)
    held = trajectory.ReferenceFilter(n)
    held.start(np.zeros(n))
    time, names = rng.uniform(-1.0, 4.0), tuple(map(str, range(n)))
    times, positions = np.arange(1.0, 5.0), rng.normal(size=(5, n))

    def fitted(positions):
        free = np.full(np.shape(positions), np.nan)
        points = trajectory.Waypoints(names, np.arange(5.0), positions, free, free)
        return trajectory.smooth_trajectory(points).jets(times)

    def sampled(source, time, out=None):
        return source.sample(time, np.empty((5, n)) if out is None else out)

    return [
        (partial(sampled, curve, time), [], (5, n)),
        (partial(sampled, held, 0.1), [], (5, n)),
        (curve.jets, [times], None),
        (fitted, [positions], None),
        (held.follow, [positions[0]], None),
    ]


def outcome(function, *arrays, **options):
    """Return the arrays that a call returns, or the error of the package that it raises."""
    try:
        result = function(*arrays, **options)
    except sd.ScrewDynamicsError as error:
        return error
    fields = getattr(result, '__dict__', {'': result}).values()
    parts = result if isinstance(result, tuple) else fields
    return [one.copy() for one in parts if isinstance(one, np.ndarray)]


def compare(got, expected):
    if isinstance(got, Exception) or isinstance(expected, Exception):
        assert type(got) is type(expected), (got, expected)
        return
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9 * np.abs(other).max(initial=0))


def fuzz(rng, function, arrays, shape):
    expected = outcome(function, *arrays)
    moved = [LAYOUTS[rng.integers(0, len(LAYOUTS))](a) for a in arrays]
    compare(outcome(function, *moved), expected)
    if arrays:
        spoilt, k = list(arrays), rng.integers(0, len(arrays))
        spoilt[k] = SPOILS[rng.integers(0, len(SPOILS))](arrays[k])
        outcome(function, *spoilt)
    if shape is not None:
        compare(outcome(function, *arrays, out=np.zeros(shape)), expected)
        for spoil in rng.choice(np.array(LAYOUTS + SPOILS, dtype=object), 3):
            outcome(function, *arrays, out=spoil(np.zeros(shape)))


def main(folder, robots):
    sd.__path__.insert(0, folder)  # the module there is found first, and no other one
    sys.modules['screw_dynamics._kernels_wide'] = None
    assert sd.kernel_form() == 'c'
    assert Path(sys.modules['screw_dynamics._kernels'].__file__).parent == Path(folder)
    for seed in range(int(robots)):
        rng = np.random.default_rng(seed)
        batch = () if rng.random() < 0.5 else (int(rng.integers(0, 10)),)
        tree, chain = random_robot(rng), random_soft_robot(rng)
        calls = [*terms(rng, tree, batch), *terms_of_trees(rng, tree, batch)]
        for function, arrays, shape in [*calls, *terms(rng, chain, batch), *motions(rng, tree.n)]:
            print(seed, function, [a.shape for a in arrays], file=sys.stderr, flush=True)
            fuzz(rng, function, arrays, shape)
    print('done')


if __name__ == '__main__':
    main(*sys.argv[1:])
