# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Kernels: plain Python functions that run compiled.

The extension module has them in C, translated when the package was built. Without it, numba
compiles them at their first use; without numba the same source runs on NumPy. The environment
variable ``SCREW_DYNAMICS_KERNELS`` names one of the three: c, numba, numpy.
"""

from screw_dynamics.jit.compilation import BackgroundCompiler, CompileProgress, compile_kernels
from screw_dynamics.jit.compile_turn import Event, import_numba, watched
from screw_dynamics.jit.extension import extension_kernels
from screw_dynamics.jit.kernel import (
    Kernel,
    compiled_again,
    jit_enabled,
    kernel_form,
    read_only,
    uncompiled,
)

__all__ = [
    'BackgroundCompiler',
    'CompileProgress',
    'Event',
    'Kernel',
    'compile_kernels',
    'compiled_again',
    'extension_kernels',
    'import_numba',
    'jit_enabled',
    'kernel_form',
    'read_only',
    'uncompiled',
    'watched',
]
