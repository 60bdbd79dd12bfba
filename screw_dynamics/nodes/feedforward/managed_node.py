# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ManagedNode`: lifecycle node that survives invalid requests and failed transitions."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rclpy.lifecycle import LifecycleNode


class ManagedNode(LifecycleNode):
    """A lifecycle node that logs impossible requests on ~/change_state, where rclpy raises."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        service = self._service_change_state
        self._change_state = service.callback
        service.callback = self._on_change_state

    @property
    def state(self) -> str:
        """Label of the current state."""
        label: str = self._state_machine.current_state[1]
        return label

    def destroy_node(self) -> None:
        """Destroy the node and its state machine, which rclpy leaves with its DDS entities."""
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
        """Destroy publishers, subscriptions and services created in the block if it raises."""
        destroy = {
            'publishers': self.destroy_publisher,
            'subscriptions': self.destroy_subscription,
            'services': self.destroy_service,
        }
        before = {kind: set(getattr(self, kind)) for kind in destroy}
        try:
            yield
        except BaseException:
            for kind, function in destroy.items():
                for entity in set(getattr(self, kind)) - before[kind]:
                    function(entity)
            raise
