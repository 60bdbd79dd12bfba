# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernels of the package."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from screw_dynamics import kernels
from screw_dynamics.kernels.kernel import Kernel
from screw_dynamics.kernels.taylor.compiled import (
    ANY_ORDER,
    CONSTANT_ORDERS,
    batch_kernel,
    single_kernel,
)
from screw_dynamics.kernels.terms import catalogue, compiled
from screw_dynamics.kernels.terms.term import Term


def all_kernels() -> dict[str, Kernel]:
    """Return the kernels by name."""
    found = []
    for module in pkgutil.walk_packages(kernels.__path__, f'{kernels.__name__}.'):
        members = vars(import_module(module.name)).values()
        found += [one for one in members if isinstance(one, Kernel)]
    for order in (ANY_ORDER, *range(CONSTANT_ORDERS)):
        found += [single_kernel(order), batch_kernel(order)]
    for term in vars(catalogue).values():
        if isinstance(term, Term):
            found += [compiled.kernel(term.recursion, term.variant(one)) for one in (True, False)]
    found.append(compiled.control_kernel())
    return {kernel.name: kernel for kernel in found}
