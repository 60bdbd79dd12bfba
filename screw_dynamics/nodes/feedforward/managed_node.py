# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ManagedNode`: lifecycle node that survives invalid requests and failed transitions."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rclpy.action import ActionClient, ActionServer
from rclpy.lifecycle import LifecycleNode

from screw_dynamics.nodes.shared.endpoints import steady_timer

_RETIREMENT = 0.5  # s until an action is destroyed, for what it has sent last


class ManagedNode(LifecycleNode):
    """A lifecycle node that logs impossible requests on ~/change_state, where rclpy raises."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        service = self._service_change_state
        self.made: dict[Any, Callable[[Any], object]] = {}  # by `making`
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
        if self._retired and self.context.ok():
            time.sleep(_RETIREMENT)  # for results and requests to cancel that were sent last
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
    def making(self) -> Iterator[None]:
        """Keep what is created in the block, but for timers, in `made`."""
        before = self._entities()
        try:
            yield
        finally:
            every = self._entities()
            self.made = {one: destroy for one, destroy in every.items() if one not in before}

    def _entities(self) -> dict[Any, Callable[[Any], object]]:
        """Return all endpoints of the node, each with the function that destroys it."""
        actions = [one for one in self.waitables if isinstance(one, (ActionClient, ActionServer))]
        kinds: tuple[tuple[Iterable[Any], Callable[[Any], object]], ...] = (
            (self.publishers, self.destroy_publisher),
            (self.subscriptions, self.destroy_subscription),
            (self.services, self.destroy_service),
            (actions, self._retire),
        )
        return {one: destroy for entities, destroy in kinds for one in entities}

    def destroy_made(self) -> None:
        """Destroy what is in `made`."""
        made, self.made = self.made, {}
        for one, destroy in made.items():
            destroy(one)

    def _retire(self, action: Any) -> None:
        """
        Destroy a server or client of actions soon.

        The events executor crashes if messages arrive for one that has just been destroyed.
        """
        self._retired.append(action)
        self._retirement.reset()

    def _destroy_retired(self) -> None:
        self._retirement.cancel()
        while self._retired:
            self._retired.pop().destroy()
