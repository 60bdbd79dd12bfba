# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch files: every argument explained, every one used, both nodes started and stopped."""

import importlib.util
import os
import signal
import threading
from pathlib import Path

import pytest
import yaml

pytest.importorskip('launch', reason='the launch files need the ROS 2 package launch')
pytest.importorskip('launch_ros', reason='the launch files need the ROS 2 package launch_ros')

from builtin_interfaces.msg import Time
from helpers.bag_processes import messages_in
from helpers.launched import Launched, launch_process
from helpers.node_processes import trajectory
from helpers.patience import patience
from launch import LaunchContext
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch_ros.actions import Node
from rosgraph_msgs.msg import Clock

from screw_dynamics import share_path
from screw_dynamics.errors import InputError
from screw_dynamics.recordings.bags import Bag

pytestmark = pytest.mark.processes

FILES = ('feedforward', 'dynamics_server', 'bringup')
ARGUMENTS = {'namespace', 'params_file', 'robot_description_topic', 'urdf_file', 'use_sim_time'}


def description_of(name):
    path = share_path(f'launch/{name}.launch.py')
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generate_launch_description()


def arguments_of(name):
    return {
        entity.name: entity
        for entity in description_of(name).entities
        if isinstance(entity, DeclareLaunchArgument)
    }


@pytest.mark.parametrize('name', [*FILES, 'sea_demo'])
def test_every_argument_is_explained(name):
    arguments = arguments_of(name)
    assert ARGUMENTS | {'log_level', 'respawn'} <= arguments.keys()
    for argument in arguments.values():
        assert len(argument.description) > 10
        default = ''.join(getattr(part, 'text', '?') for part in argument.default_value)
        if default in ('true', 'false'):
            assert argument.choices == ['true', 'false']


def test_bringup_hands_everything_on():
    arguments = arguments_of('bringup').keys()
    assert arguments_of('feedforward').keys() <= arguments
    assert arguments_of('dynamics_server').keys() <= arguments


def nodes_of(name, **values):
    """Return the nodes that a launch file starts with these arguments."""
    context = LaunchContext()
    for argument in arguments_of(name).values():
        if not argument.name.endswith('params_file') or argument.name == 'server_params_file':
            argument.execute(context)
    file = str(share_path('config/sea_arm.yaml'))
    files = {'params_file': file, 'drive_commands_params_file': file}
    context.launch_configurations.update({**files, **values})
    (function,) = [
        entity for entity in description_of(name).entities if isinstance(entity, OpaqueFunction)
    ]
    return [entity for entity in function.execute(context) if isinstance(entity, Node)]


def words(parts):
    """Return the text of substitutions."""
    return ''.join(part.text for part in parts)


def remappings_of(node):
    return {words(a): words(b) for a, b in node._Node__remappings}


def parameters_of(node):
    """Return the values of a node by name, after its files."""
    return {words(name): value for name, value in node._Node__parameters[-1].items()}


def test_remappings():
    (node,) = nodes_of(
        'feedforward',
        effort_controller_name='efforts',
        trajectory_effort_controller_name='proxied',
        action_controller_name='arm',
    )
    assert remappings_of(node) == {
        'robot_description': 'robot_description',
        '~/joint_trajectory': 'joint_trajectory_controller/joint_trajectory',
        '~/commands': 'efforts/commands',
        '~/joint_trajectory_effort': 'proxied/joint_trajectory',
        **{
            f'~/follow_joint_trajectory/_action/{part}': (
                f'arm/feedforward/follow_joint_trajectory/_action/{part}'
            )
            for part in ('send_goal', 'cancel_goal', 'get_result', 'feedback', 'status')
        },
    }


def test_controllers_of_single_fields():
    names = {f'{field}_controller_name': f'a_{field}' for field in ('effort', 'kp', 'position')}
    (node,) = nodes_of('feedforward', **names)
    remappings = remappings_of(node)
    assert remappings['~/commands'] == 'a_effort/commands'
    assert remappings['~/position_commands'] == 'a_position/commands'
    assert remappings['~/kp_commands'] == 'a_kp/commands'
    assert '~/velocity_commands' not in remappings
    assert len(node._Node__parameters) == 3
    given = parameters_of(node)
    fields = [yaml.safe_load(words(parts)) for parts in given['fields']]
    assert fields == ['position', 'effort', 'kp']
    assert yaml.safe_load(words(given['topics'])) == 'apart'


