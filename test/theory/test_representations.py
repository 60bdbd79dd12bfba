# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conclusions of docs/theory/representations.md on cost and digits, measured again on less."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.representations import run as measured
from benchmarks.representations.counted import Counted, operations_of

PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'theory' / 'representations.md'
FORMS = measured.RECURSIONS


def published(name: str) -> dict[str, list[float]]:
    """Return the columns of a table of the page."""
    text = PAGE.read_text(encoding='utf-8')
    (table,) = re.findall(rf'<!-- measured: {name} -->\n\n(.*?)\n\n<!--', text, re.DOTALL)
    return measured.numbers(table.splitlines())


def test_counting_scalars_count_what_is_computed():
    vector = np.array([2.0, 0.0, 1.0, -1.0])

    def product(model: object, x: np.ndarray) -> object:
        return x @ vector  # one product, two sums: 0, 1 and -1 are free

    assert operations_of(product, None, [1.0, 2.0, 3.0, 4.0]) == 3
    assert (Counted(2.0) * Counted(3.0)).number == 6.0
    assert (1.0 - Counted(3.0) / 2.0).number == -0.5


def test_published_operations_are_counted_again():
    table = published('orders')
    for name, form in FORMS.items():
        assert measured.operations(form, 28, 1) / 28 == pytest.approx(table[name][1], abs=0.5)


def test_body_fixed_is_the_cheapest_and_spatial_the_dearest():
    table = published('orders')
    cheap, middle, dear = (np.array(table[name]) for name in ('body-fixed', 'hybrid', 'spatial'))
    assert (cheap < middle).all() and (middle < dear).all()
    assert middle[0] / cheap[0] == pytest.approx(1.22, abs=0.01)
    assert middle[-1] / cheap[-1] == pytest.approx(1.02, abs=0.01)
    assert dear[0] / cheap[0] == pytest.approx(2.1, abs=0.05)
    assert dear[-1] / cheap[-1] == pytest.approx(1.6, abs=0.05)


def test_recursions_are_linear_in_the_joints():
    for form in FORMS.values():
        few, more, most = (measured.operations(form, n, 1) for n in (4, 8, 12))
        # the increments of equal numbers of joints agree, but for those of the first body
        assert most - more == pytest.approx(more - few, rel=0.01)


@pytest.mark.parametrize('name', ['momentum', 'Euler-Jourdain'])
def test_sums_over_bodies_are_quadratic_in_the_joints(name):
    few, more, many, most = (
        measured.operations(measured.SUMS[name], n, 1) for n in (4, 8, 12, 16)
    )
    # second differences of a quadratic function agree
    assert most - 2 * many + more == pytest.approx(many - 2 * more + few, rel=0.02)


@pytest.mark.parametrize('name', [*FORMS, *measured.SUMS])
def test_published_operations_by_joints_are_counted_again(name):
    text = PAGE.read_text(encoding='utf-8')
    (cells,) = re.findall(rf'^\| {name} \|([ \d|]+)\|$', text, re.MULTILINE)
    form = {**FORMS, **measured.SUMS}[name]
    assert measured.operations(form, 7, 2) / 1e3 == pytest.approx(
        float(cells.split('|')[0]), abs=0.5
    )


def test_digits_far_from_the_origin():
    """Errors grow with the square of the distance, in proportion to it, or not at all."""
    near, far = (
        {
            name: measured.error(form, measured.displaced(measured.iiwa(), distance), 2)
            for name, form in {**FORMS, **measured.KERNEL}.items()
        }
        for distance in (1e3, 1e5)
    )
    # a hundred times farther; rounding of single states spreads by a factor of ten
    assert 1e3 < far['spatial'] / near['spatial'] < 1e5
    assert 1e1 < far['hybrid'] / near['hybrid'] < 1e3
    for name in ('body-fixed', 'compiled kernel'):
        assert far[name] < 1e-14
    assert far['spatial'] > 1e-7 and 1e-14 < far['hybrid'] < 1e-9


def test_published_errors_of_chains_and_orders_are_small():
    for name in ('long chains', 'high orders'):
        table = published(name)
        assert max(max(table[form]) for form in (*FORMS, *measured.KERNEL)) < 1e-13
