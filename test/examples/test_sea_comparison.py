# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The comparison of feedforwards: its numbers come out again; its document and figure."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('mujoco', reason='the comparison runs in MuJoCo')
pytest.importorskip('rosbags', reason='the figure shares its style with that of recordings')

from screw_dynamics.limits.check import check_feasibility  # noqa: E402
from sea_study.arms import MOTION, PANDA, ROBOTS, Arm, arms  # noqa: E402
from sea_study.conditions import FEEDBACKS, conditions, headline  # noqa: E402
from sea_study.document import GAIN, document  # noqa: E402
from sea_study.robustness import FALLEN, Endured, endure  # noqa: E402
from sea_study.scene import CLEAN, EXACT, FEEDFORWARDS, GRAVITY, NOISY, NONE, RIGID, scene  # noqa: E402
from sea_study.table import arm_table, by_key, ratio, two_digits  # noqa: E402
from sea_study.tracking import ENGINES, HELD, IDEAL, MUJOCO, OWN, RTOL, Outcome, track  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = (ROOT / 'docs' / 'demo_sea.md').read_text(encoding='utf-8')
SOFT = Arm(PANDA, 'soft', 'upright')
# two digits are printed; versions of MuJoCo and libm differ by less than half of the last
PRINTED = 0.051


# numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    'name',
    [
        'nominal',
        'stiffness 10 %',
        'rotor inertia 20 %',
        'friction 5 %',
        'payload 10 %',
        'all 10 %',
        'delay 2 ms',
        'delay 5 ms in lead_time',
        '1000 Hz with jitter',
        '250 Hz, tick held',
        headline().name,
        headline(FEEDBACKS[3]).name,
    ],
)
def test_published_errors_come_out_again(name):
    (condition,) = (c for c in conditions() if c.name == name)
    compared = tuple(f for f in condition.feedforwards if f in (NONE, GRAVITY, RIGID, EXACT))
    rows = published_rows(SOFT)
    for result in endure(SOFT, replace(condition, feedforwards=compared)):
        column = FEEDFORWARDS.index(result.feedforward)
        for statistic, note in (
            [(np.median, f': median of {len(condition.trials)}'), (np.max, ': worst of 7')]
            if condition.drawn and len(condition.trials) == 7
            else [(np.max, ': worst of 3' if condition.drawn else '')]
        ):
            shown = rows[name + note][column].split(' / ')
            for cell, values in zip(shown, (result.largest, result.rms), strict=True):
                value = float(statistic(values))
                if cell == 'falls':
                    assert value > FALLEN
                else:
                    assert 1e3 * value == pytest.approx(float(cell), rel=PRINTED)


def published_rows(arm: Arm) -> dict[str, list[str]]:
    lines = PUBLISHED.split(f'### {arm.name}\n', 1)[1].strip().split('\n\n', 1)[0].splitlines()
    rows = ([cell.strip() for cell in line.split('|')[1:-1]] for line in lines)
    return {first: rest for first, *rest in rows}


def test_every_condition_is_published_for_every_arm():
    for arm in arms():
        rows = list(published_rows(arm))[2:]
        names = list(dict.fromkeys(re.sub(r': (median|worst) of \d+$', '', row) for row in rows))
        assert names == [condition.name for condition in conditions()]


def test_what_the_document_concludes():
    """The statements below the tables hold for the published numbers."""

    def error(arm: Arm, feedforward: str, row: str) -> float:
        cell = published_rows(arm)[row][FEEDFORWARDS.index(feedforward)].split(' / ')[0]
        return 1e3 * FALLEN if cell == 'falls' else float(cell)

    for arm in arms():
        rigid, exact = (partial(error, arm, feedforward) for feedforward in (RIGID, EXACT))
        assert error(arm, CLEAN, 'nominal') < 2.0 * exact('nominal') + 0.01
        assert error(arm, NOISY, 'nominal') > 2.0 * exact('nominal')
        for delay in (1, 2, 5):
            known = exact(f'delay {delay} ms in lead_time')
            assert known == pytest.approx(exact('nominal'), rel=0.1)
            assert exact(f'delay {delay} ms') > 5.0 * known
        assert exact('250 Hz, tick held') > exact('1000 Hz, tick held') > 3.0 * exact('nominal')
        if arm.kind == 'soft':
            assert rigid('nominal') > 50.0 * exact('nominal')
            assert rigid('delay 2 ms') > 2.0 * exact('delay 2 ms')
            assert rigid('all 1 %: median of 7') > 1.3 * exact('all 1 %: median of 7')
            wrong = [exact(f'{name} 10 %') for name in ('stiffness', 'rotor inertia', 'friction')]
            assert wrong[0] == max(wrong)
        else:
            for name in ('stiffness', 'rotor inertia', 'friction', 'payload'):
                assert rigid(f'{name} 5 %') < 1.5 * exact(f'{name} 5 %')


