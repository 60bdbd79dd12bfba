# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Nodes on an empty cache of kernels: log, compilation, waiting."""

from __future__ import annotations

import re
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.node_processes import NodeProcess, node_command
from helpers.patience import patience
from helpers.services import SERVICES

import screw_dynamics as sd
from screw_dynamics.jit import extension_kernels, jit_enabled
from screw_dynamics.jit.compile_turn import compile_turn

pytestmark = pytest.mark.skipif(not jit_enabled(), reason='needs numba')

MOST_AT_REST = 120 * 1024  # KiB, of a node without a trajectory
TOTAL = re.compile(r'Compiled (\d+) kernels after')


def wait_while_it_advances(ros, condition, process):
    """Spin until a condition holds, as long as the node has something new to say."""
    log, deadline = '', time.monotonic() + patience()
    while not condition():
        assert process.running, process.log
        if process.log != log:
            log, deadline = process.log, time.monotonic() + patience()
        assert time.monotonic() < deadline, log
        ros.spin(0.1)


def by_numba(ros, cache):
    return {
        **ros.environment,
        'NUMBA_CACHE_DIR': str(cache),
        'SCREW_DYNAMICS_KERNELS': 'numba',
        'NUMBA_OPT': '0',  # these tests are about compilation, which takes half the time
    }


# In the long run: numba compiles for more than a minute. That two processes compile once is in
# jit/test_kernel_cache.py too.
@pytest.fixture(
    scope='module',
    params=[
        pytest.param(kind, marks=pytest.mark.long) for kind in ('feedforward', 'dynamics_server')
    ],
)
def nodes(request, ros, planar, tmp_path_factory):
    """Return a node and a `second` one, started at once on an empty cache, when they are ready."""
    cache = tmp_path_factory.mktemp('cache')
    environment = by_numba(ros, cache)
    arguments = ('--ros-args', '-p', f'urdf_path:={planar}')
    second = node_command(request.param, *arguments, '-r', '__node:=second')
    processes = {
        'feedforward': NodeProcess(node_command('feedforward', *arguments), environment),
        'second': NodeProcess(second, environment),
    }
    ready = {'feedforward': 'Active at', 'dynamics_server': 'Ready:'}
    try:
        for process, text in zip(
            processes.values(), (ready['feedforward'], ready[request.param]), strict=True
        ):
            wait_while_it_advances(ros, lambda p=process, t=text: t in p.log, process)
        yield SimpleNamespace(**processes, kind=request.param, cache=cache)
    finally:
        for process in processes.values():
            process.kill()


def test_the_log_of_a_first_start(nodes):
    feedforward = nodes.feedforward.log
    assert feedforward.index('(once, about a minute') < feedforward.index('Robot model')
    active = next(line for line in feedforward.splitlines() if 'Active at' in line)
    assert 'Active at 250 Hz: listens on' in active or 'Active at 500 Hz' in active, active
    listens, publishes = active.split('publishes')
    assert '/feedforward/joint_trajectory' in listens
    assert '/feedforward/feedforward' in publishes
    assert '/rosout' not in active
    if nodes.kind == 'dynamics_server':
        ready = next(line for line in nodes.second.log.splitlines() if 'Ready:' in line)
        assert '/second/get_mass_matrix' in ready


def test_each_kernel_is_compiled_once(nodes):
    """Both say what they waited for; together they wrote every kernel once."""
    logs = nodes.feedforward.log, nodes.second.log
    assert 'Another process compiles' in ''.join(logs)
    written = [path.name for path in nodes.cache.rglob('*.nbc')]
    assert len(written) == len(set(written))
    assert not list(nodes.cache.rglob('*.lock'))
    totals = [int(match.group(1)) for log in logs if (match := TOTAL.search(log))]
    assert totals and max(totals) <= len(written)


