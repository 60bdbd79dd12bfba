# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What senders, the log and the reports are told of trajectories."""

import pytest

from screw_dynamics.common.times import SECOND
from screw_dynamics.control.outputs import Verdict
from screw_dynamics.control.report import ERROR, OK, WARN, Line
from screw_dynamics.control.tasks import Header, Summary
from screw_dynamics.control.verdicts import Verdicts

NOW = 1000 * SECOND
SERVO = 'Trajectories of one point are replaced before it is reached'


def accepted(start=NOW, end=NOW + 2 * SECOND, points=3, warnings=()):
    return Verdict(Summary(5, 'mine', ('joint_1',), points, 0.0, 2.0), '', warnings, start, end)


@pytest.mark.parametrize(
    'wait, text', [(0, ''), (SECOND // 20, ''), (SECOND // 10, ', which starts in 0.1 s')]
)
def test_an_accepted_one_is_told_by_header_and_times(wait, text):
    status, lines = Verdicts().tell(accepted(NOW + wait, NOW + wait + 2 * SECOND), NOW)
    line = 'Following a trajectory of 3 points and 2 s' + text
    assert lines == [Line('info', line, 'verdict')]
    assert (status.level, status.message) == (OK, 'accepted')
    start, end = (f'{1000 + s}.{wait:09d}' for s in (0, 2))
    named = {'header.frame_id': 'mine', 'header.stamp [s]': '0.000000005', 'points': 3}
    assert status.values == {**named, 'start [s]': start, 'end [s]': end}


def test_warnings_are_part_of_the_status_and_logged_each_time():
    status, lines = Verdicts().tell(accepted(warnings=('late', 'slow')), NOW)
    assert (status.level, status.message) == (WARN, 'accepted; late; slow')
    assert lines[1:] == [Line('warning', 'late'), Line('warning', 'slow')]


@pytest.mark.parametrize('wait, warned', [(60, False), (61, True)])
def test_a_start_far_ahead_may_be_of_another_clock(wait, warned):
    start = NOW + wait * SECOND
    status, lines = Verdicts().tell(accepted(start, start + SECOND), NOW)
    assert [line.text for line in lines[1:]] == [
        f'header.stamp: it starts in {wait} s, and the next one replaces it: is the stamp of '
        'another clock?'
    ] * warned
    assert status.level == OK


def test_rejections_are_told_and_counted():
    verdicts = Verdicts()
    assert verdicts.report(NOW) == (OK, 'ok', {'accepted': 0, 'rejected': 0, 'age [s]': 'never'})
    status, lines = verdicts.tell(Verdict(Header(5, 'mine'), 'bad'), NOW)
    assert (status.level, status.message) == (ERROR, 'bad')
    assert status.values == {'header.frame_id': 'mine', 'header.stamp [s]': '0.000000005'}
    assert lines == [Line('error', 'Trajectory rejected: bad', 'verdict')]
    assert verdicts.tell(Verdict(None, 'worse'), NOW)[0].values == {}
    verdicts.tell(accepted(), NOW)
    times = {'age [s]': '0.500', 'start [s]': '1000.000', 'end [s]': '1002.000'}
    values = {'accepted': 1, 'rejected': 2, **times}
    assert verdicts.report(NOW + SECOND // 2) == (OK, 'last rejection: worse', values)


def test_single_points_that_are_replaced_on_their_way_are_warned_of_once_a_minute():
    verdicts = Verdicts()

    def warned(now, points=1):
        _, lines = verdicts.tell(accepted(now, now + SECOND, points), now)
        return any(line.text.startswith(SERVO) for line in lines)

    period = SECOND // 10
    assert [warned(NOW + k * period) for k in range(700)].count(True) == 2
    assert [k for k in range(5) if warned(NOW + (1000 + k) * period)] == []
    assert [k for k in range(6) if warned(NOW + (2000 + k) * period)] == [4]
    for points, step in ((2, period), (1, SECOND)):
        later = NOW + 10000 * SECOND * points
        assert not any(warned(later + k * step, points) for k in range(20))
