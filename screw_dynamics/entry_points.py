# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""
Entry points of the package: the command `screw_dynamics` and the executables of `ros2 run`.

Importing what they run (NumPy, SciPy, ROS) takes a moment, during which Ctrl-C or a missing
package would end in a traceback. Therefore this module needs only the standard library.
"""

import os
import signal
import sys
from functools import partial
from importlib import import_module
from importlib.util import find_spec

_INTERRUPTED = 130  # the exit code that shells report for a process ended by SIGINT
_SOURCE_ROS = (
    'source the setup file of ROS 2 (source /opt/ros/<distro>/setup.bash) and of the workspace '
    'that screw_dynamics was built in'
)
# in addition to the requirements of the library
_LIBRARIES = {
    'recorder': ('mcap', 'rosbags'),
    'viewer': ('viser',),
    'demo': ('matplotlib', 'mcap', 'rosbags', 'rich'),
    'demo_sea': ('matplotlib', 'mujoco', 'rich'),
}


def run(name: str, module: str, function: str = 'main') -> int:
    """
    Import a module and return the exit code of one of its functions; 1 if a package is missing.

    Ctrl-C before it starts ends the process by SIGINT, like any program that does not handle it.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.SIG_IGN:  # ignored under nohup and in the background of a script
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        missing = [library for library in _LIBRARIES.get(name, ()) if find_spec(library) is None]
        if missing:
            print(f'{name}: {_not_installed(missing)}', file=sys.stderr)
            return 1
        main = getattr(import_module(module), function)
        signal.signal(signal.SIGINT, handler)
        code: int = main()
        return code
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # e.g. `--help | head`
        return 1
    except ImportError as error:
        remedy = _remedy(error)
        if not remedy:
            raise
        print(f'{name}: {remedy}', file=sys.stderr)
        return 1
    finally:
        _drop_unwritten()


def _drop_unwritten() -> None:
    """Flush stdout; redirect a broken one to /dev/null so that the final flush cannot fail."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        with open(os.devnull, 'w') as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _remedy(error: ImportError) -> str:
    """Return the missing package and how to install it; empty if unknown."""
    package = (error.name or '').partition('.')[0]
    if package in {'rclpy', 'ament_index_python', 'rpyutils', 'std_srvs'} or package.endswith(
        ('_msgs', '_interfaces')
    ):
        return f'{str(error).splitlines()[0]}: {_SOURCE_ROS}'
    if isinstance(error, ModuleNotFoundError) and package not in {'', 'screw_dynamics'}:
        return _not_installed([package])
    return ''


def _not_installed(packages: list[str]) -> str:
    return f'not installed: {", ".join(packages)}: pip install {" ".join(packages)}'


nodes = partial(run, 'nodes', 'screw_dynamics.nodes.__main__')
feedforward = partial(run, 'feedforward', 'screw_dynamics.nodes.feedforward.node')
compensation = partial(run, 'compensation', 'screw_dynamics.nodes.compensation')
drive_commands = partial(run, 'drive_commands', 'screw_dynamics.nodes.drive_commands')
dynamics_server = partial(run, 'dynamics_server', 'screw_dynamics.nodes.dynamics_server.node')
trajectory_sender = partial(run, 'trajectory_sender', 'screw_dynamics.nodes.trajectory_sender')
sea_simulator = partial(run, 'sea_simulator', 'screw_dynamics.nodes.sea_simulator.node')
load_observer = partial(run, 'load_observer', 'screw_dynamics.nodes.load_observer.node')
viewer = partial(run, 'viewer', 'screw_dynamics.nodes.viewer')
recorder = partial(run, 'recorder', 'screw_dynamics.recordings.bags.recorder')
demo = partial(run, 'demo', 'screw_dynamics.demo')
demo_sea = partial(run, 'demo_sea', 'screw_dynamics.demo', 'sea')
demo_soft = partial(run, 'demo_soft', 'screw_dynamics.demo', 'soft')
command_line = partial(run, 'screw_dynamics', 'screw_dynamics.command_line.main')
