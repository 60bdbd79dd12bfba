# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings in files, of some joints of a robot; what is in them, and what explains efforts."""

import csv
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from helpers.driven_recordings import drawn_drives, driven, wrong_drives
from helpers.recordings import drawn

import screw_dynamics as sd
from screw_dynamics.errors import InputError, RecordingWarning, ShapeError
from screw_dynamics.estimation.identification import Recording

matplotlib.use('agg')


@pytest.fixture(scope='module')
def measured(planar):
    return drawn(planar, 6, seconds=12.0)[0]


def test_tables_have_the_recording(tmp_path, measured):
    """To the last digit; columns in any order, units in brackets, empty cells not measured."""
    deflections = np.column_stack((np.full(len(measured.times), np.nan), measured.positions[:, 1]))
    whole = replace(measured, deflections=deflections)
    names = 'joint_names', 'times', 'positions', 'efforts', 'deflections'
    np.savez(tmp_path / 'a.npz', **{name: getattr(whole, name) for name in names}, other=3)
    with (tmp_path / 'a.csv').open('w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(
            ['joint_2.effort [N m]', 'joint_1.position [rad]', 'remark', 'time', 'joint_1.effort']
            + ['joint_2.position', 'joint_2.deflection']
        )
        for t, q, tau in zip(whole.times, whole.positions, whole.efforts, strict=True):
            writer.writerow([repr(float(x)) for x in (tau[1], q[0], 0, t, tau[0], q[1], q[1])])
    for path in (tmp_path / 'a.npz', str(tmp_path / 'a.csv')):
        found = Recording.from_file(path)
        assert found.joint_names == whole.joint_names
        for name in names[1:]:
            np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))


@pytest.mark.parametrize(
    'name, text, expected',
    [
        ('a.md', 'time', "expected a file .csv, .parquet or .npz, got '.md'$"),
        ('a.txt', 'time', "got '.txt': a table with commas is named .csv"),
        ('a.csv', 'time;a.position\n0;0,1\n', "got 'time;a.position': separate columns by commas"),
        ('a.csv', 'time\ta.position\n0\t1\n', 'separate columns by commas, and write numbers'),
        ('a.csv', 'time,a.effort\n0,1\n', 'expected a column a.position beside effort'),
        ('a.csv', 'time\n0\n', "a header of two columns or more, got 'time'$"),
        ('a.csv', 'time,q1\n0,1\n', r'expected a column JOINT\.position, got time, q1'),
        ('a.csv', 'a.position,b\n0,1\n', r'expected a column time, got a\.position, b'),
        ('a.csv', 'time,a.position\n0,x\n', 'expected numbers below the header: could not'),
        ('a.csv', 'time,a.position\n0,1\n1\n', 'row 3: expected 2 cells, got 1'),
        ('a.csv', 'time,a.position\n', 'expected rows of numbers below a header, got none'),
        ('a.csv', '', 'expected rows of numbers below a header, got none'),
        ('a.npz', 'no archive', 'expected arrays in NPZ: File is not a zip file'),
    ],
)
def test_files_that_are_no_recordings(tmp_path, name, text, expected):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=expected):
        Recording.from_file(tmp_path / name)


def test_rows_of_a_table_that_lack_a_value_are_left_out(tmp_path):
    header = 'time,a.position,a.effort,b.position,b.effort'
    rows = header, '0,1,2,3,', '1,,2,3,', '2,1,nan,3,', '3,4,5,6,'
    (tmp_path / 'a.csv').write_text('\n'.join(rows))
    with pytest.warns(RecordingWarning, match=r'a\.csv: 2 of 4 rows lack a value: left out'):
        found = Recording.from_file(tmp_path / 'a.csv')
    np.testing.assert_array_equal(found.times, [0.0, 3.0])
    np.testing.assert_array_equal(found.positions, [[1.0, 3.0], [4.0, 6.0]])
    np.testing.assert_array_equal(found.efforts, [[2.0, np.nan], [5.0, np.nan]])


