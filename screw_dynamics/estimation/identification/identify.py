# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`identify`: parameters of a robot from a recording."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.dynamics.effort_format import (
    EffortFormat,
    MeasuredContent,
    measured_format,
)
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.errors import InputError, RecordingWarning, shown
from screw_dynamics.estimation.identification.columns import (
    COULOMB_VELOCITY,
    Columns,
    chosen_joints,
    columns_of,
    every_column,
)
from screw_dynamics.estimation.identification.content_check import check_content, suspected_load
from screw_dynamics.estimation.identification.coulomb_velocities import fitted_velocities
from screw_dynamics.estimation.identification.least_squares import Fit, Window, fit
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.recording_checks import (
    certain_delays,
    check_delays,
    check_efforts,
    check_positions,
    check_smoothness,
    check_spikes,
    check_values,
)
from screw_dynamics.estimation.identification.result import Explained, Identification, require_mass
from screw_dynamics.estimation.identification.seen_motion import (
    Motion,
    Seen,
    one_thread,
    spikes_of,
    windows_of,
)
from screw_dynamics.estimation.identification.springs import fitted_springs, sprung, uncertain_sums
from screw_dynamics.model.screw_model import ScrewModel, require_model

_ROUNDS = 2  # of fits with other velocities
_MOST_CHECKED = 2000  # samples


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
        All joints of the model must move.
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
        See `measured_motion`.
    check : bool
        Raise for recordings that contradict the model or themselves: content of the efforts,
        reversed or swapped joints, units, clipping, jumps. Spikes of efforts, unless they are
        many, and joints that brakes hold are left out with a RecordingWarning, and delays of
        efforts taken out, up to 50 ms; a load that is not sought is warned of.
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
        If the recording has too few samples or a long gap.
    UnknownNameError
        If the recording lacks a joint of the model, or the model the frame of the payload.

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
    if not isinstance(recording, Recording):
        raise InputError(f'recording: expected a Recording, got {shown(recording)}')
    own = recording.of(require_model(model))
    if np.isnan(own.efforts).any():
        raise InputError('recording: expected efforts of the joints, got none (identify_drives?)')
    rotors = ~sprung(own) & chosen_joints('rotors', model, rotors)

    def columns_with(coulomb_velocity: Array) -> Columns:
        return columns_of(
            model,
            offsets=offsets,
            friction=friction,
            rotors=rotors,
            links=links,
            payload=payload,
            coulomb_velocity=coulomb_velocity,
        )

    start = COULOMB_VELOCITY
    if coulomb_velocity is not None:
        start = require_number('coulomb_velocity', coulomb_velocity, above=True)
    columns = columns_with(np.full(model.n, start))
    if check:
        check_positions(model, own.positions)
    taken = measured_format(effort_content, model.joint_names)
    motion = Motion(model, taken, smoothing_time, on_joint)
    seen = motion.of(own)
    if check:
        check_smoothness(model, own.times, own.positions, motion.positions(own.times))
        spikes = spikes_of(model, seen)
        check_spikes(model, seen.recording.times, seen.recording.efforts, spikes)
        seen = motion.without_held(seen.samples(np.logical_not(spikes.any(axis=1))))
    windows = windows_of(seen.recording.times, seen.dead, own.times)
    jets, efforts = seen.jets, seen.recording.efforts
    if check:
        _check(model, taken, seen, columns)
    known, delays = columns.known(jets), np.zeros(model.n)
    rest = efforts - known
    spread = motion.spread(seen.recording.times, jets)

    def fitted(columns: Columns) -> Fit:
        return fit(lambda part: columns.of(jets[part]), rest, spread, windows)

    found = fitted(columns)
    for _ in range(_ROUNDS if friction and coulomb_velocity is None else 0):
        columns = columns_with(fitted_velocities(columns, jets, found))
        found = fitted(columns)
    for _ in range(_ROUNDS if check else 0):
        smooth = efforts - found.residuals - _coulomb(columns, found.values, jets)
        now = seen._replace(recording=replace(seen.recording, efforts=efforts))
        more = certain_delays(*_delays(model, now, smooth, spread, windows, found))
        if not more.any():
            break
        delays = delays + more
        efforts = _on_time(seen, delays)
        rest = efforts - known
        found = fitted(columns)
    check_delays(model, delays)

    springs = fitted_springs(
        model,
        seen.recording,
        efforts - found.residuals,
        jets[:, 1],
        windows,
        uncertain_sums(lambda part: columns.of(jets[part]), len(jets), found.covariance),
    )
    for spring in springs:
        if spring.spring is None:
            warnings.warn(
                f'recording: joint {spring.joint!r}: expected a deflection that follows the '
                f'effort, got {spring.explained:.2g} rad or m of {spring.remaining:.2g} that are '
                'noise: its stiffness remains unknown (inf)',
                RecordingWarning,
                stacklevel=3,
            )

    def explained(other: Recording) -> Explained:
        motion = Motion(model, taken, smoothing_time, on_joint)
        again = motion.of(other.of(model))
        if check:
            spikes = spikes_of(model, again)
            again = motion.without_held(again.samples(np.logical_not(spikes.any(axis=1))))
        known = columns.known(again.jets)
        return Explained(
            again.recording.times, _on_time(again, delays), known, columns.of(again.jets)
        )

    result = Identification(
        model,
        columns.names,
        found.values,
        found.covariance,
        np.sqrt(np.mean(found.residuals**2, axis=0)),
        np.sqrt(np.mean(rest**2, axis=0)),
        found.noise,
        payload,
        springs,
        columns,
        found.root,
        explained,
        delays,
    )
    if payload is not None:
        place = result.names.index('payload.m')
        require_mass(result.values[place], result.standard_deviations[place], 'effort_content')
    return result


