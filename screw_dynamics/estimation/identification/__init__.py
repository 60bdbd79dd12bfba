# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Friction, rotors, payload and inertias of a robot from recorded motions and efforts."""

from screw_dynamics.estimation.identification.check_recording import (
    RecordingReport,
    check_recording,
)
from screw_dynamics.estimation.identification.drive_result import DriveIdentification
from screw_dynamics.estimation.identification.effort_shares import EffortShares
from screw_dynamics.estimation.identification.identify import identify
from screw_dynamics.estimation.identification.identify_drives import identify_drives
from screw_dynamics.estimation.identification.payload import Payload
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.result import Identification, IdentifiedParameters
from screw_dynamics.estimation.identification.spring_fit import SpringFit

__all__ = [
    'DriveIdentification',
    'EffortShares',
    'Identification',
    'IdentifiedParameters',
    'Payload',
    'Recording',
    'RecordingReport',
    'SpringFit',
    'check_recording',
    'identify',
    'identify_drives',
]
