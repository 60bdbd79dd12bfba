# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Record`: what a function has found in one recording, and its Parquet file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.paths import expanded
from screw_dynamics.common.results import Part, RecordedResult, optional_library
from screw_dynamics.errors import InputError, shown
from screw_dynamics.recordings.motions.lerobot import data_of, is_dataset

_META = b'screw_dynamics'
_BLOCK = 1 << 20  # bytes


@dataclass(frozen=True, eq=False)
class Record(RecordedResult):
    """
    What a function has found in one recording, or why it has found nothing.

    Parameters
    ----------
    path : str
        Of the recording.
    values : dict of str to float, int, bool or str
        A row of the summary.
    columns : dict of str to (N,) ndarray
        A table: numbers or texts.
    units : dict of str to str
        Of columns and values.
    warnings : tuple of str
        What was left out or is odd.
    error : str
        Why the recording has failed; empty if it has not.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.fleet import Record
    >>> record = Record('a_bag', {'duration': 2.0}, {'time': np.zeros(3)}, {'time': 's'})
    >>> record.row
    {'path': 'a_bag', 'error': '', 'warnings': '', 'duration': 2.0}
    """

    path: str
    values: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    error: str = ''

    @property
    def row(self) -> dict[str, Any]:
        """The row of the summary."""
        own = {'path': self.path, 'error': self.error, 'warnings': '\n'.join(self.warnings)}
        return {**own, **self.values}

    def _records(self) -> Any:
        return dict(self.columns)

    def _parts(self) -> list[Part]:
        rows = [(name, f'{value} {self.units.get(name, "")}') for name, value in self.row.items()]
        return [[('', 'value'), *((name, text.strip()) for name, text in rows)]]

    def write(self, path: Path, key: str = '') -> None:
        """Write the record as a Parquet file, whole or not at all; `key` says what it is of."""
        about = {**asdict(replace(self, columns={})), 'key': key}
        _write(path, self.columns, self.units, about)

    @staticmethod
    def read(path: str | Path) -> Record:
        """
        Read a record from its Parquet file.

        Parameters
        ----------
        path : str or path

        Returns
        -------
        Record

        Raises
        ------
        InputError
            If the file is not one of a record.
        ModuleNotFoundError
            If pyarrow is not installed (extra ``fleet``).
        """
        about = _about(Path(path))
        if about is None:
            raise InputError(f'{path}: expected a Parquet file of a record')
        table = parquet().read_table(path)
        columns = {name: table[name].to_numpy() for name in table.column_names}
        fields = {name: about[name] for name in ('path', 'values', 'units', 'error')}
        return Record(**fields, columns=columns, warnings=tuple(about['warnings']))


def parquet() -> Any:
    """Return the module of pyarrow that reads and writes Parquet."""
    return optional_library('pyarrow.parquet', 'fleet')


def finished(path: Path, key: str) -> Record | None:
    """Return the record without columns in a file whose key begins so, None if there is none."""
    about = _about(path)
    if about is None or not about.pop('key').startswith(key):
        return None
    return Record(**{**about, 'warnings': tuple(about['warnings'])})


def write_summary(path: Path, records: Iterable[Record]) -> None:
    """Write the rows of records as a Parquet file."""
    found = list(records)
    rows = [record.row for record in found]
    units: dict[str, str] = {}
    for record in found:
        units.update(record.units)
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    _write(path, columns, units, {})


def _about(path: Path) -> dict[str, Any] | None:
    """Return what the metadata of a file say of its record; None if it is not one."""
    if not path.is_file():
        return None
    try:
        found = (parquet().read_schema(path).metadata or {}).get(_META)
        return None if found is None else dict(json.loads(found))
    except (OSError, ValueError):  # no Parquet, of which pyarrow raises a ValueError
        return None


def _write(
    path: Path, columns: Mapping[str, Any], units: Mapping[str, str], about: Mapping[str, Any]
) -> None:
    """Write a table; the metadata of its fields have the units."""
    library = optional_library('pyarrow', 'fleet')
    arrays = [library.array(values) for values in columns.values()]
    fields = [
        library.field(name, array.type, metadata={'unit': units[name]} if name in units else None)
        for name, array in zip(columns, arrays, strict=True)
    ]
    text = json.dumps(about, default=plain)
    schema = library.schema(fields, {_META: text.encode()} if about else None)
    # of a name of its own: shards write the same summary
    unfinished = path.with_name(f'.{path.name}.{uuid4().hex}')
    try:
        parquet().write_table(library.table(arrays, schema), unfinished, compression='zstd')
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def plain(value: Any) -> Any:
    """Return a value in the types of JSON."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else shown(value)


def file_of(path: str, folder: Path) -> Path:
    """Return the file for the record of a recording: with its name, and a hash of its place."""
    place = expanded(path).resolve()
    name = hashlib.sha256(str(place).encode(errors='surrogateescape')).hexdigest()[:10]
    return folder / f'{place.name}-{name}.parquet'


def content_of(path: str) -> str:
    """Return a hash of the bytes of a file, or of all files in a folder."""
    # of an episode the file with its samples
    place = data_of(path) if '#' in path and is_dataset(path) else expanded(path)
    files = sorted(file for file in place.rglob('*') if file.is_file()) or [place]
    found = hashlib.sha256()
    for file in files:
        found.update(str(file.relative_to(place)).encode(errors='surrogateescape') + b'\0')
        with file.open('rb') as stream:
            while part := stream.read(_BLOCK):
                found.update(part)
    return found.hexdigest()
