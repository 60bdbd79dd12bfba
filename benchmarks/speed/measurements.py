# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of the benchmark, and the figure that each of them must reach."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pinocchio
from oracles.random_models import BodyRecipe, random_model
from tqdm import tqdm

import screw_dynamics as sd
from benchmarks.speed import fastest_motions, generated_code, other_functions, soft_chains, terms
from benchmarks.speed.peers import ChainRule, FiniteDifferences, from_chain, from_urdf
from benchmarks.speed.timing import Measured, race
from benchmarks.speed.trajectory_figures import motor_feedforward, smooth_trajectories
from screw_dynamics.arrays import Array
from screw_dynamics.kernels.taylor.compiled import single_kernel

ORDERS = (0, 1, 2, 3, 4)
SIZES = (7, 14, 28, 56, 112)
BATCH = 10_000
_PARTIALS = 'effort_partials, order 0', 'pinocchio computeRNEADerivatives'


@dataclass(frozen=True)
class Row:
    """One figure: its value, and the bound that it must keep (and the one aimed at)."""

    name: str
    value: float
    required: float
    aimed: float | None = None
    at_least: bool = False
    unit: str = ''

    @property
    def met(self) -> bool:
        """Return whether the required bound holds."""
        return self.value >= self.required if self.at_least else self.value <= self.required


@dataclass
class Results:
    """All figures of a run; times in seconds per call or per sample."""

    rows: list[Row] = field(default_factory=list)
    single: dict[str, Measured] = field(default_factory=dict)
    terms: dict[str, tuple[Measured, Measured, dict[str, float]]] = field(default_factory=dict)
    others: dict[str, other_functions.Comparison] = field(default_factory=dict)
    generated: dict[str, generated_code.Times] = field(default_factory=dict)
    batch: dict[str, float] = field(default_factory=dict)
    scaling: dict[str, list[float]] = field(default_factory=dict)
    soft: dict[str, Measured] = field(default_factory=dict)
    soromox: tuple[float, float] | None = None
    motions: fastest_motions.Times = field(default_factory=fastest_motions.Times)


def measure_all() -> Results:
    """Run every measurement, with a progress bar."""
    results = Results()
    steps = (
        _single_calls,
        _terms,
        _other_functions,
        _batches,
        _scaling,
        _trajectories,
        _fastest_motions,
        _soft_chains,
        _generated_code,
        _start,
    )
    with tqdm(total=len(steps), desc='bench', unit='part') as bar:
        for step in steps:
            bar.set_postfix_str(step.__name__.strip('_').replace('_', ' '))
            step(results)
            bar.update()
    return results


def _jet(rng: np.random.Generator, order: int, n: int) -> Array:
    return rng.uniform(-1.0, 1.0, size=(order + 3, n))


