# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Pinocchio's URDF parser, which warns of every oddity, prints nothing on the terminal."""

from __future__ import annotations

import os

import pytest
from oracles.silence import silenced

import screw_dynamics as sd

# a robot whose root link has an inertia, a mass of zero and an unknown tag: the parser warns
ODD = """<robot name="odd"><link name="base"><inertial><mass value="0"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/></joint>
<link name="arm"/></robot>"""


def test_nothing_of_it_reaches_the_terminal(tmp_path, capfd):
    pinocchio = pytest.importorskip('pinocchio', reason='the noise is that of Pinocchio')
    from oracles.pinocchio_model import PinocchioModel

    good = ODD.replace('type="revolute"', 'type="continuous"')
    (tmp_path / 'odd.urdf').write_text(good)
    with pytest.raises(ValueError):
        pinocchio.buildModelFromXML(ODD)
    noise = capfd.readouterr()
    assert noise.out + noise.err, 'the parser is silent by itself: `silenced` is not needed'
    with silenced(), pytest.raises(ValueError):
        pinocchio.buildModelFromXML(ODD)
    PinocchioModel(tmp_path / 'odd.urdf', sd.read_urdf(good))
    assert capfd.readouterr() == ('', '')


def test_the_terminal_is_back_after_an_error(capfd):
    with pytest.raises(ZeroDivisionError), silenced():
        os.write(1, b'inside\n')
        raise ZeroDivisionError
    print('after')
    assert capfd.readouterr().out == 'after\n'
