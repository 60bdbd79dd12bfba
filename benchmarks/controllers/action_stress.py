# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Goals, cancels and preemptions at random: the ends of a controller alone, and behind the node.

Run beside a controller whose measured positions are off by 1e-4 rad at least (the tolerances of
some goals are below that), once for each action; runs with the same seed send the same goals:

    stress='python -m benchmarks.controllers.action_stress'
    $stress run /arm_controller/follow_joint_trajectory alone.json
    $stress run /feedforward/follow_joint_trajectory behind.json
    $stress compare alone.json behind.json
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from helpers.goal_client import GoalClient, Sent, goal_of
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

LONG = 20.0  # s, of goals that do not reach their end
PATIENCE = 30.0  # s
TIGHT = 1e-5  # rad, below the error of the controller
INVALID = ('names', 'times', 'empty', 'sizes', 'moving end', 'past')


class Stress:
    """Sends one case after the other, each when the one before has ended."""

    def __init__(self, node: Node, action: str, joints: list[str], seed: int) -> None:
        self._joints, self._rng = joints, np.random.default_rng(seed)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)
        self._client = GoalClient(node, action)
        self.goals = 0
        self._cases = {
            'reach': self._reach,
            'cancel': self._cancel,
            'cancel in motion': self._cancel_in_motion,
            'preempt': self._preempt,
            'preempt in motion': self._preempt_in_motion,
            'preempt and cancel': self._preempt_and_cancel,
            'cancel after the end': self._cancel_after_the_end,
            'path tolerance': self._path_tolerance,
            'goal tolerance': self._goal_tolerance,
            'invalid': self._invalid,
        }
        self._wait(self._client.client.server_is_ready)

    def run(self, goals: int) -> Iterator[tuple[str, list[Any]]]:
        """Yield name and outcomes of one case after the other."""
        while self.goals < goals:
            name = str(self._rng.choice(list(self._cases)))
            yield name, [list(outcome) for outcome in self._cases[name]()]

    def _wait(self, condition: Any) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f'after {self.goals} goals')
            self._executor.spin_once(timeout_sec=0.1)

    def _goal(self, seconds: float | None = None, **tolerances: float) -> Any:
        """Return a goal of 1 to 4 points and 20 to 100 ms, or of one point in some seconds."""
        count = int(self._rng.integers(1, 5))
        times = np.cumsum(self._rng.uniform(0.005, 0.025, count)) + 0.015
        points = self._rng.uniform(-0.02, 0.02, (count, len(self._joints)))
        if seconds is not None:
            times, points = [seconds], points[:1] + 0.3
        return goal_of(*points, times=times, names=self._joints, **tolerances)

    def _send(self, goal: Any) -> Sent:
        self.goals += 1
        sent = self._client.send(goal)
        self._wait(lambda: sent.accepted is not None)
        return sent

    def _ended(self, *sent: Sent) -> list[Any]:
        self._wait(lambda: all(one.over for one in sent))
        return [one.outcome for one in sent]

    def _reach(self) -> list[Any]:
        return self._ended(self._send(self._goal()))

    def _canceled(self, sent: Sent) -> list[Any]:
        sent.cancel()
        self._wait(lambda: sent.canceled is not None)
        return [*self._ended(sent), ('canceled', sent.canceled)]

    def _moving(self, sent: Sent) -> Sent:
        self._wait(lambda: sent.feedback or sent.over)
        return sent

    def _cancel(self) -> list[Any]:
        return self._canceled(self._send(self._goal(LONG)))

    def _cancel_in_motion(self) -> list[Any]:
        return self._canceled(self._moving(self._send(self._goal(LONG))))

    def _preempt(self) -> list[Any]:
        return self._ended(self._send(self._goal(LONG)), self._send(self._goal()))

    def _preempt_in_motion(self) -> list[Any]:
        return self._ended(self._moving(self._send(self._goal(LONG))), self._send(self._goal()))

    def _preempt_and_cancel(self) -> list[Any]:
        first, second = self._send(self._goal(LONG)), self._send(self._goal(LONG))
        return self._canceled(second) + self._ended(first)

    def _cancel_after_the_end(self) -> list[Any]:
        sent = self._send(self._goal())
        self._ended(sent)
        return self._canceled(sent)

    def _path_tolerance(self) -> list[Any]:
        return self._ended(self._send(self._goal(path=TIGHT)))

    def _goal_tolerance(self) -> list[Any]:
        return self._ended(self._send(self._goal(end=TIGHT, end_time=0.02)))

    def _invalid(self) -> list[Any]:
        goal, kind = self._goal(), str(self._rng.choice(INVALID))
        trajectory = goal.trajectory
        last = trajectory.points[-1]
        if kind == 'names':
            trajectory.joint_names[0] = 'x'
        elif kind == 'times':
            trajectory.points.append(last)
        elif kind == 'empty':
            trajectory.points.clear()
        elif kind == 'sizes':
            last.positions = last.positions[1:]
        elif kind == 'moving end':
            last.velocities = [0.1] * len(self._joints)
        else:
            trajectory.header.stamp.sec = 1
        return self._ended(self._send(goal))


def compare(one: Path, other: Path) -> int:
    """Print how many goals have ended how, and every case that differs; return their number."""
    left, right = (json.loads(path.read_text()) for path in (one, other))
    assert [name for name, _ in left] == [name for name, _ in right], 'not the same cases'
    counts = Counter(tuple(outcome) for _, outcomes in left for outcome in outcomes)
    for (end, code), count in sorted(counts.items(), key=str):
        print(f'{count:6d}  {end} {"" if code is None else code}')
    differing = [
        (i, name, a, b)
        for i, ((name, a), (_, b)) in enumerate(zip(left, right, strict=True))
        if a != b
    ]
    for row in differing:
        print('differs:', *row)
    print(f'{len(left)} cases, {sum(counts.values())} outcomes, {len(differing)} cases differ')
    return len(differing)


def main() -> int:
    """Run the cases against an action, or compare two runs."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[1])
    commands = parser.add_subparsers(dest='command', required=True)
    run = commands.add_parser('run')
    run.add_argument('action')
    run.add_argument('output', type=Path)
    run.add_argument('--joints', nargs='+', default=[f'joint_{i}' for i in range(1, 8)])
    run.add_argument('--goals', type=int, default=1000)
    run.add_argument('--seed', type=int, default=1)
    both = commands.add_parser('compare')
    both.add_argument('outputs', nargs=2, type=Path)
    options = parser.parse_args()
    if options.command == 'compare':
        return 1 if compare(*options.outputs) else 0
    rclpy.init()
    node = Node('action_stress')
    stress = Stress(node, options.action, options.joints, options.seed)
    began, cases = time.monotonic(), []
    try:
        for case in stress.run(options.goals):
            cases.append(case)
    finally:
        options.output.write_text(json.dumps(cases))
        passed = time.monotonic() - began
        print(f'{len(cases)} cases with {stress.goals} goals in {passed:.0f} s')
    return 0


if __name__ == '__main__':
    sys.exit(main())
