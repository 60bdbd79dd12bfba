# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Prepared wrenches: same efforts as `inverse_dynamics` with the wrenches themselves."""

from __future__ import annotations

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.dynamics import LinkLoads
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError

MODEL = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
FRAMES = [name for name, frame in MODEL.frames.items() if frame.body >= 0][:2]


@pytest.fixture
def loads():
    return LinkLoads(MODEL, FRAMES, order=2)


def test_agrees_with_the_recursion_of_the_papers(loads):
    rng = np.random.default_rng(0)
    for _ in range(3):
        jet = rng.normal(size=(5, MODEL.n))
        loads.wrenches[...] = rng.normal(size=(2, 3, 6))
        wrenches = dict(zip(FRAMES, loads.wrenches, strict=True))
        expected = sd.recursive_body_fixed(MODEL, jet, wrenches)
        without = sd.recursive_body_fixed(MODEL, jet)
        assert np.abs(expected - without).max() > 0.1
        out = np.empty((3, MODEL.n))
        assert loads.inverse_dynamics(jet, out) is out
        np.testing.assert_allclose(out, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_what_is_wrong_is_named(loads):
    jet, out = np.zeros((5, MODEL.n)), np.empty((3, MODEL.n))
    with pytest.raises(ShapeError, match='out: expected shape'):
        loads.inverse_dynamics(jet, out[:2])
    jet[4, 1] = np.nan
    with pytest.raises(NotFiniteError, match=f'joint {MODEL.joint_names[1]!r}, derivative 4'):
        loads.inverse_dynamics(jet, out)
    jet[4, 1] = 0.0
    loads.wrenches[1, 0, 2] = np.inf
    with pytest.raises(NotFiniteError, match='wrench_jets'):
        loads.inverse_dynamics(jet, out)


def test_frames_must_be_on_moving_links():
    with pytest.raises(InputError, match="unknown frame 'nose'"):
        LinkLoads(MODEL, ['nose'], 0)
    with pytest.raises(InputError, match='expected one on a moving link, got the base'):
        LinkLoads(MODEL, [MODEL.base_link], 0)
