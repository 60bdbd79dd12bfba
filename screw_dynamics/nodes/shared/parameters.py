# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node parameters from a frozen dataclass: rules, declaration, checks as a whole."""

import math
from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any, Generic, TypeVar

import numpy as np
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError, ScrewDynamicsError


@dataclass(frozen=True)
class ParameterRule:
    """Allowed values of a parameter, in addition to the type of its default."""

    name: str
    description: str
    minimum: float = -math.inf  # inclusive, like the maximum
    maximum: float = math.inf
    choices: tuple[str, ...] = ()
    numbers: bool = False  # in an array; other arrays are of strings
    size: int = 0  # of an array of numbers; 0: any
    read_only: bool = False


def parameter(
    default: Any,
    description: str,
    *,
    name: str = '',
    within: tuple[float, float] = (-math.inf, math.inf),
    **further: Any,
) -> Any:
    """Return a dataclass field for a ROS parameter with a `ParameterRule`."""
    rule = ParameterRule(name, description, *within, **further)
    return field(default=default, metadata={'rule': rule})


def rule_of(item: Field[Any]) -> ParameterRule:
    """Return the rule of a field made by `parameter`; its name is never empty."""
    rule: ParameterRule = item.metadata['rule']
    return rule if rule.name else replace(rule, name=item.name)


def coerced(rule: ParameterRule, default: Any, value: Any) -> Any:
    """Return a value of rclpy as the type of the default, or raise InputError."""
    if isinstance(default, tuple):
        entries = [] if value is None else value
        if isinstance(entries, (str, bytes)) or not isinstance(entries, Sequence):
            raise _unexpected(rule, 'an array', value)
        if rule.numbers or rule.size:
            if rule.size and len(entries) != rule.size:
                raise _unexpected(rule, f'{rule.size} numbers', list(entries))
            return tuple(_number(rule, entry) for entry in entries)
        if not all(isinstance(entry, str) for entry in entries):
            raise _unexpected(rule, 'an array of strings', list(entries))
        if rule.choices and not all(entry in rule.choices for entry in entries if entry):
            raise _unexpected(rule, f'some of {", ".join(rule.choices)}', list(entries))
        # parameter files often contain [''] for an empty array of strings
        return tuple(entry for entry in entries if entry)
    if isinstance(default, bool) or isinstance(default, str):
        if value is False and 'off' in rule.choices:
            value = 'off'  # YAML reads an unquoted off as false
        if type(value) is not type(default):
            raise _unexpected(
                rule, 'true or false' if default in (True, False) else 'a string', value
            )
        if rule.choices and value not in rule.choices:
            raise _unexpected(rule, f'one of {", ".join(rule.choices)}', repr(value))
        return value
    if isinstance(value, str) and value in rule.choices:
        return value  # a word that stands for a number
    if isinstance(default, int) and not isinstance(value, int):
        raise _unexpected(rule, 'an integer', value)
    return type(default)(_number(rule, value))


def _number(rule: ParameterRule, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _unexpected(rule, ' or '.join(('a number', *rule.choices)), repr(value))
    if not math.isfinite(value):
        raise _unexpected(rule, 'a finite number', value)
    if not rule.minimum <= value <= rule.maximum:
        if math.isinf(rule.maximum):
            raise _unexpected(rule, f'a number of at least {rule.minimum:g}', value)
        raise _unexpected(rule, f'a number from {rule.minimum:g} to {rule.maximum:g}', value)
    return float(value)


def _unexpected(rule: ParameterRule, expected: str, got: Any) -> InputError:
    return InputError(f'parameter {rule.name!r}: expected {expected}, got {got}')


def values_per_motor(name: str, values: Sequence[float], motors: Sequence[str]) -> Array:
    """Return values (m,) of a parameter; raise InputError unless there are 0, 1 or m of them."""
    m = len(motors)
    if len(values) not in (0, 1, m):
        raise InputError(
            f'parameter {name!r}: expected no value, one, or {m} ({", ".join(motors)}), got '
            f'{len(values)}'
        )
    row: Array = np.zeros(m) + np.array(values or (0.0,))
    return row


def _constraints(rule: ParameterRule, default: Any) -> str:
    if not rule.choices:
        return ''
    if isinstance(default, float):
        return f'a number or {", ".join(rule.choices)}'
    return f'{"some" if isinstance(default, tuple) else "one"} of {", ".join(rule.choices)}'


def descriptor(rule: ParameterRule, default: Any) -> ParameterDescriptor:
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

    `record` is a frozen dataclass with fields made by `parameter`; its method ``check()``, if any,
    and the constructor raise InputError if the values are not valid.
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
        for text in misspelt(node, list(self._fields)):
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


def misspelt(node: Node, names: Sequence[str]) -> list[str]:
    """Return a warning for every value set at start whose name is similar to a declared one."""
    texts = []
    # ROS ignores values of undeclared parameters, and files for several nodes rely on it
    for name in _given(node):
        near = get_close_matches(name, names, n=1, cutoff=0.8)
        if near and not node.has_parameter(name):
            texts.append(f'There is no parameter {name!r}: did you mean {near[0]!r}?')
    return texts


def _given(node: Node) -> dict[str, Parameter]:
    """Return the values set at start; rclpy has no public access to them."""
    given: dict[str, Parameter] = node._parameter_overrides
    return given
