# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Comparison of feedforwards for arms with elastic joints, from simulation to table and plot.

    make demo-sea
    python -m screw_dynamics.demo sea --output my_folder

Two robots with stiff and with soft joints follow a fast motion in MuJoCo, on a PD and motor
efforts of several methods, which do not know all parameters and delays; then on motor efforts
alone, in our own equations of motion too. Then the soft iiwa follows the motor efforts that the
nodes exchange over ROS 2.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from ros_demo.processes import DemoError, require_ros, run_job, signals_deferred
from ros_demo.stages import Stage
from sea_study.arms import arms
from sea_study.conditions import conditions
from sea_study.document import document
from sea_study.mujoco_robot import load_mujoco
from sea_study.plot import save_comparison
from sea_study.robustness import endure
from sea_study.scene import EXACT, RIGID
from sea_study.table import by_key, headline_table, ideal_table
from sea_study.tracking import HELD, IDEAL, MUJOCO, Outcome, track

_Result = TypeVar('_Result')
_OF_TERMINALS = {signal.SIGINT, signal.SIGHUP}  # Ctrl-C, closed terminal
REQUIRED_RATIO = 100.0  # error of the rigid feedforward over that of the exact one


def main(args: Sequence[str]) -> int:
    """Run the comparison with command line arguments, and return the exit code of `run_job`."""
    parser = _parser()
    options = parser.parse_args(args)
    if options.processes < 1:
        parser.error(f'--processes: expected 1 or more, got {options.processes}')
    return run_job('demo_sea', lambda: _run(options))


def simulate(name: str, calls: Sequence[Callable[[], _Result]], processes: int) -> list[_Result]:
    """
    Run picklable calls in other processes, and show the progress.

    Returns the results in the order of completion.
    """
    results: list[_Result] = []
    context = multiprocessing.get_context('spawn')  # MuJoCo's callbacks do not survive a fork
    with ExitStack() as stack:
        # the first lock of a pool starts the resource tracker process
        with _signals_deferred():
            pool = stack.enter_context(ProcessPoolExecutor(processes, context))
        bar = stack.enter_context(Stage(name, len(calls)))
        try:
            with _signals_deferred():
                pending = [pool.submit(call) for call in calls]
            for future in as_completed(pending):
                results.append(future.result())
                bar.update()
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()  # some runs last seconds
            # the thread of the pool must not end while the interpreter does
            pool.shutdown(cancel_futures=True)
            raise
    return results


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Defer stop signals to the end of the block, so that none interrupts a process start."""
    # a mask alone is not enough: other threads receive the signals, and Python handles them
    with signals_deferred():
        # workers inherit the mask: only this process handles signals of the terminal
        signal.pthread_sigmask(signal.SIG_BLOCK, _OF_TERMINALS)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _OF_TERMINALS)


def _run(options: argparse.Namespace) -> None:
    _require_mujoco()
    if not options.without_ros:
        require_ros()
    folder = options.output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    processes = min(options.processes, os.cpu_count() or 1)
    runs = [partial(endure, arm, condition) for arm in arms() for condition in conditions()]
    endured = by_key(e for run in simulate('Simulate with a PD', runs, processes) for e in run)
    ideal = [partial(track, arm, feedforward) for arm in arms() for feedforward in IDEAL]
    outcomes = [o for run in simulate('Simulate without feedback', ideal, processes) for o in run]
    with Stage('Draw'):
        save_comparison(endured, folder / 'demo_sea.png')
    with Stage('Write'):
        text = document(endured, outcomes)
        (folder / 'demo_sea.md').write_text(text, encoding='utf-8')
    loop = [] if options.without_ros else _over_ros(folder)
    tables = [*headline_table(endured), '', *ideal_table(outcomes)]
    print('\n' + '\n'.join([*tables, '', *loop]) + '\n')
    names = ['demo_sea.png', 'demo_sea.md']
    if not options.without_ros:
        names += ['demo_sea_ros.png', 'bag_exact', 'bag_rigid']
    for name in names:
        print(folder / name)
    _require_ratio(outcomes)


def _over_ros(folder: Path) -> list[str]:
    """Run the nodes on the soft arm; return the lines of the report."""
    # only this part needs ROS 2
    from sea_study.loop_plot import save_loop
    from sea_study.ros_loop import loop_report, run_loop

    exact, rigid = (run_loop(folder, kind) for kind in (EXACT, RIGID))
    with Stage('Draw'):
        save_loop([rigid, exact], folder / 'demo_sea_ros.png')
    if not rigid.largest >= REQUIRED_RATIO * exact.largest:
        raise DemoError('\n'.join(['expected a larger ratio', *loop_report(exact, rigid)]))
    return loop_report(exact, rigid)


def _require_ratio(outcomes: Sequence[Outcome]) -> None:
    """Raise `DemoError` if the exact feedforward alone is not `REQUIRED_RATIO` times better."""
    largest = {(o.arm, o.feedforward): o.largest for o in outcomes if o.engine == MUJOCO}
    for arm in arms():
        for feedforward in (EXACT, HELD):
            ratio = largest[arm, RIGID] / largest[arm, feedforward]
            if not ratio >= REQUIRED_RATIO:
                raise DemoError(
                    f'{arm.name}: expected the error of the rigid feedforward at least '
                    f'{REQUIRED_RATIO:g} times that of {feedforward!r}, got {ratio:.3g}'
                )


def _require_mujoco() -> None:
    try:
        load_mujoco()
    except ImportError:
        raise DemoError('needs mujoco, the independent simulator: pip install mujoco') from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='demo_sea',
        description='Feedforward of arms with elastic joints: rigid, finite differences, exact.',
    )
    parser.add_argument(
        '-o',
        '--output',
        type=Path,
        default=Path('output/demo_sea'),
        metavar='FOLDER',
        help='where table and plot go (default: output/demo_sea)',
    )
    parser.add_argument(
        '--processes', type=int, default=2, metavar='COUNT', help='at a time (default: 2)'
    )
    parser.add_argument(
        '--without-ros', action='store_true', help='leave out the nodes: no ROS 2 is needed'
    )
    return parser
