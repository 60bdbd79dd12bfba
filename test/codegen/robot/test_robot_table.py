# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of robots for the controller, as compilers read them."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import replace
from pathlib import Path

from c_compiler import COMPILER, STRICT, needs_gcc, write

import screw_dynamics as sd
from screw_dynamics.codegen.robot.robot_table import robot_table
from screw_dynamics.drives.robot import Robot

INCLUDE = Path(__file__).resolve().parents[3] / 'screw_dynamics_controllers' / 'include'


@needs_gcc
def test_names_of_joints_are_read_as_they_are_written(tmp_path):
    """With quotes, backslashes, umlauts and trigraphs, which C99 replaces: ??/ is a backslash."""
    names = ('a??/" \\n', 'Gelenk \u00e9 ??(7')
    planar = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    model = replace(planar, joint_names=names)
    quantities = ['inverse_dynamics', 'gravity_forces']
    write(sd.generate_c(model, 'arm', quantities=quantities), tmp_path)
    table = robot_table(Robot(model), 'arm', 2, quantities, '')
    reader = 'const char *name_of(int j) { return screw_dynamics_robot()->joint_names[j]; }\n'
    (tmp_path / 'table.c').write_text(f'{table}const char *name_of(int j);\n{reader}')
    files = [tmp_path / 'arm.c', tmp_path / 'table.c', '-o', tmp_path / 'arm.so']
    options = [*STRICT, f'-I{INCLUDE}', '-fPIC', '-shared']
    subprocess.run([COMPILER, *options, *files, '-lm'], check=True)
    name_of = ctypes.CDLL(str(tmp_path / 'arm.so')).name_of
    name_of.restype = ctypes.c_char_p
    assert tuple(name_of(j).decode() for j in range(2)) == names
