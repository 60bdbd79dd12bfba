# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node `sea_simulator`."""

from dataclasses import dataclass

from screw_dynamics.common.settings import fixed, setting, unexpected
from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.errors import InputError


@dataclass(frozen=True)
class SeaSimulatorParameters(ModelParameters):
    """Parameters of the node `sea_simulator`."""

    rate: float = fixed(
        500.0,
        'Rate at which states are published and motor efforts are taken over [Hz].',
        within=(1.0, 10000.0),
    )
    substeps: int = fixed(
        0,
        'Runge-Kutta steps per published state; 0: as many as the fastest vibration of the robot '
        'at the start takes (a step is at most a tenth of its period over 2 pi).',
        within=(0, 100000),
    )
    initial_position: tuple[float, ...] = fixed(
        (),
        'Joint positions at the start [rad or m], in the order of the joints, or one value for '
        'all; empty: zeros. The springs carry the weight of the robot there.',
    )
    input: str = fixed(
        'commands',
        'What drives the motors: Float64MultiArray on ~/commands, or MotorFeedforward on '
        '~/motor_feedforward.',
        choices=('commands', 'motor_feedforward'),
    )
    effort_timeout: float = setting(
        0.1,
        'Motor efforts older than this are no longer in force [s]; 0: they always are. Time that '
        'the simulator leaves out on a busy computer does not age them.',
        within=(0.0, 3600.0),
    )
    idle_mode: str = setting(
        'brake',
        'What happens without motor efforts: brake (the robot stands still at once) or zero (the '
        'motors turn freely).',
        choices=('brake', 'zero'),
    )
    proportional: tuple[float, ...] = setting(
        (),
        'Feedback of the motor position, per motor or one value for all [N m/rad or N/m]; empty: '
        "none. Needs input 'motor_feedforward'.",
        name='feedback.proportional',
        within=(0.0, 1e9),
    )
    derivative: tuple[float, ...] = setting(
        (),
        'Feedback of the motor velocity, per motor or one value for all [N m s/rad or N s/m]; '
        "empty: none. Needs input 'motor_feedforward'.",
        name='feedback.derivative',
        within=(0.0, 1e9),
    )
    effort_delay: float = fixed(
        0.0,
        'Time by which motor efforts take effect late [s], in whole periods of the rate. The '
        'feedback follows the positions of their instant all the same.',
        within=(0.0, 1.0),
    )
    encoder_noise: float = fixed(
        0.0,
        'Standard deviation of the noise of published positions [rad or m].',
        within=(0.0, 1.0),
    )
    publish_clock: bool = fixed(
        False,
        'Publish the simulated time on /clock: it advances in lock-step with the motor efforts, '
        'each step waits for those of its beginning. All other nodes need use_sim_time, and '
        'feedforward the publish_rate that is the rate here. Efforts on ~/commands tell no '
        'instant: late ones count for the step that waits when they arrive.',
    )
    real_time_factor: float = setting(
        1.0,
        'Simulated seconds per second with publish_clock; 0: as fast as possible.',
        within=(0.0, 1000.0),
    )
    lock_step_timeout: float = setting(
        0.5,
        'Longest wait for the motor efforts of a step with publish_clock [s]. Meanwhile the time '
        'is published again every 0.1 s, for clients that have lost it.',
        within=(0.0, 60.0),
    )

    @property
    def has_feedback(self) -> bool:
        """True if any gain is not zero."""
        return any(self.proportional) or any(self.derivative)

    def check(self) -> None:
        """Raise InputError if the values are not consistent with each other."""
        super().check()
        if not self.drives_path:
            expected = 'a file with the springs and motors of the robot'
            raise unexpected('drives_path', expected, 'none')
        if self.has_feedback and self.input != 'motor_feedforward':
            raise InputError(
                "parameters 'feedback.proportional' and 'feedback.derivative': expected none with "
                f'input {self.input!r}, which carries no motor positions'
            )
