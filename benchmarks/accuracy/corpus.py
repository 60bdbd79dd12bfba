# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Selection of the .urdf files that are robots."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

# Fewer moving joints make a tray, a table or a wheel.
_FEWEST_JOINTS = 2

# Robots again, with other collision shapes, and the pieces that one collection piles up.
_NOT_ROBOTS = re.compile(r'collision_spheres|random_urdfs/')

# The joint tag is found without an XML parser, so that malformed files are seen too.
_MOVING_JOINT = re.compile(rb'<joint\s[^>]*type\s*=\s*["\'](revolute|continuous|prismatic)["\']')


@dataclass(frozen=True)
class RobotFile:
    """A robot description in a package."""

    package: str  # name and version
    name: str  # path inside the package
    path: Path


def robots(files: dict[str, list[tuple[str, Path]]]) -> list[RobotFile]:
    """Return the files with two or more moving joints, each content once per package."""
    chosen = []
    for package, members in files.items():
        seen: set[bytes] = set()
        for name, path in members:
            content = path.read_bytes()
            moving = len(_MOVING_JOINT.findall(content))
            if moving < _FEWEST_JOINTS or _NOT_ROBOTS.search(name) or content in seen:
                continue
            seen.add(content)
            chosen.append(RobotFile(package, name, path))
    return chosen
