# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the feedback around the motor feedforward."""

from dataclasses import dataclass

from screw_dynamics.control.model_parameters import EffortParameters
from screw_dynamics.control.parameters import parameter
from screw_dynamics.errors import InputError


@dataclass(frozen=True)
class FeedbackParameters(EffortParameters):
    """Parameters of a node that adds feedback to motor efforts."""

    feedback_proportional: tuple[float, ...] = parameter(
        (),
        'Feedback of the motor positions on ~/motor_states in motor efforts of ~/commands, per '
        'motor or one value for all [N m/rad or N/m]; empty: none.',
        name='feedback.proportional',
        numbers=True,
        within=(0.0, 1e9),
    )
    feedback_derivative: tuple[float, ...] = parameter(
        (),
        'The same of the motor velocities [N m s/rad or N s/m].',
        name='feedback.derivative',
        numbers=True,
        within=(0.0, 1e9),
    )
    feedback_effort: tuple[float, ...] = parameter(
        (),
        'The same of the efforts of the springs [-].',
        name='feedback.effort',
        numbers=True,
        within=(0.0, 1e3),
    )
    feedback_limit: tuple[float, ...] = parameter(
        (),
        'Largest feedback, per motor or one value for all [N m or N]; required with feedback.',
        name='feedback.limit',
        numbers=True,
        within=(0.0, 1e9),
    )
    feedback_effort_source: str = parameter(
        'springs',
        'Where the efforts of the springs come from: the laws of the springs at the measured '
        'positions of motors and joint_states, or the field effort of ~/motor_states.',
        name='feedback.effort_source',
        choices=('springs', 'motor_states'),
        read_only=True,
    )
    feedback_timeout: float = parameter(
        0.02,
        'Oldest ~/motor_states that are fed back [s]; without them feedback leads to 0.',
        name='feedback.timeout',
        within=(0.001, 1.0),
    )
    feedback_ramp_time: float = parameter(
        0.25,
        'How long feedback takes from 0 where measurements begin, and back where they end, and '
        'how long changes of the gains take [s].',
        name='feedback.ramp_time',
        within=(0.001, 60.0),
    )

    @property
    def feedback_gains(self) -> dict[str, tuple[float, ...]]:
        """Gains and limit of the feedback by parameter."""
        return {
            'feedback.proportional': self.feedback_proportional,
            'feedback.derivative': self.feedback_derivative,
            'feedback.effort': self.feedback_effort,
            'feedback.limit': self.feedback_limit,
        }

    @property
    def has_feedback(self) -> bool:
        """True if any gain of the feedback is not zero."""
        *gains, _ = self.feedback_gains.values()
        return any(map(any, gains))

    def check_feedback(self, mode: str, commands_content: str) -> None:
        """Raise InputError if the feedback is not possible."""
        given = [name for name, values in self.feedback_gains.items() if values]
        if not given:
            return
        if commands_content != 'motor_efforts' or mode != 'feedforward':
            raise InputError(
                f"parameter '{given[0]}': expected no value without mode: feedforward and "
                f'commands_content: motor_efforts, got {mode} and {commands_content}'
            )
        if not self.feedback_limit:
            raise InputError(
                "parameter 'feedback.limit': expected the largest feedback of each motor, or one "
                f'for all, with {given[0]}, got none'
            )
