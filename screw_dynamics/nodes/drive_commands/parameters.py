# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node `drive_commands`."""

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from screw_dynamics.control.drive_records import FIELDS, SIDES, DriveSettings
from screw_dynamics.control.parameters import parameter
from screw_dynamics.dynamics.effort_format import CONTENTS
from screw_dynamics.errors import InputError


@dataclass(frozen=True)
class DriveCommandsParameters:
    """Parameters of the node `drive_commands`; its joints are those of the samples."""

    # what a `ModelSource` asks for besides
    robot_description: ClassVar[str] = ''
    joints: ClassVar[tuple[str, ...]] = ()
    joint_prefix: ClassVar[str] = ''
    base_link: ClassVar[str] = ''
    tip_link: ClassVar[str] = ''
    gravity: ClassVar[tuple[float, ...]] = (0.0, 0.0, -9.81)
    payload_mass: ClassVar[float] = 0.0
    payload_words: ClassVar[str] = ''
    model_settings: ClassVar[tuple[object, ...]] = ()

    fields: tuple[str, ...] = parameter(
        ('effort',), 'Fields of the commands, in their order.', choices=FIELDS, read_only=True
    )
    topics: str = parameter(
        'together',
        'together: all fields on ~/commands, one row after the other; apart: each on a topic of '
        'its own, as forward_command_controller takes them: ~/commands (effort), '
        '~/position_commands, ~/velocity_commands, ~/kp_commands, ~/kd_commands.',
        choices=('together', 'apart'),
        read_only=True,
    )
    content: str = parameter(
        'joints',
        'What is commanded: joints; motors of elastic joints, on the joint side of the gear; or '
        'their rotors (positions and velocities times the gear ratio, efforts divided by it).',
        choices=SIDES,
        read_only=True,
    )
    effort_content: str = parameter(
        'full',
        'What the efforts contain: all; all but gravity, for a robot that adds gravity itself; '
        'or gravity only. Limits see all.',
        choices=CONTENTS,
        read_only=True,
    )
    effort_scale: tuple[float, ...] = parameter(
        (),
        'Factor from the effort of each joint or motor to the value of its drive, negative where '
        'the drive counts in the opposite sense; empty: 1.',
        numbers=True,
        read_only=True,
    )
    effort_offset: tuple[float, ...] = parameter(
        (),
        'Added to the value of each drive, after the scale; empty: 0.',
        numbers=True,
        read_only=True,
    )
    ramp_time: float = parameter(
        0.25,
        'How long commands take where they begin, where they end, and to what is not the motion '
        'itself: payload, wrench, speed, model, gains [s]; 0: as fast as limits of rates allow.',
        within=(0.0, 60.0),
    )
    start_tolerance: float = parameter(
        0.05,
        'Commands with positions or velocities begin only if every joint is measured within this '
        'distance of the reference [rad or m].',
        within=(1e-6, 1e3),
    )
    input_timeout: float = parameter(
        0.2,
        'Oldest samples and joint_states that count [s]; without samples for this time commands '
        'are led to rest.',
        within=(1e-3, 10.0),
    )
    kp: tuple[float, ...] = parameter(
        (),
        'Field kp, per joint or motor, in the unit of the drive (N m/rad or N/m).',
        numbers=True,
        within=(0.0, np.inf),
    )
    kd: tuple[float, ...] = parameter(
        (),
        'Field kd, per joint or motor, in the unit of the drive (N m s/rad or N s/m).',
        numbers=True,
        within=(0.0, np.inf),
    )
    largest_gains: tuple[float, ...] = parameter(
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
    servo_limit: float = parameter(
        0.15,
        "Largest (tau + d q') / Kp [rad or m]; a motion beyond it stops. Position limits are "
        'those of q: the command of a servo may be beyond one by this much.',
        within=(1e-6, 1e3),
    )
    limits: str = parameter(
        'stop',
        'stop: nothing beyond a limit of the URDF or of elastic_joints_path is sent, and a motion '
        'beyond one stops until another begins from rest; off: only absurd numbers and steps of '
        'the reference stop.',
        choices=('stop', 'off'),
    )
    publish_joint_state: bool = parameter(
        False,
        'Publish what is sent as sensor_msgs/JointState on ~/joint_commands.',
        read_only=True,
    )
    urdf_path: str = parameter(
        '', 'URDF file, a path or package://<package>/<path>; empty: the topic.', read_only=True
    )
    elastic_joints_path: str = parameter(
        '',
        'YAML file with motors and limits of the joints, a path or package://<package>/<path>; '
        'empty: joints without limits of rates, no motors.',
        read_only=True,
    )
    soft_segments: str = parameter(
        '',
        'YAML file with soft segments and threads behind the last link, a path or '
        'package://<package>/<path>: tensions are published on ~/thread_tensions.',
        read_only=True,
    )
    diagnostics_period: float = parameter(
        1.0, 'Period of /diagnostics [s].', name='diagnostic_updater.period', within=(0.05, 60.0)
    )

    @property
    def settings(self) -> DriveSettings:
        """The settings of the core."""
        return DriveSettings(**{name: getattr(self, name) for name in _SETTINGS})

    def check(self) -> None:
        """Raise InputError if the values are not consistent with each other."""
        if self.settings.motors and not self.elastic_joints_path:
            raise InputError(
                "parameter 'content': expected joints without elastic_joints_path, got "
                f'{self.content}'
            )
        if self.soft_segments and self.elastic_joints_path:
            raise InputError(
                "parameter 'soft_segments': expected no file beside elastic_joints_path, got "
                f'{self.soft_segments}'
            )


_SETTINGS = tuple(item.name for item in fields(DriveSettings))
