# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Elastic joints of a node: file of `elastic_joints_path`, checks against the model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

from screw_dynamics.elastic import (
    AntagonisticPair,
    ElasticJoints,
    VariableStiffness,
)
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes.shared.file_url import resolve_file_url

_PARAMETER = "parameter 'elastic_joints_path'"


def read_elastic_joints(path: str, warn: Callable[[str], object]) -> ElasticJoints | None:
    """
    Read the elastic joints from a path or package:// address; None if it is empty.

    `warn` is called with a line per entry without effect. Raises InputError if the file does not
    exist or an entry is not valid.
    """
    if not path:
        return None
    file = resolve_file_url(path, _PARAMETER)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            joints = ElasticJoints.from_yaml(file)
        except ScrewDynamicsError as error:
            raise InputError(f'{_PARAMETER}: {error}') from None
    for warning in caught:
        warn(f'{_PARAMETER}: {warning.message}')
    return joints


def require_fit(elastic: ElasticJoints | None, model: ScrewModel, rows: float) -> None:
    """
    Raise InputError if elastic joints do not fit a model or require too many derivatives.

    `rows` are the available rows of the joint jets; infinity if there is no limit.
    """
    if elastic is None:
        return
    try:
        needed = elastic.required_rows(model)
    except ScrewDynamicsError as error:
        raise InputError(f'{_PARAMETER}: {error}') from None
    if needed > rows:
        raise InputError(
            f'{_PARAMETER}: rotor_coupling: the motor efforts of this robot need the derivatives '
            f'of the joint positions up to order {needed - 1}, a reference of the node has them '
            f'up to order {rows - 1}: expected rotor_coupling: false'
        )


def with_stiffness(
    elastic: ElasticJoints, model: ScrewModel, values: Sequence[float]
) -> ElasticJoints:
    """
    Return elastic joints with another stiffness of the variable joints, in model order.

    Empty `values` change nothing. Raises ModelError if a spring cannot have its stiffness.
    """
    if not len(values):
        return elastic
    joints = dict(elastic.joints)
    for name, value in zip(elastic.motors(model).variable_names, values, strict=True):
        spring = joints[name].spring
        assert isinstance(spring, (AntagonisticPair, VariableStiffness))
        joints[name] = replace(joints[name], spring=replace(spring, stiffness=value))
    return ElasticJoints(joints, elastic.rotor_coupling)
