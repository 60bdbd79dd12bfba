# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""External efforts and wrenches by the momentum observer."""

import numpy as np
import pytest
from oracles.random_models import random_joint_jet, random_model
from scipy.integrate import quad, solve_ivp

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, SingularJacobianError
from screw_dynamics.estimation.observers.link_efforts_from_motors import LinkEffortsFromMotors

BANDWIDTH = 2 * np.pi * 5.0
RATE = 200.0


def pushed(model, frame, duration=1.0):
    """Simulate a controlled arm that is pushed; return times, states, efforts, filtered loads."""
    n, rng = model.n, np.random.default_rng(5)
    goal, start = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)

    def control(q, qd):
        return sd.bias_forces(model, q, qd) + sd.mass_matrix(model, q) @ (40 * (goal - q) - 9 * qd)

    def load(t, q):
        push = np.array([0.5, -1.0, 0.3, 20.0, -30.0, 15.0]) * np.sin(2 * np.pi * 1.5 * t) ** 2
        return sd.frame_jacobian(model, q, frame).T @ push

    def derivative(t, y):
        q, qd, filtered = y.reshape(3, n)
        external = load(t, q)
        qdd = sd.forward_dynamics(model, q, qd, control(q, qd) + external)
        return np.concatenate([qd, qdd, BANDWIDTH * (external - filtered)])

    times = np.arange(0.0, duration, 1 / RATE)
    begin = np.concatenate([start, np.zeros(2 * n)])
    found = solve_ivp(derivative, (0, duration), begin, 'DOP853', times, rtol=1e-9, atol=1e-10)
    q, qd, filtered = found.y.T.reshape(-1, 3, n).transpose(1, 0, 2)
    efforts = np.array([control(*state) for state in zip(q, qd, strict=True)])
    return times, q, qd, efforts, filtered


def differencing_observer(model, times, q, qd, efforts):
    """Return the external efforts of the usual observer, with M' by differences of M."""
    inertia = sd.mass_matrix(model, q[0])
    integral, first, rows = np.zeros(model.n), inertia @ qd[0], [np.zeros(model.n)]
    for i in range(1, len(times)):
        step = times[i] - times[i - 1]
        before, inertia = inertia, sd.mass_matrix(model, q[i])
        terms = sd.bias_forces(model, q[i], qd[i]) - (inertia - before) @ qd[i] / step
        integral += step * (efforts[i] - terms + rows[-1])
        rows.append(BANDWIDTH * (inertia @ qd[i] - integral - first))
    return np.array(rows)


def test_a_push_is_followed_as_by_a_filter_of_first_order(arm):
    times, q, qd, efforts, filtered = pushed(arm, 'flange')
    observer = sd.LoadObserver(arm, bandwidth=BANDWIDTH)
    found = np.array([observer.update(*row) for row in zip(times, q, qd, efforts, strict=True)])
    peak = abs(filtered).max()
    error = abs(found - filtered).max()
    # the first step is linear: at 200 Hz (K h)^2 / 12 = 2e-3 of what changes at the bandwidth
    assert error < 2e-3 * peak
    usual = abs(differencing_observer(arm, times, q, qd, efforts) - filtered).max()
    assert usual > 10 * error