def _single_calls(results: Results) -> None:
    urdf = sd.share_path('urdf/iiwa14.urdf')
    model, peer = sd.read_urdf(urdf), from_urdf(urdf)
    rng = np.random.default_rng(1)
    jet = _jet(rng, 2, model.n)
    q, qd, qdd = (row.copy() for row in jet[:3])
    calls: dict[str, tuple] = {
        'pinocchio rnea': (pinocchio.rnea, (peer, peer.createData(), q, qd, qdd)),
        'finite differences (5 rnea)': (FiniteDifferences(peer, jet), ()),
        "computeRNEADerivatives + tau'": (ChainRule(peer, jet), ()),
    }
    for order in ORDERS:
        motion, out = _jet(rng, order, model.n), np.empty((order + 1, model.n))
        function = partial(sd.inverse_dynamics, model, motion, None)
        calls[f'order {order}'] = (sd.inverse_dynamics, (model, motion, None, out))
        function(out)
    calls['order 2, new array'] = (sd.inverse_dynamics, (model, jet))
    calls['order 10'] = (
        sd.inverse_dynamics,
        (model, _jet(rng, 10, model.n), None, np.empty((11, model.n))),
    )
    calls['effort_partials, order 0'] = (sd.effort_partials, (model, jet[:3].copy()))
    calls['effort_partials, order 2'] = (sd.effort_partials, (model, jet))
    derivatives = peer, peer.createData(), q, qd, qdd
    calls['pinocchio computeRNEADerivatives'] = (pinocchio.computeRNEADerivatives, derivatives)
    for form in ('body', 'hybrid'):
        motion, out = _jet(rng, 1, model.n), np.empty((3, 6))
        call = sd.frame_twist, (model, motion, 'flange', form, out)
        calls[f'frame_twist, {form}, to acceleration and jerk'] = call
    accelerations = peer, peer.createData(), q, qd, qdd
    calls['pinocchio forwardKinematics to acceleration'] = (
        pinocchio.forwardKinematics,
        accelerations,
    )
    calls['recursive_body_fixed, order 2'] = (sd.recursive_body_fixed, (model, jet))
    parameters = model.joint_frame_parameters.parameters
    by_numba = single_kernel(2).made_by_numba()
    for name, kernel in (('c', single_kernel(2).compile()), ('numba', by_numba)):
        calls[f'kernel of order 2, {name}'] = kernel, (jet, np.empty((3, model.n)), parameters)
    results.single = race(calls)
    single = results.single
    p = single['pinocchio rnea']
    results.rows += [
        Row("tau, tau', tau'' in one call / P", single['order 2'].ratio(p), 1.8, 1.15),
        Row(
            '5 rnea calls alone / order-2 call',
            5.0 * p.ratio(single['order 2']),
            2.7,
            4.3,
            at_least=True,
        ),
        Row(
            '5 rnea calls + differences in NumPy / order-2 call',
            single['finite differences (5 rnea)'].ratio(single['order 2']),
            5.0,
            at_least=True,
        ),
        Row(
            "computeRNEADerivatives + tau' / order-1 call",
            single["computeRNEADerivatives + tau'"].ratio(single['order 1']),
            4.0,
            at_least=True,
        ),
        Row(
            'effort_partials, order 0 / computeRNEADerivatives',
            single['effort_partials, order 0'].ratio(single['pinocchio computeRNEADerivatives']),
            1.3,
        ),
        Row('order 10 / order 2', single['order 10'].ratio(single['order 2']), 6.0, 4.5),
        Row(
            'kernel of order 2, in C / by numba',
            single['kernel of order 2, c'].ratio(single['kernel of order 2, numba']),
            2.0,
        ),
    ]


def _terms(results: Results) -> None:
    results.terms = terms.ratios()
    for name, (_, _, values) in results.terms.items():
        for figure, value in values.items():
            text = f'{name}, {figure} / pinocchio'
            results.rows.append(Row(text, value, terms.FIGURES[figure]))
    for name, exponent in terms.growth().items():
        low, high = terms.SIZES
        text = f'{name}, growth exponent in joints, {low} to {high}'
        results.rows.append(Row(text, exponent, terms.GROWTH))


def _other_functions(results: Results) -> None:
    results.others = other_functions.compare()


def _batches(results: Results) -> None:
    urdf = sd.share_path('urdf/iiwa14.urdf')
    model, peer = sd.read_urdf(urdf), from_urdf(urdf)
    rng = np.random.default_rng(2)
    calls: dict[str, tuple] = {}
    q, qd, qdd = _jet(rng, 0, model.n)
    calls['P'] = (pinocchio.rnea, (peer, peer.createData(), q.copy(), qd.copy(), qdd.copy()))
    for order in ORDERS:
        jets = rng.uniform(-1.0, 1.0, size=(BATCH, order + 3, model.n))
        out = np.empty((BATCH, order + 1, model.n))
        calls[f'order {order}'] = (sd.inverse_dynamics, (model, jets, None, out))
        sd.inverse_dynamics(model, jets, None, out)
        if order == 0:
            calls['effort_partials, order 0'] = (sd.effort_partials, (model, jets))
        if order == 2:
            calls['order 2, 2 threads'] = (sd.inverse_dynamics, (model, jets, None, out, 2))
    measured = race(calls, rounds=21)
    p = measured['P']
    ratio = measured['order 2'].ratio(p) / BATCH
    results.rows.append(Row(f'batch of {BATCH}, per sample / P', ratio, 0.75, 0.20))
    results.batch = {name: value.best / (1 if name == 'P' else BATCH)
                     for name, value in measured.items()}  # fmt: skip


