# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Report` of a part of a node on /diagnostics, `Line` of its log, `Counts` of its messages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

OK, WARN, ERROR = b'\0', b'\1', b'\2'  # as in diagnostic_msgs/DiagnosticStatus
FRAME_ID = 'header.frame_id'  # value of a status that identifies its trajectory


class Report(NamedTuple):
    """Report of one task; `level` is OK, WARN or ERROR, `values` are printed with str()."""

    level: bytes
    message: str
    values: Mapping[str, object] = {}


class Line(NamedTuple):
    """A line for the log: info, warning or error; lines of one `key` may be throttled."""

    level: str
    text: str
    key: str = ''


@dataclass
class Counts:
    """Messages of a stream since the start."""

    accepted: int = 0
    ignored: int = 0  # for a newer command
    rejected: int = 0
    last_rejection: str = ''

    def reject(self, reason: str) -> None:
        """Count a rejected message."""
        self.rejected += 1
        self.last_rejection = reason

    @property
    def rejection(self) -> str:
        """The last rejection as a message; empty without one."""
        return self.last_rejection and f'last rejection: {self.last_rejection}'
