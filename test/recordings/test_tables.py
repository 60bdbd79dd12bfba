# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings in Parquet tables and in LeRobot data sets."""

from __future__ import annotations

import json

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InputError, RecordingWarning, UnknownNameError
from screw_dynamics.fleet import evaluate, recordings_in, run
from screw_dynamics.recordings.motions import read_recording

pyarrow = pytest.importorskip('pyarrow')
parquet = pytest.importorskip('pyarrow.parquet')
ARM = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
RATE = 50


def positions(episode, samples=80):
    times = np.arange(samples) / RATE
    return np.column_stack((np.sin((2.0 + episode) * times), np.cos(3.0 * times)))


def dataset(folder, version='v3.0', names=('joint_1.pos', 'joint_2.pos'), efforts=True):
    """Write a data set of three episodes, the last in a file of its own."""
    kind = {'dtype': 'float32', 'shape': [2], 'names': names}
    features = {'observation.state': kind, 'action': kind}
    if efforts:
        features['observation.effort'] = kind
    new = version == 'v3.0'
    template = (
        'data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet'
        if new
        else 'data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet'
    )
    info = {'codebase_version': version, 'fps': RATE, 'features': features, 'total_episodes': 3}
    (folder / 'meta/episodes/chunk-000').mkdir(parents=True)
    text = json.dumps({**info, 'data_path': template, 'chunks_size': 1000})
    (folder / 'meta/info.json').write_text(text)
    files = ((0, 1), (2,)) if new else ((0,), (1,), (2,))
    for number, episodes in enumerate(files):
        rows = {'frame_index': [], 'episode_index': [], **{name: [] for name in features}}
        for episode in episodes:
            own = positions(episode).astype(np.float32)
            rows['frame_index'] += range(len(own))
            rows['episode_index'] += [episode] * len(own)
            for k, name in enumerate(features):
                rows[name] += (own + k).tolist()
        where = {'chunk_index': 0, 'file_index': number}
        own = {'episode_chunk': 0, 'episode_index': episodes[0]}
        file = folder / template.format(**where, **own)
        file.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pyarrow.table(rows), file)
    places = {
        'episode_index': [0, 1, 2],
        'data/chunk_index': [0] * 3,
        'data/file_index': [0, 0, 1],
    }
    parquet.write_table(pyarrow.table(places), folder / 'meta/episodes/chunk-000/file-000.parquet')
    return folder


@pytest.mark.parametrize('version', ['v2.1', 'v3.0'])
@pytest.mark.parametrize(
    'names', [('joint_1.pos', 'joint_2.pos'), [['joint_1', 'joint_2']], {'motors': ['joint_1',
     'joint_2']}, None],
)  # fmt: skip
def test_episodes_have_positions_efforts_and_actions(tmp_path, version, names):
    folder = dataset(tmp_path / 'set', version, names)
    assert recordings_in([folder, 'a']) == [f'{folder}#0', f'{folder}#1', f'{folder}#2', 'a']
    for episode in range(3):
        found, _ = read_recording(f'{folder}#{episode}', ARM)
        expected = positions(episode).astype(np.float32)
        np.testing.assert_array_equal(found.positions, expected)
        np.testing.assert_array_equal(found.efforts, (expected + 2).astype(np.float32))
        np.testing.assert_allclose(found.times, np.arange(80) / RATE, rtol=1e-15)
        sent, _ = read_recording(f'{folder}#{episode}', ARM, topic='action')
        np.testing.assert_array_equal(sent.positions, (expected + 1).astype(np.float32))
        assert np.isnan(sent.efforts).all()


def test_efforts_of_an_episode_are_those_of_its_positions(tmp_path):
    folder = dataset(tmp_path / 'set')
    options = {'smoothing_time': 0.1, 'order': 0}
    records = list(run(evaluate, ARM, recordings_in([folder]), jobs=1, **options))
    assert [record.error for record in records] == [''] * 3
    inner = slice(20, 60)
    times = np.arange(80) / RATE
    rates = np.array([4.0, 3.0])  # of episode 2
    q = positions(2)
    qd = np.column_stack((4.0 * np.cos(4.0 * times), -3.0 * np.sin(3.0 * times)))
    expected = sd.inverse_dynamics(ARM, np.stack((q, qd, -q * rates**2), axis=1))[:, 0]
    for j in range(2):
        found = records[2].columns[f'joint_{j + 1}.effort'][inner]
        # smoothing of float32 positions
        np.testing.assert_allclose(found, expected[inner, j], atol=0.02 * np.abs(expected).max())


def test_what_a_data_set_lacks_is_named(tmp_path):
    folder = dataset(tmp_path / 'set', names=['dim'], efforts=False)
    with pytest.raises(UnknownNameError, match=r"unknown column 'goal': expected one of obs"):
        read_recording(f'{folder}#0', ARM, topic='goal')
    with pytest.raises(InputError, match=r'expected one of 3 episodes, got 7'):
        read_recording(f'{folder}#7', ARM)
    with pytest.raises(InputError, match=r'expected an episode of the data set, as in .*set#0'):
        read_recording(folder, ARM)
    assert read_recording(f'{folder}#0', ARM)[0].joint_names == ARM.joint_names
    iiwa = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    with pytest.raises(InputError, match=r"expected names of 2 joints in .*, got \['dim'\]"):
        read_recording(f'{folder}#0', iiwa)


def test_a_parquet_table_is_read_as_a_csv_of_its_columns(tmp_path):
    table = {'time': np.arange(3.0), 'a.position [rad]': [0.1, 0.2, None], 'a.effort': [1, 2, 3]}
    parquet.write_table(pyarrow.table({**table, 'note': ['x'] * 3}), tmp_path / 'a.parquet')
    (tmp_path / 'a.csv').write_text('time,a.position [rad],a.effort\n0,0.1,1\n1,0.2,2\n2,,3')
    found = []
    for name in ('a.parquet', 'a.csv'):
        with pytest.warns(RecordingWarning, match='1 of 3 rows lack a value'):
            found.append(sd.Recording.from_file(tmp_path / name))
    for field in ('times', 'positions', 'efforts'):
        np.testing.assert_array_equal(getattr(found[0], field), getattr(found[1], field))
    (tmp_path / 'b.parquet').write_text('no table')
    with pytest.raises(InputError, match=r'b\.parquet: expected a table of numbers in Parquet'):
        sd.Recording.from_file(tmp_path / 'b.parquet')
    with pytest.raises(InputError, match=r'c\.parquet: expected a recording: No such file'):
        sd.Recording.from_file(tmp_path / 'c.parquet')
