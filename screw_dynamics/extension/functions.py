# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of kernels in C, one for every set of types of the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import Any

from screw_dynamics.extension.arrays import stored
from screw_dynamics.extension.calls import CALLS
from screw_dynamics.extension.lines import Value, converted, known
from screw_dynamics.extension.statements import RESULT, Statements, tree_of
from screw_dynamics.extension.types import (
    NONE,
    Known,
    TranslationError,
    Type,
    c_name,
    has_array,
    has_value,
)

_MOST_PASSES = 12


class Program:
    """Functions in C that have been needed so far."""

    def __init__(self) -> None:
        self.functions: list[str] = []
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
            body = _Body(self, function, types, arguments)
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
                given = known(kind.value) if isinstance(kind, Known) else Value(f'a_{one}', kind)
                lines.append(f'{c_name(types[one])} v_{one} = {converted(given, types[one])};')
        text = body.out.lines
        if body.out.allocations and not has_array(result):
            lines.append('const place_t mark = marked();')
            text = [_released(line, result) for line in text]
            if result == NONE:
                text.append('released(mark);')
        of = c_name(result) if has_value(result) else 'void'
        head = f'static INLINE {of} {name}({", ".join(parameters) or "void"})'
        self.functions.append('\n'.join([head, '{', *lines, *text, '}', '']))
        return result


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

    def __init__(
        self,
        program: Program,
        function: FunctionType,
        types: dict[str, Type],
        arguments: Sequence[str],
    ) -> None:
        super().__init__(function, types)
        self._program = program

    def call(self, function: Any, arguments: Sequence[Value]) -> Value:
        """Return the value of a call."""
        if function in CALLS:
            return CALLS[function](self, *arguments)
        if not isinstance(function, FunctionType):
            raise TranslationError(f'{function!r} has no translation')
        values = [stored(self.out, one) for one in arguments]
        name, result = self._program.need(function, [one.kind for one in values])
        texts = [one.text for one in values if has_value(one.kind)]
        text = f'{name}({", ".join(texts)})'
        if not has_value(result):
            self.out.emit(f'{text};')
            return known(result.value) if isinstance(result, Known) else Value('', result)
        if has_array(result):
            self.out.allocations += 1
        return self.out.bound(Value(text, result))