def test_a_second_start_compiles_nothing(ros, nodes, planar):
    environment = by_numba(ros, nodes.cache)
    arguments = ('--ros-args', '-p', f'urdf_path:={planar}', '-r', '__node:=again')
    process = NodeProcess(node_command('feedforward', *arguments), environment)
    try:
        ros.wait_for('the node', lambda: 'Active at' in process.log, process)
        assert 'Compil' not in process.log
    finally:
        process.kill()


@pytest.mark.parametrize(
    'nodes', [pytest.param('dynamics_server', marks=pytest.mark.long)], indirect=True
)
def test_a_new_order_keeps_nobody_waiting(ros, nodes, planar):
    """The kernel of an order is compiled beside the requests, which are answered meanwhile."""
    cache = nodes.cache
    model = sd.read_urdf(planar)
    jet = np.linspace(0.1, 1.2, 6 * model.n).reshape(6, model.n)
    fields = dict(zip(('position', 'velocity', 'acceleration', 'jerk', 'snap'), jet, strict=False))
    requests = {
        'get_inverse_dynamics': {
            **{name: row.tolist() for name, row in fields.items()},
            'higher_derivatives': jet[5].tolist(),
            'derivative_order': 3,
        },
        'get_mass_matrix': {'position': jet[0].tolist()},
    }

    def answer(name):
        service = SERVICES[name]
        response = ros.call(service, f'/second/{name}', service.Request(**requests[name]))
        assert response.success, response.message
        return response

    (index,) = cache.rglob('samples.single.*.nbi')
    compiled = set(index.parent.glob('*.nbc'))
    with compile_turn(index.with_suffix('.lock'), pytest.fail):  # nobody can compile meanwhile
        meanwhile = [answer(name) for name in (*requests, 'get_inverse_dynamics')]
        assert set(index.parent.glob('*.nbc')) == compiled
    expected = sd.inverse_dynamics(model, jet)
    scale = np.abs(expected).max()
    server = nodes.second
    wait_while_it_advances(ros, lambda: set(index.parent.glob('*.nbc')) > compiled, server)
    for response in (meanwhile[0], meanwhile[2], answer('get_inverse_dynamics')):
        got = np.reshape(response.effort_jet, expected.shape)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * scale)


@pytest.mark.skipif(not extension_kernels(), reason='needs the extension module')
@pytest.mark.parametrize(
    'name, text', [('feedforward', 'Active at'), ('dynamics_server', 'Ready')]
)
def test_with_the_extension_module_nothing_is_compiled(ros, planar, tmp_path, name, text):
    environment = {**ros.environment, 'NUMBA_CACHE_DIR': str(tmp_path)}
    environment.pop('OMP_NUM_THREADS')  # of the tests; threads of linear algebra take memory
    arguments = ('--ros-args', '-p', f'urdf_path:={planar}', '-r', f'__node:={name}_in_c')
    process = NodeProcess(node_command(name, *arguments), environment)
    try:
        ros.wait_for('the node', lambda: text in process.log, process)
        assert 'ompil' not in process.log
        assert not list(tmp_path.iterdir())
        maps = Path(f'/proc/{process.pid}/maps').read_text()
        assert '_kernels' in maps and 'llvmlite' not in maps
        status = Path(f'/proc/{process.pid}/status').read_text()
        assert int(re.search(r'VmRSS:\s+(\d+) kB', status)[1]) < MOST_AT_REST
    finally:
        process.kill()


def test_a_form_that_does_not_exist_is_fatal(ros, planar):
    environment = {**ros.environment, 'SCREW_DYNAMICS_KERNELS': 'fortran'}
    arguments = ('--ros-args', '-p', f'urdf_path:={planar}', '-r', '__node:=in_fortran')
    process = NodeProcess(node_command('feedforward', *arguments), environment)
    try:
        assert process.wait() == 1
        (line,) = process.log.splitlines()
        assert '[FATAL]' in line
        assert 'SCREW_DYNAMICS_KERNELS: expected one of c, numba, numpy, got ' in line
    finally:
        process.kill()
