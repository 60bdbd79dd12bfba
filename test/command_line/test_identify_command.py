# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics identify`: parameters of recorded efforts."""

import csv
from functools import cache

import numpy as np
import pytest
from helpers.driven_recordings import drawn_drives, driven, wrong_drives

import screw_dynamics as sd
from screw_dynamics.command_line.main import main

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from helpers import bag_messages as recordings  # noqa: E402

pytestmark = pytest.mark.usefixtures('folder')

PERIOD = 5_000_000  # ns
VISCOUS, COULOMB, MASS = np.array([0.4, 0.3]), np.array([0.2, 0.5]), 0.6


def motion(times):
    """Return joint jets (T, 3, 2) of sums of sines."""
    rates, sizes = np.array([[1.3, 4.1], [2.3, 5.3]]), np.array([[0.9, 0.25], [0.8, 0.2]])
    angles = times[:, None, None] * rates
    return np.stack(
        [(sizes * rates**d * np.sin(angles + d * np.pi / 2)).sum(axis=2) for d in range(3)], axis=1
    )


def described():
    return recordings.description(sd.share_path('urdf/planar_2r.urdf'))


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    """Return a function that writes 12 s of an arm with friction and a load at the tool, once."""

    @cache
    def write(factors=(1.0, 1.0), stiffness=None, lacking=(), spikes=(), late=0, gravity=True):
        model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
        times = PERIOD * 1e-9 * np.arange(2400)
        jets = motion(times)
        loaded = model.with_payload('tool', MASS, np.zeros(3), np.zeros((3, 3)))
        efforts = sd.inverse_dynamics(loaded, jets)[:, 0]
        efforts += VISCOUS * jets[:, 1] + COULOMB * np.tanh(jets[:, 1] / 0.01)
        clean = efforts.copy()
        if not gravity:
            efforts -= sd.gravity_forces(model, jets[:, 0])
        noise = np.random.default_rng(0).normal(size=(2, len(times), 2))
        efforts = factors * (np.roll(efforts, late, axis=0) + 0.1 * noise[0])
        efforts[list(spikes), 1] += 300.0
        positions = jets[:, 0] + 1e-5 * noise[1]
        rows = [described()]
        for i, (q, effort) in enumerate(zip(positions, efforts, strict=True)):
            stamp = recordings.START + PERIOD * i
            message = recordings.joint_state(('joint_1', 'joint_2'), q, stamp)
            message.effort = effort.copy() if i not in lacking else np.empty(0)
            rows.append(('/joint_states', PERIOD * i, message))
            if stiffness is not None:
                motor = q[:1] + clean[i, :1] / stiffness
                message = recordings.joint_state(('joint_1',), motor, stamp)
                rows.append(('/motor_states', PERIOD * i, message))
        return recordings.write_bag(tmp_path_factory.mktemp('bag') / 'measured_bag', rows)

    return write


def test_friction_and_load(bag, capsys):
    arguments = ['--parameters', 'friction', '--load', 'tool', '--csv', 'found.csv']
    assert main(['identify', str(bag()), *arguments]) == 0
    shown = capsys.readouterr().out
    assert 'joint_2.coulomb' in shown and 'load at tool: 0.' in shown
    with open('found.csv', encoding='utf-8') as file:
        rows = {row['parameter']: row for row in csv.DictReader(file)}
    expected = dict(zip(('joint_1.viscous', 'joint_2.viscous'), VISCOUS, strict=True))
    expected |= dict(zip(('joint_1.coulomb', 'joint_2.coulomb'), COULOMB, strict=True))
    for name, value in (expected | {'payload.m': MASS}).items():
        deviation = float(rows[name]['standard_deviation'])
        assert abs(float(rows[name]['value']) - value) < 4.0 * deviation < 0.05, name
        assert float(rows[name]['low']) < float(rows[name]['value']) < float(rows[name]['high'])
    assert rows['payload.mz']['standard_deviation'] == ''
    # rms of what remains, fitted and held out: the noise
    table = shown[shown.index('efforts that remain') :].splitlines()
    (line,) = (line.split() for line in table if line.startswith('joint_1'))
    assert float(line[1]) > 0.3
    assert float(line[2]) == pytest.approx(0.1, rel=0.1)
    assert float(line[3]) == pytest.approx(0.1, rel=0.2)


def test_parameters_go_down_a_pipe(bag, capsys):
    assert main(['identify', str(bag()), '--parameters', 'links', '--csv', '-']) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith('parameter,value,standard_deviation,low,high\nlink_1 ')
    assert 'efforts that remain' in captured.err


