# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Exit codes: zero after a requested stop, not after a bad command line."""

import inspect
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.dds_threads import NEVER_DESTROYED, participant_threads, threads_left, watched_command
from helpers.node_processes import NodeProcess, node_command, trajectory
from helpers.planar_sea import TEXT
from rclpy.task import Task
from rclpy.utilities import get_rmw_implementation_identifier

from screw_dynamics.common import stop_signals
from screw_dynamics.common.stop_signals import SignalGuard, stop_once
from screw_dynamics.nodes.__main__ import NODES

pytestmark = pytest.mark.long

# a signal at one of the calls of Python functions in the ticks of a motion
IN_A_TICK = """
import signal, sys
from screw_dynamics.nodes.feedforward.node import main
from screw_dynamics.control.feedforward import Feedforward
from screw_dynamics.nodes.shared import endpoints
endpoints.DELIVERY = 100.0  # s, whatever holds the receiver up
calls, step = 0, Feedforward.step
def trace(frame, event, argument):
    global calls
    calls += 1
    if calls == {number}:
        signal.raise_signal(signal.SIGINT)
def traced(self, *arguments, **further):
    sys.settrace(None if self.followed.empty else trace)
    try:
        return step(self, *arguments, **further)
    finally:
        sys.settrace(None)
Feedforward.step = traced
sys.exit(main())
"""
# the signals of the test all come soon after the first one, whatever holds it up
SLOW_LAUNCHER = 'from screw_dynamics.common import stop_signals; stop_signals._ECHO = 10.0'
ENDLESS = """
import sys, threading
from screw_dynamics.common import stop_signals
stop_signals.SHUTDOWN_DEADLINE = 0.5
sys.stderr = {stderr}
with stop_signals.shutdown_deadline():
    threading.Event().wait()
"""
NAMES = ['joint_1', 'joint_2']
SAME = '-r', '~/joint_trajectory:=/same', '-r', '~/joint_trajectory_effort:=/same'


def test_a_signal_does_not_interrupt_the_construction_of_a_future():
    """Its destructor would print a traceback; rclpy handles the signal too, and stops."""
    frames = []
    sys.settrace(lambda frame, event, _: frames.append(frame))
    Task(lambda: None)
    sys.settrace(None)
    inside = [frame for frame in frames if frame.f_code.co_name == '__init__']
    assert len(inside) >= 2  # of the task and of the future, its base
    before = signal.getsignal(signal.SIGINT)
    with stop_once(to_the_end=False) as stop:
        assert signal.getsignal(signal.SIGINT) is stop
        for frame in inside:
            stop(signal.SIGINT, frame)
        assert stop.armed
        with pytest.raises(KeyboardInterrupt):
            stop(signal.SIGINT, inspect.currentframe())
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize('share, urgent', [(0.98, False), (1.02, True)])
def test_a_signal_that_repeats_the_first_one_is_not_urgent(monkeypatch, share, urgent):
    now = 1000.0
    monkeypatch.setattr(stop_signals, 'time', SimpleNamespace(monotonic=lambda: now))
    stop = SignalGuard()
    with pytest.raises(KeyboardInterrupt):
        stop(signal.SIGINT, None)
    assert stop.requested and not stop.urgent
    now += share * stop_signals._ECHO
    stop(signal.SIGTERM, None)
    assert stop.urgent == urgent


def test_a_node_in_the_background_of_a_script_ends(ros, planar):
    """A shell without job control starts it with SIGINT ignored."""
    command = node_command('dynamics_server', '--ros-args', '-p', f'urdf_path:={planar}')
    script = ['sh', '-c', 'trap "" INT; exec "$0" "$@"', *command]
    process = NodeProcess(script, ros.environment)
    try:
        ros.wait_for('the model', lambda: 'Robot model' in process.log, process)
        assert process.interrupt(signal.SIGINT) == 0, process.log
    finally:
        process.kill()


@pytest.mark.parametrize('number', [1, 5000])
def test_a_signal_in_a_tick_ends_the_node(ros, planar, number):
    command = [
        sys.executable, '-c', IN_A_TICK.format(number=number), '--ros-args',
        '-p', f'urdf_path:={planar}',
    ]  # fmt: skip
    process = NodeProcess(command, ros.environment)
    try:
        ros.wait_until_active(process)
        ros.publish(trajectory(NAMES, [0.0, 0.0], [0.2, 0.1]), '/feedforward/joint_trajectory')
        assert process.wait() == 0, process.log
    finally:
        process.kill()
    assert 'Traceback' not in process.log


