# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`CompiledFunction`: numba's dispatcher for one signature, from the cache if possible."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numba

from screw_dynamics.jit.compile_turn import Event, announce, compile_turn
from screw_dynamics.jit.kernel_cache import KernelCache, warn_of_no_cache

# contract allows fused multiply-add; no other fast-math option is set, so NaN and infinity keep
# their meaning
_OPTIONS: dict[str, Any] = {'nogil': True, 'error_model': 'numpy', 'fastmath': {'contract'}}

# numba compiles in one thread at a time; the next thread may find the function in the cache
_one_thread = threading.RLock()


class CompiledFunction:
    """
    A function to compile for one explicit signature.

    Calls with other argument types raise TypeError: nothing compiles in a control loop.
    """

    def __init__(self, function: Callable[..., Any], signature: str) -> None:
        self._name, self._signature = function.__name__.lstrip('_'), signature
        self._dispatcher = numba.njit(**_OPTIONS)(function)
        self._cache: KernelCache | None = None
        try:
            self._cache = self._dispatcher._cache = KernelCache(function)
        except (RuntimeError, OSError) as error:
            if isinstance(error, RuntimeError) and 'cannot cache' not in str(error):
                raise
            warn_of_no_cache(error)

    def load(self) -> Callable[..., Any] | None:
        """Return the compiled function, or None if it is not in the cache."""
        if self._cache is None or not self._cache.find(self._signature, self._dispatcher):
            return None
        return self._taken()

    def compile(self) -> Callable[..., Any]:
        """Return the compiled function; compile it if it is not in the cache."""
        if self._cache is None:
            with _one_thread:
                announce(Event.COMPILES, self._name)
                return self._taken()
        wait = partial(announce, Event.WAITS, self._name)
        with _one_thread, compile_turn(self._cache.lock_path, wait):
            loaded = self.load()
            if loaded is not None:
                return loaded
            announce(Event.COMPILES, self._name)
            return self._taken()

    def _taken(self) -> Callable[..., Any]:
        self._dispatcher.compile(self._signature)
        self._dispatcher.disable_compile()
        return self._dispatcher  # type: ignore[no-any-return]
