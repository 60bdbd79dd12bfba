# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The thread of the writer: waiting for a slow disk, errors, losses."""

from __future__ import annotations

import errno
import os
import stat
import time
import warnings
from pathlib import Path
from threading import Event, Thread

import pytest

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from bag_sample import SAMPLE, SAMPLE_TYPE, START  # noqa: E402
from helpers.bag_processes import wait_for  # noqa: E402

from screw_dynamics.bags import Bag, BagWriter  # noqa: E402
from screw_dynamics.errors import BagError, BagWarning  # noqa: E402

DATA = b'\x00\x01\x00\x00'
COUNT = 10


@pytest.mark.parametrize('capacity, taken', [(0, COUNT), (3, 4)])
def test_the_disk_delays_only_who_asked_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capacity: int, taken: int
) -> None:
    writer = BagWriter(tmp_path / 'bag', capacity=capacity)
    writer.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
    disk_is_ready, write = Event(), writer._writer.write

    def slow(*arguments: object) -> None:
        disk_is_ready.wait(60)
        write(*arguments)

    monkeypatch.setattr(writer._writer, 'write', slow)
    written = []

    def produce() -> None:
        for i in range(COUNT):
            writer.write('/sample', START + i, DATA)
            written.append(i)

    producer = Thread(target=produce)
    producer.start()
    # one message is on its way to the disk, the others wait
    deadline = time.monotonic() + 60
    while len(written) < taken and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)  # in which no more may be taken
    assert len(written) == taken
    disk_is_ready.set()
    producer.join(60)
    writer.close()
    with Bag(tmp_path / 'bag') as bag:
        assert bag.topics['/sample'].count == COUNT


def test_a_disk_error_reaches_who_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = BagWriter(tmp_path / 'bag', capacity=1)
    writer.add_topic('/sample', SAMPLE_TYPE, SAMPLE)

    def full(*_: object) -> None:
        time.sleep(0.05)  # the queue is full by then
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr(writer._writer, 'write', full)
    told = []

    def produce() -> None:
        try:
            for i in range(COUNT):
                writer.write('/sample', START + i, DATA)
        except BagError as error:
            told.append(str(error))

    producer = Thread(target=produce, daemon=True)
    producer.start()
    producer.join(60)
    assert not producer.is_alive() and 'No space left on device' in told[0]
    with pytest.raises(BagError, match='No space left on device'):
        writer.close()


def test_what_was_written_is_in_the_file_soon(tmp_path: Path) -> None:
    """A killed process does not lose more, even if no further message comes."""
    writer = BagWriter(tmp_path / 'bag')
    try:
        with pytest.warns(BagWarning, match='no message'), Bag(tmp_path / 'bag') as bag:
            assert not bag.topics  # the header is there
        writer.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
        for i in range(3):
            writer.write('/sample', START + i, DATA)
            wait_for(lambda i=i: count(tmp_path / 'bag') == i + 1)
    finally:
        writer.close()
    with Bag(tmp_path / 'bag') as bag:
        assert bag.topics['/sample'].count == 3


def count(path: Path) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', BagWarning)
        with Bag(path) as bag:
            return sum(topic.count for topic in bag.topics.values())


def test_nobody_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is busy for seconds stalls neither messages nor new topics."""
    disk_is_ready, is_waiting, fsync = Event(), Event(), os.fsync

    def slow(descriptor: int) -> None:
        is_waiting.set()
        assert disk_is_ready.wait(60)
        fsync(descriptor)

    monkeypatch.setattr(os, 'fsync', slow)
    with BagWriter(tmp_path / 'bag') as writer:
        assert is_waiting.wait(60)
        for topic in ('/a', '/b'):
            writer.add_topic(topic, SAMPLE_TYPE, SAMPLE)
            for i in range(COUNT):
                writer.write(topic, START + i, DATA)
        disk_is_ready.set()
    with Bag(tmp_path / 'bag') as bag:
        assert [topic.count for topic in bag.topics.values()] == [COUNT, COUNT]


@pytest.mark.parametrize('number', [errno.EIO, errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_fails_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def failing(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, 'fsync', failing)
    with pytest.raises(BagError, match=f'bag: cannot be written: .*{os.strerror(number)}'):
        BagWriter(tmp_path / 'bag').close()


@pytest.mark.parametrize(
    ('number', 'files'),
    [(errno.EINVAL, True), (errno.ENOTSUP, True), (errno.EACCES, False), (errno.EBADF, False)],
)
def test_a_file_system_that_cannot_wait_for_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, files: bool
) -> None:
    """Network and virtual file systems refuse it for folders, some also for files."""
    refused, fsync = [], os.fsync

    def failing(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        if not is_folder and not files:
            return fsync(descriptor)
        refused.append(is_folder)
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, 'fsync', failing)
    with BagWriter(tmp_path / 'bag') as writer:
        writer.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
        writer.write('/sample', START, DATA)
    assert set(refused) == ({True, False} if files else {True})
    with Bag(tmp_path / 'bag') as bag:
        assert bag.topics['/sample'].count == 1


def test_a_parent_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused, open_descriptor = [], os.open

    def unreadable(path: Path, flags: int) -> int:
        if path == tmp_path:
            refused.append(path)
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return open_descriptor(path, flags)

    monkeypatch.setattr(os, 'open', unreadable)
    with BagWriter(tmp_path / 'bag') as writer:
        writer.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
        writer.write('/sample', START, DATA)
    assert refused
    with Bag(tmp_path / 'bag') as bag:
        assert bag.topics['/sample'].count == 1
