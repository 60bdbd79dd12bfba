# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ManagedNode`: lifecycle node that survives invalid requests and failed transitions."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rclpy.action import ActionClient, ActionServer
from rclpy.lifecycle import LifecycleNode

from screw_dynamics.nodes.shared.endpoints import steady_timer

_RETIREMENT = 0.5  # s until an action is destroyed
_LAST_WORDS = 0.1  # s for what was sent last, before the node is destroyed


class ManagedNode(LifecycleNode):
    """A lifecycle node that logs impossible requests on ~/change_state, where rclpy raises."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        service = self._service_change_state
        self._retired: list[Any] = []
        self._retirement = steady_timer(self, _RETIREMENT, self._destroy_retired)
        self._retirement.cancel()
        self._change_state = service.callback
        service.callback = self._on_change_state

    @property
    def state(self) -> str:
        """Label of the current state."""
        label: str = self._state_machine.current_state[1]
        return label

    def destroy_node(self) -> None:
        """Destroy the node, its actions and its state machine, which rclpy leaves."""
        if self._retired:
            time.sleep(_LAST_WORDS)
            self._destroy_retired()
        try:
            super().destroy_node()
        finally:
            self._state_machine.destroy_when_not_in_use()

    def _on_change_state(self, request: Any, response: Any) -> Any:
        """Execute the requested transition if the current state has it."""
        asked = request.transition
        possible = {
            label: number for number, label, *_ in self._state_machine.available_transitions
        }
        # a label has precedence over the number, as in rclpy
        if asked.label in possible if asked.label else asked.id in possible.values():
            return self._change_state(request, response)
        named = repr(asked.label) if asked.label else f'number {asked.id}'
        listed = ', '.join(f'{label} ({number})' for label, number in possible.items())
        self.get_logger().warning(
            f'~/change_state: expected a transition of the state {self.state} '
            f'({listed or "there is none"}), got {named}: the state stays'
        )
        response.success = False
        return response

    @contextmanager
    def undone_on_error(self) -> Iterator[None]:
        """Destroy what is created in the block, but for timers, if it raises."""
        destroy = {
            'publishers': self.destroy_publisher,
            'subscriptions': self.destroy_subscription,
            'services': self.destroy_service,
        }
        before = {kind: set(getattr(self, kind)) for kind in destroy}
        actions = self._actions()
        try:
            yield
        except BaseException:
            for kind, function in destroy.items():
                for entity in set(getattr(self, kind)) - before[kind]:
                    function(entity)
            self.retire(*(self._actions() - actions))
            raise

    def retire(self, *actions: Any) -> None:
        """
        Destroy servers and clients of actions soon.

        The events executor crashes if messages arrive for one that has just been destroyed, and a
        result that was sent last may be lost. They must not accept goals any more.
        """
        self._retired.extend(actions)
        self._retirement.reset()

    def _destroy_retired(self) -> None:
        self._retirement.cancel()
        retired, self._retired = self._retired, []
        for action in retired:
            action.destroy()

    def _actions(self) -> set[ActionClient | ActionServer]:
        return {one for one in self.waitables if isinstance(one, (ActionClient, ActionServer))}
