# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Inputs, outputs and tasks of the cores: records, for files and another process."""

import pickle

import pytest
from helpers.carried_scenarios import CarriedScenario
from helpers.core_scenarios import Scenario
from helpers.rig import Rig, perform

from screw_dynamics.control.trajectory_queue import FitTime
from screw_dynamics.trajectory.reference.reference import Source


def copied(record):
    return pickle.loads(pickle.dumps(record))


def record(core):
    """Let a core take copies of its inputs, as from a file, and its outputs be kept."""
    step = core.step

    def recorded(now, inputs=()):
        outputs = step(now, copied(list(inputs)))
        copied(outputs)
        return outputs

    core.step = recorded


@pytest.mark.parametrize('kind', [Scenario, CarriedScenario])
@pytest.mark.parametrize('seed', range(0, 60, 10))
def test_inputs_outputs_and_tasks_are_records(kind, seed):
    """Copies of them, made in time, lead to the same bytes."""
    plain, kept = kind(seed), kind(seed)
    plain.perform, kept.perform = perform, lambda task: copied(perform(copied(task)))
    for scenario in (kept, kept.drives):
        if scenario is not None:
            record(scenario.core)
    outcomes = []
    for scenario in (plain.play(), kept.play()):
        drives = scenario.drives
        commands = [] if drives is None else [command[-1].tobytes() for command in drives.commands]
        if kind is Scenario:
            published = scenario.published
            sent = published.jet.tobytes(), published.tau.tobytes()
        else:
            sent = [sample.efforts.tobytes() for sample in scenario.samples]
        outcomes.append((sent, commands, scenario.lines))
    assert outcomes[0] == outcomes[1]


def test_one_trajectory_takes_one_trip(arm):
    rig = Rig(arm)
    tasks = []
    rig.perform = lambda task: tasks.append(task) or perform(task)
    rig.send((0.0, [0.0, 0.0]), (1.0, [0.2, 0.1]))
    rig.run(0.5)
    rig.send((1.0, [0.1, 0.0]))  # in motion
    rig.run(0.5)
    assert rig.reasons == ['', '']
    assert len(tasks) == 2


def test_a_fit_is_repeated_three_times_at_most(arm):
    """Each is expected to take twice as long as the one before."""
    rig = Rig(arm, limits='off', publish_rate=5.0)
    rig.send((0.0, [0.0, 0.0]), (900.0, [0.2, 0.1]))
    rig.run(1.0)
    tasks = []
    rig.perform = lambda task: tasks.append(task) or perform(task)
    times = iter([1.0, 8.0, 64.0, 300.0])
    rig._fit_time = lambda: next(times)
    rig.send(*((2.0 * k, [0.0, 0.1 * (k % 2)]) for k in range(300)))
    rig.run(400.0)
    assert rig.reasons[1].startswith('given up after 4 fits: its fit was ready too late')
    assert [task.late for task in tasks] == [0, 1, 2, 3]
    assert rig.published.samples[-1].source == Source.TRAJECTORY  # the motion before


def test_a_long_fit_decays_and_a_short_one_does_not_count_for_many_bytes():
    time, many = FitTime(0.02, 1e-6), 10**6
    before = time.estimate(many)
    time.learn(10, 2.0)
    assert time.estimate(10) == pytest.approx(3.0e9, rel=1e-3)
    assert time.estimate(many) - before == pytest.approx(2.97e9, rel=1e-3)
    for seconds in (-1.0, 1e3):  # a jump of the clock is no fit
        time.learn(10, seconds)
    assert time.estimate(10) == pytest.approx(3.0e9, rel=1e-3)
    for _ in range(20):
        time.learn(10, 0.02)
    assert time.estimate(many) == pytest.approx(before, rel=1e-3)