def test_both_engines_agree_and_exact_feedforward_tracks_to_the_tolerance():
    outcomes = [o for kind in IDEAL for o in track(SOFT, kind)]
    errors = {(o.feedforward, o.engine): o.largest for o in outcomes}
    for kind in (RIGID, HELD):
        assert errors[kind, OWN] == pytest.approx(errors[kind, MUJOCO], rel=1e-2)
    assert errors[EXACT, OWN] < 1e3 * RTOL and errors[EXACT, MUJOCO] < 1e-8
    assert errors[RIGID, MUJOCO] > 1e2 * errors[HELD, MUJOCO]
    lines = PUBLISHED.split('\n## Without feedback')[1].splitlines()
    cells = [[cell.strip() for cell in line.split('|')[1:-1]] for line in lines]
    shown = {row[1]: row[2:] for row in cells if row[:1] == [SOFT.name] and len(row) == 4}
    for outcome in outcomes:
        if outcome.feedforward == EXACT:
            continue  # what remains there is rounding
        cell = shown[outcome.feedforward][ENGINES.index(outcome.engine)]
        printed = [float(number) for number in cell.split('/')]
        assert [outcome.largest, outcome.rms] == pytest.approx(printed, rel=PRINTED)


@pytest.mark.parametrize('robot', ROBOTS, ids=lambda robot: robot.name)
@pytest.mark.parametrize('pose', ['hanging', 'upright'])
def test_motions_are_feasible_and_fast(robot, pose):
    place = scene(Arm(robot, 'soft', pose))
    times = np.linspace(0.0, MOTION, 501)
    jets = place.reference(times)
    assert check_feasibility(place.robot, jets, times).feasible
    speed = np.abs(jets[:, 1]).max(axis=0) / place.model.limits.velocity
    assert 0.8 < speed.max() < 1.0


def test_published_arms_come_out_again():
    assert '\n'.join(arm_table()) in PUBLISHED


# document and figure -----------------------------------------------------------------------------


@pytest.fixture
def endured(rng):
    """Results for all arms and conditions with random numbers."""

    def errors(count: int) -> tuple[float, ...]:
        return tuple((10.0 ** rng.uniform(-5.0, -1.0, count)).tolist())

    return [
        Endured(arm, feedforward, condition.name, *map(errors, [len(condition.trials)] * 2))
        for arm in arms()
        for condition in conditions()
        for feedforward in condition.feedforwards
    ]


def test_tables_hold_every_run(endured):
    outcomes = [
        Outcome(arm, kind, engine, 1e-3 * (k + 1), 1e-4)
        for arm in arms()
        for kind in IDEAL
        for k, engine in enumerate(ENGINES)
    ]
    endured[0] = replace(endured[0], largest=(2.0 * FALLEN,))
    found = by_key(endured)
    text = document(found, outcomes)
    assert 'nan' not in text and 'falls / ' in text
    for result in endured[1:]:
        for values in (result.largest, result.rms):
            assert two_digits(1e3 * max(values)) in text
    assert 'at most 1.0e-03 rad in our' in ' '.join(text.split())
    rigid = {arm.name: ratio(found, arm, headline(), RIGID) for arm in arms()}
    worse = [name for name, value in rigid.items() if value < 1.0 / GAIN]
    helpless = [name for name, value in rigid.items() if value < GAIN and name not in worse]
    first = ' '.join(text.split('\n\n')[1].split())
    assert f'on {len(helpless)} of 8 arms ({"; ".join(helpless) or "none"}: errors' in first
    assert f'worse on {len(worse)} ({"; ".join(worse) or "none"}). Beside' in first


@pytest.mark.long
def test_the_whole_comparison(tmp_path):
    command = [sys.executable, '-m', 'screw_dynamics.demo', 'sea', '--without-ros']
    command += ['--output', str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert 'Panda, soft, upright' in done.stdout
    assert (tmp_path / 'demo_sea.png').stat().st_size > 50_000
    again = (tmp_path / 'demo_sea.md').read_text(encoding='utf-8')
    for line, published in zip(again.splitlines(), PUBLISHED.splitlines(), strict=True):
        rounding = re.search(rf'\| +{EXACT} \|', line) or 'tolerance of the integrator' in line
        numbers, expected = (re.findall(r'\d+\.?\d*(?:e-\d\d)?', t) for t in (line, published))
        assert re.sub(r'[\d.e+-]+', '', line) == re.sub(r'[\d.e+-]+', '', published)
        if not rounding:
            values, printed = (np.array(n, dtype=float) for n in (numbers, expected))
            assert values == pytest.approx(printed, rel=2.0 * PRINTED), line
