# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node `load_observer`."""

from dataclasses import dataclass

from screw_dynamics.common.settings import fixed, setting
from screw_dynamics.control.model_parameters import EffortParameters
from screw_dynamics.dynamics.effort_format import MEASURED_CONTENTS
from screw_dynamics.errors import InputError

_MOST = 1e9


@dataclass(frozen=True)
class LoadObserverParameters(EffortParameters):
    """Parameters of the node `load_observer`."""

    effort_content: str = fixed(
        'full',
        'What the efforts of joint_states contain: full; without_gravity, all but g(q), as '
        "Universal Robots report them; external, loads from outside, as the robot's own model "
        'tells them.',
        choices=MEASURED_CONTENTS,
    )
    check_efforts: bool = fixed(
        True,
        'Compare efforts at rest with those of gravity: the first pose that another '
        'effort_content or effort_sign explains four times better is warned of, after three they '
        'are refused.',
    )

    bandwidth: tuple[float, ...] = setting(
        (50.0,),
        'Rate at which external efforts are followed [1/s], for all joints or for each: 2 pi '
        'times the cut-off frequency in Hz.',
        within=(1e-3, 1e6),
    )
    effort_deviation: tuple[float, ...] = setting(
        (),
        'Standard deviation of measured efforts [N m or N], for all joints or for each; empty: 0.',
        within=(0.0, _MOST),
    )
    velocity_deviation: tuple[float, ...] = setting(
        (),
        'Standard deviation of measured velocities [rad/s or m/s], for all joints or for each; '
        'empty: 0.',
        within=(0.0, _MOST),
    )
    effort_source: str = fixed(
        'joint_states',
        'What the efforts of springs come from: the effort of joint_states, or the deflection '
        'between motor_states and joint_states.',
        choices=('joint_states', 'motor_states'),
    )
    timeout: float = setting(
        0.2,
        'Longest time between joint states; beyond it the observer begins anew [s]. Also the '
        'largest between them and motor_states.',
        within=(1e-3, 3600.0),
    )
    wrench_frame: str = fixed(
        '',
        'Link whose wrench is estimated, in its axes and at its origin; empty: none.',
        name='wrench.frame',
    )
    wrench_components: str = setting(
        'all',
        'Whether the wrench has torque and force (all; 6 joints or more) or is a force alone.',
        name='wrench.components',
        choices=('all', 'force'),
    )
    floor: tuple[float, ...] = setting(
        (1.0,),
        'External effort that friction and others leave [N m or N], for all joints or for each. A '
        'contact begins at floor + deviations * (standard deviation) + model_error * (size of the '
        'modelled efforts).',
        name='contact.floor',
        within=(1e-6, _MOST),
    )
    deviations: float = setting(
        5.0,
        'Standard deviations of the noise below the threshold of a contact.',
        name='contact.deviations',
        within=(0.0, 1e3),
    )
    model_error: float = setting(
        0.05,
        'Relative error of masses and inertias below the threshold of a contact.',
        name='contact.model_error',
        within=(0.0, 1.0),
    )
    release: float = setting(
        0.5,
        'Part of the threshold below which a contact ends.',
        name='contact.release',
        within=(1e-3, 1.0),
    )
    hold: float = setting(
        0.1,
        'Time below that level after which a contact ends [s].',
        name='contact.hold',
        within=(0.0, 3600.0),
    )

    kept_samples: int = fixed(
        60000,
        'Joint states since the last gap that are kept for ~/identify, the newest ones: 60000 '
        'are a minute at 1 kHz, and occupy 7 MB for 7 joints.',
        within=(100, 10_000_000),
    )

    def check(self) -> None:
        """Raise InputError if the values are not consistent with each other."""
        super().check()
        expected = 'none, as loads on rigid robots are observed'
        self._expect(not self.soft_segments, 'soft_segments', expected)
        if self.effort_source == 'motor_states':
            expected = 'joint_states with effort_content external'
            self._expect(self.effort_content != 'external', 'effort_source', expected)
            expected = 'joint_states without drives_path'
            self._expect(self.drives_path, 'effort_source', expected)
        for name, values in (('bandwidth', self.bandwidth), ('contact.floor', self.floor)):
            if not values:
                raise InputError(f'parameter {name!r}: expected one value or one per joint')
