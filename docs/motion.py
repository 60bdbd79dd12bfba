#!/usr/bin/env python3
# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Draw the animation of the README, a WebP picture, with Chromium: python docs/motion.py."""

from pathlib import Path

import numpy as np
from PIL import Image

import screw_dynamics as sd
from screw_dynamics import trajectory
from screw_dynamics.viewer.browser import photographer

SIZE, RATE = (640, 400), 12.0  # px, pictures per second
_LEVELS = 10  # of transparency, whose noise takes space
REST = [0.0, 0.5, 0.0, -1.5, 0.0, 0.9, 0.0]
POINTS = (
    (0.0, REST),
    (1.2, [0.8, 1.2, -0.4, -1.0, -0.9, 0.3, -1.3]),
    (2.4, [1.0, 0.2, 0.6, -1.6, 1.0, 1.2, 0.4]),
    (3.6, [-0.8, 1.1, 0.6, -0.9, 1.2, 0.5, 0.6]),
    (4.8, REST),
)


def main() -> None:
    """Write docs/motion.webp."""
    path = sd.share_path('urdf/iiwa14.urdf')
    model = sd.read_urdf(path)
    drives = sd.Drives.from_yaml(sd.share_path('config/sea_arm_joints.yaml'))
    curve = trajectory.through(model, *zip(*POINTS, strict=True))
    times = np.arange(0.0, POINTS[-1][0], 1.0 / RATE)
    pictures = []
    with (
        sd.view(sd.Robot(model, drives), times, curve.jets(times)) as viewer,
        photographer(viewer.server, viewer.stage, SIZE) as draw,
    ):
        for seconds in times.tolist():
            viewer.show_time(seconds)
            pictures.append(transparent(draw()))
    pictures[0].save(
        Path(__file__).parent / 'motion.webp', 'WEBP', save_all=True, append_images=pictures[1:],
        loop=0, duration=round(1e3 / RATE), quality=60, alpha_quality=30,
    )  # fmt: skip


def transparent(picture: Image.Image) -> Image.Image:
    """Return a picture on white as one that looks the same there, and fits dark pages too."""
    seen = np.asarray(picture.convert('RGB'), float)
    # the floor, its lines and shadows: what is darker than this is the robot
    opacity = np.clip((252.0 - seen.min(axis=2, keepdims=True)) / 60.0, 0.0, 1.0)
    opacity = np.floor(_LEVELS * opacity) / _LEVELS
    colour = 255.0 - (255.0 - seen) / np.maximum(opacity, 1e-3)
    rows = np.concatenate([colour, 255.0 * opacity], axis=2).clip(0.0, 255.0)
    return Image.fromarray(rows.round().astype(np.uint8))


if __name__ == '__main__':
    main()
