# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Compare every robot of the robot packages with 60-digit arithmetic and Pinocchio."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from oracles.robots import bundled_urdfs, named_robot

from benchmarks import ROOT
from benchmarks.accuracy import packages, parsed_objects
from benchmarks.accuracy.compare import compare
from benchmarks.accuracy.corpus import robots
from benchmarks.accuracy.menagerie import compare_menagerie
from benchmarks.accuracy.report import page
from benchmarks.report import Report
from screw_dynamics.common.progress import counting, progress

_CACHE = ROOT / 'build' / 'robots'
OPTIONS: dict[str, dict[str, Any]] = {
    '--jobs': {'type': int, 'default': min(2, os.cpu_count() or 1), 'help': 'processes'},
    '--only': {'default': '', 'help': 'robots with this text in package or name'},
}


def measure(jobs: int, only: str) -> Report:
    """Compare all robots and return the page; those that cannot be read are listed."""
    corpus = [
        robot
        for robot in robots(packages.robot_files(_CACHE))
        if only in f'{robot.package}/{robot.name}'
    ]
    with ProcessPoolExecutor(jobs, mp_context=get_context('spawn')) as pool:
        compared = pool.map(compare, corpus)
        rows = list(progress(compared, 'robots', total=len(corpus), unit='robot'))
    documents = list(progress(compare_menagerie(), 'robots in MJCF', unit='document'))
    return page(rows, _compare_parsed_objects(), documents)


def _compare_parsed_objects() -> list[dict[str, Any]]:
    samples = bundled_urdfs()
    samples += [path for path in map(named_robot, ('ur5', 'xarm7', 'jvrc1', 'allegro')) if path]
    search_path = [str(packages.parser_folder(_CACHE)), str(ROOT)]
    process = subprocess.Popen(
        [sys.executable, '-m', parsed_objects.__name__, *map(str, samples)],
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(search_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    records, messages = [], []
    total = len(parsed_objects.PARSERS) * len(samples)
    with counting('other parsers', total, 'robot') as count:
        for line in process.stdout:
            if line.startswith('{'):
                records.append(json.loads(line))
                count()
            else:
                messages.append(line)  # parsers talk, too
    if process.wait() != 0:
        raise RuntimeError(f'comparison with other parsers failed:\n{"".join(messages)}')
    return records
