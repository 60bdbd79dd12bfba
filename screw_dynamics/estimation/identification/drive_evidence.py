# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Evidence of a recording of motors: its good samples, and what contradicts the robot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.findings import Finding, Level
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.identification.columns import COULOMB_VELOCITY, columns_of
from screw_dynamics.estimation.identification.content_check import turned_gravity
from screw_dynamics.estimation.identification.drive_equations import DriveEquations
from screw_dynamics.estimation.identification.drive_samples import DriveSamples
from screw_dynamics.estimation.identification.effort_findings import (
    LIMITS,
    clipped,
    effort_spikes,
    other_units,
    reversed_efforts,
    spikes_found,
    stuck,
    stuck_samples,
    swapped,
)
from screw_dynamics.estimation.identification.evidence import report, selected
from screw_dynamics.estimation.identification.recorded_rows import position_findings, scattered
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.model.screw_model import require_model

_MOST_CHECKED = 2000  # samples


def of_recorded(
    robot: Robot, recording: Recording
) -> tuple[Robot, Recording, tuple[Finding, ...]]:
    """Return the robot with the joints that were recorded, and its columns; see `selected`."""
    model, own, findings = selected(require_model(robot.model), recording)
    if own.motor_efforts is None and own.deflections is None:
        raise InputError('recording: expected motor_efforts, got none')
    if robot.drives is not None and findings:
        kept = {
            name: joint for name, joint in robot.drives.joints.items() if name in own.joint_names
        }
        robot = replace(robot, drives=replace(robot.drives, joints=kept))
    return robot.with_model(model), own, findings


def good_samples(
    equations: DriveEquations,
    own: Recording,
    samples: DriveSamples,
    moved: NDArray[np.bool_],
    findings: list[Finding],
) -> tuple[DriveSamples, InputError | None]:
    """
    Return the good samples, and why motors do not explain their efforts, None if they may.

    Raise InputError for samples that contradict the model.
    """
    of_motors: list[Finding] = []
    model, jets = equations.robot.tree, samples.jets()
    names, kept = np.array(model.joint_names), samples.recording
    findings.extend(position_findings(model, own))
    smooth = jets.links[:, 0]
    findings.extend(scattered(model, kept.positions, smooth))
    efforts = samples.efforts
    predicted = equations.efforts(equations.first, jets)
    still = np.zeros(efforts.shape, dtype=bool)
    for j in np.flatnonzero(moved):
        still[:, j] = stuck_samples(efforts[:, j], predicted[:, j])
    dead = still.mean(axis=0) > LIMITS.mostly
    for one in stuck(model.joint_names, kept.times, still):
        level: Level = 'wrong' if dead[model.joint_names.index(one.joints[0])] else one.level
        findings.append(one._replace(level=level))
    spikes = effort_spikes(efforts, predicted) & moved & ~still
    findings.extend(spikes_found(model.joint_names, kept.times, efforts, spikes))
    good = np.logical_not((spikes | still)[:, ~dead].any(axis=1))
    samples, held = samples.samples(good).without_held(model, moved)
    findings.extend(held)
    efforts, jets = samples.efforts, samples.jets()
    findings.extend(clipped(tuple(names[moved].tolist()), efforts[:, moved]))
    if equations.payload is None and moved.any():  # a load may explain any part of the efforts
        some = slice(None, None, -(-len(efforts) // _MOST_CHECKED))
        jets = jets.part(some)
        known = equations.transmitted(equations.first, jets.links)[:, moved]
        own_names = tuple(names[moved].tolist())
        given = own_names, efforts[some][:, moved], known, jets.motors[:, :, moved]
        none = np.empty((*known.shape, 0))
        own_columns = columns_of(
            model,
            offsets=True,
            friction=True,
            rotors=moved,
            links=False,
            payload=None,
            coulomb_velocity=np.full(model.n, COULOMB_VELOCITY),
            joints=moved,
        )
        rows = own_columns.of(jets.motors)[:, moved]
        links = efforts[some][:, moved], jets.links, rows, own_columns.least, none, moved
        of_motors = [*swapped(*given), *reversed_efforts(*given, none)]
        if not equations.constants.any():
            of_motors.extend(other_units(*given, none))
        for turned in turned_gravity(model, *links):  # whichever explains the efforts better
            if all(turned.explains > one.explains for one in of_motors):
                findings.append(turned)
    report(findings, True, 4)
    return samples, InputError(of_motors[0].text) if of_motors else None
