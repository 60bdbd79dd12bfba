# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/: examples run, tables are those of the code, links and names exist."""

from __future__ import annotations

import ast
import re
import runpy
import shlex
import subprocess
import sys
from dataclasses import fields
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest
import yaml
from documents import (
    DOCS,
    PAGES,
    ROOT,
    Session,
    anchors,
    block,
    commands,
    python_blocks,
    section,
)
from packaging_tools import EXECUTABLES

import screw_dynamics as sd
from screw_dynamics import bags, elastic, errors, parsers, series, share_path
from screw_dynamics.bags.definitions import MessageTypes
from screw_dynamics.command_line.main import main
from screw_dynamics.trajectory import parse_trajectory, read_trajectory

COMMANDS = ('model', 'terms', 'evaluate', 'bag', 'feasibility', 'generate', 'plot')
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text(encoding='utf-8') for path in PAGES}
PACKAGE = ROOT / 'screw_dynamics'
LIBRARY, ROBOTS = TEXTS['docs/library.md'], TEXTS['docs/elastic_robots.md']
ONE_TRAJECTORY = block(TEXTS['docs/trajectory_file.md'], 'File of a trajectory', 'yaml')


@pytest.fixture(scope='module')
def generator() -> dict:
    return runpy.run_path(str(DOCS / 'generate.py'))


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
    """README and document show the same lines; all run, and the bag is read as shown."""
    lines = commands(TEXTS['README.md'], 'screw_dynamics')
    assert lines == commands(TEXTS['docs/command_line.md'], 'screw_dynamics')
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
    with bags.BagWriter(path) as bag:
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


def test_tables_are_those_of_the_records(generator):
    """Run `python docs/generate.py` after a change of a record."""
    found = dict(generator['pages']())
    assert {path.name for path in found} >= {'parameters.md', 'elastic_joints.md', 'model_file.md'}
    for path, text in found.items():
        assert path.read_text(encoding='utf-8') == text, path.name


def test_no_generated_table_is_empty():
    for page, text in TEXTS.items():
        tables = re.findall(r'<!-- table: ([^>]*) -->(.*?)<!-- end of table -->', text, re.DOTALL)
        for name, table in tables:
            lines = len(re.findall(r'^\||^- ', table, re.MULTILINE))
            assert lines > (0 if name.startswith('files') else 2), f'{page}: table {name}'


@pytest.mark.parametrize('command', COMMANDS)
def test_the_options_of_the_help_are_in_the_tables(command):
    shown = subprocess.run(
        [sys.executable, '-m', 'screw_dynamics', command, '--help'],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    options = set(re.findall(r'^  (?:-\w[^,]*, )?(--[\w-]+)', shown, re.MULTILINE)) - {'--help'}
    assert len(options) > 3
    page = TEXTS['docs/command_line.md']
    table = page.partition(f'<!-- table: options {command} -->')[2].partition('<!-- end')[0]
    assert options <= set(re.findall(r'--[\w-]+', table))


def test_every_node_and_command_has_its_table(generator):
    text = TEXTS['docs/parameters.md']
    for node in generator['NODES']:
        assert f'<!-- table: parameters {node} -->' in text or f'-values {node} -->' in text
    for command in COMMANDS:
        assert f'<!-- table: options {command} -->' in TEXTS['docs/command_line.md']


@pytest.mark.parametrize('page', TEXTS)
def test_links_lead_somewhere(page):
    prose = re.sub(r'```.*?```|`[^`\n]*`', '', TEXTS[page], flags=re.DOTALL)
    for target, anchor in re.findall(r'\]\(([^)#\s]*)(?:#([^)\s]+))?\)', prose):
        if target.startswith(('http:', 'https:')):
            continue
        file = (ROOT / page).parent / target if target else ROOT / page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), f'{target}#{anchor}'


def test_every_page_is_in_the_navigation():
    listed = set()
    for page in PAGES:
        for tree in re.findall(r'```\{toctree\}(.*?)```', page.read_text(), re.DOTALL):
            names = re.findall(r'^[\w/]+$', tree, re.MULTILINE)
            listed |= {(page.parent / f'{name}.md').resolve() for name in names}
    assert {page for page in PAGES if page.is_relative_to(DOCS)} - listed == {DOCS / 'index.md'}


def test_every_public_name_is_in_the_reference():
    listed = set()
    for page in (DOCS / 'api').glob('*.md'):
        for module, names in re.findall(
            r'currentmodule:: (\S+)\n.*?:nosignatures:\n\n(.*?)```', page.read_text(), re.DOTALL
        ):
            listed |= {f'{module}.{name}' for name in names.split()}
    public = {
        f'{module.__name__}.{name}'
        for module in (sd, sd.lie, sd.simulation, sd.soft, sd.symbolic, sd.trajectory, bags)
        for name in module.__all__
        if not name.isupper()
        and name
        not in ('cartesian', 'lie', 'simulation', 'soft', 'symbolic', 'trajectory', '__version__')
    }
    for room in (sd.cartesian, elastic, parsers, series):
        names = set(room.__all__) - {*sd.__all__, *sd.trajectory.__all__}
        public |= {f'{room.__name__}.{name}' for name in names if not name.isupper()}
    # errors and warnings, ScrewDynamicsError included, are on a page of their own
    public -= {'screw_dynamics.ScrewDynamicsError'}
    public |= {f'{errors.__name__}.{name}' for name, kind in vars(errors).items() if own(kind)}
    assert public <= listed, public - listed


