# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A reader of a page: writes its files, runs its blocks from top to bottom, compares outputs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from screw_dynamics.command_line.main import main

# lines of these programs are not run here
ELSEWHERE = {
    'pip': 'test_pip_install.py installs the package as the pages do',
    'make': 'the targets are those that CI runs; test_documents.py finds them',
    **dict.fromkeys(
        ('ros2', 'colcon', 'rosdep', 'rviz2', 'source', 'ln'),
        'needs an installed ROS 2; test_documents.py checks executables, parameters, launch files',
    ),
}
_BLOCK = re.compile(
    r'(?:^<!-- (?P<mark>[^\n]*) -->\n\n?)?'
    r'^```(?P<language>\S+)[^\n]*\n(?::tags:[^\n]*\n)?(?P<code>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
_DEMO = 'screw_dynamics_demo'


class Block(NamedTuple):
    """A block of code, and the mark above it: a file, 'output', a library, or why not run."""

    language: str
    code: str
    mark: str


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a page."""
    for found in _BLOCK.finditer(text):
        language = found['language'].replace('{code-cell}', 'python')
        yield Block(language, found['code'], found['mark'] or '')


class Reader:
    """Follow pages in an empty folder; `demo` has the files of `screw_dynamics demo`."""

    def __init__(self, demo: Path) -> None:
        self.names: dict[str, Any] = {'_run': self._run}
        self.printed = ''
        self._demo = demo

    def read(self, text: str) -> None:
        """Follow a page."""
        for block in blocks(text):
            kind, _, value = block.mark.partition(': ')
            if kind == 'file':
                Path(value).write_text(block.code, encoding='utf-8')
            elif kind == 'output':
                assert block.code in self.printed, f'{block.code}\n{self.printed}'
            elif kind == 'not run':
                assert value, block.code
            elif kind == 'needs' and find_spec(value) is None:
                continue
            elif block.language in ('python', 'bash'):
                self._follow(block)

    def _follow(self, block: Block) -> None:
        output = StringIO()
        try:
            with redirect_stdout(output), redirect_stderr(output):
                if block.language == 'python':
                    exec(_with_commands(block.code), self.names)
                else:
                    self._shell(block.code)
        except BaseException:
            print(f'{block.code}\n{output.getvalue()}')
            raise
        self.printed = output.getvalue()

    def _shell(self, code: str) -> None:
        skipping = False
        for line in code.replace('\\\n', ' ').splitlines():
            if skipping and line.startswith(' '):  # the rest of an argument in quotes
                continue
            program = line.split()[0]
            skipping = program in ELSEWHERE
            if not skipping:
                self._run(line)

    def _run(self, line: str) -> None:
        first, _, then = line.partition(' && ')
        if then:
            self._run(first)
            return self._run(then)
        program, *arguments = shlex.split(line, comments=True)
        if program == 'cd':
            os.chdir(arguments[0])
        elif program != 'screw_dynamics':
            subprocess.run(line, shell=True, check=True)
        elif arguments == ['demo'] and self._demo.exists():
            shutil.copytree(self._demo, _DEMO)
        else:
            assert main(arguments) == 0, line


def _with_commands(code: str) -> str:
    """Return the code of a notebook with its commands as calls."""
    return re.sub(r'^!(screw_dynamics .+)$', r'_run("""\1""")', code, flags=re.MULTILINE)
