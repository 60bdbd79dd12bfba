# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A function over many recordings: order, failures, files, shards, killed processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import fleet_functions
import numpy as np
import pytest
from fleet_functions import ARM, ENVIRONMENT, contents
from helpers.patience import patience

import screw_dynamics as sd
from screw_dynamics.errors import InputError
from screw_dynamics.fleet import Record, as_text, evaluate, observe, run


def test_records_come_in_the_order_of_the_paths_and_broken_ones_have_their_reason(tmp_path):
    texts = ['x' * k for k in range(1000)]
    paths = fleet_functions.write_texts(tmp_path, texts)
    Path(paths[500]).write_bytes(b'\xff\xfe\xff')
    found = list(run(fleet_functions.size, ARM, paths, jobs=1))
    assert [record.path for record in found] == paths
    (broken,) = [record for record in found if record.error]
    assert broken is found[500] and not broken.values
    assert broken.error.startswith(f'{paths[500]}: UnicodeDecodeError: ')
    assert sum(record.values == {'characters': k} for k, record in enumerate(found)) == 999


@pytest.mark.processes
def test_every_executor_and_number_of_processes_writes_the_same_bytes(tmp_path):
    pytest.importorskip('pyarrow')
    paths = fleet_functions.write_tables(tmp_path, 5)
    Path(paths[3]).write_text('no table')

    def written(name, paths=paths, **how):
        folder = tmp_path / name
        rows = list(run(evaluate, ARM, paths, output=folder, smoothing_time=0.05, **how))
        assert all(not record.columns for record in rows)
        return contents(folder)

    alone = written('alone', jobs=1)
    assert len(alone) == 6
    assert written('two', jobs=2) == alone
    with ThreadPoolExecutor(3) as threads:
        assert written('threads', executor=threads) == alone
    for rank in (2, 0, 1):  # the shard that ends last writes the whole summary
        written('shards', jobs=1, shard=(rank, 3))
    assert contents(tmp_path / 'shards') == alone


def test_a_record_returns_from_its_file_as_it_was(tmp_path):
    pytest.importorskip('pyarrow')
    table = {'time': np.array([0.0, np.pi]), 'link': np.array(['a', 'b'], dtype=object)}
    record = Record('a', {'mass': 1.1, 'usable': True, 'n': 3}, table, {'mass': 'kg'}, ('odd',))
    record.write(tmp_path / 'a.parquet')
    found = Record.read(tmp_path / 'a.parquet')
    assert found.row == record.row and found.units == record.units
    for name, column in table.items():
        np.testing.assert_array_equal(found.columns[name], column)


def test_columns_have_types_and_units(tmp_path):
    parquet = pytest.importorskip('pyarrow.parquet')
    (path,) = fleet_functions.write_tables(tmp_path, 1)
    (record,) = run(evaluate, ARM, [path], jobs=1, output=tmp_path / 'out', order=1)
    (file,) = (tmp_path / 'out').glob('run_0.csv-*.parquet')
    schema = parquet.read_schema(file)
    assert str(schema.field('joint_1.effort_dot').type) == 'double'
    assert schema.field('joint_1.effort_dot').metadata[b'unit'] == b'N m/s'
    summary = parquet.read_table(tmp_path / 'out' / 'summary.parquet')
    assert summary['path'].to_pylist() == [path]
    assert summary['joint_2.effort'].to_pylist() == [record.values['joint_2.effort']]


def test_what_is_finished_is_done_again_only_if_it_or_its_settings_have_changed(tmp_path):
    pytest.importorskip('pyarrow')
    paths = fleet_functions.write_texts(tmp_path, ['a', 'bb', 'ccc'])
    out = tmp_path / 'out'

    def touched(**options):
        before = {file: file.stat().st_mtime_ns for file in out.glob('*.txt-*')}
        list(run(fleet_functions.size, ARM, paths, jobs=1, output=out, **options))
        return [file.name[0] for file in sorted(out.glob('*.txt-*')) if before.get(
            file) != file.stat().st_mtime_ns]  # fmt: skip

    assert touched() == ['0', '1', '2'] and touched() == []
    Path(paths[1]).write_text('other')
    assert touched() == ['1'] and touched(length=2) == ['0', '1', '2']
    (file,) = out.glob('0.txt-*')
    file.write_bytes(file.read_bytes()[:-1])  # half written
    assert touched(length=2) == ['0']
    Path(paths[2]).unlink()  # what has failed is tried again
    assert touched(length=2) == ['2'] and touched(length=2) == ['2']


@pytest.mark.processes
def test_a_killed_process_costs_no_recording_but_one_that_kills_always(tmp_path):
    parquet = pytest.importorskip('pyarrow.parquet')
    paths = fleet_functions.write_texts(tmp_path, ['a', 'bb', 'deadly', 'cccc', 'd', 'e'])
    list(run(fleet_functions.deadly, ARM, paths, jobs=2, output=tmp_path / 'killed'))
    list(run(fleet_functions.deadly, ARM, paths, jobs=1, output=tmp_path / 'whole'))
    assert len(contents(tmp_path / 'whole')) == 7  # that of the killed process is there, too
    assert contents(tmp_path / 'killed') == contents(tmp_path / 'whole')
    out = tmp_path / 'always'
    found = list(run(fleet_functions.deadly, ARM, paths, jobs=2, output=out, always=True))
    rows = parquet.read_table(out / 'summary.parquet')
    assert rows['error'].to_pylist() == [record.error for record in found]
    assert [record.error for record in found if record.error] == [
        f'{paths[2]}: its process ended twice: killed, out of memory, or the script lacks '
        "`if __name__ == '__main__':`"
    ]


