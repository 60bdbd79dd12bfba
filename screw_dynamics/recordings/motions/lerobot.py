# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Episodes of LeRobot data sets (v2 and v3) as recordings: DATASET#EPISODE."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.results import optional_library
from screw_dynamics.errors import InputError, UnknownNameError, listed, shown
from screw_dynamics.estimation.identification import Recording

STATE, EFFORT = 'observation.state', 'observation.effort'
_INFO = Path('meta', 'info.json')


def is_dataset(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is that of a data set, or of one of its episodes."""
    return (_folder(path) / _INFO).is_file()


def recordings_in(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """
    Return paths with the episodes of LeRobot data sets in place of the data sets.

    Parameters
    ----------
    paths : iterable of str or path

    Returns
    -------
    list of str
        ``DATASET#0``, ``DATASET#1`` and so on for each data set.

    Raises
    ------
    InputError
        If a data set does not say how many episodes it has.

    Examples
    --------
    >>> from screw_dynamics.fleet import recordings_in
    >>> recordings_in(['a_bag', 'measured.csv'])
    ['a_bag', 'measured.csv']
    """
    found: list[str] = []
    for given in paths:
        path = os.fspath(given)
        if is_dataset(path) and '#' not in path:
            count = _info(path)['total_episodes']
            found += [f'{path}#{k}' for k in range(count)]
        else:
            found.append(path)
    return found


def read_episode(path: str, names: tuple[str, ...], column: str | None) -> Recording:
    """
    Return the positions in a column of an episode, by default of the state, and measured efforts.

    `names` are those of the joints where the data set has none.
    """
    folder, _, number = path.rpartition('#')
    if not number.isdecimal():
        raise InputError(f'{path}: expected an episode of the data set, as in {path}#0')
    info, wanted = _info(folder), column or STATE
    features = info['features']
    file = data_of(path)
    read = [name for name in (wanted, EFFORT) if name in features]
    if wanted not in read:
        raise UnknownNameError('column', wanted, features, folder)
    parquet = optional_library('pyarrow.parquet', 'fleet')
    table = parquet.read_table(
        file, columns=['frame_index', *read], filters=[('episode_index', '=', int(number))]
    )
    if not table.num_rows:
        raise InputError(f'{path}: expected samples of the episode in {file}, got none')
    times = table['frame_index'].to_numpy() / float(info['fps'])
    values = {name: np.stack(table[name].to_numpy()).astype(np.float64) for name in read}
    joints = _joints(features[wanted], values[wanted], names, folder)
    efforts: Array | None = None
    # an action is what was commanded, beside which nothing was measured
    if wanted == STATE and EFFORT in values:
        measured = _joints(features[EFFORT], values[EFFORT], names, folder)
        absent = np.full(len(times), np.nan)
        own = dict(zip(measured, values[EFFORT].T, strict=True))
        efforts = np.column_stack([own.get(joint, absent) for joint in joints])
    return Recording(joints, times, values[wanted], efforts)


def data_of(path: str) -> Path:
    """Return the file with the samples of an episode."""
    folder, _, number = path.rpartition('#')
    info, episode = _info(folder), int(number)
    chunk = {'episode_index': episode, 'episode_chunk': episode // info.get('chunks_size', 1000)}
    if '{file_index' in info['data_path']:
        places = _places(str(_folder(folder)))
        if episode not in places:
            raise InputError(f'{path}: expected one of {len(places)} episodes, got {number}')
        chunk['chunk_index'], chunk['file_index'] = places[episode]
    file: str = info['data_path'].format(**chunk)
    return _folder(folder) / file


@cache
def _places(folder: str) -> dict[int, tuple[int, int]]:
    """Return chunk and file of the samples of each episode."""
    parquet = optional_library('pyarrow.parquet', 'fleet')
    names = 'episode_index', 'data/chunk_index', 'data/file_index'
    found = {}
    for file in sorted(Path(folder, 'meta', 'episodes').rglob('*.parquet')):
        table = parquet.read_table(file, columns=list(names))
        rows = zip(*(table[name].to_pylist() for name in names), strict=True)
        found.update({episode: (chunk, number) for episode, chunk, number in rows})
    return found


def _joints(
    feature: Mapping[str, Any], values: NDArray[np.float64], names: tuple[str, ...], folder: str
) -> tuple[str, ...]:
    """Return the names of joints in a feature, which may be nested; those given if it has none."""
    own = feature.get('names')
    while isinstance(own, Mapping) or (own and isinstance(own[0], (list, tuple))):
        own = next(iter(own.values())) if isinstance(own, Mapping) else own[0]
    count = values.shape[1]
    if own is not None and len(own) == count:
        return tuple(str(name).removesuffix('.pos') for name in own)
    if len(names) == count:
        return names
    raise InputError(
        f'{folder}: expected names of {count} joints in {_INFO}, got {shown(own)}, and the robot '
        f'has {listed(names)}'
    )


def _folder(path: str | os.PathLike[str]) -> Path:
    text = os.fspath(path)
    return expanded(text.rpartition('#')[0] or text)


def _info(folder: str) -> dict[str, Any]:
    file = _folder(folder) / _INFO
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding='utf-8'))
    except (OSError, ValueError) as error:
        raise InputError(f'{file}: expected the description of a data set: {error}') from None
    for name in ('data_path', 'fps', 'features', 'total_episodes'):
        if name not in found:
            raise InputError(f'{file}: expected an entry {name}, got {listed(found)}')
    return found
