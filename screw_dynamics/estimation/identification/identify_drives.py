# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`identify_drives`: motors, springs and load of a robot from what its motors report."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.common.scalars import require_choice, require_number
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.dynamics.effort_format import EffortFormat
from screw_dynamics.errors import (
    InputError,
    RecordingWarning,
    UnknownNameError,
    listed,
    shown,
)
from screw_dynamics.estimation.identification.columns import (
    COULOMB_VELOCITY,
    chosen_joints,
    columns_of,
)
from screw_dynamics.estimation.identification.content_check import turned_gravity
from screw_dynamics.estimation.identification.drive_equations import (
    DriveEquations,
    drive_equations,
)
from screw_dynamics.estimation.identification.drive_fit import (
    DriveFit,
    coulomb_velocities_sought,
    dry_friction_sought,
    fitted,
    unexcited,
)
from screw_dynamics.estimation.identification.drive_remarks import (
    delay_found,
    dry_friction,
    suspected_load,
    suspected_scales,
    unexplained,
)
from screw_dynamics.estimation.identification.drive_result import DriveIdentification
from screw_dynamics.estimation.identification.drive_samples import DriveSamples, drive_samples
from screw_dynamics.estimation.identification.effort_findings import (
    clipped,
    effort_spikes,
    other_units,
    reversed_efforts,
    spikes_found,
    stuck,
    stuck_samples,
    swapped,
)
from screw_dynamics.estimation.identification.evidence import report
from screw_dynamics.estimation.identification.least_squares import Window
from screw_dynamics.estimation.identification.recorded_rows import (
    LEAST_RANGE,
    position_findings,
    scattered,
)
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.result import BAND, require_mass
from screw_dynamics.estimation.identification.seen_motion import one_thread, windows_of
from screw_dynamics.estimation.identification.spring_laws import SPRING_LAWS, SpringLaw
from screw_dynamics.estimation.identification.springs import (
    SpringFit,
    fitted_springs,
    sprung,
    uncertain_sums,
)
from screw_dynamics.model.screw_model import ScrewModel, require_model

_UNCERTAINTY = 0.05  # of masses, first moments and inertias of a URDF
_TELLING = 3.0  # times what remains of a deflection, what the efforts explain
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
    given = as_robot(robot)
    model = require_model(given.model)
    own = _require_recording(recording, model)
    reported = effort_format or EffortFormat()
    reported.require_joints(model.joint_names)
    if reported.content != 'full':
        raise InputError(f"effort_format: expected content 'full', got {reported.content!r}")
    moved = np.ptp(own.positions, axis=0) >= LEAST_RANGE
    for name, drive, unseen in zip(
        model.joint_names, given.joint_drives, moved & ~sprung(own), strict=True
    ):
        if unseen and drive.spring is not None:
            raise InputError(
                f'recording: joint {name!r}: expected motor_positions of a joint with a spring, '
                'got none (--motor-states)'
            )
    constants = moved & chosen_joints('torque_constants', model, torque_constants)
    uncertainty = require_number('link_uncertainty', link_uncertainty)
    equations = drive_equations(given, moved, offsets, constants, delay, payload, uncertainty)
    laws = _laws(given, springs)
    samples = drive_samples(model, own, reported, smoothing_time, on_joint)
    findings: list[Finding] = []
    if check:
        samples = _checked(equations, own, samples, moved, findings)
    windows = windows_of(samples.instants, samples.dead, own.times)
    found = fitted(equations, samples, moved, equations.first, windows)
    for _ in range(3):  # the stronger of two kinds of dry friction first
        rounded = coulomb_velocities_sought(found, samples)
        found = fitted(rounded[0], samples, moved, rounded[1], windows)
        further = dry_friction_sought(found, samples, windows, moved)
        if further is None:
            break
        found = fitted(further[0], samples, moved, further[1], windows)
    remarks: list[str] = []
    if not moved.all():
        resting = np.array(model.joint_names)[~moved].tolist()
        remarks.append(f'the robot keeps the motors of joints that rest: {listed(resting)}')
    fits = _springs(found, samples, windows, laws, remarks)

    def remaining(other: Recording) -> Array:
        seen = drive_samples(
            model, _require_recording(other, model), reported, smoothing_time, on_joint
        )
        if check:
            seen = seen.without_held(model, moved)[0]
        left = seen.recording.efforts - found.equations.efforts(
            found.values, seen.jets(found.equations.delay(found.values))
        )
        return np.asarray(np.sqrt(np.mean(left**2, axis=0)))

    return _result(found, samples, windows, moved, fits, remarks, remaining)


