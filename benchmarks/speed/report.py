# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables and the plot of a benchmark run."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

import matplotlib

matplotlib.use('Agg')
import numpy as np  # noqa: E402
from matplotlib import pyplot as plt  # noqa: E402

from benchmarks.speed import terms  # noqa: E402
from benchmarks.speed.fastest_motions import EFFORT_RATE, GRID, PATHS, Times  # noqa: E402
from benchmarks.speed.measurements import BATCH, SIZES, Results  # noqa: E402
from screw_dynamics.jit import kernel_form  # noqa: E402


def _processor() -> str:
    for line in Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines():
        if line.startswith('model name'):
            return line.split(':', 1)[1].strip()
    return platform.processor() or 'unknown processor'


def machine() -> str:
    """Return what a measurement depends on: processor and interpreter."""
    return f'{_processor()} ({os.cpu_count()} cores), Python {platform.python_version()}'


def markdown(results: Results) -> str:
    """Return the tables as Markdown."""
    lines = [
        '# Speed',
        '',
        'Command: `make bench`. Robot: iiwa14.urdf (7 joints) unless said. P is one',
        '`pinocchio.rnea` call from Python (7 joints, order 0: tau alone). Calls of an order',
        'write to an array that is there (`out`); "order 2, new array" is below. Every ratio is',
        'the median over rounds in which both sides ran in turn, in this one run.',
        '',
        f'Machine: {_processor()}, Python {platform.python_version()}, '
        f'kernels in {kernel_form()}, numpy {version("numpy")}, pin {version("pin")}.',
        '',
        '| figure | measured | required | aimed at | |',
        '|---|---|---|---|---|',
    ]
    for row in results.rows:
        sign = '>=' if row.at_least else '<='
        aimed = '' if row.aimed is None else f'{sign} {row.aimed:g}{row.unit}'
        verdict = 'met' if row.met else '🔴 **missed**'
        lines.append(
            f'| {row.name} | {row.value:.2f}{row.unit} | {sign} {row.required:g}{row.unit} '
            f'| {aimed} | {verdict} |'
        )
    lines += ['', '## Single calls', '', '| call | µs (best) | / P (median) |', '|---|---|---|']
    p = results.single['pinocchio rnea']
    for name, measured in results.single.items():
        lines.append(f'| {name} | {measured.best * 1e6:.2f} | {measured.ratio(p):.2f} |')
    lines += [
        '',
        '## Terms of one state beside Pinocchio',
        '',
        "Pinocchio's cheapest equivalent from Python: crba, computeCoriolisMatrix,",
        'computeGeneralizedGravity, nonLinearEffects, aba, framesForwardKinematics,',
        'computeFrameJacobian, forwardKinematics with accelerations; for `control_terms` the five',
        f'calls that it replaces. Batches of {terms.BATCH} states.',
        '',
        f'| function | µs (best) | Pinocchio, µs | {" | ".join(terms.FIGURES)} |',
        f'|---|---|---|{"---|" * len(terms.FIGURES)}',
    ]
    for name, (own, peer, values) in results.terms.items():
        ratios = ' | '.join(f'{value:.2f}' for value in values.values())
        lines.append(f'| {name} | {own.best * 1e6:.2f} | {peer.best * 1e6:.2f} | {ratios} |')
    lines += [*_other_lines(results), *_generated_lines(results)]
    lines += ['', f'## Batch of {BATCH}', '', '| call | µs per sample (best) |', '|---|---|']
    lines += [f'| {name} | {value * 1e6:.3f} |' for name, value in results.batch.items()]
    lines += ['', '## Growth with the number of joints (µs, best)', '']
    lines += ['| joints | ' + ' | '.join(results.scaling) + ' |']
    lines += ['|---' * (len(results.scaling) + 1) + '|']
    for i, n in enumerate(SIZES):
        cells = ' | '.join(f'{times[i] * 1e6:.2f}' for times in results.scaling.values())
        lines.append(f'| {n} | {cells} |')
    lines += [*_motion_lines(results.motions), *_soft_lines(results)]
    return '\n'.join(lines) + '\n'


def _other_lines(results: Results) -> list[str]:
    """Return the section of functions beside the terms of one state."""
    lines = ['', '## Other functions beside Pinocchio', '']
    lines += [
        'Calls from Python that return new arrays, and equivalents where there are some.',
        '',
    ]
    lines += ['| function | µs (best) | equivalent | µs (best) | ratio (median) |']
    lines += ['|---|---|---|---|---|']
    for name, (own, equivalent, peer) in results.others.items():
        cells = ' |  |  '
        if peer is not None:
            cells = f' {equivalent} | {peer.best * 1e6:.2f} | {own.ratio(peer):.2f} '
        lines.append(f'| {name} | {own.best * 1e6:.2f} |{cells}|')
    return lines


