# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""README and docs/: the examples run, and print what the pages say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import yaml
from documents import ROOT, TEXTS, Session, block, commands, python_blocks

import screw_dynamics as sd
from screw_dynamics.command_line.main import main
from screw_dynamics.recordings import bags
from screw_dynamics.recordings.bags.definitions import MessageTypes
from screw_dynamics.recordings.bags.writer import BagWriter
from screw_dynamics.trajectory import parse_trajectory, read_trajectory

LIBRARY, ROBOTS = TEXTS['docs/library.md'], TEXTS['docs/elastic_robots.md']
ONE_TRAJECTORY = block(TEXTS['docs/trajectory_file.md'], 'File of a trajectory', 'yaml')


def test_my_robot(session: Session, capsys: pytest.CaptureFixture[str]):
    session.run(python_blocks(LIBRARY, 'My robot'))
    assert 'joint_7' in capsys.readouterr().out


def test_efforts(session: Session):
    session.run(python_blocks(LIBRARY, 'Efforts'))
    names = session.names
    assert names['tau_ddot'].shape == (7,)
    assert np.allclose(names['qdd_again'], names['qdd'])


def test_identification(session: Session, capsys: pytest.CaptureFixture[str]):
    page = TEXTS['docs/identification.md']
    session.run(python_blocks(page, 'In Python'))
    shown = capsys.readouterr().out.splitlines()
    table = block(page, 'In Python', 'text').splitlines()
    assert shown[: len(table)] == table
    assert abs(session.names['found'].payload.mass - 0.5) < 0.01
    session.run(python_blocks(page, 'Drives without torque sensors'))
    for name, stiffness in (('joint_1', 900.0), ('joint_2', 400.0)):
        assert abs(session.names['drives'][f'{name}.stiffness'] - stiffness) < 0.01 * stiffness
    session.run(python_blocks(page, 'A motion that tells much'))


@pytest.mark.long
def test_fastest_motions(session: Session):
    text = TEXTS['docs/fastest_motions.md']
    session.run(python_blocks(text, 'In Python'))
    robot = sd.read_urdf('my_robot.urdf')
    points = [(0.0, np.zeros(robot.n)), (1.0, np.full(robot.n, 0.2))]
    write_trajectory(Path('my_trajectory.yaml'), robot.joint_names, points)
    (line,) = commands(text, 'screw_dynamics')
    assert main(shlex.split(line)[1:]) == 0
    assert read_trajectory('fast.csv').points[-1].time_from_start < 1.0


