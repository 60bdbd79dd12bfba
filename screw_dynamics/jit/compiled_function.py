# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`CompiledFunction`: numba's dispatcher for one signature, with a robust cache on disk."""

import hashlib
import logging
import pickle
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock

from screw_dynamics.errors import short
from screw_dynamics.jit.compile_turn import Event, announce, compile_turn

_log = logging.getLogger(__name__)

_FORMAT = 'sha256'  # of the data files; files of another format are stale
_DIGEST_SIZE = hashlib.sha256().digest_size


class _DamagedFileError(Exception):
    """The content of a file differs from what was written to it."""


class _CheckedFiles(IndexDataCacheFile):
    """Cache files of one function; a file damaged by a power failure counts as absent."""

    def __init__(self, folder: str, name: str, stamp: object) -> None:
        super().__init__(folder, name, (_FORMAT, stamp))
        self._warned: set[str] = set()

    def load(self, key: Any) -> Any:
        name = self._load_index().get(key)
        return None if name is None else self._intact(self._data_path(name), self._load_data, name)

    def _load_index(self) -> Any:
        return self._intact(self._index_path, super()._load_index) or {}

    def _load_data(self, name: str) -> Any:
        data = Path(self._data_path(name)).read_bytes()
        digest, content = data[:_DIGEST_SIZE], data[_DIGEST_SIZE:]
        if hashlib.sha256(content).digest() != digest:
            raise _DamagedFileError(f'{len(data)} bytes, not those that were written')
        return pickle.loads(content)

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(hashlib.sha256(content).digest() + content)

    def _intact(self, path: str, read: Callable[..., Any], *args: Any) -> Any:
        """Return `read(*args)`, or None if the file is absent or unusable (logged once)."""
        try:
            return read(*args)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn(path, f'cannot be read ({error.strerror or error})')
        except Exception as error:  # unpickling damaged data may raise any exception
            self._warn(path, f'is damaged ({type(error).__name__}: {short(str(error))})')
        return None

    def _warn(self, path: str, problem: str) -> None:
        if path not in self._warned:
            self._warned.add(path)
            _log.warning('cache of compiled kernels: %s %s: compiling anew', path, problem)


class KernelCache(FunctionCache):
    """Cache of one function; raises RuntimeError if there is no folder for it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._found: Any = None
        self._cache_file = _CheckedFiles(
            self.cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    @property
    def lock_path(self) -> Path:
        """Lock file of the process that compiles this function."""
        return Path(self.cache_path) / f'{self._impl.filename_base}.lock'

    def find(self, signature: str, dispatcher: Any) -> bool:
        """Load the entry of a signature for the next compilation; return whether it exists."""
        with global_compiler_lock:
            try:
                self._found = super().load_overload(signature, dispatcher.targetctx)
            except Exception as error:  # intact, but not usable by this version of numba
                _log.warning(
                    'cache of compiled kernels: %s cannot be used (%s: %.100s): compiling anew',
                    *(self.lock_path.with_suffix('.nbi'), type(error).__name__, error),
                )
        return self._found is not None

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the entry that `find` loaded."""
        return self._found

    def save_overload(self, signature: Any, data: Any) -> None:
        """Save a compiled function; warn if that fails."""
        try:
            super().save_overload(signature, data)
        except OSError as error:
            _warn_of_no_cache(error)


def _warn_of_no_cache(error: BaseException) -> None:
    """Warn that compiled kernels are not saved."""
    _log.warning(
        'no writable cache folder for compiled kernels (%s): every process compiles anew; '
        'set NUMBA_CACHE_DIR to a writable folder',
        error,
    )


# contract allows fused multiply-add; no other fast-math option is set, so NaN and infinity keep
# their meaning
_OPTIONS: dict[str, Any] = {'error_model': 'numpy', 'fastmath': {'contract'}}

# numba compiles in one thread at a time; the next thread may find the function in the cache
_one_thread = threading.RLock()


class CompiledFunction:
    """A function to compile for one explicit signature; other argument types raise TypeError."""

    def __init__(
        self, function: Callable[..., Any], signature: str, releases_gil: bool = True
    ) -> None:
        self._name, self._signature = function.__name__.lstrip('_'), signature
        self._dispatcher = numba.njit(nogil=releases_gil, **_OPTIONS)(function)
        self._cache: KernelCache | None = None
        try:
            self._cache = self._dispatcher._cache = KernelCache(function)
        except (RuntimeError, OSError) as error:
            if isinstance(error, RuntimeError) and 'cannot cache' not in str(error):
                raise
            _warn_of_no_cache(error)

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
