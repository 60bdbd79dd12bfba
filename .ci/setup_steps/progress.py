# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""One line per step with its time, and a sign of life while a step runs."""

import re
import shutil
import subprocess
import sys
import threading
import time

FRAMES = '|/-\\'
LINES_OF_A_FAILED_STEP = 30


class SetUpError(Exception):
    """The set-up cannot go on; the message says what to do."""


class Progress:
    """
    Run commands, their output in log files, and tell the terminal how far they are.

    On a terminal a running step shows the last line of its output. Elsewhere, and aside in a
    thread, it prints a line every 20 seconds.
    """

    def __init__(self, log_folder):
        self.log_folder = log_folder
        self._start = time.monotonic()
        self._any = False
        self._live = sys.stdout.isatty()

    def run(self, step, title, command, env=None):
        """
        Run a command as one step; `step` names its log file, `title` its line.

        Raises
        ------
        SetUpError
            The command failed; the end of its output is in the message.

        """
        if not self._any:
            print('Setting up the environment in .venv (once; minutes on a fresh machine)')
            self._any = True
        self.log_folder.mkdir(parents=True, exist_ok=True)
        path = self.log_folder / f'{step}.log'
        start = time.monotonic()
        with open(path, 'wb') as log:
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=env,
            )
            try:
                self._wait(process, title, start, path)
            except BaseException:
                process.terminate()
                process.wait()
                raise
        seconds = time.monotonic() - start
        if process.returncode:
            self._line(f'  FAILED  {seconds:6.1f} s  {title}\n')
            end = path.read_text(errors='replace').splitlines()[-LINES_OF_A_FAILED_STEP:]
            raise SetUpError('\n'.join([title, *end, f'(all of it: {path})']))
        self.done(title, seconds)

    def done(self, title, seconds):
        """Print the line of a finished step."""
        self._any = True
        self._line(f'  done    {seconds:6.1f} s  {title}\n')

    def summary(self):
        """Print how long all steps took, if any ran."""
        if self._any:
            print(f'  ready   {time.monotonic() - self._start:6.1f} s')

    def _wait(self, process, title, start, path):
        tick, told = 0, start
        live = self._live and threading.current_thread() is threading.main_thread()
        while process.poll() is None:
            time.sleep(0.1)
            now = time.monotonic()
            if live:
                spinner = FRAMES[tick // 2 % len(FRAMES)]
                self._line(f'  {spinner}       {now - start:6.1f} s  {title}: {last_line(path)}')
                tick += 1
            elif now - told > 20.0:
                told = now
                self._line(f'  ...     {now - start:6.1f} s  {title}\n')

    def _line(self, text):
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            end = '\n' if text.endswith('\n') else ''
            text = '\r' + text.rstrip('\n')[:width].ljust(width) + end
        sys.stdout.write(text)
        sys.stdout.flush()


def last_line(path):
    """Return the last line of a growing log that is not blank."""
    with open(path, 'rb') as log:
        log.seek(0, 2)
        log.seek(max(0, log.tell() - 2000))
        lines = re.split(r'[\r\n]+', log.read().decode(errors='replace').strip())
    return re.sub(r'\x1b\[[0-9;]*m', '', lines[-1]).strip()
