# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""An arm with springs, step by step: out of the data sheet, identified, learned from repeats."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.trajectory import PiecewisePolynomial
from sea_study.arms import MOTION, TRUE, Arm, Factors, drawn_factors
from sea_study.mujoco_robot import Followed
from sea_study.plant import EXACT, FEEDFORWARDS, RIGID, gains, run

LEVEL, LATE = 0.1, 0.002  # wrong parameters, and the delay of efforts [s]
NOISE, EFFORT_NOISE = 2e-5, 0.01  # rad of encoders; of the largest effort of a motor
EXCITED, TRIALS = 20.0, 20  # s, and motions tried
REPEATS = 3
AFTER = 0.5  # s of rest after a motion that is learned from
SEED = 0
DRAWS = 5  # of wrong parameters, in the table of conditions
HEADLINE = f'all by up to {100 * LEVEL:g} %, {1e3 * LATE:g} ms late'


@dataclass(frozen=True)
class Step:
    """What is known, what is sent, the largest error of the links [rad], and what it costs [s]."""

    known: str
    sent: str
    error: float
    moved: float = 0.0  # the arm, since the step before
    computed: float = 0.0  # of one core


def story(arm: Arm) -> Iterator[Step]:
    """Yield the steps with one arm."""
    curve = arm.motion()
    for sent in FEEDFORWARDS:
        yield Step('all known', sent, error(arm, TRUE, sent, late=LATE, lead=LATE))
    wrong = drawn_factors(LEVEL, SEED)
    for sent in FEEDFORWARDS:
        yield Step('data sheet', sent, error(arm, wrong, sent, late=LATE))
    sheet = arm.robot(wrong)
    begun = time.process_time()
    found = identified(arm, wrong)
    computed = time.process_time() - begun
    of_links = partial(_error, arm)
    for sent, lead in ((RIGID, 0.0), (EXACT, 0.0), (EXACT, LATE)):
        links = run(arm, found, curve, sent, late=LATE, lead=lead)
        known = 'identified and delay' if lead else 'identified'
        yield Step(known, sent, of_links(*links), EXCITED if computed else 0.0, computed)
        computed = 0.0
    motion: PiecewisePolynomial | sd.LearnedMotion = curve
    rng = np.random.default_rng(SEED)
    followed, states = run(arm, sheet, curve, late=LATE, rest=AFTER)
    for repeat in range(REPEATS):
        begun = time.process_time()
        measured = states.links + rng.normal(0.0, NOISE, states.links.shape)
        recording = sd.Recording(sheet.joint_names, followed, measured)
        motion = sd.learn_motion(
            sheet, motion, recording, uncertainty=LEVEL, delay=LATE, gains=gains(arm)
        )
        computed = time.process_time() - begun
        followed, states = run(arm, sheet, motion.curve, late=LATE, rest=AFTER)
        yield Step(f'repeat {repeat + 1}', EXACT, of_links(followed, states), MOTION, computed)


def identified(arm: Arm, wrong: Factors) -> sd.Robot:
    """Return the robot that one run of a motion that excites reveals, commanded by `wrong`."""
    sheet, rng = arm.robot(wrong), np.random.default_rng(SEED)
    load = arm.payload[0]
    excitation = sd.excitation_motion(
        sheet, payload=load, duration=EXCITED, start=np.array(arm.turn[0]), trials=TRIALS
    )
    times, states = run(arm, sheet, excitation.curve, late=LATE)
    noise = EFFORT_NOISE * np.abs(states.efforts).max(axis=0)
    recording = sd.Recording(
        sheet.joint_names,
        times[::2],
        (states.links + rng.normal(0.0, NOISE, states.links.shape))[::2],
        motor_positions=(states.motors + rng.normal(0.0, NOISE, states.links.shape))[::2],
        motor_efforts=(states.efforts + noise * rng.normal(size=states.links.shape))[::2],
    )
    bare = sd.Robot(arm.bare(), sheet.drives)
    return sd.identify_drives(bare, recording, payload=load, link_uncertainty=0.0).robot


def error(arm: Arm, wrong: Factors, sent: str, *, late: float = 0.0, lead: float = 0.0) -> float:
    """Return the largest error of the links along the motion [rad]."""
    return _error(arm, *run(arm, arm.robot(wrong), arm.motion(), sent, late=late, lead=lead))


def _error(arm: Arm, times: Array, states: Followed) -> float:
    wanted = arm.motion().jets(times, 1)[:, 0]
    inside = (times >= 0.0) & (times <= MOTION)
    return float(np.abs(states.links - wanted)[inside].max())


def conditions() -> dict[str, list[tuple[Factors, float]]]:
    """Return what a feedforward assumes and the delay [s], in one or several runs, by name."""
    found: dict[str, list[tuple[Factors, float]]] = {'nothing': [(TRUE, 0.0)]}
    for field in fields(Factors):
        name = f'{field.name.replace("_", " ")} {100 * LEVEL:g} %'
        found[name] = [(Factors(**{field.name: 1.0 + sign * LEVEL}), 0.0) for sign in (-1.0, 1.0)]
    for level in (0.01, 0.05, LEVEL):
        found[f'all by up to {100 * level:g} %'] = _drawn(level, 0.0)
    found[f'{1e3 * LATE:g} ms late'] = [(TRUE, LATE)]
    found[HEADLINE] = _drawn(LEVEL, LATE)
    return found


def _drawn(level: float, late: float) -> list[tuple[Factors, float]]:
    return [(drawn_factors(level, seed), late) for seed in range(DRAWS)]


def condition_error(arm: Arm, trials: list[tuple[Factors, float]], sent: str) -> float:
    """Return the largest error of the links [rad]: the median of several runs."""
    return float(np.median([error(arm, wrong, sent, late=late) for wrong, late in trials]))