def _generated_lines(results: Results) -> list[str]:
    """Return the section of generated C."""
    lines = ['', '## Generated C', '']
    lines += ['Calls in C, with the options of the table in [C code](../code_generation.md).', '']
    lines += ['| function | µs (best) | CasADi, µs (best) | ratio (median) |', '|---|---|---|---|']
    for name, (own, casadi) in results.generated.items():
        cells = ' |  '
        if casadi is not None:
            cells = f' {casadi.best * 1e6:.3f} | {own.ratio(casadi):.2f} '
        lines.append(f'| {name} | {own.best * 1e6:.3f} |{cells}|')
    if not any(casadi for _, casadi in results.generated.values()):
        lines += ['', 'CASADI_PYTHON named no interpreter with CasADi.']
    return lines


def _motion_lines(times: Times) -> list[str]:
    """Return the section of fastest motions along paths."""
    fast, free = np.array(times.fast), np.array(times.without_rate_limit)
    lines = [
        '',
        '## Fastest motions along paths',
        '',
        f'{PATHS} random paths of the iiwa through two to seven configurations, with limits of',
        f'velocity and effort of the URDF and an effort rate of {EFFORT_RATE:g} N m/s.',
        '',
        '| quantity | median | largest |',
        '|---|---|---|',
    ]
    rows = {
        'slow_down / retime, durations': np.array(times.slowed) / fast,
        'retime / retime without a rate limit, durations': fast / free,
        'the same, paths of two points': (fast / free)[np.array(times.points) == 2],
        'retime, computation [s]': np.array(times.computation),
    }
    if times.toppra:
        rows['retime without a rate limit / TOPP-RA, durations'] = free / times.toppra
        rows['TOPP-RA, computation [s]'] = np.array(times.computation_of_toppra)
    for name, values in rows.items():
        lines.append(f'| {name} | {np.median(values):.3g} | {values.max():.3g} |')
    lines += ['']
    if times.toppra:
        lines += [
            f'TOPP-RA (`pip install toppra`, {GRID} stations) has no limit of the effort rate.'
        ]
        return lines
    return [*lines, 'TOPP-RA was not installed (`pip install toppra`).']


def _soft_lines(results: Results) -> list[str]:
    """Return the section of soft-rigid chains."""
    lines = ['', '## Soft-rigid chains', '']
    lines += [
        'Chains of 20 planar arcs of constant curvature with closed-form inertia, of 200 such'
    ]
    lines += [
        'arcs, and of 20 rods of variable strain (4 coordinates, 8 nodes and 9 steps of fourth'
    ]
    lines += ['order each). All calls are from Python.', '']
    lines += ['| call | µs (best) | / P (median) |', '|---|---|---|']
    p = results.soft['pinocchio rnea, 7 joints']
    for name, measured in results.soft.items():
        lines.append(f'| {name} | {measured.best * 1e6:.2f} | {measured.ratio(p):.2f} |')
    if results.soromox is None:
        lines += [
            '',
            'SoRoMoX was not measured (`pip install soromox` in an environment of its own, named',
        ]
        return [*lines, 'by the variable `SOROMOX_PYTHON`).']
    ratio, deviation = results.soromox
    lines += ['', 'SoRoMoX (JAX, compiled, one thread, 8 Gauss points) needs for mass matrix and']
    lines += [f'efforts of the 20 arcs {ratio:.1f} times as long as `soft.mass_inverse_dynamics`;']
    lines += [f'the largest difference of the efforts is {deviation:.0e} of the largest.']
    return lines


def plot(results: Results, path: Path) -> None:
    """Draw time against joints, and the peers for seven joints."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.0), layout='constrained')
    colours = plt.get_cmap('viridis')
    ours = [name for name in results.scaling if name.startswith('order')]
    for i, name in enumerate(ours):
        times = [1e6 * t for t in results.scaling[name]]
        left.plot(SIZES, times, 'o-', color=colours(i / len(ours)), label=f'{name}')
    peer = [1e6 * t for t in results.scaling['pinocchio rnea']]
    left.plot(SIZES, peer, 's--', color='black', label='Pinocchio rnea (order 0)')
    left.set(xscale='log', yscale='log', xlabel='joints', ylabel='time per call [µs]')
    left.set_xticks(SIZES, [str(n) for n in SIZES])
    left.minorticks_off()
    left.set_title('Linear in the number of joints, any order')
    left.grid(True, alpha=0.3)
    left.legend(frameon=False, fontsize=8)

    bars = {
        'Pinocchio rnea: tau': results.single['pinocchio rnea'].best,
        "screw_dynamics: tau, tau', tau''": results.single['order 2'].best,
        "computeRNEADerivatives: tau'": results.single["computeRNEADerivatives + tau'"].best,
        "5 rnea + stencil: tau, tau', tau''": results.single['finite differences (5 rnea)'].best,
        'screw_dynamics, batch, per sample': results.batch['order 2'],
    }
    shades = ['0.45' if 'screw' not in name else colours(0.45) for name in bars]
    drawn = right.barh(list(bars), [1e6 * t for t in bars.values()], color=shades)
    right.bar_label(drawn, fmt='%.2f', padding=3, fontsize=8)
    right.invert_yaxis()
    right.set_xlabel('time [µs]')
    right.set_title('Seven joints')
    right.spines[['top', 'right']].set_visible(False)
    right.margins(x=0.12)
    figure.savefig(path, dpi=130)
    plt.close(figure)
