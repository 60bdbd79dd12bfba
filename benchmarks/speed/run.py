# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Measure the speed of `screw_dynamics` against Pinocchio and finite differences."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from benchmarks.report import Report, Requirement, microseconds
from benchmarks.speed import (
    derivatives,
    fastest_motions,
    generated_code,
    other_functions,
    soft_chains,
    terms,
    trajectories,
)
from benchmarks.speed.peers import ChainRule, FiniteDifferences, from_chain, iiwa
from benchmarks.timing import Measured, race
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.progress import progress
from screw_dynamics.kernels.bodies.quantities import INVERSE_DYNAMICS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OPTIONS: dict[str, dict[str, Any]] = {}
ORDERS = (0, 1, 2, 3, 4)
SIZES = (7, 14, 28, 56, 112)
BATCH = 10_000
_PARTIALS = 'effort_partials, order 0', 'pinocchio computeRNEADerivatives'


def measure() -> Report:
    """Run every measurement and return the page."""
    report = Report('speed', 'Speed')
    report.text(
        'Command: `make bench`. Robot: iiwa14.urdf (7 joints) unless said. P is one '
        '`pinocchio.rnea` call from Python (7 joints, order 0: tau alone). Calls of an order '
        'are those of a `Workspace`, "order 2, new array" is `inverse_dynamics`. Every ratio is '
        'the median over rounds in which both sides ran in turn, in this one run.'
    )
    report.machine('numpy', 'pin')
    seconds: dict[str, list[float]] = {}
    report.figure('Growth with the joints, and peers for seven', partial(_draw, seconds))
    parts = (
        partial(_single_calls, seconds),
        terms.measure,
        other_functions.measure,
        derivatives.measure,
        generated_code.measure,
        partial(_batches, seconds),
        partial(_scaling, seconds),
        trajectories.measure,
        fastest_motions.measure,
        soft_chains.measure,
        _start,
    )
    for part in progress(parts, 'bench', unit='part'):
        part(report)
    report.heading('What is required')
    report.requirements()
    return report


def _jet(rng: np.random.Generator, order: int, n: int) -> Array:
    return rng.uniform(-1.0, 1.0, size=(order + 3, n))


def single_calls() -> dict[str, Measured]:
    """Time calls for the iiwa, in turns."""
    model, peer = iiwa()
    rng = np.random.default_rng(1)
    jet = _jet(rng, 2, model.n)
    q, qd, qdd = (row.copy() for row in jet[:3])
    calls: dict[str, tuple] = {
        'pinocchio rnea': (pinocchio.rnea, (peer, peer.createData(), q, qd, qdd)),
        'finite differences (5 rnea)': (FiniteDifferences(peer, jet), ()),
        "computeRNEADerivatives + tau'": (ChainRule(peer, jet), ()),
    }
    for order in ORDERS:
        motion = _jet(rng, order, model.n)
        calls[f'order {order}'] = (sd.Workspace(model, order).efforts, (motion,))
    calls['order 2, new array'] = (sd.inverse_dynamics, (model, jet))
    calls['order 10'] = (sd.Workspace(model, 10).efforts, (_jet(rng, 10, model.n),))
    calls['effort_partials, order 0'] = (sd.effort_partials, (model, jet[:3].copy()))
    calls['effort_partials, order 2'] = (sd.effort_partials, (model, jet))
    derivatives = peer, peer.createData(), q, qd, qdd
    calls['pinocchio computeRNEADerivatives'] = (pinocchio.computeRNEADerivatives, derivatives)
    for form in ('body', 'hybrid'):
        motion, out = _jet(rng, 1, model.n), np.empty((3, 6))
        call = partial(sd.frame_twist, out=out), (model, motion, 'flange', form)
        calls[f'frame_twist, {form}, to acceleration and jerk'] = call
    accelerations = peer, peer.createData(), q, qd, qdd
    calls['pinocchio forwardKinematics to acceleration'] = (
        pinocchio.forwardKinematics,
        accelerations,
    )
    calls['recursive_body_fixed, order 2'] = (sd.recursive_body_fixed, (model, jet))
    parameters, efforts = model.kernel_tables.parameters, np.empty((3, model.n))
    calls['kernel of order 2'] = INVERSE_DYNAMICS.compiled(len(jet)), (jet, efforts, parameters)
    return race(calls)


