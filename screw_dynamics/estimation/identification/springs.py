# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs from deflections, and from the efforts that were measured or that links need."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.common.scalars import require_choice
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import UnknownNameError, listed
from screw_dynamics.estimation.identification.findings import LIMITS
from screw_dynamics.estimation.identification.fit import DriveFit
from screw_dynamics.estimation.identification.least_squares import Window
from screw_dynamics.estimation.identification.payload import BAND
from screw_dynamics.estimation.identification.recorded_rows import LEAST_RANGE
from screw_dynamics.estimation.identification.recording import (
    Recording,
    sprung,
    with_motors,
)
from screw_dynamics.estimation.identification.samples import Samples
from screw_dynamics.estimation.identification.spring_fit import (
    SLIPS,
    Deflected,
    SpringFit,
    fitted_spring,
)
from screw_dynamics.estimation.identification.spring_laws import SPRING_LAWS, SpringLaw
from screw_dynamics.model.screw_model import ScrewModel

_KNEE = 0.02  # rad/s or m/s, of friction beside a spring


def fitted_springs(
    model: ScrewModel,
    recording: Recording,
    efforts: Array,
    rates: Array,
    windows: Sequence[Window],
    laws: Mapping[str, SpringLaw] | None = None,
    *,
    chosen: NDArray[np.bool_] | None = None,
    measured: NDArray[np.bool_] | None = None,
    uncertain: Array | None = None,
    smooth: Callable[[Array], Array] | None = None,
    gain: float = 1.0,
    slipping: Collection[str] | None = None,
    eccentric: NDArray[np.bool_] | None = None,
) -> tuple[tuple[SpringFit, ...], tuple[Finding, ...]]:
    """
    Return the springs of `chosen` joints (n,) whose deflections are known, by their `laws`.

    The law is the effort at a deflection, nearest to `efforts` (T, n). These are `measured` (n,),
    all by default, or those that links with a load need, which lack friction of the joint beside
    its spring: that is fitted too, and `uncertain` (M, n, E) are the errors of such efforts by
    independent causes. `rates` (T, n) are the velocities of the links;
    `smooth` returns means (M, ...) of values (T, ...), in `windows`, in which white noise has
    `gain` times its variance. Hysteresis and backlash are sought at the joints `slipping`, all by
    default; errors of encoders that are `eccentric` at those of (n,), none by default.
    """
    own = with_motors(recording)
    known = np.ones(model.n, dtype=bool) if measured is None else measured
    found: list[SpringFit] = []
    findings: list[Finding] = []
    if own.motor_positions is None:
        return (), ()
    with_spring = sprung(own) if chosen is None else sprung(own) & chosen
    for i in np.flatnonzero(with_spring).tolist():
        link, motor = own.positions[:, i], own.motor_positions[:, i]
        if model.coordinate_types[i] == 'continuous':
            link, motor = np.unwrap(link), np.unwrap(motor)
        deflection = motor - link
        if model.coordinate_types[i] == 'continuous':
            deflection -= 2.0 * np.pi * np.rint(deflection.mean() / (2.0 * np.pi))
        rate, name = rates[:, i], model.joint_names[i]
        friction = np.column_stack((rate, np.tanh(rate / _KNEE)))
        seen = Deflected(
            name,
            deflection,
            efforts[:, i],
            bool(known[i]),
            friction[:, :0] if known[i] else friction,
            link if eccentric is not None and eccentric[i] else None,
            windows,
            smooth or (lambda values: values),
            gain,
            None if known[i] or uncertain is None else uncertain[:, i],
        )
        law = (laws or {}).get(name, 'linear')
        slips = slipping is None or name in slipping
        zero = recording.deflections is not None and bool(known[i])
        spring, more = fitted_spring(seen, law, SLIPS if slips else (), absolute=zero)
        found.append(spring)
        findings.extend(more)
        both = recording.deflections is None or np.isnan(recording.deflections[:, i]).any()
        if both and np.ptp(link) >= LEAST_RANGE:
            findings.extend(_ratio(name, link, motor))
    return tuple(found), tuple(findings)


def _ratio(name: str, link: Array, motor: Array) -> Iterator[Finding]:
    """Yield a motor that does not move as its link does, but for its deflection."""
    ratio = float(np.polyfit(link - link.mean(), motor, 1)[0])
    if LIMITS.follows[0] < ratio < LIMITS.follows[1]:
        return
    expected, cause = 'the motor position on the joint side of the gear', 'the motor side'
    if ratio <= 0.0:
        expected, cause = 'a motor that moves with its link', 'one of both encoders is reversed'
    text = f'expected {expected}, got {ratio:.3g} times the motion of the link: {cause}?'
    yield Finding('motor position', 'wrong', (name,), f'recording: joint {name!r}: {text}')


def lost_in_gears(recording: Recording) -> Iterator[Finding]:
    """Yield what gears lose between motor and output, where deflections tell springs apart."""
    if recording.motor_positions is None or recording.deflections is None:
        return
    lost = recording.motor_positions - recording.positions - recording.deflections
    for name, column, motor in zip(
        recording.joint_names, lost.T, recording.motor_positions.T, strict=True
    ):
        if not np.isnan(column).any():
            steps = np.diff(np.unique(motor))
            text = (
                f'joint {name!r}: between motor and spring, {1e3 * column.std():.2g} mrad or mm '
                f'rms are lost in the gear or the encoder of the motor, whose usual step is '
                f'{1e3 * (np.median(steps) if len(steps) else 0.0):.2g}: no part of the spring'
            )
            yield Finding('gear', 'remark', (name,), text)


def no_compliance(springs: Sequence[SpringFit]) -> tuple[Finding, ...]:
    """Return what is said of springs that show none."""
    return tuple(
        Finding(
            'stiff',
            'odd',
            (spring.joint,),
            f'recording: joint {spring.joint!r}: expected a deflection that follows the effort, '
            f'got {spring.explained:.2g} rad or m of {spring.remaining:.2g} that are noise: its '
            'stiffness remains unknown (inf)',
        )
        for spring in springs
        if spring.spring is None
    )


def deflected_springs(
    found: DriveFit,
    samples: Samples,
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
    known = np.isfinite(np.diag(covariance))
    sizes, axes = np.linalg.eigh(np.where(np.outer(known, known), covariance, 0.0))
    fits, findings = fitted_springs(
        model,
        samples.recording,
        efforts,
        jets.links[:, 1],
        windows,
        laws,
        measured=measured,
        uncertain=columns @ (axes * np.sqrt(np.maximum(sizes, 0.0))),
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
    clear = tuple(
        fit
        for fit in fits
        if fit.spring is not None
        and LIMITS.told * fit.remaining < fit.explained
        and BAND * fit.deviation < LIMITS.band * fit.stiffness
        and fit.joint not in small
    )
    names = tuple(fit.joint for fit in fits if fit not in clear)
    if names:
        given = zip(model.joint_names, equations.robot.joint_drives, strict=True)
        kept = [name for name, joint in given if joint.spring is not None and name in names]
        told = f'the robot keeps those of {listed(kept)}' if kept else 'they remain unknown'
        text = (
            f'the efforts hardly deflect the springs of {listed(names)}, or do not explain their '
            f'deflections (other masses, springs beside joints, contacts?): {told}'
        )
        findings = (*findings, Finding('deflections', 'remark', names, text))
    return clear, findings


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
