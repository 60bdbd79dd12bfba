# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions: the bundled ones, and those in installed Python packages."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]

# Name, distribution, end of the path inside the distribution.
NAMED_ROBOTS = {
    'ur5': ('example-robot-data', 'ur_description/urdf/ur5_robot.urdf'),
    'xarm7': ('example-robot-data', 'xarm_description/urdf/xarm7.urdf'),
    'jvrc1': ('jvrc-description', 'urdf/jvrc1.urdf'),
    'allegro': ('example-robot-data', 'allegro_hand_description/urdf/allegro_right_hand.urdf'),
    'vega_1u_gripper': ('dexmate-urdf', 'vega_1u_gripper.urdf'),
    'left_wrist_mk2': ('icub-models', 'left_wrist_mk2/model.urdf'),
}


def bundled_urdfs() -> list[Path]:
    """Return the robot descriptions in urdf/, sorted by name."""
    return sorted((_ROOT / 'urdf').glob('*.urdf'))


def package_urdfs(distribution: str) -> list[Path]:
    """Return the .urdf files that an installed distribution recorded, sorted by path."""
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(file.locate())) for file in files if file.suffix == '.urdf')


def named_robot(name: str) -> Path | None:
    """
    Return the path of one of `NAMED_ROBOTS`, None if its package is missing.

    Raise LookupError if the package is there and the robot is not in it.
    """
    distribution, tail = NAMED_ROBOTS[name]
    paths = package_urdfs(distribution)
    found = [path for path in paths if path.as_posix().endswith(tail)]
    if paths and not found:
        raise LookupError(f'{distribution} is installed and has no {tail}')
    return found[0] if found else None
