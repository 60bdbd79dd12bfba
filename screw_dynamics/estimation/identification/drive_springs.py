# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs of a robot whose motors were recorded: their laws, and what they transmit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.findings import Finding
from screw_dynamics.common.scalars import require_choice
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import UnknownNameError, listed
from screw_dynamics.estimation.identification.drive_fit import DriveFit
from screw_dynamics.estimation.identification.drive_samples import DriveSamples
from screw_dynamics.estimation.identification.least_squares import Window
from screw_dynamics.estimation.identification.spring_fit import LIMITS, SpringFit
from screw_dynamics.estimation.identification.spring_laws import SPRING_LAWS, SpringLaw
from screw_dynamics.estimation.identification.springs import fitted_springs, uncertain_sums


def deflected_springs(
    found: DriveFit,
    samples: DriveSamples,
    windows: Sequence[Window],
    laws: Mapping[str, SpringLaw],
    constants: NDArray[np.bool_],
    confirmed: NDArray[np.bool_],
) -> tuple[tuple[SpringFit, ...], tuple[Finding, ...]]:
    """Return the springs of joints whose deflections tell them, and what is said of them."""
    equations, jets = found.equations, samples.jets()
    values, covariance = found.values.copy(), found.fit.covariance
    if constants.any():  # currents of unknown constants know no masses
        links = np.array([name.startswith('link.') for name in equations.names])
        values[links] = 0.0
        covariance = np.where(np.outer(links, links), np.eye(len(links)), covariance)
        covariance[links[:, np.newaxis] ^ links] = 0.0
    model, efforts = equations.robot.tree, equations.transmitted(values, jets.links)
    measured = np.logical_not(np.isnan(samples.recording.efforts).any(axis=0))
    efforts[:, measured] = samples.recording.efforts[:, measured]
    slipping = []
    for j, joint in enumerate(equations.robot.joint_drives):
        damping = getattr(joint.spring, 'damping', 0.0)
        if not damping:
            slipping.append(model.joint_names[j])
        efforts[:, j] -= damping * (jets.motors[:, 1, j] - jets.links[:, 1, j])
    columns = samples.smooth_parts(lambda part: equations.transmitted_columns(jets.links[part]))
    fits, findings = fitted_springs(
        model,
        samples.recording,
        efforts,
        jets.links[:, 1],
        windows,
        laws,
        measured=measured,
        uncertain=uncertain_sums(columns.__getitem__, len(columns), covariance),
        smooth=samples.smooth,
        gain=samples.gain,
        slipping=slipping,
        eccentric=confirmed & (np.array(model.coordinate_types) != 'prismatic'),
    )
    # what motors do not confirm, masses of far links above all, has to be large
    sizes = np.std(efforts, axis=0)
    large = confirmed | measured | (sizes > LIMITS.share * sizes.max())
    small = {name for name, own in zip(model.joint_names, large, strict=True) if not own}
    findings = tuple(
        one for one in findings if one.level != 'wrong' or not small.issuperset(one.joints)
    )
    told = tuple(
        fit
        for fit in fits
        if fit.spring is not None
        and LIMITS.told * fit.remaining < fit.explained
        and fit.joint not in small
    )
    names = tuple(fit.joint for fit in fits if fit not in told)
    if names:
        text = (
            f'the efforts hardly deflect the springs of {listed(names)}, or do not explain their '
            'deflections (other masses, springs beside joints, contacts?): the robot keeps them'
        )
        findings = (*findings, Finding('deflections', 'remark', names, text))
    return told, findings


def laws_of(
    robot: Robot, given: SpringLaw | Mapping[str, SpringLaw] | None
) -> dict[str, SpringLaw]:
    """Return the laws of springs by joint: those given, else those of the robot, else linear."""
    found: dict[str, SpringLaw] = {}
    for name, joint in zip(robot.joint_names, robot.joint_drives, strict=True):
        law = getattr(joint.spring, 'type', 'linear')
        if isinstance(given, str):
            law = given
        elif given is not None and name in given:
            law = given[name]
        found[name] = require_choice('springs', law, SPRING_LAWS)
    for name in given if isinstance(given, Mapping) else ():
        if name not in robot.joint_names:
            raise UnknownNameError('joint', name, robot.joint_names, 'springs')
    return found