def _result(
    found: DriveFit,
    samples: DriveSamples,
    windows: Sequence[Window],
    moved: NDArray[np.bool_],
    fits: tuple[SpringFit, ...],
    remarks: list[str],
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
    scales, by_scales = suspected_scales(found, samples, windows, moved)
    for name, value, deviation in zip(equations.names, values, deviations, strict=True):
        if name.endswith('.rotor_inertia') and value + BAND * deviation < 0.0:
            raise InputError(
                f'recording: joint {name.rpartition(".")[0]!r}: expected a rotor inertia above '
                f'0, got {value:.3g} +- {BAND * deviation:.1g}: '
                + (scales or 'is the motor effort reversed (effort_format)?')
            )
    load, by_load = '', np.inf
    if equations.payload is not None:
        place = equations.names.index('payload.m')
        require_mass(values[place], deviations[place], 'effort_format')
    else:
        load, by_load = suspected_load(found, samples, windows, moved)
    if by_load < by_scales:
        warnings.warn(f'recording: {load}', RecordingWarning, stacklevel=4)
        remarks.append(load)
    else:
        remarks.append(scales)
    if equations.delayed:
        place = equations.drive_count - 1
        remarks.append(delay_found(values[place], deviations[place]))
    remarks.extend(dry_friction(found, moved))
    own = [name for name in kept if not name.startswith('payload.')]
    if own:
        remarks.append(f'the motion does not tell, and the robot keeps: {listed(own)}')
    before, after = (
        samples.recording.efforts - equations.efforts(x, samples.jets(equations.delay(x)))
        for x in (equations.first, found.values)
    )
    if not (load or scales):
        remarks.extend(unexplained(found, samples, after, moved))
    return DriveIdentification(
        equations.names,
        values,
        covariance,
        fits,
        np.sqrt(np.mean(after**2, axis=0)),
        np.sqrt(np.mean(before**2, axis=0)),
        equations.payload,
        tuple(filter(None, remarks)),
        equations,
        found.fit.root,
        kept,
        remaining,
    )


def _springs(
    found: DriveFit,
    samples: DriveSamples,
    windows: Sequence[Window],
    laws: Mapping[str, SpringLaw],
    remarks: list[str],
) -> tuple[SpringFit, ...]:
    """Return the springs of joints whose deflections tell them; remark the others."""
    equations, jets = found.equations, samples.jets()
    model, efforts = equations.robot.model, equations.transmitted(found.values, jets.links)
    slipping = []
    for j, joint in enumerate(equations.robot.joint_drives):
        damping = getattr(joint.spring, 'damping', 0.0)
        if not damping:
            slipping.append(model.joint_names[j])
        efforts[:, j] -= damping * (jets.motors[:, 1, j] - jets.links[:, 1, j])
    columns = samples.smooth_parts(lambda part: equations.transmitted_columns(jets.links[part]))
    fits = fitted_springs(
        model,
        samples.smooth_recording(model),
        efforts,
        jets.links[:, 1],
        windows,
        uncertain_sums(columns.__getitem__, len(columns), found.fit.covariance),
        laws,
        smooth=samples.smooth,
        slipping=slipping,
    )
    told = [
        fit for fit in fits if fit.spring is not None and _TELLING * fit.remaining < fit.explained
    ]
    names = [fit.joint for fit in fits if fit not in told]
    if names:
        remarks.append(
            f'the efforts hardly deflect the springs of {listed(names)}: the robot keeps them'
        )
    return tuple(told)


def _checked(
    equations: DriveEquations,
    own: Recording,
    samples: DriveSamples,
    moved: NDArray[np.bool_],
    findings: list[Finding],
) -> DriveSamples:
    """Return the good samples; raise InputError for those that contradict the model."""
    model, jets = equations.robot.model, samples.jets()
    names, kept = np.array(model.joint_names), samples.recording
    smooth = samples.motion.jets(own.times, 1)[:, 0, : model.n]
    findings.extend(position_findings(model, own))
    findings.extend(scattered(model, own.positions, smooth))
    spikes = effort_spikes(kept.efforts, equations.efforts(equations.first, jets))
    spikes[:, ~moved] = False
    findings.extend(spikes_found(model.joint_names, kept.times, kept.efforts, spikes))
    samples, held = samples.samples(np.logical_not(spikes.any(axis=1))).without_held(model, moved)
    findings.extend(held)
    efforts, jets = samples.recording.efforts, samples.jets()
    predicted = equations.efforts(equations.first, jets)
    findings.extend(clipped(tuple(names[moved].tolist()), efforts[:, moved]))
    places = np.zeros(efforts.shape, dtype=bool)
    for j in np.flatnonzero(moved):
        places[:, j] = stuck_samples(efforts[:, j], predicted[:, j])
    still = stuck(model.joint_names, samples.recording.times, places)
    findings.extend(one._replace(level='wrong') for one in still)
    if equations.payload is None:  # a load may explain any part of the efforts
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
        findings.extend(turned_gravity(model, *links))
        findings.extend(swapped(*given))
        findings.extend(reversed_efforts(*given, none))
        units = other_units(*given, none)
        findings.extend(one._replace(level='wrong') for one in units)
    report(findings, True, 4)
    return samples


def _require_recording(recording: Recording, model: ScrewModel) -> Recording:
    """Return the columns of a model; raise InputError without motor efforts."""
    if not isinstance(recording, Recording):
        raise InputError(f'recording: expected a Recording, got {shown(recording)}')
    if recording.motor_efforts is None:
        raise InputError('recording: expected motor_efforts, got none')
    return recording.of(model)


def _laws(robot: Robot, given: SpringLaw | Mapping[str, SpringLaw] | None) -> dict[str, SpringLaw]:
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