def _check(model: ScrewModel, taken: EffortFormat, seen: Seen, columns: Columns) -> None:
    """Raise InputError for efforts that contradict the model; all but links may be unknown."""
    jets, efforts = seen.jets, seen.recording.efforts
    predicted = inverse_dynamics(model, jets)[:, 0]
    reported, modelled = efforts - seen.lacking, predicted - seen.lacking
    check_values(model, seen.recording.times, reported, modelled)
    unknown = columns_of(
        model,
        offsets=any(name.endswith('.offset') for name in columns.names),
        friction=True,
        rotors=np.ones(model.n, dtype=bool),
        links=False,
        payload=columns.payload,
        coulomb_velocity=columns.coulomb_velocity,
    )
    some = slice(None, None, -(-len(jets) // _MOST_CHECKED))
    rows = unknown.of(jets[some])
    sought = rows[..., len(unknown.positive) :]
    text, load = '', sought[..., :0]
    if columns.base is None and columns.payload is None:
        text, load = suspected_load(model, efforts[some], jets[some], rows, unknown.least)
    check_content(model, taken, efforts[some], jets[some], rows, unknown.least, load)
    check_efforts(model, efforts[some], predicted[some], jets[some], sought, load)
    if text:
        warnings.warn(text, RecordingWarning, stacklevel=4)


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
    names = np.array(columns.names)
    chosen = np.char.endswith(names, '.coulomb')
    if not chosen.any():
        return np.zeros_like(jets[:, 0])
    return np.tanh(jets[:, 1] / columns.coulomb_velocity) * values[chosen]


def _delays(
    model: ScrewModel,
    seen: Seen,
    smooth: Array,
    spread: Array,
    windows: Sequence[Window],
    found: Fit,
) -> tuple[Array, Array]:
    """
    Return the delays (n,) of the efforts behind the positions, and their standard deviations [s].

    Efforts that lag by d differ by -d times their rate. These rates, of `smooth` efforts (T, n)
    without Coulomb friction, are further columns of a fit of all that a rigid robot may have, so
    that what the chosen parameters lack is not taken for a delay.
    """
    times, jets = seen.recording.times, seen.jets
    instants, first, place = np.unique(times, return_index=True, return_inverse=True)
    rates = np.gradient(smooth[first], instants, axis=0)[place]
    n = model.n
    columns = every_column(model)

    def of(part: slice) -> Array:
        own = -rates[part][..., np.newaxis] * np.eye(n)
        return np.concatenate((columns.of(jets[part]), own), axis=2)

    wide = fit(of, seen.recording.efforts, spread, windows, found.noise)
    return wide.values[-n:], np.sqrt(np.diag(wide.covariance)[-n:])
