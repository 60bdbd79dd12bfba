# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of kernels in C: elements, views, methods, element-wise expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from screw_dynamics.extension.lines import Elementwise, Lines, Value, converted, known, part_of
from screw_dynamics.extension.types import (
    DOUBLE,
    NATURAL,
    ArrayType,
    Known,
    Scalar,
    TranslationError,
    TupleType,
    c_name,
    is_natural,
)


def is_array(value: Value) -> bool:
    """Return whether a value is an array, stored or not."""
    return isinstance(value, Elementwise) or isinstance(value.kind, ArrayType)


def index_of(index: Value, size: str) -> str:
    """Return the text of an index; negative ones count from the end."""
    if isinstance(index.kind, Known):
        return index.text if index.kind.value >= 0 else f'({size} - {-index.kind.value})'
    if is_natural(index.kind):
        return index.text
    return f'wrapped({index.text}, {size})'


def _offset(owner: Value, indices: Sequence[str]) -> str:
    assert isinstance(owner.kind, ArrayType)
    last = owner.kind.ndim - 1
    terms = [
        text if owner.kind.packed and k == last else f'{text} * {owner.text}.s[{k}]'
        for k, text in enumerate(indices)
        if text != '0'
    ]
    return ' + '.join(terms) or '0'


def element(owner: Value, indices: Sequence[Value]) -> Value:
    """Return an element of an array in a variable."""
    assert isinstance(owner.kind, ArrayType)
    texts = []
    for k, index in enumerate(indices):
        size = f'{owner.text}.n[{k}]'
        texts.append(f'CHECKED({index_of(index, size)}, {size})')
    return Value(f'{owner.text}.p[{_offset(owner, texts)}]', owner.kind.item)


def view(out: Lines, owner: Value, indices: Sequence[Value | slice]) -> Value:
    """Return a view of an array in a variable."""
    assert isinstance(owner.kind, ArrayType)
    name, ndim = owner.text, owner.kind.ndim
    starts, sizes, strides = [], [], []
    for k, index in enumerate([*indices, *[slice(known(0), None)] * (ndim - len(indices))]):
        size = f'{name}.n[{k}]'
        if isinstance(index, Value):
            starts.append(f'CHECKED({index_of(index, size)}, {size})')
            continue
        low = index_of(index.start, size)
        if not low.isidentifier() and low != '0':
            low = out.bound(Value(low, NATURAL)).text
        high = size if index.stop is None else f'at_most({index_of(index.stop, size)}, {size})'
        starts.append(low)
        sizes.append(high if low == '0' else f'length({low}, {high})')
        strides.append(f'{name}.s[{k}]')
    # the rows of a packed array are packed, and so is a part of its first axis
    whole = [not isinstance(k, Value) and k.start.text == '0' and k.stop is None for k in indices]
    lead = 0
    while lead < len(indices) and isinstance(indices[lead], Value):
        lead += 1
    packed = owner.kind.packed and all(whole[lead + 1 :])
    kind = ArrayType(owner.kind.item, len(sizes), packed)
    text = (
        f'({c_name(kind)}){{{name}.p + ({_offset(owner, starts)}), '
        f'{{{", ".join(sizes)}}}, {{{", ".join(strides)}}}}}'
    )
    return out.bound(Value(text, kind))


def shaped(out: Lines, pointer: str, item: Scalar, shape: Sequence[str]) -> Value:
    """Return a packed array at a pointer."""
    sizes = [out.bound(Value(f'({size})', NATURAL)).text for size in shape]
    strides = ['*'.join(sizes[k + 1 :]) or '1' for k in range(len(sizes))]
    kind = ArrayType(item, len(sizes))
    text = f'({c_name(kind)}){{{pointer}, {{{", ".join(sizes)}}}, {{{", ".join(strides)}}}}}'
    return out.bound(Value(text, kind))


def sizes_of(value: Value) -> list[str]:
    """Return the lengths of the axes of an array, or those that a shape names."""
    if isinstance(value, Elementwise):
        return value.shape
    if isinstance(value.kind, ArrayType):
        return [f'{value.text}.n[{k}]' for k in range(value.kind.ndim)]
    if isinstance(value.kind, TupleType):
        if value.kind.record == 'shape':
            return [f'{value.text}[{k}]' for k in range(len(value.kind.parts))]
        return [part_of(value, k).text for k in range(len(value.kind.parts))]
    return [value.text]


