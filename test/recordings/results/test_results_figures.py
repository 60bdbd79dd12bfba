# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of results: lines, bands, limits, blocks of joints, units."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('matplotlib', reason='figures need matplotlib')

from matplotlib.figure import Figure
from matplotlib.image import imread

import screw_dynamics as sd
from screw_dynamics.errors import InputError
from screw_dynamics.recordings.results.evaluation import evaluate_samples
from screw_dynamics.recordings.results.results import Results
from screw_dynamics.recordings.results.results_plot import draw_results, limits_of, save_plot

ARM = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
CURVE = sd.trajectory.through(ARM, [0.0, 0.6, 1.2], [[0.0, 0.0], [0.4, -0.6], [0.0, 0.5]])


def drawn(results, limits=None, marks=()):
    figure = Figure(layout='constrained')
    draw_results(results, figure, 'title', limits or {}, marks)
    figure.draw_without_rendering()
    return figure


def titled(figure, title):
    """Return the panels with a title."""
    return [axis for axis in figure.axes if axis.get_title(loc='left') == title]


def one_joint(efforts, **known):
    efforts = np.asarray(efforts, dtype=float)
    count = len(efforts)
    times = np.arange(count) / 1000.0
    return Results(('a',), times, np.zeros((count, 3, 1)), efforts[:, None, None], **known)


def test_no_peak_of_a_long_recording_is_lost():
    efforts = np.sin(np.arange(50_000) / 1000.0)
    efforts[[12_345, 33_333]] = 9.0, -7.0
    efforts[[12_344, 33_334]] = np.nan  # beside what is not known, too
    results = one_joint(efforts)
    (axis,) = titled(drawn(results), 'effort')
    (line,) = axis.lines
    values = line.get_ydata()
    assert len(values) < 5000 and np.nanmax(values) == 9.0 and np.nanmin(values) == -7.0
    assert line.get_xdata()[[0, -1]].tolist() == [0.0, results.times[-1]]


def test_a_single_sample_is_seen():
    assert all(axis.lines[0].get_marker() == 'o' for axis in drawn(one_joint([1.0])).axes)


@pytest.mark.parametrize('deviation', [0.5, np.inf, np.nan])
def test_what_is_not_known_is_left_open(deviation):
    jet = np.array([[[1.0], [np.nan], [2.0]], [[1.0], [np.inf], [2.0]]])
    spread = np.array([[[deviation]], [[0.5]]])
    results = replace(one_joint([3.0, 4.0]), joint_jet=jet, effort_deviations=spread)
    (axis,) = titled(drawn(results), 'effort')
    low, high = axis.get_ylim()
    assert low < 3.0 and high > 4.0


def test_bands_are_two_standard_deviations():
    efforts = np.sin(np.arange(100) / 10.0)
    spread = 0.1 + 0.01 * np.cos(np.arange(100.0))
    figure = drawn(one_joint(efforts, effort_deviations=spread[:, None, None]))
    vertices = figure.axes[-1].collections[0].get_paths()[0].vertices
    assert vertices[:, 1].max() == pytest.approx((efforts + 2 * spread).max(), rel=1e-12)
    assert vertices[:, 1].min() == pytest.approx((efforts - 2 * spread).min(), rel=1e-12)
    assert 'standard deviations' in figure.get_suptitle()


def test_measured_efforts_are_beside_those_of_the_model():
    """Where they are not known, the line has a gap; the picture has room for them."""
    measured = np.array([5.0, np.nan, 7.0, 40.0])
    figure = drawn(one_joint([1.0, 2.0, 3.0, 4.0], measured_effort=measured[:, None]))
    (axis,) = titled(figure, 'effort')
    np.testing.assert_array_equal(axis.lines[1].get_ydata(), measured)
    assert axis.get_ylim()[1] >= 40.0


def test_units_are_those_of_the_joint():
    text = sd.share_path('urdf/planar_2r.urdf').read_text()
    joint = '<joint name="joint_2" type="{}">'
    text = text.replace(joint.format('revolute'), joint.format('prismatic'))
    drive = sd.JointDrive(sd.LinearSpring(400.0), sd.Motor(1e-5, 100.0))
    robot = sd.Robot(sd.read_urdf(text), sd.Drives({'joint_1': drive, 'joint_2': drive}))
    results = evaluate_samples(robot, np.zeros(1), np.ones((1, 5, 2)), 2, sd.EffortFormat())
    figure = drawn(results)
    labels = [axis.get_ylabel() for axis in figure.axes]
    # a block of motion, efforts and motors for each type of joint
    assert labels[0].endswith('[rad]') and labels[2].endswith('[rad/s²]')
    assert labels[13].endswith('[m]') and labels[13 + 7].endswith('[N/s²]')
    assert labels[8 + 3].endswith('[N m]') and labels[13 + 8 + 3].endswith('[N]')
    assert titled(figure, 'torque') and titled(figure, 'force')
    unknown = [axis.get_ylabel() for axis in drawn(replace(results, slides=None)).axes]
    assert unknown[0].endswith('[rad or m]') and unknown[7].endswith('[(N m or N)/s²]')


