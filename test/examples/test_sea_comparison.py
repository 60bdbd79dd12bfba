# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Statements of the comparison of feedforwards, and the arms that it runs on."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('mujoco', reason='the comparison runs in MuJoCo too')
pytest.importorskip('rosbags', reason='the figure shares its style with that of recordings')
image = pytest.importorskip('matplotlib.image', reason='the figure needs matplotlib')

from screw_dynamics.feasibility.check import check_feasibility  # noqa: E402
from sea_study import scene as scenes  # noqa: E402
from sea_study.arms import IIWA, MOTION, PANDA, ROBOTS, Arm, arms  # noqa: E402
from sea_study.document import document  # noqa: E402
from sea_study.plot import COLOURS, save_comparison  # noqa: E402
from sea_study.scene import (  # noqa: E402
    CLEAN,
    EXACT,
    FEEDFORWARDS,
    MIDDLE,
    NOISY,
    PERIOD,
    RIGID,
    TICK,
    sample_times,
    scene,
)
from sea_study.table import arm_table, comparison_table, ratios  # noqa: E402
from sea_study.tracking import (  # noqa: E402
    FALLEN,
    MUJOCO,
    OWN,
    RTOL,
    Outcome,
    track,
)
from sea_study.wrong_parameters import (  # noqa: E402
    FACTOR,
    MASSES,
    MISTAKES,
    ROTORS,
    STIFFNESS,
    Mistaken,
    _believed,
    mistake_table,
    track_mistaken,
)

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = (ROOT / 'docs' / 'demo_sea.md').read_text(encoding='utf-8')
SOFT = Arm(PANDA, 'soft', 'hanging')


@pytest.fixture(scope='module')
def outcomes():
    """Every feedforward on one arm, without feedback, and the exact one with it."""
    found = [o for feedforward in FEEDFORWARDS for o in track(SOFT, feedforward, False)]
    return found + track(SOFT, MIDDLE, True) + track(SOFT, RIGID, True)


def largest(outcomes, feedforward, engine, feedback=False):
    (found,) = (
        o
        for o in outcomes
        if (o.feedforward, o.engine, o.feedback) == (feedforward, engine, feedback)
    )
    return found.largest


def test_both_engines_agree(outcomes):
    for feedforward in (RIGID, NOISY, CLEAN, TICK, MIDDLE):
        own, mujoco = (largest(outcomes, feedforward, engine) for engine in (OWN, MUJOCO))
        assert own == pytest.approx(mujoco, rel=1e-3), feedforward


def test_exact_feedforward_tracks_to_the_tolerance(outcomes):
    assert largest(outcomes, EXACT, OWN) < 1e3 * RTOL
    assert largest(outcomes, RIGID, MUJOCO) > 1e6 * largest(outcomes, EXACT, MUJOCO)
    assert largest(outcomes, RIGID, MUJOCO) > 1e2 * largest(outcomes, MIDDLE, MUJOCO)
    free = (largest(outcomes, kind, MUJOCO) for kind in (RIGID, MIDDLE))
    assert ratios(outcomes, RIGID, MIDDLE) == {SOFT: next(free) / next(free)}
    with_feedback = (largest(outcomes, kind, MUJOCO, True) for kind in (RIGID, MIDDLE))
    assert next(with_feedback) > 1e2 * next(with_feedback)


def test_noise_of_differences_is_what_the_formula_says():
    place = scene(Arm(IIWA, 'soft', 'hanging'))
    times = sample_times()
    table = place.joints.motors(place.model)
    stiffness, inertia = table.parameters[table.offsets], table.rows[:, 0]
    noise = np.hypot(scenes.NOISE, scenes.RESOLUTION / np.sqrt(12.0))
    for step in (1, 5):
        errors = place._by_differences(times, step, scenes.NOISE) - place.efforts(EXACT, times)
        expected = np.sqrt(6.0) * inertia * noise / (stiffness * (step * PERIOD) ** 2)
        # the noise of tau itself and of tau' (in the friction) is smaller by far
        assert np.allclose(errors.std(axis=0), expected, rtol=0.1)
    assert place.best_difference_step > 5


