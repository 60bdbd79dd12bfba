# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node `compensation`: messages in and out; what it decides is tested in test/control."""

import numpy as np
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

import screw_dynamics as sd
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']


def state(position, velocity):
    # in another order than that of the node, with a joint that it does not have
    return JointState(
        name=['tool', *NAMES[::-1]],
        position=[0.0, *position[::-1]],
        velocity=[0.0, *velocity[::-1]],
    )


def test_the_measured_state_is_carried(ros, planar):
    model = sd.read_urdf(planar)
    process = ros.start('compensation', urdf_path=planar, input_timeout=0.5)
    ros.wait_for('the model', lambda: 'Carries 2 joints' in process.log, process)
    samples = ros.listen(FeedforwardTorque, '/compensation/feedforward')
    efforts = ros.listen(JointState, '/compensation/joint_effort')
    position, velocity = [0.3, -0.2], [3.0, -2.0]

    def carried(expected):
        ros.publish(state(position, velocity), '/joint_states')
        return samples and np.allclose(samples[-1].effort, expected, rtol=1e-12, atol=1e-12)

    gravity = sd.gravity_forces(model, position)
    ros.wait_for('samples', lambda: carried(gravity) and efforts, process)
    sample = samples[-1]
    assert (sample.source, list(sample.joint_names)) == (sample.SOURCE_MEASURED, NAMES)
    assert list(sample.reference.positions) == position
    assert list(sample.reference.velocities) == velocity
    assert list(sample.gravity_effort) == list(sample.effort)
    assert list(efforts[-1].effort) == list(sample.effort)
    motion = sample.motion
    assert motion >= 1 and not len(sample.effort_dot)
    assert ros.set_parameter('/compensation', 'coriolis', True)[0]
    expected = sd.bias_forces(model, position, velocity)
    ros.wait_for('Coriolis efforts', lambda: carried(expected), process)
    # no state, no efforts; and a word about it
    ros.wait_for('the warning', lambda: 'no joint_states for 0.5 s' in process.log, process)
    samples.clear()
    # the sample that tells the end may come behind the warning, and has the same efforts
    ros.wait_for(
        'another motion', lambda: carried(expected) and samples[-1].motion > motion, process
    )
    answer = ros.call(Trigger, '/compensation/clear', Trigger.Request())
    assert (answer.success, answer.message) == (True, 'nothing was stopped')
    assert process.interrupt() == 0, process.log
