# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Drawn scenarios of the cores: nothing beyond a limit, nothing that begins or resumes in motion.

A failure names the seed of its scenario: ``Scenario(seed).play()`` repeats it. More of them:
``CORE_SCENARIOS=1000000 python -m pytest -s -m long test/control/test_core_scenarios.py``, and
``CORE_SEED=...``, the seed of the first one.
"""

import os
import time
from collections import Counter

import numpy as np
import pytest
from helpers.carried_scenarios import CarriedScenario
from helpers.core_scenarios import Scenario
from helpers.drawn_motions import DEFLECTION, RATE, SPEED
from helpers.drive_network import SERVO_LIMIT

from screw_dynamics.common.times import SECOND
from screw_dynamics.limits.quantities import motor_limits
from screw_dynamics.trajectory.reference.reference import Source

SLACK = 1.0 + 1e-9  # of limits: the rounding that the guards allow
TOUCH = 1e-6  # rad, and per s: a motion that is planned to touch a limit
STEP = 1.0 + 2e-6  # of changes between two samples
RESTING = 0.02  # rad/s: a motion that begins after a stop
PLENTY = 40  # motions and goals that are kept at a time


def rated(scenario):
    return scenario.robot.drives is not None


def bounds(scenario):
    """Return the position limits (2,)."""
    limits = scenario.robot.model.limits
    return limits.lower, limits.upper


def check_samples(scenario):
    """Check what `Feedforward` has published."""
    published = scenario.published
    if not len(published):
        return
    jet, tau = published.jet, published.tau
    rows = np.array([sample.rows for sample in published.samples])
    lower, upper = bounds(scenario)
    assert np.isfinite(jet[:, :3]).all() and np.isfinite(tau[:, 0]).all()
    assert (np.abs(tau[:, 0]) <= scenario.effort * SLACK).all(), 'effort'
    assert (np.abs(jet[:, 1]) <= SPEED + TOUCH).all(), 'velocity'
    assert (jet[:, 0] <= upper + TOUCH).all() and (jet[:, 0] >= lower - TOUCH).all(), 'position'
    if rated(scenario):
        assert (np.abs(tau[rows > 3, 1]) <= RATE * SLACK).all(), 'effort rate'
    motions = np.array(published.motions)
    assert (np.diff(motions) >= 0).all(), 'numbers fall'
    # within a motion the reference moves as far as the velocity limit allows
    held = np.array([sample.source is not Source.STREAM for sample in published.samples])
    times = np.diff(published.instants) / SECOND
    within = (np.diff(motions) == 0) & held[1:] & held[:-1] & (times > 0.0)
    steps = np.diff(jet[:, 0], axis=0)
    if scenario.turns:  # whole ones lead to where the points of a trajectory count from
        steps[:, 0] -= 2.0 * np.pi * np.rint(steps[:, 0] / (2.0 * np.pi))
    steps = np.abs(steps)[within]
    # a speed above 1 may exceed the limit between two samples within it
    reach = scenario.fastest * STEP * SPEED * times[within, None]
    assert (steps <= reach + TOUCH).all(), 'step'
    for count, motion in scenario.stops:
        if count < len(motions):
            assert motions[count] != motion, 'a stopped motion resumes'
            assert np.abs(jet[count, 1]).max() <= RESTING, 'it begins in motion'


def check_motors(scenario):
    """Check the motors of the samples."""
    if not scenario.motors:
        return
    limits = motor_limits(scenario.core.robot)
    jets, efforts, deflections, _ = zip(*scenario.motors, strict=True)
    assert (np.abs([jet[1] for jet in jets]) <= limits['motor velocity'] * SLACK).all()
    assert (np.abs([effort[0] for effort in efforts]) <= limits['motor effort'] * SLACK).all()
    assert (np.abs(deflections) <= limits['deflection'] * SLACK).all()


def check_verdicts(scenario):
    """Check that everything that was asked for was answered, and nothing is kept."""
    core = scenario.core
    asked = scenario.trajectories
    if not scenario.number:
        assert len(scenario.verdicts) == asked, 'verdicts'
    assert len(scenario.verdicts) >= asked
    assert set(scenario.ended) == set(range(1, scenario.number + 1)), 'goals'
    assert len(set(scenario.numbers)) == len(scenario.numbers), 'sent twice'
    assert set(scenario.canceled) <= set(scenario.numbers)
    assert not core.queue.pending and not core.goals.live and core.followed.empty
    assert scenario.kept <= PLENTY and not scenario.left, 'kept'


def check_commands(scenario):
    """Check what `DriveCommands` has sent."""
    drives = scenario.drives
    if drives is None:
        return
    # between samples a filter, a speed above 1, and springs under a new wrench may be too fast
    kinds = 'stream', 'positions', *(('wrench',) if drives.mode == 'motors' else ())
    planned = isinstance(scenario, Scenario) and scenario.fastest <= 1.0
    planned = planned and not any(map(scenario.counts.get, kinds))
    if planned and not drives.intruded:
        needless = ('limit exceeded' in line and 'step of the' in line for line in drives.lines)
        assert not any(needless), 'needless stop'
    efforts, speeds, room = np.full(2, scenario.effort), np.full(2, SPEED), 0.0
    if drives.mode == 'motors':
        limits, room = motor_limits(drives.robot), DEFLECTION
        efforts, speeds = limits['motor effort'], limits['motor velocity']
    for number, stopped, new, pace, near in drives.began:
        assert near, 'commands begin away from the robot'
        assert number != stopped, 'commands of a stopped motion begin again'
        assert pace <= (0.02 if new else 1e-3) * speeds.min() * SLACK, 'commands begin in motion'
    if not drives.commands:
        return
    times, instants, begins, numbers, added, rows = zip(*drives.commands, strict=True)
    rows, begins, added = np.array(rows), np.array(begins), np.array(added)
    assert np.isfinite(rows).all()
    fields = dict(zip(drives.settings.fields, rows.transpose(1, 0, 2), strict=True))
    passed = 1e-9 * np.diff(np.array(times, dtype=np.int64))
    known = [0 if instant is None else instant for instant in instants]
    both = np.array([i is not None for i in instants])
    sampled = np.where(both[1:] & both[:-1], 1e-9 * np.diff(np.array(known, dtype=np.int64)), 0.0)
    passed = np.maximum(passed, sampled)[:, None]
    if drives.mode == 'servo':
        speeds, room = np.full(2, np.inf), SERVO_LIMIT
    if 'effort' in fields:
        full = fields['effort'] + added
        assert (np.abs(full[both]) <= efforts * SLACK).all(), 'effort'
        # where commands end they shrink; what the robot adds is its own
        sizes = np.abs(fields['effort'])
        # a step may have taken a last sample and the end together
        ends = ~both[1:] & ~both[:-1]
        assert (np.diff(sizes, axis=0)[ends] <= TOUCH).all(), 'efforts grow where they end'
    if 'velocity' in fields:
        assert (np.abs(fields['velocity']) <= speeds * SLACK).all(), 'velocity'
    if 'position' in fields:
        lower, upper = bounds(scenario)
        assert (fields['position'] <= upper + room + TOUCH).all(), 'position'
        assert (fields['position'] >= lower - room - TOUCH).all(), 'position'
        moves = np.abs(np.diff(fields['position'], axis=0))
        moves[begins[1:]] = 0.0
        if drives.mode != 'servo':
            assert (moves <= STEP * speeds * passed + TOUCH).all(), 'step'
    if 'effort' in fields and rated(scenario) and drives.mode != 'motors':
        driving = (both[1:] & both[:-1])[:, None]  # limits count what the robot adds
        alone = np.abs(np.diff(fields['effort'], axis=0))
        changes = np.where(driving, np.abs(np.diff(full, axis=0)), alone)
        # a motion elsewhere may begin at once where positions are not sent
        changes = np.where(np.diff(numbers)[:, None] != 0, np.minimum(changes, alone), changes)
        assert (changes <= STEP * RATE * passed + 1e-9).all(), 'effort rate'


def check_carried(scenario):
    """Check what `Compensation` has published."""
    samples = scenario.samples
    assert not scenario.outlasted, 'published after a stop'
    if samples:
        efforts = np.array([sample.efforts[0] for sample in samples])
        assert (np.abs(efforts) <= scenario.effort * SLACK).all(), 'effort'
        motions = np.array([sample.motion for sample in samples])
        assert (np.diff(motions) >= 0).all(), 'numbers fall'


CHECKS = {
    Scenario: (check_samples, check_motors, check_verdicts, check_commands),
    CarriedScenario: (check_carried, check_commands),
}


def checked(kind, seed):
    """Play a scenario and check it; return it."""
    try:
        scenario = kind(seed).play()
        for check in CHECKS[kind]:
            check(scenario)
        if scenario.drives is not None and scenario.random() < 0.2:
            assert scenario.drives.end(scenario.now), 'commands do not end'
    except Exception as error:
        raise AssertionError(f'{kind.__name__}({seed}).play(): {error!r}') from error
    return scenario


def outcome(scenario):
    """Return all that a scenario has put out."""
    found = [repr(scenario.lines)]
    if isinstance(scenario, Scenario):
        published = scenario.published
        found += [published.jet.tobytes(), published.tau.tobytes()]
    else:
        found += [sample.efforts.tobytes() for sample in scenario.samples]
    if scenario.drives is not None:
        found += [command[-1].tobytes() for command in scenario.drives.commands]
        found += scenario.drives.lines
    return found


def summary(scenario):
    """Return the counts of a scenario."""
    counts = Counter({'scenarios': 1, **scenario.counts})
    if isinstance(scenario, Scenario):
        accepted = scenario.reasons.count('')
        counts += Counter({
            'samples': len(scenario.published),
            'samples of motors': len(scenario.motors),
            'stops': len(scenario.stops),
            'begins after a stop': len(scenario.resumptions),
            'trajectories accepted': accepted,
            'trajectories rejected': len(scenario.verdicts) - accepted,
            'goals': scenario.number,
            'goals sent': len(scenario.sent),
        })  # fmt: skip
    else:
        carried = {
            'scenarios of compensation': 1,
            'samples of compensation': len(scenario.samples),
        }
        counts += Counter({**carried, 'stops of compensation': scenario.stops})
    drives = scenario.drives
    if drives is not None:
        stops = sum('Commands stop' in line for line in drives.lines)
        counts += Counter({
            'scenarios with drives': 1,
            'commands': len(drives.commands),
            'begins of commands': len(drives.began),
            'stops of commands': stops,
        })  # fmt: skip
    return counts


def run(count, first):
    """Check many scenarios, one of five of `Compensation`, and return the counts of all."""
    counts = Counter()
    for seed in range(first, first + count):
        if seed > first and (seed - first) % 1000 == 0:
            print(f'{seed - first} of {count} scenarios', flush=True)
        kind = Scenario if seed % 5 else CarriedScenario
        scenario = checked(kind, seed)
        counts.update(summary(scenario))
        if seed % 64 < 2:
            assert outcome(checked(kind, seed)) == outcome(scenario), f'{kind}({seed}) differs'
    return counts


def test_a_portion():
    counts = run(150, 0)
    for kind in ('stops', 'begins after a stop', 'goals sent', 'begins of commands'):
        assert counts[kind], kind


@pytest.mark.long
def test_many():
    begin = time.process_time()
    count = int(os.environ.get('CORE_SCENARIOS', '20000'))
    counts = run(count, int(os.environ.get('CORE_SEED', '1000')))
    rate = count / (time.process_time() - begin)
    lines = [f'| {name} | {value} |' for name, value in counts.most_common()]
    print('\n' + '\n'.join([*lines, f'| scenarios a second | {rate:.0f} |']))
