# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Learn from repeats on arms with wrong parameters: what is left, and whether it ever diverges."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from benchmarks.learning.arms import NOISE, Errors, drawn_arm, in_mujoco
from benchmarks.learning.from_data_sheet import cases, errors
from benchmarks.report import Report, Requirement
from screw_dynamics.common.progress import progress
from sea_study.arms import ARMS, SPRINGS

OPTIONS: dict[str, dict[str, Any]] = {
    '--seeds': {'type': int, 'default': 1000, 'help': 'number of drawn arms'},
    '--draws': {'type': int, 'default': 3, 'help': 'of parameters of each arm in MuJoCo'},
    '--jobs': {'type': int, 'default': 2, 'help': 'processes'},
}
LEVEL, DELAY = 0.1, 0.002  # of the table: parameters, and seconds
WORST_LEVEL, WORST_DELAY = 0.2, 0.005
REPEATS, WORST_REPEATS = 5, 4
SHOWN = (0, 1, 2, 3, 5)
REQUIRED = 0.3e-3  # rad after five repeats, of the arms with series springs
PARAMETERS = 'nominal', 'data sheet', 'identified'
WORSE = 1.0  # times the first error: a motion that learning has spoilt


def measure(seeds: int, draws: int, jobs: int) -> Report:
    """Run everything and return the page."""
    # one thread of linear algebra per process
    os.environ['OMP_NUM_THREADS'] = os.environ['OPENBLAS_NUM_THREADS'] = '1'
    report = Report('learning', 'Learning from repeats')
    report.text(
        f'Command: `python -m benchmarks learning`. Encoders of the links with '
        f'{1e6 * NOISE:.0f} µrad of noise; errors here are without it. `learn_motion` knows the '
        'uncertainty of the parameters, the delay and the gains, and nothing of the true arm.'
    )
    report.machine('mujoco')
    report.requirements()
    with ProcessPoolExecutor(jobs) as pool:
        _table(report, draws, pool)
        _from_data_sheet(report, pool)
        _drawn(report, seeds, pool)
    return report


def _table(report: Report, draws: int, pool: ProcessPoolExecutor) -> None:
    """Add the errors of the arms in MuJoCo."""
    report.heading('What is left')
    report.text(
        'Arms of [the SEA study](../demo_sea.md) in MuJoCo, upright, loaded, with a PD of 3 Hz '
        f'on the motors: all parameters off by up to {100 * LEVEL:g} %, efforts '
        f'{1e3 * DELAY:g} ms late. Largest error of all joints [mrad] in the run before learning '
        f'and after so many repeats: median of {draws} draws. The springs of the study are 500 to '
        '2000 N m/rad, its soft ones 125 to 850 N m/rad.'
    )
    rows = []
    for arm in ARMS:
        one = partial(in_mujoco, arm, LEVEL, DELAY, repeats=REPEATS)
        found = list(progress(pool.map(one, range(draws)), arm.name, draws, 'draw'))
        largest = np.array([_filled(errors.largest, REPEATS) for errors in found])
        medians = np.median(largest, axis=0)
        times = ' to '.join(f'{t:.3f}' for t in _ends([e.smoothing_time for e in found]))
        rows.append([arm.name, *(f'{1e3 * medians[k]:.2f}' for k in SHOWN), f'{times} s'])
        if arm.kind == SPRINGS:
            name = f'{arm.name}: after {REPEATS} repeats'
            report.require(Requirement(name, 1e3 * medians[-1], 1e3 * REQUIRED, unit=' mrad'))
    report.table(['arm', *(f'{k}' for k in SHOWN), 'smoothing time'], rows)


