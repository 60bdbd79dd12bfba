# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that no file can have, in every function with a path argument; whole files and folders."""

from pathlib import Path

import pytest

import screw_dynamics as sd
from screw_dynamics.common.paths import expanded, file_path, new_file, new_folder
from screw_dynamics.drives import Drives, JointDrive, LinearSpring
from screw_dynamics.errors import BagError, InputError, ScrewDynamicsError
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


@pytest.mark.parametrize('error', [KeyboardInterrupt, ValueError])
def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, error):
    path = tmp_path / 'a.csv'
    path.write_text('old')
    with pytest.raises(error), new_file(path) as place:
        place.write_text('ha')
        raise error
    assert path.read_text() == 'old'
    with new_file(path) as place:
        place.write_text('new')
        assert path.read_text() == 'old'
    assert path.read_text() == 'new' and list(tmp_path.iterdir()) == [path]


def test_links_stay_links(tmp_path):
    (tmp_path / 'link').symlink_to(tmp_path / 'target')
    with new_file(tmp_path / 'link') as place:
        place.write_text('new')
    assert (tmp_path / 'link').is_symlink() and (tmp_path / 'target').read_text() == 'new'


def test_devices_are_written_at_once():
    with new_file(Path('/dev/null')) as place:
        place.write_text('x')
    assert Path('/dev/null').is_char_device()


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    path = tmp_path / 'a.csv'
    with pytest.raises(OSError, match='No space left') as raised, new_file(path) as place:
        Path('/dev/full').write_text('x')
    assert raised.value.filename == str(path) and not place.exists()
    (tmp_path / 'file').write_text('')
    with pytest.raises(OSError) as raised, new_folder(tmp_path / 'file' / 'bag'):
        pass
    assert raised.value.filename == str(tmp_path / 'file' / 'bag')


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / 'deep' / 'bag'
    with pytest.raises(FileNotFoundError), new_folder(path):
        pass
    path.parent.mkdir()
    with pytest.raises(BagError, match=f'^{path}: broken$'), new_folder(path) as place:
        place.mkdir()
        (place / 'bag.mcap').write_text('half')
        raise BagError(f'{place}: broken')
    assert list(path.parent.iterdir()) == []
    with new_folder(path) as place:
        place.mkdir()
        (place / 'bag.mcap').write_text('whole')
        assert place.name == path.name and not path.exists()
    assert list(path.parent.iterdir()) == [path] and (path / 'bag.mcap').read_text() == 'whole'
