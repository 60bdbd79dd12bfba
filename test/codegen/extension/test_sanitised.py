# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""No call of the public API makes the extension module touch memory that is not its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from screw_dynamics.codegen.extension.all_kernels import all_kernels
from screw_dynamics.kernels.kernel import sources_stamp

OPTIONS = '-g', '-w', '-fsanitize=address,undefined', '-fno-sanitize-recover=undefined'


@pytest.mark.long
def test_drawn_calls_leave_no_report_of_the_sanitisers(tmp_path, build_module):
    ask = ['cc', '-print-file-name=libasan.so']
    library = Path(subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip())
    if not library.is_absolute():
        pytest.skip('needs the sanitisers of gcc')
    build_module(tmp_path, '_kernels', all_kernels(), *OPTIONS, stamp=sources_stamp())
    run = subprocess.run(
        [sys.executable, '-W', 'ignore', Path(__file__).with_name('api_fuzz.py'), tmp_path, '150'],
        env={
            **os.environ,
            'PYTHONPATH': os.pathsep.join(sys.path),
            'SCREW_DYNAMICS_KERNELS': 'c',
            'LD_PRELOAD': str(library),
            'ASAN_OPTIONS': 'detect_leaks=0',  # Python keeps memory until its end
        },
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0 and run.stdout == 'done\n', run.stderr[-6000:]
