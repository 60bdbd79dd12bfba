# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The first signal stops work, a later one its end; handlers come back."""

import signal
from types import SimpleNamespace

import pytest

from screw_dynamics.common import stop_signals
from screw_dynamics.common.stop_signals import STOP_SIGNALS, stop_is_urgent, stop_once


@pytest.fixture(autouse=True)
def handlers():
    """Restore the handlers of a test."""
    before = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    yield before
    stop_signals.restore_handlers(before)


@pytest.mark.parametrize('number', STOP_SIGNALS)
def test_one_signal_is_raised_and_a_later_one_is_urgent(monkeypatch, handlers, number):
    monkeypatch.setattr(stop_signals, '_ECHO', 0.0)
    with stop_once(to_the_end=False) as stop:
        assert (stop.requested, stop.urgent, stop_is_urgent()) == (False, False, False)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        signal.raise_signal(number)
        assert stop.requested and stop.urgent and stop_is_urgent()
    assert not stop.armed and not stop_is_urgent()
    assert {number: signal.getsignal(number) for number in STOP_SIGNALS} == handlers


def test_a_signal_that_is_repeated_at_once_is_not_urgent():
    with pytest.raises(KeyboardInterrupt), stop_once(to_the_end=True) as stop:
        signal.raise_signal(signal.SIGINT)
    assert not stop.urgent
    for number in STOP_SIGNALS:
        assert signal.getsignal(number) is signal.SIG_IGN
        signal.raise_signal(number)
    # as under nohup
    with stop_once(to_the_end=False) as ignored:
        signal.raise_signal(signal.SIGTERM)
    assert not ignored.requested


@pytest.mark.parametrize(
    ('name', 'file', 'left'),
    [
        ('__init__', '/a/rclpy/task.py', True),
        ('set_result', '/a/rclpy/task.py', False),
        ('__init__', '/a/b/task.py', False),
    ],
)
def test_futures_of_rclpy_are_constructed_whole(name, file, left):
    stop = stop_signals.SignalGuard()
    frame = SimpleNamespace(f_code=SimpleNamespace(co_name=name, co_filename=file))
    if left:
        stop(signal.SIGINT, frame)
    else:
        with pytest.raises(KeyboardInterrupt):
            stop(signal.SIGINT, frame)
    assert stop.requested and stop.armed == left


def test_the_deadline_of_the_end_is_lifted(monkeypatch):
    calls = []
    for name in ('dump_traceback_later', 'cancel_dump_traceback_later'):
        monkeypatch.setattr(
            stop_signals.faulthandler, name, lambda *a, name=name, **b: calls.append((name, a, b))
        )
    with pytest.raises(ZeroDivisionError), stop_signals.shutdown_deadline():
        raise ZeroDivisionError
    (begun, (seconds,), options), (ended, *_) = calls
    assert (begun, seconds, options['exit']) == ('dump_traceback_later', 30.0, True)
    assert ended == 'cancel_dump_traceback_later'