def test_many_joints_have_blocks_of_lines_with_colours_of_their_own():
    names = tuple(f'j{i}' for i in range(16))
    results = Results(names, np.arange(3.0), np.zeros((3, 3, 16)), np.zeros((3, 1, 16)))
    panels = titled(drawn(results), 'effort')
    assert [len({line.get_color() for line in axis.lines}) for axis in panels] == [6, 5, 5]
    names = tuple(f'j{i}' for i in range(211))
    results = Results(names, np.zeros(1), np.zeros((1, 3, 211)), np.zeros((1, 1, 211)))
    with pytest.raises(InputError, match='a figure has room for 210 joints, got 211: draw some'):
        drawn(results)


def test_limits_are_drawn_and_the_nearest_is_named():
    """Of positions, velocities and efforts; the figure ends at a limit that a joint is near."""
    results, limits = sd.evaluate(ARM, CURVE), ARM.limits
    figure = drawn(results, limits_of(sd.Robot(ARM), results))
    for title, values, bounds in (
        ('velocity', results.joint_jet[:, 1], limits.velocity),
        ('torque', results.effort_jet[:, 0], limits.effort),
    ):
        (axis,) = titled(figure, title)
        lines = {line.get_ydata()[0] for line in axis.lines if len({*line.get_ydata()}) == 1}
        assert lines >= {*bounds, *-bounds}
        shares = np.abs(values).max(axis=0) / bounds
        name = ARM.joint_names[int(shares.argmax())]
        assert axis.get_title(loc='right') == f'{name}: {100.0 * shares.max():.3g} % of its limit'
        assert (axis.get_ylim()[1] > bounds[shares.argmax()]) == (shares.max() >= 0.5)


def test_waypoints_are_whole_dots():
    """Those at the ends, too; of efforts without derivatives."""
    times = np.linspace(0.0, 1.2, 51)
    jets = CURVE.jets(times)
    results = evaluate_samples(sd.Robot(ARM), times, jets, 0, sd.EffortFormat())
    figure = drawn(results, marks=CURVE.breaks.tolist())
    dots = [line for line in figure.axes[0].lines if line.get_marker() == 'o']
    expected = CURVE.jets(CURVE.breaks, 1)[:, 0].T
    np.testing.assert_allclose([line.get_ydata() for line in dots], expected, atol=1e-12)
    assert not any(line.get_clip_on() for line in dots)
    for axis in figure.axes:
        upright = [x[0] for line in axis.lines if len({*(x := line.get_xdata())}) == 1]
        np.testing.assert_array_equal(upright, CURVE.breaks)
    assert figure.subfigs[0].legends[0].get_texts()[-1].get_text() == 'waypoint'


def test_limits_of_motors_are_drawn_too():
    drive = sd.JointDrive(sd.LinearSpring(300.0), sd.Motor(0.1, max_effort=7.0))
    robot = sd.Robot(ARM, sd.Drives({'joint_1': drive, 'joint_2': drive}))
    results = sd.evaluate(robot, CURVE)
    found = limits_of(robot, results)
    np.testing.assert_array_equal(found['motor_effort'], [[-7.0, -7.0], [7.0, 7.0]])
    assert {'motor_velocity', 'deflection'} <= found.keys()
    assert 'motor_effort' not in limits_of(sd.Robot(ARM), results)


def test_wide_ends_of_bands_are_outside_of_the_picture():
    """Of a band that is wide in the first and last 4 %, and has a peak within."""
    spread = np.ones((200, 1, 1))
    spread[:8] = spread[-8:] = 1e3
    spread[12] = spread[-13] = 3.0
    results = one_joint(np.zeros(200), effort_deviations=spread)
    (panel,) = titled(drawn(results), 'effort')
    low, high = panel.get_ylim()
    assert -low == high and 6.0 < high < 8.0  # two deviations, and a margin


@pytest.mark.parametrize(('length', 'drives'), [(12, None), (25, sd.Drives({})), (60, None)])
def test_a_legend_takes_the_width_that_it_has(length, drives):
    iiwa = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    curve = sd.trajectory.through(iiwa, [0.0, 1.0], [[0.0] * 7, [0.1] * 7])
    results = sd.evaluate(sd.Robot(iiwa, drives), curve, [0.0, 1.0])
    names = tuple(letter * length for letter in 'aeouhnt')
    figure = drawn(replace(results, joint_names=names))
    legend = figure.subfigs[0].legends[0]
    assert 0.4 < legend.get_window_extent().width / figure.bbox.width <= 1.0


def test_a_file_has_the_picture(tmp_path):
    """No name is taken for a formula; a character that the font has not is told once."""
    results = replace(sd.evaluate(ARM, CURVE), joint_names=('関節一', '$\\nonsense{$'))
    with pytest.warns(UserWarning, match='Glyph ') as told:
        save_plot(results, tmp_path / 'a.png', '$odd {', {})
    assert len(told) == len({str(warning.message) for warning in told}) == 3
    assert imread(tmp_path / 'a.png').shape[0] > 500 and imread(tmp_path / 'a.png').std() > 0.01
