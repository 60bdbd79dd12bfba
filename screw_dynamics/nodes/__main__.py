# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main function of several nodes in one process."""

import sys
from collections.abc import Sequence
from importlib import import_module

from rclpy.utilities import remove_ros_args

from screw_dynamics.nodes.shared.executor import run_nodes

# in the order of the data: a node ends before those that it listens to
NODES = {
    'feedforward': 'feedforward.node.FeedforwardNode',
    'compensation': 'compensation.CompensationNode',
    'drive_commands': 'drive_commands.DriveCommandsNode',
    'load_observer': 'load_observer.node.LoadObserverNode',
    'sea_simulator': 'sea_simulator.node.SeaSimulatorNode',
    'dynamics_server': 'dynamics_server.node.DynamicsServerNode',
    'viewer': 'viewer.ViewerNode',
}
_USAGE = f"""usage: nodes NODE... [--ros-args [--params-file FILE] [-r NODE:FROM:=TO] ...]

Runs nodes in one process, with one executor. NODE is one of {', '.join(NODES)}.
Parameters and remappings are those of each node by its name."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the named nodes until a signal; return the exit code."""
    try:
        named = remove_ros_args(list(sys.argv if args is None else args))[1:]
    except RuntimeError as error:
        print(f'nodes: {error}', file=sys.stderr)
        return 2
    if '-h' in named or '--help' in named:
        print(_USAGE)
        return 0
    wrong = [f'unknown node {name!r}' for name in named if name not in NODES]
    wrong += [f'{name} is named twice' for name in NODES if named.count(name) > 1]
    if wrong or not named:
        reason = wrong[0] if wrong else 'no node is named'
        print(f'nodes: {reason}: expected some of {", ".join(NODES)}, once', file=sys.stderr)
        return 2
    found = (path.rpartition('.') for name, path in NODES.items() if name in named)
    makers = [
        getattr(import_module(f'screw_dynamics.nodes.{module}'), kind) for module, _, kind in found
    ]
    return run_nodes(makers, 'nodes', args)


if __name__ == '__main__':
    sys.exit(main())
