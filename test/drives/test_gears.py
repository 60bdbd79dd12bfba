# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Hysteresis, backlash and friction at rest: records, motor commands, simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracles.lossy_joint import LENGTH, MASS, LossyJoint
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import screw_dynamics as sd
from screw_dynamics.drives.spring_deflections import slipped_deflections
from screw_dynamics.errors import InputError, ModelError
from screw_dynamics.kernels.drives.gears import dead_zone
from screw_dynamics.simulation import ElasticRobot

LINK = sd.lie.inertia_matrix(MASS, np.array([0.0, 0.0, -LENGTH]), np.zeros((3, 3)))
PENDULUM = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [LINK])
WIDTH, GAP = 1.5e-3, 2e-3


def robot(plant: LossyJoint, spring: sd.Spring | None = None, **drive: float) -> sd.Robot:
    """Return the package's record of a plant; `drive` has fields of `JointDrive` instead."""
    motor = sd.Motor(
        plant.rotor,
        viscous_friction=plant.viscous,
        coulomb_friction=plant.coulomb,
        breakaway_friction=plant.breakaway,
        stribeck_velocity=plant.stribeck,
        presliding_stiffness=plant.bristle,
    )
    parts = {'hysteresis': plant.width, 'backlash': plant.gap} | drive
    one = sd.JointDrive(spring or sd.LinearSpring(plant.stiffness), motor, **parts)
    return sd.Robot(PENDULUM, sd.Drives({'joint_1': one}))


def swing(times: np.ndarray) -> np.ndarray:
    """Return jets q to snap (T, 5, 1) of a sum of sines that begins at rest."""
    rows = np.zeros((len(times), 5, 1))
    for size, rate in ((0.5, 3.0), (-0.25, 6.0)):
        for d in range(5):
            rows[:, d, 0] += size * rate**d * np.sin(rate * times + 0.5 * np.pi * d)
    return rows


LOSSES = {
    'hysteresis': {'width': WIDTH},
    'backlash': {'gap': GAP},
    'both': {'width': WIDTH, 'gap': GAP},
    'bristle': {'coulomb': 1.5, 'breakaway': 2.0, 'bristle': 2000.0},
    'all': {'width': WIDTH, 'gap': GAP, 'coulomb': 1.5, 'breakaway': 2.0, 'bristle': 2000.0},
}


@pytest.mark.parametrize('losses', ['backlash', 'all'])
def test_the_simulation_is_that_of_a_plant_by_efforts(losses):
    """Steps of 0.1 ms with inputs held, against a stiff solver: the solver's tolerance is 1e-8."""
    plant = LossyJoint(**LOSSES[losses])
    simulated = ElasticRobot(robot(plant))
    times = np.linspace(0.0, 0.5, 101)

    def drive(t, x):
        return 6.0 * np.sin(5.0 * t) - 2.0 * x[2]

    expected = plant.run(drive, times, np.array([0.0, 0.0, 0.01, 0.0, 0.0, 0.0]))
    states = simulated.integrate(
        times, lambda t, x: [drive(t, x)], simulated.state([0.0], motor_position=[0.01])
    )
    found = np.column_stack((states.position, states.motor_position))
    assert np.abs(found - expected[:, [0, 2]]).max() < 2e-6
    assert np.abs(expected[:, 0]).max() > 0.1

    state, links = simulated.state([0.0], motor_position=[0.01]), []
    h = 1e-4
    for k in range(5000):
        if k % 50 == 0:
            links.append(state[[0, 2]].copy())
        middle = state + 0.5 * h * simulated.derivatives(state, [drive(k * h, state)])
        simulated.step(state, [drive((k + 0.5) * h, middle)], h)
    assert np.abs(np.array(links) - expected[:-1, [0, 2]]).max() < 2e-5


