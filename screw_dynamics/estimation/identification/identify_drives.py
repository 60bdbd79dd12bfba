# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`identify_drives`: motors, springs and load of a robot from what its motors report."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding, by_weight
from screw_dynamics.common.scalars import require_number
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.dynamics.effort_format import EffortFormat
from screw_dynamics.errors import (
    InputError,
    RecordingWarning,
    listed,
)
from screw_dynamics.estimation.identification.columns import (
    chosen_joints,
)
from screw_dynamics.estimation.identification.drive_equations import (
    DriveEquations,
    drive_equations,
)
from screw_dynamics.estimation.identification.drive_evidence import good_samples, of_recorded
from screw_dynamics.estimation.identification.drive_fit import (
    DriveFit,
    dry_friction,
    fitted,
    linear_fit,
    unexcited,
)
from screw_dynamics.estimation.identification.drive_remarks import (
    delay_found,
    negative_rotors,
    not_shown,
    suspected_load,
    suspected_scales,
    unexplained,
)
from screw_dynamics.estimation.identification.drive_result import DriveIdentification
from screw_dynamics.estimation.identification.drive_samples import DriveSamples, drive_samples
from screw_dynamics.estimation.identification.drive_springs import deflected_springs, laws_of
from screw_dynamics.estimation.identification.evidence import report
from screw_dynamics.estimation.identification.least_squares import Window
from screw_dynamics.estimation.identification.recorded_rows import (
    LEAST_RANGE,
)
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.result import require_mass
from screw_dynamics.estimation.identification.seen_motion import one_thread, windows_of
from screw_dynamics.estimation.identification.spring_fit import SpringFit
from screw_dynamics.estimation.identification.spring_laws import SpringLaw
from screw_dynamics.estimation.identification.springs import (
    sprung,
)
from screw_dynamics.model.screw_model import ScrewModel

_UNCERTAINTY = 0.05  # of masses, first moments and inertias of a URDF
_ROUNDS = 2  # of fits with all dry friction
_UNSETTLED = (
    'recording: friction of breakaway and under loads does not settle: the bands are those '
    'without more of it than was found'
)
_MOST_CHECKED = 2000  # samples


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
    payload : str, optional
        Frame at which the inertia parameters of an unknown load are identified, see `identify`.
    offsets : bool
        Constant offset of the measured effort of each motor.
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
    smoothing_time : float, optional
        See `measured_motion`.
    check : bool
        Raise for recordings that contradict the model or themselves: units, reversed or swapped
        joints, clipping, jumps. Spikes of efforts, and joints that brakes hold, are left out with
        a RecordingWarning.
    on_joint : callable, optional
        Called after the motion of each link and motor was estimated.

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
    constants = chosen_joints('torque_constants', as_robot(robot).tree, torque_constants)
    constants = constants[np.isin(as_robot(robot).joint_names, model.joint_names)]
    reported = effort_format or EffortFormat()
    reported.require_joints(model.joint_names)
    if reported.content != 'full':
        raise InputError(f"effort_format: expected content 'full', got {reported.content!r}")
    moved: NDArray[np.bool_] = np.ptp(own.positions, axis=0) >= LEAST_RANGE
    for name, drive, unseen in zip(
        model.joint_names, given.joint_drives, moved & ~sprung(own), strict=True
    ):
        if unseen and drive.spring is not None:
            raise InputError(
                f'recording: joint {name!r}: expected motor_positions of a joint with a spring, '
                'got none (--motor-states)'
            )
    if own.motor_efforts is None or np.isnan(own.motor_efforts).any():
        reports = own.motor_efforts
        silent = np.ones(model.n, dtype=bool)
        if reports is not None:
            silent &= np.isnan(reports).any(axis=0)
        names = tuple(np.array(model.joint_names)[silent & moved].tolist())
        text = f'the efforts of motors of {listed(names)} were not measured: the robot keeps them'
        findings.append(Finding('absent', 'remark', names, text))
        moved[silent] = False
    uncertainty = require_number('link_uncertainty', link_uncertainty)
    constants &= moved
    equations = drive_equations(
        given, moved, offsets, constants, delay and bool(moved.any()), payload, uncertainty
    )
    laws = laws_of(given, springs)
    samples, lost = drive_samples(model, own, reported, smoothing_time, on_joint)
    odd: InputError | None = None
    if check:
        findings.extend(lost)
        samples, odd = good_samples(equations, own, samples, moved, findings)
    windows = windows_of(samples.instants, samples.dead, own.times)
    found, failed = _motors(equations, samples, moved, windows, odd, findings)
    if not (moved.all() or failed):
        resting = tuple(np.array(model.joint_names)[~moved].tolist())
        text = f'the robot keeps the motors of joints that rest: {listed(resting)}'
        findings.append(Finding('rest', 'remark', resting, text))
    confirmed = moved & ~constants & (failed is None)
    fits, said = deflected_springs(found, samples, windows, laws, constants, confirmed)
    report(said, check, 3)
    findings.extend(said)
    if failed is not None:
        if not fits:
            raise failed
        text = str(failed).removesuffix(' Left out')
        text = f'{text}; of the motors nothing is found, only of springs'
        findings.append(Finding('motors', 'odd', (), text))
        report(findings[-1:], False, 3)

    def remaining(other: Recording) -> Array:
        seen = drive_samples(
            model, of_recorded(given, other)[1], reported, smoothing_time, on_joint
        )[0]
        if check:
            seen = seen.without_held(model, moved)[0]
        left = seen.efforts - found.equations.efforts(
            found.values, seen.jets(found.equations.delay(found.values))
        )
        return np.asarray(np.sqrt(np.mean(left**2, axis=0)))

    return _result(found, samples, windows, moved & (failed is None), fits, findings, remaining)


