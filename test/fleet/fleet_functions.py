# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of recordings that end their process, wait or return much, and small recordings."""

import os
import signal
from pathlib import Path

import numpy as np
from helpers.bag_messages import START, joint_state, write_bag

import screw_dynamics as sd
from screw_dynamics.fleet import Record

ARM = sd.share_path('urdf/planar_2r.urdf')
ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, 'PYTHONPATH': str(ROOT)}


def contents(folder):
    """Return the bytes of the files in a folder, but of writers that were killed."""
    return {file.name: file.read_bytes() for file in Path(folder).glob('[!.]*.parquet')}


def size(robot, path, length=0):
    """Return how many characters a file has, and a column of a length."""
    text = Path(path).read_text()
    return Record(path, {'characters': len(text)}, {'column': np.full(length, float(len(text)))})


def deadly(robot, path, always=False):
    """End the process at files that say so: once, or always."""
    text = Path(path).read_text()
    mark = Path(f'{path}.tried')
    if 'deadly' in text and (always or not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return size(robot, path, 3)


def write_bags(folder, count, samples=300, broken=()):
    """Write MCAP bags of planar_2r, every third pushed at its end; return their paths."""
    arm, paths = sd.read_urdf(ARM), []
    times, rates = 0.004 * np.arange(samples), np.array([2.0, 3.0])
    for k in range(count):
        phases = 0.3 * k + rates * times[:, None, None] + np.pi / 2.0 * np.arange(3)[:, None]
        jets = rates ** np.arange(3)[:, None] * np.sin(phases)
        efforts = sd.inverse_dynamics(arm, jets)[:, 0]
        efforts[-samples // 3 :] -= 20.0 * (k % 3 == 0)
        rows = []
        for time, jet, effort in zip(times, jets, efforts, strict=True):
            stamp = round(1e9 * time)
            message = joint_state(arm.joint_names, jet[0], START + stamp)
            message.velocity, message.effort = jet[1].copy(), effort.copy()
            rows.append(('/joint_states', stamp, message))
        paths.append(str(write_bag(folder / f'bag_{k}', rows)))
        if k in broken:
            (file,) = Path(paths[-1]).glob('*.mcap')
            file.write_bytes(file.read_bytes()[:1000])
    return paths


def write_tables(folder, count, samples=60):
    """Write tables of motions of planar_2r; return their paths."""
    times = 0.01 * np.arange(samples)
    paths = []
    for k in range(count):
        path = folder / f'run_{k}.csv'
        columns = times, np.sin((2.0 + k) * times), np.cos(3.0 * times)
        rows = [','.join(map(repr, row)) for row in np.column_stack(columns).tolist()]
        path.write_text('\n'.join(['time,joint_1.position,joint_2.position', *rows]))
        paths.append(str(path))
    return paths


def write_texts(folder, texts):
    """Write files; return their paths."""
    paths = [folder / f'{k}.txt' for k in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return list(map(str, paths))
