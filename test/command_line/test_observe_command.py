# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics observe`: collisions in bags."""

import csv

import numpy as np
import pytest

import screw_dynamics as sd

PERIOD = 4_000_000  # ns
JOINTS = ('joint_1', 'joint_2')


def state(recordings, i, q, qd, effort):
    message = recordings.joint_state(JOINTS, q, recordings.START + PERIOD * i)
    message.velocity = np.array(qd, dtype=float)
    message.effort = np.array(effort, dtype=float)
    return message


def pushed_motion(model, count=750):
    """Return positions, velocities and efforts of 3 s; pushed from 1.0 to 1.3 and 2.0 to 2.4 s."""
    times = PERIOD * 1e-9 * np.arange(count)
    rates = np.array([1.0, 1.7])
    jets = np.stack(
        [0.5 * rates**d * np.sin(times[:, None] * rates + d * np.pi / 2) for d in range(3)], axis=1
    )
    efforts = sd.inverse_dynamics(model, jets)[:, 0]
    for i, time in enumerate(times):
        if 1.0 <= time < 1.3:
            jacobian = sd.frame_jacobian(model, jets[i, 0], 'link_1', 'hybrid')
            efforts[i] -= jacobian.T @ [0, 8.0, 0, 0, 0, 0]
        if 2.0 <= time < 2.4:
            jacobian = sd.frame_jacobian(model, jets[i, 0], 'tool', 'hybrid')
            efforts[i] -= jacobian.T @ [0, 0, 0, 0, 0, -30.0]
    return jets[:, 0], jets[:, 1], efforts


@pytest.fixture
def pushed_bag(folder, recordings):
    """Return a bag of a robot that is pushed twice, with odd messages among them."""
    rows = [recordings.description(folder / 'my_robot.urdf')]
    motion = zip(*pushed_motion(sd.read_urdf('my_robot.urdf')), strict=True)
    for i, (q, qd, effort) in enumerate(motion):
        message = state(recordings, i, q, qd, effort)
        rows.append(('/joint_states', PERIOD * i, message))
        if i == 100:
            rows.append(('/joint_states', PERIOD * i + 1, message))
            without = recordings.joint_state(JOINTS, q, recordings.START + PERIOD * i + 7)
            rows.append(('/joint_states', PERIOD * i + 2, without))
    return recordings.write_bag(folder / 'pushed_bag', rows)


def table(text):
    lines = text.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith('begin'))
    return [line.split() for line in lines[begin + 1 :] if line and line[0].isdigit()]


def test_collisions_with_times_links_and_directions(pushed_bag, run):
    code, out, err = run('observe', 'pushed_bag', '--floor', '0.5', '--bandwidth', '100')
    assert (code, err) == (0, '')
    assert out.startswith('750 samples over 2.996 s; repeated: 1, without all joints,')
    assert 'collisions: 2\n' in out
    (begin, end, link, *_), (begin_2, end_2, link_2, force, direction, *_) = table(out)
    # found within two samples of 4 ms; it ends when the filter and the hold time of 0.1 s have
    assert 1.0 <= float(begin) <= 1.012
    assert 1.4 <= float(end) <= 1.48
    assert link == 'link_1'
    assert 2.0 <= float(begin_2) <= 2.012
    assert 2.5 <= float(end_2) <= 2.6
    assert link_2 == 'link_2'
    # two joints measure two components; what acts is in the plane, mostly down
    assert float(force) > 5.0
    assert [float(x) for x in direction.split(',')][2] < -0.5


def test_csv_and_figure(pushed_bag, run, folder):
    code, out, err = run(
        'observe', 'pushed_bag', '--floor', 'joint_1=0.5', '--csv', 'loads.csv', '--plot', 'l.png'
    )
    assert (code, err) == (0, '')
    assert out.endswith('written: loads.csv\nwritten: l.png\n')
    assert (folder / 'l.png').read_bytes().startswith(b'\x89PNG')
    with open('loads.csv', newline='') as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 750
    assert list(rows[0]) == [
        'time', 'joint_1.external_effort', 'joint_2.external_effort', 'joint_1.threshold',
        'joint_2.threshold', 'contact',
    ]  # fmt: skip
    touched = [float(row['time']) for row in rows if row['contact'] == 'link_2']
    assert 2.0 <= touched[0] < 2.05
    # the second joint feels the force at its lever: 30 N down
    model = sd.read_urdf('my_robot.urdf')
    q = pushed_motion(model)[0][595]
    load = sd.frame_jacobian(model, q, 'tool', 'hybrid').T @ [0, 0, 0, 0, 0, -30.0]
    assert float(rows[595]['joint_2.external_effort']) == pytest.approx(load[1], rel=0.02)
    code, out, err = run('observe', 'pushed_bag', '--csv', '-')
    assert out.startswith('time,joint_1.external_effort')
    assert 'collisions: ' in err


