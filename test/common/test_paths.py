# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that no file can have, in every function with a path argument."""

from pathlib import Path

import pytest

import screw_dynamics as sd
from screw_dynamics.common.paths import expanded, file_path
from screw_dynamics.drives import Drives, JointDrive, LinearSpring
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.model.urdf import strip_geometry
from screw_dynamics.trajectory import read_trajectory

IMPOSSIBLE = ['x\ud800.yaml', 'a\0b.yaml']
NO_USER = '~no_such_user_here/x.yaml'


def open_bag(path):
    bags = pytest.importorskip(
        'screw_dynamics.recordings.bags', reason='bags need the package rosbags'
    )
    return bags.Bag(path)


def new_bag(path):
    writer = pytest.importorskip(
        'screw_dynamics.recordings.bags.writer', reason='bags need mcap and rosbags'
    )
    return writer.BagWriter(path)


def write_model(path):
    return sd.read_urdf('<robot name="r"><link name="a"/></robot>').to_yaml(path)


def write_drives(path):
    return Drives({'a': JointDrive(LinearSpring(1.0))}).to_yaml(path)


READERS = [
    sd.read_urdf,
    strip_geometry,
    sd.ScrewModel.from_yaml,
    Drives.from_yaml,
    read_trajectory,
    open_bag,
]
WRITERS = [write_model, write_drives, new_bag]


@pytest.mark.parametrize('name', IMPOSSIBLE, ids=ascii)
@pytest.mark.parametrize('function', READERS + WRITERS)
def test_names_that_no_file_can_have(function, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in (name, Path(name)):
        with pytest.raises(ScrewDynamicsError) as raised:
            function(path)
        text = str(raised.value)
        text.encode()  # it can be printed
        assert ascii(name)[1:-1] in text or name in text
        assert len(text) < 300 and len(text.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize('function', READERS)
@pytest.mark.parametrize('name', ['n' * 300, 'n' * 5000, NO_USER])
def test_names_of_no_file_that_is_there(function, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ScrewDynamicsError, match=name[:20]) as raised:
        function(name)
    assert len(str(raised.value)) <= 2000


def test_file_paths():
    assert file_path('a/b') == file_path(Path('a/b')) == Path('a/b')
    assert file_path('\udcff') == Path('\udcff')  # a byte that is not UTF-8
    for path in (5, b'a', None):
        with pytest.raises(InputError, match='^path: expected text or a path, got '):
            file_path(path)
    with pytest.raises(InputError, match=r"^path: expected the name of a file, got 'x\\ud800n"):
        file_path('x\ud800' + 'n' * 1000)


def test_home_folders():
    assert expanded('~/a') == Path.home() / 'a'
    assert expanded(Path(NO_USER)) == Path(NO_USER)
