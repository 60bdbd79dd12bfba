# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of kernels in C, one for every set of types of the arguments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

from screw_dynamics.codegen.translator.arrays import stored
from screw_dynamics.codegen.translator.calls import CALLS
from screw_dynamics.codegen.translator.lines import Lines, Value, converted, known_number
from screw_dynamics.codegen.translator.statements import RESULT, Statements
from screw_dynamics.codegen.translator.syntax import tree_of
from screw_dynamics.codegen.translator.types import (
    NONE,
    Known,
    TranslationError,
    TupleType,
    Type,
    c_name,
    has_array,
    has_value,
)

NUMBERS = Path(__file__).with_name('numbers.h').read_text(encoding='utf-8')
"""Functions of C that translated ones call."""

_MOST_PASSES = 12
_NAME = re.compile(r'[A-Za-z_]\w*')
# a variable that is declared or set; what it is set to
_SET = re.compile(
    r'(?!return)(?:(?:const )?\w+ \*? ?)?(?P<name>[tv]_?\w+)(?:\[\d+\](?=;)| = (?P<value>[^;]*))?;'
)
_CALL = re.compile(r'\bf_\w+\(')


class Program:
    """
    Functions in C that have been needed so far.

    `calls` are functions that have a translation of their own, `unroll` is that of `Lines`.
    """

    def __init__(
        self, calls: Mapping[Any, Callable[..., Value]] = CALLS, unroll: int | None = None
    ) -> None:
        self.calls, self.unroll = calls, unroll
        self.functions: list[str] = []
        self.idle: set[str] = set()  # those that do nothing
        self._made: dict[Any, tuple[str, Type]] = {}
        self._names: dict[str, int] = {}

    def need(self, function: FunctionType, kinds: Sequence[Type]) -> tuple[str, Type]:
        """Return the name in C of a function for types of arguments, and that of its result."""
        key = (function, tuple(kinds))
        if key not in self._made:
            base = function.__name__.strip('_')
            number = self._names[base] = self._names.get(base, 0) + 1
            name = base if number == 1 else f'{base}_{number}'
            try:
                self._made[key] = name, self._written(f'f_{name}', function, kinds)
            except TranslationError as error:
                raise TranslationError(f'{function.__module__}.{base}: {error}') from error
        name, result = self._made[key]
        return f'f_{name}', result

    def _written(self, name: str, function: FunctionType, kinds: Sequence[Type]) -> Type:
        arguments = function.__code__.co_varnames[: function.__code__.co_argcount]
        if len(arguments) != len(kinds):
            raise TranslationError(f'{len(kinds)} arguments for {arguments}')
        types = dict(zip(arguments, kinds, strict=True))
        for _ in range(_MOST_PASSES):
            body = _Body(self, function, types)
            body.run(tree_of(function).body)
            if not body.changed:
                break
        else:
            raise TranslationError('the types of its variables do not settle')
        result = types.pop(RESULT, NONE)
        parameters = [
            f'{c_name(kind)} {"a" if types[one] != kind else "v"}_{one}'
            for one, kind in zip(arguments, kinds, strict=True)
            if has_value(kind)
        ]
        lines = [f'{c_name(kind)} v_{one};' for one, kind in types.items()
                 if has_value(kind) and one not in arguments]  # fmt: skip
        for one, kind in zip(arguments, kinds, strict=True):
            if types[one] != kind:
                # assigned values of another type
                given = Value(f'a_{one}', kind)
                if isinstance(kind, Known):
                    given = known_number(kind.value)
                lines.append(f'{c_name(types[one])} v_{one} = {converted(given, types[one])};')
        lines += body.out.arrays
        text = body.out.lines
        if self.unroll is not None:
            if body.out.allocations and has_array(result):
                raise TranslationError('returns an array of its own')
        elif body.out.allocations and not has_array(result):
            lines.append('const place_t mark = marked();')
            text = [_released(line, result) for line in text]
            if result == NONE:
                text.append('released(mark);')
        of = c_name(result) if has_value(result) else 'void'
        head = f'static inline {of} {name}({", ".join(parameters) or "void"})'
        used = pruned([*lines, *text])
        names = [text.split()[-1].lstrip('*') for text in parameters]
        found = set(_NAME.findall(' '.join(used)))
        unused = [f'(void){one};' for one in names if one not in found]
        if not has_value(result) and all(line == 'return;' for line in used):
            self.idle.add(name)
        self.functions.append('\n'.join([head, '{', *unused, *used, '}', '']))
        return result


def name_of(function: str) -> str:
    """Return the name of a function in C."""
    return function.partition('(')[0].split()[-1].lstrip('*')


def needed(text: str, functions: Sequence[str]) -> list[str]:
    """Return those of some functions in C that a text calls, and those that they call."""
    kept: list[str] = []
    called = set(_NAME.findall(text))
    for function in reversed(functions):
        if name_of(function) in called:
            kept.append(function)
            called |= set(_NAME.findall(function))
    return kept[::-1]


def pruned(lines: list[str]) -> list[str]:
    """Return lines without variables that are set and never read."""
    while True:
        read = Counter(_NAME.findall(' '.join(lines)))
        read.subtract(found['name'] for found in map(_SET.fullmatch, lines) if found)
        kept = []
        for line in lines:
            found = _SET.fullmatch(line)
            if found is None or read[found['name']]:
                kept.append(line)
            elif found['value'] and _CALL.search(found['value']):
                kept.append(f'(void){found["value"]};')
        if kept == lines:
            return lines
        lines = kept


def _released(line: str, result: Type) -> str:
    """Return a line that frees the function's memory if it returns."""
    if not line.startswith('return'):
        return line
    if not has_value(result):
        return f'{{ released(mark); {line} }}'
    value = line[len('return ') : -1]
    return f'{{ const {c_name(result)} value = {value}; released(mark); return value; }}'


class _Body(Statements):
    """Statements of a function of a program."""

    def __init__(self, program: Program, function: FunctionType, types: dict[str, Type]) -> None:
        super().__init__(function, types, Lines(program.unroll))
        self._program = program

    def conditions(self, lines: list[str]) -> int:
        """Return the number of conditions in lines and in the functions that they call."""
        text = '\n'.join(lines)
        texts = [text, *needed(text, self._program.functions)]
        return sum(one.count('if (') + one.count(' ? ') for one in texts)

    def call(self, function: Any, arguments: Sequence[Value]) -> Value:
        """Return the value of a call."""
        if function in self._program.calls:
            return self._program.calls[function](self, *arguments)
        if not isinstance(function, FunctionType):
            raise TranslationError(f'{function!r} has no translation')
        values = [stored(self.out, one) for one in arguments]
        values = [self.out.bound(v) if isinstance(v.kind, TupleType) else v for v in values]
        name, result = self._program.need(function, [one.kind for one in values])
        texts = [one.text for one in values if has_value(one.kind)]
        text = f'{name}({", ".join(texts)})'
        if not has_value(result):
            if name not in self._program.idle:
                self.out.emit(f'{text};')
            return known_number(result.value) if isinstance(result, Known) else Value('', result)
        if has_array(result):
            self.out.allocations += 1
        return self.out.bound(Value(text, result))
