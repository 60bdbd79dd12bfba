# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`identify_drives`: motors, springs and load of a robot from what its motors report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding, by_weight
from screw_dynamics.common.scalars import require_number
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.dynamics.effort_format import EffortFormat
from screw_dynamics.errors import InputError, listed
from screw_dynamics.estimation.identification.drive_findings import (
    negative_rotors,
    remarks,
    suspected_scales,
    suspicions,
)
from screw_dynamics.estimation.identification.drive_result import DriveIdentification
from screw_dynamics.estimation.identification.equations import Equations, drive_equations
from screw_dynamics.estimation.identification.evidence import (
    chosen_joints,
    coupling_of,
    evidence_of,
    judged_motors,
    selected,
)
from screw_dynamics.estimation.identification.findings import report
from screw_dynamics.estimation.identification.fit import (
    DriveFit,
    dry_friction,
    fitted,
    linear_fit,
    unexcited,
)
from screw_dynamics.estimation.identification.least_squares import Window
from screw_dynamics.estimation.identification.parallel_springs import ParallelSprings
from screw_dynamics.estimation.identification.payload import require_mass
from screw_dynamics.estimation.identification.recorded_rows import LEAST_RANGE
from screw_dynamics.estimation.identification.recording import Recording, sprung
from screw_dynamics.estimation.identification.result import explained
from screw_dynamics.estimation.identification.samples import (
    Reading,
    Samples,
    one_thread,
    windows_of,
)
from screw_dynamics.estimation.identification.spring_fit import SpringFit
from screw_dynamics.estimation.identification.spring_laws import SpringLaw
from screw_dynamics.estimation.identification.springs import (
    deflected_springs,
    laws_of,
    lost_in_gears,
)
from screw_dynamics.model.screw_model import ScrewModel

_UNCERTAINTY = 0.05  # of masses, first moments and inertias of a URDF
_ROUNDS = 2  # of fits with all dry friction
_UNSETTLED = (
    'recording: friction of breakaway and under loads does not settle: the bands are those '
    'without more of it than was found'
)


