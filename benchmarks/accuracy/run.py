# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Compare every robot of the robot packages with 60-digit arithmetic and Pinocchio.

`make accuracy` runs this. Writes docs/accuracy.md and docs/accuracy.png. Exits with 1 where a
robot breaks a bound; descriptions that cannot be read are listed with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from oracles.robots import bundled_urdfs, named_robot
from tqdm import tqdm

from benchmarks import ROOT
from benchmarks.accuracy import packages, parsed_objects, report
from benchmarks.accuracy.compare import BOUND, Comparison, compare
from benchmarks.accuracy.corpus import RobotFile, robots

_CACHE = ROOT / 'build' / 'robots'


def main() -> int:
    """Run all comparisons, write the report and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument('--jobs', type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument('--only', default='', help='robots with this text in package or name')
    parser.add_argument('--output', type=Path, default=ROOT / 'docs')
    arguments = parser.parse_args()
    corpus = [
        robot
        for robot in robots(packages.robot_files(_CACHE))
        if arguments.only in f'{robot.package}/{robot.name}'
    ]
    rows = _compare_all(corpus, arguments.jobs)
    parsed = _compare_parsed_objects()
    arguments.output.mkdir(parents=True, exist_ok=True)
    text = report.markdown(rows, parsed)
    (arguments.output / 'accuracy.md').write_text(text, encoding='utf-8')
    report.plot(rows, arguments.output / 'accuracy.png')
    print(text.partition('## Robots\n')[0])
    print(f'written: {arguments.output / "accuracy.md"}, {arguments.output / "accuracy.png"}')
    broken = [f'{row.robot.package}/{row.robot.name}' for row in rows if row.broken]
    broken += [
        f'{record["parser"]}: {record["robot"]}'
        for record in parsed
        if record['error'] is not None and record['error'] > BOUND
    ]
    if broken:
        print(f'beyond the bound {BOUND:g}: {", ".join(broken)}', file=sys.stderr)
    return 1 if broken else 0


def _compare_all(corpus: list[RobotFile], jobs: int) -> list[Comparison]:
    with ProcessPoolExecutor(jobs, mp_context=get_context('spawn')) as pool:
        return list(
            tqdm(pool.map(compare, corpus), total=len(corpus), desc='robots', unit='robot')
        )


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
    with tqdm(total=total, desc='other parsers', unit='robot') as bar:
        for line in process.stdout:
            if line.startswith('{'):
                records.append(json.loads(line))
                bar.update()
            else:
                messages.append(line)  # parsers talk, too
    if process.wait() != 0:
        raise RuntimeError(f'comparison with other parsers failed:\n{"".join(messages)}')
    return records


if __name__ == '__main__':
    sys.exit(main())
