# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Commands to position servos and to MIT-mode drives of a hobby arm in MuJoCo.

The commands are those of the core of the node `drive_commands`, tick by tick, held for a period.
MuJoCo has the arm, the armature of its servos and the law of the drives.
"""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from helpers.drive_rig import START, Rig, rest

import screw_dynamics as sd
from screw_dynamics.drives.robot import Robot
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points

pytestmark = pytest.mark.long

os.environ.setdefault('MUJOCO_GL', 'disable')  # no rendering
mujoco = pytest.importorskip('mujoco')

DOCUMENT = Path(__file__).resolve().parents[2] / 'docs' / 'drive_guides.md'
NAMES = ['turn', 'shoulder', 'elbow', 'wrist']
LENGTHS, MASSES = [0.06, 0.12, 0.13, 0.1], [0.2, 0.15, 0.13, 0.12]  # m, kg
ARMATURE = 0.02  # kg m^2: small rotors behind gears of about 300
STIFFNESS, DAMPING = [18.0, 18.0, 12.0, 8.0], [0.4, 0.4, 0.3, 0.2]  # N m/rad, N m s/rad
STEP = 1e-3  # s
POINTS = [[0.8, 0.3, -0.9, 0.5], [-0.4, 0.9, -0.3, -0.6], [0.3, 0.5, -0.6, 0.2]]
HOME = [0.2, 0.6, -0.8, 0.1]


def urdf():
    """Return an arm on a table: a vertical joint, then three that carry loads."""
    parts = ['<robot name="hobby_arm"><link name="table"/>']
    parent, place = 'table', 0.0
    for i, (name, length, mass) in enumerate(zip(NAMES, LENGTHS, MASSES, strict=True)):
        axis = '0 0 1' if i == 0 else '0 -1 0'
        offset = f'0 0 {place}' if i < 2 else f'{place} 0 0'
        centre = f'0 0 {0.5 * length}' if i == 0 else f'{0.5 * length} 0 0'
        slim, long = mass * 1e-3, mass * length**2 / 12.0 + mass * 1e-3
        inertia = (long, long, slim) if i == 0 else (slim, long, long)
        moments = ' '.join(
            f'{name}="{value}"' for name, value in zip(('ixx', 'iyy', 'izz'), inertia, strict=True)
        )
        parts.append(
            f'<link name="{name}_link"><inertial><origin xyz="{centre}"/><mass value="{mass}"/>'
            f'<inertia {moments} ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="{name}" type="revolute"><parent link="{parent}"/>'
            f'<child link="{name}_link"/><origin xyz="{offset}"/><axis xyz="{axis}"/>'
            '<limit lower="-3" upper="3" effort="10" velocity="10"/></joint>'
        )
        parent, place = f'{name}_link', length
    return ''.join(parts) + '</robot>'


@pytest.fixture(scope='module')
def robot():
    rotor = sd.JointDrive(motor=sd.Motor(rotor_inertia=ARMATURE))
    return Robot(sd.read_urdf(urdf()), sd.Drives(dict.fromkeys(NAMES, rotor)))


class Arm:
    """MuJoCo with the arm and drives that apply Kp (ctrl - q) - d q'."""

    def __init__(self, stiffness, damping):
        spec = mujoco.MjSpec.from_string(urdf())
        spec.option.timestep = STEP
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        transmission = mujoco.mjtTrn.mjTRN_JOINT
        for name, kp, kv in zip(NAMES, stiffness, damping, strict=True):
            spec.joint(name).armature = ARMATURE
            actuator = spec.add_actuator(name=name, target=name, trntype=transmission)
            actuator.set_to_position(kp=kp, kv=kv)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    def step(self, command):
        self.data.ctrl[:] = command
        mujoco.mj_step(self.model, self.data)

    def settle(self, command):
        """Let the servos hold a pose; return where it rests."""
        self.data.qpos[:] = command
        for _ in range(round(5.0 / STEP)):
            self.step(command)
        assert np.abs(self.data.qvel).max() < 1e-9
        return self.data.qpos.copy()


class Ticks:
    """The core of the node, and a motion that is sampled `lead` [s] ahead at each tick."""

    def __init__(self, robot, rate, lead=None, **settings):
        self._rig = Rig(robot.model, robot.drives, NAMES, content='motors', **settings)
        self.period, self._lead = round(1e9 / rate), 0.5 / rate if lead is None else lead

    @property
    def now(self):
        return self._rig.now

    def measure(self, positions):
        self._rig.measure(positions)

    def follow(self, start):
        """Follow a motion from rest at a position."""
        points = list(zip([0.0, *TIMES], [start, *POINTS], strict=True))
        self._curve = smooth_trajectory(waypoints_from_points(NAMES, points, tuple(NAMES)))

    def tick(self):
        """Return the command of the next tick, (fields, 4)."""
        rig, ahead = self._rig, round(1e9 * self._lead)
        jet = self.reference(rig.now + ahead)
        motors = rig.motor_sample(jet, np.ones(4))._replace(instant=rig.now + ahead)
        rows = rig.step(rig.sample(jet, ahead=ahead), motors).copy()
        rig.now += self.period
        return rows

    def reference(self, instant):
        time = 1e-9 * (instant - START)
        if time >= TIMES[-1]:
            return rest(POINTS[-1])
        jet = np.zeros((5, 4))
        self._curve.sample(max(time, 0.0), jet)
        return jet


