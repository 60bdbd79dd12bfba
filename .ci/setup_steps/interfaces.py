# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Build screw_dynamics_interfaces into the environment."""

import re
import shutil
import subprocess
import time
from pathlib import Path

# The CMake files of the ROS 2 wheels name folders of the machine that built the wheels.
FOREIGN_PYTHON = re.compile(r'/opt/python/cp\d+-cp\d+/include/python3\.\d+')
FOREIGN_NUMPY = re.compile(
    r'/opt/python/cp\d+-cp\d+/lib/python3\.\d+/site-packages/numpy/_?core/include'
)
FOLDERS = (
    'import numpy, sysconfig; print(sysconfig.get_path("include")); print(numpy.get_include())'
)


def repair_cmake_files(environment):
    """Let the CMake files of the wheels name this Python's headers and its NumPy's."""
    inputs = [environment.root / '.ci' / 'ros_wheels.txt', Path(__file__)]
    if environment.is_done('cmake_files', inputs):
        return
    start = time.monotonic()
    python, numpy = subprocess.run(
        [environment.python, '-c', FOLDERS], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    for path in (environment.prefix / 'share').rglob('*.cmake'):
        old = path.read_text()
        new = FOREIGN_NUMPY.sub(lambda _: numpy, FOREIGN_PYTHON.sub(lambda _: python, old))
        if new != old:
            path.write_text(new)
    environment.progress.done('paths in the CMake files of the wheels', time.monotonic() - start)
    environment.mark_done('cmake_files', inputs)


def build_interfaces(environment):
    """Build the interface package with colcon and install it into the environment."""
    source = environment.root / 'screw_dynamics_interfaces'
    inputs = [source, Path(__file__)]
    if environment.is_done('interfaces', inputs):
        return
    build = environment.prefix / 'build'
    # a build folder keeps what CMake found in an environment that may have been replaced
    shutil.rmtree(build, ignore_errors=True)
    command = [environment.python, '-m', 'colcon', '--log-base', environment.prefix / 'log/colcon']
    command += ['build', '--base-paths', source, '--event-handlers', 'console_direct+']
    command += ['--build-base', build, '--install-base', environment.prefix, '--merge-install']
    command += [
        '--cmake-args',
        '-DBUILD_TESTING=OFF',
        f'-DPython3_EXECUTABLE={environment.python}',
    ]
    environment.progress.run(
        'interfaces',
        'screw_dynamics_interfaces (messages, services)',
        command,
        environment.variables(),
    )
    environment.mark_done('interfaces', inputs)
