# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Report`: what a part of a node says of itself on /diagnostics."""

from collections.abc import Mapping
from typing import NamedTuple

OK, WARN, ERROR = b'\0', b'\1', b'\2'  # as in diagnostic_msgs/DiagnosticStatus


class Report(NamedTuple):
    """Report of one task; `level` is OK, WARN or ERROR, `values` are printed with str()."""

    level: bytes
    message: str
    values: Mapping[str, object] = {}
