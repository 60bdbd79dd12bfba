# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Permission`: whether commands of drives may be sent."""

from screw_dynamics.control.inputs import Enable
from screw_dynamics.errors import InputError


class Permission:
    """
    What is asked for by ~/enable, and what a topic of the robot says, if there is one.

    Once the topic is false or nobody publishes it, it takes both to begin again.
    """

    def __init__(self, topic: str = '') -> None:
        self._topic, self._asked = topic, True
        self.safe = not topic  # false until it is received

    @property
    def granted(self) -> bool:
        """Whether commands may be sent."""
        return self._asked and self.safe

    def ask(self, wanted: bool) -> Enable:
        """Take over what is asked for; raise InputError where it is not safe."""
        if wanted and not self.safe:
            raise InputError(
                f'expected true on the safety topic {self._topic}, got false or nothing'
            )
        self._asked = wanted
        return Enable(self.granted, '~/enable is false')

    def hear(self, safe: bool) -> Enable:
        """Take over what the topic says."""
        return self._set_safe(safe, 'is false')

    def lost(self) -> Enable:
        """Take over that nobody publishes the topic."""
        return self._set_safe(False, 'has no publisher')

    def _set_safe(self, safe: bool, reason: str) -> Enable:
        self.safe = safe
        self._asked = self._asked and safe
        return Enable(self.granted, f'{self._topic} {reason}')