def test_steps_are_stable_however_fast_the_gear_slips():
    """A deflection of 1000 widths within a step: the state stays on the loop."""
    plant = LossyJoint(width=1e-6, coulomb=1.0, bristle=1e9)
    simulated = ElasticRobot(robot(plant))
    state = simulated.state([0.0], motor_velocity=[2.0])
    simulated.step(state, [0.0], 5e-4, steps=400)
    assert np.isfinite(state).all()
    assert abs(state[4]) <= 1e-6
    assert abs(state[5]) <= 1.0


@pytest.mark.parametrize('shaken', [0.0, 0.4])
def test_a_motor_holds_at_rest_until_its_friction_breaks_away(shaken):
    plant = LossyJoint(stiffness=3000.0, viscous=30.0, coulomb=1.5, breakaway=2.0, bristle=4000.0)
    simulated = ElasticRobot(robot(plant))

    def travel(effort: float) -> np.ndarray:
        state, places = simulated.state([0.0]), []
        for k in range(4000):
            simulated.step(state, [effort + shaken * np.sin(0.04 * np.pi * k)], 1e-3)
            places.append(state[2])
        return np.array(places)

    held, moving = travel(0.6), travel(2.6)
    # elastic: the last second is where the second one was, within the vibration
    assert abs(held[3000:].mean() - held[1000:2000].mean()) < 5e-9
    assert np.abs(held).max() < 2.0 / 4000.0
    assert moving[-1] > 0.03
    smooth = ElasticRobot(robot(replace(plant, bristle=0.0)))
    state = smooth.state([0.0])
    smooth.step(state, [0.6], 1e-3, steps=4000)
    assert state[2] > 0.02


def test_friction_at_rest_is_lugre_of_mujoco_while_small_and_in_sliding():
    """LuGre yields by F / 2 g of its deflection more, g the level, and creeps; this one holds."""
    mujoco = pytest.importorskip('mujoco')
    rotor, viscous, coulomb, breakaway, bristle = 0.4, 2.0, 1.0, 1.5, 2000.0
    engine = mujoco.MjModel.from_xml_string(f"""
    <mujoco><option timestep="2e-4" integrator="implicitfast" gravity="0 0 0"/><worldbody><body>
      <joint name="q" axis="0 1 0" armature="{rotor}" damping="{viscous}"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
    <actuator><dcmotor joint="q" motorconst="1e-6" resistance="1"
      lugre="{bristle} 0 {coulomb} {breakaway} 0.1"/></actuator></mujoco>""")
    wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [np.eye(6)])
    motor = sd.Motor(
        rotor,
        viscous_friction=viscous,
        coulomb_friction=coulomb,
        breakaway_friction=breakaway,
        stribeck_velocity=0.1,
        presliding_stiffness=bristle,
    )
    drives = sd.Drives({'joint_1': sd.JointDrive(motor=motor)})
    simulated, data = ElasticRobot(sd.Robot(wheel, drives)), mujoco.MjData(engine)
    state, places, rates = simulated.state([0.0]), [], []
    for k in range(3000):
        force = min(3e-4 * k, 0.15) if k < 1500 else 2.5
        data.qfrc_applied[0] = force
        mujoco.mj_step(engine, data, 5)
        simulated.step(state, [force], 2.5e-4, steps=4)
        places.append((data.qpos[0], state[0]))
        rates.append((data.qvel[0], state[1]))
    yielded = places[300][0] / places[300][1] - 1.0  # under 0.09 N m
    assert abs(yielded - 0.5 * 0.09 / breakaway) < 0.25 * 0.09 / breakaway
    creep, held = np.abs(np.subtract(places[1499], places[999]))
    assert held < 1e-6 < creep
    np.testing.assert_allclose(*rates[-1], rtol=2e-3)
    assert rates[-1][1] > 0.5


