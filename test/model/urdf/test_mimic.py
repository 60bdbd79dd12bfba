# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Mimic joints, and joints with several degrees of freedom."""

from __future__ import annotations

import numpy as np
import pytest
from frame_poses import frame_poses
from urdf_texts import LIMIT, joint, link, robot

from screw_dynamics.errors import InputError, TopologyError
from screw_dynamics.lie import pose, rpy_rotation
from screw_dynamics.model.urdf import read_urdf


def mimic(master: str, multiplier: float | None = None, offset: float | None = None) -> str:
    attributes = f'joint="{master}"'
    if multiplier is not None:
        attributes += f' multiplier="{multiplier}"'
    if offset is not None:
        attributes += f' offset="{offset}"'
    return f'{LIMIT}<mimic {attributes}/>'


def fan(**contents: str) -> str:
    """Joints from one base link to a link each, in the order given."""
    links = [link('base'), *(link(f'{name}_link', 1) for name in contents)]
    joints = [
        joint(name, 'base', f'{name}_link', content=content) for name, content in contents.items()
    ]
    return robot(*links, *joints)


CHAIN = fan(c=mimic('b', -2, 0.5), b=mimic('a', 3, 0.1), a=LIMIT)


def test_chains_are_reduced_whatever_the_order_in_the_document():
    model = read_urdf(CHAIN)
    assert model.joint_names == ('a',)
    assert model.tree_joint_names == ('c', 'b', 'a')
    np.testing.assert_allclose(model.multipliers, [-6, 3, 1])
    np.testing.assert_allclose(model.offsets, [-2 * 0.1 + 0.5, 0.1, 0])


def test_a_fixed_joint_is_followed_where_it_stands():
    # its own mimic tag, as careless exporters write it, does not count
    urdf = robot(
        *(link(name) for name in ('base', 'plate')),
        *(link(name, 1) for name in ('arm', 'finger')),
        joint('a', 'base', 'arm'),
        joint('f', 'base', 'plate', 'fixed', '<mimic joint="a"/>'),
        joint('b', 'arm', 'finger', content=mimic('f', 2, 0.3)),
    )
    model = read_urdf(urdf)
    assert model.joint_names == model.tree_joint_names == ('a',)
    turn = model.frames['finger'].pose
    np.testing.assert_allclose(turn[1:3, 1], [np.cos(0.3), np.sin(0.3)], rtol=1e-15)


def test_independent_ignores_mimic():
    model = read_urdf(CHAIN, mimic='independent')
    assert model.joint_names == ('c', 'b', 'a')
    np.testing.assert_array_equal(model.multipliers, [1, 1, 1])
    np.testing.assert_array_equal(model.offsets, [0, 0, 0])


def test_independent_does_not_need_the_master():
    assert read_urdf(fan(a=mimic('ghost')), mimic='independent').n == 1


def test_a_locked_master_locks_the_chain():
    model = read_urdf(fan(a=LIMIT, b=mimic('a', 3, 0.1), d=LIMIT), locked={'a': 0.2})
    assert model.joint_names == ('d',)
    rotation = model.frames['b_link'].pose[:3, :3]
    angle = np.arctan2(rotation[2, 1], rotation[1, 1])
    assert angle == pytest.approx(3 * 0.2 + 0.1)


def test_a_master_left_out_stands_at_zero():
    model = read_urdf(fan(a=LIMIT, b=mimic('a', 3, 0.1), d=LIMIT), joints=['d'])
    assert model.frames['b_link'].pose[2, 1] == pytest.approx(np.sin(0.1))


def test_locking_the_middle_of_a_chain_cuts_it():
    model = read_urdf(CHAIN, locked={'b': 0.25})
    assert model.tree_joint_names == ('a',)
    assert model.frames['c_link'].pose[2, 1] == pytest.approx(np.sin(-2 * 0.25 + 0.5), abs=1e-15)


def test_a_master_outside_the_subtree_counts_as_locked():
    urdf = robot(
        *(link(name, 1) for name in ('base', 'hand', 'finger', 'side')),
        joint('wrist', 'base', 'hand'),
        joint('drive', 'base', 'side'),
        joint('grip', 'hand', 'finger', content=mimic('drive', 2, 0.1)),
    )
    model = read_urdf(urdf, base_link='hand')
    assert model.n == 0
    assert model.frames['finger'].pose[2, 1] == pytest.approx(np.sin(0.1))
    model = read_urdf(urdf, base_link='hand', locked={'drive': 0.3})
    assert model.frames['finger'].pose[2, 1] == pytest.approx(np.sin(0.7))


def test_a_mimic_joint_off_the_chain_follows_its_master():
    model = read_urdf(fan(a=LIMIT, b=mimic('a', 3)), tip_link='a_link')
    assert model.joint_names == ('a',)
    assert model.tree_joint_names == ('a', 'b')


