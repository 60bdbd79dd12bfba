# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The extension module of the package: complete, up to date, and chosen as it should be."""

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from setuptools import Distribution

import screw_dynamics as sd
from screw_dynamics.codegen.extension import build
from screw_dynamics.codegen.extension.all_kernels import all_kernels
from screw_dynamics.errors import InputError
from screw_dynamics.kernels import kernel

ROOT = Path(__file__).resolve().parents[3]

pytestmark = [
    pytest.mark.first,
    pytest.mark.long,
    pytest.mark.skipif(shutil.which('cc') is None, reason='needs a C compiler'),
]


@pytest.fixture
def fresh():
    """Return the function after which kernels are chosen anew, as they are after the test."""
    forget = kernel.c_functions.cache_clear
    forget()
    yield forget
    forget()


def test_every_kernel_of_the_package_is_in_it():
    kernels = all_kernels()
    assert set(kernels) == set(kernel.c_functions())
    ours = {
        thing.name
        for name, module in list(sys.modules.items())
        if name.startswith('screw_dynamics.')
        for thing in vars(module).values()
        if type(thing) is kernel.Kernel
    }
    assert ours and not ours - set(kernels)


def test_the_kernels_are_its_functions():
    sd.inverse_dynamics(sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')), np.zeros((3, 2)))
    kernels = all_kernels()
    module = kernels['bodies.samples.single_inverse_dynamics_0'].run.__self__
    assert module.__name__.startswith('screw_dynamics._kernels')


def test_both_modules_give_the_same_numbers(rng):
    narrow = importlib.import_module('screw_dynamics._kernels')
    if not narrow.WIDE:
        pytest.skip('one module serves this processor')
    wide = importlib.import_module('screw_dynamics._kernels_wide')
    assert narrow.STAMP == wide.STAMP == kernel.sources_stamp()
    model = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
    jets = rng.normal(size=(7, 5, model.n))
    parameters = model.kernel_tables.parameters
    results = []
    for module in (narrow, wide):
        single, batch = np.empty((3, model.n)), np.empty((7, 3 * model.n))
        flat, name = jets.reshape(7, -1), 'bodies.samples.{}_inverse_dynamics_2'.format
        assert vars(module)[name('single')](jets[0], single, parameters) == 0
        assert vars(module)[name('batch')](2, flat, flat, flat, batch, parameters) == 0
        np.testing.assert_array_equal(single.ravel(), batch[0])
        results.append(batch)
    np.testing.assert_array_equal(*results)


def test_the_environment_chooses(monkeypatch, fresh):
    monkeypatch.setenv('SCREW_DYNAMICS_KERNELS', 'python')
    assert not kernel.c_functions() and sd.kernel_form() == 'python'
    fresh()
    monkeypatch.setenv('SCREW_DYNAMICS_KERNELS', 'C++')
    with pytest.raises(InputError, match="expected one of c, python, got 'C\\+\\+'"):
        kernel.c_functions()


@pytest.mark.parametrize('change', ['stamp', 'missing'])
def test_a_module_that_cannot_serve_is_not_used(monkeypatch, caplog, fresh, change):
    if change == 'stamp':
        monkeypatch.setattr(kernel, 'sources_stamp', lambda: 'another')
    else:
        monkeypatch.setitem(sys.modules, 'screw_dynamics._kernels', None)
    assert not kernel.c_functions() and not kernel.c_functions()
    (record,) = caplog.records
    reason = 'built from other sources' if change == 'stamp' else 'was built without'
    assert reason in record.getMessage() and '\n' not in record.getMessage()
    fresh()
    monkeypatch.setenv('SCREW_DYNAMICS_KERNELS', 'c')
    with pytest.raises(InputError, match='expected an extension module for c, got none: '):
        kernel.c_functions()


FOUND_FIRST = """
import sys
import screw_dynamics
screw_dynamics.__path__.insert(0, sys.argv[1])  # the modules there are found first
print(screw_dynamics.kernel_form())
"""
LIBRARY = Path(importlib.import_module('numpy.linalg._umath_linalg').__file__)
DAMAGE = {
    'cut off': (lambda data: data[: 2 * len(data) // 3], 'is cut off'),
    'header': (lambda data: data[:200], 'is cut off'),
    'empty': (lambda data: b'', 'cannot be loaded'),
    'random': (lambda data: b'\x7fELF\x01' + data[5:], 'cannot be loaded'),
    'another': (lambda data: LIBRARY.read_bytes(), 'cannot be loaded'),
}


def modules():
    names = ['_kernels']
    if importlib.import_module('screw_dynamics._kernels').WIDE:
        names.append('_kernels_wide')
    return [Path(importlib.import_module(f'screw_dynamics.{name}').__file__) for name in names]


@pytest.mark.parametrize('damage, text', DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize('k', [0, -1], ids=['for every processor', 'for this processor'])
def test_a_damaged_file_is_named_and_not_loaded(tmp_path, damage, text, k):
    file = modules()[k]
    target = tmp_path / file.name
    target.write_bytes(damage(file.read_bytes()))
    run = subprocess.run(
        [sys.executable, '-c', FOUND_FIRST, str(tmp_path)],
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run
    assert run.stdout.strip() == ('c' if k and len(modules()) == 2 else 'python')
    (line,) = run.stderr.splitlines()
    assert f'{target} {text}' in line and 'build the package again with a C' in line


def test_whole_files_are_told_apart(tmp_path):
    for file in (*modules(), LIBRARY, Path(__file__)):
        assert kernel.is_whole(file)
    data = modules()[0].read_bytes()
    for size in (63, 64, 300, len(data) // 2, 9 * len(data) // 10):
        (tmp_path / 'cut').write_bytes(data[:size])
        assert not kernel.is_whole(tmp_path / 'cut')


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Return the command that builds one module below a folder of the test."""
    monkeypatch.chdir(tmp_path)
    module, *_ = build.extension_modules()
    distribution = Distribution({'ext_modules': [module], 'packages': ['screw_dynamics']})
    command = build.BuildKernels(distribution)
    command.build_lib, command.build_temp = 'lib', 'temp'
    command.finalize_options()
    for folder in ('screw_dynamics', 'lib/screw_dynamics'):
        (tmp_path / folder).mkdir(parents=True)
    return command


def test_a_build_replaces_what_a_killed_one_left(command, monkeypatch):
    monkeypatch.setattr(build, 'write_kernels', lambda kernels: '')
    monkeypatch.setattr(build.build_ext, 'build_extensions', lambda self: None)
    built = Path(command.get_ext_fullpath('screw_dynamics._kernels'))
    for data, kept in ((modules()[0].read_bytes(), True), (b'\x7fELF\x02', False)):
        built.write_bytes(data)
        command.build_extensions()
        assert built.exists() == kept


def test_modules_that_are_built_at_a_time_have_object_files_of_their_own(command, monkeypatch):
    monkeypatch.setattr(build, 'write_kernels', lambda kernels: '')
    monkeypatch.setattr(build.build_ext, 'build_extensions', lambda self: None)
    command.extensions = build.extension_modules()
    command.build_extensions()
    sources = [source for extension in command.extensions for source in extension.sources]
    assert len(set(sources)) == len(command.extensions)  # setuptools names objects by sources


def test_a_damaged_file_beside_the_sources_is_replaced(command):
    built = Path(command.get_ext_fullpath('screw_dynamics._kernels'))
    built.write_bytes(b'whole')
    command.inplace = True
    beside = Path(command.get_ext_fullpath('screw_dynamics._kernels'))
    assert beside != built
    beside.write_bytes(b'who')
    os.utime(beside, (2e9, 2e9))  # newer than what was built
    command.copy_extensions_to_source()
    assert beside.read_bytes() == b'whole'


def test_bytecode_alone_is_not_called_out_of_date(tmp_path, monkeypatch, fresh):
    (tmp_path / 'kernels').mkdir()
    (tmp_path / 'kernels' / 'motions.pyc').write_bytes(b'')
    monkeypatch.setattr(kernel, '_PACKAGE', tmp_path)
    assert kernel.c_functions()


def test_its_sources_are_those_of_the_stamp(tmp_path, monkeypatch):
    stamp = kernel.sources_stamp()
    package = tmp_path / 'screw_dynamics'
    for folder in kernel._SOURCES:
        for path in (ROOT / 'screw_dynamics' / folder).rglob('*.[cph]*'):
            target = package / path.relative_to(ROOT / 'screw_dynamics')
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_file():
                target.write_bytes(path.read_bytes())
    monkeypatch.setattr(kernel, '_PACKAGE', package)
    assert kernel.sources_stamp() == stamp
    for name in (
        'kernels/bodies/forward.py',
        'codegen/extension/prelude.h',
        'codegen/translator/types.py',
    ):
        with open(package / name, 'a') as file:
            file.write('\n')
        changed = kernel.sources_stamp()
        assert changed != stamp
        stamp = changed