def test_the_loop_is_as_wide_as_the_record_says():
    arm = robot(LossyJoint(width=WIDTH), sd.CubicSpring(800.0, 1e5))
    load = 40.0 * np.sin(np.linspace(0.0, 4.0 * np.pi, 4001))
    jets = np.zeros((len(load), 3, 1))
    jets[:, 0, 0] = load
    phi = sd.drives.spring_deflections(arm, jets, times=np.arange(len(load)))[:, 0, 0]
    rising, falling = phi[4000], phi[3000]  # both without load
    # the deflection comes later than the load
    assert rising == pytest.approx(-WIDTH, rel=1e-6)
    assert falling == pytest.approx(WIDTH, rel=1e-6)


@pytest.mark.parametrize(
    'spring', [sd.LinearSpring(800.0), sd.CubicSpring(800.0, 1e5), sd.VariableStiffness(800.0)]
)
def test_derivatives_are_those_along_the_motion(spring):
    """Against differences of the positions, away from reversals of the effort."""
    arm = robot(LossyJoint(), spring, hysteresis=WIDTH, backlash=GAP)
    h = 1e-4
    times = h * np.arange(10000)
    jets = swing(times)
    motors = sd.elastic_feedforward(arm, jets, times=times)
    smooth = np.abs(motors.effort_jet[:, 1, 0]) > 2.0
    assert smooth.mean() > 0.8
    for d in (0, 1):
        slopes = np.gradient(motors.motor_jet[:, d, 0], h)
        errors = np.abs(slopes - motors.motor_jet[:, d + 1, 0])[2:-2]
        scale = np.abs(motors.motor_jet[:, d + 1, 0]).max()
        assert errors[smooth[2:-2]].max() < 2e-3 * scale
    # motor velocities have no jump even where the effort turns back
    assert np.abs(np.diff(motors.motor_velocity[:, 0])).max() < 0.02


def test_links_follow_a_motion_behind_hysteresis():
    """Open loop with the exact inverse; without it in the inverse, errors are 100 times larger."""
    plant = LossyJoint(width=WIDTH)
    h = 5e-4
    times = h * np.arange(2000)
    jets = swing(times + 0.5 * h)
    start = swing(np.zeros(1))
    simulated = ElasticRobot(robot(plant))

    def error(belief: sd.Robot) -> float:
        motors = sd.elastic_feedforward(belief, jets, times=times)
        first = sd.elastic_feedforward(belief, start, times=[0.0])
        state = simulated.initial_state(start[0], first)
        places = []
        for effort in motors.motor_effort:
            simulated.step(state, effort, h / 4, steps=4)
            places.append(state[0])
        return float(np.abs(np.array(places) - swing(times + h)[:, 0, 0]).max())

    exact = error(robot(plant))
    assert exact < 2e-5
    assert error(robot(LossyJoint())) > 50.0 * exact


def slipped_loads(times: np.ndarray, stiffness: float) -> tuple[np.ndarray, np.ndarray]:
    """Return jets (T, 3, 1) of an effort, and phi by Dahl's law in x from turn to turn."""
    rates, sizes = np.array([3.0, 7.0, 11.0]), np.array([1.0, 1.5, -0.8])

    def row(t: float, d: int) -> float:
        return float(sizes @ (rates**d * np.sin(rates * t + 0.5 * np.pi * d)))

    grid = np.linspace(0.0, times[-1], 4001)
    signs = np.sign([row(t, 1) for t in grid])
    turns = [
        brentq(row, a, b, (1,), xtol=1e-15)
        for a, b, turned in zip(grid[:-1], grid[1:], signs[:-1] * signs[1:] < 0, strict=True)
        if turned
    ]
    phi, slip = np.zeros(len(times)), 0.0
    for a, b in zip([0.0, *turns], [*turns, times[-1]], strict=True):
        start, end = row(a, 0) / stiffness, row(b, 0) / stiffness
        sense = np.sign(end - start)

        def slope(x: float, y: np.ndarray, sense: float = sense) -> np.ndarray:
            return (1.0 - sense * y / WIDTH) / (2.0 - sense * y / WIDTH)

        stretch = solve_ivp(
            slope, (start, end), [slip], 'DOP853', dense_output=True, rtol=1e-12, atol=1e-15
        )
        for i in np.flatnonzero((times >= a) & (times <= b)):
            x = row(times[i], 0) / stiffness
            phi[i] = x - stretch.sol(x)[0]
        slip = stretch.y[0, -1]
    jets = np.array([[[row(t, d)] for d in range(3)] for t in times])
    return jets, phi