def test_mimic_tags_on_fixed_joints_do_not_count():
    urdf = robot(*map(link, 'ab'), joint('f', 'a', 'b', 'fixed', '<mimic joint="ghost"/>'))
    assert read_urdf(urdf).n == 0


def test_an_undefined_master_may_be_locked_away():
    assert read_urdf(fan(a=LIMIT, b=mimic('ghost')), locked={'b': 0.1}).joint_names == ('a',)


def test_a_loop_behind_a_chain_is_spelled_out_alone():
    with pytest.raises(TopologyError, match="joint 'c', <mimic> .* got a loop: b -> c -> b"):
        read_urdf(fan(a=mimic('b'), b=mimic('c'), c=mimic('b')))


def test_chains_may_be_long():
    contents = {f'j{i}': mimic(f'j{i - 1}', 1, 0.5) for i in range(1099, 0, -1)}
    model = read_urdf(fan(**contents, j0=LIMIT))
    assert model.joint_names == ('j0',)
    np.testing.assert_array_equal(np.sort(model.offsets), 0.5 * np.arange(1100))


@pytest.mark.parametrize(
    ('kind', 'parts'),
    [('planar', 'j/x, j/y, j/yaw'), ('floating', 'j/x, j/y, j/z, j/yaw, j/pitch, j/roll')],
)
def test_a_master_with_several_degrees_of_freedom_is_named_with_its_parts(kind, parts):
    links = [link('base'), link('cart', 1), link('wheel', 1)]
    cart, wheel = joint('j', 'base', 'cart', kind), joint('w', 'cart', 'wheel', content=mimic('j'))
    expected = rf"expected the name of a joint with one degree of freedom \({parts}\), got 'j';"
    with pytest.raises(TopologyError, match=expected):
        read_urdf(robot(*links, cart, wheel))
    wheel = joint('w', 'cart', 'wheel', content=mimic('j/x', 4.0))
    assert read_urdf(robot(*links, cart, wheel)).multipliers[-1] == 4.0


def test_a_mimic_joint_cannot_be_selected():
    message = "got 'b', which mimics 'a'; select that one or read with mimic='independent'"
    with pytest.raises(InputError, match=message):
        read_urdf(fan(a=LIMIT, b=mimic('a')), joints=['b'])
    assert read_urdf(fan(a=LIMIT, b=mimic('a')), joints=['b'], mimic='independent').n == 1


def limited(lower: float, upper: float, velocity: float, effort: float = 3.0, **follows: float):
    limit = f'<limit lower="{lower}" upper="{upper}" velocity="{velocity}" effort="{effort}"'
    limit += f' acceleration="{10 * velocity}" jerk="{100 * velocity}"/>'
    if follows:
        limit += f'<mimic joint="a" multiplier="{follows["by"]}" offset="{follows["at"]}"/>'
    return limit


def limits_of(**contents: str) -> tuple[float, ...]:
    limits = read_urdf(fan(**contents)).limits
    assert limits.acceleration[0] == pytest.approx(10.0 * limits.velocity[0])
    assert limits.jerk[0] == pytest.approx(100.0 * limits.velocity[0])
    return tuple(
        float(bound[0]) for bound in (limits.lower, limits.upper, limits.velocity, limits.effort)
    )


def test_limits_of_followers_narrow_those_of_the_coordinate():
    own, upside_down = limited(-1, 1, 2), limited(-1.5, 0.5, 2, 0.1, by=-2, at=0.3)
    # -2 q + 0.3 in [-1.5, 0.5]
    assert limits_of(a=own, b=upside_down) == pytest.approx((-0.1, 0.9, 1.0, 3.0))
    # before the joint that it follows, and with another one
    turning = limited(-0.1, 0.1, 0.2, by=4, at=0.0)
    expected = (-0.025, 0.025, 0.05, 3.0)
    assert limits_of(b=turning, c=upside_down, a=own) == pytest.approx(expected)
    wide = limited(-9, 9, 9, 1.0, by=0.5, at=0.1)
    assert limits_of(a=own, b=wide) == (-1.0, 1.0, 2.0, 3.0)
    # chains: c = -6 q + 0.3 in [-1, 1] and b = 3 q + 0.1 in [-1, 1], velocities 2
    model = read_urdf(CHAIN)
    np.testing.assert_allclose(model.limits.lower, [-0.7 / 6], rtol=1e-14)
    np.testing.assert_allclose(model.limits.upper, [1.3 / 6], rtol=1e-14)
    np.testing.assert_allclose(model.limits.velocity, [2.0 / 6], rtol=1e-14)