def test_velocities_are_estimated_if_there_are_none(folder, recordings, run):
    rows = [recordings.description(folder / 'my_robot.urdf')]
    motion = zip(*pushed_motion(sd.read_urdf('my_robot.urdf')), strict=True)
    for i, (q, _, effort) in enumerate(motion):
        noisy = q + 1e-6 * np.sin([1e3 * i, 7e4 * i])
        rows.append(('/joint_states', PERIOD * i, state(recordings, i, noisy, [], effort)))
    recordings.write_bag(folder / 'slow_bag', rows)
    code, out, err = run('observe', 'slow_bag', '--floor', '0.5', '--bandwidth', '100')
    assert code == 0
    assert 'velocities: estimated from the positions' in out
    links = [row[2] for row in table(out)]
    assert links == ['link_1', 'link_2']


def test_a_gap_is_named_and_ends_a_collision(folder, recordings, run):
    rows = [recordings.description(folder / 'my_robot.urdf')]
    motion = list(zip(*pushed_motion(sd.read_urdf('my_robot.urdf')), strict=True))
    for i, sample in enumerate(motion):
        if not 275 <= i < 475:  # 1.1 s to 1.9 s
            rows.append(('/joint_states', PERIOD * i, state(recordings, i, *sample)))
    recordings.write_bag(folder / 'gap_bag', rows)
    code, out, _ = run('observe', 'gap_bag', '--floor', '0.5', '--bandwidth', '100')
    assert code == 0
    assert 'no samples after 1.096 s: the observer begins anew behind the gap' in out
    assert [row[2] for row in table(out)] == ['link_1', 'link_2']


def test_start_and_end_leave_samples_out(pushed_bag, run):
    code, out, _ = run('observe', 'pushed_bag', '--floor', '0.5', '--start', '1.6', '--end', '2.2')
    assert code == 0
    (row,) = table(out)
    assert row[2] == 'link_2'
    assert 2.0 <= float(row[0]) <= 2.05


@pytest.mark.parametrize(
    ('options', 'text'),
    [
        (['--floor', '0'], '--floor: expected numbers above 0, got 0'),
        (['--floor', 'joint_9=1'], "unknown joint of --floor 'joint_9'"),
        (['--floor', '1', '2', '3'], '--floor: expected 2 numbers'),
        (['--release', '2'], '--release: expected a number up to 1, got 2'),
        (['--topic', '/other'], 'no messages on --topic /other'),
        (['--csv', 'my_robot.urdf', '--urdf', 'my_robot.urdf'], 'my_robot.urdf: it is an input'),
        (['--start', '9'], 'no messages between --start and --end'),
    ],
)
def test_wrong_arguments_are_named(pushed_bag, run, options, text):
    code, out, err = run('observe', 'pushed_bag', *options)
    assert (code, out) == (1, '')
    assert text in err
    assert err.count('\n') == 1


def test_joint_states_without_efforts_are_named(measured_bag, run):
    code, _, err = run('observe', 'measured_bag')
    assert code == 1
    assert (
        'expected messages with positions and efforts of all of joint_1, joint_2, got none' in err
    )


def test_efforts_of_springs_come_from_their_deflections(folder, recordings, run):
    """As the bag of joint states with efforts, but for motors at other instants."""
    model = sd.read_urdf('my_robot.urdf')
    stiffness = np.array([400.0, 200.0])  # of my_springs.yaml
    q, qd, efforts = pushed_motion(model)
    rows = [recordings.description(folder / 'my_robot.urdf')]
    for i in range(len(q)):
        message = state(recordings, i, q[i], qd[i], [])
        rows.append(('/joint_states', PERIOD * i, message))
        motors = state(recordings, i, q[i] + efforts[i] / stiffness, qd[i], [])
        if 10 <= i < 740:
            rows.append(('/motor_states', PERIOD * i + 1, motors))
    recordings.write_bag(folder / 'sprung_bag', rows)
    code, out, err = run(
        'observe', 'sprung_bag', '--topic', '/joint_states', '--drives', 'my_springs.yaml',
        '--motor-states', '/motor_states', '--floor', '0.5', '--bandwidth', '100',
        '--csv', 'loads.csv',
    )  # fmt: skip
    assert (code, err) == (0, '')
    assert out.startswith('730 samples over 2.916 s; repeated: 0, without all joints, efforts')
    assert [row[2] for row in table(out)] == ['link_1', 'link_2']
    with open('loads.csv', newline='') as file:
        found = {round(float(row['time']), 6): row for row in csv.DictReader(file)}
    load = sd.frame_jacobian(model, q[595], 'tool', 'hybrid').T @ [0, 0, 0, 0, 0, -30.0]
    row = found[round(595 * PERIOD * 1e-9, 6)]
    assert float(row['joint_2.external_effort']) == pytest.approx(load[1], rel=0.02)


def test_motor_states_need_springs(pushed_bag, run):
    code, _, err = run('observe', 'pushed_bag', '--motor-states', '/joint_states')
    assert code == 1
    assert '--motor-states: expected the springs, too: --drives YAML' in err


def test_the_page_has_the_wrenches_of_the_contacts(pushed_bag, run, folder):
    pytest.importorskip('viser', reason='pages need viser')
    code, out, _ = run('observe', pushed_bag, '--html', 'collisions.html')
    assert (code, out.splitlines()[-1]) == (0, 'written: collisions.html')
    assert (folder / 'collisions.html').stat().st_size > 500_000
