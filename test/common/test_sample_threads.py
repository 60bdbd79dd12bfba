# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Batches in slices and by several threads."""

import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import screw_dynamics as sd
from screw_dynamics.common import sample_threads
from screw_dynamics.common.sample_threads import over_samples

COUNTS = st.integers(0, 3000), st.integers(0, 10**7), st.integers(1, 5)


@given(*COUNTS)
def test_every_sample_is_run_once_in_short_slices(samples, work, threads):
    runs, lock = np.zeros(samples, int), threading.Lock()

    def run(part):
        with lock:
            runs[part] += 1
        indices = range(*part.indices(samples))
        assert len(indices) <= 1 or len(indices) * work <= sample_threads._SLICE
        return max(indices, default=0)

    assert over_samples(run, samples, work, threads) == max(0, samples - 1)
    assert (runs == 1).all()


@pytest.mark.parametrize('name', ['mass_matrix', 'forward_dynamics', 'frame_jacobian'])
def test_threads_change_nothing(name, rng):
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    states = rng.normal(size=(3, 4003, model.n))
    arguments = {
        'mass_matrix': states[:1],
        'forward_dynamics': states,
        'frame_jacobian': (states[0], 'flange', 'hybrid'),
    }[name]
    function = getattr(sd, name)
    expected = function(model, *arguments)
    np.testing.assert_array_equal(function(model, *arguments, threads=3), expected)
    with pytest.raises(sd.errors.InputError, match='threads: expected a positive integer, got 0'):
        function(model, *arguments, threads=0)
    one = [x[0] if isinstance(x, np.ndarray) else x for x in arguments]
    with pytest.raises(sd.errors.InputError, match='threads: expected a positive integer, got 0'):
        function(model, *one, threads=0)


def test_an_interrupted_batch_ends_after_the_slices_that_run():
    begun = []

    def run(part):
        begun.append(part)
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        return 0

    with pytest.raises(KeyboardInterrupt):
        over_samples(run, 10**6, sample_threads._SLICE // 10, 2)
    count = len(begun)
    assert 1 <= count < 10**5
    over_samples(lambda part: 0, 10**4, 10**4, 2)  # the threads are free again
    assert len(begun) == count


# about a second of efforts, of which some are left when the signal has come
LONG_BATCH = """
import numpy as np
import screw_dynamics as sd

model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
jets = np.zeros((30_000, 43, model.n))
efforts = np.full((30_000, 41, model.n), np.nan)
sd.inverse_dynamics(model, jets[:1], out=efforts[:1])
try:
    print('begun', flush=True)
    sd.inverse_dynamics(model, jets, out=efforts, threads={threads})
except KeyboardInterrupt:
    print(np.isnan(efforts).any())
"""


@pytest.mark.long
@pytest.mark.parametrize('threads', [1, 2])
@pytest.mark.skipif("sd.kernel_form() != 'c'", reason='needs the extension module')
def test_ctrl_c_ends_a_long_batch(threads):
    code = LONG_BATCH.format(threads=threads)
    with subprocess.Popen(
        [sys.executable, '-c', code], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == 'begun\n'
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == 'True\n'


def test_an_error_of_another_thread_is_raised():
    reached = threading.Event()

    def run(part):
        if threading.current_thread() is threading.main_thread():
            return 0 if reached.wait(60) else 1
        reached.set()
        raise MemoryError

    with pytest.raises(MemoryError):
        over_samples(run, 1000, sample_threads._SLICE, 2)


FORKED = """
import os
import numpy as np
import screw_dynamics as sd
arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
q = np.zeros((10**5, 2))
M = sd.mass_matrix(arm, q, threads=2)
child = os.fork()
if child == 0:
    os._exit(0 if (sd.mass_matrix(arm, q, threads=2) == M).all() else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(sample_threads.os, 'fork'), reason='needs fork')
def test_a_forked_process_has_threads_of_its_own():
    code = subprocess.run([sys.executable, '-W', 'ignore', '-c', FORKED], timeout=120).returncode
    assert code == 0