def _from_data_sheet(report: Report, pool: ProcessPoolExecutor) -> None:
    """Add the ways from a data sheet to small errors, without and with hysteresis."""
    report.heading('From the data sheet to the learned motion')
    report.text(
        'Largest error of the links in 2 s of fast motion [mrad], upright, PD of 3 Hz on the '
        'motors, efforts 2 ms late, noise of encoders and efforts; rigid and exact feedforward. '
        'Nominal: all known, also the delay. Data sheet: all drives and the load off by up to '
        '10 %, the delay unknown. Identified: `identify_drives` from one run of 20 s under that '
        'data sheet, `lead_time` set. Learned: so many repeats with either of both. The plant is '
        '`ElasticRobot`; in every second row it has hysteresis of 2 % of the largest deflection '
        'and a backlash of 0.5 mrad, which only the nominal feedforward knows at first. A play '
        'that the one recording seldom crosses, or that a law that hardens explains as well, '
        'stays unknown to the identified one: other recordings tell other plays.'
    )
    rows = []
    every = [(lossy, k) for k in range(len(cases(False))) for lossy in (False, True)]
    for (lossy, k), found in zip(every, pool.map(_row, every), strict=True):
        name = cases(lossy)[k].name + (', hysteresis and backlash' if lossy else '')
        rows.append([name, *(f'{1e3 * error:.3f}' for error in found)])
    kinds = [f'{name}: {kind}' for name in PARAMETERS for kind in ('rigid', 'exact')]
    after = [f'{name}: after {k}' for name in PARAMETERS[1:] for k in (3, REPEATS)]
    report.table(['arm', *kinds, *after], rows)


def _row(case: tuple[bool, int]) -> list[float]:
    lossy, k = case
    return errors(cases(lossy)[k], REPEATS, seed=0)


def _filled(values: Sequence[float], repeats: int) -> list[float]:
    """Return the values of all repeats; a motion that is finished stays."""
    return [*values, *([values[-1]] * (repeats + 1 - len(values)))]


def _ends(values: Sequence[float]) -> list[float]:
    return sorted({min(values), max(values)})


def _drawn(report: Report, seeds: int, pool: ProcessPoolExecutor) -> None:
    """Add what happens on drawn arms with very wrong parameters."""
    report.heading('Does it diverge?')
    report.text(
        f'{seeds} arms: three joints of an iiwa in a drawn pose with a drawn load, springs of 500 '
        f'to 20 000 N m/rad, rotors, friction, motion, and a PD of 1 to 10 Hz; in equations of '
        f'motion with the true parameters. All that the feedforward assumes, of every link and '
        f'joint, is off by up to {100 * WORST_LEVEL:g} %, and efforts are '
        f'{1e3 * WORST_DELAY:g} ms late. {WORST_REPEATS} repeats.'
    )
    one = partial(drawn_arm, level=WORST_LEVEL, delay=WORST_DELAY, repeats=WORST_REPEATS)
    found = list(progress(pool.map(one, range(seeds), chunksize=10), 'arms', seeds, 'arm'))
    learned = [errors for errors in found if not errors.refused]
    ratios = np.array([errors.rms[-1] / errors.rms[0] for errors in learned])
    peaks = np.array([max(errors.rms) / errors.rms[0] for errors in learned])
    report.require(
        Requirement(
            'arms with a larger rms error after learning', float((ratios > WORSE).sum()), 0.0
        ),
        Requirement('largest rms error of any run over the first', float(peaks.max()), 1.1),
    )
    shares = (50, 90, 99, 100)
    report.table(
        ['rms error over that of the first run', *(f'{share} %' for share in shares)],
        [
            ['after one repeat', *_quantiles([e.rms[1] / e.rms[0] for e in learned], shares)],
            [f'after {WORST_REPEATS} repeats', *_quantiles(ratios, shares)],
            ['the worst run', *_quantiles(peaks, shares)],
        ],
    )
    ends = Counter(_end(errors) for errors in found)
    report.table(['end', 'arms'], [[name, count] for name, count in sorted(ends.items())])


def _quantiles(values: Sequence[float], shares: Sequence[int]) -> list[str]:
    return [f'{value:.3g}' for value in np.percentile(values, shares)]


def _end(errors: Errors) -> str:
    if errors.refused:
        return 'refused: a corrected motion would have exceeded a limit'
    return 'finished' if errors.finished else 'could go on'