@one_thread
def identify_drives(
    robot: Robot | ScrewModel,
    recording: Recording,
    *,
    payload: str | None = None,
    offsets: bool = True,
    torque_constants: bool | ArrayLike = False,
    delay: bool = True,
    springs: SpringLaw | Mapping[str, SpringLaw] | None = None,
    parallel_springs: ParallelSprings | None = None,
    coupling: ArrayLike | None = None,
    link_uncertainty: float = _UNCERTAINTY,
    effort_format: EffortFormat | None = None,
    smoothing_time: float | None = None,
    check: bool = True,
    on_joint: Callable[[], object] | None = None,
) -> DriveIdentification:
    """
    Return springs, motors and load of a robot from positions and motor efforts or currents.

    No torque sensor is needed. The motors give the scale: ``u = B theta'' + F(theta', tau) + tau
    + o`` at every joint, tau being what the links and the load need, fitted to all joints
    together. Then the deflection of every spring is fitted to tau, never the reverse, which noise
    of the encoders would bias. Links count as known but for `link_uncertainty`, which is part of
    the bands; see `identify` for the error bars.

    Parameters
    ----------
    robot : Robot or ScrewModel
        What the motion does not tell remains as it is here.
    recording : Recording
        With `motor_efforts`, and with `motor_positions` of joints with springs. Efforts of joints
        are not used.
    payload, offsets, parallel_springs, coupling, smoothing_time, on_joint
        See `identify`. Coupled motors have no springs, and their efforts are those of motors.
    torque_constants : bool or (n,) array_like of bool
        Torque constants of all or some motors, over those by which currents became efforts. They
        follow from the links, and so are no better known than these.
    delay : bool
        Time by which the motor efforts lag the positions, one for all.
    springs : {'linear', 'cubic', 'tabulated'} or mapping of joint to one of them, optional
        Laws of the springs; by default those of the robot, and linear ones.
    link_uncertainty : float
        Relative standard deviation of masses, first moments and inertias of the links.
    effort_format : EffortFormat, optional
        Sign, scale and offset of the motor efforts, such as the scale 1 / (gear ratio x torque
        constant) of currents [A per N m].
    check : bool
        Raise for recordings that contradict the model or themselves: units, reversed joints,
        clipping. Efforts that stay the same, and spikes, are left out with a RecordingWarning.

    Returns
    -------
    DriveIdentification

    Raises
    ------
    InputError
        If the recording cannot be used, or leads to a payload below zero by more than its band.
    ShapeError, TrajectoryError, UnknownNameError

    See Also
    --------
    identify : From efforts of joints.
    excitation_motion : A motion that tells much.
    learn_motion : For a motion that is repeated.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> t, w = np.arange(0.0, 12.0, 0.004)[:, None], np.array([2.0, 3.0])
    >>> jets = np.stack([w**d * np.sin(w * t + d * np.pi / 2.0) for d in range(5)], axis=1)
    >>> joint = sd.JointDrive(sd.LinearSpring(400.0), sd.Motor(rotor_inertia=0.2))
    >>> true = sd.Drives({name: joint for name in arm.joint_names})
    >>> motors = sd.elastic_feedforward(sd.Robot(arm, true), jets)
    >>> noise = np.random.default_rng(0).normal(size=(3, len(t), 2))
    >>> recording = sd.Recording(arm.joint_names, t[:, 0], jets[:, 0] + 1e-5 * noise[0],
    ...     motor_positions=motors.motor_position + 1e-5 * noise[1],
    ...     motor_efforts=motors.motor_effort + 0.05 * noise[2])
    >>> found = sd.identify_drives(arm, recording, link_uncertainty=0.0)
    >>> print(f"{found['joint_1.stiffness']:.0f}, {found['joint_2.rotor_inertia']:.2f}")
    400, 0.20
    """
    given, own, locked = of_recorded(as_robot(robot), recording)
    model, findings = given.tree, list(locked)
    kept = np.isin(as_robot(robot).joint_names, model.joint_names)
    constants = chosen_joints('torque_constants', as_robot(robot).tree, torque_constants)[kept]
    reported = effort_format or EffortFormat()
    if reported.content != 'full':
        raise InputError(f"effort_format: expected content 'full', got {reported.content!r}")
    reported.require_joints(model.joint_names)
    moved, absent = _moved(given, own)
    findings.extend((*absent, *lost_in_gears(own)))
    turned = coupling_of(as_robot(robot).tree, coupling, kept)
    if turned is not None and sprung(own).any():
        raise InputError('coupling: expected motors without springs, got positions of motors')
    equations = drive_equations(
        given,
        moved,
        offsets=offsets,
        constants=constants,
        delayed=delay and bool(moved.any()),
        payload=payload,
        uncertainty=require_number('link_uncertainty', link_uncertainty),
        springs=parallel_springs or {},
        coupling=turned,
    )
    laws = laws_of(given, springs)
    reading = Reading(model, moved, reported, smoothing_time, check, True, turned)
    evidence = evidence_of(reading, own, equations, on_joint)
    findings.extend(evidence.findings)
    moved, samples, odd = evidence.joints, evidence.samples, None
    if check and payload is None and moved.any():  # a load may explain any part of the efforts
        of_motors = judged_motors(evidence, reading, equations)
        # where springs are sought, currents of one joint doubt those of all
        lost = [one for one in of_motors if one.level == 'left out' and not len(samples.sprung)]
        moved = moved & ~np.isin(model.joint_names, [one.joints[0] for one in lost])
        findings.extend((*lost, *(one for one in of_motors if one.kind == 'gravity')))
        odd = next((one for one in of_motors if one not in lost and one.kind != 'gravity'), None)
    equations = equations.of_joints(moved)
    report(findings, check, 3)
    reading = reading._replace(joints=moved, smoothing_time=samples.motion.given)
    samples = samples.thinned()
    windows = windows_of(samples.instants, samples.averaged, own.times)
    found, failed = _motors(equations, samples, windows, odd, findings)
    moved = found.equations.joints
    if failed is None and not moved.all():
        resting = tuple(np.array(model.joint_names)[~moved].tolist())
        text = f'the robot keeps the motors of joints that tell nothing or rest: {listed(resting)}'
        findings.append(Finding('rest', 'remark', resting, text))
    fits, said = deflected_springs(found, samples, windows, laws, constants, moved & ~constants)
    report(said, check, 3)
    findings.extend(said)
    if failed is not None:
        if not fits:
            raise failed
        text = f'{failed}; of the motors nothing is found, only of springs'
        findings.append(Finding('motors', 'odd', (), text))
        report(findings[-1:], False, 3)
    before = samples.efforts - equations.as_given(samples.jets())
    return _result(found, samples, windows, fits, findings, reading, before)