def _scaling(results: Results) -> None:
    rng = np.random.default_rng(3)
    columns: dict[str, list[float]] = {f'order {order}': [] for order in ORDERS}
    columns |= {name: [] for name in ('pinocchio rnea', *_PARTIALS)}
    ratios = []
    for n in SIZES:
        model = random_model(rng, [BodyRecipe(coordinate_axis=True)] * n, length=0.3)
        peer = from_chain(model)
        calls: dict[str, tuple] = {}
        for order in ORDERS:
            motion, out = _jet(rng, order, n), np.empty((order + 1, n))
            calls[f'order {order}'] = (sd.inverse_dynamics, (model, motion, None, out))
            sd.inverse_dynamics(model, motion, None, out)
        motion = _jet(rng, 0, n)
        arguments = peer, peer.createData(), *(row.copy() for row in motion)
        calls['pinocchio rnea'] = (pinocchio.rnea, arguments)
        calls[_PARTIALS[0]] = (sd.effort_partials, (model, motion))
        calls[_PARTIALS[1]] = (pinocchio.computeRNEADerivatives, arguments)
        measured = race(calls, rounds=31)
        for name, times in measured.items():
            columns[name].append(times.best)
        ratios.append(measured[_PARTIALS[0]].ratio(measured[_PARTIALS[1]]))
    results.scaling = columns
    results.rows.append(
        Row('effort_partials / computeRNEADerivatives, 7 to 112 joints, worst', max(ratios), 1.3)
    )
    large, small = SIZES.index(112), SIZES.index(28)
    growth = {name: times[large] / times[small] for name, times in columns.items()}
    name = 'effort_partials / computeRNEADerivatives, growth from 28 to 112 joints'
    results.rows.append(Row(name, growth[_PARTIALS[0]] / growth[_PARTIALS[1]], 1.3))
    exponent = np.log(growth['order 2']) / np.log(112 / 28)
    results.rows.append(Row('growth exponent in joints, 28 to 112', float(exponent), 1.08))


def _soft_chains(results: Results) -> None:
    results.soft, figures = soft_chains.measure()
    results.rows += [
        Row(name, value, *soft_chains.BOUNDS[name]) for name, value in figures.items()
    ]
    python = os.environ.get('SOROMOX_PYTHON')
    if python:
        results.soromox = soft_chains.beside_soromox(python)


def _trajectories(results: Results) -> None:
    for figure in (*smooth_trajectories(), *motor_feedforward()):
        results.rows.append(Row(figure.name, figure.value, figure.required, unit=figure.unit))


def _fastest_motions(results: Results) -> None:
    results.motions = fastest_motions.measure()
    most, least = fastest_motions.figures(results.motions)
    for figure in most:
        results.rows.append(Row(figure.name, figure.value, figure.required, unit=figure.unit))
    for figure in least:
        results.rows.append(Row(figure.name, figure.value, figure.required, at_least=True))


def _generated_code(results: Results) -> None:
    figures, results.generated = generated_code.measure()
    for (name, value), unit in zip(figures.items(), generated_code.UNITS, strict=False):
        results.rows.append(Row(name, value, generated_code.BOUNDS[name], unit=unit))


_FIRST_RESULT = """
import numpy as np, screw_dynamics as sd
model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
sd.inverse_dynamics(model, np.zeros((5, model.n)), out=np.empty((3, model.n)))
"""


def _start(results: Results) -> None:
    command = [sys.executable, '-W', 'ignore', '-c', _FIRST_RESULT]
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, check=True)
        seconds.append(time.perf_counter() - start)
    results.rows.append(Row('new process to first result', min(seconds), 0.5, unit=' s'))