def test_limits_of_followers_that_contradict_the_coordinate_do_not_count():
    own = limited(0, 0.8, 2)
    assert limits_of(a=own, b=limited(0, 0.9, 2, by=-1, at=0.0)) == (0.0, 0.8, 2.0, 3.0)
    assert limits_of(a=own, b=limited(5, 6, 0, by=1, at=0.0)) == (0.0, 0.8, 2.0, 3.0)
    assert limits_of(a=own, b=limited(0, 0.9, 2, by=0, at=5.0)) == (0.0, 0.8, 2.0, 3.0)
    # a mimic joint that is a coordinate of its own
    model = read_urdf(fan(a=own, b=limited(0, 0.1, 2, by=1, at=0.0)), mimic='independent')
    np.testing.assert_array_equal(model.limits.upper, [0.8, 0.1])


ORIGIN = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0 0"/>'
HOME = pose(rpy_rotation(0.4, 0, 0), np.array([0.1, 0.2, 0.3]))


def base_joint(kind: str, content: str = ORIGIN) -> str:
    return robot(link('world'), link('body', 2), joint('free', 'world', 'body', kind, content))


@pytest.mark.filterwarnings('error')
def test_floating_is_position_and_yaw_pitch_roll():
    model = read_urdf(base_joint('floating'))
    suffixes = ('x', 'y', 'z', 'yaw', 'pitch', 'roll')
    assert model.joint_names == tuple(f'free/{suffix}' for suffix in suffixes)
    assert set(model.frames) == {'world', 'body'}
    assert model.frames['body'].body == 5
    np.testing.assert_array_equal(model.inertias[:5], np.zeros((5, 6, 6)))
    q = np.array([1.0, 2.0, 3.0, 0.3, -0.5, 0.7])
    expected = HOME @ pose(rpy_rotation(0.7, -0.5, 0.3), q[:3])
    np.testing.assert_allclose(frame_poses(model, q)['body'], expected, atol=1e-15)


@pytest.mark.filterwarnings('error')
def test_planar_moves_in_the_plane_and_turns_about_its_normal():
    model = read_urdf(base_joint('planar', ORIGIN + '<axis xyz="0 0 2"/>'))
    assert model.joint_names == ('free/x', 'free/y', 'free/yaw')
    assert model.joint_types == ('prismatic', 'prismatic', 'continuous')
    q = np.array([1.0, 2.0, 0.3])
    expected = HOME @ pose(rpy_rotation(0, 0, 0.3), np.array([1.0, 2.0, 0.0]))
    np.testing.assert_allclose(frame_poses(model, q)['body'], expected, atol=1e-15)


@pytest.mark.parametrize('kind', ['planar', 'floating'])
def test_limits_without_a_single_unit_are_dropped(kind):
    limits = read_urdf(base_joint(kind, '<limit effort="3" velocity="2"/>')).limits
    assert np.isinf([limits.lower, limits.upper, limits.velocity, limits.effort]).all()


@pytest.mark.parametrize('axis', ['1 0 0', '0 -1 0', '1 2 3'])
def test_planar_axes_are_right_handed_about_any_normal(axis):
    screws = read_urdf(base_joint('planar', f'<axis xyz="{axis}"/>')).screws
    x, y, normal = screws[0, 3:], screws[1, 3:], screws[2, :3]
    np.testing.assert_allclose(np.cross(x, y), normal, atol=1e-15)
    raw = np.array([float(word) for word in axis.split()])
    np.testing.assert_allclose(normal, raw / np.linalg.norm(raw), atol=1e-15)


def test_parts_can_be_locked_and_selected_by_name():
    model = read_urdf(base_joint('planar', '<axis xyz="0 0 1"/>'), locked={'free/yaw': 0.5})
    assert model.joint_names == ('free/x', 'free/y')
    assert model.inertias[1, 3, 3] == 2.0
    model = read_urdf(base_joint('floating'), joints=['free/z'])
    assert model.joint_names == ('free/z',)


def test_defaults_are_one_and_zero():
    model = read_urdf(fan(a=LIMIT, b=mimic('a')))
    np.testing.assert_array_equal(model.multipliers, [1, 1])
    np.testing.assert_array_equal(model.offsets, [0, 0])


def test_a_fixed_master_stands_at_zero():
    urdf = robot(
        *map(link, ('base', 'x')),
        link('y', 1),
        joint('held', 'base', 'x', 'fixed'),
        joint('b', 'base', 'y', content=mimic('held', 5, 0.4)),
    )
    model = read_urdf(urdf)
    assert model.n == 0
    assert model.frames['y'].pose[2, 1] == pytest.approx(np.sin(0.4))


def test_a_loop_is_spelled_out():
    with pytest.raises(TopologyError, match='got a loop: a -> b -> a'):
        read_urdf(fan(a=mimic('b'), b=mimic('a')))
