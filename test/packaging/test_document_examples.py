# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""README and docs/: every block runs as printed, from an empty folder; formats of files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from documents import ROOT, TEXTS, block, python_blocks
from reader import Reader, blocks

import screw_dynamics as sd
from screw_dynamics.command_line.main import main
from screw_dynamics.trajectory import parse_trajectory, read_trajectory
from screw_dynamics.viewer.viewer import Viewer

pytestmark = [pytest.mark.first, pytest.mark.processes]

ONE_TRAJECTORY = block(TEXTS['docs/trajectory_file.md'], 'File of a trajectory', 'yaml')
# those of docs/theory are doctests: test_theory_documents.py
WITH_CODE = [
    page
    for page, text in TEXTS.items()
    if not page.startswith('docs/theory/')
    and any(one.language in ('python', 'bash') for one in blocks(text))
]
LONG = ('fastest_motions', 'tutorials/sea_arm', 'tutorials/geared_arm', 'tutorials/fastest_motion')


@pytest.fixture(scope='session')
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that `screw_dynamics demo` writes."""
    folder = tmp_path_factory.mktemp('demo') / 'files'
    assert main(['demo', '--output', str(folder)]) == 0
    return folder


@pytest.mark.filterwarnings('ignore:recording')  # real ones lose samples
@pytest.mark.parametrize(
    'page',
    [
        pytest.param(page, marks=pytest.mark.long)
        if page.removeprefix('docs/').removesuffix('.md') in LONG
        else page
        for page in WITH_CODE
    ],
)
def test_every_block_runs_as_printed(
    page: str, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Block by block, with the files that the page writes; reader.py has what is left out."""
    for library in ('matplotlib.pyplot', 'rosbags', 'sympy', 'viser'):
        pytest.importorskip(library, reason='pages need matplotlib, rosbags, sympy and viser')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('MPLBACKEND', 'agg')
    monkeypatch.setattr(Viewer, 'wait', lambda self: None)  # until Ctrl-C
    Reader(demo).read(TEXTS[page])


def test_a_wrong_block_is_noticed(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for text in (
        '```python\nprint(unknown)\n```\n',
        '```bash\nscrew_dynamics doctor no_such.urdf\n```\n',
        '```bash\nno_such_program\n```\n',
        '```python\nprint(1)\n```\n\n<!-- output -->\n```text\n2\n```\n',
        '<!-- not run:  -->\n```python\n1\n```\n',
    ):
        with pytest.raises(Exception):  # noqa: B017, PT011 - whatever a block raises
            Reader(demo).read(text)


def test_the_python_client_asks_for_what_the_service_has():
    code = python_blocks(TEXTS['docs/messages.md'], 'Python')
    compile(code, 'client', 'exec')
    text = (ROOT / 'screw_dynamics_interfaces/srv/GetMassMatrix.srv').read_text()
    request, response = text.split('\n---\n')
    assert re.search(r'^float64\[\] position$', request, re.MULTILINE)
    for name in set(re.findall(r'response\.(\w+)', code)):
        assert re.search(rf'^\S+ {name}$', response, re.MULTILINE), name


def test_the_file_of_a_trajectory_is_read(tmp_path: Path):
    text = block(TEXTS['docs/trajectory_file.md'], 'File of a trajectory', 'text')
    (tmp_path / 'a.csv').write_text(text, encoding='utf-8')
    from_csv, from_yaml = read_trajectory(tmp_path / 'a.csv'), parse_trajectory(ONE_TRAJECTORY)
    assert from_csv.joint_names == from_yaml.joint_names == ('joint_1', 'joint_2')
    for one, other in zip(from_csv.points, from_yaml.points, strict=True):
        assert one.time_from_start == other.time_from_start
        assert list(one.positions) == list(other.positions)


def test_the_file_of_a_model_is_read():
    text = block(TEXTS['docs/model_file.md'], 'File of a model', 'yaml')
    model = sd.ScrewModel.from_yaml(text)
    assert sd.ScrewModel.from_yaml(model.to_yaml()) == model
    # the weight of 2 kg, 0.5 m below the joint
    np.testing.assert_allclose(sd.gravity_forces(model, [np.pi / 2]), [9.81])


def test_the_file_of_springs_and_motors_is_read():
    (text, *_) = re.findall(r'```yaml\n(.*?)```', TEXTS['docs/elastic_joints.md'], re.DOTALL)
    drives = sd.Drives.from_yaml(text)
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    assert len(sd.Robot(model, drives).motors.names) == 8  # one of the five joints has two
    assert drives.joints['joint_3'].spring.type == 'tabulated'
    assert drives.joints['joint_2'].motor.max_effort == 2.5


def test_the_trajectory_of_the_guide_is_one():
    body = re.search(r"ros2 topic pub .*?'(\{.*?\})'\n", TEXTS['docs/guides.md'], re.DOTALL)[1]
    trajectory = parse_trajectory(body)
    assert trajectory.joint_names == ('joint_1', 'joint_2')
    assert [point.time_from_start for point in trajectory.points] == [2.0, 4.0]


README = (ROOT / 'README.md').read_text(encoding='utf-8')


def test_length():
    assert len(README.splitlines()) <= 130


def test_as_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    code, names = python_blocks(README, 'As a library'), {}
    exec(code, names)
    for name in ('jets', 'efforts'):
        assert f'{names[name].shape}: ' in code
    (line,) = (line for line in code.splitlines() if line.startswith('print('))
    shown, expected = line.removeprefix('print(').split(')  ')
    np.testing.assert_array_equal(
        eval(shown, names), np.array(expected.strip(' #[]').split(), dtype=float)
    )


@pytest.mark.long
def test_as_a_library_has_right_types(tmp_path: Path):
    """As a type checker sees it, also with a wrong word in place of one of few."""
    api = pytest.importorskip('mypy.api', reason='types need mypy')
    code = python_blocks(README, 'As a library')
    snippet = tmp_path / 'snippet.py'
    for line, text, status in (
        ('', 'Success: no issues', 0),
        ("sd.frame_jacobian(model, q0, 'tool', 'hybird')", '"Literal[\'hybird\']"', 1),
    ):
        snippet.write_text(f'{code}\n{line}\n', encoding='utf-8')
        options = ['--config-file', str(ROOT / 'pyproject.toml'), '--cache-dir', str(tmp_path)]
        out, err, found = api.run([*options, str(snippet)])
        assert text in out and found == status, out + err
