# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The virtual environment, and the memory of which steps it has been through."""

import hashlib
import os
from pathlib import Path

KEPT = ('.lock', 'log')


class Environment:
    """
    The virtual environment in .venv.

    A step leaves a stamp: a digest of what it depends on, written after it succeeded. It is run
    again when the digest differs. Stamps lie inside the environment and vanish with it.
    """

    def __init__(self, root, interpreter, progress):
        self.root, self.interpreter, self.progress = root, interpreter, progress
        self.prefix = root / '.venv'
        self.python = self.prefix / 'bin' / 'python'

    def create(self):
        """Make the environment, anew if it belongs to another interpreter or to another ROS."""
        ros = self.interpreter.ros_distro
        inputs = [self.interpreter.name, ros, str(self.prefix)]
        if self.is_done('environment', inputs):
            return
        old = [child for child in self.prefix.iterdir() if child.name not in KEPT]
        if old:
            self.progress.run('removal', 'removal of the environment before', ['rm', '-rf', *old])
        options = ['--system-site-packages'] if ros else []
        self.progress.run(
            'environment',
            f'environment of {self.interpreter.name}{f", ROS 2 {ros}" if ros else ""}',
            [self.interpreter.path, '-m', 'venv', *options, self.prefix],
        )
        self.mark_done('environment', inputs)

    def pip(self, step, title, arguments, inputs=()):
        """
        Install with pip, once.

        Parameters
        ----------
        step, title : str
            Name of the step, and what its line says.
        arguments : list
            What follows ``pip install``; the step runs again when a file among them changes.
        inputs : list of Path
            Further files on whose content the step depends.

        """
        inputs = [*arguments, *inputs]
        if self.is_done(step, inputs):
            return
        # run_in_env keeps the bytecode elsewhere
        command = [self.python, '-m', 'pip', 'install', '--no-compile', *arguments]
        if self.interpreter.ros_distro and self.interpreter.numpy:
            # the messages of the sourced ROS are compiled against this very NumPy
            constraints = self.prefix / 'constraints.txt'
            constraints.write_text(f'numpy=={self.interpreter.numpy}\n')
            command += ['--constraint', constraints]
        # the extension module has a step of its own
        variables = {**self.variables(), 'SCREW_DYNAMICS_EXTENSION': '0'}
        self.progress.run(step, title, command, variables)
        self.mark_done(step, inputs)

    def variables(self):
        """Return the environment variables in which tools of the environment run."""
        variables = dict(os.environ)
        variables.pop('PYTHONHOME', None)
        variables['VIRTUAL_ENV'] = str(self.prefix)
        variables['PATH'] = f'{self.prefix / "bin"}{os.pathsep}{variables.get("PATH", "")}'
        variables['PIP_DISABLE_PIP_VERSION_CHECK'] = '1'
        # here lie the CMake packages of the ROS 2 wheels
        for name in ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH'):
            known = [part for part in variables.get(name, '').split(os.pathsep) if part]
            variables[name] = os.pathsep.join(dict.fromkeys([str(self.prefix), *known]))
        return variables

    def is_done(self, step, inputs):
        """Say whether a step has succeeded with these inputs."""
        stamp = self._stamp(step)
        return stamp.is_file() and stamp.read_text() == digest(inputs)

    def mark_done(self, step, inputs):
        """Remember that a step has succeeded with these inputs."""
        stamp = self._stamp(step)
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(digest(inputs))

    def _stamp(self, step):
        return self.prefix / 'stamps' / step


def digest(inputs):
    """Return a digest of texts, of paths, and of what the files (below the folders) hold."""
    state = hashlib.sha256()
    for item in inputs:
        state.update(f'{item}\n'.encode())
        if isinstance(item, Path):
            for path in sorted(item.rglob('*')) if item.is_dir() else [item]:
                if path.is_file():
                    state.update(f'{path}\n'.encode() + path.read_bytes())
    return state.hexdigest()
