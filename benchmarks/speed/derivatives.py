# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Products of derivatives with vectors, as PyTorch and JAX ask for them, beside the calls."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

import screw_dynamics as sd
from benchmarks.report import Report, microseconds
from benchmarks.speed.peers import iiwa
from benchmarks.timing import race
from screw_dynamics.bridges.derivatives import Efforts

_BATCH = 1000


def measure(report: Report) -> None:
    """Add the ratios of products to the call that they differentiate, by order."""
    model, _ = iiwa()
    operation, rng = Efforts(model), np.random.default_rng(7)
    cells = []
    for order in range(3):
        for samples in (1, _BATCH):
            jet, direction = rng.uniform(-1.0, 1.0, (2, samples, order + 3, model.n))
            covector = direction[:, 2:].copy()
            calls: dict[str, tuple[Any, ...]] = {
                'value': (operation.value, (jet,)),
                'change': (operation.change, (jet, direction)),
                'covectors': (operation.covectors, (jet, covector)),
                'matrices': (sd.effort_partials, (model, jet)),
                **_torch(model, jet),
            }
            times = race(calls, rounds=21)
            row = [f'{times[name].ratio(times["value"]):.1f}' for name in list(calls)[1:4]]
            by_torch = '-'
            if 'backward' in times:
                by_torch = f'{times["backward"].ratio(times["forward"]):.1f}'
            cells.append([order, samples, microseconds(times['value'].best), *row, by_torch])
    report.heading('Derivatives for PyTorch and JAX')
    report.text(
        'Products of the derivatives of the efforts and their rates by the motion with a '
        'direction (JVP) and with a covector (VJP), in calls of the function: the median over '
        'rounds in turns. "matrices" are `effort_partials`. The last column is the value with '
        '`backward` in calls of `sd.torch.inverse_dynamics`.'
    )
    header = ['order', 'samples', 'call, µs', 'JVP', 'VJP', 'matrices', 'PyTorch']
    report.table(header, cells)


def _torch(model: sd.ScrewModel, jet: Any) -> dict[str, tuple[Any, ...]]:
    if not find_spec('torch'):
        return {}
    import torch

    given = torch.tensor(jet, requires_grad=True)
    return {
        'forward': (sd.torch.inverse_dynamics, (model, torch.tensor(jet))),
        'backward': (lambda x: sd.torch.inverse_dynamics(model, x).sum().backward(), (given,)),
    }