def of_recorded(
    robot: Robot, recording: Recording
) -> tuple[Robot, Recording, tuple[Finding, ...]]:
    """Return the robot with the joints that were recorded, and its columns; see `selected`."""
    model, own, findings = selected(robot.tree, recording)
    if own.motor_efforts is None and own.deflections is None:
        raise InputError('recording: expected motor_efforts, got none')
    if robot.drives is not None and findings:
        kept = {
            name: joint for name, joint in robot.drives.joints.items() if name in own.joint_names
        }
        robot = replace(robot, drives=replace(robot.drives, joints=kept))
    return robot.with_model(model), own, findings


def _moved(given: Robot, own: Recording) -> tuple[NDArray[np.bool_], tuple[Finding, ...]]:
    """Return the joints (n,) that move and whose motors report efforts, and what is absent."""
    moved: NDArray[np.bool_] = np.ptp(own.positions, axis=0) >= LEAST_RANGE
    for name, drive, unseen in zip(
        given.joint_names, given.joint_drives, moved & ~sprung(own), strict=True
    ):
        if unseen and drive.spring is not None:
            raise InputError(
                f'recording: joint {name!r}: expected motor_positions of a joint with a spring, '
                'got none (--motor-states)'
            )
    reports = own.motor_efforts
    silent = np.isnan(own.efforts if reports is None else reports).any(axis=0) | (reports is None)
    if not silent.any():
        return moved, ()
    names = tuple(np.array(given.joint_names)[silent & moved].tolist())
    text = f'the efforts of motors of {listed(names)} were not measured: the robot keeps them'
    return moved & ~silent, (Finding('absent', 'remark', names, text),)


def _motors(
    equations: Equations,
    samples: Samples,
    windows: Sequence[Window],
    odd: Finding | None,
    findings: list[Finding],
) -> tuple[DriveFit, InputError | None]:
    """Return the fit of all motors, or, if there are springs, of none and why not."""
    try:
        if odd is not None:
            raise InputError(odd.text.removesuffix(': left out'))
        found = fitted(equations, samples, windows=windows)
        for _ in range(_ROUNDS if equations.joints.any() else 0):
            wider, values = dry_friction(found, samples)
            try:
                found = fitted(wider, samples, values, windows)
            except InputError:
                findings.append(Finding('dry friction', 'odd', (), _UNSETTLED))
                break
        for name, text in negative_rotors(found):
            if equations.payload is not None or len(samples.sprung):
                scales, _ = suspected_scales(found, samples, windows)
                raise InputError(
                    f'recording: joint {name!r}: {text}: '
                    + (scales or 'is the motor effort reversed (effort_format)?')
                )
    except InputError as error:
        if equations.payload is not None or not len(samples.sprung):
            raise
        bare = replace(equations.of_joints(np.zeros_like(equations.joints)), springs={})
        return linear_fit(bare, samples, bare.initial_values, None, windows), error
    return found, None


def _result(
    found: DriveFit,
    samples: Samples,
    windows: Sequence[Window],
    fits: tuple[SpringFit, ...],
    findings: list[Finding],
    reading: Reading,
    before: Array,
) -> DriveIdentification:
    """Return the result, with what the motion does not tell as it is."""
    equations, values, covariance = found.equations, found.values.copy(), found.fit.covariance
    unknown = unexcited(found, samples)
    values[unknown] = equations.initial_values[unknown]
    covariance[unknown], covariance[:, unknown] = 0.0, 0.0
    covariance[unknown, unknown] = np.inf
    deviations = np.sqrt(np.diag(covariance))
    shares = explained(equations, found.values, samples, samples.efforts)
    for name, text in negative_rotors(found):
        one = f'joint {name!r}: {text}: other smoothing times, or efforts that are filtered?'
        findings.append(Finding('rotor', 'odd', (name,), one))
    if equations.joints.any():
        if equations.payload is not None:
            place = equations.names.index('payload.m')
            require_mass(values[place], deviations[place], 'effort_format')
        findings.extend(suspicions(found, samples, windows, shares.rest))
        findings.extend(remarks(found, values, deviations, unknown))
        report([one for one in findings if one.kind == 'load'], False, 4)
    public = equations.public
    return DriveIdentification(
        equations.names[public],
        values[public],
        covariance[public, public],
        np.sqrt(np.mean(shares.rest**2, axis=0)),
        np.sqrt(np.mean(before**2, axis=0)),
        equations.payload,
        fits,
        by_weight(findings),
        shares,
        reading,
        equations,
        found.fit.root,
        values,
        unknown,
    )
