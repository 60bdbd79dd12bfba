# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The figure holds every joint, every panel, and the waypoints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rosbags', reason='recordings are read from bags')
image = pytest.importorskip('matplotlib.image', reason='the figure needs matplotlib')

from ros_demo.plot import COLOURS, save_plot  # noqa: E402


def drawn(recording: Any, folder: Path) -> np.ndarray:
    save_plot(recording, folder / 'plot.png', 'A title')
    return (image.imread(folder / 'plot.png')[..., :3] * 255).round().astype(int)


def amount(pixels: np.ndarray, colour: str) -> int:
    rgb = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return int((np.abs(pixels - rgb).max(axis=2) <= 2).sum())


def test_every_joint_is_drawn_in_its_colour(recording: Any, tmp_path: Path) -> None:
    pixels = drawn(recording, tmp_path)
    assert pixels.shape == (1312, 1920, 3)
    for colour in COLOURS:
        assert amount(pixels, colour) > 1000, colour


def test_a_joint_that_is_taken_away_is_gone(recording: Any, tmp_path: Path) -> None:
    fewer = replace(
        recording,
        joint_names=recording.joint_names[:5],
        joint_jet=recording.joint_jet[:, :, :5],
        effort_jet=recording.effort_jet[:, :, :5],
        waypoint_positions=recording.waypoint_positions[:, :5],
    )
    pixels = drawn(fewer, tmp_path)
    assert amount(pixels, COLOURS[4]) > 1000
    assert amount(pixels, COLOURS[5]) == 0


def test_waypoints_are_marked_on_the_curves(recording: Any, tmp_path: Path) -> None:
    marked = drawn(recording, tmp_path)
    elsewhere = replace(recording, waypoint_positions=recording.waypoint_positions + 0.5)
    assert (marked != drawn(elsewhere, tmp_path)).any()
