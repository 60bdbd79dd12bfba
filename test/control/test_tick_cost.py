# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A tick of the core leaves nothing behind, not even for the garbage collector."""

import gc

import numpy as np
import pytest
from helpers.memory import bytes_kept
from helpers.rig import Rig

import screw_dynamics as sd
from screw_dynamics.control.inputs import Tick
from screw_dynamics.drives.robot import Robot

TICKS = 500
TICK = (Tick(),)
SPRING = sd.JointDrive(sd.LinearSpring(8000.0, damping=20.0), sd.Motor(rotor_inertia=0.4))


@pytest.fixture(params=[None, SPRING], ids=['rigid', 'elastic'])
def tick(request):
    """Return a function that runs a number of ticks along a trajectory."""
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    joint = request.param
    drives = None if joint is None else sd.Drives(dict.fromkeys(model.joint_names, joint))
    rig = Rig(Robot(model, drives), publish_rate=1000.0, limits='off')
    rng = np.random.default_rng(2)
    rig.send(*((9.0 * i, rng.uniform(-0.5, 0.5, model.n)) for i in range(9)))
    rig.run(0.1)

    def run(count):
        for _ in range(count):
            rig.now += rig.period
            assert rig.core.step(rig.now, TICK).sample is not None

    return run


def test_no_object_is_left_to_the_collector(tick):
    gc.collect()
    gc.disable()
    try:
        before = gc.get_count()[0]
        tick(TICKS)
        left = gc.get_count()[0] - before
    finally:
        gc.enable()
    assert left < 50  # one per ten ticks


def test_no_memory_is_kept(tick):
    assert bytes_kept(tick, TICKS) < 8 * TICKS  # half of the smallest object per tick