def allocated(out: Lines, item: Scalar, shape: Sequence[str], zeros: bool = False) -> Value:
    """Return a new array."""
    out.allocations += 1
    sizes = [out.bound(Value(f'({size})', NATURAL)).text for size in shape]
    function = 'zeros' if zeros else 'allocate'
    pointer = f'({item.name} *){function}({" * ".join(sizes)} * sizeof({item.name}))'
    return shaped(out, pointer, item, sizes)


def items_of(out: Lines, owner: Value, method: str, arguments: Sequence[Value]) -> Value:
    """Return the value of a method of an array."""
    owner = out.bound(stored(out, owner))
    if not isinstance(owner.kind, ArrayType):
        raise TranslationError(f'{owner.text}.{method} has no translation')
    if method == 'copy':
        made = allocated(out, owner.kind.item, sizes_of(owner))
        fill(out, made, owner)
        return made
    if method in ('ravel', 'reshape') and owner.kind.packed:
        size = ' * '.join(sizes_of(owner))
        if method == 'ravel':
            return shaped(out, f'{owner.text}.p', owner.kind.item, [size])
        given = [text for one in arguments for text in sizes_of(one)]
        if '(-1)' in given:
            others = ' * '.join(text for text in given if text != '(-1)')
            rest = f'({size}) / ({others})' if others else size
            given = [rest if text == '(-1)' else text for text in given]
        return shaped(out, f'{owner.text}.p', owner.kind.item, given)
    raise TranslationError(f'method {method} of an array')


def item_at(value: Value, indices: Sequence[str]) -> Value:
    """Return an item of an array, or a number as it is; missing first axes are repeated."""
    if isinstance(value, Elementwise):
        return value.item(list(indices[len(indices) - len(value.shape) :]))
    if isinstance(value.kind, ArrayType):
        own = indices[len(indices) - value.kind.ndim :]
        return Value(f'{value.text}.p[{_offset(value, own)}]', value.kind.item)
    return value


def elementwise(
    out: Lines, values: Sequence[Value], function: Callable[[list[Value]], Value]
) -> Value:
    """Return an array whose items are computed where they are used."""
    values = [one if isinstance(one, Elementwise) else out.bound(one) for one in values]
    shape = max((sizes_of(one) for one in values if is_array(one)), key=len)

    def item(indices: list[str]) -> Value:
        return function([item_at(one, indices) for one in values])

    return Elementwise('', item(['0'] * len(shape)).kind, shape, item)


def loops(out: Lines, shape: Sequence[str], body: Callable[[list[str]], None]) -> None:
    """Emit loops over the indices of a shape."""
    indices: list[str] = []
    for size in shape:
        name = out.name()
        out.emit(f'for (int64_t {name} = 0; {name} < {size}; {name}++) {{')
        indices.append(name)
    body(indices)
    for _ in shape:
        out.emit('}')


def fill(out: Lines, target: Value, value: Value) -> None:
    """Emit an assignment to the items of an array."""
    target = out.bound(target)
    assert isinstance(target.kind, ArrayType)
    if not is_array(value):
        value = out.bound(value)
    item = target.kind.item

    def assign(indices: list[str]) -> None:
        place = f'{target.text}.p[{_offset(target, indices)}]'
        out.emit(f'{place} = {converted(item_at(value, indices), item)};')

    loops(out, sizes_of(target), assign)


def stored(out: Lines, value: Value) -> Value:
    """Return a value as it is, an element-wise array as a new array."""
    if not isinstance(value, Elementwise):
        return value
    item = value.kind if isinstance(value.kind, Scalar) else DOUBLE
    made = allocated(out, item, value.shape)
    fill(out, made, value)
    return made


def reduced(out: Lines, value: Value, start: str, step: Callable[[str, Value], str]) -> Value:
    """Return the result of a loop over all items."""
    if not isinstance(value, Elementwise):
        value = out.bound(value)
    name = out.name()
    out.emit(f'double {name} = {start};')

    def advance(indices: list[str]) -> None:
        out.emit(f'{name} = {step(name, item_at(value, indices))};')

    loops(out, sizes_of(value), advance)
    return Value(name, DOUBLE)