def _motors(
    equations: DriveEquations,
    samples: DriveSamples,
    moved: NDArray[np.bool_],
    windows: Sequence[Window],
    odd: InputError | None,
    findings: list[Finding],
) -> tuple[DriveFit, InputError | None]:
    """Return the fit of all motors, or, if there are springs, of none and why not."""
    none = np.zeros_like(moved)
    try:
        if odd is not None:
            raise odd
        found = fitted(equations, samples, moved, equations.first, windows)
        for _ in range(_ROUNDS if moved.any() else 0):
            wider, values = dry_friction(found, samples, moved)
            try:
                found = fitted(wider, samples, moved, values, windows)
            except InputError:
                findings.append(Finding('dry friction', 'odd', (), _UNSETTLED))
                break
        for name, text in negative_rotors(found):
            if equations.payload is not None or len(samples.sprung):
                scales, _ = suspected_scales(found, samples, windows, moved)
                raise InputError(
                    f'recording: joint {name!r}: {text}: '
                    + (scales or 'is the motor effort reversed (effort_format)?')
                )
    except InputError as error:
        if equations.payload is not None or not len(samples.sprung):
            raise
        bare = replace(equations, sought=np.zeros_like(equations.sought), delayed=False)
        return linear_fit(bare, samples, bare.first, none, None, windows), error
    return found, None


def _result(
    found: DriveFit,
    samples: DriveSamples,
    windows: Sequence[Window],
    moved: NDArray[np.bool_],
    fits: tuple[SpringFit, ...],
    findings: list[Finding],
    remaining: Callable[[Recording], Array],
) -> DriveIdentification:
    """Return the result, with what the motion does not tell as it is."""
    equations, values, covariance = found.equations, found.values.copy(), found.fit.covariance
    unknown = unexcited(found, samples)
    values[unknown] = equations.first[unknown]
    covariance[unknown], covariance[:, unknown] = 0.0, 0.0
    covariance[unknown, unknown] = np.inf
    kept = tuple(np.array(equations.names)[unknown].tolist())
    deviations = np.sqrt(np.diag(covariance))
    before, after = (
        samples.efforts - equations.efforts(x, samples.jets(equations.delay(x)))
        for x in (equations.first, found.values)
    )
    for name, text in negative_rotors(found):
        one = f'joint {name!r}: {text}: other smoothing times, or efforts that are filtered?'
        findings.append(Finding('rotor', 'odd', (name,), one))
    if moved.any():
        scales, by_scales = suspected_scales(found, samples, windows, moved)
        load, by_load = '', np.inf
        if equations.payload is not None:
            place = equations.names.index('payload.m')
            require_mass(values[place], deviations[place], 'effort_format')
        else:
            load, by_load = suspected_load(found, samples, windows, moved)
        if by_load < by_scales:
            findings.append(Finding('load', 'odd', (), load))
            warnings.warn(f'recording: {load}', RecordingWarning, stacklevel=4)
        elif scales:
            findings.append(Finding('torque constants', 'odd', (), scales))
        texts = []
        if equations.delayed:
            place = equations.drive_count - 1
            texts.append(delay_found(values[place], deviations[place]))
        texts.extend(not_shown(found, moved, equations.told(values, deviations)))
        own = [
            name
            for name, known in zip(equations.names, equations.prior, strict=True)
            if name in kept and np.isinf(known) and not name.startswith('payload.')
        ]
        if own:
            texts.append(f'the motion does not tell, and the robot keeps: {listed(own)}')
        findings.extend(Finding('motors', 'remark', (), text) for text in texts if text)
        if not (load or scales):
            more = unexplained(found, samples, after, moved)
            findings.extend(Finding('unexplained', 'remark', (), text) for text in more)
    return DriveIdentification(
        equations.names,
        values,
        covariance,
        fits,
        np.sqrt(np.mean(after**2, axis=0)),
        np.sqrt(np.mean(before**2, axis=0)),
        equations.payload,
        by_weight(findings),
        equations,
        found.fit.root,
        kept,
        remaining,
    )
