# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Several nodes in one process: names, parameters, remappings, their end."""

import json
import sys

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from helpers.node_processes import NodeProcess
from sensor_msgs.msg import JointState

from screw_dynamics.nodes.__main__ import NODES, main

COMMAND = [sys.executable, '-W', 'ignore', '-m', 'screw_dynamics.nodes']


@pytest.mark.parametrize(
    'named, reason',
    [
        (['feedforwrd'], "unknown node 'feedforwrd'"),
        (['load_observer', 'load_observer'], 'load_observer is named twice'),
        ([], 'no node is named'),
    ],
)
def test_wrong_names_are_one_clear_line(capsys, named, reason):
    assert main(['nodes', *named, '--ros-args', '-p', 'a:=1']) == 2
    expected = f'nodes: {reason}: expected some of {", ".join(NODES)}, once\n'
    assert capsys.readouterr() == ('', expected)


def test_help(capsys):
    assert main(['nodes', '--help']) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in NODES)


def test_parameters_and_remappings_are_those_of_each_node(ros, planar, tmp_path):
    path = tmp_path / 'both.yaml'
    parameters = {
        'compensation': {'urdf_path': str(planar), 'joints': ['joint_1', 'joint_2']},
        'load_observer': {'urdf_path': str(planar), 'joints': ['joint_1']},
    }
    document = {name: {'ros__parameters': values} for name, values in parameters.items()}
    path.write_text(json.dumps(document))
    arguments = ['--ros-args', '--params-file', str(path)]
    arguments += ['-r', 'compensation:joint_states:=/arm/joint_states']
    process = NodeProcess([*COMMAND, 'load_observer', 'compensation', *arguments], ros.environment)
    try:
        ros.wait_for('one node', lambda: 'Carries 2 joints' in process.log, process)
        ros.wait_for('the other', lambda: 'Observing 1 joints' in process.log, process)
        assert 'listens on /arm/joint_states; publishes /compensation/' in process.log
        assert 'listens on /joint_states' in process.log
        assert 'no parameters for' not in process.log
        reports = ros.listen(DiagnosticArray, '/diagnostics')
        efforts = ros.listen(JointState, '/compensation/joint_effort')

        def both():
            message = JointState(name=['joint_1', 'joint_2'], position=[0.1, 0.2])
            ros.publish(message, '/arm/joint_states')
            names = {status.name for array in reports for status in array.status}
            return efforts and {'compensation: model', 'load_observer: model'} <= names

        ros.wait_for('what both publish', both, process)
        assert process.interrupt() == 0, process.log
    finally:
        process.kill()
    assert 'Traceback' not in process.log
