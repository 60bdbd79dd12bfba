# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`identify`: parameters of a robot from a recording."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array, per_joint
from screw_dynamics.common.findings import by_weight
from screw_dynamics.dynamics.effort_format import (
    EffortFormat,
    MeasuredContent,
    measured_format,
)
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.identification.equations import FIRST_VELOCITY, rigid_equations
from screw_dynamics.estimation.identification.evidence import (
    chosen_joints,
    coupling_of,
    evidence_of,
    judged,
    selected,
    telling,
)
from screw_dynamics.estimation.identification.findings import late, negative_friction, report
from screw_dynamics.estimation.identification.fit import fitted_joints
from screw_dynamics.estimation.identification.parallel_springs import ParallelSprings
from screw_dynamics.estimation.identification.payload import require_mass
from screw_dynamics.estimation.identification.recording import Recording, sprung
from screw_dynamics.estimation.identification.result import Identification, explained
from screw_dynamics.estimation.identification.samples import Reading, one_thread, windows_of
from screw_dynamics.estimation.identification.springs import (
    fitted_springs,
    lost_in_gears,
    no_compliance,
)
from screw_dynamics.model.screw_model import ScrewModel, require_model


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
    parallel_springs: ParallelSprings | None = None,
    coupling: ArrayLike | None = None,
    effort_content: MeasuredContent | EffortFormat = 'full',
    coulomb_velocity: ArrayLike | None = None,
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
    parallel_springs : mapping of joint to {'constant', 'linear'} or ParallelSpring, optional
        Springs beside drives, as at a shoulder. Their constant torque, which takes the place of
        the offset, and their stiffness are sought, or the force or stiffness of a `TorsionSpring`,
        `BalancingSpring` or `GasSpring` whose geometry is known.
    coupling : (n, n) array_like, optional
        Velocities of motors over those of joints, as of a wrist whose motor turns two joints.
        Friction and rotors are those of motors then, on the joint side of the gears.
    effort_content : {'full', 'without_gravity', 'external'} or EffortFormat
        What the efforts of the recording contain: all; all but gravity, as Universal Robots report
        them; or external loads only, as far as the robot's own model tells. A format also has
        their sign and scale.
    coulomb_velocity : float or (n,) array_like, optional
        v0, at which Coulomb friction reaches 76 % [rad/s or m/s]; by default those of the joints
        that explain the efforts best.
    smoothing_time : float, optional
        See `measured_motion`; by default that of several with which efforts that are held out are
        explained best, as likelihood takes noise that is not white for motion.
    check : bool
        Raise for recordings that contradict the model: content of the efforts, reversed joints,
        units, gravity, clipping; and leave out, with a RecordingWarning, efforts that stay the
        same, spikes, other units of some joints, and delays of efforts up to 50 ms. A load that is
        not sought is warned of.
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
    effort_format = measured_format(effort_content, require_model(model).joint_names)
    with_rotors = chosen_joints('rotors', model, rotors)
    start = FIRST_VELOCITY if coulomb_velocity is None else coulomb_velocity
    velocities = per_joint('coulomb_velocity', start, model.n, above=True)
    given, (model, own, findings) = model, selected(model, recording)
    chosen = np.isin(given.joint_names, model.joint_names)
    joints, absent = telling(model, own)
    turned = coupling_of(given, coupling, chosen)
    equations = rigid_equations(
        model,
        joints,
        offsets=offsets,
        friction=friction,
        rotors=with_rotors[chosen] & ~sprung(own),
        velocities=velocities[chosen],
        links=links,
        payload=payload,
        springs=parallel_springs or {},
        coupling=turned,
    )
    if not equations.names:
        raise InputError('identify: expected some parameters to identify, got none')
    taken = effort_format.of_joints(chosen)
    reading = Reading(model, joints, taken, smoothing_time, check, coupling=turned)
    evidence = evidence_of(reading, own, equations, on_joint)
    findings = (*findings, *absent, *evidence.findings)
    joints, samples = evidence.joints, evidence.samples
    if check and joints.any():
        joints, more = judged(evidence, reading, equations)
        findings = (*findings, *more)
    report(findings, check, 3)
    reading = reading._replace(joints=joints, smoothing_time=samples.motion.given)
    windows = windows_of(samples.recording.times, samples.dead, own.times)
    equations, found, delays = fitted_joints(
        equations.of_joints(joints),
        samples,
        windows,
        velocities=friction and coulomb_velocity is None,
        delays=check,
    )
    efforts, jets = samples.on_time(delays), samples.jets().links
    springs, more = fitted_springs(
        model, samples.recording, efforts, jets[:, 1], windows, chosen=joints
    )
    deviations = np.sqrt(np.diag(found.covariance))
    later = (
        *late(model.joint_names, delays),
        *negative_friction(model.joint_names, equations.names, found.values, deviations),
        *more,
        *no_compliance(springs),
        *lost_in_gears(own),
    )
    report(later, check, 3)
    shares = explained(equations, found.values, samples, efforts)
    if payload is not None:
        place = equations.names.index('payload.m')
        deviation = float(np.sqrt(found.covariance[place, place]))
        require_mass(float(found.values[place]), deviation, 'effort_content')
    noise = np.full(model.n, np.nan)
    noise[joints] = found.noise
    before = efforts if links else efforts - equations.as_given(samples.jets())
    return Identification(
        equations.names,
        found.values,
        found.covariance,
        _sizes(shares.rest, joints),
        _sizes(before, joints),
        payload,
        springs,
        by_weight((*findings, *later)),
        shares,
        reading,
        equations,
        found.root,
        noise,
        delays,
        found.weights,
    )


def _sizes(rest: Array, joints: NDArray[np.bool_]) -> Array:
    """Return root mean squares (n,); of joints that are left out those about their mean."""
    return np.asarray(np.where(joints, np.sqrt(np.mean(rest**2, axis=0)), rest.std(axis=0)))
