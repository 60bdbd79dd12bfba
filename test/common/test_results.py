# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Results as tables, figures, data sets and frames."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from oracles import two_links

import screw_dynamics as sd
from screw_dynamics.common.figures import COLOURS, figure_format, line_style, save_panels
from screw_dynamics.common.findings import Finding, by_weight
from screw_dynamics.common.quantities import EFFORTS, MOTION, MOTORS
from screw_dynamics.common.results import SampledResult, Samples, optional_library
from screw_dynamics.errors import InputError, UnknownNameError


@pytest.fixture(scope='module')
def motion():
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    return sd.simulate(model, np.linspace(0.0, 0.2, 5), [0.3, -0.2])


def test_results_are_datasets_and_frames_with_names(motion):
    pytest.importorskip('xarray')
    data, frame = motion.to_xarray(), motion.to_dataframe()
    assert data.position.dims == ('time', 'joint', 'derivative')
    velocity = data.position.sel(joint='joint_2', derivative=1)
    np.testing.assert_array_equal(velocity, motion.velocity[:, 1])
    np.testing.assert_array_equal(frame['position', 1, 'joint_2'], motion.velocity[:, 1])
    assert frame.index.name == 'time' and (frame.index == motion.times).all()
    motors = sd.elastic_feedforward(
        sd.Robot(two_links.model(), sd.Drives({})), np.zeros((3, 5, 2))
    ).to_xarray()
    # positions have more derivatives than efforts, which are NaN beyond
    assert motors.motor_effort.dims == ('sample', 'motor', 'derivative')
    assert np.isnan(motors.motor_effort[0, 0]).sum() == np.isnan(motors.motor_position).sum() + 2


def test_records_are_frames(motion):
    pytest.importorskip('pandas')
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    report = sd.check_feasibility(model, np.zeros((1, 3, 2)), [0.0])
    frame = report.to_dataframe()
    assert list(frame.limit) == [check.limit for check in report.checks]


def test_figures_have_a_labelled_line_per_joint(motion):
    pyplot = pytest.importorskip('matplotlib.pyplot')
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    axes = sd.trajectory.through(model, [0.0, 1.0], [[0, 0], [1, 2]]).plot(derivative=2)
    assert axes.get_ylabel() == 'acceleration [(rad or m)/s^2]'
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ['joint_1', 'joint_2']
    assert motion.plot('motor_position', ax=axes) is motion.plot(axes) is axes
    assert len(axes.lines) == 6
    np.testing.assert_array_equal(axes.lines[3].get_ydata(), motion.motor_position[:, 1])
    with pytest.raises(UnknownNameError, match='quantity'):
        motion.plot('torque')
    with pytest.raises(InputError, match='quantity: expected a name, got 3'):
        motion.plot(3)
    with pytest.raises(InputError, match="ax: expected Axes of matplotlib, got 'here'"):
        motion.plot('position', ax='here')
    with pytest.raises(InputError, match='derivative: expected 0 to 1 of position, got 2'):
        motion.plot(derivative=2)
    pyplot.close('all')


def test_notebooks_show_tables(motion):
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    assert '<th>lower\N{NO-BREAK SPACE}[rad]</th>' in model._repr_html_()
    shown = motion._repr_html_()
    assert f'<td>{motion.position[:, 1].min():.4g} to ' in shown and '<td>joint_2</td>' in shown
    assert 'joint_2' in str(motion)
    drive = sd.JointDrive(sd.LinearSpring(150.0), sd.Motor(0.1, gear_ratio=50.0))
    robot = sd.Robot(model, sd.Drives({'joint_1': drive}))
    cells = ('joint_1', 'LinearSpring', '0.1', '50')
    assert ''.join(f'<td>{cell}</td>' for cell in cells) in robot._repr_html_()
    arc = sd.soft.PlanarConstantCurvature(0.5, 0.01, 0.2, 0.1, 0.05)
    assert '<td>PlanarConstantCurvature</td>' in sd.soft.SoftRobot([arc])._repr_html_()


@pytest.mark.parametrize(
    ('package', 'method'),
    [('pandas', 'to_dataframe'), ('xarray', 'to_xarray'), ('matplotlib', 'plot')],
)
def test_missing_libraries_are_named(motion, monkeypatch, package, method):
    for name in [name for name in sys.modules if name.split('.')[0] == package] + [package]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match=f"'{package}': pip install {package}"):
        getattr(motion, method)()