def test_the_robot_is_written(bag, folder, capsys):
    """As URDF and drives, which explain the efforts of the bag; with a figure."""
    options = ['--load', 'tool', '--topic', '/joint_states', '--motor-states', '/motor_states']
    files = ['--write-urdf', 'found.urdf', '--write-drives', 'found.yaml', '--plot', 'found.png']
    assert main(['identify', str(bag(stiffness=800.0)), *options, *files]) == 0
    shown = capsys.readouterr().out
    assert 'joint_1.stiffness' in shown and shown.count('written: found.') == 3
    assert (folder / 'found.png').read_bytes().startswith(b'\x89PNG')
    model, drives = sd.read_urdf('found.urdf'), sd.Drives.from_yaml('found.yaml')
    assert drives.joints['joint_1'].spring.stiffness == pytest.approx(800.0, rel=1e-2)
    assert drives.joints['joint_2'].spring is None
    friction = [joint.friction for joint in drives.joints.values()]
    np.testing.assert_allclose([f.viscous for f in friction], VISCOUS, atol=0.03)
    np.testing.assert_allclose(model.friction, [f.coulomb for f in friction])
    jets = motion(np.linspace(0.0, 2.0, 50))
    true = sd.read_urdf('my_robot.urdf').with_payload('tool', MASS, np.zeros(3), np.zeros((3, 3)))
    found, expected = (sd.inverse_dynamics(of, jets)[:, 0] for of in (model, true))
    np.testing.assert_allclose(found, expected, atol=0.02 * np.abs(expected).max())
    assert main(['model', 'found.urdf']) == 0


