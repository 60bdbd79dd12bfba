# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node load_observer over DDS: loads, contacts, a simulated robot."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from helpers.planar_sea import write_joints
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64MultiArray

import screw_dynamics as sd
from screw_dynamics.common.times import SECOND, nanoseconds, set_stamp
from screw_dynamics.nodes.shared.endpoints import LATCHED

MS = 10**6
BEGIN = 1_700_000_000 * SECOND
Q = np.array([0.3, 0.9, -0.5, 1.2, 0.4, -0.6, 0.2])
WRENCH = np.array([0.5, -1.0, 0.3, 20.0, -30.0, 15.0])
FREE = np.zeros(7)


class Observed:
    """A running observer, the joint states that it hears, and what it publishes."""

    def __init__(self, ros, urdf):
        self.ros, self.topic = ros, '/pushed/load_observer'
        self.model, self.instant = sd.read_urdf(urdf), BEGIN
        self.efforts = ros.listen(JointState, f'{self.topic}/external_effort')
        self.wrenches = ros.listen(WrenchStamped, f'{self.topic}/estimated_wrench')
        self.flags = ros.listen(Bool, f'{self.topic}/contact', LATCHED)
        self.reports = ros.listen(DiagnosticArray, '/diagnostics')
        self.process = ros.start(
            'load_observer',
            namespace='/pushed',
            urdf_path=urdf,
            wrench__frame='flange',
            diagnostic_updater__period=0.1,
            contact__floor=[0.5],
            bandwidth=[100.0],
            # samples that are lost while a busy node stands still must not let it begin anew
            timeout=3600.0,
        )
        self.wait('the model', lambda: 'Observing 7 joints' in self.process.log)

    def wait(self, what, condition):
        return self.ros.wait_for(what, condition, self.process)

    def hear(self, load, condition):
        """Publish samples at rest under external efforts, 5 ms apart, until a condition holds."""
        message = JointState(name=list(self.model.joint_names[::-1]))
        message.position, message.velocity = Q[::-1].tolist(), [0.0] * 7
        message.effort = (sd.gravity_forces(self.model, Q) - load)[::-1].tolist()

        def sent():
            self.instant += 5 * MS
            set_stamp(message.header.stamp, self.instant)
            self.ros.publish(message, '/pushed/joint_states')
            return condition()

        return self.wait('an answer', sent)

    def report(self):
        """Return the values of the latest report on the observer."""
        for message in reversed(self.reports):
            for status in message.status:
                if status.name.endswith('load_observer: observer'):
                    return {v.key: v.value for v in status.values}
        return {}


def test_loads_and_contacts_of_a_push(ros):
    node = Observed(ros, sd.share_path('urdf/iiwa14.urdf'))
    node.hear(FREE, lambda: node.efforts and node.flags)
    assert not node.flags[-1].data
    push = sd.frame_jacobian(node.model, Q, 'flange').T @ WRENCH

    def pushed():
        return node.flags[-1].data and abs(np.array(node.efforts[-1].effort) - push).max() < 1e-5

    node.hear(push, pushed)
    effort = node.efforts[-1]
    assert list(effort.name) == list(node.model.joint_names)
    assert BEGIN < nanoseconds(effort.header.stamp) <= node.instant
    assert (nanoseconds(effort.header.stamp) - BEGIN) % (5 * MS) == 0
    # the wrench of an instant at which the efforts have arrived at those of the push
    arrived = nanoseconds(effort.header.stamp)
    node.hear(
        push, lambda: node.wrenches and nanoseconds(node.wrenches[-1].header.stamp) >= arrived
    )
    wrench = node.wrenches[-1]
    assert wrench.header.frame_id == 'flange'
    torque, force = wrench.wrench.torque, wrench.wrench.force
    found = [torque.x, torque.y, torque.z, force.x, force.y, force.z]
    np.testing.assert_allclose(found, WRENCH, atol=1e-3)
    node.hear(FREE, lambda: not node.flags[-1].data)
    # published when it changes only
    assert [flag.data for flag in node.flags] == [False, True, False]
    assert 'Contact begins on link_' in node.process.log
    node.wait('the end', lambda: 'ended: strongest on link_7: ' in node.process.log)

    def reported():
        # a report of the first instants of the push may name another link and more than is lasting
        return node.report().get('last contact', '').startswith('link_7: ')

    node.wait('a report', reported)
    assert node.report()['contacts'] == '1'
    assert node.process.interrupt() == 0, node.process.log
    assert 'Traceback' not in node.process.log


@pytest.mark.long
@pytest.mark.parametrize('source', ['joint_states', 'motor_states'])
def test_a_simulated_arm_that_swings_freely_has_no_load(ros, planar, tmp_path, source):
    """Motors, springs and their dampers, friction and rotors are those of the simulation."""
    name = f'swinging_{source}'
    joints = write_joints(tmp_path)
    common = {'namespace': f'/{name}', 'urdf_path': planar, 'drives_path': joints}
    efforts = ros.listen(JointState, f'/{name}/load_observer/external_effort')
    states = ros.listen(JointState, f'/{name}/joint_states')
    # on a busy machine states are left out: the observer then begins anew
    observer = ros.start(
        'load_observer', bandwidth=[20.0], effort_source=source, timeout=0.006, **common
    )
    simulator = ros.start(
        'sea_simulator', initial_position=[-1.2, 0.5], rate=500.0, effort_timeout=0.0, **common
    )
    ros.wait_for('a load', lambda: efforts and states, observer)
    rest = np.array(states[-1].effort)
    ros.publish(
        Float64MultiArray(data=(rest + [3.0, -1.0]).tolist()), f'/{name}/sea_simulator/commands'
    )
    ros.wait_for('motion', lambda: abs(states[-1].velocity[0]) > 0.3, simulator)
    begin = nanoseconds(states[-1].header.stamp)

    def later():
        # an observer that has begun anew has no load yet
        half_a_second = nanoseconds(efforts[-1].header.stamp) > begin + SECOND // 2
        return half_a_second and any(np.any(message.effort) for message in efforts)

    ros.wait_for('half a second, and a load that is not 0', later, observer)
    found = np.array([message.effort for message in efforts])
    size = max(abs(np.array(message.effort)).max() for message in states)
    assert abs(found).max() < 0.02 * size
    for process in (observer, simulator):
        assert process.interrupt() == 0, process.log
