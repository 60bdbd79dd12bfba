# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch files as others include them, and their processes."""

import os
import subprocess
import sys

from launch import LaunchDescription, LaunchService
from launch.actions import (
    IncludeLaunchDescription,
    RegisterEventHandler,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    Shutdown,
    TimerAction,
)
from launch.event_handlers import OnProcessExit, OnProcessIO
from launch.launch_description_sources import PythonLaunchDescriptionSource

from helpers.patience import patience
from screw_dynamics import share_path

_LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
service = LaunchService(argv=[])
arguments = [tuple(argument.split(':=', 1)) for argument in sys.argv[2:]]
file = IncludeLaunchDescription(sys.argv[1], launch_arguments=arguments)
service.include_launch_description(LaunchDescription([file]))
sys.exit(service.run())
"""


def _patient():
    """Return the times after which launch kills what has not ended; 10 s are few when busy."""
    return {'sigterm_timeout': str(patience()), 'sigkill_timeout': str(patience())}


def launch_process(ros, name, **arguments):
    """Return a process that launches a file as `ros2 launch` does, in a group of its own."""
    texts = [f'{key}:={value}' for key, value in {**_patient(), **arguments}.items()]
    return subprocess.Popen(
        [sys.executable, '-c', _LAUNCH, share_path(f'launch/{name}.launch.py'), *texts],
        env={**ros.environment, 'AMENT_PREFIX_PATH': os.environ['AMENT_PREFIX_PATH']},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def included(name, **arguments):
    """Return the inclusion of a launch file with arguments."""
    source = PythonLaunchDescriptionSource(str(share_path(f'launch/{name}.launch.py')))
    texts = [(key, str(value)) for key, value in arguments.items()]
    return IncludeLaunchDescription(source, launch_arguments=texts)


def described(ros, exit_codes, *entities):
    """Return what is launched in the DDS domain of the client, and notes exit codes by process."""

    def on_exit(event, _):
        exit_codes[event.process_name] = event.returncode

    return LaunchDescription(
        [
            SetEnvironmentVariable('ROS_DOMAIN_ID', ros.environment['ROS_DOMAIN_ID']),
            SetEnvironmentVariable('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST'),
            RegisterEventHandler(OnProcessExit(on_exit=on_exit)),
            *(SetLaunchConfiguration(name, value) for name, value in _patient().items()),
            *entities,
        ]
    )


class Launched:
    """
    A launch file that runs in this process.

    It is shut down when something holds of what its processes have written, or after the
    time that tests wait for anything.
    """

    def __init__(self, ros, name, until=lambda launched: False, **arguments):
        self.codes, self._written, self._until = {}, {}, until
        self.service = LaunchService(argv=[], noninteractive=True)
        self.service.include_launch_description(
            described(
                ros,
                self.codes,
                RegisterEventHandler(
                    OnProcessIO(on_stdout=self._on_output, on_stderr=self._on_output)
                ),
                TimerAction(period=patience(), actions=[Shutdown(reason='too late')]),
                included(name, **arguments),
            )
        )

    def _on_output(self, event):
        self._written.setdefault(event.process_name, []).append(event.text.decode())
        return [Shutdown(reason='it holds')] if self._until(self) else None

    @property
    def processes(self):
        """The names of those that have written something."""
        return set(self._written)

    def text(self, process=''):
        """Return what the processes have written whose names begin so."""
        return ''.join(
            ''.join(texts) for name, texts in self._written.items() if name.startswith(process)
        )