def test_messages_without_efforts_are_counted(bag, capsys):
    """A tenth of the messages lack efforts; the rest is used."""
    path = bag(lacking=range(0, 2400, 10))
    assert main(['identify', str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith('2160 samples over 11.99 s; repeated: 0, without all joints, efforts')
    assert 'stamp: 240' in shown.splitlines()[0]


def test_spikes_are_left_out_and_named_once(bag, capsys):
    """Two where parameters are identified, one in the part that is held out; with a figure."""
    path = str(bag(spikes=(500, 1200, 2100)))
    assert main(['identify', path, '--load', 'tool', '--plot', 'found.png']) == 0
    printed = capsys.readouterr()
    assert printed.err.count('\n') == 1
    assert printed.err.startswith(
        "warning: recording: joint 'joint_2': expected efforts without spikes, got 2, the largest "
    )
    assert 'spikes' not in printed.out
    table = printed.out[printed.out.index('efforts that remain') :].splitlines()
    (line,) = (line.split() for line in table if line.startswith('joint_2'))
    assert float(line[3]) == pytest.approx(0.1, rel=0.3)


def test_efforts_that_lag_are_named_with_their_delay(bag, capsys):
    assert main(['identify', str(bag(late=4)), '--load', 'tool']) == 0
    printed = capsys.readouterr().err
    assert 'expected efforts of the instants of the positions' in printed
    assert 'lag by 20 ms' in printed or 'lag by 19 ms' in printed or 'lag by 21 ms' in printed
    assert 'taken out' in printed


def test_a_reversed_joint_is_named_unless_it_is_wanted(bag, capsys):
    path = str(bag(factors=(1.0, -1.0)))
    assert main(['identify', path]) == 1
    printed = capsys.readouterr().err
    assert "joint 'joint_2'" in printed and 'the joint is reversed' in printed
    assert main(['identify', path, '--no-check']) == 0


@pytest.mark.parametrize(
    'arguments, text',
    [
        (['--held-out', '1.5'], '--held-out: expected a part below 1, got 1.5'),
        (['--load', 'nose'], "unknown frame 'nose'"),
        (['--end', '0.4'], 'recording: expected more than'),
        (['--parameters', 'links', '--load', 'tool'], 'payload: expected None with links'),
        (['--parameters', 'offsets', '--write-drives', 'd.yaml'], '--write-drives: expected fric'),
        (['--motor-states', '/nothing'], '/nothing'),
        (['--urdf', 'm.yaml', '--write-urdf', 'f.urdf'], '--write-urdf: expected a URDF'),
        (['--drives', '--parameters', 'links'], '--parameters: expected none with --drives'),
        (['--drives', '--plot', 'found.png'], '--plot: expected none with --drives'),
        (['--springs', 'cubic'], '--springs: expected --drives beside it'),
        (['--torque-constants'], '--torque-constants: expected --drives beside it'),
    ],
)
def test_errors(bag, capsys, arguments, text):
    assert main(['identify', str(bag()), *arguments]) == 1
    assert text in capsys.readouterr().err


def test_efforts_of_another_content(bag, capsys):
    """Efforts without gravity are refused by name, and right with the option that it names."""
    arguments = ['identify', str(bag(gravity=False)), '--parameters', 'friction', '--load', 'tool']
    assert main(arguments) == 1
    assert "effort_content 'without_gravity' would explain" in capsys.readouterr().err
    assert main([*arguments, '--effort-content', 'without_gravity']) == 0
    assert 'load at tool: 0.' in capsys.readouterr().out


def test_drives_from_motor_states(folder, capsys):
    rng = np.random.default_rng(3)
    model = sd.read_urdf('my_robot.urdf')
    drives = drawn_drives(model, rng)
    loaded = model.with_payload('tool', MASS, np.zeros(3), np.zeros((3, 3)))
    measured = driven(loaded, drives, rng, delay=2e-3)
    rows = [described()]
    for i, positions in enumerate(measured.positions):
        stamp = recordings.START + round(1e9 * measured.times[i])
        links = recordings.joint_state(model.joint_names, positions, stamp)
        motors = recordings.joint_state(model.joint_names, measured.motor_positions[i], stamp)
        motors.effort = measured.motor_efforts[i].copy()
        rows += [('/joint_states', 4_000_000 * i, links), ('/motor_states', 4_000_000 * i, motors)]
    bag = recordings.write_bag(folder / 'driven_bag', rows)
    wrong_drives(drives, 1.1).to_yaml('given.yaml')
    options = ['--motor-states', '/motor_states', '--topic', '/joint_states']
    files = ['--csv', 'found.csv', '--write-drives', 'found.yaml', '--write-urdf', 'found.urdf']
    code = main(
        ['identify', str(bag), *options, '--drives', 'given.yaml', '--load', 'tool', *files]
    )
    captured = capsys.readouterr()
    assert code == 0, captured.err
    assert 'load at tool: 0.' in captured.out
    assert 'lag the positions by' in captured.out
    with open('found.csv', encoding='utf-8') as file:
        rows = {row['parameter']: row for row in csv.DictReader(file)}
    found = sd.Drives.from_yaml('found.yaml')
    for name, joint in drives.joints.items():
        row, true = rows[f'{name}.stiffness'], joint.spring.stiffness
        deviation = float(row['standard_deviation'])
        assert abs(float(row['value']) - true) < 4.0 * deviation < 0.03 * true
        assert found.joints[name].spring.stiffness == float(row['value'])
        own = found.joints[name].motor
        assert own.rotor_inertia == pytest.approx(joint.motor.rotor_inertia, rel=0.1)
    mass = sum(inertia[5, 5] for inertia in sd.read_urdf('found.urdf').inertias)
    before = sum(inertia[5, 5] for inertia in sd.read_urdf('my_robot.urdf').inertias)
    assert mass - before == pytest.approx(MASS, abs=0.3)  # links are uncertain too


def test_tables_in_place_of_bags(folder, capsys):
    """With another recording to validate with, and the page of `doctor`."""
    model = sd.read_urdf('my_robot.urdf')
    times = PERIOD * 1e-9 * np.arange(2400)
    jets = motion(times)
    efforts = sd.inverse_dynamics(model, jets)[:, 0] + VISCOUS * jets[:, 1]
    noise = np.random.default_rng(0).normal(size=(2, *efforts.shape))
    rows = np.column_stack((times, jets[:, 0] + 1e-5 * noise[0], efforts + 0.1 * noise[1]))
    fields = [f'{name}.{field}' for field in ('position', 'effort') for name in model.joint_names]
    for name, part in (('a.csv', rows[:1200]), ('b.csv', rows[1200:])):
        np.savetxt(name, part, '%.17g', ',', header=','.join(['time', *fields]), comments='')
    options = ['--urdf', 'my_robot.urdf', '--validate', 'b.csv', '--plot', 'found.png']
    assert main(['identify', 'a.csv', *options]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith('Recording(joint_1, joint_2; 1200 samples') and 'gravity' in shown
    assert 'fitted  validated  unit' in shown
    table = shown[shown.index('efforts that remain') :].splitlines()
    (line,) = (line.split() for line in table if line.startswith('joint_1'))
    assert float(line[3]) == pytest.approx(0.1, rel=0.2)
    assert main(['doctor', 'my_robot.urdf', 'a.csv', '--end', '4']) == 0
    shown = capsys.readouterr().out
    assert '801 samples of 2 joints' in shown and 'joint_2.viscous' in shown
    beside = ['--parallel-springs', 'joint_1=constant', '--coupling', 'joint_2:joint_1=0.0']
    assert main(['identify', 'a.csv', *options[:2], *beside]) == 0
    assert 'joint_1.spring_torque' in capsys.readouterr().out
    for option, text in (
        ('--parallel-springs joint_1=drives', "joint 'joint_1': --drives have none"),
        ('--parallel-springs joint_1', 'expected NAME=WORD'),
        ('--coupling joint_2:nose=0.5', "--coupling: unknown joint 'nose'"),
    ):
        assert main(['identify', 'a.csv', *options[:2], *option.split()]) != 0
        assert text in capsys.readouterr().err
    assert main(['identify', 'a.csv']) == 1
    assert 'a.csv: expected the robot of a table: --urdf' in capsys.readouterr().err
    assert main(['identify', 'a.csv', '--urdf', 'my_robot.urdf', '--topic', '/a']) == 1
    assert 'expected a bag, got the table a.csv' in capsys.readouterr().err
