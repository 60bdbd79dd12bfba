# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the commands for drives: fields, gains, position servos, side of the gear."""

from dataclasses import dataclass

import numpy as np

from screw_dynamics.control.model_parameters import EffortParameters
from screw_dynamics.control.parameters import parameter
from screw_dynamics.errors import InputError
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import JET_ROWS

FIELDS = ('position', 'velocity', 'effort', 'kp', 'kd')


@dataclass(frozen=True)
class CommandParameters(EffortParameters):
    """Parameters of a node that commands drives."""

    publish_commands: bool = parameter(
        False, 'Publish command_fields as std_msgs/Float64MultiArray on ~/commands.'
    )
    commands_content: str = parameter(
        'link_efforts',
        'What ~/commands carries: the efforts that reach the links and the positions of the '
        'links, or those of the motors of elastic joints, see motor_side.',
        choices=('link_efforts', 'motor_efforts'),
    )
    command_fields: tuple[str, ...] = parameter(
        ('effort',),
        'Fields of the commands, in their order.',
        choices=FIELDS,
        read_only=True,
    )
    command_topics: str = parameter(
        'together',
        'together: all fields on ~/commands, one row after the other; apart: each on a topic of '
        'its own, as forward_command_controller takes them: ~/commands (effort), '
        '~/position_commands, ~/velocity_commands, ~/kp_commands, ~/kd_commands.',
        choices=('together', 'apart'),
        read_only=True,
    )
    command_start_tolerance: float = parameter(
        0.05,
        'Commands with positions begin only within this distance of fresh joint_states from the '
        'reference, in every joint [rad or m].',
        within=(1e-6, 1e3),
    )
    ramp_time: float = parameter(
        0.25,
        'How long ~/commands take from 0 to the efforts where they begin, and back where they '
        'end or a new payload or model changes them [s]; 0: at once.',
        within=(0.0, 60.0),
    )
    mit_kp: tuple[float, ...] = parameter(
        (),
        'Field kp, per joint or motor, in the unit of the drive (N m/rad or N/m).',
        numbers=True,
        within=(0.0, np.inf),
    )
    mit_kd: tuple[float, ...] = parameter(
        (),
        'Field kd, per joint or motor, in the unit of the drive (N m s/rad or N s/m).',
        numbers=True,
        within=(0.0, np.inf),
    )
    mit_largest_gains: tuple[float, ...] = parameter(
        (500.0, 5.0),
        'Largest kp and kd that the drives take; more is refused.',
        size=2,
        read_only=True,
        within=(0.0, np.inf),
    )
    servo_stiffness: tuple[float, ...] = parameter(
        (),
        'Kp of position servos, per joint or motor [N m/rad or N/m]: their position commands '
        "become q + (tau + d q') / Kp; empty: q.",
        numbers=True,
        read_only=True,
        within=(1e-6, 1e9),
    )
    servo_damping: tuple[float, ...] = parameter(
        (),
        'Damping d of position servos, per joint or motor [N m s/rad or N s/m]; empty: 0.',
        numbers=True,
        read_only=True,
        within=(0.0, 1e9),
    )
    servo_offset_limit: float = parameter(
        0.15,
        "Largest (tau + d q') / Kp [rad or m]; beyond it the commands stop.",
        within=(1e-6, 1e3),
    )
    publish_motor_state: bool = parameter(
        False,
        'Publish positions, velocities and efforts of the motors as sensor_msgs/JointState on '
        '~/motor_effort.',
        read_only=True,
    )
    motor_side: str = parameter(
        'joint',
        'Side of the gear on which ~/motor_effort and motor commands count.',
        choices=('joint', 'rotor'),
        read_only=True,
    )

    @property
    def commands(self) -> str:
        """Contents of ~/commands; empty if there are none."""
        return self.commands_content if self.publish_commands else ''

    @property
    def needs_rates(self) -> bool:
        """True if commands carry time derivatives of efforts."""
        return bool(self.servo_stiffness) and 'velocity' in self.command_fields

    def check_commands(self) -> None:
        """Raise InputError if the values of the commands are not consistent with each other."""
        fields = self.command_fields
        if not fields or len(set(fields)) < len(fields):
            raise _unexpected('command_fields', 'at least one field, each once', list(fields))
        for field, largest in zip(('kp', 'kd'), self.mit_largest_gains, strict=True):
            gains = getattr(self, f'mit_{field}')
            if field not in fields and gains:
                raise _unexpected(
                    f'mit_{field}', f'no value without {field} in command_fields', gains
                )
            if max(gains, default=0.0) > largest:
                expected = f'at most {largest:g}, the largest of mit_largest_gains'
                raise _unexpected(f'mit_{field}', expected, gains)
        if self.servo_stiffness:
            self._check_servos()
        elif self.servo_damping:
            raise _unexpected(
                'servo_damping', 'no value without servo_stiffness', self.servo_damping
            )
        if self.elastic_joints_path:
            return
        for name, plain in _WITHOUT_MOTORS.items():
            value = getattr(self, name)
            if value != plain:
                raise _unexpected(name, f'{plain} without elastic_joints_path', value)

    def _check_servos(self) -> None:
        fields, format_ = self.command_fields, self.effort_format
        if 'position' not in fields or 'effort' in fields:
            raise _unexpected(
                'command_fields',
                'position and not effort with servo_stiffness (the positions carry the effort)',
                list(fields),
            )
        if (format_.gains != 1.0).any():
            raise _unexpected(
                'servo_stiffness',
                'no value with effort_sign or effort_scale other than 1 (servos take positions)',
                self.servo_stiffness,
            )

    def require_joints(self, robot: Robot) -> None:
        """Raise InputError if the values do not fit the joints and motors of a robot."""
        super().require_joints(robot)
        motors = self.commands_content == 'motor_efforts'
        names = robot.motors.names if motors else robot.joint_names
        required = {f'mit_{field}' for field in ('kp', 'kd') if field in self.command_fields}
        for name in ('mit_kp', 'mit_kd', 'servo_stiffness', 'servo_damping'):
            values = getattr(self, name)
            if len(values) != len(names) and (values or name in required):
                raise _unexpected(
                    name,
                    f'{len(names)} values, one for each of {", ".join(names)}',
                    len(values) or 'none',
                )
        if motors and self.needs_rates and robot.required_rows == JET_ROWS:
            raise _unexpected(
                'command_fields',
                'no velocity with servo_stiffness and motor_efforts of elastic joints, whose '
                'rates references do not determine',
                list(self.command_fields),
            )


_WITHOUT_MOTORS = {
    'commands_content': 'link_efforts',
    'motor_side': 'joint',
    'publish_motor_state': False,
}


def _unexpected(name: str, expected: str, got: object) -> InputError:
    shown = list(got) if isinstance(got, tuple) else got
    return InputError(f'parameter {name!r}: expected {expected}, got {shown}')
