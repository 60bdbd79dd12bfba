# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings: values as rclpy and parameter files have them, by the rules of their fields."""

import math
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screw_dynamics.common.settings import Rule, coerced, one_or_each, rule_of
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.errors import InputError

RULES = {
    rule_of(item).name: (rule_of(item), item.default)
    for record in (DriveCommandsParameters, FeedforwardParameters)
    for item in fields(record)
}


@pytest.mark.parametrize(
    'name, value, expected',
    [
        ('publish_rate', 100, 100.0),
        ('publish_rate', 1000.0, 1000.0),
        ('gravity', [0, 0, -10], (0.0, 0.0, -10.0)),
        ('filter.order', 6, 6),
        ('joints', None, ()),
        ('joints', [''], ()),
        ('joints', ['b', 'a'], ('b', 'a')),
        ('limits', False, 'off'),
        ('start_state', 'first_point', 'first_point'),
        ('autostart', False, False),
        ('outputs', ['spline', 'joint_effort'], ('spline', 'joint_effort')),
        ('stiffness', [10, 20.0], (10.0, 20.0)),
        ('lead_time', 'auto', 'auto'),
        ('lead_time', 1, 1.0),
    ],
)
def test_accepted(name, value, expected):
    result = coerced(*RULES[name], value)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    'name, value, message',
    [
        ('publish_rate', 0.5, "'publish_rate': expected a number from 1 to 1000, got 0.5"),
        ('publish_rate', 'fast', "'publish_rate': expected a number, got 'fast'"),
        ('publish_rate', True, "'publish_rate': expected a number, got True"),
        ('publish_rate', float('nan'), "'publish_rate': expected a finite number, got nan"),
        ('lead_time', 'Auto', "'lead_time': expected a number or auto, got 'Auto'"),
        ('gravity', [0.0, 9.81], r"'gravity': expected 3 numbers, got \[0.0, 9.81\]"),
        ('gravity', ['0', '0', '0'], "'gravity': expected a number, got '0'"),
        ('gravity', 9.81, "'gravity': expected an array, got 9.81"),
        ('joints', [1, 2], r"'joints': expected an array of strings, got \[1, 2\]"),
        ('joints', 'a', "'joints': expected an array, got a"),
        ('filter.order', 3, "'filter.order': expected a number from 5 to 12, got 3"),
        ('filter.order', 5.5, "'filter.order': expected an integer, got 5.5"),
        ('autostart', 1, "'autostart': expected true or false, got 1"),
        (
            'start_state',
            'maybe',
            "'start_state': expected one of reference, joint_states, first_point, got 'maybe'",
        ),
        ('payload.mass', -1.0, "'payload.mass': expected a number from 0 to 1e\\+06, got -1.0"),
        (
            'outputs',
            ['spline', 'torque'],
            'expected some of joint_effort, joint_trajectory_effort, spline, got',
        ),
    ],
)
def test_rejected(name, value, message):
    with pytest.raises(InputError, match=message):
        coerced(*RULES[name], value)


NUMBERS = st.floats(allow_nan=True) | st.integers(-3, 3).map(float)


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_a_rule_allows_the_numbers_that_its_text_names(value, low, high, above):
    rule = Rule('a', '', low, high, above=above)
    assert rule.allows(value) == (math.isfinite(value) and low <= value <= high and value > above)


@pytest.mark.parametrize(
    ('rule', 'text'),
    [
        ({}, 'a finite number'),
        ({'minimum': 1.0}, 'a number of at least 1'),
        ({'minimum': 1.0, 'maximum': 2.0}, 'a number from 1 to 2'),
        ({'above': 0.0}, 'a number above 0'),
        ({'above': 0.0, 'maximum': 2.0}, 'a number above 0, at most 2'),
    ],
)
def test_bounds_in_words(rule, text):
    assert Rule('a', '', **rule).bounds == text


def test_one_value_is_that_of_all():
    owners = ('a', 'b', 'c')
    for values, expected in (((), [0.0] * 3), ((2.0,), [2.0] * 3), ((1.0, 2.0, 3.0), [1, 2, 3])):
        assert one_or_each('x', values, owners).tolist() == expected
    with pytest.raises(InputError, match=r"'x': expected no value, one, or 3 \(a, b, c\), got 2"):
        one_or_each('x', (1.0, 2.0), owners)
