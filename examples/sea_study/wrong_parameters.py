# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tracking errors of feedforwards with wrong parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import ElasticJoint, ElasticJoints, LinearSpring
from sea_study.arms import MOTION, Arm
from sea_study.scene import EXACT, PERIOD, RIGID, Scene, scene

RTOL = 1e-8  # of scipy's DOP853; far below the effect of wrong parameters
FACTOR = 1.1
_, STIFFNESS, ROTORS, MASSES = MISTAKES = (
    'nothing',
    'stiffness',
    'rotor inertia',
    'link masses and inertias',
)


@dataclass(frozen=True)
class Mistaken:
    """
    Errors of one arm whose feedforward uses `FACTOR` times the true value of one parameter.

    `rigid` and `exact` are the largest |q - q_ref| over all joints during the motion [rad];
    `mistake` is one of `MISTAKES`.
    """

    arm: Arm
    mistake: str
    rigid: float
    exact: float


def track_mistaken(arm: Arm, mistake: str) -> Mistaken:
    """Simulate an arm with its equations of motion, without feedback."""
    truth = scene(arm)
    belief = _believed(truth, mistake)
    times = PERIOD * np.arange(round(MOTION / PERIOD) + 1, dtype=np.float64)
    wanted = truth.reference(times)[:, 0]
    largest = []
    for feedforward in (RIGID, EXACT):
        motion = truth.robot.integrate(
            times,
            partial(_command, belief, feedforward),
            truth.start,
            rtol=RTOL,
        )
        largest.append(float(np.abs(motion.position - wanted).max()))
    return Mistaken(arm, mistake, *largest)


def mistake_table(results: Sequence[Mistaken]) -> Iterator[str]:
    """Yield the lines of the table of all results, in the order of `MISTAKES`."""
    found = {(result.arm.name, result.mistake): result for result in results}
    arms = list(dict.fromkeys(result.arm.name for result in results))
    width = max(map(len, MISTAKES))
    yield f'| {"+ 10 %".ljust(width)} | ' + ' | '.join(arm.ljust(23) for arm in arms) + ' |'
    yield f'| {"-" * width} | ' + ' | '.join('-' * 23 for _ in arms) + ' |'
    for mistake in MISTAKES:
        cells = (found[arm, mistake] for arm in arms)
        texts = (f'{cell.rigid:.1e} and {cell.exact:.1e}'.ljust(23) for cell in cells)
        yield f'| {mistake.ljust(width)} | ' + ' | '.join(texts) + ' |'


def _command(belief: Scene, feedforward: str, t: float, _: Array) -> Array:
    command: Array = belief.efforts(feedforward, np.array([t]))[0]
    return command


def _believed(truth: Scene, mistake: str) -> Scene:
    """Return the scene with the parameters that the feedforward assumes."""
    model = truth.model
    if mistake == MASSES:
        model = replace(model, inertias=FACTOR * model.inertias)
    joints = {name: _mistaken_joint(joint, mistake) for name, joint in truth.joints.joints.items()}
    return replace(truth, model=model, joints=ElasticJoints(joints))


def _mistaken_joint(joint: ElasticJoint, mistake: str) -> ElasticJoint:
    if mistake == ROTORS:
        motor = replace(joint.motor, rotor_inertia=FACTOR * joint.motor.rotor_inertia)
        return replace(joint, motor=motor)
    if mistake == STIFFNESS and isinstance(joint.spring, LinearSpring):
        return replace(
            joint, spring=replace(joint.spring, stiffness=FACTOR * joint.spring.stiffness)
        )
    return joint
