# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`read_mjcf` against MuJoCo itself, and what it carries, leaves out and refuses."""

from __future__ import annotations

import sys
import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

mujoco = pytest.importorskip('mujoco')

from oracles.mujoco_inverse import deviations  # noqa: E402
from oracles.strategies import seeds  # noqa: E402

import screw_dynamics as sd  # noqa: E402
from screw_dynamics.errors import MjcfWarning, ModelError, UnsupportedJointError  # noqa: E402
from screw_dynamics.model.urdf import strip_geometry  # noqa: E402

# both sum products of doubles in other orders; MuJoCo besides normalises quaternions
BOUND = 1e-12

ARM = """
<mujoco model="arm">
  <compiler angle="degree" eulerseq="zyx" autolimits="true"/>
  <option gravity="0.5 0 -9.7"/>
  <default>
    <joint damping="0.5" armature="0.01"/>
    <default class="big">
      <joint armature="0.2" range="-170 150" frictionloss="0.3"/>
      <motor gear="100" ctrlrange="-1.5 1.2"/>
      <default class="wrist"><joint armature="0.02" range="-90 120"/><motor gear="50"/></default>
    </default>
  </default>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <site name="floor" pos="0 1 0"/>
    <body name="pedestal" pos="0 0 .1"><geom size=".1"/>
    <body name="base" euler="90 0 0" childclass="big">
      <joint name="shoulder" axis="0 0 1"/>
      <geom type="cylinder" size=".05 .1" mass="3"/>
      <frame name="bracket" pos="0 0.1 0" euler="0 0 30">
        <body name="arm" pos="0.3 0 0.1" euler="0 30 45">
          <joint name="elbow" axis="0 1 0" ref="20" pos="0 0 0.02"/>
          <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="2"/>
          <body name="hand" pos="0.3 0 0">
            <joint name="wrist" class="wrist" axis="1 0 0" stiffness="2" springref="15"/>
            <joint name="slide" type="slide" axis="0 1 1" range="-.1 .3" ref=".05"/>
            <inertial pos=".01 .02 .03" mass=".7" fullinertia=".01 .02 .025 .001 .002 .003"/>
            <geom type="box" size=".04 .03 .02" mass="9"/>
            <site name="tool" pos="0.1 0 0" euler="0 90 0"/>
          </body>
        </body>
      </frame>
    </body></body>
  </worldbody>
  <actuator>
    <motor joint="shoulder" class="big"/>
    <position joint="elbow" kp="100" kv="5" gear="2" forcerange="-30 40"/>
    <motor joint="wrist" class="wrist"/>
  </actuator>
</mujoco>"""


@pytest.fixture(autouse=True, scope='module')
def folder_of_logs(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp('logs'))
        yield


