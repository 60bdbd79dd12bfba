# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""How commands end, and how parameters and models change while they are sent."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.drive_rig import MIT, PERIOD, TICK, Rig, rated, rest, steps

import screw_dynamics as sd
from screw_dynamics.control.drive_records import State
from screw_dynamics.control.report import OK
from screw_dynamics.errors import InputError

STOOD = np.array([0.6, 0.2])


@pytest.fixture(scope='module')
def model():
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


class TestEnd:
    """Commands end by themselves, and say so."""

    def test_old_samples_and_those_out_of_order_are_dropped(self, model):
        rig = Rig(model)
        rig.hold(STOOD, 0.4)
        assert rig.step(rig.sample(rest(STOOD), ahead=-PERIOD)) is None
        assert rig.step(rig.sample(rest(STOOD), ahead=-(10**9))) is None
        assert rig.step(rig.sample(rest(STOOD), ahead=2 * 10**9)) is None
        _, report, values = rig.core.report()
        assert (values['out of order'], values['too old']) == (1, 2)
        assert report == 'active'

    def test_samples_ahead_are_those_of_a_lead_time(self, model):
        rig = Rig(model)
        assert rig.send(rest(STOOD), ahead=10**9 // 2) is not None

    def test_a_jump_of_the_clock_ends_them(self, model):
        rig = Rig(model)
        rig.hold(STOOD, 0.4)
        rig.now -= 50 * 10**9
        rig.core.forget('Moved backwards in time')
        rig.step()
        assert rig.core.state is State.RAMP_OUT
        rig.silent(0.5)
        assert not rig.published[-1][1].any()
        assert rig.hold(STOOD, 0.1)[0] is not None

    def test_shutting_down_is_for_good(self, model):
        rig = Rig(model)
        rig.hold(STOOD, 0.4)
        rig.core.shut_down()
        rig.step()
        assert rig.outputs.busy
        rows = [row for row in rig.hold(STOOD, 0.5) if row is not None]
        assert not rows[-1].any() and not rig.outputs.busy
        assert rig.send(rest(STOOD)) is None

    def test_a_ramp_that_is_interrupted_is_no_step(self, model):
        rig = Rig(model)
        rows = rig.hold(STOOD, 0.4)
        rows += [row for _, row in rig.silent(0.3)]
        assert rig.core.state is State.RAMP_OUT
        rows += rig.hold(STOOD, 0.4)
        assert steps(rows).max() <= 1.875 * np.abs(rows[-1]).max() * 1.05 * TICK / 0.25

    def test_no_duration_is_at_once(self, model):
        rig = Rig(model, ramp_time=0.0)
        held = sd.gravity_forces(model, STOOD)
        np.testing.assert_allclose(rig.send(rest(STOOD))[0], held, rtol=0.0, atol=1e-12)
        [(_, last)] = rig.silent(0.5)
        np.testing.assert_array_equal(last, 0.0)


class TestChanges:
    """Parameters and models change while commands are sent."""

    def test_gains_lead_to_their_values(self, model):
        rig = Rig(model, **MIT)
        rig.measured = STOOD
        rows = rig.hold(STOOD, 0.4)
        rig.change(kp=(200.0, 10.0))
        rows += rig.hold(STOOD, 0.4)
        assert steps(rows, 2)[0] <= 1.875 * 180.0 * TICK / 0.25
        np.testing.assert_array_equal(rows[-1][2], [200.0, 10.0])

    def test_gains_beyond_the_largest_are_refused(self, model):
        rig = Rig(model, **MIT)
        with pytest.raises(InputError, match='at most 500, of largest_gains'):
            rig.change(kp=(501.0, 1.0))

    def test_another_model_has_other_limits(self, model):
        rig = Rig(model)
        rig.hold(STOOD, 0.4)
        rig.core.change_robot(sd.Robot(model, rated(1.0)))
        rig.step()
        rows = rig.hold(STOOD, 0.4)
        rig.load[1] = 2.0
        rows += rig.hold(STOOD, 0.4)
        assert steps(rows).max() <= 1.0 * TICK * (1.0 + 1e-5)
        assert rig.core.report().level == OK
        other = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
        rig.core.change_robot(sd.Robot(other))
        rig.step()
        assert 'The limits stay as they are' in rig.heard()[-1]

    @pytest.mark.parametrize(
        ('settings', 'text'),
        [
            ({'fields': ()}, "'fields': expected some of"),
            ({'fields': ('effort', 'effort')}, "'fields': expected some of"),
            ({'kp': (1.0,)}, 'no value without kp in fields'),
            ({'servo_damping': (1.0,)}, 'none without stiffness'),
            ({'fields': ('effort', 'position'), 'servo_stiffness': (1.0,)}, 'and not effort'),
            ({'effort_scale': (0.0, 1.0)}, 'no factor of 0'),
            ({'effort_scale': (1.0,)}, '2 values, one for each of joint_1, joint_2, got 1'),
        ],
    )
    def test_settings_that_do_not_fit_are_refused(self, model, settings, text):
        with pytest.raises(InputError, match=text):
            Rig(model, **settings)