@pytest.mark.skipif(not Path('/proc/self/task').exists(), reason='threads are read from /proc')
@pytest.mark.parametrize(
    'node, arguments, code',
    [
        ('feedforward', (), 0),
        ('dynamics_server', (), 0),
        ('sea_simulator', ('-p', 'drives_path:=@fitting'), 0),
        ('load_observer', (), 0),
        ('compensation', (), 0),
        ('drive_commands', (), 0),
        ('feedforward', (*SAME, '-p', 'outputs:=[joint_trajectory_effort]'), 1),
        ('dynamics_server', ('-p', 'tip_link:=nose'), 1),
        ('sea_simulator', ('-p', 'drives_path:=@other'), 1),
    ],
)
def test_no_thread_of_the_dds_outlives_its_node(ros, planar, tmp_path, node, arguments, code):
    """A participant that is left to the end of the process crashes it now and then."""
    paths = {'@fitting': tmp_path / 'fitting.yaml', '@other': tmp_path / 'other.yaml'}
    paths['@fitting'].write_text(TEXT)
    paths['@other'].write_text(TEXT.replace('joint_2', 'elbow'))
    for name, path in paths.items():
        arguments = [word.replace(name, str(path)) for word in arguments]
    command = watched_command(
        f'screw_dynamics.nodes.{NODES[node].rpartition(".")[0]}',
        '--ros-args',
        *arguments,
        '-p',
        f'urdf_path:={planar}',
    )
    process = NodeProcess(command, ros.environment)
    try:
        if code == 0:
            ros.wait_for('the model', lambda: 'Robot model' in process.log, process)
            found = participant_threads(process.pid)
            assert found or get_rmw_implementation_identifier() != 'rmw_fastrtps_cpp'
            assert process.interrupt() == 0, process.log
        assert process.wait() == code, process.log
    finally:
        process.kill()
    assert threads_left(process.log) == []


@pytest.mark.parametrize(
    'node, number', [('feedforward', signal.SIGINT), ('dynamics_server', signal.SIGTERM)]
)
def test_signals_without_end(ros, planar, node, number):
    """An impatient user, and a launch file beside the terminal, send more than one."""
    process = ros.start(node, name=f'{node}_signalled', urdf_path=planar)
    ros.wait_for('the model', lambda: 'Robot model' in process.log, process)
    while process.running:
        process.send(number)
        ros.spin(0.01)
    assert process.wait() == 0, process.log
    assert 'Traceback' not in process.log


@pytest.mark.parametrize('node, started', [('feedforward', True), ('dynamics_server', False)])
def test_a_middleware_that_does_not_end(ros, planar, node, started):
    """The process ends all the same; what it reports is not lost."""
    command = node_command(node, before=NEVER_DESTROYED)
    parameters = {} if started else {'gravity': '[0.0]'}
    process = ros.start_command(command, name=f'endless_{node}', urdf_path=planar, **parameters)
    if started:
        ros.wait_for('the model', lambda: 'Robot model' in process.log, process)
        process.send(signal.SIGINT)
    assert process.wait() == 1, process.log
    assert ('[FATAL]' in process.log) == (not started)
    assert ("'gravity'" in process.log) == (not started)
    assert 'a report' in process.log
    assert 'Timeout (0:00:00' in process.log and 'in _destroy' in process.log
    assert 'Traceback' not in process.log


@pytest.mark.parametrize('stderr', ['sys.stderr', 'None'])
def test_the_end_is_limited_without_stderr_too(stderr):
    command = [sys.executable, '-c', ENDLESS.format(stderr=stderr)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert ('in <module>' in done.stderr) == (stderr != 'None')


@pytest.mark.parametrize(
    'arguments, text',
    [
        (['--params-file', '/nowhere.yaml'], '/nowhere.yaml'),
        (['-p'], '-p'),
        (['-p', 'use_sim_time:=3'], "'use_sim_time' to '3'"),
    ],
)
def test_a_bad_command_line_is_fatal(ros, arguments, text):
    process = NodeProcess(node_command('feedforward', '--ros-args', *arguments), ros.environment)
    assert process.wait() == 1
    assert '[FATAL]' in process.log
    assert text in process.log
    assert 'Traceback' not in process.log


def test_a_form_of_kernels_that_does_not_exist_is_fatal(ros, planar):
    environment = {**ros.environment, 'SCREW_DYNAMICS_KERNELS': 'fortran'}
    command = node_command('feedforward', '--ros-args', '-p', f'urdf_path:={planar}')
    process = NodeProcess(command, environment)
    assert process.wait() == 1
    (line,) = process.log.splitlines()
    assert '[FATAL]' in line
    assert 'SCREW_DYNAMICS_KERNELS: expected one of c, python, got ' in line
