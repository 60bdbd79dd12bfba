# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernels of the package."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from screw_dynamics import kernels
from screw_dynamics.kernels.bodies.state_kernel import BatchKernel, StateKernel
from screw_dynamics.kernels.kernel import Kernel


def all_kernels() -> dict[str, Kernel]:
    """Return the kernels by name."""
    found: list[Kernel] = []
    for module in pkgutil.walk_packages(kernels.__path__, f'{kernels.__name__}.'):
        for one in vars(import_module(module.name)).values():
            if isinstance(one, Kernel):
                found.append(one)
            elif isinstance(one, (BatchKernel, StateKernel)):
                found += one.kernels()
    return {kernel.name: kernel for kernel in found}
