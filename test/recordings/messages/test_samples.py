# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of efforts and motors as records, without ROS."""

from array import array
from types import SimpleNamespace

import numpy as np
import pytest

from screw_dynamics.errors import InputError
from screw_dynamics.recordings.messages.feedforward import (
    MOTOR_EFFORTS,
    MOTOR_MOTION,
    Course,
    motor_sample,
)


def motors(**fields):
    """Return a MotorFeedforward of two motors; fields that are not given are empty."""
    names = [*MOTOR_MOTION, *MOTOR_EFFORTS, 'deflection', 'gear_ratio']
    given = {name: array('d', fields.pop(name, ())) for name in names}
    stamp = SimpleNamespace(sec=3, nanosec=5)
    known = {'motion': 7, 'jumps': 0, 'state': Course.FOLLOWS, 'reason': ''} | fields
    header = SimpleNamespace(stamp=stamp)
    return SimpleNamespace(header=header, motor_names=['a', 'b'], **given, **known)


def test_motors_have_the_rows_and_ratios_that_are_known():
    known = {name: [d, -d] for d, name in enumerate([*MOTOR_MOTION, *MOTOR_EFFORTS])}
    sample = motor_sample(motors(**known, gear_ratio=[100.0, -50.0]))
    assert (sample.instant, sample.motion) == (3_000_000_005, 7)
    rows = np.concatenate([sample.jet, sample.efforts])
    np.testing.assert_array_equal(rows, list(known.values()))
    np.testing.assert_array_equal(sample.ratios, [100.0, -50.0])
    few = motor_sample(
        motors(**{name: known[name] for name in (*MOTOR_MOTION[:2], 'motor_effort')})
    )
    assert (len(few.jet), len(few.efforts)) == (2, 1)
    assert few.ratios is None and few.deflection is None
    end = motor_sample(motors(state=Course.ENDED, gear_ratio=[0.0, 0.0]))
    assert end.state == Course.ENDED and end.ratios is None


@pytest.mark.parametrize(
    ('fields', 'text'),
    [
        ({'gear_ratio': [0.0, 1.0]}, 'gear_ratio: expected finite numbers other than 0, got'),
        ({'gear_ratio': [1.0, np.inf]}, 'gear_ratio: expected finite numbers other than 0, got'),
        ({'deflection': [1.0]}, 'deflection: expected 2 values, one per name, got 1'),
        ({'motor_velocity': []}, 'motor_velocity: expected 2 values, one per name, got 0'),
    ],
)
def test_what_is_no_motion_of_motors_is_named(fields, text):
    known = dict.fromkeys((*MOTOR_MOTION, *MOTOR_EFFORTS), [0.0, 0.0])
    with pytest.raises(InputError, match=text):
        motor_sample(motors(**known | fields))