def test_clean_differences_are_exact_but_for_their_step():
    place = scene(SOFT)
    times = sample_times()
    error = np.abs(place.efforts(CLEAN, times) - place.efforts(EXACT, times)).max()
    assert 0.0 < error < 2e-2
    rigid = np.abs(place.efforts(RIGID, times) - place.efforts(EXACT, times)).max()
    assert rigid > 1e2 * error


@pytest.mark.parametrize('robot', ROBOTS, ids=lambda robot: robot.name)
@pytest.mark.parametrize('pose', ['hanging', 'upright'])
def test_motions_are_feasible_and_fast(robot, pose):
    place = scene(Arm(robot, 'soft', pose))
    times = np.linspace(0.0, MOTION, 501)
    jets = place.reference(times)
    assert check_feasibility(place.model, place.joints, jets, times).feasible
    speed = np.abs(jets[:, 1]).max(axis=0) / place.model.limits.velocity
    assert 0.8 < speed.max() < 1.0


def test_the_command_of_the_tick_is_half_a_period_late(outcomes):
    place = scene(SOFT)
    speed = np.abs(place.reference(np.linspace(0.0, MOTION, 2001))[:, 1]).max()
    for engine in (OWN, MUJOCO):
        late = largest(outcomes, TICK, engine)
        assert late == pytest.approx(0.5 * PERIOD * speed, rel=1e-2)
        assert late > 100.0 * largest(outcomes, MIDDLE, engine)


def test_wrong_parameters_come_out_again():
    table = PUBLISHED.split('## Wrong parameters', 1)[1]
    rows = {
        line.split('|')[1].strip(): line.split('|') for line in table.splitlines() if '|' in line
    }
    column = [cell.strip() for cell in rows['+ 10 %']].index(SOFT.name)
    for mistake in (STIFFNESS, ROTORS):
        found = track_mistaken(SOFT, mistake)
        assert rows[mistake][column].strip() == f'{found.rigid:.1e} and {found.exact:.1e}'
    numbers = {name: rows[name][column].split(' and ') for name in MISTAKES}
    stiffness, masses = (float(numbers[name][1]) for name in (STIFFNESS, MASSES))
    shown = (f'{float(numbers[name][1]):.1e}' for name in (STIFFNESS, ROTORS, MASSES))
    guide = ' '.join((ROOT / 'docs' / 'elastic_robots.md').read_text(encoding='utf-8').split())
    assert all(f'and {number}' in guide for number in shown)
    assert stiffness < 0.2 * float(numbers[STIFFNESS][0]) and masses > 10.0 * stiffness


def test_what_the_wrong_feedforward_takes():
    """A motor effort at rest, or of a rotor alone, shows each mistake."""
    place = scene(SOFT)
    start, fast = np.zeros(1), np.array([0.4])
    right = {t: place.efforts(EXACT, at)[0] for t, at in ((0, start), (1, fast))}
    heavy = _believed(place, MASSES).efforts(EXACT, start)[0]
    np.testing.assert_allclose(heavy, FACTOR * right[0], rtol=1e-12, atol=1e-12)
    for mistake in (STIFFNESS, ROTORS):
        believed = _believed(place, mistake)
        np.testing.assert_allclose(
            believed.efforts(EXACT, start)[0], right[0], rtol=1e-12, atol=1e-12
        )
        assert np.abs(believed.efforts(EXACT, fast)[0] - right[1]).max() > 1e-3


def test_upright_arms_fall_and_hanging_ones_hardly():
    for robot in ROBOTS:
        hanging, upright = (scene(Arm(robot, 'stiff', p)).growth() for p in ('hanging', 'upright'))
        assert hanging < 1.6 and upright > 1.8 * hanging


def test_published_numbers_come_out_again(outcomes):
    lines = PUBLISHED.split(f'| {SOFT.name}', 1)[1].splitlines()[: len(FEEDFORWARDS)]
    groups = {(OWN, False): 0, (MUJOCO, False): 3, (MUJOCO, True): 6}
    compared = 0
    for outcome in outcomes:
        if outcome.feedforward == EXACT:
            continue  # what remains there is rounding
        cells = lines[FEEDFORWARDS.index(outcome.feedforward)].split('|')
        first = groups[outcome.engine, outcome.feedback]
        values = (outcome.largest, outcome.rms, outcome.oscillation)
        for cell, value in zip(cells[-10:-1][first : first + 3], values, strict=True):
            # two digits are printed
            assert value == pytest.approx(float(cell), rel=0.051), (outcome.feedforward, cell)
            compared += 1
    assert compared == 36


