# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of arrays and numbers: what passes, as what, and the words for what does not."""

import argparse
import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays, scalar_dtypes

from screw_dynamics.common import arrays as checks
from screw_dynamics.common import scalars
from screw_dynamics.common.times import instant_of, seconds, set_stamp
from screw_dynamics.errors import InputError, ModelError

ONE, EYE = np.ones(2), np.eye(4)
UNALIGNED = np.frombuffer(b'\0' + np.arange(3.0).tobytes(), offset=1)


@given(arrays(scalar_dtypes(), array_shapes(min_dims=0)), st.booleans())
def test_real_arrays_of_any_layout_become_what_kernels_read(given_array, turned):
    array = given_array.T if turned else given_array
    if array.dtype.kind not in 'fiu':
        with pytest.raises(InputError, match='a: expected real numbers, got dtype'):
            checks.as_float_array('a', array)
        return
    found = checks.as_float_array('a', array)
    assert found.dtype == np.float64 and found.flags.carray and found.shape == array.shape
    np.testing.assert_array_equal(found, array.astype(np.float64))


def test_arrays_that_pass():
    assert not UNALIGNED.flags.aligned and checks.as_float_array('a', UNALIGNED).flags.aligned
    assert checks.as_float_array('a', ONE) is ONE and checks.as_float_array('a', []).size == 0
    checks.as_float_array('a', np.ma.masked_array(ONE, [False, False]))
    for pose in (EYE, SimpleNamespace(as_matrix=lambda: EYE), SimpleNamespace(homogeneous=EYE)):
        assert checks.as_pose('pose', pose) is EYE
    copy = checks.read_only_copy('a', ONE)
    assert (copy == ONE).all() and copy is not ONE and not copy.flags.writeable
    assert checks.require_finite('a', ONE) is ONE and checks.require_out(ONE) is ONE
    q, qd = checks.as_samples(2, q=np.full((3, 2), np.nan), qd=np.zeros((3, 2)))
    assert q.shape == qd.shape == (3, 2)
    assert checks.as_stack(np.ones((5, 6, 2)), 1).shape == (30, 2)
    assert checks.per_joint('a', 0.0, 3).tolist() == [0.0] * 3
    assert checks.per_joint('a', [1, 2], 2, above=True).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ('call', 'text'),
    [
        (
            lambda: checks.as_float_array('a', [[1], [2, 3]]),
            'a: expected an array of real numbers',
        ),
        (
            lambda: checks.as_float_array('a', np.ma.array(ONE, mask=[0, 1])),
            'a: expected a number in every entry',
        ),
        (lambda: checks.as_pose('pose', np.eye(3)), 'pose: .* got a rotation without a position'),
        (lambda: checks.as_pose('pose', ONE), r'pose: expected shape \(4, 4\), got'),
        (lambda: checks.as_vector('a', ONE, 3), r'a: expected shape \(3,\), got'),
        (
            lambda: checks.as_vector('a', [0, math.inf], 2),
            r'a\[1\]: expected a finite number, got inf',
        ),
        (lambda: checks.as_samples(2, q=0.0), r'q: expected shape \(2,\) or'),
        (lambda: checks.as_samples(3, q=ONE), r'q: expected shape \(3,\) or'),
        (lambda: checks.as_samples(2, q=ONE, v=[ONE]), r'v: expected shape \(2,\), that of q'),
        (lambda: checks.raise_not_finite(ONE, a=[math.nan]), r'a\[0\]: expected a finite number'),
        (
            lambda: checks.raise_not_finite(-ONE / 0.0, a=ONE),
            r'result\[0\] \(overflow\): .* got -inf',
        ),
        (lambda: checks.raise_not_finite(ONE, a=ONE), r'result \(overflow\): .* got nan'),
        (lambda: checks.require_out([1.0]), 'out: expected a float64 array, got list'),
        (lambda: checks.require_out(np.ones(2, 'f4')), 'out: .* got dtype float32'),
        (lambda: checks.require_out(np.eye(2)[:, 1]), 'out: .* C-contiguous False'),
        (lambda: checks.per_joint('a', [1.0, 2.0], 3), r'a: expected shape \(\) or \(3,\)'),
        (lambda: checks.per_joint('a', [1, -1], 2), 'a: expected numbers >= 0, got -1'),
        (lambda: checks.per_joint('a', 0, 2, above=True), 'a: expected numbers above 0, got 0'),
        (
            lambda: scalars.require_number('a', True),
            'a: expected a finite number of 0 or more, got True',
        ),
        (lambda: scalars.require_number('a', '1'), 'a: expected a finite number of 0 or more'),
        (
            lambda: scalars.require_number('a', math.inf),
            'a: expected a finite number of 0 or more',
        ),
        (
            lambda: scalars.require_number('a', 1, 1, above=True),
            'a: expected a finite number above 1, got 1',
        ),
        (lambda: scalars.require_number('a', 0.5, 1.0), 'of 1 or more, got 0.5'),
        (
            lambda: scalars.require_number('a', None, -math.inf, infinite=True),
            'a: expected a number, got None',
        ),
        (lambda: scalars.require_count('a', 1.0), 'a: expected a whole number of 0 or more'),
        (lambda: scalars.require_count('a', True, 0), 'a: expected a whole number of 0 or more'),
        (lambda: scalars.require_count('a', 1, 2), 'a: expected a whole number of 2 or more'),
        (
            lambda: scalars.require_choice('a', 'ful', ['full']),
            'a: expected one of full, .* did you mean full',
        ),
    ],
)
def test_what_does_not_pass_is_named(call, text):
    with np.errstate(all='ignore'), pytest.raises(InputError, match=text):
        call()


