# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of nodes that do not go together with soft segments; payload and gravity of these."""

from __future__ import annotations

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InputError

FINGER = str(sd.share_path('config/soft_finger.yaml'))


@pytest.mark.parametrize(
    ('other', 'text'),
    [
        ({'elastic_joints_path': 'springs.yaml'}, "parameter 'soft_segments': expected no file"),
        (
            {'cartesian_frame': 'tool'},
            "parameter 'soft_segments': expected none with cartesian_frame",
        ),
    ],
)
def test_parameters_of_rigid_robots_are_refused(other, text):
    from screw_dynamics.control.feedforward_parameters import FeedforwardParameters

    with pytest.raises(InputError, match=text):
        FeedforwardParameters(soft_segments=FINGER, **other).check()


def test_the_load_observer_refuses_them():
    from screw_dynamics.nodes.load_observer.parameters import LoadObserverParameters

    with pytest.raises(InputError, match="parameter 'soft_segments': expected none"):
        LoadObserverParameters(soft_segments=FINGER).check()


def test_gravity_and_payload_are_those_of_the_whole_robot(planar, rng):
    from screw_dynamics.control.model_parameters import ModelParameters
    from screw_dynamics.nodes.shared.loaded_robot import load_robot, read_soft_segments

    parameters = ModelParameters(
        soft_segments=FINGER, gravity=(1.0, 2.0, 3.0), payload_frame='tool', payload_mass=0.5
    )
    segments = read_soft_segments(FINGER)
    model = load_robot(planar.read_text(), 'test', parameters, segments=segments).robot.model
    jet = rng.normal(size=(5, 4))
    arm = sd.read_urdf(planar, gravity=(1.0, 2.0, 3.0)).with_payload('tool', 0.5)
    expected = sd.inverse_dynamics(sd.soft.append_segments(arm, FINGER), jet)
    np.testing.assert_allclose(sd.inverse_dynamics(model, jet), expected, rtol=0, atol=1e-12)


def test_segments_that_do_not_fit_the_robot_name_the_parameter(gripper):
    from screw_dynamics.control.model_parameters import ModelParameters
    from screw_dynamics.nodes.shared.loaded_robot import load_robot, read_soft_segments

    parameters = ModelParameters(soft_segments=FINGER)
    with pytest.raises(InputError, match=r"parameter 'soft_segments': .*"):
        load_robot(gripper.read_text(), 'test', parameters, segments=read_soft_segments(FINGER))
    with pytest.raises(InputError, match="parameter 'soft_segments': expected a file, got 'no"):
        read_soft_segments('no.yaml')
