# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress bars on a terminal, and no output for short work elsewhere."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

from helpers.patience import patience

ROOT = Path(__file__).resolve().parents[2]


def on_a_terminal(*arguments: str) -> str:
    """Run the command with its errors on a terminal of 100 columns; return what that shows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 100, 0, 0))
    process = subprocess.Popen(
        [sys.executable, '-m', 'screw_dynamics.command_line.main', *arguments],
        env={**os.environ, 'PYTHONPATH': str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b''
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # the end of a terminal
        pass
    finally:
        os.close(ours)
    assert process.wait(timeout=patience()) == 0, shown
    return re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', shown.decode())


def test_every_long_part_of_the_work_has_a_bar(measured_bag):
    shown = on_a_terminal(
        'evaluate', 'measured_bag', '--bag', 'new', '--csv', 'new.csv', '--copy', '--drives',
        'my_springs.yaml',
    )  # fmt: skip
    lines = shown.replace('\r', '\n').splitlines()
    parts = ['reading', 'estimating the motion', 'efforts', 'uncertainty of the efforts']
    for part in [*parts, 'copying', 'writing messages', 'writing CSV']:
        last = [line for line in lines if line.startswith(f'{part}:')][-1]
        assert '100%' in last and '━' in last, last


def test_short_work_is_silent_where_the_output_is_no_terminal(run, measured_bag, monkeypatch):
    # on a busy machine this work is not short
    monkeypatch.setattr('screw_dynamics.common.progress.LOG_INTERVAL', 1e6)
    code, _, err = run('evaluate', measured_bag, '--bag', 'new')
    assert code == 0 and not err
