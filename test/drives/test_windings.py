# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Current, voltage and temperature of motors: MuJoCo's dcmotor, equations of heat, limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ModelError, NotFiniteError, ShapeError

RATIO, KT, OHM, HENRY, ROTOR = 50.0, 0.06, 0.4, 0.02, 2e-5
MOTOR = sd.Motor(ROTOR, RATIO, viscous_friction=1e-5)
ROD = sd.lie.inertia_matrix(2.0, np.array([0.0, 0.0, -0.5]), np.zeros((3, 3)))
PENDULUM = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [ROD])


def robot(spring: sd.Spring | None = None, **winding: float) -> sd.Robot:
    values = {'resistance': OHM, 'inductance': HENRY} | winding
    drive = sd.JointDrive(spring, MOTOR, winding=sd.Winding(KT, **values))
    return sd.Robot(PENDULUM, sd.Drives({'joint_1': drive}))


def swing(times: np.ndarray, rows: int = 6) -> np.ndarray:
    """Return jets of 0.6 (1 - cos(4 t)), from rest."""
    jets = np.zeros((len(times), rows, 1))
    for d in range(rows):
        jets[:, d, 0] = -0.6 * 4.0**d * np.cos(4.0 * times + 0.5 * np.pi * d)
    jets[:, 0] += 0.6
    return jets


def test_a_motor_of_mujoco_with_this_voltage_follows_the_motion():
    """Voltage alone drives MuJoCo's dcmotor, with winding and back-EMF, behind the spring."""
    mujoco = pytest.importorskip('mujoco')
    arm = robot(sd.LinearSpring(600.0))
    h = 1e-4
    model = mujoco.MjModel.from_xml_string(f"""
    <mujoco><option timestep="{h}" integrator="RK4" gravity="0 0 -9.81"/><worldbody>
      <body name="link"><joint name="q" axis="0 -1 0"/>
        <inertial pos="0 0 -0.5" mass="2" diaginertia="1e-9 1e-9 1e-9"/></body>
      <body name="rotor"><joint name="theta" axis="0 -1 0" armature="{ROTOR * RATIO**2}"
        damping="{1e-5 * RATIO**2}"/>
        <inertial pos="0 0 0" mass="1e-6" diaginertia="1e-9 1e-9 1e-9"/></body>
    </worldbody>
    <tendon><fixed name="spring" stiffness="600" springlength="0">
      <joint joint="theta" coef="1"/><joint joint="q" coef="-1"/></fixed></tendon>
    <actuator><dcmotor name="m" joint="theta" gear="{RATIO}" motorconst="{KT}"
      resistance="{OHM}" inductance="{HENRY}"/></actuator></mujoco>""")
    times = h * np.arange(10000)
    motors = sd.elastic_feedforward(arm, swing(times + 0.5 * h))
    loads = sd.winding_loads(arm, motors, times)
    data = mujoco.MjData(model)
    first = sd.elastic_feedforward(arm, swing(np.zeros(1)))
    data.qpos[:] = 0.0, first.motor_position[0, 0]
    data.act[:] = first.motor_effort[0] / RATIO / KT
    places, currents = [], []
    for voltage in loads.voltage[:, 0]:
        data.ctrl[0] = voltage
        mujoco.mj_step(model, data)
        places.append(data.qpos[0])
        currents.append(data.act[0])
    assert np.abs(np.array(places) - swing(times + h)[:, 0, 0]).max() < 1e-4
    ends = sd.elastic_feedforward(arm, swing(times + h)).motor_effort[:, 0] / RATIO / KT
    assert np.abs(np.array(currents) - ends).max() < 2e-3 * np.abs(ends).max()
    without = sd.winding_loads(robot(sd.LinearSpring(600.0), inductance=0.0), motors, times)
    assert np.abs(loads.voltage - without.voltage).max() > 0.01


