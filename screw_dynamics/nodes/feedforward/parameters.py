# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node `feedforward`."""

from dataclasses import dataclass

from screw_dynamics.control.model_parameters import INTERPOLATION
from screw_dynamics.control.parameters import parameter
from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.nodes.feedforward.command_parameters import CommandParameters
from screw_dynamics.nodes.feedforward.feedback_parameters import FeedbackParameters
from screw_dynamics.reference.reference_filter import MAX_ORDER, MIN_ORDER
from screw_dynamics.reference.streamed_reference import StreamSettings
from screw_dynamics.robot import Robot

LEAST_SPLINE_LEAD = 0.005  # s
SPEED_FACTOR_TYPE = 'control_msgs/SpeedScalingFactor'


@dataclass(frozen=True)
class FeedforwardParameters(CommandParameters, FeedbackParameters):
    """Parameters of the node `feedforward`."""

    mode: str = parameter(
        'feedforward',
        'feedforward: the efforts of a reference at a fixed rate; compensate: those that carry '
        'the measured robot, at every sample of joint_states.',
        choices=('feedforward', 'compensate'),
        read_only=True,
    )
    compensate_coriolis: bool = parameter(
        False, 'In mode compensate, add the Coriolis forces at the measured velocities.'
    )
    publish_rate: float = parameter(250.0, 'Rate of the output [Hz].', within=(1.0, 1000.0))
    derivative_order: int = parameter(
        2, 'Highest time derivative of the effort that is published.', within=(0, 2)
    )
    interpolation: str = parameter(
        'smooth', INTERPOLATION, choices=('smooth', 'jtc'), read_only=True
    )
    cartesian_frame: str = parameter(
        '',
        'Link that follows the poses of ~/cartesian_trajectory; empty: no such topic (needs '
        'nav_msgs).',
        read_only=True,
    )
    sync: str = parameter(
        'none',
        'Clock of a trajectory: that of this node, or the trajectory time that '
        'joint_trajectory_controller reports on ~/controller_state (needs control_msgs).',
        choices=('none', 'controller_state'),
        read_only=True,
    )
    sync_tolerance: float = parameter(
        0.1,
        'Largest difference of the trajectory times that is corrected [s]; beyond it the '
        'controller executes something else.',
        within=(0.001, 10.0),
    )
    sync_position_tolerance: float = parameter(
        0.1,
        "Largest distance of the controller's reference from the motion, at its trajectory time "
        '[rad or m]; beyond it the controller executes something else.',
        within=(1e-6, 1e3),
    )
    sync_timeout: float = parameter(
        0.2,
        'How long the motion is published while the controller executes something else, or '
        'reports nothing [s].',
        within=(0.001, 60.0),
    )
    speed_scaling_unit: str = parameter(
        'factor',
        'Unit of ~/speed_scaling: factor (1 is nominal speed, 0 to 2 are accepted) or percent '
        '(100 is nominal speed, 0 to 200).',
        choices=('factor', 'percent'),
    )
    speed_scaling_type: str = parameter(
        'std_msgs/Float64',
        'Type of ~/speed_scaling; control_msgs/SpeedScalingFactor, a factor, needs control_msgs.',
        choices=('std_msgs/Float64', SPEED_FACTOR_TYPE),
        read_only=True,
    )
    start_state: str = parameter(
        'reference',
        'Where a trajectory starts: at the running reference (joint_states where there is none), '
        'at joint_states, or at its first point.',
        choices=('reference', 'joint_states', 'first_point'),
    )
    allow_partial_joints: bool = parameter(
        False, 'Accept trajectories that leave out joints; those hold their last reference.'
    )
    allow_nonzero_velocity_at_end: bool = parameter(
        False, 'Accept trajectories that still move at their last point; the effort jumps there.'
    )
    max_trajectory_points: int = parameter(
        20_000,
        'Longest trajectory that is accepted, in points; the time until it is followed grows '
        'with them.',
        within=(1, 1_000_000),
    )
    check_limits: str = parameter(
        'warn',
        'What to do with trajectories whose positions, velocities or efforts are beyond the '
        'limits of the URDF, or whose motors or springs are beyond theirs, and with streamed '
        'positions; unless off, /diagnostics names the limits that samples exceed. Motor commands '
        'beyond theirs are never published.',
        choices=('off', 'warn', 'reject'),
    )
    output_guard: str = parameter(
        'off',
        'What to do with efforts (of motors without a spring too: with friction and rotors) '
        'beyond the limits of the URDF, and effort rates, springs and motors beyond those of '
        'elastic_joints_path. off: only motor commands stop; stop: reject such trajectories, and '
        'stop the output before the first such sample; slow: slow trajectories down so that '
        'there is none, and stop where that does not help.',
        choices=('off', 'stop', 'slow'),
        read_only=True,
    )
    hold_when_idle: bool = parameter(
        True, 'Go on publishing the effort that holds the last position after the end.'
    )
    idle_timeout: float = parameter(
        0.0,
        'Stop holding the last position after this time [s]; 0: never.',
        within=(0.0, 1e6),
    )
    lead_time: float | str = parameter(
        0.0,
        'Sample the reference this far ahead of now [s]: delay to the motors + half the time for '
        'which a command is held; auto: half the period of publish_rate. header.stamp is the '
        'sampled instant.',
        within=(0.0, 1.0),
        choices=('auto',),
    )
    max_joint_state_age: float = parameter(
        0.5, 'Oldest joint_states sample that counts as fresh [s].', within=(0.001, 60.0)
    )
    max_reference_age: float = parameter(
        0.1,
        'Longest gap in a streamed reference, and largest distance of its stamps from now [s]; '
        'after it the output stops.',
        within=(0.001, 10.0),
    )
    filter_order: int = parameter(
        8,
        'Number of equal lags of the reference filter; the positions become C^(order - 1).',
        name='filter.order',
        within=(MIN_ORDER, MAX_ORDER),
    )
    filter_bandwidth: float = parameter(
        5.0,
        'Bandwidth (-3 dB) of the reference filter [Hz]; order 8 delays by 0.38 / bandwidth.',
        name='filter.bandwidth',
        within=(0.1, 200.0),
    )
    external_wrench_timeout: float = parameter(
        0.1, 'Oldest external wrench that is in force [s].', within=(0.001, 60.0)
    )
    publish_joint_state: bool = parameter(
        False, 'Publish reference and effort as sensor_msgs/JointState on ~/joint_effort.'
    )
    stiffness: tuple[float, ...] = parameter(
        (),
        'Stiffness of the joints that vary it, in their order [N m/rad or N/m]; empty: that of '
        'elastic_joints_path.',
        numbers=True,
    )
    stiffness_transition: float = parameter(
        1.0,
        'How long a change of stiffness takes [s]: a quintic; one that comes while others run is '
        'blended into these, and K stays between all their values.',
        within=(0.01, 60.0),
    )
    publish_trajectory_effort: bool = parameter(
        False,
        'Publish accepted trajectories, densely sampled and with their efforts, on '
        '~/joint_trajectory_effort.',
    )
    publish_spline: bool = parameter(
        False,
        'Publish the followed motion as polynomials on ~/spline, for a controller that samples it '
        'itself; needs lead_time, the time until the controller has them.',
        read_only=True,
    )
    resample_period: float = parameter(
        0.01,
        'Time between the points of forwarded trajectories and goals [s]; a controller that '
        "interpolates efforts linearly is off by at most max|tau''| resample_period^2 / 8.",
        within=(0.0005, 1.0),
    )
    follow_joint_trajectory: str = parameter(
        '',
        "Action of a controller to which goals of the node's ~/follow_joint_trajectory are "
        'forwarded, densely sampled and with their efforts; empty: no action (needs '
        'control_msgs).',
        read_only=True,
    )
    hold_after_stop: bool = parameter(
        False,
        'Send the controller of follow_joint_trajectory a goal of one point, with the effort of '
        'its position, where it has stopped after a cancel or a violated tolerance.',
        read_only=True,
    )
    autostart: bool = parameter(
        True,
        'Configure and activate as soon as there is a robot model, if not done by hand.',
        read_only=True,
    )

    @property
    def period(self) -> float:
        """Time between two ticks [s]."""
        return 1.0 / self.publish_rate

    @property
    def lead(self) -> float:
        """How far ahead of now the reference is sampled [s]."""
        held = isinstance(self.lead_time, str)
        return 0.5 * self.period if held else float(self.lead_time)

    @property
    def stream_settings(self) -> StreamSettings:
        """Settings of the streamed references."""
        return StreamSettings(self.max_reference_age, self.filter_order, self.filter_bandwidth)

    def require_joints(self, robot: Robot) -> None:
        """Raise InputError if the values do not fit the links, joints and motors of a robot."""
        super().require_joints(robot)
        frames = robot.model.frames
        if self.cartesian_frame and self.cartesian_frame not in frames:
            raise UnknownNameError(
                'link', self.cartesian_frame, frames, "parameter 'cartesian_frame'"
            )

    def check(self) -> None:
        """Raise InputError if the values are not consistent with each other."""
        super().check()
        if self.speed_scaling_unit != 'factor' and self.speed_scaling_type == SPEED_FACTOR_TYPE:
            raise InputError(
                f"parameter 'speed_scaling_unit': expected factor with {SPEED_FACTOR_TYPE}, got "
                f'{self.speed_scaling_unit}'
            )
        if self.cartesian_frame and self.interpolation != 'smooth':
            raise InputError(
                "parameter 'interpolation': expected smooth with cartesian_frame (a controller's "
                f'spline does not follow poses), got {self.interpolation}'
            )
        if self.cartesian_frame and self.soft_segments:
            raise InputError(
                "parameter 'cartesian_frame': expected none with soft_segments, got "
                f'{self.cartesian_frame}'
            )
        if self.follow_joint_trajectory and self.interpolation != 'smooth':
            raise InputError(
                "parameter 'interpolation': expected smooth with follow_joint_trajectory (the "
                f'controller executes what the node sends), got {self.interpolation}'
            )
        if self.hold_after_stop and not self.follow_joint_trajectory:
            raise InputError(
                "parameter 'hold_after_stop': expected false without follow_joint_trajectory, got "
                'true'
            )
        self._check_spline()
        self.check_commands()
        if self.output_guard == 'slow':
            for name, needed in (('interpolation', 'smooth'), ('sync', 'none')):
                if getattr(self, name) != needed:
                    raise InputError(
                        f"parameter 'output_guard': expected off or stop with {name}: "
                        f"{getattr(self, name)}, which follows the controller's times, got slow"
                    )
        self.check_feedback(self.mode, self.commands_content)
        if self.stiffness and not self.elastic_joints_path:
            raise InputError(
                "parameter 'stiffness': expected no value without elastic_joints_path, got "
                f'{list(self.stiffness)}'
            )

    def _check_spline(self) -> None:
        """Raise InputError if the followed motion cannot be published as polynomials."""
        if not self.publish_spline:
            return
        for name, needed, reason in (
            ('mode', 'feedforward', 'follows no reference'),
            ('sync', 'none', 'sets the time of the motion at every state of a controller'),
            ('follow_joint_trajectory', '', 'lets another controller execute the motion'),
        ):
            got = getattr(self, name)
            if got != needed:
                raise InputError(
                    f"parameter 'publish_spline': expected false with {name}: {got}, which "
                    f'{reason}, got true'
                )
        if self.lead < LEAST_SPLINE_LEAD:
            raise InputError(
                f"parameter 'lead_time': expected at least {LEAST_SPLINE_LEAD:g} s with "
                'publish_spline, the time until the controller has a spline, got '
                f'{self.lead:g}'
            )