def test_published_arms_come_out_again():
    assert '\n'.join(arm_table()) in PUBLISHED


def all_outcomes(outcomes):
    """The outcomes of one arm as if they were those of all, for table and figure."""
    blank = replace(outcomes[0], oscillation=float('nan'))
    found = {(o.arm, o.feedforward, o.engine, o.feedback): o for o in outcomes}
    for arm in arms():
        for kind in FEEDFORWARDS:
            for engine, feedback in ((OWN, False), (MUJOCO, False), (MUJOCO, True)):
                key = (arm, kind, engine, feedback)
                same = found.get((SOFT, kind, engine, False), blank)
                found.setdefault(key, replace(same, arm=arm, feedback=feedback))
    return list(found.values())


def drawn(outcomes, path):
    save_comparison(outcomes, path)
    return (image.imread(path)[..., :3] * 255).round().astype(int)


def test_table_and_figure_hold_every_run(outcomes, tmp_path):
    every: list[Outcome] = all_outcomes(outcomes)
    # one arm with other errors
    every = [
        replace(o, largest=0.5 * o.largest, errors=0.5 * o.errors) if o.arm == arms()[0] else o
        for o in every
    ]
    lines = list(comparison_table(every))
    assert len(lines) == 2 + len(arms()) * len(FEEDFORWARDS)
    assert len({line.count('|') for line in lines}) == 1
    assert all(len(line) == len(lines[0]) for line in lines)
    wrong = [Mistaken(arm, name, 0.5, 0.25) for arm in arms()[:2] for name in MISTAKES]
    text = document(every, wrong)
    assert '\n'.join(mistake_table(wrong)) in text
    late = largest(outcomes, TICK, MUJOCO) / largest(outcomes, MIDDLE, MUJOCO)
    assert f'{late:.0f} to {late:.0f} times the error with that of the middle' in text
    assert 'smaller than that of the tick on:\n  no arm.' in text
    exact = [largest(outcomes, EXACT, engine) for engine in (OWN, MUJOCO)]
    assert f'at most {exact[0]:.1e} rad in our\n  equations, {exact[1]:.1e} rad in MuJoCo' in text
    by_rigid = largest(outcomes, RIGID, MUJOCO)  # the same ratios on every arm
    assert f'rigid one is {by_rigid / exact[1]:.0e} times' in text
    assert f'still is {by_rigid / largest(outcomes, MIDDLE, MUJOCO):.0f} times' in text
    assert '\n'.join(lines) in text and str(FALLEN) in text and 'nan' not in text
    pixels = drawn(every, tmp_path / 'plot.png')
    for colour in COLOURS.values():
        rgb = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        assert (np.abs(pixels - rgb).max(axis=2) <= 2).sum() > 500, colour

    for engine in (OWN, MUJOCO):
        others = [replace(o, errors=9.0 * o.errors) if o.engine == engine else o for o in every]
        assert (drawn(others, tmp_path / 'plot.png') != pixels).any(), engine


@pytest.mark.long
def test_the_whole_comparison(tmp_path):
    command = [sys.executable, '-m', 'screw_dynamics.demo', 'sea', '--without-ros']
    command += ['--output', str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert 'Panda, soft, upright' in done.stdout
    assert (tmp_path / 'demo_sea.png').stat().st_size > 50_000
    again = (tmp_path / 'demo_sea.md').read_text(encoding='utf-8')
    found, published = (
        [[cell.strip() for cell in line.split('|')[1:-1]] for line in text.splitlines()]
        for text in (again, PUBLISHED)
    )
    for cells, expected in zip(found, published, strict=True):
        rounding = cells[1:2] == [EXACT]  # is what remains of the errors there
        assert len(cells) == len(expected) and cells[:2] == expected[:2]
        for cell, other in zip(cells[2:], expected[2:], strict=True):
            if not rounding and re.fullmatch(r'\d\.\de-\d\d', other):
                assert float(cell) == pytest.approx(float(other), rel=0.051), cells[:2]
            else:
                assert rounding or cell == other