class Drawn(SampledResult):
    """Samples without times and names."""

    def __init__(self, values):
        self.values = np.array(values)

    def __repr__(self):
        return 'drawn <1>'

    def _samples(self):
        return None, {'motor_position': Samples(self.values, 'rad')}


def test_samples_without_times_and_names_have_numbers():
    pytest.importorskip('pandas')
    pytest.importorskip('xarray')
    pyplot = pytest.importorskip('matplotlib.pyplot')
    found = Drawn([[[-1e-17, 0.0], [0, 0]], [[1.0, -2.0], [0, 0]]])
    lines = str(found).splitlines()
    assert lines[0] == 'drawn <1>' and lines[1] == 'joint  motor position [rad]'
    assert lines[2:] == ['0      0 to 1', '1      -2 to 0']  # without errors of rounding
    assert '<p>drawn &lt;1&gt;</p><table><thead><tr><th>joint</th>' in found._repr_html_()
    assert str(Drawn(np.empty((0, 1, 1)))).endswith('0      -')
    assert found.to_xarray().motor_position.dims == ('sample', 'joint', 'derivative')
    assert found.to_dataframe().index.tolist() == [0, 1]
    axes = found.plot(derivative=1)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ('sample', 'motor velocity [rad/s]')
    assert axes.lines[0].get_xdata().tolist() == [0, 1]
    pyplot.close('all')


def test_a_library_that_fails_by_itself_is_not_missing(monkeypatch, tmp_path):
    (tmp_path / 'half.py').write_text('import other_half')
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'other_half'"):
        optional_library('half', 'plot')
    monkeypatch.setitem(sys.modules, 'pinocchio', None)
    with pytest.raises(ModuleNotFoundError, match=r"'pinocchio': pip install pin \(extra 'more'"):
        optional_library('pinocchio', 'more')


def test_units_of_quantities():
    assert [row.derivative for row in MOTION] == [0, 1, 2, 3, 4]
    assert [row.unit(False) for row in MOTION[:3]] == ['rad', 'rad/s', 'rad/s^2']
    assert [row.unit(True) for row in EFFORTS] == ['N', 'N/s', 'N/s^2']
    assert [row.unit(None) for row in (MOTION[4], EFFORTS[0])] == ['(rad or m)/s^4', 'N m or N']
    assert [row.typeset_unit(False) for row in (*MOTORS[:3], EFFORTS[2])] == [
        'rad',
        'rad/s',
        'rad/s²',
        'N m/s²',
    ]
    assert EFFORTS[1].column('a', True, '.sd') == 'a.effort_dot.sd [N/s]'
    assert MOTION[0].column('a', None) == 'a.position'


def test_lines_of_figures_are_distinct_and_panels_have_room(tmp_path):
    matplotlib = pytest.importorskip('matplotlib')
    styles = [line_style(i) for i in range(29)]
    assert styles[28] == styles[0] and styles[7] == {'color': COLOURS[0], 'linestyle': '--'}
    assert len({tuple(style.values()) for style in styles}) == 28
    sizes = []
    for rows in (1, 3):
        path = tmp_path / 'a.svg'
        save_panels(path, rows, '$odd {', lambda shown: sizes.append(shown.get_size_inches()))
    assert (sizes[1] - sizes[0]).tolist() == [0.0, 3.0]
    assert (tmp_path / 'a.svg').read_text().startswith('<?xml')
    assert matplotlib.rcParams['font.size'] == 10.0  # of users
    assert figure_format(tmp_path / 'a') == 'png' and figure_format(tmp_path / 'a.PDF') == 'pdf'
    with pytest.raises(InputError, match=r'a\.doc: expected the name of a figure file, ending in'):
        figure_format(tmp_path / 'a.doc')


def test_the_gravest_finding_comes_first():
    kinds = [('remark', 0.9), ('odd', 0.1), ('wrong', 0.0), ('odd', 0.4), ('left out', 0.0)]
    found = by_weight([Finding('kind', level, (), '', share) for level, share in kinds])
    assert [(one.level, one.explains) for one in found] == [
        ('wrong', 0.0),
        ('left out', 0.0),
        ('odd', 0.4),
        ('odd', 0.1),
        ('remark', 0.9),
    ]
