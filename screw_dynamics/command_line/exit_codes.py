# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""End of a command's process: exit codes, error lines, signals, closed streams."""

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from types import FrameType

from screw_dynamics.common.stop_signals import replace_handlers, restore_handlers
from screw_dynamics.errors import ScrewDynamicsError

FAILED = 1
FAULTY = 3
INTERRUPTED = 130
_SIGNALLED = 128  # shells add it to the signal number
_STOPS = (signal.SIGTERM, signal.SIGHUP)
_EXTRAS = {
    'matplotlib': 'plot',
    'mcap': 'bags',
    'mujoco': 'mujoco',
    'robot_descriptions': 'descriptions',
    'rosbags': 'bags',
    'sympy': 'symbolic',
    'viser': 'view',
}  # that setup.py names
_LONGEST, _END = 1000, 200  # characters of an error, and of its end if it is shortened


class Stopped(KeyboardInterrupt):
    """Termination by a signal other than Ctrl-C, with the same clean-up as after Ctrl-C."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__()


def run_to_end(name: str, work: Callable[[], int]) -> int:
    """Run a command; convert errors and signals to an exit code and at most one line on stderr."""
    try:
        code = work()
        sys.stdout.flush()  # raises here, not at exit, if the disk is full or the pipe closed
        return code
    except Stopped as stop:
        return _SIGNALLED + stop.number
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # as with `| head`
        pass
    except (ScrewDynamicsError, OSError) as error:
        print_error(f'{name}: {one_line(error)}')
    except MemoryError as error:
        print_error(f'{name}: not enough memory: {one_line(error)}')
    except ModuleNotFoundError as error:
        package = (error.name or '').partition('.')[0]
        if package == 'screw_dynamics':
            raise
        extra = f" (extra '{_EXTRAS[package]}' of screw_dynamics)" if package in _EXTRAS else ''
        print_error(f'{name}: not installed: {package}: pip install {package}{extra}')
    finally:
        _give_up_unwritten()
    return FAILED


def one_line(error: BaseException) -> str:
    """Return the text of an error without line breaks, shortened if it would fill a screen."""
    if isinstance(error, OSError) and error.strerror:
        place = '' if error.filename is None else f'{error.filename}: '
        text = f'{place}{error.strerror}'
    else:
        text = ' '.join(str(error).split()) or type(error).__name__
    if len(text) > _LONGEST:
        text = f'{text[: _LONGEST - _END]} ... {text[-_END:]}'
    return text


def print_error(line: str) -> None:
    """Print a line on stderr, on a terminal with its beginning in red; ignore write errors."""
    try:
        if sys.stderr.isatty() and find_spec('rich') is not None:
            from rich.console import Console
            from rich.text import Text

            place, colon, text = line.partition(': ')
            shown = Text.assemble((place + colon, 'bold red'), text)
            Console(stderr=True, soft_wrap=True).print(shown)
        else:
            print(line, file=sys.stderr, flush=True)
    except OSError:
        pass


@contextmanager
def usable_streams() -> Iterator[None]:
    """Replace streams closed at start (``>&-``) by /dev/null; others escape unknown characters."""
    with ExitStack() as stack:
        for name in ('stdout', 'stderr'):
            stream = getattr(sys, name)
            if stream is None:
                # also occupies the free file descriptor, which the next opened file would get
                nowhere = stack.enter_context(open(os.devnull, 'w', encoding='utf-8'))
                setattr(sys, name, nowhere)
                stack.callback(setattr, sys, name, None)
            elif isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors='backslashreplace')
        yield


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Raise `Stopped` inside a block on SIGTERM and SIGHUP (closed terminal)."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread can set handlers
        return
    # under nohup, SIGHUP stays ignored
    unhandled = [number for number in _STOPS if signal.getsignal(number) is signal.SIG_DFL]
    before = replace_handlers(unhandled, _stop)
    try:
        yield
    finally:
        restore_handlers(before)


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped(number)


def _give_up_unwritten() -> None:
    """Redirect unwritable streams to /dev/null so the interpreter's final flush cannot fail."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with open(os.devnull, 'w') as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())
