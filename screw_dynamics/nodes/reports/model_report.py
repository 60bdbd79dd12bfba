# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostic report on the robot model."""

from __future__ import annotations

from screw_dynamics.nodes.robot.model_source import ModelSource
from screw_dynamics.nodes.running.diagnostics import OK, WARN, Report


def model_report(source: ModelSource) -> Report:
    """Return a report; WARN if there is no model, or a new one was rejected."""
    if source.loaded is None:
        return Report(WARN, source.problem)
    model = source.loaded.model
    return Report(
        WARN if source.problem and not source.busy else OK,
        source.problem or 'loaded',
        {
            'source': source.loaded.source,
            'robot': model.name,
            'joints': ', '.join(model.joint_names),
            'base_link': model.base_link,
            'urdf_sha256': source.loaded.sha256,
        },
    )
