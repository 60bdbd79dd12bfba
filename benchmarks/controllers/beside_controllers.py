# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Measure the set-ups of docs/guides.md with the controllers of ros2_control and mock hardware.

Needs a sourced ROS 2 with controller_manager, joint_trajectory_controller,
forward_command_controller, joint_state_broadcaster, ros2launch and this package. One line per
phase of a motion is printed: the difference between the efforts in the hardware and the exact ones
at the reference of the controller, at the instant for which the efforts are meant.

    python -m benchmarks.controllers.beside_controllers A-effort A-both B action delay --rate 250
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

import numpy as np
from helpers import guide_setups as guides
from helpers.goal_client import GoalClient, goal_of
from helpers.node_processes import trajectory
from helpers.real_controllers import Controllers, exact_efforts
from helpers.ros_fixture import RosFixture

from screw_dynamics import ScrewModel, read_urdf, share_path
from screw_dynamics.common.times import SECOND, nanoseconds

URDF = share_path('urdf/iiwa14.urdf')
START = 0.1  # rad
LEAD = 0.004  # s, as printed for set-up B
BOTH = ['position', 'effort']
GOALS, POINTS, DURATION = 25, 50, 10.0
CONTROLLER = '/arm_controller/follow_joint_trajectory'
NODE = '/arm_controller/feedforward/follow_joint_trajectory'


class Bench:
    """One running set-up, and motions through it."""

    def __init__(
        self, ros: RosFixture, running: Controllers, model: ScrewModel, seed: int
    ) -> None:
        self._ros, self._running, self._model = ros, running, model
        self._names = list(model.joint_names)
        self._rng = np.random.default_rng(seed)
        self._marks: list[tuple[str, int]] = []

    def now(self) -> int:
        return self._ros.node.get_clock().now().nanoseconds

    def mark(self, phase: str) -> None:
        self._marks.append((phase, self.now()))

    def positions(self) -> np.ndarray:
        """Return the reference of the controller."""
        state = self._ros.wait_for('a state', self._running.latest, self._running.process)
        return np.array(state.reference.positions)

    def wait_for_motion(self, since: np.ndarray, distance: float = 0.02) -> None:
        self._ros.wait_for('motion', lambda: np.ptp(self.positions() - since) > distance)

    def targets(self, count: int) -> np.ndarray:
        return START + self._rng.uniform(-0.5, 0.5, (count, len(self._names)))

    def topic_motion(self, topic: str) -> None:
        """Send a trajectory, replace it in motion, and let the second end."""
        first, second, last = self.targets(3)
        before = self.positions()
        # until the effort is that of the pose: commands begin with a ramp
        subscribers = 1 if topic.startswith('/feedforward') else 2
        self._ros.publish(
            trajectory(self._names, before, times=[0.5]), topic, subscribers=subscribers
        )
        self._ros.spin(1.5)
        self._running.forget()
        self._ros.publish(trajectory(self._names, first, second, times=[1.5, 3.0]), topic)
        self.wait_for_motion(before)
        self.mark('motion')
        self._ros.spin(0.8)
        self.mark('replacement')
        self._ros.publish(trajectory(self._names, last, times=[2.0]), topic)
        self._ros.spin(0.3)
        self.mark('motion')
        self._ros.wait_for('the end', lambda: np.abs(self.positions() - last).max() < 1e-9)
        self.mark('end')
        self._ros.spin(0.5)
        self.mark('')

    def action_motion(self, action: str) -> None:
        """Send a goal, preempt it in motion, cancel the second in motion."""
        client = GoalClient(self._ros.node, action)
        self._ros.wait_for(action, client.client.server_is_ready)
        first, second, last = self.targets(3)
        self._running.forget()
        before = self.positions()
        client.send(goal_of(first, second, times=[1.5, 3.0], names=self._names))
        self.wait_for_motion(before)
        self.mark('motion')
        self._ros.spin(0.8)
        self.mark('replacement')
        sent = client.send(goal_of(last, times=[3.0], names=self._names))
        self._ros.spin(0.3)
        self.mark('motion')
        self._ros.wait_for('acceptance', lambda: sent.accepted)
        self._ros.spin(0.7)
        self.mark('cancel')
        sent.cancel()
        self._ros.wait_for('the end', lambda: sent.over)
        self.mark('after cancel')
        self._ros.spin(0.5)
        self.mark('')

    def report(self, label: str, delay: float) -> None:
        """Print the differences by phase."""
        done = self._running.executed()
        exact = exact_efforts(self._model, done.names, done.references)
        known, expected = done.after(exact, delay)
        errors = np.abs(done.efforts - expected).max(axis=1)
        phases: dict[str, list[np.ndarray]] = {}
        for (phase, begin), (_, end) in zip(self._marks, self._marks[1:], strict=False):
            inside = known & (done.times >= begin) & (done.times < end)
            phases.setdefault(phase, []).append(inside)
        self._marks.clear()
        for phase, parts in phases.items():
            inside = np.any(parts, axis=0)
            values, largest = errors[inside], np.abs(exact[inside]).max(initial=0.0)
            if len(values):
                print(
                    f'{label} {phase}: {len(values)} updates, median {np.median(values):.1e}, '
                    f'p99 {np.quantile(values, 0.99):.1e}, max {values.max():.1e} N m; '
                    f'|tau| up to {largest:.1f}'
                )
        print(f'{label}: {100 * done.reported:.1f} % of the updates reported')

    def ages(self, label: str, period: float) -> None:
        """Print how old the samples in the hardware are."""
        done, published = self._running.executed(), self._running.published()
        lead = round(LEAD * SECOND)
        stamps = {tuple(m.effort): nanoseconds(m.header.stamp) - lead for m in published}
        moving = np.abs(done.references[:, 1]).max(axis=1) > 0.05
        seen = [
            (t, stamps.get(tuple(e)))
            for t, e in zip(done.times[moving], done.efforts[moving], strict=True)
        ]
        ages = np.array([(t - stamp) / SECOND for t, stamp in seen if stamp is not None])
        ticks = np.diff(sorted(stamps.values())) / SECOND
        print(
            f'{label} ages: median {1e3 * np.median(ages):.2f}, p99 '
            f'{1e3 * np.quantile(ages, 0.99):.2f}, max {1e3 * ages.max():.2f} ms; older than two '
            f'periods {100 * np.mean(ages > 2 * period):.2f} %; missed ticks '
            f'{100 * np.mean(ticks > 1.5 * period):.2f} %; updates without a published effort '
            f'{100 * (1.0 - len(ages) / len(seen)):.2f} %'
        )

    def delays(self, action: str) -> list[float]:
        """Return the times from sending goals to their start at the controller [s]."""
        client = GoalClient(self._ros.node, action)
        self._ros.wait_for(action, client.client.server_is_ready)
        result = []
        for _ in range(GOALS):
            before = self.positions()
            shares = np.linspace(0.0, 1.0, POINTS + 1)[1:, None]
            points = before + shares * self._rng.uniform(-0.5, 0.5, len(self._names))
            times = DURATION * shares.ravel()
            begun = self.now()
            sent = client.send(goal_of(*points, times=times, names=self._names))
            self.wait_for_motion(before, 1e-3)
            state = self._running.latest()
            assert state is not None
            reference = state.reference.time_from_start
            result.append(
                (nanoseconds(state.header.stamp) - nanoseconds(reference) - begun) / SECOND
            )
            self._ros.wait_for('acceptance', lambda: sent.accepted)  # noqa: B023
            sent.cancel()
            self._ros.wait_for('the end', lambda: sent.over)  # noqa: B023
            self._ros.spin(0.3)
            self._running.forget()
        return result


