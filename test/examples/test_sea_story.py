# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The study of arms with springs: its plant, its numbers, its page as a user makes it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = [pytest.mark.long, pytest.mark.processes]

pytest.importorskip('mujoco', reason='the study runs in MuJoCo')

import screw_dynamics as sd  # noqa: E402
from sea_study.arms import ARMS, IIWA, MOTION, PANDA, SPRINGS, STIFF, TRUE, Factors  # noqa: E402
from sea_study.mujoco_robot import MujocoRobot  # noqa: E402
from sea_study.plant import EXACT, FEEDFORWARDS, NAIVE, PERIOD, RIGID, gains, run  # noqa: E402
from sea_study.story import HEADLINE, LATE, condition_error, conditions, error  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = (ROOT / 'docs' / 'demo_sea.md').read_text(encoding='utf-8')
(ARM,) = (arm for arm in ARMS if arm.make == PANDA.make and arm.kind == SPRINGS)
# two digits are printed; versions of MuJoCo and libm differ by less than half of the last
PRINTED = 0.051


def rows(heading: str) -> dict[str, list[str]]:
    """Return the rows of a published table whose first heading is given."""
    lines = PUBLISHED.split(f'\n| {heading} ', 1)[1].split('\n\n', 1)[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.split('|')[1:-1]] for line in lines]
    return {' '.join(row[:2]) if heading == 'known' else row[0]: row for row in cells}


@pytest.mark.parametrize('arm', ARMS, ids=lambda arm: arm.name)
def test_motions_are_feasible_and_fast(arm):
    times = np.linspace(0.0, MOTION, 501)
    jets = arm.motion().jets(times)
    assert sd.check_feasibility(arm.robot(), jets, times).feasible
    speed = np.abs(jets[:, 1]).max(axis=0) / arm.robot().model.limits.velocity
    assert 0.8 < speed.max() < 1.0


@pytest.mark.parametrize('name', ['stiffness', 'rotor_inertia', 'friction', 'payload'])
def test_the_exact_feedforward_is_worse_the_more_is_wrong(name):
    wrong = [Factors(**{name: 1.0 + excess}) for excess in (0.0, 0.05, 0.1, 0.2)]
    largest = [error(ARM, factors, EXACT) for factors in wrong]
    assert (np.diff(largest) > 0.0).all()
    assert largest[0] < 0.05 * largest[1]  # and only rounding and the hold are left without
    # an error that is small grows in proportion
    assert largest[2] / largest[1] == pytest.approx(2.0, rel=0.15)


def test_feedback_is_what_it_is_called():
    stiffness, damping = gains(IIWA)
    jet = np.zeros((3, 7))
    jet[0] = IIWA.turn[0]
    model = IIWA.robot().model
    weight = sd.inverse_dynamics(model, jet)[0]
    for j in range(7):
        jet[2] = np.eye(7)[j]
        link = (sd.inverse_dynamics(model, jet)[0] - weight)[j]
        inertia = link + IIWA.gear_ratios[j] ** 2 * IIWA.rotor_inertias[j]
        poles = np.roots([inertia, damping[j], stiffness[j]])
        assert np.abs(poles) == pytest.approx(6.0 * np.pi, rel=1e-12)
        assert poles.real == pytest.approx(-0.7 * 6.0 * np.pi, rel=1e-12)


