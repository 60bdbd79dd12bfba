# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The main function of nodes in this process: exit codes, and the end of nodes."""

import sys

import pytest
import rclpy
from rclpy.node import Node

from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared import executor
from screw_dynamics.nodes.shared.executor import run_node, run_nodes

INTERRUPTED = 7


@pytest.fixture(autouse=True)
def alone(ros, monkeypatch):
    """Run in the domain of the tests, with the switch interval that they have."""
    monkeypatch.setenv('ROS_DOMAIN_ID', ros.environment['ROS_DOMAIN_ID'])
    before = sys.getswitchinterval()
    yield
    assert not rclpy.ok()
    sys.setswitchinterval(before)


@pytest.fixture
def made():
    """Return a function that makes a node, and what such nodes have done at their end."""
    done = []

    class Subject(Node):
        def come_to_rest(self):
            done.append(f'{self.get_name()} rests')

        def destroy_node(self):
            done.append(f'{self.get_name()} ends')
            super().destroy_node()

    def made(name='subject'):
        return Subject(name)

    made.done = done
    return made


def raising(error):
    def work(node):
        raise error

    return work


def shut_down(node):
    rclpy.shutdown()
    raise RuntimeError('the context is not valid')


@pytest.mark.parametrize(
    'work, code',
    [
        (lambda node: None, 0),
        (lambda node: rclpy.shutdown(), 0),
        (raising(KeyboardInterrupt), INTERRUPTED),
        (shut_down, INTERRUPTED),
        (raising(InputError('no such robot')), 1),
    ],
)
def test_codes(made, work, code, capfd):
    assert run_node(made, 'one', ['one'], work=work, interrupted=INTERRUPTED) == code
    assert made.done == ['subject rests', 'subject ends']
    assert ('[one]: no such robot' in capfd.readouterr().err) == (code == 1)


def test_help_and_unknown_arguments(made, capsys):
    assert run_node(made, 'one', ['one', '--help'], purpose='What it is for.') == 0
    assert 'What it is for.' in capsys.readouterr().out
    assert run_node(made, 'one', ['one', 'urdf=x']) == 2
    assert capsys.readouterr().err.startswith("one: unknown argument 'urdf=x'")
    assert run_node(made, 'one', ['one', '--ros-args', '-p']) == 1
    assert made.done == []


@pytest.mark.parametrize('fails', [False, True])
def test_nodes_end_before_those_that_they_listen_to(made, monkeypatch, capfd, fails):
    makers = [lambda: made('source'), lambda: made('sink')]
    if fails:

        def failing():
            raise InputError('no such robot')

        makers.append(failing)
    monkeypatch.setattr(executor, '_spin', lambda nodes, stop: None)
    assert run_nodes(makers, 'nodes', ['nodes']) == fails
    rests = [] if fails else ['sink rests', 'source rests']
    assert made.done == [*rests, 'sink ends', 'source ends']
    assert ('no such robot' in capfd.readouterr().err) == fails


def test_a_node_is_destroyed_whatever_fails_before(made):
    class Subject(Node):
        def destroy_node(self):
            super().destroy_node()
            raise RuntimeError('the node')

        def come_to_rest(self):
            assert rclpy.ok()
            raise RuntimeError('the ramp')

    failing = raising(RuntimeError('the work'))
    with pytest.raises(RuntimeError, match='the node') as raised:
        run_node(lambda: Subject('subject'), 'one', ['one'], work=failing)
    before = raised.value.__context__
    assert (str(before), str(before.__context__)) == ('the ramp', 'the work')


def test_a_node_whose_constructor_fails_is_destroyed(made):
    def failing():
        node = made()
        with executor.destroyed_on_error(node):
            raise InputError('no such robot')

    assert run_node(failing, 'one', ['one']) == 1
    assert made.done == ['subject ends']