def _single_calls(seconds: dict[str, list[float]], report: Report) -> None:
    single = single_calls()
    p = single['pinocchio rnea']
    report.require(
        Requirement("tau, tau', tau'' in one call / P", single['order 2'].ratio(p), 1.8, 1.15),
        Requirement(
            '5 rnea calls alone / order-2 call',
            5.0 * p.ratio(single['order 2']),
            2.7,
            4.3,
            at_least=True,
        ),
        Requirement(
            '5 rnea calls + differences in NumPy / order-2 call',
            single['finite differences (5 rnea)'].ratio(single['order 2']),
            5.0,
            at_least=True,
        ),
        Requirement(
            "computeRNEADerivatives + tau' / order-1 call",
            single["computeRNEADerivatives + tau'"].ratio(single['order 1']),
            4.0,
            at_least=True,
        ),
        Requirement(
            'effort_partials, order 0 / computeRNEADerivatives',
            single['effort_partials, order 0'].ratio(single['pinocchio computeRNEADerivatives']),
            1.3,
        ),
        Requirement('order 10 / order 2', single['order 10'].ratio(single['order 2']), 6.0, 4.5),
    )
    report.heading('Single calls')
    cells = [[name, microseconds(one.best), f'{one.ratio(p):.2f}'] for name, one in single.items()]
    report.table(['call', 'µs (best)', '/ P (median)'], cells)
    seconds |= {name: [one.best] for name, one in single.items()}


def _batches(seconds: dict[str, list[float]], report: Report) -> None:
    model, peer = iiwa()
    rng = np.random.default_rng(2)
    calls: dict[str, tuple] = {}
    q, qd, qdd = _jet(rng, 0, model.n)
    calls['P'] = (pinocchio.rnea, (peer, peer.createData(), q.copy(), qd.copy(), qdd.copy()))
    for order in ORDERS:
        jets = rng.uniform(-1.0, 1.0, size=(BATCH, order + 3, model.n))
        out = np.empty((BATCH, order + 1, model.n))
        calls[f'order {order}'] = (partial(sd.inverse_dynamics, out=out), (model, jets))
        sd.inverse_dynamics(model, jets, out=out)
        if order == 0:
            calls['effort_partials, order 0'] = (sd.effort_partials, (model, jets))
        if order == 2:
            threaded = partial(sd.inverse_dynamics, out=out, threads=2)
            calls['order 2, 2 threads'] = threaded, (model, jets)
    measured = race(calls, rounds=21)
    ratio = measured['order 2'].ratio(measured['P']) / BATCH
    report.require(Requirement(f'batch of {BATCH}, per sample / P', ratio, 0.75, 0.20))
    best = {name: one.best / (1 if name == 'P' else BATCH) for name, one in measured.items()}
    report.heading(f'Batch of {BATCH}')
    cells = [[name, f'{value * 1e6:.3f}'] for name, value in best.items()]
    report.table(['call', 'µs per sample (best)'], cells)
    seconds['batch'] = [best['order 2']]


