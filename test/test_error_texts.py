# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InputError, UnknownNameError, listed, shown


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize('value', [1, 'a', [1, 'b', None], {'b': 1}, (1.5,)])
def test_short_values_are_shown_whole(value):
    assert shown(value) == repr(value)


def test_scalars_of_numpy_look_like_those_of_python():
    assert shown(np.str_('a')) == "'a'" and shown(np.float64(2)) == '2.0'
    assert shown([np.int64(3), {'b': np.bool_(True)}]) == "[3, {'b': True}]"
    unknown = UnknownNameError('joint', np.str_('elbow'), np.array(['joint_1', 'joint_2']))
    assert str(unknown) == "unknown joint 'elbow': expected one of joint_1, joint_2"
    with pytest.raises(InputError, match=r"locked\['joint_1'\]: expected a number, got 'x'"):
        sd.read_urdf(
            sd.share_path('urdf/planar_2r.urdf'), locked={np.str_('joint_1'): np.str_('x')}
        )


@pytest.mark.parametrize(
    'value',
    [
        'x' * 10**6,
        10**5000,
        list(range(10**6)),
        {str(i): i for i in range(10**5)},
        np.zeros((100, 100)),
        Broken(),
        'a\nb' * 100,
    ],
    ids=['text', 'integer', 'list', 'mapping', 'array', 'broken', 'lines'],
)
def test_long_values_are_cut(value):
    text = shown(value)
    assert 0 < len(text) <= 80 and len(text.splitlines()) == 1


def test_nested_values_are_cut_without_work():
    value: object = [1]
    for _ in range(50):
        value = [value] * 8
    assert len(shown(value)) <= 80


def test_lists_of_names():
    assert listed([]) == '(none)'
    assert listed('abc') == 'a, b, c'
    many = listed(f'joint_{i}' for i in range(20_000))
    assert many.startswith('joint_0, joint_1, ') and many.endswith(', ... (20000 in all)')
    assert len(many) < 900
    assert len(listed(['x' * 1000] * 3)) < 300


def test_errors_of_any_length_are_cut():
    error = InputError('a' * 10**6 + 'end')
    assert len(str(error)) == 2000 and str(error).endswith('end')
    unknown = UnknownNameError('joint', 'x' * 10**6, [f'joint_{i}' for i in range(20_000)])
    assert len(str(unknown)) < 1100


def test_many_roots_are_counted():
    links = ''.join(f'<link name="link_{i}"/>' for i in range(20_000))
    with pytest.raises(sd.errors.TopologyError, match=r'got 20000: link_0, .* \(20000 in all\)$'):
        sd.read_urdf(f'<robot name="r">{links}</robot>')
