# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`StateKernel` and `JetKernel`: quantities of one sample and of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NoReturn

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.bodies import samples
from screw_dynamics.kernels.kernel import Kernel, read_only

Sweep = Callable[..., None]
Rows = Callable[[int, int], int]
"""Rows of the workspace of a sweep, for an order and a number of bodies."""
Shape = Callable[[int, int, int], tuple[int, ...]]
"""Shape of the result of one sample, for an order and numbers of coordinates and bodies."""
_ANY_ORDER = -1


def not_compiled(*arguments: Any) -> NoReturn:
    """Raise TypeError, in place of a kernel in C that is not loaded."""
    raise TypeError


def _named(function: Callable[..., Any], name: str, given: str, gil: bool) -> Kernel:
    function.__name__ = function.__qualname__ = name
    return Kernel(function, f'int64({given}, float64[::1])', releases_gil=not gil)


class _Quantity:
    """A sweep (see `kernels.bodies`), the rows of its workspace and the shape of its result."""

    def __init__(self, name: str, sweep: Sweep, rows: Rows, shape: Shape) -> None:
        self.name, self.sweep, self.rows, self.shape = name, sweep, rows, shape
        self._batch_kernel = cache(self._make_batch)

    def _out(self) -> str:
        """Return the type of the result of one sample."""
        return f'float64[{":, " * (len(self.shape(0, 1, 1)) - 1)}::1]'

    def _make_batch(self, inputs: int, order: int) -> Kernel:
        function = samples.of_batch(self.sweep, self.rows, inputs, order)
        suffix = '' if order == 0 else f'_{"any" if order < 0 else order}'
        given = f'int64, {", ".join(3 * [read_only(2)])}, float64[:, ::1]'
        return _named(function, f'batch_{self.name}{suffix}', given, gil=False)


class StateKernel(_Quantity):
    """
    A quantity of q, of q and q', or of q, q' and tau, each (n,): one, two or three `inputs`.

    `compiled()` is its kernel of one state in C, called with (*inputs, out, parameters).
    """

    def __init__(self, name: str, sweep: Sweep, rows: Rows, shape: Shape, inputs: int) -> None:
        super().__init__(name, sweep, rows, shape)
        self.inputs = inputs
        self._single_kernel = cache(self._make_single)

    def _make_single(self) -> Kernel:
        function = samples.of_state(self.sweep, self.rows, self.shape, self.inputs)
        given = f'{", ".join(self.inputs * [read_only(1)])}, {self._out()}'
        return _named(function, f'single_{self.name}', given, gil=True)

    def compiled(self) -> Callable[..., int]:
        """Return the kernel of one state in C; wrong types of arguments raise TypeError."""
        return self._single_kernel().compiled or not_compiled

    def kernels(self) -> Iterator[Kernel]:
        """Yield the kernels."""
        yield self._single_kernel()
        yield self._batch_kernel(self.inputs, 0)

    def run(self, inputs: tuple[Array, ...], out: Array, parameters: Array) -> int:
        """
        Fill `out`, of one state or (T, ...), from inputs (n,) or (T, n); return the status.

        OK, INPUT_NOT_FINITE, RESULT_NOT_FINITE.
        """
        if inputs[0].ndim == 1:
            return int(self._single_kernel()(*inputs, out, parameters))
        q, qd, tau = (*inputs, inputs[0], inputs[0])[:3]
        kernel = self._batch_kernel(self.inputs, 0)
        return int(kernel(0, q, qd, tau, out.reshape(len(out), -1), parameters))


class BatchKernel(_Quantity):
    """
    A quantity of batches of rows: a joint jet and what follows it, flat.

    The `orders` lowest ones have kernels of their own, whose loops over derivatives the compiler
    unrolls; the others share one.
    """

    def __init__(self, name: str, sweep: Sweep, rows: Rows, shape: Shape, orders: int) -> None:
        super().__init__(name, sweep, rows, shape)
        self._orders = orders

    def _constant(self, order: int) -> int:
        return order if order < self._orders else _ANY_ORDER

    def kernels(self) -> Iterator[Kernel]:
        """Yield the kernels."""
        for order in (_ANY_ORDER, *range(self._orders)):
            yield self._batch_kernel(1, order)

    def run(self, order: int, samples: Array, out: Array, parameters: Array) -> int:
        """Fill `out` (T, ...), of samples (T, size); return the status as `StateKernel.run`."""
        kernel = self._batch_kernel(1, self._constant(order))
        given = samples, samples, samples, out.reshape(len(out), -1)
        return int(kernel(order, *given, parameters))


class JetKernel(BatchKernel):
    """
    A quantity of a joint jet of `lowest` rows and one more per order.

    `compiled(rows)` is the kernel of one jet in C, which is called with (jet, out, parameters); it
    raises TypeError for arguments of wrong types.
    """

    def __init__(
        self, name: str, sweep: Sweep, rows: Rows, shape: Shape, lowest: int, orders: int
    ) -> None:
        super().__init__(name, sweep, rows, shape, orders)
        self._lowest = lowest
        self.compiled: Callable[[int], Callable[..., int]] = cache(self._compiled)
        self._single_kernel = cache(self._make_single)

    def _make_single(self, order: int) -> Kernel:
        function = samples.of_jet(self.sweep, self.rows, self.shape, self._lowest, order)
        suffix = 'any' if order < 0 else order
        given = f'{read_only(2)}, {self._out()}'
        return _named(function, f'single_{self.name}_{suffix}', given, gil=True)

    def _compiled(self, rows: int) -> Callable[..., int]:
        order = rows - self._lowest
        if order < 0:
            return not_compiled
        return self._single_kernel(self._constant(order)).compiled or not_compiled

    def kernels(self) -> Iterator[Kernel]:
        """Yield the kernels."""
        yield from super().kernels()
        for order in (_ANY_ORDER, *range(self._orders)):
            yield self._single_kernel(order)

    def run(self, order: int, jets: Array, out: Array, parameters: Array) -> int:
        """
        Fill `out`, of one jet or (T, ...), from a jet (rows, n) or jets (T, rows, n).

        Return OK, INPUT_NOT_FINITE, RESULT_NOT_FINITE.
        """
        if jets.ndim == 2:
            return int(self._single_kernel(self._constant(order))(jets, out, parameters))
        return super().run(order, jets.reshape(len(jets), -1), out, parameters)
