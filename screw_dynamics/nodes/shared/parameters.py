# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Declaration of the parameters of a record at a node, and checks of a change as a whole."""

import math
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from importlib import import_module
from typing import Any, Generic, TypeVar

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

from screw_dynamics.common.settings import Rule, coerced, rule_of
from screw_dynamics.control.compensation import CompensationParameters
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.errors import InputError, ScrewDynamicsError, did_you_mean


def _constraints(rule: Rule, default: Any) -> str:
    if not rule.choices:
        return ''
    if isinstance(default, float):
        return f'a number or {", ".join(rule.choices)}'
    return f'{"some" if isinstance(default, tuple) else "one"} of {", ".join(rule.choices)}'


def descriptor(rule: Rule, default: Any) -> ParameterDescriptor:
    """Return the descriptor of a parameter for tools; it allows integers for doubles."""
    result = ParameterDescriptor(
        name=rule.name,
        description=rule.description,
        read_only=rule.read_only,
        dynamic_typing=True,
        additional_constraints=_constraints(rule, default),
    )
    if math.isinf(rule.minimum) and math.isinf(rule.maximum):
        return result
    if isinstance(default, float):
        result.floating_point_range = [
            FloatingPointRange(from_value=float(rule.minimum), to_value=float(rule.maximum))
        ]
    elif isinstance(default, int):
        result.integer_range = [
            IntegerRange(from_value=int(rule.minimum), to_value=int(rule.maximum))
        ]
    return result


Values = TypeVar('Values', bound=Any)


class NodeParameters(Generic[Values]):
    """
    Parameters of a node as one frozen record (`values`), valid at all times.

    Its fields are made by `parameter`; its ``check()``, if any, raises InputError.
    """

    def __init__(self, node: Node, record: type[Values]) -> None:
        self._logger = node.get_logger()
        self._fields = {rule_of(item).name: item for item in fields(record)}
        for name, item in self._fields.items():
            rule = rule_of(item)
            default = list(item.default) if isinstance(item.default, tuple) else item.default
            try:
                node.declare_parameter(name, default, descriptor(rule, item.default))
            except (InvalidParameterTypeException, InvalidParameterValueException) as error:
                # a value set at start; the text of rclpy repeats the name of the parameter
                coerced(rule, item.default, _given(node)[name].value)
                raise InputError(f'parameter {name!r}: {error}') from None
        for text in undeclared(node, list(self._fields)):
            node.get_logger().warning(text)
        self.values: Values = self._updated(
            record(), [node.get_parameter(name) for name in self._fields]
        )
        self._checks: list[Callable[[Values], None]] = []
        self._listeners: list[Callable[[Values, Values], None]] = []
        node.add_on_set_parameters_callback(self._validate)
        node.add_post_set_parameters_callback(self._apply)

    def add_check(self, check: Callable[[Values], None]) -> None:
        """Add a function that raises ScrewDynamicsError to reject new values."""
        self._checks.append(check)

    def on_change(self, listener: Callable[[Values, Values], None]) -> None:
        """Add a function that is called with the old and the new values after every change."""
        self._listeners.append(listener)

    def _updated(self, values: Values, changes: Sequence[Parameter]) -> Values:
        converted = {}
        for change in changes:
            item = self._fields.get(change.name)
            if item is not None:
                converted[item.name] = coerced(rule_of(item), item.default, change.value)
        updated: Values = replace(values, **converted)
        if hasattr(updated, 'check'):
            updated.check()
        return updated

    def _validate(self, changes: list[Parameter]) -> SetParametersResult:
        try:
            updated = self._updated(self.values, changes)
            for check in self._checks:
                check(updated)
        except ScrewDynamicsError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _apply(self, changes: list[Parameter]) -> None:
        old, self.values = self.values, self._updated(self.values, changes)
        if old != self.values:
            for listener in self._listeners:
                try:
                    listener(old, self.values)
                except Exception as error:  # the change is done: an error would end the node
                    names = ', '.join(change.name for change in changes)
                    self._logger.error(f'Parameters {names} changed, with a failure: {error}')


# files for several nodes have the parameters of all of them
_OF_NODES = {
    rule_of(item).name
    for record in (FeedforwardParameters, DriveCommandsParameters, CompensationParameters)
    for item in fields(record)
}
_OF_ROS = 'qos_overrides.', 'use_sim_time', 'start_type_description_service'


def undeclared(node: Node, names: Sequence[str]) -> list[str]:
    """Return a warning for every value set at start that no node has, with the nearest name."""
    if 'elastic_joints_path' in _given(node):
        raise InputError("parameter 'elastic_joints_path': expected its name, drives_path")
    return [
        f'There is no parameter {name!r}: it has no effect'
        + did_you_mean(name, [one for one in names if name in one] or names, 0.4)
        for name in _given(node)
        if not (name in _OF_NODES or name.startswith(_OF_ROS) or node.has_parameter(name))
    ]


def _given(node: Node) -> dict[str, Parameter]:
    """Return the values set at start; rclpy has no public access to them."""
    given: dict[str, Parameter] = node._parameter_overrides
    return given


def optional_type(module: str, name: str, parameter: str, value: str, default: str) -> Any:
    """Return a type of a module; InputError names the parameter that needs its package."""
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        package = module.partition('.')[0]
        binary = f'ros-$ROS_DISTRO-{package.replace("_", "-")}'
        raise InputError(
            f'parameter {parameter!r}: {value!r} needs the package {package}, which is not '
            f'available ({error}): install it ({binary}) or use {parameter}: {default!r}'
        ) from None
