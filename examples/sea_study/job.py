# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
What an owner of an arm with springs sees: out of the data sheet, identified, learned.

    make demo-sea
    python -m screw_dynamics.demo sea --output my_folder

Two arms in MuJoCo follow a fast motion by three feedforwards, with parameters and delay known, out
of the data sheet, after one run that identifies the drives, and after three repeats that learn.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from ros_demo.processes import DemoError, run_job
from ros_demo.stages import Stage
from sea_study.arms import ARMS, SPRINGS, Arm
from sea_study.mujoco_robot import load_mujoco
from sea_study.page import page, save_figure, story_table
from sea_study.plant import EXACT, RIGID
from sea_study.story import Step, condition_error, conditions, story


def main(args: Sequence[str]) -> int:
    """Run the study with command line arguments, and return the exit code of `run_job`."""
    options = _parser().parse_args(args)
    return run_job('demo_sea', lambda: _run(options.output.resolve()))


def _run(folder: Path) -> None:
    try:
        load_mujoco()
    except ImportError:
        raise DemoError('needs mujoco, the independent simulator: pip install mujoco') from None
    folder.mkdir(parents=True, exist_ok=True)
    stories: dict[Arm, list[Step]] = {}
    for arm in ARMS:
        if arm.kind != SPRINGS:
            continue
        with Stage(f'{arm.make}: from data sheet to repeats', 12) as bar:
            stories[arm] = []
            for step in story(arm):
                stories[arm].append(step)
                bar.update(note=f'{step.known}, {step.sent}: {1e3 * step.error:.2g} mrad')
    print('\n' + '\n'.join(story_table(stories)) + '\n', flush=True)
    errors = {}
    chosen = conditions()
    with Stage('One wrong parameter at a time, six arms', len(chosen) * len(ARMS)) as bar:
        for arm in ARMS:  # one after the other: MuJoCo keeps one of them
            for name, trials in chosen.items():
                for sent in (RIGID, EXACT):
                    errors[name, arm, sent] = condition_error(arm, trials, sent)
                bar.update()
    save_figure(stories, folder / 'demo_sea.png')
    (folder / 'demo_sea.md').write_text(page(stories, errors), encoding='utf-8')
    for name in ('demo_sea.png', 'demo_sea.md'):
        print(folder / name)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='demo_sea',
        description='An arm with springs: out of the data sheet, identified, learned.',
    )
    parser.add_argument(
        '-o',
        '--output',
        type=Path,
        default=Path('output/demo_sea'),
        metavar='FOLDER',
        help='where page and figure go (default: output/demo_sea)',
    )
    return parser
