# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`run`: a function of a robot, which travels as text, over many recordings on any executor."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from screw_dynamics.bridges.load import described_robot
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.progress import counting, silent
from screw_dynamics.common.scalars import require_count
from screw_dynamics.drives import Drives
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError, ScrewDynamicsError, bounded, shown
from screw_dynamics.estimation.identification import Recording
from screw_dynamics.estimation.identification.samples import one_thread
from screw_dynamics.fleet.processes import in_processes
from screw_dynamics.fleet.record import (
    Record,
    content_of,
    file_of,
    finished,
    parquet,
    plain,
    write_summary,
)
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.model.urdf.urdf_source import UrdfSource

AnyPath: TypeAlias = 'str | os.PathLike[str]'
_catching = threading.Lock()  # filters of warnings are those of all threads


class RobotText(NamedTuple):
    """A model and its drives as YAML, the second empty for a rigid robot."""

    model: str
    drives: str
    limits_motors: bool

    @property
    def robot(self) -> Robot:
        """The robot, read at the first use in a process."""
        return _robot(self)


AnyRobot: TypeAlias = 'RobotText | Robot | ScrewModel | UrdfSource'


def as_text(robot: AnyRobot) -> RobotText:
    """
    Return a robot as text, which pickles to a few kB.

    Parameters
    ----------
    robot : Robot, ScrewModel, URDF, MJCF or RobotText
        Of URDF and MJCF the text or the path.

    Returns
    -------
    RobotText
        Every number is reproduced exactly.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> text = sd.fleet.as_text(sd.share_path('urdf/planar_2r.urdf'))
    >>> text.robot.joint_names
    ('joint_1', 'joint_2')
    """
    if isinstance(robot, RobotText):
        return robot
    if not isinstance(robot, (Robot, ScrewModel)):
        robot = described_robot(robot).robot()
    if isinstance(robot, Robot):
        drives = '' if robot.drives is None else robot.drives.to_yaml()
        return RobotText(robot.tree.to_yaml(), drives, robot.limits_motors)
    return RobotText(robot.to_yaml(), '', False)


@cache
def _robot(text: RobotText) -> Robot:
    drives = Drives.from_yaml(text.drives) if text.drives else None
    return Robot(ScrewModel.from_yaml(text.model), drives, text.limits_motors)


