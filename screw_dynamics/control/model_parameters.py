# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters common to all nodes with a robot model."""

from dataclasses import dataclass

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_choice
from screw_dynamics.common.settings import fixed, setting, unexpected
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics.effort_format import CONTENTS, EffortFormat
from screw_dynamics.errors import InputError
from screw_dynamics.lie.inertia import OF_NO_SOLID, is_of_no_solid

INTERPOLATION = (
    'Curve between trajectory points: smooth is C4 through all that the points carry, jtc the '
    'spline that joint_trajectory_controller executes.'
)


@dataclass(frozen=True)
class FileParameters:
    """Files of a robot."""

    urdf_path: str = fixed(
        '', 'URDF or MJCF file, a path or package://<package>/<path>; empty: the topic.'
    )
    drives_path: str = fixed(
        '',
        'YAML file with motors, friction and springs of the joints, rigid or elastic, a path or '
        'package://<package>/<path>; empty: those of an MJCF, else none.',
    )
    joint_limits_path: str = fixed(
        '',
        'joint_limits.yaml of MoveIt or ros2_control, whose limits replace those of the URDF, a '
        'path or package://<package>/<path>; empty: none.',
    )
    soft_segments: str = fixed(
        '',
        'YAML file with soft segments and threads behind the last link of the chain, a path or '
        'package://<package>/<path>; empty: a rigid robot.',
    )
    diagnostics_period: float = setting(
        1.0, 'Period of /diagnostics [s].', name='diagnostic_updater.period', within=(0.05, 60.0)
    )

    def check(self) -> None:
        """Raise InputError if the values are not consistent with each other."""
        if self.drives_path:
            expected = 'no file beside drives_path'
            self._expect(not self.soft_segments, 'soft_segments', expected)

    def _expect(self, right: object, name: str, expected: str) -> None:
        """Raise InputError with the value of a parameter unless it is right."""
        if not right:
            raise unexpected(name, expected, getattr(self, name))


@dataclass(frozen=True)
class ModelParameters(FileParameters):
    """Parameters of the robot model of a node."""

    joints: tuple[str, ...] = fixed(
        (),
        'Joints, in the order of every array; empty: all independent joints in the order of the '
        'URDF. Joints left out are locked at 0 and their links lumped.',
    )
    joint_prefix: str = fixed(
        '',
        'Prefix of joint names, if one description holds several robots: put before each name in '
        'joints; where that is empty, only joints whose names begin with it are used.',
    )
    base_link: str = fixed('', 'Link whose axes gravity is given in; empty: the root link.')
    tip_link: str = fixed('', 'Last link of the chain; empty: the whole tree below base_link.')
    robot_description: str = fixed(
        '', 'URDF or MJCF text; empty: the topic robot_description (or urdf_path).'
    )
    gravity: tuple[float, ...] = setting(
        (0.0, 0.0, -9.81), 'Gravitational acceleration in axes of base_link [m/s^2].', size=3
    )
    payload_frame: str = setting(
        '', 'Link that carries the payload; empty: no payload.', name='payload.frame'
    )
    payload_mass: float = setting(
        0.0, 'Mass of the payload [kg].', name='payload.mass', within=(0.0, 1e6)
    )
    payload_com: tuple[float, ...] = setting(
        (0.0, 0.0, 0.0),
        'Centre of mass of the payload in payload.frame [m].',
        name='payload.com',
        size=3,
    )
    payload_inertia: tuple[float, ...] = setting(
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        'Inertia of the payload about its centre of mass, in axes of payload.frame: '
        'ixx, ixy, ixz, iyy, iyz, izz [kg m^2].',
        name='payload.inertia',
        size=6,
    )

    @property
    def model_settings(self) -> tuple[object, ...]:
        """Values that require a new model if they change."""
        return (
            self.gravity,
            self.payload_frame,
            self.payload_mass,
            self.payload_com,
            self.payload_inertia,
        )

    @property
    def payload_tensor(self) -> Array:
        """The inertia of the payload (3, 3)."""
        ixx, ixy, ixz, iyy, iyz, izz = self.payload_inertia
        return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])

    @property
    def payload_words(self) -> str:
        """Payload as text for the log; empty without payload."""
        if self.payload_mass == 0.0:
            return ''
        return f'with a payload of {self.payload_mass:g} kg on {self.payload_frame}'

    def check(self) -> None:
        """Raise InputError if the values are not consistent with each other."""
        super().check()
        if self.robot_description and self.urdf_path:
            raise InputError(
                "parameters 'robot_description' and 'urdf_path': expected at most one of them, "
                'got both'
            )
        if self.payload_mass > 0.0 and not self.payload_frame:
            expected = f'a link for the payload of {self.payload_mass:g} kg'
            raise unexpected('payload.frame', expected, 'an empty name')
        if is_of_no_solid(self.payload_tensor):
            got = f'{list(self.payload_inertia)}: {OF_NO_SOLID}'
            raise unexpected('payload.inertia', 'that of a body', got)


@dataclass(frozen=True)
class EffortParameters(ModelParameters):
    """Parameters of a node that sends or measures efforts."""

    effort_content: str = fixed(
        'full',
        'What the efforts contain: full; without_gravity, for robots that add g(q) themselves '
        '(Universal Robots, Franka, KUKA and others: docs/drives.md); or gravity_only. Limits and '
        'springs see the full effort.',
        choices=CONTENTS,
    )
    effort_sign: tuple[float, ...] = fixed(
        (),
        'Sense of the drive of each joint, 1 or -1, in the order of the joints; empty: 1. The '
        'value of a drive is sign scale effort + offset.',
    )
    effort_scale: tuple[float, ...] = fixed(
        (),
        'Factor from the effort of each joint to the value of its drive, above 0, such as '
        '1 / (gear ratio * torque constant) for a current; empty: 1.',
    )
    effort_offset: tuple[float, ...] = fixed(
        (), 'Added to the value of the drive of each joint, after sign and scale; empty: 0.'
    )

    @property
    def effort_format(self) -> EffortFormat:
        """Efforts as the robot takes them."""
        content = require_choice('content', self.effort_content, CONTENTS)
        return EffortFormat(content, self.effort_sign, self.effort_scale, self.effort_offset)

    def check(self) -> None:
        """Raise InputError if the values are not consistent with each other."""
        super().check()
        try:
            _ = self.effort_format
        except InputError as error:
            raise _of_parameter(error) from None

    def require_values(self, robot: Robot) -> None:
        """Raise InputError unless every list is empty or has one value per joint."""
        try:
            self.effort_format.require_joints(robot.joint_names)
        except InputError as error:
            raise _of_parameter(error) from None

    def require_joints(self, robot: Robot) -> None:
        """Raise InputError if the efforts of a robot cannot be sent as the values say."""
        self.require_values(robot)
        if robot.drives is None or self.effort_format.trivial:
            return
        motors = robot.motors.names
        if len(motors) != robot.n:
            expected = 'one motor per joint with other values of effort_* than the defaults'
            raise unexpected('drives_path', expected, f'the motors {", ".join(motors)}')


def _of_parameter(error: InputError) -> InputError:
    """Return an error of a field of `EffortFormat` as one of its parameter."""
    name, _, text = str(error).partition(':')
    return InputError(f"parameter 'effort_{name}':{text}")
