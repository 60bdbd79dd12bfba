# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node `feedforward`."""

from dataclasses import dataclass

from screw_dynamics.common.scalars import require_choice
from screw_dynamics.common.settings import fixed, setting
from screw_dynamics.control.model_parameters import INTERPOLATION, ModelParameters
from screw_dynamics.control.motor_positions import require_motor_positions
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics.effort_format import CONTENTS, EffortFormat
from screw_dynamics.errors import UnknownNameError
from screw_dynamics.model.robot_model import frames_of
from screw_dynamics.trajectory.reference.reference_filter import MAX_ORDER, MIN_ORDER
from screw_dynamics.trajectory.reference.streamed_reference import StreamSettings

LEAST_SPLINE_LEAD = 0.005  # s
SPEED_FACTOR_TYPE = 'control_msgs/SpeedScalingFactor'
OUTPUTS = ('joint_effort', 'joint_trajectory_effort', 'spline')


@dataclass(frozen=True)
class FeedforwardParameters(ModelParameters):
    """Parameters of the node `feedforward`."""

    publish_rate: float = setting(250.0, 'Rate of the output [Hz].', within=(1.0, 1000.0))
    outputs: tuple[str, ...] = fixed(
        (),
        'Topics beside ~/feedforward: joint_effort, reference and effort as JointState; '
        'joint_trajectory_effort, accepted trajectories, densely sampled and with efforts; '
        'spline, the followed motion as polynomials, for a controller that samples it itself '
        '(needs lead_time, the time until the controller has them).',
        choices=OUTPUTS,
    )
    effort_content: str = fixed(
        'full',
        'What the efforts of forwarded trajectories and goals contain: all; all but gravity, for '
        'a robot that adds gravity itself; or gravity only. ~/feedforward has all.',
        choices=CONTENTS,
    )
    trajectory_positions: str = fixed(
        'link',
        'Positions of forwarded trajectories and goals: of the links; or of the motors behind '
        'springs, q + tau/K with velocity and acceleration, for a robot that takes positions '
        'only (needs drives_path). joint_states are then those of the motors, too.',
        choices=('link', 'motor'),
    )
    limits: str = fixed(
        'reject',
        'What to do with trajectories beyond the limits of the URDF (of motions and efforts) '
        'or of drives_path (springs, motors, effort rates), between their samples too: '
        'reject them; slow them down; or retime them, no segment faster than it was sent, and '
        'slow down those that begin in motion. Streams stop before the first sample beyond a '
        'limit. off: publish everything.',
        choices=('reject', 'slow', 'retime', 'off'),
    )
    interpolation: str = fixed('smooth', INTERPOLATION, choices=('smooth', 'jtc'))
    cartesian_frame: str = fixed(
        '',
        'Link that follows the poses of ~/cartesian_trajectory; empty: no such topic (needs '
        'nav_msgs).',
    )
    speed_scaling_unit: str = fixed(
        'factor',
        'Unit of ~/speed_scaling, a std_msgs/Float64: factor (1 is nominal speed, 0 to 2 are '
        f'accepted) or percent (100 is nominal speed); or {SPEED_FACTOR_TYPE}, the type of a '
        'topic with factors.',
        choices=('factor', 'percent', SPEED_FACTOR_TYPE),
    )
    start_state: str = setting(
        'reference',
        'Where a trajectory starts: at the running reference (joint_states where there is none), '
        'at joint_states, or at its first point.',
        choices=('reference', 'joint_states', 'first_point'),
    )
    allow_partial_joints: bool = setting(
        False, 'Accept trajectories that leave out joints; those finish their own motion.'
    )
    allow_nonzero_velocity_at_end: bool = setting(
        False, 'Accept trajectories that still move at their last point; the effort jumps there.'
    )
    hold_time: float = setting(
        -1.0,
        'How long the effort that holds the last position is published after the end of a '
        'trajectory [s]; below 0: for ever.',
        within=(-1.0, 1e6),
    )
    lead_time: float | str = fixed(
        0.0,
        'Sample the reference this far ahead of now [s]: delay to the motors + half the time for '
        'which a command is held; auto: half the period of publish_rate. header.stamp is the '
        'sampled instant.',
        within=(0.0, 1.0),
        choices=('auto',),
    )
    input_timeout: float = setting(
        0.1,
        'Oldest joint_states sample, longest gap of a streamed reference and oldest external '
        'wrench that count [s], by their stamps; less than that of drive_commands, which else '
        'ends a stream before its end is told.',
        within=(0.001, 60.0),
    )
    filter_order: int = setting(
        8,
        'Number of equal lags of the reference filter; the positions become C^(order - 1).',
        name='filter.order',
        within=(MIN_ORDER, MAX_ORDER),
    )
    filter_bandwidth: float = setting(
        5.0,
        'Bandwidth (-3 dB) of the reference filter [Hz]; order 8 delays by 0.38 / bandwidth.',
        name='filter.bandwidth',
        within=(0.1, 200.0),
    )
    stiffness: tuple[float, ...] = setting(
        (),
        'Stiffness of the joints that vary it, in their order [N m/rad or N/m]; empty: that of '
        'drives_path.',
    )
    stiffness_transition: float = setting(
        1.0,
        'How long a change of stiffness takes [s]: a quintic; one that comes while others run is '
        'blended into these, and K stays between all their values.',
        within=(0.01, 60.0),
    )
    resample_period: float = setting(
        0.01,
        'Time between the points of forwarded trajectories and goals [s]; a controller that '
        "interpolates efforts linearly is off by at most max|tau''| resample_period^2 / 8.",
        within=(0.0005, 1.0),
    )
    follow_joint_trajectory: str = fixed(
        '',
        "Action of a controller to which goals of the node's ~/follow_joint_trajectory are "
        'forwarded, densely sampled and with their efforts; empty: no action (needs '
        'control_msgs).',
    )
    hold_after_stop: bool = fixed(
        False,
        'Send the controller of follow_joint_trajectory a goal of one point, with the effort of '
        'its position, where it has stopped after a cancel or a violated tolerance.',
    )
    autostart: bool = fixed(
        True, 'Configure and activate as soon as there is a robot model, if not done by hand.'
    )

    @property
    def lead(self) -> float:
        """How far ahead of now the reference is sampled [s]."""
        held = isinstance(self.lead_time, str)
        return 0.5 / self.publish_rate if held else float(self.lead_time)

    @property
    def stream_settings(self) -> StreamSettings:
        """Settings of the streamed references."""
        return StreamSettings(self.input_timeout, self.filter_order, self.filter_bandwidth)

    @property
    def effort_format(self) -> EffortFormat:
        """Efforts of forwarded trajectories."""
        return EffortFormat(require_choice('content', self.effort_content, CONTENTS))

    @property
    def controller_executes(self) -> bool:
        """Whether a controller executes the motion in its own time."""
        others = self.interpolation == 'jtc' or bool(self.follow_joint_trajectory)
        return others or 'spline' in self.outputs

    @property
    def forwards(self) -> bool:
        """Whether a controller gets the motions, or executes them by itself."""
        return self.controller_executes or 'joint_trajectory_effort' in self.outputs

    @property
    def leads_speed(self) -> bool:
        """Whether the node leads its own speed to another one, which no controller scales."""
        return not self.controller_executes

    @property
    def of_motors(self) -> bool:
        """Whether positions of the controller are those of motors behind springs."""
        return self.trajectory_positions == 'motor'

    def require_joints(self, robot: Robot) -> None:
        """Raise InputError if the values do not fit the links and motors of a robot."""
        if self.of_motors:
            require_motor_positions(robot)
        frames = frames_of(robot.model)
        if self.cartesian_frame and self.cartesian_frame not in frames:
            raise UnknownNameError(
                'link', self.cartesian_frame, frames, "parameter 'cartesian_frame'"
            )

    def check(self) -> None:
        """Raise InputError if the values are not consistent with each other."""
        super().check()
        smooth, controller = self.interpolation == 'smooth', self.follow_joint_trajectory
        if self.cartesian_frame:
            expected = 'smooth with cartesian_frame (a spline does not follow poses)'
            self._expect(smooth, 'interpolation', expected)
            expected = 'none with cartesian_frame (poses need rigid links)'
            self._expect(not self.soft_segments, 'soft_segments', expected)
        if controller:
            expected = 'smooth with follow_joint_trajectory (it executes what the node sends)'
            self._expect(smooth, 'interpolation', expected)
        else:
            expected = 'false without follow_joint_trajectory'
            self._expect(not self.hold_after_stop, 'hold_after_stop', expected)
        expected = 'reject or off with interpolation: jtc, which has the times of the controller'
        self._expect(smooth or self.limits in ('reject', 'off'), 'limits', expected)
        expected = 'reject, slow or off with soft_segments'
        self._expect(not self.soft_segments or self.limits != 'retime', 'limits', expected)
        if not self.drives_path:
            expected = 'no value without drives_path'
            self._expect(not self.stiffness, 'stiffness', expected)
        if self.of_motors:
            self._check_motors()
        if 'spline' in self.outputs:
            expected = 'no spline with follow_joint_trajectory, whose controller has the motion'
            self._expect(not controller, 'outputs', expected)
            expected = (
                f'at least {LEAST_SPLINE_LEAD:g} s with the output spline, the time until the '
                'controller has a spline'
            )
            self._expect(self.lead >= LEAST_SPLINE_LEAD, 'lead_time', expected)

    def _check_motors(self) -> None:
        """Raise InputError if the positions of motors are not known, or go nowhere."""
        forwards = 'joint_trajectory_effort' in self.outputs or self.follow_joint_trajectory
        for right, reason in (
            (self.drives_path, 'without drives_path'),
            (forwards, 'without follow_joint_trajectory or the output joint_trajectory_effort'),
            (self.interpolation == 'smooth', 'with interpolation: jtc, whose jerks jump'),
        ):
            self._expect(right, 'trajectory_positions', f'link {reason}')
