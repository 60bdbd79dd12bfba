# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rates that a machine cannot hold are refused, with the form of the kernels as the cause."""

from __future__ import annotations

import pytest

from screw_dynamics.errors import InputError
from screw_dynamics.nodes.feedforward import tick_cost

RATE = 'a sample takes 5 ms to compute: expected at most 200 Hz, got 250 Hz: '


@pytest.mark.parametrize(
    ('form', 'text', 'warning'),
    [
        ('c', f"'publish_rate': {RATE}lower it", ''),
        (
            'python',
            "'publish_rate': kernels run as Python (no extension module, or switched off): "
            f'{RATE}build the package with a C compiler (docs/installation.md, '
            "'Compiled kernels') or lower it",
            'Kernels run as Python (no extension module, or switched off): a sample takes 5 ms of '
            '10 ms to compute',
        ),
    ],
)
def test_rates(monkeypatch, form, text, warning):
    monkeypatch.setattr(tick_cost, 'kernel_form', lambda: form)
    tick_cost.require_rate(5e-3, 200.0)
    with pytest.raises(InputError) as caught:
        tick_cost.require_rate(5e-3, 250.0)
    assert str(caught.value) == f'parameter {text}'
    assert tick_cost.rate_warning(5e-3, 100.0) == warning
