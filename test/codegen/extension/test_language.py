# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What kernels are written with means the same in C as in Python."""

import resource
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from language import KERNELS

from screw_dynamics.codegen.translator.functions import Program
from screw_dynamics.codegen.translator.types import DOUBLE, TranslationError

NUMBERS = np.array([0.5, -1.5, 2.5, 3.0, -4.0])
INTEGERS = st.integers(-1000, 1000)


def both(language, name, *arguments, out=None):
    """Return what the kernel in C and the function in Python return, or write."""
    results = []
    for function in (language[name], KERNELS[name].function):
        if out is None:
            results.append(function(*arguments))
        else:
            target = np.zeros_like(out)
            function(*arguments, target)
            results.append(target)
    return results


@pytest.mark.parametrize(
    'name, arguments, out',
    [
        ('indices', (NUMBERS,), np.zeros(4)),
        ('views', (np.arange(12.0).reshape(3, 4) - 5.0, ), np.zeros((4, 3))),
        ('shapes', (np.arange(24.0).reshape(2, 3, 4) - 7.0,), np.zeros(4)),
        *(('tuples', (0.3, k), np.zeros(7)) for k in range(3)),
        *(('loops', (NUMBERS, limit), np.zeros(5)) for limit in (-1.0, 2.0, 9.0)),
        *(('conditions', (NUMBERS, k), np.zeros(5)) for k in range(7)),
        ('kept_arrays', (NUMBERS,), np.zeros(5)),
        ('exchanged', (NUMBERS,), np.zeros(5)),
        ('passes', (NUMBERS,), np.zeros(5)),
        ('constants', (), np.zeros(4)),
    ],
    ids=lambda value: value if isinstance(value, str) else '',
)  # fmt: skip
def test_what_is_written(language, name, arguments, out):
    if name == 'views':
        arguments, out = (arguments[0].T[:3].copy(),), np.zeros((4, 3))
    np.testing.assert_array_equal(*both(language, name, *arguments, out=out))


@given(a=INTEGERS, b=INTEGERS.filter(bool))
def test_integers_are_those_of_python(language, a, b):
    np.testing.assert_array_equal(*both(language, 'integers', a, b, out=np.zeros(5, np.int64)))


@given(x=st.floats(0.0, 1e3), y=st.floats(1e-3, 1e3))
def test_real_numbers(language, x, y):
    got, expected = both(language, 'reals', x, y, out=np.zeros(5))
    np.testing.assert_allclose(got, expected, rtol=1e-15, atol=1e-12)  # another libm


@pytest.mark.parametrize('values', [[], [1.0], [1.0, -1.0]], ids=len)
def test_several_returns(language, values):
    assert len(set(both(language, 'early', np.array(values)))) == 1


@pytest.mark.parametrize('value', [1.0, np.nan, np.inf])
def test_numbers_that_are_not_finite(language, value):
    got = language['finite'](np.array([value]))
    assert got is (value == 1.0)


def test_memory_of_a_pass_is_that_of_the_next(language):
    values = np.ones(10_000)
    language['memory'](values, 10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # without reuse: 20 000 times 160 kB
    assert language['memory'](values, 20_000) == pytest.approx(10_000.0)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # kB


def test_memory_that_is_not_there(language):
    with pytest.raises(MemoryError):
        language['large'](2**50)
    assert language['large'](10) == 1.0
    assert language['large'](10**7) == 1.0


def test_threads_have_memory_of_their_own(language):
    def call(size):
        values = np.arange(float(size))
        return language['memory'](values, 200) / values.sum()

    sizes = [10 + k % 5 * 4000 for k in range(40)]
    expected = [call(size) for size in sizes]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(call, sizes)) == expected


def test_the_memory_of_a_thread_ends_with_it(language):
    def call():
        language['memory'](np.ones(1000), 3)

    def run(count):
        for _ in range(count):
            thread = threading.Thread(target=call)
            thread.start()
            thread.join()

    run(10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(1000)  # that keep 64 kB each would leave 64 MB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


READ_ONLY = np.zeros(4)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    'arguments, text',
    [
        ((NUMBERS,), 'expected 2 arguments, got 1'),
        ((NUMBERS, np.zeros(4, np.float32)), 'has another type'),
        ((NUMBERS.astype(np.int64), np.zeros(4)), 'has another type'),
        ((NUMBERS, np.zeros((4, 1))), 'has another type'),
        ((NUMBERS[::2], np.zeros(4)), 'has another type'),
        ((NUMBERS, READ_ONLY), 'has another type'),
        ((NUMBERS.astype('>f8'), np.zeros(4)), 'has another type'),
        ((np.empty(41, np.uint8)[1:].view(float), np.zeros(4)), 'has another type'),
        ((list(NUMBERS), np.zeros(4)), 'has another type'),
        ((NUMBERS, None), 'has another type'),
    ],
)
def test_arguments_of_other_types(language, arguments, text):
    with pytest.raises(TypeError, match=text):
        language['indices'](*arguments)


def test_scalars_of_other_types(language):
    with pytest.raises(TypeError):
        language['reals']('x', 1.0, np.zeros(5))
    with pytest.raises(TypeError):
        language['integers'](1.5, 1, np.zeros(5, np.int64))
    got, expected = both(language, 'reals', np.float64(1.0), 1, out=np.zeros(5))
    np.testing.assert_allclose(got, expected, rtol=1e-15, atol=1e-12)  # as above
    got, expected = both(language, 'integers', np.int64(1), True, out=np.zeros(5, np.int64))
    np.testing.assert_array_equal(got, expected)


def test_an_array_that_is_only_read_need_not_be_writable(language):
    np.testing.assert_array_equal(*both(language, 'indices', READ_ONLY, out=np.zeros(4)))


def _sorted(x):
    return sorted(x)


def _two_types(x):
    y = x
    y = (x, x)
    return y


def _recursive(x):
    return x @ x


def _index(x):
    return np.zeros(3)[x]


def _bound(x):
    return len(np.zeros(3)[: 2.0 * x])


def _counter(x):
    y, (a, b) = np.zeros(3), (x, x)
    for c in range(3):
        y[1 + c] = a
    c = b
    return c


def _count(x):
    total = 0
    for k in range(x):
        total += k
    return total


def _quotient(a, b):
    return a / b


def _by_name(x):
    return _quotient(b=x, a=1.0)


def _or(x):
    return x or 2.0


def _while_else(x):
    while x < 3.0:
        x += 1.0
    else:
        x = 0.0
    return x


def _left_early(x):
    for _ in range(3):
        for y in (1.0, 2.0):
            if y > x:
                break
            x += y
    return x


@pytest.mark.parametrize(
    'function, text',
    [
        (_by_name, 'arguments by name'),
        (_or, 'x: expected a truth value'),
        (_while_else, 'while x < 3.0: a loop with else'),
        (_left_early, r'\(1.0, 2.0\): a loop over it that ends early'),
        (_sorted, 'sorted'),
        (_two_types, 'one variable'),
        (_recursive, ''),
        (_index, 'x: expected an integer'),
        (_bound, r'2.0 \* x: expected an integer'),
        (_counter, r'1 \+ c: expected an integer'),
        (_count, 'x: expected an integer'),
    ],
)
def test_what_has_no_translation_is_named(function, text):
    with pytest.raises(TranslationError, match=f'{function.__name__.strip("_")}: .*{text}'):
        Program().need(function, [DOUBLE])
