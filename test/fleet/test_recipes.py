# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recipes of docs/fleet.md on Ray, Dask, loky and submitit: the same bytes as one process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from fleet_functions import ARM, ENVIRONMENT, ROOT, write_tables

import screw_dynamics as sd
from screw_dynamics.fleet import evaluate, run, task

pytestmark = pytest.mark.processes
OPTIONS = {'smoothing_time': 0.05, 'order': 0}


@pytest.fixture(scope='module')
def paths(tmp_path_factory):
    return write_tables(tmp_path_factory.mktemp('tables'), 4)


@pytest.fixture(scope='module')
def alone(paths):
    return list(run(evaluate, ARM, paths, jobs=1, **OPTIONS))


def same(found, expected):
    for record, other in zip(found, expected, strict=True):
        assert record.row == other.row and record.columns.keys() == other.columns.keys()
        for name, column in record.columns.items():
            assert column.tobytes() == other.columns[name].tobytes()


def test_dask(paths, alone):
    distributed = pytest.importorskip('distributed', reason='dask distributed is not installed')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            same(run(evaluate, ARM, paths, client.get_executor(), **OPTIONS), alone)


def test_ray(paths, alone):
    ray = pytest.importorskip('ray', reason='ray is not installed')
    data = pytest.importorskip('ray.data')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        try:
            work = task(evaluate, ARM, **OPTIONS)
            rows = data.from_items([{'path': path} for path in paths])
            found = rows.map(lambda row: {'record': work(row['path'])}).take_all()
        finally:
            ray.shutdown()
    by_path = {row['record'].path: row['record'] for row in found}
    same([by_path[path] for path in paths], alone)


def test_loky(paths, alone):
    loky = pytest.importorskip('loky', reason='loky is not installed')
    with loky.get_reusable_executor(2) as executor:
        same(run(evaluate, ARM, paths, executor, **OPTIONS), alone)


def test_submitit(paths, alone, tmp_path):
    """On this machine; on a cluster `AutoExecutor` submits to Slurm."""
    submitit = pytest.importorskip('submitit', reason='submitit is not installed')
    executor = submitit.LocalExecutor(folder=tmp_path)
    work = task(evaluate, ARM, **OPTIONS)
    same([job.result() for job in executor.map_array(work, paths)], alone)


def test_the_lines_of_the_slurm_script_run_side_by_side(paths, tmp_path):
    pytest.importorskip('pyarrow')
    page = (ROOT / 'docs/fleet.md').read_text()
    (script,) = re.findall(r'```bash\n(#!/bin/bash\n#SBATCH.*?)```', page, re.DOTALL)
    folder = Path(paths[0]).parent
    program = tmp_path / 'bin' / 'screw_dynamics'
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nexec {sys.executable} -m screw_dynamics.command_line.main "$@"\n'
    )
    program.chmod(0o755)
    (tmp_path / 'my_robot.urdf').write_text(ARM.read_text())
    (tmp_path / 'recordings').symlink_to(folder)
    (tmp_path / 'array.sh').write_text(script)
    environment = {
        **ENVIRONMENT,
        'PATH': f'{program.parent}:{os.environ["PATH"]}',
        'SLURM_ARRAY_TASK_COUNT': '4',
        'SLURM_CPUS_PER_TASK': '1',
    }
    tasks = [
        subprocess.Popen(
            ['bash', 'array.sh'], cwd=tmp_path, env={**environment, 'SLURM_ARRAY_TASK_ID': str(k)}
        )
        for k in range(4)
    ]
    assert [task.wait() for task in tasks] == [0] * 4
    robot = tmp_path / 'my_robot.urdf'
    again = [str(tmp_path / 'recordings' / Path(path).name) for path in paths]
    list(run(evaluate, robot, again, jobs=1, output=tmp_path / 'whole', smoothing_time=0.05,
             effort_format=sd.EffortFormat(**dict.fromkeys(('sign', 'scale'), [1.0, 1.0]),
                                           offset=[0.0, 0.0])))  # fmt: skip
    files = sorted(file.name for file in (tmp_path / 'efforts').glob('*.parquet'))
    assert len(files) == 5 and 'summary.parquet' in files
    for name in files[:-1]:
        found, whole = (sd.fleet.Record.read(tmp_path / d / name) for d in ('efforts', 'whole'))
        same([found], [sd.fleet.Record(**{**vars(whole), 'path': found.path})])


def test_labelled_arrays_are_computed_in_blocks_and_by_threads():
    xarray = pytest.importorskip('xarray')
    pytest.importorskip('dask.array', reason='dask is not installed')
    arm = sd.read_urdf(ARM)
    jets = np.random.default_rng(0).normal(size=(6, 50, 3, 2))
    labelled = xarray.DataArray(jets, dims=('run', 'time', 'derivative', 'joint')).chunk(run=2)
    efforts = xarray.apply_ufunc(
        partial(sd.inverse_dynamics, arm),
        labelled,
        input_core_dims=[['derivative', 'joint']],
        output_core_dims=[['order', 'joint']],
        dask='parallelized',
        output_dtypes=[float],
        dask_gufunc_kwargs={'output_sizes': {'order': 1}},
    )
    np.testing.assert_array_equal(efforts.compute(), sd.inverse_dynamics(arm, jets))
