# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Kernels of the Taylor recursion, for single samples and batches, one variant per low order.

With a constant order, the compiler unrolls every loop over derivatives; orders from
`CONSTANT_ORDERS` on share one variant with the order as a variable.
"""

from functools import cache

from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.taylor import interpreted, samples

CONSTANT_ORDERS = 5  # orders 0 .. 4 have their own variants
ANY_ORDER = -1


@cache
def single_kernel(order: int) -> Kernel:
    """Return the kernel of one sample, ``kernel(jet, tau, parameters) -> int``."""
    if order >= CONSTANT_ORDERS:
        return single_kernel(ANY_ORDER)
    signature = f'int64({read_only(2)}, float64[:, ::1], float64[::1])'
    return Kernel(samples.single(order), signature)


@cache
def batch_kernel(order: int) -> Kernel:
    """Return the kernel of a batch, with the arguments and results of `interpreted.run`."""
    if order >= CONSTANT_ORDERS:
        return batch_kernel(ANY_ORDER)
    signature = (
        f'int64({read_only(3)}, float64[:, :, ::1], float64[::1], {read_only(4)}, int64[::1], '
        'float64[:, :, ::1])'
    )
    return Kernel(samples.batch(order), signature, interpreted.run)