def test_following_is_that_of_the_engine_with_friction_at_every_stage():
    robot, steps, pd = ARM.robot(), 1000, gains(ARM)
    times = PERIOD * np.arange(steps + 1)
    jets = ARM.motion().jets(times)
    motors = sd.elastic_feedforward(robot, jets)
    wanted = motors.motor_position, motors.motor_velocity
    begin = jets[0, 0], np.zeros(7), motors.motor_position[0], np.zeros(7)

    def drive(t, theta, rate):
        k = round(t / PERIOD)
        feedback = pd[0] * (wanted[0][k] - theta) + pd[1] * (wanted[1][k] - rate)
        return motors.motor_effort[k] + feedback

    engines = [MujocoRobot(robot, timestep=PERIOD) for _ in range(2)]
    for engine in engines:
        engine.set_state(*begin)
    followed = engines[0].follow(motors.motor_effort, wanted, pd)
    expected = engines[1].run(steps, drive, hold=0.0)
    assert np.ptp(expected.position, axis=0).max() > 0.5
    # extrapolated friction is of second order in the step
    assert np.abs(followed.links - expected.position).max() < 1e-6
    assert np.abs(followed.motors - expected.motor_position).max() < 1e-6
    sent = drive(times[-1], followed.motors[-1], expected.motor_velocity[-1])
    # the motors of both runs differ by as much as the bound above
    np.testing.assert_allclose(followed.efforts[-1], sent, rtol=0.0, atol=1e-6 * pd[0].max())


def test_a_known_delay_costs_nothing():
    assert error(ARM, TRUE, EXACT, late=LATE, lead=LATE) == pytest.approx(
        error(ARM, TRUE, EXACT), rel=1e-6
    )
    times, states = run(ARM, ARM.robot(), ARM.motion(), rest=0.5)
    assert len(times) == len(states.links) == round((MOTION + 0.5) / PERIOD) + 1


@pytest.mark.parametrize('name', ['nothing', 'stiffness 10 %', '2 ms late', HEADLINE])
def test_published_errors_come_out_again(name):
    cell = rows('wrong')[name][1 + ARMS.index(ARM)]
    errors = [1e3 * condition_error(ARM, conditions()[name], sent) for sent in (RIGID, EXACT)]
    assert errors == pytest.approx([float(value) for value in cell.split(' / ')], rel=PRINTED)


def test_the_published_story():
    """Its first rows come out again, and what the page and README say holds for all."""
    published = {name: [float(cell) for cell in row[2:4]] for name, row in rows('known').items()}
    for sent in FEEDFORWARDS:
        printed = published[f'all known {sent}'][1]
        assert 1e3 * error(ARM, TRUE, sent, late=LATE, lead=LATE) == pytest.approx(
            printed, rel=PRINTED
        )
    for k in range(2):
        found = {name: row[k] for name, row in published.items()}
        naive, rigid, exact = (found[f'all known {sent}'] for sent in (NAIVE, RIGID, EXACT))
        assert naive > 10.0 * rigid and rigid > 100.0 * exact
        assert found['data sheet exact'] == pytest.approx(found['data sheet rigid'], rel=0.1)
        assert found['identified and delay exact'] < 0.05 * found['data sheet exact']
        repeats = [found[f'repeat {n} exact'] for n in (1, 2, 3)]
        assert repeats == sorted(repeats, reverse=True)
        assert repeats[-1] < 0.05 * found['data sheet exact']


def test_what_the_page_concludes():
    for name, row in rows('wrong').items():
        for arm, cell in zip(ARMS, row[1:], strict=True):
            rigid, exact = map(float, cell.split(' / '))
            if name == 'nothing' and arm.kind != STIFF:
                assert rigid > 100.0 * exact
            if name == 'all by up to 1 %' and arm.kind != STIFF:
                assert rigid > 2.0 * exact
            if name.endswith('10 %') and arm.kind == STIFF:
                assert rigid < 1.1 * exact


@pytest.mark.long
def test_the_whole_study(tmp_path):
    command = [sys.executable, '-m', 'screw_dynamics.demo', 'sea', '--output', str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert '| repeat 3' in done.stdout
    assert (tmp_path / 'demo_sea.png').stat().st_size > 50_000
    again = (tmp_path / 'demo_sea.md').read_text(encoding='utf-8')
    for line, published in zip(again.splitlines(), PUBLISHED.splitlines(), strict=True):
        costs = r'\d+\.\d and \d+\.\d s'
        numbers, expected = (
            re.findall(r'\d+\.?\d*', re.sub(costs, '', text)) for text in (line, published)
        )
        values, printed = (np.array(n, dtype=float) for n in (numbers, expected))
        assert values == pytest.approx(printed, rel=2.0 * PRINTED), line
