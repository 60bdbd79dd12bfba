# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The cache on disk: damaged files, one compilation for many processes, places without locks."""

from __future__ import annotations

import errno
import os

import pytest
from scripts import run, start

from screw_dynamics.jit import jit_enabled
from screw_dynamics.jit.compile_turn import compile_turn

pytestmark = pytest.mark.skipif(not jit_enabled(), reason='needs numba')

KERNEL = """
from screw_dynamics.jit import Kernel
def double(x):
    return 2.0 * x
kernel = Kernel(double, 'float64(float64)')
"""
CALL = """
from screw_dynamics.jit import watched
from small import kernel
with watched(lambda event, name: print(event.value, name, flush=True)):
    print(kernel(3.0))
"""
# numba reads the body of an overload while it compiles: this one waits until it is released
HELD = """
import time
from pathlib import Path
import screw_dynamics.jit as jit
jit.import_numba()
from numba.extending import overload
folder = Path(__file__).parent
def slow(x):
    return 2.0 * x
@overload(slow)
def _slow(x):
    while not (folder / 'go').exists():
        time.sleep(0.01)
    return lambda x: 2.0 * x
def double(x):
    return slow(x)
kernel = jit.Kernel(double, 'float64(float64)')
"""


def _cut(data):
    return data[: len(data) // 2]


def _flipped(data):
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]


@pytest.fixture
def small(tmp_path):
    """Write the module of a kernel; return how to call it in a process, and the files it has."""
    (tmp_path / 'small.py').write_text(KERNEL)

    def call():
        return run(CALL, first=tmp_path, NUMBA_CACHE_DIR=tmp_path / 'cache').splitlines()

    def file(suffix):
        (path,) = (tmp_path / 'cache').rglob(f'*.{suffix}')
        return path

    return call, file


DAMAGE = {
    'empty': lambda data: b'',
    'cut': _cut,
    'zeros': lambda data: b'\x00' * len(data),
    'garbage': lambda data: b'garbage',
    'flipped': _flipped,
}
CALL_ALL = """
import importlib, sys
from screw_dynamics.jit import watched
for module in sys.argv[1:]:
    print(module, flush=True)
    with watched(lambda event, name: print(event.value, name, flush=True)):
        print(importlib.import_module(module).kernel(3.0), flush=True)
"""


def test_damaged_files_are_replaced(tmp_path):
    cache = tmp_path / 'cache'
    modules = {f'{kind}_{suffix}': kind for kind in DAMAGE for suffix in ('nbi', 'nbc')}
    for name in modules:
        (tmp_path / f'{name}.py').write_text(KERNEL)

    def call():
        """Return the lines printed for each module in a new process."""
        found = {}
        for line in run(CALL_ALL, *modules, first=tmp_path, NUMBA_CACHE_DIR=cache).splitlines():
            if line in modules:
                lines = found[line] = []
            else:
                lines.append(line)
        return found

    assert set(map(tuple, call().values())) == {('compiles double', '6.0')}
    damaged = {}
    for name, kind in modules.items():
        (damaged[name],) = cache.rglob(f'{name}.*.{name[-3:]}')
        damaged[name].write_bytes(DAMAGE[kind](damaged[name].read_bytes()))
    for name, (warning, *rest) in call().items():
        assert 'damaged' in warning and str(damaged[name]) in warning
        assert rest == ['compiles double', '6.0'], name
    assert set(map(tuple, call().values())) == {('6.0',)}
    assert not list(cache.rglob('*.lock'))


def _without_permission(path):
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip('this user reads every file')
    return 'Permission denied'


def _a_folder(path):
    path.unlink()
    path.mkdir()
    return 'Is a directory'


@pytest.mark.parametrize('suffix', ['nbi', 'nbc'])
@pytest.mark.parametrize('lock_away', [_without_permission, _a_folder])
def test_a_file_that_cannot_be_read_is_not_called_damaged(small, suffix, lock_away):
    call, file = small
    assert call() == ['compiles double', '6.0']
    path = file(suffix)
    reason = lock_away(path)
    lines = call()
    assert lines[0] == (
        f'cache of compiled kernels: {path} cannot be read ({reason}): compiling anew'
    )
    assert lines[-1] == '6.0' and 'compiles double' in lines
    assert not [line for line in lines if 'damaged' in line]


def test_two_processes_compile_once(tmp_path):
    processes = _two_processes(tmp_path)
    (tmp_path / 'go').touch()
    assert [process.communicate()[0] for process in processes] == ['6.0\n', '6.0\n']


def test_a_killed_process_gives_up_its_turn(tmp_path):
    first, second = _two_processes(tmp_path)
    first.kill()
    first.communicate()
    assert second.stdout.readline() == 'compiles double\n'
    (tmp_path / 'go').touch()
    assert second.communicate()[0] == '6.0\n'


def _two_processes(tmp_path):
    """Return a process that compiles, and one that waits for it."""
    (tmp_path / 'small.py').write_text(HELD)
    first, second = (
        start(CALL, first=tmp_path, NUMBA_CACHE_DIR=tmp_path / 'cache') for _ in range(2)
    )
    lines = [process.stdout.readline() for process in (first, second)]
    assert sorted(lines) == ['compiles double\n', 'waits double\n']
    return (first, second) if lines[0].startswith('compiles') else (second, first)


def test_no_lock_where_the_file_system_has_none(tmp_path, monkeypatch):
    import fcntl

    def flock(handle, operation):
        raise OSError(errno.ENOLCK, 'no locks available')

    monkeypatch.setattr(fcntl, 'flock', flock)
    with compile_turn(tmp_path / 'x.lock', pytest.fail):
        pass
    # a folder that cannot be made
    (tmp_path / 'file').touch()
    with compile_turn(tmp_path / 'file' / 'x.lock', pytest.fail):
        pass
