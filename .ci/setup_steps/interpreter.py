# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Find a Python that can carry the environment, and the tools that build the interfaces."""

import json
import os
import re
import shutil
import subprocess
import sys

from progress import SetUpError

OLDEST = (3, 10)
# the newest for which the ROS 2 wheels and this package are known to install
NEWEST_WITH_WHEELS = (3, 13)
NEWEST_FIRST = ('python3.13', 'python3.12', 'python3.11', 'python3.10')

# runs in the candidate; also in Pythons too old for f-strings
PROBE = """
import importlib.util as util, json, os, sys, sysconfig
include = sysconfig.get_path('include')
numpy = util.find_spec('numpy')
if numpy:
    import importlib.metadata
    numpy = importlib.metadata.version('numpy')
print(json.dumps({
    'path': os.path.realpath(getattr(sys, '_base_executable', None) or sys.executable),
    'version': list(sys.version_info[:3]),
    'venv': all(util.find_spec(name) is not None for name in ('venv', 'ensurepip')),
    'headers': os.path.isfile(os.path.join(include, 'Python.h')),
    'rclpy': util.find_spec('rclpy') is not None,
    'numpy': numpy,
}))
"""


class Interpreter:
    """A Python interpreter: where it is, what it has, and which ROS 2 it sees."""

    def __init__(self, path, version, venv, headers, rclpy, numpy):
        self.path, self.version = path, tuple(version)
        self.venv, self.headers, self.numpy = venv, headers, numpy
        # the wheels set no ROS_DISTRO: set and importable means that a ROS 2 is sourced
        self.ros_distro = os.environ.get('ROS_DISTRO', '') if rclpy else ''

    @property
    def name(self):
        """For example ``Python 3.12.1 (/usr/bin/python3.12)``."""
        return f'Python {".".join(map(str, self.version))} ({self.path})'

    def lacks(self):
        """Return what keeps this interpreter from being used, in words; empty when nothing."""
        short = '.'.join(map(str, self.version[:2]))
        if self.version[:2] < OLDEST:
            return [f'is older than {OLDEST[0]}.{OLDEST[1]}']
        if self.version[:2] > NEWEST_WITH_WHEELS and not self.ros_distro:
            newest = '.'.join(map(str, NEWEST_WITH_WHEELS))
            return [f'is newer than {newest}, for which the ROS 2 wheels are known to work']
        faults = []
        if not self.venv:
            faults.append(f'has no venv (Debian, Ubuntu: apt install python{short}-venv)')
        if not self.headers:
            faults.append(f'has no C headers (Debian, Ubuntu: apt install python{short}-dev)')
        return faults


def choose_interpreter(root):
    """
    Return the interpreter for the environment; check the other tools on the way.

    `PYTHON` in the environment decides; else the one of the environment that exists; else
    python3, then the newest of python3.13 to python3.10 that has what is needed.

    Raises
    ------
    SetUpError
        Something is missing; the message lists it all and says what to install.

    """
    named = os.environ.get('PYTHON')
    candidates = [named] if named else [*recorded(root), sys.executable, *NEWEST_FIRST]
    faults = []
    for candidate in candidates:
        interpreter = probe(candidate)
        if interpreter is None:
            if named:
                faults.append(f'PYTHON={named} is no Python that runs')
            continue
        lacking = interpreter.lacks()
        if not lacking:
            faults = []
            break
        faults += [f'{interpreter.name} {what}' for what in lacking]
    faults += missing_tools()
    if faults:
        raise SetUpError('\n  - '.join(['something is missing:', *dict.fromkeys(faults)]))
    return interpreter


def recorded(root):
    """Return the interpreter that the existing environment was made with, as a list."""
    try:
        text = (root / '.venv' / 'pyvenv.cfg').read_text()
    except OSError:
        return []
    fields = dict(re.findall(r'^(\w+) = (.*)$', text, re.MULTILINE))
    minor = '.'.join(fields.get('version', '3').split('.')[:2])
    return [f'{fields.get("home", "")}/python{minor}']


def probe(command):
    """Return what `command` is, or None if it is no Python that runs."""
    path = shutil.which(str(command))
    if path is None:
        return None
    try:
        answer = subprocess.run(
            [path, '-c', PROBE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        ).stdout
        return Interpreter(**json.loads(answer))
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None


def missing_tools():
    """Return what the build of the interfaces needs and cannot find, in words."""
    faults = []
    if shutil.which('cmake') is None:
        faults.append('cmake is not installed (Debian, Ubuntu: apt install cmake)')
    compilers = [os.environ.get('CXX') or 'c++', 'g++', 'clang++']
    if not any(shutil.which(name) for name in compilers):
        faults.append('no C++ compiler is installed (Debian, Ubuntu: apt install g++)')
    if not any(shutil.which(name) for name in ('make', 'ninja')):
        faults.append('make is not installed (Debian, Ubuntu: apt install make)')
    return faults
