# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`check_recording`: what is in a recording, what it tells, and what is odd about it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.common.results import Part, RecordedResult
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.dynamics.effort_format import EffortFormat, MeasuredContent
from screw_dynamics.errors import InputError, RecordingWarning, TrajectoryError, listed
from screw_dynamics.estimation.identification.drive_result import DriveIdentification
from screw_dynamics.estimation.identification.evidence import selected
from screw_dynamics.estimation.identification.identify import identify
from screw_dynamics.estimation.identification.identify_drives import identify_drives
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.result import Identification
from screw_dynamics.model.records import EFFORT_UNITS, POSITION_UNITS
from screw_dynamics.model.screw_model import ScrewModel

_TOLD = 0.25  # of a parameter, the standard deviation of one that the recording tells


@dataclass(frozen=True, eq=False)
class RecordingReport(RecordedResult):
    """
    What is in a recording.

    Parameters
    ----------
    recording : Recording
        Of the joints of the model.
    units : tuple of bool
        Whether joints are prismatic.
    found : Identification, DriveIdentification or None
        All that a rigid robot has but its links; None if the recording cannot be used.
    findings : tuple of Finding
        What is wrong, what was left out, and what is odd, the gravest first.
    """

    recording: Recording
    slides: tuple[bool, ...]
    found: Identification | DriveIdentification | None
    findings: tuple[Finding, ...]

    @property
    def usable(self) -> bool:
        """Whether parameters follow from the recording."""
        return self.found is not None

    @property
    def told(self) -> tuple[str, ...]:
        """The parameters that the recording tells to within a quarter."""
        rows = () if self.found is None else self.found.rows
        return tuple(name for name, value, deviation in rows if deviation < _TOLD * abs(value))

    def _records(self) -> list[dict[str, Any]]:
        recording = self.recording
        measured = {
            'efforts': recording.efforts,
            'motor_efforts': recording.motor_efforts,
            'motor_positions': recording.motor_positions,
            'deflections': recording.deflections,
        }
        left = np.full(len(self.slides), np.nan) if self.found is None else self.found.residuals
        return [
            {
                'joint': name,
                'lowest': float(recording.positions[:, j].min()),
                'highest': float(recording.positions[:, j].max()),
                **{
                    key: float(np.ptp(values[:, j]))
                    for key, values in measured.items()
                    if values is not None and not np.isnan(values[:, j]).any()
                },
                'left': float(left[j]),
            }
            for j, name in enumerate(recording.joint_names)
        ]

    def _parts(self) -> Sequence[Part]:
        times = self.recording.times
        steps = np.diff(times)
        text = (
            f'{len(times)} samples of {len(self.slides)} joints over {np.ptp(times):.6g} s, '
            f'{_milliseconds(steps)} apart'
        )
        records = self._records()
        units = {'lowest': POSITION_UNITS, 'highest': POSITION_UNITS, 'left': EFFORT_UNITS}
        units |= {'efforts': EFFORT_UNITS, 'deflections': POSITION_UNITS}
        units |= {'motor_positions': POSITION_UNITS}
        keys = list(dict.fromkeys(key for record in records for key in record if key != 'joint'))
        rows = [('joint', *(key.replace('_', ' ') for key in keys))]
        for slides, record in zip(self.slides, records, strict=True):
            cells = (
                f'{record[key]:.3g} {units[key][slides] if key in units else ""}'.rstrip()
                if key in record and np.isfinite(record[key])
                else '-'
                for key in keys
            )
            rows.append((record['joint'], *cells))
        parts: list[Part] = [text, rows]
        if self.found is not None:
            untold = [row[0] for row in self.found.rows if row[0] not in self.told]
            parts.append(f'it tells, to within a quarter: {listed(self.told) or "nothing"}')
            if untold:
                parts.append(f'it hardly tells: {listed(untold)}')
        found = [(finding.level, finding.text) for finding in self.findings]
        parts.append([('', 'finding'), *found] if found else 'nothing is odd')
        return parts


def check_recording(
    robot: Robot | ScrewModel,
    recording: Recording,
    *,
    effort_content: MeasuredContent | EffortFormat = 'full',
    payload: str | None = None,
) -> RecordingReport:
    """
    Return what is in a recording, what it tells, and what is odd about it.

    Nothing is raised for what `identify` and `identify_drives` refuse.

    Parameters
    ----------
    robot : Robot or ScrewModel
        Joints that were not recorded are locked at 0.
    recording : Recording
        With efforts of joints, or of motors.
    effort_content : {'full', 'without_gravity', 'external'} or EffortFormat
        See `identify`; with efforts of motors alone a format, see `identify_drives`.
    payload : str, optional
        Frame of an unknown load, see `identify`.

    Returns
    -------
    RecordingReport
        Which `print` shows as one page.

    Raises
    ------
    UnknownNameError
        If the recording has no joint of the robot.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> t = np.arange(0.0, 10.0, 0.01)
    >>> q = np.column_stack((np.sin(2.0 * t), np.cos(3.0 * t)))
    >>> efforts = sd.gravity_forces(arm, q)
    >>> recording = sd.Recording(arm.joint_names, t, np.degrees(q), efforts)
    >>> report = sd.check_recording(arm, recording)
    >>> report.usable, report.findings[0].level, report.findings[0].kind
    (False, 'wrong', 'degrees')
    """
    given = as_robot(robot)
    model, own, findings = selected(given.tree, recording)
    found: Identification | DriveIdentification | None = None
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', RecordingWarning)
        try:
            if np.isnan(own.efforts).all() and own.motor_efforts is not None:
                form = effort_content if isinstance(effort_content, EffortFormat) else None
                found = identify_drives(given, own, payload=payload, effort_format=form)
            else:
                found = identify(
                    given.tree, own, offsets=True, payload=payload, effort_content=effort_content
                )
            findings = getattr(found, 'findings', ())
        except (InputError, TrajectoryError) as error:
            more = getattr(error, 'findings', ()) or (
                Finding('unusable', 'wrong', (), str(error)),
            )
            findings = (*more, *findings)
    slides = tuple(kind == 'prismatic' for kind in model.coordinate_types)
    return RecordingReport(own, slides, found, findings)


def _milliseconds(steps: Array) -> str:
    """Return the usual distances of samples."""
    if not len(steps):
        return '-'
    low, middle, high = 1e3 * np.quantile(steps, (0.0, 0.5, 1.0))
    return f'{middle:.3g} ms ({low:.3g} to {high:.3g})'
