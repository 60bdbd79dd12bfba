# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What the core of the C++ controller makes of samples that jump: two pendulums in closed form."""

import numpy as np
import pytest
from helpers.pendulums import (
    DT,
    EFFORT,
    JUMPS,
    POSITION,
    VELOCITY,
    WEIGHT,
    Chain,
    N,
    blend,
    close,
    efforts_of,
)


def test_a_jump_while_commands_begin_has_no_step(pendulums):
    """What was led to the target was blended again: 3 of 12 N m stepped."""
    chain = Chain()
    chain.hold(125)
    chain.hold(1, mark=JUMPS)
    chain.hold(300)
    followed, _, out = pendulums(chain.rows, positions=True)
    assert followed.all()
    close(out[:, EFFORT], WEIGHT * blend(DT * np.arange(len(out)) / 0.25)[:, None])


@pytest.mark.parametrize('every', [1, 2, 5, 20])
def test_a_speed_with_noise_does_not_freeze_the_motion(pendulums, every):
    """Where each message of it was another jump, 3.3 rad of 1 rad were sent at 3.8 rad/s of 2."""
    flags = {'LOWER': -1.0, 'UPPER': 1.0, 'VELOCITY': 2.0}
    chain, random, angle, speed = Chain(), np.random.default_rng(1), 0.0, 2.5
    chain.hold(400)
    for k in range(6000):
        mark = JUMPS * (k % every == 0)
        speed = 2.5 + 2.5e-4 * random.uniform(-1.0, 1.0) if mark else speed
        angle += speed * DT
        powers = 0.46 * speed ** np.arange(5.0)
        shape = [1 - np.cos(angle), np.sin(angle), np.cos(angle), -np.sin(angle), -np.cos(angle)]
        chain.add(np.outer(powers * shape, [1.0, 1.0]), rows=5, mark=mark)
    followed, _, out = pendulums(chain.rows, positions=True, flags=flags)
    assert followed.all()
    jets = np.array([row[6:-N].reshape(5, N) for row in chain.rows])
    # noise of 1e-4 of 1.15 rad/s, 14 N m; the jump of the acceleration at the begin is over
    assert np.abs(out[:, POSITION] - jets[:, 0]).max() <= 2e-3
    assert np.abs(out[:, VELOCITY] - jets[:, 1]).max() <= 2e-3
    assert np.abs(out[-3000:, EFFORT] - efforts_of(chain.rows[-3000:])).max() <= 1e-2
    assert np.abs(out[:, VELOCITY]).max() <= 2.0 and out[:, POSITION].max() <= 1.0
