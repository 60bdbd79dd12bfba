# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of kernels in C: elements, views, methods, element-wise expressions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from screw_dynamics.codegen.translator.known_numbers import Contents
from screw_dynamics.codegen.translator.lines import (
    Elementwise,
    Lines,
    Value,
    converted,
    known,
    length,
    one_of,
    part_of,
)
from screw_dynamics.codegen.translator.types import (
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


def index_of(index: Value, size: Value) -> str:
    """Return the text of an index; negative ones count from the end."""
    if isinstance(index.kind, Known):
        if index.kind.value >= 0:
            return index.text
        if isinstance(size.kind, Known):
            return str(size.kind.value + index.kind.value)
        return f'({size.text} - {-index.kind.value})'
    if is_natural(index.kind):
        return index.text
    return f'wrapped({index.text}, {size.text})'


def size_of(owner: Value, axis: int) -> Value:
    """Return the length of an axis of an array in a variable."""
    assert isinstance(owner.kind, ArrayType)
    size = owner.kind.shape[axis] if owner.kind.shape else None
    return length(f'{owner.text}.n[{axis}]') if size is None else known(size)


def _offset(owner: Value, indices: Sequence[str]) -> str:
    assert isinstance(owner.kind, ArrayType)
    last, shape = owner.kind.ndim - 1, owner.kind.shape
    terms = []
    for k, text in enumerate(indices):
        if text == '0':
            continue
        if owner.kind.packed and k == last:
            terms.append(text)
        elif owner.kind.packed and shape and None not in shape[k + 1 :]:
            terms.append(f'{text} * {math.prod(shape[k + 1 :])}')  # type: ignore[arg-type]
        else:
            terms.append(f'{text} * {owner.text}.s[{k}]')
    return ' + '.join(terms) or '0'


def element(out: Lines, owner: Value, indices: Sequence[Value]) -> Value:
    """Return an element of an array in a variable."""
    kind = owner.kind
    assert isinstance(kind, ArrayType)
    texts = [_checked(out, index, size_of(owner, k)) for k, index in enumerate(indices)]
    item = Value(f'{owner.text}.p[{_offset(owner, texts)}]', kind.item)
    if kind.contents is None:
        return item
    return one_of(kind.contents.part(kind.ndim, [*map(_known_index, indices)]).choices(), item)


def _known_index(index: Value) -> int | None:
    return index.kind.value if isinstance(index.kind, Known) else None


def _checked(out: Lines, index: Value, size: Value) -> str:
    text = index_of(index, size)
    return text if out.one_robot else f'CHECKED({text}, {size.text})'


def view(out: Lines, owner: Value, indices: Sequence[Value | slice]) -> Value:
    """Return a view of an array in a variable."""
    kind = owner.kind
    assert isinstance(kind, ArrayType)
    starts, strides = [], []
    sizes: list[Value] = []
    places: list[int | slice | None] = []
    whole = slice(known(0), None)
    for k, index in enumerate([*indices, *[whole] * (kind.ndim - len(indices))]):
        size = size_of(owner, k)
        if isinstance(index, Value):
            starts.append(_checked(out, index, size))
            places.append(_known_index(index))
            continue
        strides.append(f'{owner.text}.s[{k}]')
        part = _known_slice(index, size)
        places.append(part)
        if part is not None:
            starts.append(str(part.start))
            everything = part == slice(0, size.kind.value)  # type: ignore[union-attr]
            sizes.append(size if everything else known(max(part.stop - part.start, 0)))
            continue
        low = index_of(index.start, size)
        if not low.isidentifier() and low != '0':
            low = out.bound(Value(low, NATURAL)).text
        high = size.text
        if index.stop is not None:
            high = f'at_most({index_of(index.stop, size)}, {size.text})'
        starts.append(low)
        sizes.append(length(high if low == '0' else f'length({low}, {high})'))
    contents = kind.contents
    if contents is not None:
        slices = [isinstance(index, slice) for index in indices]
        known_part = all(
            place is not None for place, part in zip(places, slices, strict=False) if part
        )
        contents = contents.part(kind.ndim, places) if known_part else None
    # the rows of a packed array are packed, and so is a part of its first axis
    complete = [
        not isinstance(k, Value) and k.start.text == '0' and k.stop is None for k in indices
    ]
    lead = 0
    while lead < len(indices) and isinstance(indices[lead], Value):
        lead += 1
    packed = kind.packed and all(complete[lead + 1 :])
    made = _array_type(kind.item, sizes, packed, kind.constant, contents)
    return _array(out, f'{owner.text}.p + ({_offset(owner, starts)})', made, sizes, strides)


def _known_slice(index: slice, size: Value) -> slice | None:
    """Return a slice whose bounds are known, without negative ones."""
    ends = [value.kind for value in (index.start, index.stop) if value is not None]
    if not all(isinstance(kind, Known) for kind in (*ends, size.kind)):
        return None
    stop = None if index.stop is None else index.stop.kind.value
    start, stop, _ = slice(index.start.kind.value, stop).indices(size.kind.value)  # type: ignore[union-attr]
    return slice(start, stop)


def _array_type(
    item: Scalar,
    sizes: Sequence[Value],
    packed: bool = True,
    constant: bool = False,
    contents: Contents | None = None,
) -> ArrayType:
    shape = tuple(one.kind.value if isinstance(one.kind, Known) else None for one in sizes)
    if all(size is None for size in shape):
        shape = ()
    return ArrayType(item, len(sizes), packed, constant, shape, contents)


def _array(
    out: Lines, pointer: str, kind: ArrayType, sizes: Sequence[Value], strides: Sequence[str]
) -> Value:
    """Return an array in a new variable."""
    lengths = ', '.join(size.text for size in sizes)
    text = f'({c_name(kind)}){{{pointer}, {{{lengths}}}, {{{", ".join(strides)}}}}}'
    return out.bound(Value(text, kind))


def shaped(
    out: Lines,
    pointer: str,
    item: Scalar,
    shape: Sequence[Value],
    constant: bool = False,
    contents: Contents | None = None,
) -> Value:
    """Return a packed array at a pointer."""
    sizes = [_bound_size(out, size) for size in shape]
    strides = ['*'.join(size.text for size in sizes[k + 1 :]) or '1' for k in range(len(sizes))]
    kind = _array_type(item, sizes, True, constant, contents)
    return _array(out, pointer, kind, sizes, strides)


def _bound_size(out: Lines, size: Value) -> Value:
    """Return a length that is known, or in a variable."""
    if isinstance(size.kind, Known):
        return size
    return out.bound(Value(f'({size.text})', NATURAL))


def sizes_of(value: Value) -> list[Value]:
    """Return the lengths of the axes, or the items of a shape."""
    if isinstance(value, Elementwise):
        return value.shape
    if isinstance(value.kind, ArrayType):
        return [size_of(value, k) for k in range(value.kind.ndim)]
    if isinstance(value.kind, TupleType):
        if value.kind.record == 'shape':
            return [shape_item(value, k) for k in range(len(value.kind.parts))]
        return [part_of(value, k) for k in range(len(value.kind.parts))]
    return [value]


def shape_item(value: Value, axis: int) -> Value:
    """Return an item of a shape."""
    assert isinstance(value.kind, TupleType)
    kind = value.kind.parts[axis]
    return known(kind.value) if isinstance(kind, Known) else length(f'{value.text}[{axis}]')


def allocated(out: Lines, item: Scalar, shape: Sequence[Value], zeros: bool = False) -> Value:
    """Return a new array."""
    out.allocations += 1
    sizes = [_bound_size(out, size) for size in shape]
    if not out.one_robot:
        function = 'zeros' if zeros else 'allocate'
        count = ' * '.join(size.text for size in sizes)
        return shaped(
            out, f'({item.name} *){function}({count} * sizeof({item.name}))', item, sizes
        )
    numbers = [size.kind.value for size in sizes if isinstance(size.kind, Known)]
    if len(numbers) < len(sizes):
        raise TranslationError('an array whose size is not known')
    name = out.name()
    # C has no arrays without items
    out.arrays.append(f'{item.name} {name}[{max(math.prod(numbers), 1)}];')
    made = shaped(out, name, item, sizes)
    if zeros:
        fill(out, made, known(0))
    return made


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
        kind, own = owner.kind, sizes_of(owner)
        given = [size for one in arguments for size in sizes_of(one)]
        if method == 'ravel' or any(size.text == '(-1)' for size in given):
            others = [size for size in given if size.text != '(-1)']
            rest = _quotient(own, others)
            given = [rest if size.text == '(-1)' else size for size in given] or [rest]
        contents = kind.contents
        if contents is not None:
            sizes = [_known_index(size) for size in given]
            contents = None if None in sizes else contents.reshaped(kind.ndim, sizes)  # type: ignore[arg-type]
        return shaped(out, f'{owner.text}.p', kind.item, given, kind.constant, contents)
    raise TranslationError(f'method {method} of an array')


def _quotient(sizes: Sequence[Value], others: Sequence[Value]) -> Value:
    """Return the product of lengths divided by that of others."""
    numbers = [[_known_index(size) for size in one] for one in (sizes, others)]
    if None not in (*numbers[0], *numbers[1]):
        return known(math.prod(numbers[0]) // math.prod(numbers[1]))  # type: ignore[arg-type]
    size, rest = (' * '.join(size.text for size in one) for one in (sizes, others))
    return length(f'({size}) / ({rest})' if rest else size)


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


def loops(out: Lines, shape: Sequence[Value], body: Callable[[list[str]], None]) -> None:
    """Emit loops over the indices of a shape."""
    indices: list[str] = []
    for size in shape:
        name = out.name()
        out.emit(f'for (int64_t {name} = 0; {name} < {size.text}; {name}++) {{')
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
