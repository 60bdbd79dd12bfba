# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Goals that are sent to a node in front of the controller `ActionController`.

Those that shall succeed take three seconds or more: the controller rejects what arrives after its
end, and a busy machine may take a second to deliver it.
"""

from __future__ import annotations

from control_msgs.action import FollowJointTrajectory

OWN = '/feedforward/follow_joint_trajectory'
CONTROLLER = '/arm/follow_joint_trajectory'
INVALID = FollowJointTrajectory.Result.INVALID_GOAL
FAR = [0.8, -0.6]
LONG = 190.0  # s, of a motion that nobody waits for; the node takes up to 200


def run(ros, process, client, goal):
    """Send a goal, when the node has found the controller, and return its record at its end."""
    sent = begin(ros, process, client, goal)
    ros.wait_for('the end of the goal', lambda: sent.over, process)
    return sent


def begin(ros, process, client, goal, controller=None):
    """
    Send a goal that is accepted or rejected; again while controller or state are unknown.

    And again if the answer of the controller is lost: its end for the node may match later. Of
    all goals that the controller, if given, has received, the last one is kept.
    """
    unknown = 'no server of the action', 'no state to start from is known', 'no answer from'

    def answered():
        nonlocal sent
        if sent.end and any(text in sent.result.error_string for text in unknown):
            sent = client.send(goal)
        return sent.over or (sent.handle and sent.feedback)

    ros.wait_for('the action', client.client.server_is_ready, process)
    ros.wait_until_heard()
    sent = client.send(goal)
    ros.wait_for('the first feedback or the end', answered, process)
    if controller is not None:
        del controller.received[:-1]
    return sent