def own(kind: object) -> bool:
    """Return True for the exceptions and warnings of the package."""
    return isinstance(kind, type) and kind.__module__ == errors.__name__


def test_every_definition_is_shown():
    folder = ROOT / 'screw_dynamics_interfaces'
    for path in (*folder.glob('msg/*.msg'), *folder.glob('srv/*.srv')):
        assert f'{{literalinclude}} ../{path.relative_to(ROOT)}' in TEXTS['docs/messages.md']


def test_launch_lines_give_every_argument_a_value():
    """`ros2 launch` refuses an empty one, however it is quoted for the shell."""
    found = [line for text in TEXTS.values() for line in commands(text, 'ros2 launch')]
    assert found
    for line in found:
        assert not re.search(r""":=(''|""|\s|$)""", line), line
        file = line.split()[3]
        assert (ROOT / 'launch' / file).is_file(), file


def test_executables_and_parameters_of_commands_exist(generator):
    declared = {
        generator['rule_of'](item).name
        for record in generator['NODES'].values()
        for item in fields(record)
    }
    found = [line for text in TEXTS.values() for line in commands(text, 'ros2 run screw_dynamics')]
    assert found
    for line in found:
        assert line.split()[3] in EXECUTABLES, line
        assert set(re.findall(r'-p ([\w.]+):=', line)) <= declared, line


def test_parameters_in_examples_exist(generator):
    names = {generator['rule_of'](item).name for item in fields(generator['NODES']['feedforward'])}
    examples = [
        yaml.safe_load(code)['/**']['ros__parameters']
        for text in TEXTS.values()
        for code in re.findall(r'```yaml\n(/\*\*:.*?)```', text, re.DOTALL)
    ]
    assert examples and all(names >= example.keys() for example in examples)


def test_targets_of_make_exist():
    makefile = (ROOT / 'Makefile').read_text(encoding='utf-8')
    targets = set(re.findall(r'^([a-z-]+):.*## ', makefile, re.MULTILINE))
    for page, text in TEXTS.items():
        for named in re.findall(r'`make ([a-z -]+)', text) + [
            line.split('#')[0][5:] for line in commands(text, 'make')
        ]:
            words = takewhile(re.compile('[a-z]+(-[a-z]+)*').fullmatch, named.split())
            assert set(words) <= targets, f'{page}: make {named}'


def test_every_paper_is_listed():
    keys = set()
    for path in PACKAGE.rglob('*.py'):
        keys |= set(re.findall(r'\[([A-Z]+\d{4})[\],]', path.read_text(encoding='utf-8')))
    text = TEXTS['docs/theory/papers.md']
    listed = re.findall(r'\*\*\[([A-Z]+\d{4})\]\*\*', text)
    assert keys <= set(listed)
    assert re.findall(r'<!-- table: files (\w+) -->', text) == listed


def test_versions_of_robots_in_the_share_folder():
    """Examples use robots that are installed."""
    for text in TEXTS.values():
        for path in re.findall(r"share_path\('([^']+)'\)", text):
            assert share_path(path).exists()


def test_sections_of_the_log_texts_exist():
    """Texts of the nodes send users to them."""
    assert section(TEXTS['README.md'], 'Compiled kernels')
    assert section(TEXTS['docs/guides.md'], 'Troubleshooting')


def test_symptoms_quote_texts_of_the_code():
    """Parts of the texts, between the names and values that are put into them."""
    constants = set()
    for path in PACKAGE.rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                constants.add(node.value)
    of_ros = (
        'Waiting for data',
        'trailing -p flag',
        'Sequence should be',
        'ros2 topic',
        "'rclpy'",
    )
    table = section(TEXTS['docs/guides.md'], 'Troubleshooting')
    quoted = [
        quote
        for line in table.splitlines()
        for quote in re.findall('`([^`]+)`', line.partition('|')[2].partition('|')[0])
        if not any(text in quote for text in of_ros)
    ]
    parts = [
        part.strip()
        for quote in quoted
        for part in re.split(r"\.\.\.|: |/feedforward|~/\w+|'[^']*'", quote)
        if len(part.strip()) > 8
    ]
    assert len(parts) > 10
    for part in parts:
        assert any(part in text for text in constants), part


def test_rooms_are_those_of_the_package():
    table = section(TEXTS['CONTRIBUTING.md'], 'Rooms').partition('| Room |')[2]
    cells = [line.split('|')[1] for line in table.splitlines()[2:] if line.startswith('| ')]
    listed = re.findall(r'`(\w+)/`', ' '.join(cells))
    assert sorted(listed) == sorted(path.parent.name for path in PACKAGE.glob('*/__init__.py'))
