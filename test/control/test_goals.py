# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Goals through the core, to a controller that answers late, rejects, stops or is gone."""

import numpy as np
import pytest
from helpers.rig import BEGIN, Client, free, trajectory_message

import screw_dynamics as sd
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.goals import goal_refusal
from screw_dynamics.control.inputs import ControllerSeen, GoalCanceled, GoalEnded, Stop


@pytest.fixture(scope='module')
def arm(arm):
    return free(arm)


MOVE = (0.0, [0.0, 0.0]), (1.0, [0.5, 0.0])


def executing(arm, seconds=0.3, **options):
    """Return a client whose goal has been executed for a time."""
    rig = Client(arm, **options)
    rig.goal(1, *MOVE)
    rig.run(seconds)
    return rig


def test_a_goal_is_sent_with_efforts_when_its_motion_begins(arm):
    rig = Client(arm)
    rig.joint_states([0.1, 0.2])
    rig.goal(1, (1.0, [0.5, 0.0]))
    rig.run(0.5)
    ((number, samples, stamp),) = rig.sent
    assert number == 1
    np.testing.assert_allclose(
        samples.efforts, sd.inverse_dynamics(arm, samples.jets)[:, 0], rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(samples.jets[0, 0], [0.1, 0.2])
    # the motion of the node begins at the stamp of the controller's goal
    first = rig.published.instants[np.abs(rig.published.jet[:, 0] - [0.1, 0.2]).max(axis=1) > 0]
    assert 0 <= first[0] - stamp < 3 * rig.period
    rig.step(GoalEnded(1, 'succeed', violated=False))
    assert rig.ended == {1: ('succeed', '')}


def test_a_goal_in_motion_joins_without_a_step(arm):
    rig = executing(arm, 0.5)
    rig.goal(2, (1.0, [-0.5, 0.3]))
    rig.run(1.5)
    assert rig.numbers == [1, 2]
    jets = rig.published.jet
    steps = np.diff(jets[:, 0], axis=0) - rig.period / SECOND * jets[:-1, 1]
    assert np.abs(steps).max() < (rig.period / SECOND) ** 2 * np.abs(jets[:, 2]).max()
    assert list(jets[-1, 0]) == [-0.5, 0.3]


def test_a_controller_that_rejects_ends_the_goal_and_the_motion(arm):
    rig = Client(arm)
    rig.accepts = False
    rig.goal(1, *MOVE)
    rig.run(0.5)
    event, reason = rig.ended[1]
    assert event == 'abort'
    assert 'has rejected the goal' in reason
    assert rig.core.followed.empty


def test_without_a_controller_a_goal_is_aborted_at_once(arm):
    rig = Client(arm, ready=False)
    rig.goal(1, *MOVE)
    assert 'no server of the action' in rig.ended[1][1]


def test_a_controller_that_goes_while_it_executes_ends_the_goal(arm):
    rig = executing(arm)
    rig.step(ControllerSeen(ready=False))
    assert rig.ended[1][0] == 'abort'
    assert rig.core.followed.empty


def test_a_goal_without_an_answer_is_canceled_after_5_s(arm):
    rig = Client(arm)
    rig.answers = False
    rig.goal(1, (0.0, [0.0, 0.0]), (9.0, [0.5, 0.0]))
    rig.run(0.3)
    for _ in range(50):
        rig.step(ControllerSeen(ready=True))
    assert not rig.ended
    rig.step(ControllerSeen(ready=True))
    assert 'no answer' in rig.ended[1][1]
    assert rig.canceled == [1]


def test_a_late_answer_to_an_ended_goal_is_canceled(arm):
    rig = executing(arm, 0.2, latency=0.4)
    rig.step(Stop('the node is not active any more'))
    assert rig.ended[1] == ('abort', 'the node is not active any more')
    assert rig.canceled == [1]
    rig.run(0.5)
    assert rig.canceled == [1, 1]


def test_cancel_before_it_is_sent(arm):
    rig = Client(arm, fit_time=0.1)
    rig.goal(1, *MOVE)
    rig.step(GoalCanceled(1))
    rig.run(0.5)
    assert rig.ended[1][0] == 'canceled'
    assert not rig.sent
    assert not len(rig.published)


def test_cancel_while_it_is_executed(arm):
    rig = executing(arm, hold_after_stop=True)
    rig.step(GoalCanceled(1))
    assert rig.canceled == [1]
    assert not rig.ended
    rig.step(GoalEnded(1, 'canceled', violated=False))
    assert rig.ended == {1: ('canceled', '')}
    assert rig.core.followed.empty
    # the controller comes to rest, and gets the effort of that position
    rig.see([0.1, 0.0], [0.2, 0.1], names=('joint_2', 'joint_1'))
    assert not rig.held
    rig.see([0.2, 0.1], [0.2, 0.1], names=('joint_2', 'joint_1'))
    (samples,) = rig.held
    np.testing.assert_array_equal(samples.jets, [[[0.1, 0.2], [0.0, 0.0], [0.0, 0.0]]])
    np.testing.assert_allclose(samples.efforts, sd.gravity_forces(arm, [[0.1, 0.2]]), atol=1e-12)


@pytest.mark.parametrize('what', ['follows a trajectory', 'has another goal', 'moves on'])
def test_a_stopped_controller_that_is_moved_is_not_held(arm, what):
    rig = executing(arm, hold_after_stop=True)
    rig.step(GoalEnded(1, 'abort', violated=True))
    if what == 'follows a trajectory':
        rig.send((0.0, [0.1, 0.0]), (1.0, [0.5, 0.0]))
        rig.run(0.1)
    elif what == 'has another goal':
        rig.joint_states([0.1, 0.0])
        rig.goal(2, (1.0, [0.5, 0.0]))
    else:
        rig.see([0.1, 0.0], [0.2, 0.0])
        rig.now += 5 * SECOND
    rig.see([0.1, 0.0], [0.1, 0.0], [0.1, 0.0])
    assert not rig.held
    assert ('has not come to rest within 5 s' in '\n'.join(rig.lines)) == (what == 'moves on')


def test_a_violated_tolerance_stops_the_motion_and_holds(arm):
    rig = executing(arm, hold_after_stop=True)
    rig.step(GoalEnded(1, 'abort', violated=True))
    assert rig.ended == {1: ('abort', '')}
    rig.see([0.1, 0.0], [0.1, 0.0])
    assert rig.held
    assert rig.core.followed.empty


@pytest.mark.parametrize(
    ('event', 'text'), [('canceled', 'canceled by another client'), ('unknown', 'not known')]
)
def test_ends_that_nobody_asked_for(arm, event, text):
    rig = executing(arm)
    rig.step(GoalEnded(1, event, violated=False))
    assert rig.ended[1][0] == 'abort'
    assert text in rig.ended[1][1]


def test_a_newer_goal_preempts_one_that_is_being_fitted(arm):
    rig = executing(arm, 0.05, fit_time=0.1)
    rig.goal(2, (0.0, [0.0, 0.0]), (1.0, [0.2, 0.0]))
    rig.run(1.5)
    assert rig.ended[1] == ('abort', 'preempted by a newer goal before it was sent')
    assert rig.numbers == [2]
    assert rig.published.jet[-1, 0, 0] == 0.2


def test_a_goal_preempts_one_that_waits_behind_an_equal_trajectory(arm):
    """What waits is told apart by identity: equal messages hold arrays, which have no ==."""
    rig = Client(arm, fit_time=0.1)
    points = (1.0, [0.5, 0.0]), (2.0, [0.0, 0.3])
    rig.goal(1, (0.0, [0.0, 0.0]), (3.0, [0.5, 0.2]))
    rig.run(0.5)
    rig.send(*points)  # is fitted
    rig.send(*points)
    rig.goal(2, *points)
    rig.goal(3, *points)
    rig.run(3.0)
    assert rig.ended[2][0] == 'abort' and 'preempted by a newer goal' in rig.ended[2][1]
    assert list(rig.published.jet[-1, 0]) == [0.0, 0.3]


def test_a_preempted_goal_leaves_the_motion_of_the_newer_one(arm):
    rig = executing(arm, 0.4)
    rig.goal(2, (1.0, [-0.2, 0.0]))
    rig.run(0.3)
    rig.step(GoalEnded(1, 'abort', violated=False))
    rig.run(1.5)
    assert rig.published.jet[-1, 0, 0] == -0.2
    assert 2 not in rig.ended


def test_an_infeasible_goal_is_aborted_with_the_reason_and_the_motion_goes_on(arm):
    rig = executing(arm)
    rig.goal(2, (0.00001, [0.9, 0.0]), (0.00002, [0.9, 0.0]))
    rig.run(1.0)
    assert rig.ended[2][0] == 'abort'
    assert rig.verdicts[-1].reason == rig.ended[2][1]
    assert rig.published.jet[-1, 0, 0] == 0.5


def test_a_joint_left_out_of_a_goal_goes_on(arm):
    rig = Client(arm, allow_partial_joints=True)
    rig.goal(1, (0.0, [0.0, 0.0]), (2.0, [0.5, 0.3]))
    rig.run(0.5)
    rig.goal(2, (1.0, [-0.2]), names=['joint_2'])
    rig.run(2.5)
    assert list(rig.published.jet[-1, 0]) == [0.5, -0.2]
    samples = rig.sent[-1][1]
    assert samples.joint_names == arm.joint_names
    np.testing.assert_allclose(samples.jets[-1, 0], [0.5, -0.2])


def refusal(points, names=('joint_1', 'joint_2'), stamp=0, **parameters):
    message = trajectory_message(names, points, stamp)
    names = ('joint_1', 'joint_2')
    return goal_refusal(message, names, FeedforwardParameters(**parameters), BEGIN)


REST = [0.0, 0.0]


@pytest.mark.parametrize(
    ('points', 'more', 'text'),
    [
        ([(1.0, REST)], {}, ''),
        ([(1.0, REST)], {'stamp': BEGIN - SECOND}, ''),  # ends now, as the controller accepts
        ([(1.0, REST)], {'stamp': BEGIN - SECOND - 1}, 'ends in the past'),
        ([], {}, 'at least one'),
        ([(1.0, [0.0])], {'names': ['joint_1']}, 'joint_names'),
        ([(1.0, [0.0])], {'names': ['joint_1'], 'allow_partial_joints': True}, ''),
        ([(1.0, REST)], {'names': ['joint_1', 'x']}, "'x'"),
        ([(1.0, REST, [0.1, 0.0])], {}, 'expected 0 at the end'),
        ([(1.0, REST, [0.1, 0.0])], {'allow_nonzero_velocity_at_end': True}, ''),
    ],
)
def test_goals_are_accepted_by_the_rules_of_the_controller(points, more, text):
    got = refusal(points, **more)
    assert text in got
    assert bool(got) == bool(text)