def read(text, **options):
    """Return the robot of a text that is read without a warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings('error', 'left out', MjcfWarning)
        return sd.read_mjcf(text, **options)


def in_world(inside, after=''):
    return f'<mujoco><worldbody>{inside}</worldbody>{after}</mujoco>'


def pendulum(joint='', after='', name='rod'):
    """Return a document with one hinge `j`."""
    body = f'<body name="{name}"><joint name="j" axis="0 1 0" {joint}/><geom size=".1"/></body>'
    return in_world(body, after)


def left_out(text):
    """Return what the only warning says."""
    with pytest.warns(MjcfWarning) as caught:
        sd.read_mjcf(text)
    (warning,) = caught
    return dict(warning.message.findings)


def test_an_arm_agrees_with_mujoco():
    robot = read(ARM)
    assert robot.joint_names == ('shoulder', 'elbow', 'wrist', 'slide')
    assert robot.model.base_link == 'world'
    assert {'floor', 'pedestal', 'bracket', 'tool', 'hand'} <= robot.model.frames.keys()
    np.testing.assert_array_equal(robot.model.gravity, [0.5, 0.0, -9.7])
    found = deviations(ARM, robot, states=5, seed=0)
    assert max(found.values()) < BOUND, found


def test_limits_gears_and_friction():
    robot = read(ARM)
    limits, drives = robot.model.limits, robot.drives.joints
    np.testing.assert_allclose(limits.lower, [*np.radians([-170, -170, -90]), -0.1])
    np.testing.assert_allclose(limits.upper, [*np.radians([150, 150, 120]), 0.3])
    # of unequal ends the smaller one
    np.testing.assert_allclose(limits.effort, [120.0, 60.0, 60.0, np.inf])
    shoulder = drives['shoulder']
    assert shoulder.motor.gear_ratio == 100.0 and shoulder.motor.max_effort == 1.2
    assert shoulder.motor.joint_inertia == pytest.approx(0.2, rel=1e-15)
    assert shoulder.friction == sd.JointFriction(0.5, 0.3)
    assert drives['elbow'].motor == sd.Motor(0.2 / 4.0, 2.0, max_effort=30.0)
    assert drives['wrist'].parallel_spring == sd.TorsionSpring(2.0, np.radians(15.0))
    np.testing.assert_array_equal(robot.model.damping, 0.5)
    np.testing.assert_array_equal(robot.model.friction, 0.3)


def test_options_are_those_of_read_urdf():
    robot = read(ARM, tip_link='arm', locked={'shoulder': 0.3}, gravity=[0, 0, -1.0])
    assert robot.joint_names == ('elbow',) and list(robot.drives.joints) == ['elbow']
    np.testing.assert_array_equal(robot.model.gravity, [0.0, 0.0, -1.0])


NUMBERS = st.floats(-1.0, 1.0).map(lambda x: round(x, 3))
POSITIVE = st.floats(0.05, 2.0).map(lambda x: round(x, 3))
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
AXES = VECTORS.filter(lambda axis: np.linalg.norm(axis) > 0.1)
QUATERNIONS = st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS).filter(
    lambda q: np.linalg.norm(q) > 0.1
)


def attributes(**values):
    words = {name: ' '.join(map(str, np.atleast_1d(value))) for name, value in values.items()}
    return ' '.join(f'{name}="{value}"' for name, value in words.items())


@st.composite
def joints(draw, name):
    kind = draw(st.sampled_from(['hinge', 'hinge', 'slide']))
    values = {'name': name, 'type': kind, 'axis': draw(AXES), 'pos': draw(VECTORS)}
    for entry, numbers in (
        ('ref', NUMBERS),
        ('springref', NUMBERS),
        ('stiffness', POSITIVE),
        ('damping', POSITIVE),
        ('armature', POSITIVE),
        ('frictionloss', POSITIVE),
    ):
        if draw(st.booleans()):
            values[entry] = draw(numbers)
    if 'frictionloss' in values:
        # MuJoCo's soft constraint needs inertia to be at its bound
        values['armature'] = draw(POSITIVE)
    return f'<joint {attributes(**values)}/>'


@st.composite
def bodies(draw, i, inside):
    """Return a body with others inside, and the names of its hinges and slides."""
    moved = draw(st.sampled_from(['', 'ball', 1, 1, 2, 3]))
    names = [f'j{i}_{k}' for k in range(moved or 0)] if moved != 'ball' else []
    text = ''.join(draw(joints(name)) for name in names)
    if moved == 'ball':
        text = f'<joint {attributes(type="ball", pos=draw(VECTORS))}/>'
    text += f'<geom type="box" {attributes(size="1 .5 .2", pos=draw(VECTORS))}/>'
    if draw(st.booleans()):
        pose = attributes(pos=draw(VECTORS), quat=draw(QUATERNIONS))
        text += f'<inertial {pose} {attributes(mass=draw(POSITIVE), diaginertia="2 3 4")}/>'
    pose = attributes(name=f'b{i}', pos=draw(VECTORS), quat=draw(QUATERNIONS))
    return f'<body {pose}>{text}{inside}</body>', names


@st.composite
def documents(draw):
    """Draw branches, several joints in a body, ball and free joints, mimics and actuators."""
    count = draw(st.integers(1, 5))
    inside, scalars, world = [''] * count, [], ''
    for i in reversed(range(count)):
        body, names = draw(bodies(i, inside[i]))
        scalars += names
        parent = draw(st.integers(-1, i - 1))
        if parent < 0:
            world += body
        else:
            inside[parent] += body
    if draw(st.booleans()):
        pose = attributes(pos=draw(VECTORS), quat=draw(QUATERNIONS))
        world += f'<body name="loose" {pose}><freejoint name="free"/><geom size=".3"/></body>'
    relations, motors = '', ''
    for name, master in zip(scalars, scalars[1:], strict=False):
        if draw(st.integers(0, 3)) == 0:
            relation = attributes(
                joint1=name, joint2=master, polycoef=(draw(NUMBERS), draw(AXES)[0], 0, 0, 0)
            )
            relations += f'<joint {relation}/>'
    for name in scalars:
        for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
            motor = attributes(
                joint=name, gear=draw(POSITIVE), armature=draw(POSITIVE), damping=draw(POSITIVE)
            )
            motors += f'<motor {motor}/>'
    after = f'<equality>{relations}</equality><actuator>{motors}</actuator>'
    return in_world(world, f'<compiler angle="radian"/>{after}')


# of two parallel slides; MuJoCo says so, and logs it in the folder
@pytest.mark.filterwarnings('ignore:.*Inertia matrix is too close to singular')
@given(document=documents(), seed=seeds)
def test_drawn_documents_agree_with_mujoco(document, seed):
    robot = read(document)
    if robot.n:
        found = deviations(document, robot, states=2, seed=seed)
        assert max(found.values()) < BOUND, found


AS_WRITTEN = (
    '<mujoco><compiler balanceinertia="false" boundmass="0" boundinertia="0" '
    'fusestatic="false"/></mujoco>'
)


@pytest.mark.parametrize('name', ['iiwa14', 'panda', 'branched_gripper'])
def test_urdf_and_mjcf_of_one_robot(name, rng):
    """MuJoCo converts the URDF, with mimic joints as equalities."""
    path = sd.share_path(f'urdf/{name}.urdf')
    urdf = strip_geometry(path).replace('</robot>', f'{AS_WRITTEN}</robot>')
    robot = read(mujoco.MjSpec.from_string(urdf).to_xml())
    model = sd.read_urdf(path, joints=robot.joint_names)
    jet = rng.uniform(-1.0, 1.0, (5, model.n))
    expected = sd.inverse_dynamics(model, jet)
    got = sd.inverse_dynamics(robot.model, jet)
    # the text that MuJoCo writes has six digits
    np.testing.assert_allclose(got, expected, rtol=0.0, atol=1e-4 * np.abs(expected).max())
    np.testing.assert_allclose(robot.model.limits.lower, model.limits.lower, rtol=1e-5)
    np.testing.assert_allclose(robot.model.damping, model.damping, rtol=1e-5)


def test_followers_add_to_the_drive_of_their_coordinate():
    text = in_world(
        """<body name="left"><joint name="a" type="slide" armature=".1" damping="3"
             stiffness="10" springref=".05"/><geom size=".1"/></body>
           <body name="right"><joint name="b" type="slide" armature=".2" frictionloss=".4"
             stiffness="20" springref=".02"/><geom size=".1"/></body>""",
        """<equality><joint joint1="b" joint2="a" polycoef=".01 -2 0 0 0"/></equality>
           <actuator><motor joint="b" gear="3" ctrlrange="-5 5"/></actuator>""",
    )
    (drive,) = read(text).drives.joints.values()
    assert drive.motor.gear_ratio == 6.0 and drive.motor.max_effort == 5.0
    assert drive.motor.joint_inertia == pytest.approx(0.1 + 4.0 * 0.2)
    assert drive.friction == sd.JointFriction(3.0, 0.8)
    rest = (10.0 * 0.05 - 2.0 * 20.0 * (0.02 - 0.01)) / 90.0
    assert drive.parallel_spring.stiffness == 90.0
    assert drive.parallel_spring.rest_position == pytest.approx(rest)


def test_joints_that_equalities_hold():
    chain = in_world(
        """<body name="one"><joint name="a" axis="0 1 0" ref=".2"/><geom size=".1" pos="1 0 0"/>
           <body name="two"><joint name="b"/><geom size=".1"/></body></body>
           <body name="three"><joint name="c"/><geom size=".1"/></body>""",
        """<compiler angle="radian"/><equality><joint joint1="b" joint2="a" polycoef="0 2 0 0 0"/>
           <joint joint1="a" polycoef=".3 0 0 0 0"/></equality>""",
    )
    robot = read(chain)
    assert robot.joint_names == ('c',) and robot.drives is None
    # a is at 0.2 + 0.3, turned by 0.3 from the pose that the document draws
    pose = sd.frame_pose(robot.model, [0.0], 'one')
    assert pose[0, 0] == pytest.approx(np.cos(0.3), abs=1e-15)
    # b = 2 (a - 0.2)
    turn = sd.frame_pose(robot.model, [0.0], 'two')[:3, :3]
    np.testing.assert_allclose((pose[:3, :3].T @ turn)[0, 1], -np.sin(0.6), atol=1e-15)


def test_direct_current_motors():
    text = pendulum(
        after="""<actuator><dcmotor name="m" joint="j" gear="50" motorconst=".05" resistance="1.5"
        inductance="0 .5" saturation=".25 6 0" thermal="2 30 0 0 25 25" ctrlrange="-24 20"
        lugre="900 1 .001 .002 .03" damping="1e-5" armature="2e-5"/></actuator>"""
    )
    robot = read(text)
    drive = robot.drives.joints['j']
    assert drive.motor == sd.Motor(
        2e-5, 50.0, 1e-5, 0.001, max_effort=0.25, breakaway_friction=0.002,
        stribeck_velocity=0.03, presliding_stiffness=900.0,
    )  # fmt: skip
    assert drive.winding == sd.Winding(
        0.05, 1.5, 0.75, max_voltage=20.0, thermal_resistance=2.0,
        thermal_time=60.0,
    )  # fmt: skip
    assert robot.model.limits.effort == pytest.approx([12.5])


LEFT_OUT = {
    'tendons': pendulum(
        after='<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'
    ),
    'contact pairs': in_world(
        '<body name="a"><freejoint/><geom name="t" size=".1"/></body><geom name="u" size=".1"/>',
        '<contact><pair geom1="t" geom2="u"/></contact>',
    ),
    'actuators that act on no joint': in_world(
        '<body name="a"><joint/><geom size=".1"/><site name="s"/></body>',
        '<actuator><general name="t" site="s" gear="1 0 0 0 0 0"/></actuator>',
    ),
    'gravity compensation': pendulum().replace('name="rod"', 'name="t" gravcomp="1"'),
    'motion of mocap bodies': in_world('<body name="t" mocap="true"><geom size=".1"/></body>'),
    'fluid': f'<mujoco><option density="1.2"/>{pendulum()[len("<mujoco>"):]}',
    'range of ball and free joints': in_world(
        '<body><joint name="t" type="ball" limited="true" range="0 60"/><geom size=".1"/></body>'
    ),
    'damping of ball and free joints': in_world(
        '<body><joint name="t" type="ball" damping="1"/><geom size=".1"/></body>'
    ),
    'muscles, and actuators of ball and free joints': pendulum(
        after='<actuator><muscle name="t" joint="j" lengthrange="0 1"/></actuator>'
    ),
    'sign of gears below 0': pendulum(
        after='<actuator><motor name="t" joint="j" gear="-2"/></actuator>'
    ),
    'cogging': pendulum(
        after='<actuator><dcmotor name="t" joint="j" motorconst="1" resistance="1" '
        'cogging="1 6 0"/></actuator>'
    ),
    'stiffness beyond the linear part': pendulum('stiffness="1 2"'),
    'damping beyond the linear part': pendulum('damping="1 2"'),
}  # fmt: skip


@pytest.mark.parametrize('what', LEFT_OUT)
def test_what_is_left_out_is_named_once(what):
    (name,) = left_out(LEFT_OUT[what])[what]
    assert name in ('t', 'j', 't and u', 'density')


@pytest.mark.parametrize(
    ('equality', 'got'),
    [
        ('<connect body1="rod" anchor="0 0 1"/>', 'connect of rod and world'),
        ('<weld body1="rod"/>', 'weld of rod and world'),
        ('<joint joint1="j" polycoef="0 0 1 0 0"/>', r'joint of j \(not linear\)'),
    ],
)
def test_closed_loops_are_refused_by_name(equality, got):
    text = pendulum(after=f'<equality>{equality}</equality>')
    with pytest.raises(UnsupportedJointError, match=f'MJCF text: equality: .* got {got}: '):
        sd.read_mjcf(text)
    opened = text.replace(f'{equality[:-2]}', f'{equality[:-2]} active="false"')
    assert read(opened).n == 1


def test_names_of_what_has_none():
    text = in_world(
        '<body><joint type="ball"/><geom size=".1"/><body><joint/><joint axis="1 0 0"/>'
        '<geom size=".1"/><site name="body"/></body></body>'
    )
    robot = read(text)
    first = [f'body_joint/{turn}' for turn in ('yaw', 'pitch', 'roll')]
    assert robot.joint_names == (*first, 'body_2_joint', 'body_2_joint_2')
    assert list(robot.model.frames) == ['world', 'body', 'body_2', 'body_2/body']


def test_errors_are_those_of_mujoco(tmp_path, monkeypatch):
    with pytest.raises(ModelError, match="MJCF text: MuJoCo: .*invalid keyword: 'round'"):
        read(in_world('<body><joint type="round"/></body>'))
    with pytest.raises(ModelError):  # in the words of MuJoCo, or for the inertia
        read(in_world('<body name="b"><joint/><geom size="inf"/></body>'))
    with pytest.raises(ModelError, match=r'none\.xml: MuJoCo: '):
        read(tmp_path / 'none.xml')
    monkeypatch.setitem(sys.modules, 'mujoco', None)
    with pytest.raises(ModuleNotFoundError, match="extra 'mujoco'"):
        read(ARM)


@pytest.mark.skipif(not find_spec('mujoco_menagerie'), reason='mujoco-menagerie is not installed')
@pytest.mark.parametrize('name', ['unitree_g1', 'franka_emika_panda', 'wonik_allegro'])
def test_robots_of_the_menagerie(name):
    import mujoco_menagerie

    robot, cache = mujoco_menagerie.get(name), mujoco_menagerie.Cache()
    if not (cache.root or cache.is_cached(robot)):
        pytest.skip(f'{name} is not downloaded')
    path = robot.path(cache) / f'{robot.default_model}.xml'
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', MjcfWarning)
        found = deviations(path, sd.read_mjcf(path), states=2, seed=0)
    assert max(found.values()) < BOUND, found
