# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""examples/cpp_controller: CMake generates the code, the simulated robot follows."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import screw_dynamics as sd

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / 'examples' / 'cpp_controller'
missing = [name for name in ('cmake', 'make', 'gcc', 'g++') if shutil.which(name) is None]

pytestmark = [
    pytest.mark.long,
    pytest.mark.processes,
    pytest.mark.skipif(bool(missing), reason=f'not installed: {", ".join(missing)}'),
]


def run(*command):
    environment = {**os.environ, 'PYTHONPATH': str(Path(sd.__file__).parents[1])}
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment, timeout=300
    ).stdout


def error_of(build):
    """Build the controller and return its largest tracking error."""
    run('cmake', '--build', build)
    ended = subprocess.run([build / 'controller'], capture_output=True, text=True, check=False)
    found = re.search(r'largest tracking error: (\S+)', ended.stdout)
    assert found is not None, ended.stderr
    return float(found[1]), ended.returncode


def test_the_simulated_robot_follows_with_generated_efforts(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / 'example')
    shutil.copy(sd.share_path('urdf/planar_2r.urdf'), tmp_path / 'arm.urdf')
    build, text = tmp_path / 'build', (tmp_path / 'arm.urdf').read_text()
    options = f'-DURDF={tmp_path / "arm.urdf"}', f'-DPython3_EXECUTABLE={sys.executable}'
    run('cmake', '-S', tmp_path / 'example', '-B', build, '-G', 'Unix Makefiles', *options)
    error, code = error_of(build)
    # held efforts are those of the middle of a tick: errors of order 1e-6 s^2 q''''
    assert code == 0 and error < 1e-4
    run('ctest', '--test-dir', build)
    # without weight in the feedforward the weak feedback leaves an error, and the program says so
    source = tmp_path / 'example' / 'controller.cpp'
    cpp = source.read_text()
    source.write_text(cpp.replace('tau[j] = efforts[j] +', 'tau[j] = 0.99 * efforts[j] +'))
    worse, code = error_of(build)
    assert code == 1 and worse > 10.0 * error
    # a heavier robot gets new code
    source.write_text(cpp)
    (tmp_path / 'arm.urdf').write_text(text.replace('mass value="', 'mass value="1'))
    before = (build / 'robot.c').read_text()
    error, code = error_of(build)
    assert code == 0 and (build / 'robot.c').read_text() != before