@pytest.mark.parametrize(('step', 'bound'), [(0.02, 1e-11), (0.005, 1e-12)])
def test_turning_points_between_samples_count(step, bound):
    """Of order 6 in the step: the polynomial has value, rate and acceleration at both samples."""
    times = np.arange(0.0, 2.0, step)
    jets, expected = slipped_loads(times, 800.0)
    arm = robot(LossyJoint(width=WIDTH))
    phi = sd.drives.spring_deflections(arm, jets, times=times)[:, 0, 0]
    assert np.abs(phi - expected).max() < bound
    # without rates, what moved on and back between two samples is lost
    jets[:, 1:] = 0.0
    coarse = sd.drives.spring_deflections(arm, jets, times=times)[:, 0, 0]
    assert np.abs(coarse - expected).max() > 100.0 * bound


def test_a_filter_continues_where_it_was_and_starts_where_it_is_told():
    arm = robot(LossyJoint(width=WIDTH, gap=GAP))
    times = 1e-3 * np.arange(400)
    jets = swing(times)
    whole = sd.elastic_feedforward(arm, jets, times=times)
    memory = sd.DeflectionFilter(arm)
    for part in (slice(0, 150), slice(150, 400)):
        piece = sd.elastic_feedforward(arm, jets[part], times=times[part], deflection=memory)
    assert np.array_equal(piece.motor_jet, whole.motor_jet[150:])
    known = {'joint_1': float(whole.deflection[149, 0])}
    rest = sd.elastic_feedforward(arm, jets[149:], times=times[149:], deflection=known)
    assert np.abs(rest.deflection - whole.deflection[149:]).max() < 1e-12
    with pytest.raises(InputError, match='which the damper, hysteresis or'):
        sd.elastic_feedforward(arm, jets)


def test_the_inverse_of_the_gap_is_smooth_and_ends_at_its_stops():
    arm = robot(LossyJoint(gap=GAP))
    jets = np.zeros((201, 3, 1))
    jets[:, 0, 0] = np.linspace(-8.0, 8.0, 201)
    phi = sd.drives.spring_deflections(arm, jets, times=np.arange(201))[:, 0, 0]
    stops = jets[:, 0, 0] / 800.0 + 0.5 * GAP * np.sign(jets[:, 0, 0])
    assert np.abs(phi - stops).max() <= 0.5 * GAP
    assert abs(phi - stops)[0] < 1e-6
    assert np.diff(phi).max() < 1.501 * np.diff(jets[:, 0, 0])[0] / 800.0


@pytest.mark.parametrize('losses', ['hysteresis', 'backlash', 'both'])
def test_measured_efforts_follow_what_the_gear_does(losses):
    """Of noisy deflections, against the simulator's states."""
    plant, noise = LossyJoint(**LOSSES[losses]), 2e-5
    arm, rng = robot(plant), np.random.default_rng(0)
    simulated = ElasticRobot(arm)
    state, memory = simulated.state([0.0]), np.full((3, 1), np.nan)
    errors, memoryless, scale = [], [], plant.stiffness
    for k in range(1500):
        simulated.step(state, [12.0 * np.sin(0.01 * k) - 0.5 * state[3]], 5e-4, steps=4)
        slip = state[4] if plant.width else 0.0
        true = scale * dead_zone(state[2] - state[0] + slip, plant.gap)
        places = state[[2, 0]] + noise * rng.normal(size=2)
        jets = [[[places[1]], [state[1]]], [[places[0]], [state[3]]], [0.0]]
        errors.append(sd.measured_spring_efforts(arm, *jets, memory)[0] - true)
        memoryless.append(sd.measured_spring_efforts(arm, *jets)[0] - true)
    # where the deflection turns back, the slope of the loop is up to 3 times the stiffness
    slope = 3.0 if plant.width else 1.0
    assert np.abs(errors).max() < 5.0 * slope * scale * np.sqrt(2.0) * noise
    if plant.width:
        assert np.abs(memoryless).max() > 0.9 * scale * plant.width