def test_expressions_of_small_robots(session: Session, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip('sympy')
    text = TEXTS['docs/symbolic.md']
    shown = block(text, 'Files and terms', 'text')
    assert main(['symbolic', str(sd.share_path('urdf/planar_2r.urdf'))]) == 0
    assert shown in capsys.readouterr().out
    session.run(python_blocks(text, 'In Python'))
    assert session.names['second_rates'].shape == (2, 1)
    planar = Path(sd.share_path('urdf/planar_2r.urdf')).read_text(encoding='utf-8')
    Path('my_robot.urdf').write_text(planar, encoding='utf-8')
    for line in commands(text, 'screw_dynamics'):
        assert main(shlex.split(line)[1:]) == 0, capsys.readouterr().err
    assert {'my_robot.tex', 'my_robot.c', 'my_robot.h'} <= {file.name for file in Path().iterdir()}


def test_external_loads(session: Session):
    session.run(python_blocks(TEXTS['docs/external_loads.md'], 'A push on the tool'))
    assert (session.names['deviations'] > 0.0).all()
    session.run(python_blocks(TEXTS['docs/external_loads.md'], 'Contacts'))
    assert session.names['last'].strength > 1.0


def test_soft_robots(session: Session):
    page = TEXTS['docs/soft_robots.md']
    for heading in (
        'A soft arm on a rotary joint',
        'A rigid arm with a soft tool',
        'Bodies',
        'Rest and motion',
    ):
        session.run(python_blocks(page, heading))
    assert session.names['hybrid'].joint_names == ('joint_1', 'joint_2', 'body_3')


def test_soft_bodies(session: Session):
    page = TEXTS['docs/soft_bodies.md']
    for heading in (
        'Rods: strains and their bases',
        'Bodies that keep their volume',
        'Shape functions, meshes, learned maps',
        'Threads',
        'Chambers, joint efforts and the actuation matrix',
    ):
        session.run(python_blocks(page, heading))
    assert session.names['tensions'].shape == (3,)


def test_linearised_inputs_of_a_soft_robot(session: Session):
    page = TEXTS['docs/soft_simulations.md']
    session.run(python_blocks(page, 'Linearise the inputs of your own robot'))
    assert session.names['inputs'].shape == (2,)


def test_soft_segments(session: Session):
    page = TEXTS['docs/soft_segments.md']
    Path('my_segments.yaml').write_text(block(page, 'The file', 'yaml'), encoding='utf-8')
    session.run(python_blocks(page, 'In Python'))
    assert session.names['tensions'].shape == (3, 3)


def test_look_at_a_robot(session: Session, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip('viser', reason='the viewer needs viser')
    session.run(python_blocks(TEXTS['docs/viewer.md'], 'In Python and notebooks'))
    assert capsys.readouterr().out.startswith('http://localhost:')
    assert Path('motion.html').stat().st_size > 500_000


@pytest.fixture
def moving(session: Session) -> Session:
    """Return a session with robot and trajectory."""
    session.names |= {f'q{i}': np.full(7, 0.1 * i) for i in range(3)}
    session.run(python_blocks(LIBRARY, 'My robot'))
    session.run('import numpy as np')
    session.run(python_blocks(LIBRARY, 'My trajectory'))
    return session


def test_my_trajectory(moving: Session):
    assert moving.names['efforts'].shape == (750, 3, 7)
    moving.run(python_blocks(LIBRARY, 'My simulation'))
    assert np.allclose(moving.names['motion'].position, moving.names['q0'], atol=1e-9)


def test_my_sea_robot(moving: Session, capsys: pytest.CaptureFixture[str]):
    Path('my_springs.yaml').write_text(block(ROBOTS, 'My SEA robot', 'yaml'), encoding='utf-8')
    moving.run(python_blocks(ROBOTS, 'My SEA robot'))
    moving.run(python_blocks(ROBOTS, 'Tracking in simulation'))
    assert moving.names['theta'].shape == moving.names['tau_m'].shape == (750, 7)
    assert 'joint_2' in capsys.readouterr().out


def test_my_geared_robot(moving: Session):
    text = block(ROBOTS, 'My geared robot', 'yaml')
    Path('my_drives.yaml').write_text(text, encoding='utf-8')
    moving.run(python_blocks(ROBOTS, 'My geared robot'))
    tau, tau_m = moving.names['tau'], moving.names['tau_m']
    assert tau.shape == tau_m.shape == (750, 3, 7)
    assert (np.abs(tau_m - tau).max(axis=(0, 1)) > 0.0).all()


def test_commands_of_the_command_line(session: Session, capsys: pytest.CaptureFixture[str]):
    """All lines run, those of README too, and the bag is read as shown."""
    lines = commands(TEXTS['docs/command_line.md'], 'screw_dynamics')
    short = commands(TEXTS['README.md'], 'screw_dynamics')
    assert {line.partition('  #')[0].rstrip() for line in short} <= {
        line.partition('  #')[0].rstrip() for line in lines
    }
    planar = sd.share_path('urdf/planar_2r.urdf').read_text(encoding='utf-8')
    Path('my_robot.urdf').write_text(planar.replace('"tool"', '"flange"'), encoding='utf-8')
    robot = sd.read_urdf('my_robot.urdf')
    points = [(0.0, np.zeros(robot.n)), (1.0, np.full(robot.n, 0.2)), (2.0, np.zeros(robot.n))]
    write_trajectory(Path('my_trajectory.yaml'), robot.joint_names, points)
    write_bag(Path('my_bag'), robot.joint_names, points)
    for line in lines:
        assert main(shlex.split(line, comments=True)[1:]) == 0, capsys.readouterr().err
    assert {path.name for path in Path().iterdir()} >= {'efforts.csv', 'efforts.png'}
    with bags.Bag('my_bag_with_efforts') as bag:
        (topic,) = (name for name in bag.topics if name.endswith('/feedforward'))
    Path('my_bag').rename('trajectory_bag')
    Path('my_bag_with_efforts').rename('my_bag')
    code = python_blocks(TEXTS['docs/bags.md'], 'Record and plot')
    assert "'/feedforward/feedforward'" in code
    session.run(code.replace('/feedforward/feedforward', topic))
    assert session.names['data']['effort_ddot'].shape[1] == robot.n


@pytest.mark.parametrize(
    'page',
    [
        'one_joint',
        'soft_finger',
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ('sea_arm', 'geared_arm', 'fastest_motion')
        ),
    ],
)
def test_tutorials(session: Session, capsys: pytest.CaptureFixture[str], page: str):
    """The cells run one after the other from an empty folder; commands succeed."""
    pyplot = pytest.importorskip('matplotlib.pyplot')
    pyplot.switch_backend('agg')
    Path('my_robot.urdf').unlink()
    session.names['command'] = lambda line: main(shlex.split(line))
    text = TEXTS[f'docs/tutorials/{page}.md']
    for cell in re.findall(
        r'```\{code-cell\} python3\n(?::tags:[^\n]*\n)?(.*?)```', text, re.DOTALL
    ):
        session.run(
            re.sub(r'^!screw_dynamics (.+)$', r'assert command("""\1""") == 0', cell, flags=re.M)
        )
    pyplot.close('all')


def test_five_minutes(session: Session):
    page = TEXTS['docs/quickstart.md']
    planar = sd.share_path('urdf/planar_2r.urdf').read_text(encoding='utf-8')
    Path('my_robot.urdf').write_text(planar, encoding='utf-8')
    Path('my_trajectory.yaml').write_text(block(page, 'Look', 'yaml'), encoding='utf-8')
    session.run(block(page, 'Compute', 'python'))
    assert session.names['efforts'].shape == (501, 3, 2)


def test_the_landing_page(session: Session):
    session.run(re.findall(r'```python\n(.*?)```', TEXTS['docs/index.md'], re.DOTALL)[0])
    assert session.names['tau_ddot'].shape == (7,)


def write_trajectory(path: Path, names: tuple[str, ...], points: list) -> None:
    document = {
        'joint_names': list(names),
        'points': [{'time_from_start': t, 'positions': q.tolist()} for t, q in points],
    }
    path.write_text(yaml.safe_dump(document), encoding='utf-8')


def write_bag(path: Path, names: tuple[str, ...], points: list) -> None:
    """Write a bag with one JointTrajectory."""
    types, second = MessageTypes(), 1_000_000_000
    kind = 'trajectory_msgs/msg/JointTrajectory'
    zero = types['builtin_interfaces/msg/Time'](sec=0, nanosec=0)
    message = types[kind](
        header=types['std_msgs/msg/Header'](stamp=zero, frame_id=''),
        joint_names=list(names),
        points=[
            types['trajectory_msgs/msg/JointTrajectoryPoint'](
                positions=q,
                velocities=np.empty(0),
                accelerations=np.empty(0),
                effort=np.empty(0),
                time_from_start=types['builtin_interfaces/msg/Duration'](sec=int(t), nanosec=0),
            )
            for t, q in points
        ],
    )
    with BagWriter(path) as bag:
        bag.add_topic('/arm/joint_trajectory', kind, types.definition(kind))
        bag.write('/arm/joint_trajectory', second, types.serialize(message))


def test_the_python_client_asks_for_what_the_service_has():
    code = python_blocks(TEXTS['docs/services.md'], 'Python')
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
    assert len(README.splitlines()) <= 120


def test_as_a_library(session: Session):
    code = python_blocks(README, 'As a library')
    session.run(code)
    for name in ('jets', 'efforts'):
        assert f'{session.names[name].shape}: ' in code
    (line,) = (line for line in code.splitlines() if line.startswith('print('))
    shown, expected = line.removeprefix('print(').split(')  ')
    np.testing.assert_array_equal(
        eval(shown, session.names), np.array(expected.strip(' #[]').split(), dtype=float)
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