def run(case: str, rate: int, motions: int, publish_rate: float) -> None:
    """Run one set-up."""
    model = read_urdf(URDF)
    start = dict.fromkeys(model.joint_names, START)
    sections = {
        'A-effort': (guides.SET_UP_A, guides.SET_UP_A),
        'A-both': (guides.SET_UP_A, guides.SET_UP_A),
        'B': (guides.SET_UP_B, guides.SET_UP_B),
    }
    controllers, node = sections.get(case, (guides.MOVEIT_CONTROLLER, guides.MOVEIT_NODE))
    parameters = {'publish_rate': publish_rate} if publish_rate else {}
    interfaces = BOTH if case == 'A-both' else None
    label = f'{case} {rate} Hz'
    with (
        RosFixture() as ros,
        tempfile.TemporaryDirectory() as folder,
        guides.running_set_up(
            ros,
            Path(folder),
            URDF,
            start,
            rate,
            controllers=controllers,
            node=node,
            interfaces=interfaces,
            **parameters,
        ) as running,
    ):
        bench = Bench(ros, running, model, seed=1)
        print(f'{label}: load average {os.getloadavg()[0]:.1f}')
        if case == 'delay':
            alone, behind = bench.delays(CONTROLLER), bench.delays(NODE)
            for name, values in (('alone', alone), ('behind the node', behind)):
                low, middle, high = 1e3 * np.quantile(values, [0.0, 0.5, 1.0])
                print(f'{label} {name}: {low:.0f} to {high:.0f} ms, median {middle:.0f} ms')
        for _ in range(motions if case != 'delay' else 0):
            if case == 'action':
                bench.action_motion(NODE)
            elif case == 'B':
                bench.topic_motion('/arm_controller/joint_trajectory')
            else:
                bench.topic_motion('/feedforward/joint_trajectory')
            bench.report(label, {'A-effort': 1.0 / rate, 'B': LEAD}.get(case, 0.0))
            if case == 'B':
                bench.ages(label, 1.0 / (publish_rate or 250.0))
        print(f'{label}: load average {os.getloadavg()[0]:.1f}', flush=True)


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('cases', nargs='+', choices=['A-effort', 'A-both', 'B', 'action', 'delay'])
    parser.add_argument('--rate', type=int, default=250, help='update rate [Hz]')
    parser.add_argument('--motions', type=int, default=3)
    parser.add_argument('--publish-rate', type=float, default=0.0, help='of the node [Hz]')
    arguments = parser.parse_args()
    for case in arguments.cases:
        run(case, arguments.rate, arguments.motions, arguments.publish_rate)


if __name__ == '__main__':
    main()
