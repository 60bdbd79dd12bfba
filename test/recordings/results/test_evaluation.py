# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`evaluate` and `plot`: numbers of a curve by name, and their figure; topics of results."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import BagError, InputError, ShapeError
from screw_dynamics.recordings.results.results_from_bag import one_topic

ARM = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
DRIVE = sd.JointDrive(sd.LinearSpring(200.0), sd.Motor(rotor_inertia=0.1))
ROBOT = sd.Robot(ARM, sd.Drives(dict.fromkeys(ARM.joint_names, DRIVE)))
CURVE = sd.trajectory.through(ARM, [0.0, 1.0], [[0.0, 0.0], [0.8, -0.5]])


def test_numbers_are_those_of_the_functions():
    found = sd.evaluate(ROBOT, CURVE)
    jets = CURVE.jets(found.times)
    assert (found.times[0], found.times[-1], len(found.times)) == (0.0, 1.0, 251)
    np.testing.assert_array_equal(found.joint_jet, jets)
    np.testing.assert_array_equal(found.effort_jet, sd.inverse_dynamics(ARM, jets))
    motors = sd.elastic_feedforward(ROBOT, jets, times=found.times)
    assert found.motors is not None
    np.testing.assert_array_equal(found.motors.values[:, 3], motors.motor_effort)
    column = found.columns()['joint_2.effort_ddot [N m/s^2]']
    np.testing.assert_array_equal(column, found.effort_jet[:, 2, 1])
    assert 'max |effort_dot| [N m/s]' in str(found).replace('\n', ' ')


def test_arguments_are_checked():
    with pytest.raises(InputError, match='curve: expected a PiecewisePolynomial, got ndarray'):
        sd.evaluate(ARM, np.zeros((5, 5, 2)))
    with pytest.raises(ShapeError, match='curve: expected shape 7 joints, got 2'):
        sd.evaluate(sd.read_urdf(sd.share_path('urdf/iiwa14.urdf')), CURVE)
    with pytest.raises(InputError, match='times: expected increasing ones'):
        sd.evaluate(ARM, CURVE, [0.0, 0.0])


def test_a_curve_and_its_evaluation_have_the_same_figure():
    pyplot = pytest.importorskip('matplotlib.pyplot', reason='figures need matplotlib')
    pyplot.switch_backend('agg')
    found = sd.evaluate(ROBOT, CURVE)
    for motion in (CURVE, found):
        figure = sd.plot(ROBOT, motion, title='arm')
        assert figure.get_suptitle() == 'arm' and len(figure.axes) == 5 + 3 + 5
        drawn = [
            line.get_ydata()
            for axis in figure.axes
            for line in axis.lines
            if len(line.get_xdata()) == 251
        ]
        jets = found.joint_jet, found.effort_jet, found.motors.values
        expected = np.concatenate([jet.transpose(1, 2, 0).reshape(-1, 251) for jet in jets])
        np.testing.assert_array_equal(drawn, expected)
    with pytest.raises(InputError, match='motion: expected a curve, or the result of evaluate'):
        sd.plot(ARM, found.joint_jet)
    with pytest.raises(InputError, match='joint_7, got joint_1, joint_2'):
        sd.plot(sd.read_urdf(sd.share_path('urdf/iiwa14.urdf')), found)
    pyplot.close('all')


def test_figures_of_motors_have_times():
    pyplot = pytest.importorskip('matplotlib.pyplot', reason='figures need matplotlib')
    pyplot.switch_backend('agg')
    times = np.linspace(0.0, 1.0, 11)
    motors = sd.elastic_feedforward(ROBOT, CURVE.jets(times), times=times)
    axes = motors.plot('effort')
    assert axes.get_xlabel() == 'time [s]'
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ['joint_1', 'joint_2']
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), times)
    pyplot.close('all')


@pytest.mark.parametrize(
    ('quantity', 'label'),
    [('effort', 'N m'), ('position', 'rad'), ('motor_effort', 'N m'), ('deflection', 'rad')],
)
def test_figures_of_one_quantity_have_its_unit(quantity, label):
    pyplot = pytest.importorskip('matplotlib.pyplot', reason='figures need matplotlib')
    pyplot.switch_backend('agg')
    assert f'[{label}]' in sd.evaluate(ROBOT, CURVE).plot(quantity).get_ylabel()
    pyplot.close('all')


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_the_share_of_a_limit_is_that_of_the_side_which_is_nearer(sign):
    pyplot = pytest.importorskip('matplotlib.pyplot', reason='figures need matplotlib')
    pyplot.switch_backend('agg')
    curve = sd.trajectory.through(ARM, [0.0, 1.0], [[0.0, 0.0], [sign * 2.0, 0.0]])
    titles = [axis.get_title(loc='right') for axis in sd.plot(ARM, curve).axes]
    share = 100.0 * 2.0 / ARM.limits.upper[0]
    assert ARM.limits.lower[0] == -ARM.limits.upper[0]
    assert titles[0] == f'joint_1: {share:.3g} % of its limit'
    pyplot.close('all')


def test_a_topic_is_the_only_one_of_its_type_with_messages():
    kind, other = 'sensor_msgs/msg/JointState', 'std_msgs/msg/Float64'

    def topic(**counted):
        types = {'states': kind, 'more': kind, 'value': other}
        topics = {name: SimpleNamespace(type=types[name], count=n) for name, n in counted.items()}
        return one_topic(SimpleNamespace(path='bag', topics=topics), [kind], None)

    assert topic(states=3, more=0, value=2) == 'states'
    with pytest.raises(BagError, match='choose by --topic one of .*: states, more$'):
        topic(states=3, more=1)
    text = r'^bag: expected a topic of type JointState, it holds value \(std_msgs/msg/Float64\)$'
    with pytest.raises(BagError, match=text):
        topic(value=2)
