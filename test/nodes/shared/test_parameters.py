# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters: types, ranges, texts; the parameter files name all of them with their defaults."""

from dataclasses import fields, replace
from types import SimpleNamespace

import pytest
import yaml

from screw_dynamics import share_path
from screw_dynamics.common.settings import coerced, rule_of
from screw_dynamics.control.compensation import CompensationParameters
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.dynamics_server.requests import DynamicsServerParameters
from screw_dynamics.nodes.load_observer.parameters import LoadObserverParameters
from screw_dynamics.nodes.sea_simulator.parameters import SeaSimulatorParameters
from screw_dynamics.nodes.shared.parameters import descriptor, undeclared

RECORDS = {
    'feedforward': FeedforwardParameters,
    'compensation': CompensationParameters,
    'sea_simulator': SeaSimulatorParameters,
    'dynamics_server': DynamicsServerParameters,
    'load_observer': LoadObserverParameters,
    'drive_commands': DriveCommandsParameters,
}
RULES = {
    rule_of(item).name: (rule_of(item), item.default)
    for record in RECORDS.values()
    for item in fields(record)
}


def test_values_must_fit_together():
    parameters = ModelParameters()
    parameters.check()
    with pytest.raises(InputError, match='expected at most one of them, got both'):
        replace(parameters, robot_description='<robot/>', urdf_path='robot.urdf').check()
    with pytest.raises(InputError, match="'payload.frame': expected a link for the payload of 2"):
        replace(parameters, payload_mass=2.0).check()
    with pytest.raises(
        InputError, match="'payload.inertia': expected that of a body, got .1.0, 1.0"
    ):
        replace(parameters, payload_inertia=(1.0,) * 6).check()
    replace(parameters, payload_inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 2.0)).check()
    springs = FeedforwardParameters(stiffness=(100.0,))
    replace(springs, drives_path='joints.yaml').check()
    with pytest.raises(InputError, match=r"'stiffness': expected no value .* got \[100.0\]"):
        springs.check()


def test_the_former_name_of_the_file_of_drives_is_refused():
    node = SimpleNamespace(_parameter_overrides={'elastic_joints_path': 'springs.yaml'})
    with pytest.raises(InputError, match="'elastic_joints_path': expected its name, drives_path"):
        undeclared(node, [])


@pytest.mark.parametrize('name', RULES)
def test_descriptors_tell_what_is_allowed(name):
    rule, default = RULES[name]
    described = descriptor(rule, default)
    assert len(described.description) > 10
    assert described.read_only == rule.read_only
    if isinstance(default, float):
        (span,) = described.floating_point_range
        assert span.from_value <= default <= span.to_value
    elif isinstance(default, int) and not isinstance(default, bool):
        (span,) = described.integer_range
        assert span.from_value <= default <= span.to_value
    elif rule.choices:
        words = default if isinstance(default, tuple) else (default,)
        assert set(words) <= set(rule.choices)
        assert all(choice in described.additional_constraints for choice in rule.choices)


@pytest.mark.parametrize('file, record', RECORDS.items())
def test_parameter_files_name_every_parameter_with_its_default(file, record):
    document = yaml.safe_load(share_path(f'config/{file}.yaml').read_text())
    written = flat(document[f'/**/{file}']['ros__parameters'])
    declared = {rule_of(item).name: item for item in fields(record)}
    assert written.keys() == declared.keys()
    for name, value in written.items():
        default = declared[name].default
        # doubles are written as doubles
        assert isinstance(value, list) or type(value) is type(default), name
        assert coerced(rule_of(declared[name]), default, value) == default


def flat(tree, prefix=''):
    leaves = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            leaves.update(flat(value, f'{prefix}{key}.'))
        else:
            leaves[prefix + key] = value
    return leaves
