# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of `generate_c` for wrong arguments, and names in C."""

from __future__ import annotations

from dataclasses import replace

import pytest

import screw_dynamics as sd


@pytest.fixture(scope='module')
def model():
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        ({'prefix': '2arm'}, "prefix: expected a name in C, got '2arm'"),
        ({'prefix': 'double'}, "prefix: expected a name in C, got 'double'"),
        ({'order': -1}, 'order: expected a whole number of 0 or more, got -1'),
        ({'quantities': ['mass']}, "each once, got 'mass'"),
        ({'quantities': ['mass_matrix'] * 2}, "each once, got 'mass_matrix' twice"),
        ({'quantities': []}, 'quantities: expected at least one, got none'),
        ({'frames': ['tool']}, 'frames: expected together with frame_pose or frame_jacobian'),
        ({'quantities': ['frame_pose']}, 'frames: expected together with frame_pose'),
        ({'representation': 'none'}, 'representation: expected one of '),
    ],
)
def test_wrong_arguments_are_refused(model, arguments, text):
    with pytest.raises(sd.errors.InputError, match='^(?!.*\n)') as caught:
        sd.generate_c(model, **arguments)
    assert text in str(caught.value)


@pytest.mark.parametrize('wrong', [None, 'my_robot.urdf', 'soft'])
def test_other_models_are_refused(model, wrong):
    if wrong == 'soft':
        wrong = sd.soft.append_segments(model, sd.share_path('config/soft_finger.yaml'))
    with pytest.raises(sd.errors.InputError, match='^model: expected a ScrewModel, got '):
        sd.generate_c(wrong)


def test_unknown_frames_are_refused(model):
    with pytest.raises(sd.errors.UnknownNameError, match='frames: '):
        sd.generate_c(model, quantities=['frame_pose'], frames=['nothing'])


def test_frames_must_differ_in_c(model):
    tool = model.frames['tool']
    other = replace(model, frames={**model.frames, 'a/b': tool, 'a b': tool})
    with pytest.raises(sd.errors.InputError, match='frames: .* got a_b twice'):
        sd.generate_c(other, quantities=['frame_pose'], frames=['a/b', 'a b'])


def test_names_of_joints_cannot_end_a_comment(model):
    other = replace(model, joint_names=('a*/ int b;', 'größe\n'))
    header = sd.generate_c(other).header
    assert '0 a* / int b; [rad]' in header and '1 gr??e? [rad]' in header
