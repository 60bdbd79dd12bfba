# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks and conversions of array arguments of the public API."""

import math
from typing import NoReturn, TypeAlias

import numpy as np
from numpy.ma import MaskedArray, is_masked
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.errors import InputError, NotFiniteError, ShapeError

Array: TypeAlias = NDArray[np.float64]


def as_float_array(name: str, value: ArrayLike) -> Array:
    """
    Return `value`, if it is real (InputError), as an aligned, C-contiguous float64 array.

    Of scipy's `Rotation` or `RigidTransform`, and Pinocchio's `SE3`, it is the matrix.
    """
    if hasattr(value, 'as_matrix'):
        value = value.as_matrix()
    value = getattr(value, 'homogeneous', value)
    if isinstance(value, MaskedArray) and is_masked(value):
        raise InputError(f'{name}: expected a number in every entry, got masked ones')
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise InputError(f'{name}: expected an array of real numbers, got {error}') from None
    if array.dtype.kind not in 'fiu' and array.size:
        raise InputError(f'{name}: expected real numbers, got dtype {array.dtype}')
    # ascontiguousarray would convert a scalar to one dimension
    array = np.asarray(array, dtype=np.float64, order='C')
    # compiled kernels accept only aligned arrays; views of message buffers may be unaligned
    return array if array.flags.aligned else array.copy()


def as_pose(name: str, value: ArrayLike) -> Array:
    """Return `value` as an array (4, 4); InputError says what a rotation alone lacks."""
    array = as_float_array(name, value)
    if array.shape == (3, 3):
        raise InputError(
            f"{name}: expected a pose (4, 4) or scipy's RigidTransform, got a rotation without a "
            'position'
        )
    if array.shape != (4, 4):
        raise ShapeError(name, '(4, 4)', array.shape)
    return array


def read_only_copy(name: str, value: ArrayLike) -> Array:
    """Return a read-only copy of `value`, converted by `as_float_array`."""
    array: Array = as_float_array(name, value).copy()
    array.flags.writeable = False
    return array


def require_finite(name: str, array: Array, where: str = '') -> Array:
    """Return `array`; raise NotFiniteError for its first entry that is not finite."""
    if not np.isfinite(array).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise NotFiniteError(name, index, float(array[index]), where)
    return array


def as_vector(name: str, value: ArrayLike, size: int) -> Array:
    """Return `value` as a finite float64 vector (size,)."""
    array = as_float_array(name, value)
    if array.shape != (size,):
        raise ShapeError(name, f'({size},)', array.shape)
    return require_finite(name, array)


def as_samples(size: int, **values: ArrayLike) -> tuple[Array, ...]:
    """Return values, finite or not, as arrays (..., size) of one shape."""
    (first, _), *_ = values.items()
    arrays = tuple(as_float_array(name, value) for name, value in values.items())
    shape = arrays[0].shape
    if not shape or shape[-1] != size:
        raise ShapeError(first, f'({size},) or (..., {size})', shape)
    for name, array in zip(values, arrays, strict=True):
        if array.shape != shape:
            raise ShapeError(name, f'{shape}, that of {first}', array.shape)
    return arrays


def as_stack(array: Array, dimensions: int) -> Array:
    """Return a view of a C-contiguous array (..., last dimensions) with one axis in front."""
    first = array.ndim - dimensions
    return array.reshape(math.prod(array.shape[:first]), *array.shape[first:])


def raise_not_finite(result: Array, **values: ArrayLike) -> NoReturn:
    """
    Raise NotFiniteError for the first entry that is not finite, of an argument or of the result.

    `result` is what the kernel computed before it stopped.
    """
    for name, value in values.items():
        require_finite(name, as_float_array(name, value))
    require_finite('result', result, 'overflow')
    raise NotFiniteError('result', (), float('nan'), 'overflow')


def require_out(out: object, name: str = 'out') -> Array:
    """Return an output array; raise InputError if a kernel cannot write to it."""
    if not isinstance(out, np.ndarray):
        raise InputError(f'{name}: expected a float64 array, got {type(out).__name__}')
    if out.dtype != np.float64 or not out.flags.carray:
        raise InputError(
            f'{name}: expected a writable, aligned, C-contiguous float64 array, got dtype '
            f'{out.dtype}, C-contiguous {out.flags.c_contiguous}, writable '
            f'{out.flags.writeable}, aligned {out.flags.aligned}'
        )
    return out


def per_joint(name: str, value: ArrayLike, n: int, *, above: bool = False) -> Array:
    """Return a number per joint (n,) from one number or n; raise InputError out of range."""
    array = require_finite(name, as_float_array(name, value))
    if array.shape not in ((), (n,)):
        raise ShapeError(name, f'() or ({n},)', array.shape)
    low = float(array.min(initial=math.inf))
    if low < 0.0 or (above and low == 0.0):
        raise InputError(f'{name}: expected numbers {"above 0" if above else ">= 0"}, got {low:g}')
    return np.array(np.broadcast_to(array, (n,)))
