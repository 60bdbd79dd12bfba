# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Kernels: plain Python functions that numba compiles at their first use.

Without numba (or with ``SCREW_DYNAMICS_JIT=0``) the same source runs on NumPy.
"""

from screw_dynamics.jit.compilation import BackgroundCompiler, CompileProgress, compile_kernels
from screw_dynamics.jit.compile_turn import Event, import_numba, watched
from screw_dynamics.jit.kernel import Kernel, compiled_again, jit_enabled, read_only, uncompiled

__all__ = [
    'BackgroundCompiler',
    'CompileProgress',
    'Event',
    'Kernel',
    'compile_kernels',
    'compiled_again',
    'import_numba',
    'jit_enabled',
    'read_only',
    'uncompiled',
    'watched',
]
