# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Processor time of `feedforward` for an arm with a soft segment, beside that for a rigid arm."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from helpers.node_processes import node_command
from helpers.ros_fixture import RosFixture

from benchmarks.node.processes import URDF, interrupt, paced, random_motion, usage
from benchmarks.report import Report, Requirement
from screw_dynamics import ScrewModel, read_urdf, soft
from screw_dynamics_interfaces.msg import FeedforwardTorque

RATE, JOINTS, TIP = 250.0, 12, 'link_6'
ALLOWED = 0.1  # of a core, above the share of the rigid arm
WARM_UP, STEP = 2.0, 0.5  # s
SEGMENTS = """\
tip_link: link_6
segments:
  - {name: trunk, type: constant_curvature, length: 0.3, radius: 0.02, mass: 0.4,
     bending_stiffness: 0.06, axial_stiffness: 630.0, damping: 0.1}
threads:
  - {name: thread_1, offsets: {trunk: [0.015, 0.0]}}
  - {name: thread_2, offsets: {trunk: [-0.0075, 0.013]}}
  - {name: thread_3, offsets: {trunk: [-0.0075, -0.013]}}
"""


@dataclass(frozen=True)
class Share:
    """Part of a core that a node took, and the samples that were received of it [Hz]."""

    of_core: float
    rate: float

    @property
    def at_full_rate(self) -> float:
        """What it would take if no tick were missed."""
        return self.of_core * RATE / self.rate


def rigid_urdf(joints: int = JOINTS) -> str:
    """Return an arm whose joints turn about x, y and z in turns."""
    parts = ['<robot name="long_arm">', '<link name="base"/>']
    for i in range(1, joints + 1):
        axis = ' '.join('1' if k == i % 3 else '0' for k in range(3))
        parts.append(
            f'<joint name="joint_{i}" type="revolute">'
            f'<parent link="{"base" if i == 1 else f"link_{i - 1}"}"/><child link="link_{i}"/>'
            f'<origin xyz="0 0 0.1"/><axis xyz="{axis}"/>'
            '<limit lower="-3" upper="3" velocity="5" effort="500"/></joint>'
            f'<link name="link_{i}"><inertial><origin xyz="0 0 0.05"/><mass value="1"/>'
            '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
    return '\n'.join([*parts, '</robot>'])


@contextmanager
def _running(
    ros: RosFixture,
    name: str,
    model: ScrewModel | soft.HybridRobot,
    seconds: float,
    **robot: object,
) -> Iterator[tuple[int, list[int]]]:
    """Run a node that follows a trajectory; yield its process and the number of its samples."""
    process = ros.start_command(
        node_command('feedforward'), name=name, publish_rate=RATE, derivative_order=2, **robot
    )
    ros.wait_until_active(process, f'/{name}')
    received = [0]

    def count(_: bytes) -> None:
        received[0] += 1

    ros.node.create_subscription(FeedforwardTorque, f'/{name}/feedforward', count, 10, raw=True)
    scale = [0.02 if name.endswith('stretch') else 0.4 for name in model.joint_names]
    motion = random_motion(model.joint_names, seconds, scale)
    ros.publish(motion, f'/{name}/joint_trajectory')
    ros.wait_for('the first sample', lambda: received[0], process)
    yield process.pid, received
    interrupt(process)


def shares(seconds: float) -> tuple[Share, Share]:
    """Run both nodes at once, so that both meet the same load of the machine."""
    following = seconds + 60.0
    with RosFixture() as ros, TemporaryDirectory() as folder:
        long_arm, file = Path(folder) / 'long_arm.urdf', Path(folder) / 'segments.yaml'
        long_arm.write_text(rigid_urdf(), encoding='utf-8')
        file.write_text(SEGMENTS, encoding='utf-8')
        hybrid = soft.append_segments(read_urdf(URDF, tip_link=TIP), file)
        with (
            _running(ros, 'rigid', read_urdf(long_arm), following, urdf_path=long_arm) as one,
            _running(
                ros, 'hybrid', hybrid, following, urdf_path=URDF, tip_link=TIP, soft_segments=file
            ) as other,
        ):
            ros.spin(WARM_UP)
            begun = time.monotonic()
            before = [usage(pid).processor for pid, _ in (one, other)]
            counts = [received[0] for _, received in (one, other)]
            for _ in paced(ros, round(seconds / STEP), STEP, 'rigid arm beside soft segment'):
                pass
            took = time.monotonic() - begun
            used = [usage(pid).processor for pid, _ in (one, other)]
            counts = [
                received[0] - count
                for (_, received), count in zip((one, other), counts, strict=True)
            ]
    rigid, hybrid_arm = (
        Share((late - early) / took, count / took)
        for early, late, count in zip(before, used, counts, strict=True)
    )
    return rigid, hybrid_arm


def add(report: Report, rigid: Share, hybrid: Share, seconds: float) -> None:
    """Add the section."""
    report.heading('An arm with a soft segment')
    report.text(
        f'A rigid arm of {JOINTS} joints, and six joints of iiwa14.urdf with an arc of constant '
        f'curvature and three threads: two nodes at once at {RATE:g} Hz for {seconds:g} s; '
        'efforts with two derivatives, tensions with one.'
    )
    rows = [
        [
            name,
            f'{100 * share.of_core:.1f} %',
            f'{share.rate:.1f} Hz',
            f'{100 * share.at_full_rate:.1f} %',
        ]
        for name, share in ((f'rigid arm, {JOINTS} joints', rigid), ('six joints and arc', hybrid))
    ]
    header = ['robot', 'share of a core', 'samples received', f'share at {RATE:g} Hz']
    report.table(header, rows)
    more = 100.0 * (hybrid.at_full_rate - rigid.at_full_rate)
    name = 'points of a core that an arm with a soft segment needs more than a rigid arm'
    verdict = report.verdict(Requirement(name, more, 100.0 * ALLOWED))
    report.text(
        f'Required of the arm with an arc: at most {100 * ALLOWED:g} points more: {verdict}.'
    )
