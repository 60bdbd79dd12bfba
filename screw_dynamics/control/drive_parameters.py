# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node `drive_commands`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.settings import fixed, setting, unexpected
from screw_dynamics.control.model_parameters import FileParameters
from screw_dynamics.dynamics.effort_format import CONTENTS

FIELDS = ('position', 'velocity', 'effort', 'kp', 'kd')
SIDES = ('joints', 'motors', 'rotors')
_LISTS = 'kp', 'kd', 'servo_stiffness', 'servo_damping', 'effort_scale', 'effort_offset'


@dataclass(frozen=True)
class DriveCommandsParameters(FileParameters):
    """Parameters of the node `drive_commands`; its joints are those of the samples."""

    # what is as in the description
    robot_description: ClassVar[str] = ''
    joints: ClassVar[tuple[str, ...]] = ()
    joint_prefix: ClassVar[str] = ''
    base_link: ClassVar[str] = ''
    tip_link: ClassVar[str] = ''
    gravity: ClassVar[tuple[float, ...]] = (0.0, 0.0, -9.81)
    payload_mass: ClassVar[float] = 0.0
    payload_words: ClassVar[str] = ''
    model_settings: ClassVar[tuple[object, ...]] = ()

    fields: tuple[str, ...] = fixed(
        ('effort',), 'Fields of the commands, in their order.', choices=FIELDS
    )
    topics: str = fixed(
        'together',
        'together: all fields on ~/commands, one row after the other; apart: each on a topic of '
        'its own, as forward_command_controller takes them: ~/commands (effort), '
        '~/position_commands, ~/velocity_commands, ~/kp_commands, ~/kd_commands.',
        choices=('together', 'apart'),
    )
    content: str = fixed(
        'joints',
        'What is commanded: joints; motors of elastic joints, on the joint side of the gear; or '
        'their rotors (positions and velocities times the gear ratio, efforts divided by it).',
        choices=SIDES,
    )
    effort_content: str = fixed(
        'full',
        'What the efforts contain: all; all but gravity, for a robot that adds gravity itself; '
        'or gravity only. Limits see all.',
        choices=CONTENTS,
    )
    effort_scale: tuple[float, ...] = fixed(
        (),
        'Factor from the effort of each joint or motor to the value of its drive, negative where '
        'the drive counts in the opposite sense; empty: 1.',
    )
    effort_offset: tuple[float, ...] = fixed(
        (), 'Added to the value of each drive, after the scale; empty: 0.'
    )
    ramp_time: float = setting(
        0.25,
        'How long commands take where they begin, where they end, and to what is not the motion '
        'itself: payload, wrench, speed, model, gains [s]; 0: as fast as limits of rates allow.',
        within=(0.0, 60.0),
    )
    start_tolerance: float = setting(
        0.05,
        'Commands with positions or velocities begin only if every joint is measured within this '
        'distance of the reference [rad or m].',
        within=(1e-6, 1e3),
    )
    follow: str = setting(
        'auto',
        'What to do where a joint is measured farther from where it is sent than start_tolerance, '
        '0.05 s of its velocity and what springs and servos deflect: stop the commands, or warn; '
        'auto: stop where positions are sent, warn with efforts or velocities alone. off: do not '
        'look.',
        choices=('auto', 'stop', 'warn', 'off'),
    )
    safety_topic: str = fixed(
        '',
        'std_msgs/Bool of the robot, true where it may move; while it is false, was not received '
        'or has no publisher, commands are led out, and ~/enable is needed again. Empty: none.',
    )
    input_timeout: float = setting(
        0.2,
        'Oldest samples and joint_states that count [s]; without samples for this time, as where '
        'a process has died or a network is lost, commands are led to rest.',
        within=(1e-3, 10.0),
    )
    kp: tuple[float, ...] = setting(
        (),
        'Field kp, per joint or motor, in the unit of the drive (N m/rad or N/m).',
        within=(0.0, np.inf),
    )
    kd: tuple[float, ...] = setting(
        (),
        'Field kd, per joint or motor, in the unit of the drive (N m s/rad or N s/m).',
        within=(0.0, np.inf),
    )
    largest_gains: tuple[float, ...] = fixed(
        (500.0, 5.0),
        'Largest kp and kd that the drives take; more is refused.',
        size=2,
        within=(0.0, np.inf),
    )
    servo_stiffness: tuple[float, ...] = fixed(
        (),
        'Kp of position servos, per joint or motor [N m/rad or N/m]: their position commands '
        "become q + (tau + d q') / Kp; empty: q.",
        within=(1e-6, 1e9),
    )
    servo_damping: tuple[float, ...] = fixed(
        (),
        'Damping d of position servos, per joint or motor [N m s/rad or N s/m]; empty: 0.',
        within=(0.0, 1e9),
    )
    servo_limit: float = setting(
        0.15,
        "Largest (tau + d q') / Kp [rad or m]; a motion beyond it stops. Position limits are "
        'those of q: the command of a servo may be beyond one by this much.',
        within=(1e-6, 1e3),
    )
    limits: str = setting(
        'stop',
        'stop: nothing beyond a limit of the URDF or of drives_path is sent, and a motion '
        'beyond one stops until another begins from rest; off: only absurd numbers and steps of '
        'the reference stop.',
        choices=('stop', 'off'),
    )
    publish_joint_state: bool = fixed(
        False, 'Publish what is sent as sensor_msgs/JointState on ~/joint_commands.'
    )

    def check(self) -> None:
        """Raise InputError if the values are not consistent with each other."""
        super().check()
        sent = self.fields
        each_once = sent and len(set(sent)) == len(sent)
        self._expect(each_once, 'fields', f'some of {", ".join(FIELDS)}, each once')
        for name, largest in zip(('kp', 'kd'), self.largest_gains, strict=True):
            gains = getattr(self, name)
            self._expect(name in sent or not gains, name, f'no value without {name} in fields')
            within = max(gains, default=0.0) <= largest
            self._expect(within, name, f'at most {largest:g}, of largest_gains')
        self._expect(0.0 not in self.effort_scale, 'effort_scale', 'no factor of 0')
        known = not self.motors or self.drives_path
        self._expect(known, 'content', 'joints without drives_path')
        if self.servo_stiffness:
            expected = 'position and not effort with servo_stiffness (positions carry the effort)'
            self._expect('position' in sent and 'effort' not in sent, 'fields', expected)
            expected = 'no value with effort_scale or effort_offset (servos take positions)'
            scaled = self.effort_scale or self.effort_offset
            self._expect(not scaled, 'servo_stiffness', expected)
        else:
            self._expect(not self.servo_damping, 'servo_damping', 'none without stiffness')

    def require(self, joints: Sequence[str], names: Sequence[str]) -> None:
        """Raise InputError unless lists have a value for each of the joints or motors `names`."""
        required = {name for name in ('kp', 'kd') if name in self.fields}
        for name in _LISTS:
            values = getattr(self, name)
            if len(values) != len(names) and (values or name in required):
                expected = f'{len(names)} values, one for each of {", ".join(names)}'
                raise unexpected(name, expected, len(values) or 'none')
        if self.effort_content != 'full' and len(joints) != len(names):
            raise unexpected(
                'effort_content',
                f'full unless each joint has one motor, got {", ".join(names)}',
                self.effort_content,
            )

    @property
    def moves(self) -> bool:
        """True if the commands have positions or velocities."""
        return bool({'position', 'velocity'} & set(self.fields))

    @property
    def stops_away(self) -> bool:
        """True if commands stop where the robot does not follow."""
        return self.follow == 'stop' or (self.follow == 'auto' and 'position' in self.fields)

    @property
    def motors(self) -> bool:
        """True if the commands are those of motors."""
        return self.content != 'joints'

    def gains(self, m: int) -> Array:
        """Return kp and kd (2, m); 0 if they are not sent."""
        gains = np.zeros((2, m))
        for row, values in zip(gains, (self.kp, self.kd), strict=True):
            row[:] = values or (0.0,)
        return gains
