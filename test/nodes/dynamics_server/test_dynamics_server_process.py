# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node dynamics_server over DDS: requests, parameters that change, its end."""

import numpy as np
import pytest
from helpers.services import SERVICES

import screw_dynamics as sd
from screw_dynamics.control.report import OK
from screw_dynamics.nodes.dynamics_server.node import DynamicsServerNode
from screw_dynamics_interfaces.srv import GetMassMatrix


@pytest.fixture
def call(ros, server):
    def call(name, **fields):
        kind = SERVICES[name]
        return ros.call(kind, f'/dynamics_server/{name}', kind.Request(**fields))

    return call


def test_every_service_answers(call, model):
    """What it answers is tested without processes."""
    for name, kind in SERVICES.items():
        response = call(name)
        assert (response.success, bool(response.message)) == (False, True)
        assert response.error_code != kind.Response.NO_MODEL or name == 'get_motor_feedforward'
    response = call('get_mass_matrix', position=[0.1] * model.n)
    assert response.joint_names == list(model.joint_names)
    expected = sd.mass_matrix(model, [0.1] * model.n)
    np.testing.assert_allclose(response.mass_matrix, expected.ravel(), rtol=1e-12, atol=1e-12)


def test_limits_are_enforced_on_request(ros, server, call, model):
    beyond = np.where(np.isfinite(model.limits.upper), model.limits.upper + 1.0, 0.0).tolist()
    assert call('get_mass_matrix', position=beyond).success
    assert ros.set_parameter('/dynamics_server', 'check_limits', 'reject')[0]
    response = call('get_mass_matrix', position=beyond)
    assert response.error_code == GetMassMatrix.Response.LIMIT_EXCEEDED
    assert 'expected within [' in response.message
    text = response.message
    assert text not in server.log
    assert ros.set_parameter('/dynamics_server', 'check_limits', 'warn')[0]
    assert call('get_mass_matrix', position=beyond).success
    ros.wait_for('the warning', lambda: text in server.log, server)
    assert ros.set_parameter('/dynamics_server', 'check_limits', 'off')[0]


def test_payload_adds_its_mass(ros, call, model):
    frame = list(model.frames)[-1]
    zeros = [0.0] * model.n
    plain = call('get_mass_matrix', position=zeros).mass_matrix
    assert ros.set_parameter('/dynamics_server', 'payload.frame', frame)[0]
    assert ros.set_parameter('/dynamics_server', 'payload.mass', 2)[0]
    expected = sd.mass_matrix(model.with_payload(frame, 2.0, np.zeros(3), np.zeros((3, 3))), zeros)

    def changed():
        matrix = call('get_mass_matrix', position=zeros).mass_matrix
        return matrix if matrix != plain else None

    found = ros.wait_for('the payload', changed)
    np.testing.assert_allclose(found, expected.ravel(), rtol=1e-12, atol=1e-12)


def test_without_a_model(ros, planar):
    with ros.made(DynamicsServerNode) as node:
        for kind in SERVICES.values():
            response = node._answer(kind, kind.Request(), None)
            assert response.error_code == kind.Response.NO_MODEL
        reason = "no robot model: Waiting for data on '/robot_description' topic"
        assert response.message == reason
        counts = {'answered': 0, 'failed': len(SERVICES)}
        assert node._requests_report() == (OK, f'last failure: {reason}', counts)
    with ros.made(DynamicsServerNode, urdf_path=planar) as node:
        node._source.finish()
        assert node._answer(GetMassMatrix, GetMassMatrix.Request(position=[0.0] * 2), None).success
        assert node._requests_report() == (OK, 'ok', {'answered': 1, 'failed': 0})


def test_sigint(server):
    assert server.interrupt() == 0, server.log
    assert 'Traceback' not in server.log