def _scaling(seconds: dict[str, list[float]], report: Report) -> None:
    rng = np.random.default_rng(3)
    columns: dict[str, list[float]] = {f'order {order}': [] for order in ORDERS}
    columns |= {name: [] for name in ('pinocchio rnea', *_PARTIALS)}
    ratios = []
    for n in SIZES:
        model = random_model(rng, [BodyRecipe(coordinate_axis=True)] * n, length=0.3)
        peer = from_chain(model)
        calls: dict[str, tuple] = {}
        for order in ORDERS:
            motion = _jet(rng, order, n)
            calls[f'order {order}'] = (sd.Workspace(model, order).efforts, (motion,))
        motion = _jet(rng, 0, n)
        arguments = peer, peer.createData(), *(row.copy() for row in motion)
        calls['pinocchio rnea'] = (pinocchio.rnea, arguments)
        calls[_PARTIALS[0]] = (sd.effort_partials, (model, motion))
        calls[_PARTIALS[1]] = (pinocchio.computeRNEADerivatives, arguments)
        measured = race(calls, rounds=31)
        for name, times in measured.items():
            columns[name].append(times.best)
        ratios.append(measured[_PARTIALS[0]].ratio(measured[_PARTIALS[1]]))
    large, small = SIZES.index(112), SIZES.index(28)
    growth = {name: times[large] / times[small] for name, times in columns.items()}
    exponent = float(np.log(growth['order 2']) / np.log(112 / 28))
    name = 'effort_partials / computeRNEADerivatives'
    by_partials = growth[_PARTIALS[0]] / growth[_PARTIALS[1]]
    report.require(
        Requirement(f'{name}, 7 to 112 joints, worst', max(ratios), 1.3),
        Requirement(f'{name}, growth from 28 to 112 joints', by_partials, 1.3),
        Requirement('growth exponent in joints, 28 to 112', exponent, 1.08),
    )
    report.heading('Growth with the number of joints (µs, best)')
    cells = [
        [n, *map(microseconds, times)] for n, *times in zip(SIZES, *columns.values(), strict=True)
    ]
    report.table(['joints', *columns], cells)
    seconds |= {f'growth, {name}': times for name, times in columns.items()}


_FIRST_RESULT = """
import numpy as np, screw_dynamics as sd
model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
sd.inverse_dynamics(model, np.zeros((5, model.n)), out=np.empty((3, model.n)))
"""


def _start(report: Report) -> None:
    command = [sys.executable, '-W', 'ignore', '-c', _FIRST_RESULT]
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, check=True)
        seconds.append(time.perf_counter() - start)
    report.require(Requirement('new process to first result', min(seconds), 0.5, unit=' s'))


def _draw(seconds: Mapping[str, list[float]], figure: Figure) -> None:
    """Draw time against joints, and the peers for seven joints."""
    from matplotlib import colormaps

    left, right = figure.subplots(1, 2)
    colours = colormaps['viridis']
    for order in ORDERS:
        times = [1e6 * t for t in seconds[f'growth, order {order}']]
        colour = colours(order / len(ORDERS))
        left.plot(SIZES, times, 'o-', color=colour, label=f'order {order}')
    peer = [1e6 * t for t in seconds['growth, pinocchio rnea']]
    left.plot(SIZES, peer, 's--', color='black', label='Pinocchio rnea (order 0)')
    left.set(xscale='log', yscale='log', xlabel='joints', ylabel='time per call [µs]')
    left.set_xticks(SIZES, [str(n) for n in SIZES])
    left.minorticks_off()
    left.set_title('Linear in the number of joints, any order')
    left.grid(True, alpha=0.3)
    left.legend(frameon=False, fontsize=8)

    bars = {
        'Pinocchio rnea: tau': 'pinocchio rnea',
        "screw_dynamics: tau, tau', tau''": 'order 2',
        "computeRNEADerivatives: tau'": "computeRNEADerivatives + tau'",
        "5 rnea + stencil: tau, tau', tau''": 'finite differences (5 rnea)',
        'screw_dynamics, batch, per sample': 'batch',
    }
    shades = ['0.45' if 'screw' not in name else colours(0.45) for name in bars]
    times = [1e6 * seconds[name][0] for name in bars.values()]
    drawn = right.barh(list(bars), times, color=shades)
    right.bar_label(drawn, fmt='%.2f', padding=3, fontsize=8)
    right.invert_yaxis()
    right.set_xlabel('time [µs]')
    right.set_title('Seven joints')
    right.spines[['top', 'right']].set_visible(False)
    right.margins(x=0.12)
