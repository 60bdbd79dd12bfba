# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""End of a command's process: exit codes, lines for errors, signals, closed streams."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

from screw_dynamics.errors import ScrewDynamicsError

FAILED = 1
INTERRUPTED = 130
_SIGNALLED = 128  # what shells add to the number of a signal
_STOPS = (signal.SIGTERM, signal.SIGHUP)
_LONGEST, _END = 1000, 200  # characters of an error, and those of its end where it is cut


class Stopped(KeyboardInterrupt):
    """A signal other than Ctrl-C asks the process to end; what Ctrl-C cleans up is cleaned up."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__()


def run_to_end(name: str, work: Callable[[], int]) -> int:
    """Run a command; whatever happens ends in an exit code and at most one line on stderr."""
    try:
        code = work()
        sys.stdout.flush()  # a full disk or a closed pipe shows here, and not after the end
        return code
    except Stopped as stop:
        return _SIGNALLED + stop.number
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # `| head` has seen enough
        pass
    except (ScrewDynamicsError, OSError) as error:
        print_error(f'{name}: {one_line(error)}')
    except MemoryError as error:
        print_error(f'{name}: not enough memory: {one_line(error)}')
    except ModuleNotFoundError as error:
        package = (error.name or '').partition('.')[0]
        if package == 'screw_dynamics':
            raise
        print_error(f'{name}: not installed: {package}: pip install {package}')
    finally:
        _give_up_unwritten()
    return FAILED


def one_line(error: BaseException) -> str:
    """Return the text of an error without line breaks, cut where it is longer than a screen."""
    if isinstance(error, OSError) and error.strerror:
        place = '' if error.filename is None else f'{error.filename}: '
        text = f'{place}{error.strerror}'
    else:
        text = ' '.join(str(error).split()) or type(error).__name__
    if len(text) > _LONGEST:
        text = f'{text[: _LONGEST - _END]} ... {text[-_END:]}'
    return text


def print_error(line: str) -> None:
    """Print a line on stderr, as far as that can be written."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        pass


@contextmanager
def usable_streams() -> Iterator[None]:
    """
    Put a stream to nowhere in place of those that the process was started without (``>&-``).

    Names may hold what the terminal has not: such characters are escaped.
    """
    with ExitStack() as stack:
        for name in ('stdout', 'stderr'):
            stream = getattr(sys, name)
            if stream is None:
                # also takes the free file descriptor, which would be that of the next file opened
                nowhere = stack.enter_context(open(os.devnull, 'w', encoding='utf-8'))
                setattr(sys, name, nowhere)
                stack.callback(setattr, sys, name, None)
            elif isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors='backslashreplace')
        yield


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Raise `Stopped` inside a block where the process is to end: SIGTERM, a terminal that closes."""
    if threading.current_thread() is not threading.main_thread():
        yield  # where no handler can be set
        return
    before = {number: signal.getsignal(number) for number in _STOPS}
    for number, handler in before.items():
        if handler is signal.SIG_DFL:  # behind nohup they are ignored
            signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is signal.SIG_DFL:
                signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped(number)


def _give_up_unwritten() -> None:
    """Drop what cannot be printed, which the interpreter would complain of at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with open(os.devnull, 'w') as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())