def test_commands_for_a_driver_of_ones_own():
    arguments = {'content': 'rotors', 'effort_content': 'full', 'drives_path': 'my.yaml'}
    arguments['joint_limits_path'] = 'joint_limits.yaml'
    (node,) = nodes_of('feedforward', drive_commands='true', fields='position,effort', **arguments)
    assert node.node_executable == 'nodes'
    values = parameters_of(node)
    assert values.keys() >= {*arguments, 'fields'} and 'topics' not in values
    (node,) = nodes_of('feedforward', effort_controller_name='efforts')
    topics = words(parameters_of(node)['topics'])
    assert yaml.safe_load(topics) == 'apart'  # the efforts alone, whatever the file says


def test_commands_are_sent_by_the_same_process():
    (node,) = nodes_of('feedforward')
    assert node.node_executable == 'feedforward'
    (node,) = nodes_of('feedforward', effort_controller_name='efforts', namespace='left')
    assert node.node_executable == 'nodes'
    assert list(map(words, node.cmd[1:3])) == ['feedforward', 'drive_commands']
    # a name would be that of both
    assert node._Node__node_name is None
    levels = node._Node__ros_arguments[1::2]
    assert levels == ['left.feedforward:=info', 'left.drive_commands:=info']
    with pytest.raises(InputError, match="argument 'drive_commands_params_file': expected a file"):
        nodes_of(
            'feedforward', effort_controller_name='efforts', drive_commands_params_file='no.yaml'
        )


@pytest.mark.parametrize('respawn', [False, True])
def test_a_node_is_started_again_on_request(respawn):
    for name in ('feedforward', 'dynamics_server'):
        (node,) = nodes_of(name, respawn=str(respawn).lower())
        assert node._ExecuteLocal__respawn is respawn
    _, simulator, *_ = nodes_of('sea_demo', respawn=str(respawn).lower())
    assert simulator._ExecuteLocal__respawn is respawn


@pytest.mark.parametrize(
    'name', ['feedforward', 'compensation', 'dynamics_server', 'load_observer', 'sea_demo']
)
def test_parameters_come_from_a_file_that_exists(name):
    with pytest.raises(InputError, match="argument 'params_file': expected a file, got 'no.yaml'"):
        nodes_of(name, params_file='no.yaml')


def test_arguments_that_are_no_numbers_are_named():
    for text in ('abc', 'nan', '1,0'):
        with pytest.raises(
            InputError, match=f"argument 'publish_rate': expected a finite number, got '{text}'"
        ):
            nodes_of('feedforward', publish_rate=text)
    (node,) = nodes_of('feedforward', publish_rate='100')
    rate = parameters_of(node)['publish_rate']
    assert rate == 100.0 and isinstance(rate, float)


@pytest.fixture
def robot_state_publisher(tmp_path, monkeypatch):
    """Make an executable of that name available to launch."""
    name = 'robot_state_publisher'
    marker = tmp_path / 'share' / 'ament_index' / 'resource_index' / 'packages' / name
    executable = tmp_path / 'lib' / name / name
    for file in (marker, executable):
        file.parent.mkdir(parents=True)
        file.touch(mode=0o755)
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path), prepend=os.pathsep)


def test_what_bringup_starts_on_request(planar, robot_state_publisher):
    assert nodes_of('bringup') == []
    publisher, recorder = nodes_of(
        'bringup', start_rsp='true', record='true', urdf_file=str(planar), namespace='left'
    )
    assert publisher.node_package == 'robot_state_publisher'
    topics = list(map(words, recorder.cmd[1:4]))
    assert topics == [
        'feedforward/feedforward',
        'feedforward/model_info',
        'joint_trajectory_controller/joint_trajectory',
    ]
    with pytest.raises(RuntimeError, match="'start_rsp': expected 'urdf_file' with it, got none"):
        nodes_of('bringup', start_rsp='true')


def description_published(publisher):
    return parameters_of(publisher)['robot_description'].evaluate(LaunchContext())


def test_what_sea_demo_starts_on_request(planar, robot_state_publisher):
    loop, frames = ['feedforward', 'sea_simulator'], 'robot_state_publisher'
    for urdf, given in (('', share_path('urdf/iiwa14.urdf')), (str(planar), planar)):
        nodes = nodes_of('sea_demo', trajectory_file='', urdf_file=urdf)
        assert [node.node_executable for node in nodes] == [*loop, frames]
        assert description_published(nodes[-1]) == given.read_text()
    nodes = nodes_of('sea_demo', record='true', namespace='arm')
    expected = [*loop, 'trajectory_sender', frames, 'recorder']
    assert [node.node_executable for node in nodes] == expected
    topics = map(words, nodes[-1].cmd[1:6])
    assert {'feedforward/motor_feedforward', 'joint_states', 'motor_states'} < set(topics)
    with pytest.raises(InputError, match="argument 'trajectory_file': expected a file, got 'no"):
        nodes_of('sea_demo', trajectory_file='no.yaml')


