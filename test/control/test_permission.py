# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands are enabled by ~/enable, and by a topic of the robot where there is one."""

import pytest
from helpers.drive_rig import MIT, STOOD, Rig

from screw_dynamics.control.drive_records import State
from screw_dynamics.control.inputs import Enable
from screw_dynamics.control.permission import Permission
from screw_dynamics.errors import InputError


def test_without_a_topic_the_service_alone_decides():
    permission = Permission()
    assert permission.granted
    assert permission.ask(False) == Enable(False, '~/enable is false')
    assert not permission.granted
    assert permission.ask(True).wanted and permission.granted


@pytest.mark.parametrize('asked', [True, False])
def test_nothing_is_sent_before_the_topic_is_true(asked):
    permission = Permission('/safe')
    assert not permission.granted
    with pytest.raises(InputError, match='expected true on the safety topic /safe, got false or'):
        permission.ask(True)
    if not asked:
        permission.ask(False)
    assert permission.hear(True).wanted == permission.granted == asked


@pytest.mark.parametrize(
    'unsafe, reason',
    [
        (lambda permission: permission.hear(False), '/safe is false'),
        (Permission.lost, '/safe has no publisher'),
    ],
)
def test_once_it_was_not_safe_both_are_needed(unsafe, reason):
    permission = Permission('/safe')
    permission.hear(True)
    assert unsafe(permission) == Enable(False, reason)
    with pytest.raises(InputError):
        permission.ask(True)
    assert not permission.hear(True).wanted
    assert permission.ask(True).wanted and permission.granted


def test_disabled_leads_out_and_keeps_from_beginning(arm):
    rig = Rig(arm, **MIT).standing()
    rig.step(Enable(False, '~/enable is false'))
    rig.hold(STOOD, 0.4)
    assert rig.core.state is State.SILENT and not rig.outputs.condition.enabled
    assert rig.outputs.condition.reason == '~/enable is false'
    rig.step(Enable(True, ''))
    assert rig.hold(STOOD, 0.1)[-1] is not None


def test_enabling_with_efforts_alone_needs_another_motion(arm):
    """Nobody knows where the robot has gone meanwhile."""
    rig = Rig(arm).holding()
    rig.step(Enable(False, '~/enable is false'))
    rig.hold(STOOD, 0.4)
    rig.step(Enable(True, ''))
    assert rig.hold(STOOD, 0.1)[-1] is None
    rig.motion += 1
    assert rig.hold(STOOD, 0.1)[-1] is not None
