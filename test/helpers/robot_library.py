# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Libraries of robots for the controller of ros2_control, generated and compiled."""

from __future__ import annotations

import subprocess
from pathlib import Path

import screw_dynamics as sd
from helpers.patience import patience
from screw_dynamics.codegen.robot.robot_table import robot_table
from screw_dynamics.drives.robot import Robot

CONTROLLERS = Path(__file__).resolve().parents[2] / 'screw_dynamics_controllers'


def compiled(*command: object) -> None:
    """Run a compiler; it must not fail."""
    subprocess.run([str(part) for part in command], check=True, timeout=patience())


def library_of(robot: Robot, folder: Path, urdf: str = '') -> Path:
    """Return the library of a robot; it carries the digest of a URDF text."""
    quantities = ['inverse_dynamics', 'gravity_forces', 'mass_matrix', 'coriolis_forces']
    quantities += ['drive_forces', 'motor_commands'] if robot.drives is not None else []
    code = sd.generate_c(robot, 'arm', quantities=quantities)
    for name, text in code.files.items():
        (folder / name).write_text(text)
    (folder / 'arm_table.c').write_text(robot_table(robot, 'arm', 2, quantities, urdf))
    sources, library = [folder / 'arm.c', folder / 'arm_table.c'], folder / 'libarm.so'
    options = '-std=c99', '-O1', '-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Werror'
    compiled('gcc', *options, '-fPIC', '-shared', '-I', CONTROLLERS / 'include', *sources,
             '-o', library, '-lm')  # fmt: skip
    return library
