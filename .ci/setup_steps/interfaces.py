# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Build packages of interfaces into the environment."""

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
    """Build screw_dynamics_interfaces."""
    source = environment.root / 'screw_dynamics_interfaces'
    _build(environment, 'interfaces', source, 'screw_dynamics_interfaces (messages, services)')


def build_control_msgs(environment):
    """Build what tests use of control_msgs, unless a ROS 2 outside of the environment has it."""
    source = environment.root / 'test' / 'control_msgs'
    if not _is_installed(environment, source.name):
        title = 'control_msgs (messages and action of the tests)'
        _build(environment, source.name, source, title)


def _is_installed(environment, module):
    """Return True if the interpreter can import a module that was not built by `_build`."""
    found = subprocess.run(
        [environment.python, '-c', f'import {module}.msg; print({module}.msg.__file__)'],
        env=environment.variables(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    built = Path(found.stdout).is_relative_to(environment.prefix)
    return found.returncode == 0 and not built


def _build(environment, step, source, title):
    """Build a package of interfaces with colcon and install it into the environment."""
    inputs = [source, Path(__file__)]
    if environment.is_done(step, inputs):
        return
    build = environment.prefix / 'build'
    # a build folder keeps what CMake found in an environment that may have been replaced
    shutil.rmtree(build / source.name, ignore_errors=True)
    command = [environment.python, '-m', 'colcon', '--log-base', environment.prefix / 'log/colcon']
    command += ['build', '--base-paths', source, '--event-handlers', 'console_direct+']
    command += ['--build-base', build, '--install-base', environment.prefix, '--merge-install']
    command += [
        '--cmake-args',
        '-DBUILD_TESTING=OFF',
        f'-DPython3_EXECUTABLE={environment.python}',
    ]
    if not environment.interpreter.ros_distro:  # the wheels have no rclcpp
        command.append('-DFOR_PYTHON_ALONE=ON')
    environment.progress.run(step, title, command, environment.variables())
    environment.mark_done(step, inputs)