@dataclass(frozen=True)
class Task:
    """
    What is done with each recording; it pickles, and its only argument is a path.

    The record is written into the folder `output` if there is one, unless that has been done:
    with the same content, and the same `settings`.
    """

    function: Callable[..., Record]
    robot: RobotText
    options: dict[str, Any]
    output: Path | None
    settings: str

    def __call__(self, path: str) -> Record:
        """Return the record, without columns if it is in a file."""
        if self.output is None:
            return self.record(path)
        place = file_of(path, self.output)
        try:
            content = content_of(path)
        except OSError:  # the function says so, too
            content = 'unreadable'
        key = f'{self.settings} {content}'
        done = finished(place, key)
        if done is not None and not done.error:
            return replace(done, path=path)
        found = self.record(path)
        found.write(place, key)
        return replace(found, columns={})

    def record(self, path: str) -> Record:
        """Return what the function has found, or why it has failed, with its warnings."""
        with _catching, silent(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            try:
                found = one_thread(self.function)(self.robot, path, **self.options)
            except Exception as error:  # any file may be broken in any way
                found = _failed(path, error)
        texts = (' '.join(str(warning.message).split()) for warning in caught)
        return replace(found, warnings=tuple(dict.fromkeys((*found.warnings, *texts))))


def task(
    function: Callable[..., Record],
    robot: AnyRobot,
    output: AnyPath | None = None,
    **options: Any,
) -> Task:
    """
    Return what `run` does with each recording, for engines with an interface of their own.

    Parameters
    ----------
    function, robot, output, **options
        See `run`.

    Returns
    -------
    callable
        ``task(path)`` returns a `Record`, with an error if the recording fails; it pickles.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> task = sd.fleet.task(sd.fleet.check, sd.share_path('urdf/planar_2r.urdf'))
    >>> task('lost.csv').error
    'lost.csv: expected a recording: No such file or directory'
    """
    from screw_dynamics import __version__

    if output is not None:
        parquet()
        expanded(output).mkdir(parents=True, exist_ok=True)
    text = as_text(robot)
    every = [__version__, f'{function.__module__}.{function.__qualname__}', text, options]
    known = hashlib.sha256(json.dumps(every, default=plain, sort_keys=True).encode())
    place = None if output is None else expanded(output).absolute()
    return Task(function, text, options, place, known.hexdigest())


def run(
    function: Callable[..., Record],
    robot: AnyRobot,
    paths: Iterable[AnyPath | Recording],
    executor: Executor | None = None,
    *,
    jobs: int | None = None,
    shard: tuple[int, int] = (0, 1),
    output: AnyPath | None = None,
    **options: Any,
) -> Iterator[Record]:
    """
    Yield what a function finds in each recording, in the order of the paths.

    A recording that fails is a record with an `error`, and does not end the run. Linear algebra
    has one thread in each process, so that numbers are the same on every executor.

    Parameters
    ----------
    function : callable
        ``function(robot, path, **options)`` of a module, that returns a `Record`: `evaluate`,
        `identify_part`, `observe`, `retime`, `check`, or one of your own.
    robot : Robot, ScrewModel or URDF
        Travels as text; see `as_text`.
    paths : iterable of str or path
        See `recordings_in`.
    executor : concurrent.futures.Executor, optional
        As of Dask, mpi4py or loky; by default processes of this machine, of which one that is
        killed is replaced. All tasks are submitted at once.
    jobs : int, optional
        How many processes, by default one per core; 1: in this one.
    shard : (int, int)
        Rank r and size s: only the paths r, r + s, r + 2 s and so on.
    output : str or path, optional
        Folder for a Parquet file per recording; the records that are yielded have no columns then.
        Recordings whose file is there, of the same content, robot, options and version, are not
        done again; ``summary.parquet`` has the rows of all paths that are finished.
    **options
        Of the function.

    Yields
    ------
    Record

    Raises
    ------
    InputError
        If `jobs` or `shard` are no possible numbers.
    ModuleNotFoundError
        With `output`, if pyarrow is not installed (extra ``fleet``).

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.share_path('urdf/planar_2r.urdf')
    >>> [record.error for record in sd.fleet.run(sd.fleet.check, arm, ['lost.csv'], jobs=1)]
    ['lost.csv: expected a recording: No such file or directory']
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise InputError(f'paths: expected several, in a list, got {shown(paths)}')
    # recordings themselves are for functions that take them, without output
    every: list[Any] = [p if isinstance(p, Recording) else os.fspath(p) for p in paths]
    rank, size = shard
    if not 0 <= rank < size:
        raise InputError(f'shard: expected a rank from 0 to below the size, got {shown(shard)}')
    work, own = task(function, robot, output, **options), every[rank::size]
    processes = 1 if executor else _jobs(jobs, len(own))
    return _records(work, own, every, executor, processes)


def _records(
    task: Task, own: list[str], every: list[str], executor: Executor | None, jobs: int
) -> Iterator[Record]:
    if executor is not None:
        found = executor.map(task, own)
    elif jobs > 1:
        found = in_processes(task, own, jobs)
    else:
        found = map(task, own)
    with counting('recordings', len(own), 'recording') as count:
        for record in found:
            if record.error and task.output is not None:  # its process may have ended before
                record.write(file_of(record.path, task.output), task.settings)
            yield record
            count()
    if task.output is not None:
        _summarise(task, every, task.output)


def _summarise(task: Task, paths: Sequence[str], folder: Path) -> None:
    """Write the rows of what is finished, again while other shards write files meanwhile."""
    before = -1
    while True:
        files = [(path, finished(file_of(path, folder), task.settings)) for path in paths]
        rows = [replace(found, path=path) for path, found in files if found is not None]
        if len(rows) == before:
            return
        write_summary(folder / 'summary.parquet', rows)
        before = len(rows)


def _failed(path: str, error: Exception) -> Record:
    own = isinstance(error, ScrewDynamicsError) and str(error)
    text = own or f'{type(error).__name__}: {error}'
    text = text if str(path) in text else f'{path}: {text}'
    return Record(str(path), error=' '.join(bounded(text).split()))


def _jobs(jobs: int | None, count: int) -> int:
    if jobs is None:
        available = getattr(os, 'sched_getaffinity', None)
        jobs = len(available(0)) if available else os.cpu_count() or 1
    jobs = min(require_count('jobs', jobs, 1), max(count, 1))
    script = getattr(sys.modules['__main__'], '__file__', None)
    if jobs > 1 and script == '<stdin>':
        raise InputError(
            'jobs: expected a script in a file, which processes read again, got one on standard '
            'input: jobs=1, or an executor of threads'
        )
    return jobs