@pytest.mark.parametrize('housing', [0.0, 60.0])
def test_temperatures_solve_the_equations_of_heat(housing):
    resistance, time, slow, ambient = 40.0, 4.0, 40.0, 35.0
    arm = robot(
        thermal_resistance=resistance, thermal_time=time,
        housing_resistance=housing, housing_time=slow,
    )  # fmt: skip
    times = np.linspace(0.0, 20.0, 4001)
    loads = sd.winding_loads(
        arm, sd.elastic_feedforward(arm, swing(times)), times, ambient=ambient
    )

    def slope(t, x):
        winding, case = x
        heat = (
            OHM * (1.0 + 0.0039 * (winding - 25.0)) * np.interp(t, times, loads.current[:, 0]) ** 2
        )
        flow = (winding - case) / resistance
        case_rate = (flow - (case - ambient) / housing) * housing / slow if housing else 0.0
        return (heat - flow) * resistance / time, case_rate

    found = solve_ivp(
        slope, (0.0, 20.0), (ambient, ambient), t_eval=times, rtol=1e-9, max_step=0.01
    )
    assert found.y[0].max() > ambient + 30.0
    assert np.abs(loads.temperature[:, 0] - found.y[0]).max() < 2e-4 * (found.y[0].max() - ambient)
    squares = np.trapezoid(loads.current[:, 0] ** 2, times) / 20.0
    assert loads.rms_current[0] == pytest.approx(np.sqrt(squares), rel=1e-9)
    end = loads.repeated_temperature[0]
    hot = OHM * (1.0 + 0.0039 * (end - 25.0)) * squares
    assert end - ambient == pytest.approx((resistance + housing) * hot, rel=1e-9)


def test_a_winding_that_runs_away_has_no_end():
    arm = robot(thermal_resistance=1000.0)
    times = np.linspace(0.0, 1.0, 11)
    loads = sd.winding_loads(arm, sd.elastic_feedforward(arm, swing(times)), times)
    assert loads.repeated_temperature[0] == np.inf


def test_limits_are_reported_and_kept():
    times = np.linspace(0.0, 2.0, 201)
    free = robot(thermal_resistance=2.0, thermal_time=5.0)
    loads = sd.winding_loads(free, sd.elastic_feedforward(free, swing(times)), times)
    peaks = {
        'max_current': np.abs(loads.current).max(),
        'max_voltage': np.abs(loads.voltage).max(),
        'continuous_current': loads.rms_current[0],
        'max_temperature': loads.temperature.max(),
    }
    names = 'motor effort', 'motor voltage', 'rms current', 'winding temperature'
    for name, quantity in zip(peaks, names, strict=True):
        for factor, expected in ((0.99, [quantity]), (1.01, [])):
            limits = {name: factor * float(peaks[name])}
            arm = robot(thermal_resistance=2.0, thermal_time=5.0, **limits)
            found = sd.check_feasibility(arm, swing(times), times).violations
            assert [one.quantity for one in found] == expected
    with pytest.raises(ModelError, match='housing_resistance: expected 0 without'):
        sd.Winding(KT, housing_resistance=1.0)
    motors = sd.elastic_feedforward(free, swing(times))
    with pytest.raises(InputError, match='times: expected at least one, increasing'):
        sd.winding_loads(free, motors, times[::-1])
    with pytest.raises(InputError, match='motors: expected a MotorFeedforward, got ndarray'):
        sd.winding_loads(free, motors.motor_effort_jet, times)
    text = free.drives.to_yaml()
    assert sd.Drives.from_yaml(text) == free.drives


def test_a_motor_without_winding_has_no_numbers():
    arm = sd.Robot(PENDULUM, sd.Drives({'joint_1': sd.JointDrive(motor=MOTOR)}))
    times = np.array([0.0, 0.1])
    loads = sd.winding_loads(arm, sd.elastic_feedforward(arm, swing(times)), times)
    assert np.isnan(loads.current).all()
    assert np.isnan(loads.repeated_temperature).all()


def test_arguments_are_checked():
    motors = sd.elastic_feedforward(robot(), swing(np.arange(3.0)))
    for given, times, error, text in (
        (None, [0.0, 1.0, 2.0], InputError, 'motors: expected a MotorFeedforward, got NoneType'),
        (motors, [0.0, 1.0], ShapeError, r'times: expected shape \(3,\), one per sample'),
        (motors, [0.0, 1.0, 1.0], InputError, 'times: expected at least one, increasing'),
        (motors, [0.0, 1.0, np.nan], NotFiniteError, r'times\[2\]'),
    ):
        with pytest.raises(error, match=text):
            sd.winding_loads(robot(), given, times)
    one = sd.elastic_feedforward(robot(), swing(np.zeros(1))[0])
    with pytest.raises(ShapeError, match=r'motor_effort_jet: expected shape \(T, p, 1\)'):
        sd.winding_loads(robot(), one, [0.0])
    with pytest.raises(InputError, match='ambient: expected a finite number'):
        sd.winding_loads(robot(), motors, [0.0, 1.0, 2.0], ambient=np.inf)