@given(st.floats(allow_nan=False))
def test_numbers_in_texts(number):
    text = repr(number)
    assert scalars.number_from_text(text) == scalars.number_or_nan(text) == number
    finite = scalars.finite_or_nan(text)
    assert finite == number if math.isfinite(number) else math.isnan(finite)
    if 0.0 < number < math.inf:
        assert scalars.positive(text) == number
    else:
        with pytest.raises(argparse.ArgumentTypeError, match='a number above 0'):
            scalars.positive(text)


def test_texts_that_are_no_numbers():
    for text, shown in (
        ('90 deg', "rad, got '90 deg': 90 degrees are 1.5708 rad$"),
        ('deg', "'deg'$"),
    ):
        with pytest.raises(argparse.ArgumentTypeError, match=shown):
            scalars.refuse('rad', text)
    for text in ('1_0', '١', ''):
        with pytest.raises(ValueError):
            scalars.number_from_text(text)
    assert math.isnan(scalars.number_or_nan('a'))


@dataclass(frozen=True)
class Range:
    low: float = 0.0
    high: float = math.inf

    def __post_init__(self):
        scalars.check_number(self, 'low')
        scalars.check_number(self, 'high', above=True, infinite=True)
        scalars.check_order(self, 'low', 'high')


def test_fields_of_records():
    assert type(Range(1).low) is float and Range(1, 1) == Range(1.0, 1.0)
    assert scalars.changes_of(Range(1, math.inf)) == 'Range(low=1.0)'
    for low, high, text in (
        (-1, 1, 'low: expected a finite number of 0 or more, got -1'),
        (0, 0, 'high: expected a number above 0, got 0'),
        (2, 1, 'high: expected at least low = 2, got 1'),
    ):
        with pytest.raises(ModelError, match=text):
            Range(low, high)


@given(st.integers(0, 2**31 * 10**9 - 1))
def test_stamps_are_exact(time):
    message = SimpleNamespace(header=SimpleNamespace(stamp=SimpleNamespace()))
    stamp = message.header.stamp
    set_stamp(stamp, time)
    assert stamp.sec * 10**9 + stamp.nanosec == time and 0 <= stamp.nanosec < 10**9
    assert seconds(stamp) == time / 10**9
    # 0 is no stamp
    for now in (time, time + 10**9, time - 10**9):
        assert instant_of(message, now, 1.0) == (time or now)
    if time:
        with pytest.raises(InputError, match='expected an instant within 1 s of now'):
            instant_of(message, time + 10**9 + 1, 1.0)
