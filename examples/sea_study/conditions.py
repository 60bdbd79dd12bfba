# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of the comparison: what a feedforward does not know, and the way to the motors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from sea_study.arms import TRUE, Factors
from sea_study.commands import JITTER, Link
from sea_study.scene import FEEDFORWARDS

LEVELS = (0.05, 0.1, 0.2)  # of wrong parameters
LEAST = 0.01  # of all parameters, if they are identified with care
DRAWS = 7  # of random errors of all parameters
JITTERS = 3  # draws of the jitter
JOINTS = 7
DELAYS = (0.001, 0.002, 0.005)  # s
LEVEL, DELAY = 0.1, 0.002  # of the headline; its delay in s
PARAMETERS = tuple(field.name for field in fields(Factors))

NOMINAL = 'nominal'


@dataclass(frozen=True)
class Feedback:
    """A PD in the drives, on the positions of the motors or of the links; frequency in Hz."""

    frequency: float = 3.0
    of_links: bool = False

    @property
    def name(self) -> str:
        """Name for tables."""
        return f'PD {self.frequency:g} Hz of {"links" if self.of_links else "motors"}'


FEEDBACKS = (Feedback(), Feedback(1.0), Feedback(10.0), Feedback(1.0, of_links=True))


@dataclass(frozen=True)
class Trial:
    """One run: assumed over true parameters, the way of the commands, and the feedback."""

    factors: Factors = TRUE
    link: Link = Link()
    feedback: Feedback = Feedback()


@dataclass(frozen=True)
class Condition:
    """
    A name and the runs that it stands for; `drawn` if they are random, not a choice.

    No feedforward at all is compared only where that is told apart from other conditions.
    """

    name: str
    trials: tuple[Trial, ...]
    drawn: bool = False
    feedforwards: tuple[str, ...] = FEEDFORWARDS[1:]


def conditions() -> list[Condition]:
    """Return all conditions in the order of the table."""
    return [
        Condition(NOMINAL, (Trial(),), feedforwards=FEEDFORWARDS),
        *_wrong(),
        *_delayed(),
        *_jittered(),
        *_held(),
        *(headline(feedback) for feedback in FEEDBACKS),
    ]


def headline(feedback: Feedback = FEEDBACKS[0]) -> Condition:
    """Return the condition of the headline: all parameters wrong, and an unknown delay."""
    link = Link(delay=DELAY)
    other = '' if feedback == FEEDBACKS[0] else f', {feedback.name}'
    return Condition(
        f'all {100 * LEVEL:g} %, delay {1e3 * DELAY:g} ms{other}',
        tuple(Trial(drawn_factors(LEVEL, seed), link, feedback) for seed in range(DRAWS)),
        drawn=True,
        feedforwards=FEEDFORWARDS,
    )


def drawn_factors(level: float, seed: int) -> Factors:
    """Return factors within 1 +- `level`, drawn for each parameter and joint."""
    rng = np.random.default_rng(seed)
    drawn = 1.0 + level * rng.uniform(-1.0, 1.0, (len(PARAMETERS), JOINTS))
    stiffness, inertia, friction, payload = (tuple(row.tolist()) for row in drawn)
    return Factors(stiffness, inertia, friction, payload[0])


def _wrong() -> Iterator[Condition]:
    for parameter in PARAMETERS:
        for level in LEVELS:
            signs = (1.0 - level, 1.0 + level)
            yield Condition(
                f'{parameter.replace("_", " ")} {100 * level:g} %',
                tuple(Trial(Factors(**{parameter: factor})) for factor in signs),
            )
    for level in (LEAST, *LEVELS):
        yield Condition(
            f'all {100 * level:g} %',
            tuple(Trial(drawn_factors(level, seed)) for seed in range(DRAWS)),
            drawn=True,
        )


def _delayed() -> Iterator[Condition]:
    for delay in DELAYS:
        late = Link(delay=delay)
        yield Condition(f'delay {1e3 * delay:g} ms', (Trial(link=late),))
        known = Link(delay=delay, lead=late.lead + delay)
        yield Condition(f'delay {1e3 * delay:g} ms in lead_time', (Trial(link=known),))


def _jittered() -> Iterator[Condition]:
    for rate in JITTER:
        yield Condition(
            f'{rate:g} Hz with jitter',
            tuple(Trial(link=Link(rate, 0.5 / rate, jitter=seed)) for seed in range(JITTERS)),
            drawn=True,
        )


def _held() -> Iterator[Condition]:
    for rate in JITTER:
        for instant, share in (('tick', 0.0), ('middle', 0.5)):
            link = Link(rate, share / rate)
            yield Condition(f'{rate:g} Hz, {instant} held', (Trial(link=link),))
