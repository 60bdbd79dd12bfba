# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Records whose fields are the arguments of a command: declared to argparse, and read from it."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from screw_dynamics.command_line.argument_types import joint_value, named_value, number
from screw_dynamics.common.settings import Rule, rule_of, setting
from screw_dynamics.errors import ScrewDynamicsError, shown

Record = TypeVar('Record', bound='Options')

_METAVARS: dict[Any, str] = {Path: 'FILE', int: 'N'}


class UsageError(ScrewDynamicsError):
    """Arguments that do not fit each other; the exit code is that of wrong ones."""


@dataclass(frozen=True)
class OptionRule(Rule):
    """What is allowed for an argument, and how it is written."""

    metavar: str | tuple[str, ...] = ''
    parse: Callable[[str], Any] | None = None  # of one value, in place of its type
    positional: bool = False
    repeated: bool = False  # a value at every occurrence, in place of a list of them
    short: str = ''
    bare: Any = None  # value of an option without one


class Options:
    """A record of arguments, frozen dataclass, under a `heading` of the help."""

    heading: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, heading: str = '', text: str = '') -> None:
        """Set the heading, and the text below it."""
        if heading:
            cls.heading = (heading, text) if text else (heading,)

    def of(self, *names: str) -> dict[str, Any]:
        """Return some arguments by name, as keywords of a function."""
        return {name: getattr(self, name) for name in names}


# fields of records; a type that is a Literal has the choices
option = partial(setting, kind=OptionRule)
optional, flag, several = partial(option, None), partial(option, False), partial(option, ())
positive, not_negative = partial(option, above=0.0), partial(option, within=(0.0, math.inf))


def argument(description: str, *, default: Any = MISSING, **rule: Any) -> Any:
    """Return a field for a positional argument, which may be left out if it has a default."""
    return option(default, description, positional=True, **rule)


def per_joint(description: str, infinite: bool = False) -> Any:
    """Return a field for values of joints: numbers, or JOINT=VALUE."""
    parse = partial(joint_value, infinite=infinite)
    return several(description, metavar='VALUE', parse=parse)


def by_joint(description: str, metavar: str = 'JOINT=VALUE') -> Any:
    """Return a field for values of some joints."""
    return several(description, metavar=metavar, parse=named_value)


def declare(parser: argparse.ArgumentParser, record: type[Options]) -> None:
    """Declare the fields of a record as arguments, under its heading."""
    group = parser.add_argument_group(*record.heading) if record.heading else parser
    kinds = get_type_hints(record)
    for item in _declared(record):
        rule = rule_of(item)
        assert isinstance(rule, OptionRule)
        words = _keywords(rule, kinds[item.name], item.default)
        if rule.positional:
            parser.add_argument(item.name, **words)
        else:
            names = [rule.short, f'--{item.name.replace("_", "-")}']
            group.add_argument(*filter(None, names), dest=item.name, **words)


def read(record: type[Record], namespace: argparse.Namespace) -> Record:
    """Return a record with the arguments that were given, and defaults."""
    given = {item.name: getattr(namespace, item.name) for item in _declared(record)}
    return record(
        **{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.items()
            if value is not None
        }
    )


def _declared(record: type) -> list[Field[Any]]:
    """Return the fields that are arguments; others are set by the command."""
    return [item for item in fields(record) if 'rule' in item.metadata]


def _keywords(rule: OptionRule, kind: Any, default: Any) -> dict[str, Any]:
    """Return the keywords of `add_argument`."""
    words: dict[str, Any] = {'help': _help(rule, default)}
    if get_origin(kind) in (Union, UnionType):  # with None
        (kind,) = (part for part in get_args(kind) if part is not NoneType)
    element = get_args(kind)[0] if get_origin(kind) is tuple else kind
    choices = rule.choices or get_args(element) * (get_origin(element) is Literal)
    if kind is bool:
        return {**words, 'action': 'store_true'}
    if get_origin(kind) is tuple:
        _, *others = get_args(kind)
        if others != [...]:
            words['nargs'] = 1 + len(others)
        elif rule.repeated:
            words['action'] = 'append'
        else:
            words['nargs'] = '+' if rule.bare is None else '*'
            if not rule.positional:
                words['action'] = EachOnce
    elif rule.bare is not None or (rule.positional and default is not MISSING):
        words.update(nargs='?', const=rule.bare)
    types: dict[Any, Any] = {float: number(rule), int: int, Path: Path}
    element = type(choices[0]) if choices else element
    words['type'] = rule.parse or types.get(element, str)
    words['metavar'] = rule.metavar or (None if choices else _METAVARS.get(element))
    return {**words, 'choices': choices} if choices else words


def _help(rule: OptionRule, default: Any) -> str:
    """Return the text of an argument, with its default unless that is nothing."""
    text = rule.description
    nothing = (MISSING, None, (), '', -math.inf, math.inf)
    if default is not False and default not in nothing and '(default:' not in text:
        value = f'{default:g}' if isinstance(default, float) else default
        text += f' (default: {value})'
    return text.replace('%', '%%')


class EachOnce(argparse.Action):
    """Action that appends values to a list, also over repeated options; a name may come once."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Append the values of one option."""
        known = list(getattr(namespace, self.dest) or ())
        kind = 'joint' if str(self.metavar).startswith(('JOINT', 'VALUE')) else 'name'
        for value in values:
            name = _name(value)
            if name and name in map(_name, known):
                parser.error(
                    f'argument {option_string}: expected every {kind} once, '
                    f'got {shown(name)} twice'
                )
            known.append(value)
        setattr(namespace, self.dest, known)


def _name(value: str | Path | Sequence[Any]) -> str:
    """Return the name in a value, which may have a number behind it."""
    return str(value if isinstance(value, (str, Path)) else value[0])