def test_the_simulated_arm_begins_when_its_fit_is_ready():
    """However long that takes: a fit that is late for a given instant leaves out a part."""
    _, _, sender, *_ = nodes_of('sea_demo')
    assert 'delay' not in parameters_of(sender)


def test_robot_state_publisher_gets_the_urdf_of_a_package(planar, tmp_path, robot_state_publisher):
    (tmp_path / 'share' / 'ament_index' / 'resource_index' / 'packages' / 'some_robot').touch()
    folder = tmp_path / 'share' / 'some_robot' / 'urdf'
    folder.mkdir(parents=True)
    (folder / 'robot.urdf').write_text(planar.read_text())
    address = 'package://some_robot/urdf/robot.urdf'
    (publisher,) = nodes_of('bringup', start_rsp='true', urdf_file=address)
    assert description_published(publisher) == planar.read_text()
    for address in ('package://no_robot/robot.urdf', 'package://some_robot/urdf/none.urdf'):
        with pytest.raises(InputError, match="argument 'urdf_file': .*(no_robot|none.urdf)"):
            nodes_of('bringup', start_rsp='true', urdf_file=address)


@pytest.mark.parametrize(
    ('arguments', 'reason'),
    [
        ({'start_rsp': 'true'}, 'expected the package robot_state_publisher, which is not'),
        ({'server_params_file': 'no.yaml'}, "argument 'server_params_file': expected a file"),
        ({'publish_rate': 'abc'}, "argument 'publish_rate': expected a finite number, got 'abc'"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else '',
)
def test_nothing_runs_on_where_something_is_missing(ros, planar, monkeypatch, arguments, reason):
    """Launch forgets the processes it has started if a part of a launch file fails."""
    prefixes = os.environ['AMENT_PREFIX_PATH'].split(os.pathsep)
    without = [p for p in prefixes if not Path(p, 'lib', 'robot_state_publisher').exists()]
    monkeypatch.setenv('AMENT_PREFIX_PATH', os.pathsep.join(without))
    process = launch_process(ros, 'bringup', urdf_file=planar, **arguments)
    output, _ = process.communicate(timeout=patience())
    assert process.returncode == 1 and reason in output
    with pytest.raises(ProcessLookupError):  # the group is empty
        os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize('name', FILES)
def test_launched_for_real(ros, planar, name):
    """Start, wait for the model, stop by shutdown; every process ends with code 0."""
    count = 2 if name == 'bringup' else 1

    def ready(launched):
        return launched.text().count('Robot model') == count

    launched = Launched(ros, name, ready, urdf_file=planar)
    assert launched.service.run() == 0
    assert list(launched.codes.values()) == [0] * count, launched.text()
    assert ready(launched), launched.text()


# launch leaves the event loop of its service open
@pytest.mark.filterwarnings('ignore::pytest.PytestUnraisableExceptionWarning')
def test_a_recording_in_a_namespace(ros, monkeypatch, planar, tmp_path):
    """The log level is that of the nodes; the recorder is on their clock and on their topics."""
    monkeypatch.chdir(tmp_path)
    launched = Launched(
        ros,
        'bringup',
        urdf_file=planar,
        namespace='left/arm',
        controller_name='/plans',
        log_level='fatal',
        record='true',
        use_sim_time='true',
    )
    sent = threading.Thread(target=send_at_42_seconds, args=(ros, launched.service, tmp_path))
    sent.start()
    assert launched.service.run() == 0
    sent.join()
    assert list(launched.codes.values()) == [0, 0, 0], launched.text()
    assert '[INFO]' in launched.text('recorder')
    for name in launched.processes:
        assert ('[INFO]' in launched.text(name)) == name.startswith('recorder'), launched.text()
    (folder,) = tmp_path.glob('rosbag2_*')
    with Bag(folder) as bag:
        assert bag.arrays('/plans/joint_trajectory')['log_time'].tolist() == [42 * 10**9]
        assert bag.topics['/left/arm/feedforward/model_info'].count == 1


def send_at_42_seconds(ros, service, folder):
    """Send a trajectory by a clock at rest; stop all launched processes when it is recorded."""
    try:
        node = '/left/arm/feedforward'
        ros.wait_for('the clock', lambda: ros.node.count_subscribers('/clock') >= 3)
        ros.wait_until_active(None, node)
        for _ in range(10):
            ros.publish(Clock(clock=Time(sec=42)), '/clock', subscribers=3)
            ros.spin(0.1)
        plan = '/plans/joint_trajectory'
        ros.publish(trajectory(['joint_1', 'joint_2'], [0.0, 0.0]), plan, subscribers=2)
        (bag,) = folder.glob('rosbag2_*')
        for topic in (plan, f'{node}/model_info'):
            ros.wait_for(f'{topic} in the bag', lambda topic=topic: messages_in(bag, topic))
    finally:
        service.shutdown()
