# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Golden numbers of all implementations, and their silence."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracles import golden
from oracles.high_precision import reference_efforts
from oracles.silence import silenced

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.theory.inverse_dynamics.body_fixed import recursive_body_fixed


def reference(model: sd.ScrewModel, joint_jet: Array) -> Array:
    return reference_efforts(model, joint_jet).efforts


implementations = pytest.mark.parametrize(
    'efforts', [sd.inverse_dynamics, recursive_body_fixed, reference]
)


@implementations
@pytest.mark.parametrize('order', range(6))
def test_chain(efforts: Callable[..., Any], order: int) -> None:
    got = efforts(golden.chain(), golden.CHAIN_JET[: order + 3])
    expected = golden.CHAIN_EFFORTS[: order + 1]
    # the table has 15 digits, one or two of them lost to cancellation in its smallest entries
    np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-13)


@implementations
def test_planar_2r(efforts: Callable[..., Any], rng: np.random.Generator) -> None:
    jet = rng.normal(size=(5, 2))
    expected = golden.planar_2r_efforts(jet)
    got = efforts(golden.planar_2r(), jet)
    assert (np.abs(got - expected).max(axis=1) <= 1e-13 * np.abs(expected).max(axis=1)).all()


@implementations
def test_planar_2r_hangs_at_rest(efforts: Callable[..., Any]) -> None:
    """Hanging straight down, gravity needs no effort and nothing moves."""
    jet = np.zeros((5, 2))
    jet[0, 0] = -np.pi / 2
    got = efforts(golden.planar_2r(), jet)
    assert np.abs(got).max() <= 1e-14


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
