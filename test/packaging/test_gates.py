# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The gates of `make lint` are those of pre-commit; the workflow calls what exists."""

from __future__ import annotations

import os
import re
from typing import Any

import yaml
from documents import ROOT

MAKEFILE = (ROOT / 'Makefile').read_text(encoding='utf-8')


def recipe(target: str) -> list[str]:
    """Return the commands of a target, without the environment that they run in."""
    lines = re.search(rf'^{target}:.*\n((?:\t.*\n)+)', MAKEFILE, re.MULTILINE)
    assert lines
    return [line.strip().removeprefix('@$(RUN) ') for line in lines[1].splitlines()]


def document(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding='utf-8'))


def test_pre_commit_has_the_gates_of_make_lint():
    (repository,) = document('.pre-commit-config.yaml')['repos']
    entries = [hook['entry'].removeprefix('.ci/run_in_env ') for hook in repository['hooks']]
    assert entries == recipe('lint')
    assert os.access(ROOT / '.ci' / 'run_in_env', os.X_OK)


def test_the_workflow_calls_what_exists():
    jobs = document('.github/workflows/ci.yml')['jobs']
    commands = [step.get('run', '') for job in jobs.values() for step in job['steps']]
    targets = [word for text in commands for word in re.findall(r'^make (\S+)', text)]
    assert targets == ['lint', 'docs']
    assert all(re.search(rf'^{target}:', MAKEFILE, re.MULTILINE) for target in targets)
    assert any(text.endswith('.ci/run') for text in commands)
    assert os.access(ROOT / '.ci' / 'run', os.X_OK)


def test_the_workflow_runs_every_supported_python_and_ros():
    jobs = document('.github/workflows/ci.yml')['jobs']
    supported = ['3.10', '3.11', '3.12', '3.13']
    for job in ('library', 'wheels'):
        assert jobs[job]['strategy']['matrix']['python'] == supported
    assert jobs['ros']['strategy']['matrix']['ros'] == ['jazzy', 'kilted', 'rolling']
