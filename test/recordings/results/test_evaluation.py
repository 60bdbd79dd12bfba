# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`evaluate` and `plot`: numbers of a curve by name, and their figure."""

from __future__ import annotations

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ShapeError

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
        drawn = {
            axis.get_title(loc='left'): [
                line.get_ydata() for line in axis.lines if len(line.get_xdata()) == 251
            ]
            for axis in figure.axes
        }
        for name, values in (
            ('snap', found.joint_jet[:, 4]),
            ('torque, second derivative', found.effort_jet[:, 2]),
            ('motor torque', found.motors.values[:, 3]),
        ):
            np.testing.assert_array_equal(drawn[name], values.T)
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
