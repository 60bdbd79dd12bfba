# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node `drive_commands` over DDS: samples in, commands out, and its end."""

import numpy as np
from helpers.drive_rig import Rig, rest
from helpers.node_processes import keep_all
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64MultiArray
from std_srvs.srv import SetBool

import screw_dynamics as sd
from screw_dynamics.control.drive_records import State
from screw_dynamics.nodes.drive_commands import DriveCommandsNode
from screw_dynamics.nodes.shared.sample_output import FeedforwardOutput
from screw_dynamics.recordings.messages.feedforward import Course
from screw_dynamics.recordings.messages.joints import double_array
from screw_dynamics_interfaces.msg import FeedforwardTorque

STOOD = np.array([0.3, 0.2])
NAMES = ['joint_1', 'joint_2']


def test_the_first_sample_of_all_begins_by_states_before_it(ros, planar):
    """Commands waited for joint_states once they had names: a fast first motion was missed."""
    rig = Rig(sd.read_urdf(planar))
    jet = rest(STOOD)
    jet[1] = 0.1  # too fast for a later begin
    settings = {'fields': ['position'], 'input_timeout': 10.0}  # however busy the machine is
    with ros.made(DriveCommandsNode, urdf_path=planar, **settings) as node:
        now = node.get_clock().now()
        measured = JointState(name=NAMES, position=double_array(STOOD))
        measured.header.stamp = now.to_msg()
        node._on_states(measured)
        node._source.finish()
        output = FeedforwardOutput(node, NAMES)
        output._publisher.publish = node._on_feedforward
        output.publish(rig.sample(jet)._replace(instant=now.nanoseconds))
        assert node._core.state is State.DRIVING
        output.end(rig.sample(jet)._replace(state=Course.STOPPED, reason='a limit'))
        core = node._core
        for k in range(200):
            core.step(now.nanoseconds + k * 10**7)
        assert core.state is State.SILENT
        for names in ([], ['elbow']):  # are refused, and change nothing
            zeros = double_array(np.zeros(len(names)))
            other = FeedforwardTorque(joint_names=names, effort=zeros)
            other.reference.positions = other.reference.velocities = zeros
            node._on_feedforward(other)
            assert node._core is core and 'joint_names: ' in node._problem


def test_the_safety_topic_and_the_service_enable(ros, planar):
    parameters = {'urdf_path': planar, 'safety_topic': '/safe', 'fields': ['position']}
    with ros.made(DriveCommandsNode, **parameters) as node:
        assert '/safe' in [one.topic_name for one in node._inputs]
        told, publishers = [], 1
        node._condition.publish = told.append
        node.count_publishers = lambda topic: publishers

        def asked(wanted):
            return node._on_enable(SetBool.Request(data=wanted), SetBool.Response())

        node._tell(repeated=True)
        assert not told[-1].enabled
        refused = asked(True)
        assert not refused.success
        assert refused.message == 'expected true on the safety topic /safe, got false or nothing'
        node._on_safety(Bool(data=True))
        assert told[-1].enabled and told[-1].positions
        node._look_for_safety()
        assert told[-1].enabled and len(told) == 2  # told when it changes only
        publishers = 0
        node._look_for_safety()
        assert not told[-1].enabled
        node._on_safety(Bool(data=True))
        assert asked(True).success and told[-1].enabled
        node._source.finish()
        node._begin(tuple(NAMES), None)
        assert node._core.enabled
        node._on_safety(Bool(data=False))
        assert not node._core.enabled and not told[-1].enabled


def test_samples_in_commands_out(ros, planar):
    rig, topic = Rig(sd.read_urdf(planar)), '/feedforward/feedforward'
    process = ros.start(
        'drive_commands',
        urdf_path=planar,
        fields=['position', 'effort'],
        topics='apart',
        effort_scale=[2.0, -1.0],
        # however busy the machine is
        input_timeout=10.0,
        publish_joint_state=True,
        **keep_all('/drive_commands', 'commands', 'position_commands'),
    )
    efforts = ros.listen(Float64MultiArray, '/drive_commands/commands')
    positions = ros.listen(Float64MultiArray, '/drive_commands/position_commands')
    states = ros.listen(JointState, '/drive_commands/joint_commands')
    others = [
        ros.node.create_publisher(Float64MultiArray, '/drive_commands/commands', 10),
        ros.node.create_publisher(FeedforwardTorque, topic, 10),
    ]
    ros.wait_for('the model', lambda: 'Ready: listens on' in process.log, process)
    sample = rig.sample(rest(STOOD))
    message = FeedforwardTorque(
        joint_names=NAMES,
        effort=double_array(sample.efforts[0]),
        effort_dot=double_array(sample.efforts[1]),
        gravity_effort=double_array(sample.gravity),
        source=FeedforwardTorque.SOURCE_TRAJECTORY,
        motion=7,
    )
    for name, row in zip(('positions', 'velocities', 'accelerations'), sample.jet, strict=False):
        setattr(message.reference, name, double_array(row))
    expected = sample.efforts[0] * [2.0, -1.0]

    def held():
        stamp = ros.node.get_clock().now().to_msg()
        measured = JointState(name=NAMES, position=double_array(STOOD + [0.01, 0.0]))
        measured.header.stamp = message.header.stamp = stamp
        ros.publish(measured, '/joint_states')
        ros.publish(message, topic)
        return efforts and np.allclose(efforts[-1].data, expected, rtol=0.0, atol=1e-12)

    ros.wait_for('the efforts', held, process)
    np.testing.assert_allclose(positions[0].data, STOOD + [0.01, 0.0], rtol=0.0, atol=1e-12)
    np.testing.assert_array_equal(efforts[0].data, [0.0, 0.0])
    dims = [(dim.label, dim.size, dim.stride) for dim in efforts[-1].layout.dim]
    assert dims == [('joints', 2, 2)]
    ros.wait_for('the state', lambda: states, process)
    assert states[-1].name == NAMES
    for warned in ('drive_commands/commands', topic):
        ros.wait_for(
            'others', lambda text=f'{warned} has 2 publishers': text in process.log, process
        )
    assert process.interrupt() == 0, process.log
    ros.wait_for('the end of the ramp', lambda: not any(efforts[-1].data))
    assert 'Traceback' not in process.log
    for other in others:
        ros.node.destroy_publisher(other)
