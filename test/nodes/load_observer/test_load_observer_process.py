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


def test_loads_and_contacts_of_a_push(ros):
    urdf, own = sd.share_path('urdf/iiwa14.urdf'), '/pushed/load_observer'
    model, instant = sd.read_urdf(urdf), BEGIN
    efforts = ros.listen(JointState, f'{own}/external_effort')
    wrenches = ros.listen(WrenchStamped, f'{own}/estimated_wrench')
    flags = ros.listen(Bool, f'{own}/contact', LATCHED)
    reports = ros.listen(DiagnosticArray, '/diagnostics')
    process = ros.start(
        'load_observer',
        namespace='/pushed',
        urdf_path=urdf,
        wrench__frame='flange',
        bandwidth=[100.0],
        # samples that are lost while a busy node stands still must not let it begin anew
        timeout=3600.0,
    )
    ros.wait_for('the model', lambda: 'Observing 7 joints' in process.log, process)

    def hear(load, condition):
        """Publish samples at rest under external efforts, 5 ms apart, until a condition holds."""
        message = JointState(name=list(model.joint_names[::-1]))
        message.position, message.velocity = Q[::-1].tolist(), [0.0] * 7
        message.effort = (sd.gravity_forces(model, Q) - load)[::-1].tolist()

        def sent():
            nonlocal instant
            instant += 5 * MS
            set_stamp(message.header.stamp, instant)
            ros.publish(message, '/pushed/joint_states')
            return condition()

        ros.wait_for('an answer', sent, process)

    def found():
        torque, force = wrenches[-1].wrench.torque, wrenches[-1].wrench.force
        return [torque.x, torque.y, torque.z, force.x, force.y, force.z]

    hear(np.zeros(7), lambda: efforts and flags and wrenches)
    assert not flags[-1].data
    push = sd.frame_jacobian(model, Q, 'flange').T @ WRENCH
    hear(push, lambda: flags[-1].data and np.allclose(found(), WRENCH, rtol=0, atol=1e-3))
    assert wrenches[-1].header.frame_id == 'flange'
    effort = efforts[-1]
    assert list(effort.name) == list(model.joint_names)
    np.testing.assert_allclose(effort.effort, push, atol=1e-2)
    assert BEGIN < nanoseconds(effort.header.stamp) <= instant
    hear(np.zeros(7), lambda: not flags[-1].data)
    name = 'pushed/load_observer: observer'
    ros.wait_for(
        'a report', lambda: any(one.name == name for report in reports for one in report.status)
    )
    assert process.interrupt() == 0, process.log
    assert 'Traceback' not in process.log


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
