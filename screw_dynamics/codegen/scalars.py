# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Variables in place of the elements of arrays that no loop reaches.

Compilers keep a variable in a register; they store an element of an array again and again if an
index that they do not know might mean it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from screw_dynamics.codegen.statements import (
    Assignment,
    Block,
    Line,
    Statement,
    Store,
    Variable,
    walked,
)

_TERM = re.compile(r'([+-]?)\s*(?:(\d+) \* )?([A-Za-z_]\w*|\d+)\s*')
_MOST = 4096  # elements that an index may mean


def with_scalars(
    statements: list[Statement],
    values: Mapping[str, Iterable[int]],
    new_name: Callable[[str], str],
) -> list[Statement]:
    """Return the statements with such variables; `values` are those of integers in C."""
    names: dict[str, str] = {}
    arrays = {s.name: s for s in walked(statements) if isinstance(s, Variable) and s.size}
    for array, numbers in _constant_elements(statements, set(arrays), values).items():
        names |= {f'{array}[{k}]': new_name(f'{array}_{k}') for k in sorted(numbers)}
    if not names:
        return statements
    pattern = re.compile(rf'\b({"|".join(sorted({n.split("[")[0] for n in names}))})\[(\d+)\]')

    def renamed(text: str) -> str:
        return pattern.sub(lambda found: names.get(found[0], found[0]), text)

    return list(_rewritten(statements, names, renamed))


def _constant_elements(
    statements: list[Statement], arrays: set[str], values: Mapping[str, Iterable[int]]
) -> dict[str, set[int]]:
    """Return the elements of arrays that only constant indices mean."""
    constant: dict[str, set[int]] = {name: set() for name in arrays}
    others: dict[str, set[int]] = {name: set() for name in arrays}
    places: set[tuple[str, str]] = set()
    for text in _texts(statements):
        for name, index in re.findall(r'(&?\b[A-Za-z_]\w*)\b(?:\[([^\[\]]*)\])?', text):
            if name.lstrip('&') in arrays:
                places.add((name, index))
    for name, index in places:
        meant = None if name.startswith('&') else _meant(index, values)
        if meant is None:
            constant.pop(name.lstrip('&'), None)
        elif name in constant:
            (constant if index.isdigit() else others)[name].update(meant)
    return {name: found - others[name] for name, found in constant.items()}


def _texts(statements: list[Statement]) -> Iterator[str]:
    for statement in walked(statements):
        if isinstance(statement, Store):
            yield f'{statement.root}[{statement.index}]'
        yield statement.head if isinstance(statement, Block) else statement.text


def _meant(index: str, values: Mapping[str, Iterable[int]]) -> set[int] | None:
    """Return the elements that an index may mean, None if they are not known."""
    end, terms = 0, []
    while end < len(index):
        found = _TERM.match(index, end)
        if found is None:
            return None
        end = found.end()
        factor = int(found[2] or 1) * (-1 if found[1] == '-' else 1)
        numbers = [int(found[3])] if found[3].isdigit() else values.get(found[3])
        if numbers is None:
            return None
        terms.append([factor * number for number in numbers])
    count = 1
    for term in terms:
        count *= len(term)
    if not terms or count > _MOST:
        return None
    return {sum(parts) for parts in itertools.product(*terms)}


def _rewritten(
    statements: list[Statement], names: Mapping[str, str], renamed: Callable[[str], str]
) -> Iterator[Statement]:
    for s in statements:
        if isinstance(s, Block):
            yield Block(renamed(s.head), list(_rewritten(s.body, names, renamed)))
        elif isinstance(s, Line):
            yield Line(renamed(s.text))
        elif isinstance(s, Assignment):
            yield Assignment(s.name, renamed(s.text))
        elif isinstance(s, Store):
            place = f'{s.root}[{s.index}]'
            if place in names:
                yield Assignment(names[place], renamed(s.text))
            else:
                yield Store(s.root, renamed(s.index), renamed(s.text))
        elif s.size:
            yield s
            value = '0.0' if s.text else ''
            for k in range(s.size):
                if f'{s.name}[{k}]' in names:
                    yield Variable(names[f'{s.name}[{k}]'], 'double', value, constant=False)
        else:
            yield Variable(s.name, s.ctype, renamed(s.text), s.constant)