def test_files_that_are_absent_or_do_not_fit(tmp_path):
    with pytest.raises(InputError, match='No such file'):
        Recording.from_file(tmp_path / 'a.csv')
    np.savez(tmp_path / 'a.npz', joint_names=['a'], time=[0.0], position=[[0.0]])
    with pytest.raises(InputError, match='an array times, got joint_names, time, position'):
        Recording.from_file(tmp_path / 'a.npz')
    np.savez(tmp_path / 'a.npz', joint_names=['a'], times=[0.0], positions=[[0.0, 1.0]])
    with pytest.raises(ShapeError, match='positions'):
        Recording.from_file(tmp_path / 'a.npz')


def test_joints_that_were_not_recorded_are_locked(planar, measured):
    """Their names are told, and what is found is that of the model read without them."""
    one = Recording(
        ('joint_1',), measured.times, measured.positions[:, :1], measured.efforts[:, :1]
    )
    expected = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'), joints=['joint_1'])
    found = sd.identify(planar, one, offsets=True, check=False)
    same = sd.identify(expected, one, offsets=True, check=False)
    np.testing.assert_allclose(found.values, same.values, rtol=1e-9)
    assert [(one.kind, one.joints) for one in found.findings] == [('locked', ('joint_2',))]


def test_shares_of_efforts_add_to_one(planar, measured):
    """Each is that of its cause: efforts with gravity alone are gravity alone."""
    found = sd.identify(planar, measured, offsets=True)
    shares = found.shares.shares
    assert list(shares) == ['gravity', 'inertia', 'friction', 'rotor', 'offset', 'rest']
    np.testing.assert_allclose(sum(shares.values()), 1.0, atol=1e-12)
    rest = np.sqrt(np.mean(found.shares.rest**2, axis=0))
    np.testing.assert_allclose(rest, found.residuals, rtol=1e-12)
    again = found.explain(measured)
    np.testing.assert_allclose(again.rest, found.shares.rest, atol=1e-9)
    assert found.shares.looks == ('noise', 'noise')
    assert 'gravity' in str(found)
    still = sd.gravity_forces(planar, found.shares.jets[:, 0])
    np.testing.assert_allclose(found.shares.parts['gravity'], still, atol=1e-9)


def test_what_is_missing_in_a_model_shows_in_the_rest(planar, measured):
    """Cogging follows the position, a drift the time."""
    bumps = 3.0 * np.sin(2.0 * measured.positions[:, 1]) ** 2
    drift = 0.2 * measured.times
    spoilt = measured.efforts + np.column_stack((drift, bumps))
    found = sd.identify(planar, replace(measured, efforts=spoilt), check=False)
    assert found.shares.looks == ('time', 'position')


def test_the_figure_has_a_row_per_joint(planar, measured):
    figure = sd.identify(planar, measured).plot(['joint_2'])
    assert [axes.get_xlabel() for axes in figure.axes] == ['time [s]', 'velocity', 'position']
    assert figure.axes[0].get_title(loc='left') == 'joint_2'


@pytest.mark.parametrize('angle', [10.0, 180.0])
def test_drives_of_another_base_name_its_gravity(planar, angle):
    """From efforts of motors behind springs, in the plane that the arm feels."""
    turn = np.radians(angle)
    mounted = replace(planar, gravity=-9.81 * np.array([np.sin(turn), 0.0, np.cos(turn)]))
    rng = np.random.default_rng(3)
    drives = drawn_drives(mounted, rng)
    measured = driven(mounted, drives, rng, seconds=12.0)
    with pytest.raises(InputError, match=f'gravity .* turned by {angle:.0f} degrees'):
        sd.identify_drives(sd.Robot(planar, wrong_drives(drives, 1.1)), measured)


def test_the_report_of_a_recording(planar, measured):
    good = sd.check_recording(planar, measured)
    assert good.usable
    assert not good.findings
    assert 'joint_1.coulomb' in good.told
    assert f'{len(measured.times)} samples of 2 joints' in str(good)
    wrong = sd.check_recording(planar, replace(measured, efforts=-measured.efforts))
    assert not wrong.usable
    assert {'content', 'reversed'} <= {finding.kind for finding in wrong.findings}
    assert wrong.findings[0].level == 'wrong'
    assert list(wrong.to_dataframe()['joint']) == ['joint_1', 'joint_2']
    short = sd.check_recording(planar, measured.between(1.0, 1.02))
    assert short.findings[0].kind == 'unusable'