@pytest.fixture
def ticks(robot):
    return lambda **settings: Ticks(robot, **settings)


TIMES = [0.8, 1.6, 2.4]  # s: up to about 3 rad/s


def tracked(arm, ticks, control, held=1.5, delay=0):
    """
    Return the largest error in motion, that at rest in the end, and the first command.

    `control` returns the controls of MuJoCo for a command, which holds for a tick, and arrives
    `delay` ticks late.
    """
    ticks.follow(arm.data.qpos)
    steps = round(1e-9 * ticks.period / STEP)
    sent, largest = [np.array([arm.data.ctrl])] * delay, 0.0
    while 1e-9 * (ticks.now - START) < TIMES[-1] + held:
        ticks.measure(arm.data.qpos)
        begin = ticks.now
        sent.append(ticks.tick())
        for i in range(1, steps + 1):
            arm.step(control(sent[-1 - delay]))
            wanted = ticks.reference(begin + round(1e9 * STEP * i))[0]
            error = float(np.abs(arm.data.qpos - wanted).max())
            largest = max(largest, error)
    return largest, error, sent[delay]


# of uncompensated commands over that of compensated ones: 1560 and 370 are measured, since the
# steps of held commands are left, which grow with the period
@pytest.mark.parametrize('rate, factor', [(100.0, 500.0), (50.0, 100.0)])
def test_position_servos(ticks, rate, factor):
    servos = {'servo_stiffness': STIFFNESS, 'servo_damping': DAMPING}
    errors, offsets = [], []
    for further in ({}, servos):
        arm = Arm(STIFFNESS, DAMPING)
        stood = arm.settle(HOME)
        assert np.abs(stood - HOME).max() > 0.03  # it sags
        made = ticks(rate=rate, fields=('position',), **further)
        largest, offset, first = tracked(arm, made, lambda command: command[0])
        errors.append(largest)
        offsets.append(offset)
    print(f'{rate:g} Hz, in motion: {errors}, at rest: {offsets}')
    assert documented(rate) == pytest.approx(errors, rel=0.05)
    assert errors[0] > factor * errors[1]
    assert offsets[0] > 1e6 * offsets[1]  # MuJoCo and we compute the same gravity
    # the servos held the arm with these commands before: no bump (the lead is half a period)
    np.testing.assert_allclose(first[0], HOME, rtol=0.0, atol=1e-5)


def test_position_servos_that_are_known_badly(ticks):
    found = []
    for share, delay, lead in ((0.9, 0, None), (1.0, 1, None), (1.0, 1, 0.015)):
        arm = Arm(np.multiply(share, STIFFNESS), DAMPING)
        arm.settle(HOME)
        made = ticks(
            rate=100.0,
            lead=lead,
            fields=('position',),
            servo_stiffness=STIFFNESS,
            servo_damping=DAMPING,
        )
        found.append(tracked(arm, made, lambda command: command[0], delay=delay)[0])
    text = ' '.join(DOCUMENT.read_text(encoding='utf-8').split())
    stated = re.search(
        'With a Kp that is 10 % smaller than stated, ([0-9.e-]+) rad are left at 100 Hz; with '
        'commands that arrive a period late, ([0-9.e-]+), and ([0-9.e-]+) if `lead_time` has',
        text,
    )
    print(found)
    assert [float(value) for value in stated.groups()] == pytest.approx(found, rel=0.05)


def documented(rate):
    """Return the errors at a rate in the table of the guide."""
    text = DOCUMENT.read_text(encoding='utf-8')
    rows = re.findall(r'^\| command = [^|]*\| (.*) \|$', text, re.MULTILINE)
    return [float(row.split(' | ')[rate == 50.0]) for row in rows]


def test_mit_drives(ticks):
    kp, kd = (10.0, 10.0, 8.0, 5.0), (0.5, 0.5, 0.4, 0.2)
    fields = ('position', 'velocity', 'kp', 'kd', 'effort')
    errors = {}
    for left_out in (None, 'effort', 'velocity'):

        def control(command, left_out=left_out):
            p, v, *gains, t = command
            np.testing.assert_array_equal(gains, [kp, kd])
            v, t = v * (left_out != 'velocity'), t * (left_out != 'effort')
            return p + (t + kd * v) / kp  # kp (p - q) + kd (v - q') + t

        arm = Arm(kp, kd)
        arm.data.qpos[:] = HOME
        made = ticks(rate=250.0, fields=fields, ramp_time=0.0, kp=kp, kd=kd)
        errors[left_out] = tracked(arm, made, control)[:2]
    print(f'MIT mode, without some fields, in motion and at rest: {errors}')
    assert errors['effort'][0] > 500.0 * errors[None][0]
    assert errors['velocity'][0] > 500.0 * errors[None][0]
    assert errors[None][1] < 1e-7