def test_load_friction_is_efficiency_in_both_directions():
    """1/eta - 1 makes the efficiency eta, and 2 - 1/eta where the load drives."""
    eta = 0.7
    motor = sd.Motor(load_friction=1.0 / eta - 1.0, load_effort=1e-6, coulomb_velocity=1e-3)
    arm = sd.Robot(PENDULUM, sd.Drives({'joint_1': sd.JointDrive(motor=motor)}))
    for rate, ratio in ((1.0, 1.0 / eta), (-1.0, 2.0 - 1.0 / eta)):
        jet = np.array([[1.0], [rate], [0.0]])
        needed = sd.actuator_efforts(arm, jet)[0, 0]
        assert needed == pytest.approx(ratio * sd.inverse_dynamics(PENDULUM, jet)[0, 0], rel=1e-6)


def test_what_cannot_have_memory_leaves_it_out_or_says_so():
    lossy = robot(LossyJoint(**LOSSES['all']))
    plain = robot(LossyJoint(coulomb=1.5, breakaway=2.0))
    for one, other in zip(
        sd.linearized_dynamics(lossy, [0.3], [0.1], [1.0]),
        sd.linearized_dynamics(plain, [0.3], [0.1], [1.0]),
        strict=True,
    ):
        assert np.array_equal(one, other)
    coupled = replace(lossy, drives=replace(lossy.drives, rotor_coupling=True))
    with pytest.raises(InputError, match="'joint_1': expected a spring without damper, hyst"):
        _ = coupled.coupling
    for spring in (None, sd.LinearSpring(10.0, 1.0)):
        with pytest.raises(ModelError, match='backlash: expected 0 for a rigid joint, a pair'):
            sd.JointDrive(spring, backlash=1e-3)
    with pytest.raises(ModelError, match='hysteresis: expected'):
        sd.JointDrive(sd.LinearSpring(10.0), hysteresis=-1e-3)
    with pytest.raises(ModelError, match='presliding_stiffness: expected 0 without coulomb'):
        sd.Motor(presliding_stiffness=1.0, breakaway_friction=1.0)


def test_the_file_has_every_entry():
    text = """
drives:
  joint_1:
    spring: {type: linear, stiffness: 800.0}
    motor: {coulomb_friction: 1.5, gear_ratio: 2.0, presliding_stiffness: 500.0}
    hysteresis: 1.5e-3
    backlash: 2.0e-3
"""
    drives = sd.Drives.from_yaml(text)
    assert drives.motor_table(PENDULUM).gears.tolist() == [[WIDTH, GAP, 2000.0]]
    assert sd.Drives.from_yaml(drives.to_yaml()) == drives


def test_motors_lag_behind_springs_by_at_most_half_of_the_loss():
    """Nearly by all of it after several times as far in one direction."""
    there = np.linspace(0.0, 0.02, 81)
    deflections = np.concatenate((there, there[-2::-1]))
    lag = slipped_deflections(deflections, WIDTH) - deflections
    assert lag[0] == 0.0 and np.abs(lag).max() <= WIDTH
    assert (np.diff(lag)[:80] <= 0.0).all() and (np.diff(lag)[80:] >= 0.0).all()
    np.testing.assert_allclose(lag[[80, -1]], [-WIDTH, WIDTH], rtol=1e-2)
    np.testing.assert_array_equal(slipped_deflections(deflections, 0.0), deflections)
