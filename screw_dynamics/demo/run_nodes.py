# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Run of the nodes on the demo's trajectory, with recording."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from screw_dynamics.demo.processes import DemoError, Processes, ros_processes
from screw_dynamics.model import ScrewModel
from screw_dynamics.paths import share_path
from screw_dynamics.progress import Stage, ticks
from screw_dynamics.trajectory import TrajectoryPoint, smooth_trajectory, waypoints_from_points

URDF = 'urdf/iiwa14.urdf'
HOLD = 0.5  # s of recording after the last waypoint
REPORT_PERIOD = 0.5  # s between the node's diagnostics


def drive_nodes(
    folder: Path, model: ScrewModel, points: Sequence[TrajectoryPoint], rate: float
) -> list[str]:
    """
    Run the nodes, call the services, follow the trajectory, and record everything.

    `rate` is that of publication [Hz]. Writes `bag` and `logs` in `folder`, and returns the lines
    of the report on the services. Raises `DemoError` if ROS 2 is missing, or a process or a
    service fails.
    """
    require_ros()
    from screw_dynamics.demo.client import DemoClient
    from screw_dynamics.demo.report import check_services

    with ros_processes(folder / 'logs') as processes, ExitStack() as stack:
        with Stage('Start the nodes and the recorder') as line:
            _start(processes, folder / 'bag', rate)

            def while_waiting(missing: str) -> None:
                line.update(0, processes.require_advance(missing))

            client = DemoClient(share_path(URDF), while_waiting)
            stack.callback(client.destroy_node)
            client.wait_until_ready()
        with Stage('Call GetMassMatrix and GetInverseDynamics'):
            trajectory = smooth_trajectory(
                waypoints_from_points(model.joint_names, points, model.joint_names)
            )
            jet = trajectory.jets([0.4 * trajectory.duration])[0]
            services = list(check_services(client, model, jet))
        client.send_trajectory(model.joint_names, points)
        total = points[-1].time_from_start + HOLD
        for seconds in ticks('Follow the trajectory', total):
            client.spin(seconds)
            processes.require_running()
        with Stage('Close the bag and stop the nodes'):
            for name in ('recorder', 'feedforward', 'dynamics_server'):
                processes.stop(name)
    return services


def _start(processes: Processes, bag: Path, rate: float) -> None:
    processes.start('recorder', 'screw_dynamics.bags.recorder', '--all', '-o', bag)
    for name, parameters in (
        ('dynamics_server', ()),
        (
            'feedforward',
            ('-p', f'publish_rate:={rate}', '-p', f'diagnostic_updater.period:={REPORT_PERIOD}'),
        ),
    ):
        config = share_path(f'config/{name}.yaml')
        module = f'screw_dynamics.nodes.{name}.node'
        processes.start(name, module, '--ros-args', '--params-file', config, *parameters)


def require_ros() -> None:
    """Raise `DemoError` if ROS 2 or the interfaces are missing; ROS 2 itself reports it late."""
    problem = '' if os.environ.get('AMENT_PREFIX_PATH') else 'AMENT_PREFIX_PATH is not set'
    try:
        from rclpy.type_support import check_for_type_support

        from screw_dynamics_interfaces.srv import GetMassMatrix

        check_for_type_support(GetMassMatrix)
    except Exception as error:  # the type support raises its own exception type
        problem = str(error)
    if problem:
        raise DemoError(
            f'needs ROS 2 and the built screw_dynamics_interfaces ({problem}): run `make demo`, '
            'which sets them up, or source them'
        )