def pushed_tree(seed, load):
    """Return a tree drawn at random, its samples, and the filtered loads of a push of any size."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, int(rng.integers(2, 7)))
    rates, phases = rng.uniform(1, 4, (3, model.n)), rng.uniform(0, 6, (3, model.n))
    sizes, parts = rng.uniform(0.1, 0.5, (3, model.n)), 10
    fine = np.arange(0.0, 1.5, 1 / (parts * RATE))
    angles = fine[:, None, None] * rates + phases
    jets = np.stack(
        [(sizes * rates**d * np.sin(angles + d * np.pi / 2)).sum(axis=1) for d in range(3)], axis=1
    )
    push = load * rng.normal(size=6) * [1, 1, 1, 20, 20, 20]
    strength = np.sin(2 * np.pi * rng.uniform(0.5, 2) * fine) ** 2
    frame = model.body_names[-1]
    external = [sd.frame_jacobian(model, q, frame).T @ push for q in jets[:, 0]]
    external = strength[:, None] * external
    filtered = solve_ivp(
        lambda t, y: BANDWIDTH * ([np.interp(t, fine, row) for row in external.T] - y),
        (0.0, fine[-1]), np.zeros(model.n), 'RK45', fine[::parts], rtol=1e-8, atol=1e-9,
        max_step=0.01,
    ).y.T  # fmt: skip
    jets, external = jets[::parts], external[::parts]
    efforts = sd.inverse_dynamics(model, jets)[:, 0] - external
    return model, (fine[::parts], jets[:, 0], jets[:, 1], efforts), filtered


@pytest.mark.parametrize('load', [0.0, 1.0])
@pytest.mark.parametrize(
    'seed', [0, *(pytest.param(i, marks=pytest.mark.long) for i in range(1, 40))]
)
def test_errors_are_a_tenth_of_those_of_observers_that_difference_the_mass_matrix(seed, load):
    """The largest ones of trees drawn at random; the error of the first steps has decayed."""
    model, samples, filtered = pushed_tree(seed, load)
    observer = sd.LoadObserver(model, bandwidth=BANDWIDTH)
    found = np.array([observer.update(*row) for row in zip(*samples, strict=True)])
    error = abs(found - filtered)[50:].max()
    usual = differencing_observer(model, *samples)
    assert abs(usual - filtered)[50:].max() > 10 * error


def test_the_error_falls_with_the_third_power_of_the_sample_time(arm):
    times, q, qd, efforts, filtered = pushed(arm, 'flange', 0.6)
    errors = []
    for every in (4, 2, 1):
        observer = sd.LoadObserver(arm, bandwidth=BANDWIDTH)
        rows = zip(times[::every], q[::every], qd[::every], efforts[::every], strict=True)
        found = np.array([observer.update(*row) for row in rows])
        errors.append(abs(found - filtered[::every]).max())
    assert errors[0] / errors[1] > 6.0
    assert errors[1] / errors[2] > 6.0


def test_lost_samples_change_little(arm):
    """Every other sample is dropped or not, at random: steps are as long as the last, or twice."""
    times, q, qd, efforts, filtered = pushed(arm, 'flange')
    kept = (np.random.default_rng(4).random(len(times)) < 0.5) | (np.arange(len(times)) % 2 == 0)
    assert 30 < (~kept).sum() < 70
    observer = sd.LoadObserver(arm, bandwidth=BANDWIDTH)
    rows = zip(times[kept], q[kept], qd[kept], efforts[kept], strict=True)
    found = np.array([observer.update(*row) for row in rows])
    # the first step is linear; its error has decayed
    assert abs(found - filtered[kept])[40:].max() < 2e-3 * abs(filtered).max()


def test_after_a_gap_the_load_is_a_line_between_its_samples():
    """Noise of samples close together would be thrown far by a parabola through three of them."""
    mass = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'), gravity=(0.0, 0.0, 0.0))
    observer = sd.LoadObserver(mass, bandwidth=BANDWIDTH)
    times, noisy = np.array([0.0, 0.005, 0.01, 0.035]), np.array([0.0, 3.0, -3.0, 0.5])
    still = np.zeros(2)
    found = [observer.update(t, still, still, [x, 0.0]) for t, x in zip(times, noisy, strict=True)]

    def kernel(t):
        return BANDWIDTH * np.exp(BANDWIDTH * (t - times[3])) * np.interp(t, times, noisy)

    decay = np.exp(-BANDWIDTH * (times[3] - times[2]))
    expected = decay * found[2][0] - quad(kernel, times[2], times[3], epsabs=1e-12)[0]
    np.testing.assert_allclose(found[3], [expected, 0.0], rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize('seed', range(5))
def test_no_bias_at_rest(seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng, 6)
    payload = model.with_payload(model.body_names[-1], 1.0, (0.1, 0.0, 0.2), 0.01 * np.eye(3))
    q = rng.uniform(-2, 2, model.n)
    observer = sd.LoadObserver(payload, bandwidth=BANDWIDTH)
    holding = sd.gravity_forces(payload, q)
    for i in range(400):
        found = observer.update(i / RATE, q, np.zeros(model.n), holding)
    assert abs(found).max() < 1e-9 * max(1.0, abs(holding).max())


def random_drives(model, rng):
    """Return motors and friction of every kind, on all joints."""

    def joint():
        motor = sd.Motor(
            rotor_inertia=rng.uniform(0, 1e-4), gear_ratio=100.0, viscous_friction=1e-4,
            coulomb_friction=rng.uniform(0, 0.01), load_friction=rng.uniform(0, 0.2),
        )  # fmt: skip
        friction = sd.JointFriction(
            viscous=rng.uniform(0, 2), coulomb=1.0, breakaway=1.5, load=rng.uniform(0, 0.2)
        )
        spring = sd.TorsionSpring(stiffness=20.0, rest_position=0.1)
        return sd.JointDrive(motor=motor, friction=friction, parallel_spring=spring)

    return sd.Drives({name: joint() for name in model.joint_names})


@pytest.mark.parametrize('seed', range(4))
def test_efforts_of_links_are_those_of_the_motor_equations(seed, arm):
    rng = np.random.default_rng(seed)
    drives = random_drives(arm, rng)
    jet = random_joint_jet(rng, arm.n, 0)
    jet[2] = 0.0  # the transmitted effort then has no part of the rotor
    motors = sd.actuator_efforts(sd.Robot(arm, drives), jet)[0]
    links = LinkEffortsFromMotors(sd.Robot(arm, drives))
    expected = sd.inverse_dynamics(arm, jet)[0]
    scale = abs(motors).max()
    np.testing.assert_allclose(
        links.link_efforts(jet[1], motors, links.support(jet[0])),
        expected,
        rtol=0,
        atol=1e-12 * scale,
    )
    rotors = sd.actuator_efforts(
        sd.Robot(arm, drives), np.where(np.arange(3)[:, None] == 2, 1.0, jet)
    )[0]
    assert (links.rotor_inertia.diagonal() > 0).all()
    assert (rotors != motors).any()


@pytest.mark.parametrize(
    ('bandwidth', 'samples'),
    [(BANDWIDTH, 2), *(pytest.param(k, 40, marks=pytest.mark.long) for k in (BANDWIDTH, 300.0))],
)
def test_noise_has_the_stated_covariance(arm, bandwidth, samples):
    """Of the second sample too, with steps of different lengths."""
    rng = np.random.default_rng(8)
    q, n, runs = rng.uniform(-1, 1, arm.n), arm.n, 400
    times = np.cumsum(rng.uniform(0.2, 1.8, samples)) / RATE
    deviations = {'effort_deviation': 0.5, 'velocity_deviation': 0.004}
    holding, last = sd.gravity_forces(arm, q), []
    for _ in range(runs):
        observer = sd.LoadObserver(arm, bandwidth=bandwidth, **deviations)
        for time in times:
            velocity, noise = 0.004 * rng.normal(size=n), 0.5 * rng.normal(size=n)
            observer.update(time, q, velocity, holding + noise)
        last.append(observer.effort)
    whitened = np.linalg.solve(np.linalg.cholesky(observer.covariance), np.array(last).T)
    # 2800 squares of standard normal numbers: mean 1, deviation sqrt(2 / 2800) = 0.027
    assert np.mean(whitened**2) == pytest.approx(1.0, abs=0.13)
    assert abs(np.mean(whitened, axis=1)).max() < 5 / np.sqrt(runs)


@pytest.mark.parametrize(('components', 'part'), [('all', slice(0, 6)), ('force', slice(3, 6))])
@pytest.mark.parametrize('deviation', [0.0, 0.3])
def test_a_wrench_at_a_link_is_found(arm, components, part, deviation):
    rng = np.random.default_rng(3)
    q, wrench = rng.uniform(-1, 1, arm.n), np.zeros(6)
    wrench[part] = rng.normal(size=6)[part]
    observer = sd.LoadObserver(arm, bandwidth=200.0, effort_deviation=deviation)
    load = sd.frame_jacobian(arm, q, 'link_6').T @ wrench
    for i in range(100):
        observer.update(i / RATE, q, np.zeros(arm.n), sd.gravity_forces(arm, q) - load)
    if components == 'all':
        with pytest.raises(SingularJacobianError, match='moves no joint'):
            observer.wrench('link_1', components)
        load = sd.frame_jacobian(arm, q, 'flange').T @ wrench
        for i in range(100, 200):
            observer.update(i / RATE, q, np.zeros(arm.n), sd.gravity_forces(arm, q) - load)
    frame = 'flange' if components == 'all' else 'link_6'
    found, covariance = observer.wrench(frame, components)
    np.testing.assert_allclose(found, wrench, atol=1e-9)
    assert (covariance.diagonal()[part] > 0.0).all() == (deviation > 0.0)


def test_covariance_of_a_wrench_is_that_of_its_noise(arm):
    q = np.random.default_rng(2).uniform(-1, 1, arm.n)
    observer = sd.LoadObserver(arm, bandwidth=50.0, effort_deviation=np.linspace(0.1, 1, 7))
    for i in range(50):
        observer.update(i / RATE, q, np.zeros(7), sd.gravity_forces(arm, q))
    jacobian = sd.frame_jacobian(arm, q, 'flange')
    information = jacobian @ np.linalg.inv(observer.covariance) @ jacobian.T
    _, covariance = observer.wrench('flange')
    np.testing.assert_allclose(covariance @ information, np.eye(6), atol=1e-8)


def test_bad_arguments_leave_the_observer_as_it_was(arm):
    observer = sd.LoadObserver(arm)
    rest = np.zeros(7)
    observer.update(0.0, rest, rest, rest)
    observer.update(0.1, rest, rest, rest)
    before = observer.effort
    for error, text, arguments in (
        (InputError, 'time: expected more than 0.1 s, got 0.1 s', (0.1, rest, rest, rest)),
        (InputError, 'time: expected', (float('nan'), rest, rest, rest)),
        (ShapeError, r'q: expected shape \(7,\)', (0.2, rest[:3], rest, rest)),
        (NotFiniteError, r'effort\[2\]', (0.2, rest, rest, [0, 0, np.inf, 0, 0, 0, 0])),
        (NotFiniteError, 'overflow', (0.2, rest, rest + 1e200, rest)),
    ):
        with pytest.raises(error, match=text):
            observer.update(*arguments)
        assert (observer.effort == before).all()
    observer.update(0.2, rest, rest, rest)


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        ({'bandwidth': 0.0}, 'bandwidth: expected numbers above 0, got 0'),
        ({'bandwidth': [1.0, 2.0]}, r'bandwidth: expected shape \(\) or \(7,\)'),
        ({'effort_deviation': -1.0}, 'effort_deviation: expected numbers >= 0, got -1'),
    ],
)
def test_bad_parameters_are_named(arm, arguments, text):
    with pytest.raises(InputError, match=text):
        sd.LoadObserver(arm, **arguments)


def test_what_is_not_supported_is_named(arm):
    coupled = sd.Robot(arm, sd.Drives({}, rotor_coupling=True))
    with pytest.raises(InputError, match='drives: rotor_coupling: expected false, got true'):
        sd.LoadObserver(coupled)
    with pytest.raises(InputError, match='model: expected a ScrewModel, got int'):
        sd.LoadObserver(3)
    with pytest.raises(InputError, match='components: expected all or force, got 7'):
        sd.LoadObserver(arm).wrench('flange', 7)
