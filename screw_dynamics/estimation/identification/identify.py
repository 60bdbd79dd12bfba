# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`identify`: parameters of a robot from a recording."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding, by_weight
from screw_dynamics.common.scalars import require_number
from screw_dynamics.dynamics.effort_format import (
    EffortFormat,
    MeasuredContent,
    measured_format,
)
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.identification.columns import (
    COULOMB_VELOCITY,
    Columns,
    chosen_joints,
    columns_of,
    every_column,
)
from screw_dynamics.estimation.identification.coulomb_velocities import fitted_velocities
from screw_dynamics.estimation.identification.effort_delays import delays_of, late
from screw_dynamics.estimation.identification.effort_shares import Explained, shares_of
from screw_dynamics.estimation.identification.evidence import (
    evidence_of,
    report,
    seen_again,
    selected,
)
from screw_dynamics.estimation.identification.least_squares import Fit, fit
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.result import Identification, require_mass
from screw_dynamics.estimation.identification.seen_motion import Seen, one_thread, windows_of
from screw_dynamics.estimation.identification.springs import fitted_springs, sprung
from screw_dynamics.model.screw_model import ScrewModel, require_model

_ROUNDS = 2  # of fits with other velocities


@one_thread
def identify(
    model: ScrewModel,
    recording: Recording,
    *,
    offsets: bool = False,
    friction: bool = True,
    rotors: bool | ArrayLike = True,
    links: bool = False,
    payload: str | None = None,
    effort_content: MeasuredContent | EffortFormat = 'full',
    coulomb_velocity: float | None = None,
    smoothing_time: float | None = None,
    check: bool = True,
    on_joint: Callable[[], object] | None = None,
) -> Identification:
    """
    Return friction, rotor inertias, payload or inertia parameters that explain measured efforts.

    The motion and the covariance of its derivatives come from `measured_motion`. The efforts are
    linear in all parameters; they are fitted by least squares, each sample weighted by the noise
    of its joint and by what the uncertain accelerations contribute. The error bars add squares of
    sums of residuals over windows, so that they hold for residuals that are correlated in time. If
    the recording has the positions of motors behind springs, the stiffness of these springs is
    fitted to the deflections and the efforts that the parameters explain.

    Parameters
    ----------
    model : ScrewModel
        Its links count as known, unless `links` is true.
    recording : Recording
        Joints of the model that it lacks are locked at 0; joints that rest, or whose efforts were
        not measured, have no parameters. Samples that were held, gaps and jumps are left out, and
        stamps that scatter taken at an even clock.
    offsets : bool
        Constant offset of the measured effort of each joint.
    friction : bool
        Viscous and Coulomb friction of each joint, d v + c tanh(v / v0).
    rotors : bool or (n,) array_like of bool
        Inertia of each rotor, or of some, seen at its joint, J r^2, but for those behind springs,
        which do not move the links. Spinning rotors on moving links have further, small effects
        that are left out.
    links : bool
        The base parameters of all links instead of those of the model.
    payload : str, optional
        Frame at which the inertia parameters of an unknown load are identified: mass, mass times
        centre of mass and rotational inertia about the origin of the frame, in its axes.
    effort_content : {'full', 'without_gravity', 'external'} or EffortFormat
        What the efforts of the recording contain: all; all but gravity, as Universal Robots report
        them; or external loads only, as far as the robot's own model tells. A format also has
        their sign and scale.
    coulomb_velocity : float, optional
        v0, at which Coulomb friction reaches 76 % [rad/s or m/s]; by default those of the joints
        that explain the efforts best.
    smoothing_time : float, optional
        See `measured_motion`; by default that of several with which efforts that are held out are
        explained best, as likelihood takes noise that is not white for motion.
    check : bool
        Raise for recordings that contradict the model: content of the efforts, reversed or swapped
        joints, units, gravity, clipping; and leave out, with a RecordingWarning, efforts that
        stay the same, spikes, other units of some joints, joints that brakes hold, and delays of
        efforts up to 50 ms. A load that is not sought is warned of.
    on_joint : callable, optional
        Called after the motion of each joint was estimated.

    Returns
    -------
    Identification

    Raises
    ------
    ShapeError
        If `rotors` is neither one value nor one per joint.
    InputError
        If the recording cannot be used (see `check`), is too short, has nothing to identify, or
        leads to a payload below zero by more than its band.
    TrajectoryError
        If the recording has too few samples.
    UnknownNameError
        If the recording lacks all joints of the model, or the model the frame of the payload.

    See Also
    --------
    identify_drives : From motor efforts, without torque sensors.
    excitation_motion : A motion that tells much.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics import Recording, identify
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> t = np.arange(0.0, 10.0, 0.01)
    >>> q = np.column_stack((np.sin(2.0 * t), np.cos(3.0 * t)))
    >>> jets = np.stack((q, np.column_stack((2.0 * np.cos(2.0 * t), -3.0 * np.sin(3.0 * t))),
    ...     q * [-4.0, -9.0]), axis=1)
    >>> noise = np.random.default_rng(0).normal(size=(2, *q.shape))
    >>> efforts = sd.inverse_dynamics(arm, jets)[:, 0] + 0.3 * jets[:, 1] + 0.1 * noise[0]
    >>> recording = Recording(arm.joint_names, t, q + 1e-5 * noise[1], efforts)
    >>> found = identify(arm, recording, rotors=False)
    >>> print(f"{found['joint_1.viscous']:.2f}, {found['joint_2.viscous']:.2f}")
    0.30, 0.30
    """
    taken = measured_format(effort_content, require_model(model).joint_names)
    with_rotors = chosen_joints('rotors', model, rotors)
    given, (model, own, findings) = model, selected(model, recording)
    chosen = np.isin(given.joint_names, model.joint_names)
    taken, with_rotors = taken.of_joints(chosen), with_rotors[chosen] & ~sprung(own)
    start = COULOMB_VELOCITY
    if coulomb_velocity is not None:
        start = require_number('coulomb_velocity', coulomb_velocity, above=True)
    if not (offsets or friction or with_rotors.any() or links or payload):
        raise InputError('identify: expected some parameters to identify, got none')
    evidence = evidence_of(
        model,
        own,
        taken,
        rotors=with_rotors,
        links=links,
        payload=payload,
        smoothing_time=smoothing_time,
        check=check,
        on_joint=on_joint,
    )
    findings = (*findings, *evidence.findings)
    report(findings, check, 3)
    joints, seen, motion = evidence.joints, evidence.seen, evidence.seen.motion

    def columns_with(coulomb_velocity: Array) -> Columns:
        return columns_of(
            model,
            offsets=offsets,
            friction=friction,
            rotors=with_rotors,
            links=links,
            payload=payload,
            coulomb_velocity=coulomb_velocity,
            joints=joints,
        )

    columns = columns_with(np.full(model.n, start))
    windows = windows_of(seen.recording.times, motion.dead, own.times)
    jets, efforts = seen.jets, seen.recording.efforts
    known, delays = columns.known(jets), np.zeros(model.n)
    spread = motion.spread(model, seen.recording.times, jets)[:, joints]

    def fitted(columns: Columns) -> Fit:
        rest = (efforts - known)[:, joints]
        return fit(lambda part: columns.of(jets[part])[:, joints], rest, spread, windows)

    found = fitted(columns)
    for _ in range(_ROUNDS if friction and coulomb_velocity is None else 0):
        columns = columns_with(fitted_velocities(columns, jets, found, joints))
        found = fitted(columns)
    every = every_column(model, joints)
    for _ in range(_ROUNDS if check else 0):
        smooth = efforts[:, joints] - found.residuals
        smooth -= _coulomb(columns, found.values, jets)[:, joints]
        more = delays_of(
            lambda at: every.of(at)[:, joints],
            seen.recording.times,
            jets,
            efforts[:, joints],
            smooth,
            spread,
            windows,
            found.noise,
        )
        if not more.any():
            break
        delays[joints] += more
        efforts = _on_time(seen, delays)
        found = fitted(columns)
    lag = late(model.joint_names, delays)
    report(lag, check, 3)
    findings = (*findings, *lag)
    told = known + columns.of(jets) @ found.values
    springs, slips = fitted_springs(
        model, seen.recording, efforts, jets[:, 1], windows, chosen=joints
    )
    report(slips, check, 3)
    findings = (*findings, *slips)
    unknown = [spring for spring in springs if spring.spring is None]
    soft = tuple(
        Finding(
            'stiff',
            'odd',
            (spring.joint,),
            f'recording: joint {spring.joint!r}: expected a deflection that follows the effort, '
            f'got {spring.explained:.2g} rad or m of {spring.remaining:.2g} that are noise: its '
            'stiffness remains unknown (inf)',
        )
        for spring in unknown
    )
    report(soft, check, 3)

    def of_samples(seen: Seen) -> Explained:
        jets, on_time = seen.jets, _on_time(seen, delays)
        return Explained(
            seen.recording.times, jets, on_time, columns.known(jets), columns.of(jets)
        )

    def explained(other: Recording) -> Explained:
        return of_samples(seen_again(evidence, taken, other.of(model), check))

    result = Identification(
        model,
        columns.names,
        found.values,
        found.covariance,
        _sizes(efforts - told, joints),
        _sizes(efforts - known, joints),
        _at(joints, found.noise),
        payload,
        springs,
        columns,
        found.root,
        explained,
        delays,
        by_weight((*findings, *soft)),
        shares_of(model, columns, found.values, of_samples(seen)),
    )
    if payload is not None:
        place = result.names.index('payload.m')
        require_mass(result.values[place], result.standard_deviations[place], 'effort_content')
    return result


def _sizes(rest: Array, joints: NDArray[np.bool_]) -> Array:
    """Return root mean squares (n,); of joints that are left out those about their mean."""
    return np.asarray(np.where(joints, np.sqrt(np.mean(rest**2, axis=0)), rest.std(axis=0)))


def _at(joints: NDArray[np.bool_], values: Array) -> Array:
    """Return values of joints that are used as those of all (n,), NaN of others."""
    found = np.full(len(joints), np.nan)
    found[joints] = values
    return found


def _on_time(seen: Seen, delays: Array) -> Array:
    """Return the full efforts (T, n) without the delays (n,) of what was measured of them."""
    times, efforts = seen.recording.times, seen.recording.efforts
    if not delays.any():
        return efforts
    reported = efforts - seen.lacking
    late = [np.interp(times + d, times, e) for d, e in zip(delays, reported.T, strict=True)]
    return np.column_stack(late) + seen.lacking


def _coulomb(columns: Columns, values: Array, jets: Array) -> Array:
    """Return the part (T, n) of the efforts that is Coulomb friction."""
    dry = np.char.endswith(np.array(columns.names), '.coulomb')
    return columns.of(jets)[..., dry] @ values[dry]
