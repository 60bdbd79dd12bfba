# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernels of the package."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from screw_dynamics import kernels
from screw_dynamics.jit import Kernel
from screw_dynamics.kernels.taylor.compiled import (
    ANY_ORDER,
    CONSTANT_ORDERS,
    batch_kernel,
    single_kernel,
)
from screw_dynamics.kernels.terms import catalogue, compiled
from screw_dynamics.kernels.terms.term import Term

_BY_NUMBA = ('numba_functions', 'simd')


def module_names() -> Iterator[str]:
    """Yield the names of the modules that define kernels."""
    for module in pkgutil.walk_packages(kernels.__path__, f'{kernels.__name__}.'):
        if not module.name.endswith(_BY_NUMBA):
            yield module.name


def all_kernels() -> dict[str, Kernel]:
    """Return the kernels by name."""
    found = []
    for name in module_names():
        found += [one for one in vars(import_module(name)).values() if isinstance(one, Kernel)]
    for order in (ANY_ORDER, *range(CONSTANT_ORDERS)):
        found += [single_kernel(order), batch_kernel(order)]
    for term in vars(catalogue).values():
        if isinstance(term, Term):
            found += [compiled.kernel(term.recursion, term.variant(one)) for one in (True, False)]
    found.append(compiled.control_kernel())
    return {kernel.name: kernel for kernel in found}