SCRIPT = """
import sys
from screw_dynamics import fleet
if __name__ == '__main__':
    name, robot, out, *paths = sys.argv[1:]
    for record in fleet.run(getattr(fleet, name), robot, paths, jobs=2, output=out):
        print(record.path, flush=True)
"""


def started(tmp_path, name, paths):
    """Start a process that runs a function over recordings into the folder `out`."""
    script = tmp_path / 'script.py'
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), name, str(ARM), str(tmp_path / 'out'), *paths]
    return subprocess.Popen(
        command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def processes_of(session):
    """Return the resident pages of the processes of a session by their numbers."""
    found = {}
    for place in Path('/proc').glob('[0-9]*'):
        with suppress(OSError):  # it has ended
            if int((place / 'stat').read_text().rpartition(')')[2].split()[3]) == session:
                found[int(place.name)] = int((place / 'statm').read_text().split()[1])
    return found


@pytest.mark.processes
@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_goes_on_to_the_same_files_and_leaves_no_process(tmp_path, number):
    pytest.importorskip('pyarrow')
    paths = fleet_functions.write_tables(tmp_path, 12, 300)
    out = tmp_path / 'out'
    with started(tmp_path, 'evaluate', paths) as process:
        process.stdout.readline()
        if number == signal.SIGKILL:
            process.kill()
        else:
            os.killpg(process.pid, number)  # as a terminal does
        # the output ends when the last process that has it ends
        process.communicate(timeout=patience())
    done = len(list(out.glob('run_*.parquet')))
    assert 0 < done < 12 and not (out / 'summary.parquet').exists()
    list(run(evaluate, ARM, paths, jobs=1, output=out))
    list(run(evaluate, ARM, paths, jobs=1, output=tmp_path / 'whole'))
    assert contents(out) == contents(tmp_path / 'whole')


@pytest.mark.long
@pytest.mark.processes
def test_a_thousand_bags_after_kills_have_the_files_of_one_process_and_one_reason(tmp_path):
    pytest.importorskip('pyarrow')
    paths = fleet_functions.write_bags(tmp_path, 1000, 60, broken=(500,))
    sizes = {}
    with started(tmp_path, 'observe', paths) as process:
        for k, _ in enumerate(process.stdout):
            if k % 100 == 99:
                sizes[k + 1] = processes_of(process.pid)
            if k == 700:
                os.kill(max(sizes[700], key=sizes[700].get), signal.SIGKILL)
            if k == 800:
                process.kill()
    for before, after in zip(*(sorted(sizes[k].values()) for k in (100, 700)), strict=True):
        assert after < 1.1 * before
    assert 700 < len(list((tmp_path / 'out').glob('bag_*.parquet'))) < 1000
    rows = list(run(observe, ARM, paths, jobs=2, output=tmp_path / 'out'))
    (broken,) = [row for row in rows if row.error]
    assert broken is rows[500] and 'no message' in broken.error and len(rows) == 1000
    list(run(observe, ARM, paths, jobs=1, output=tmp_path / 'whole'))
    assert contents(tmp_path / 'out') == contents(tmp_path / 'whole')


def test_collisions_of_bags_are_found_in_each_beside_a_broken_one(tmp_path):
    paths = fleet_functions.write_bags(tmp_path, 5, broken=(1,))
    rows = list(run(observe, ARM, paths, jobs=1))
    assert [row.values.get('collisions') for row in rows] == [1, None, 0, 1, 0]
    assert rows[1].error.startswith(f'{paths[1]}: expected a topic of type JointState')
    for k in (0, 3):
        times, efforts = (rows[k].columns[name] for name in ('time', 'joint_2.external_effort'))
        assert (
            times[200] <= rows[k].values['begin'] <= times[202] and rows[k].units['begin'] == 's'
        )
        assert abs(efforts[-1] - 20.0) < 0.01  # the observer follows at 50 / s for 0.4 s
        assert rows[k].columns['contact'][210] == rows[k].values['link'] != ''


def test_memory_does_not_grow_with_the_number_of_recordings(tmp_path):
    paths = fleet_functions.write_texts(tmp_path, ['x'] * 200)
    tracemalloc.start()
    try:
        for record in run(fleet_functions.size, ARM, paths, jobs=1, length=100_000):
            assert len(record.columns['column']) == 100_000  # 0.8 MB each, 160 MB in all
        assert tracemalloc.get_traced_memory()[1] < 10e6
    finally:
        tracemalloc.stop()


def test_a_robot_is_the_same_once_it_was_a_text():
    arm = sd.read_urdf(ARM)
    drives = sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(1.0 / 3.0))})
    robot = sd.Robot(arm, drives, limits_motors=True)
    assert as_text(robot).robot == robot and as_text(ARM).robot == sd.Robot(arm)
    assert as_text(ARM.read_text()) == as_text(arm) == as_text(as_text(arm))


def test_a_script_on_standard_input_needs_one_process():
    text = SCRIPT.replace("if __name__ == '__main__':", 'if True:')
    command = [sys.executable, '-', 'check', str(ARM), 'out', 'a.csv', 'b.csv']
    found = subprocess.run(command, input=text, env=ENVIRONMENT, capture_output=True, text=True)
    assert found.stderr.count('Traceback') == 1 and 'one on standard input: jobs=1' in found.stderr


def test_impossible_shards_and_one_path_are_named():
    for shard in ((4, 4), (-1, 2), (0, 0)):
        with pytest.raises(InputError, match=r'shard: expected a rank from 0 to below the size'):
            run(evaluate, ARM, [], shard=shard)
    with pytest.raises(InputError, match="paths: expected several, in a list, got 'a.csv'"):
        run(evaluate, ARM, 'a.csv')
