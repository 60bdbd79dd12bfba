# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ManagedNode`: lifecycle node that survives invalid requests and failed transitions."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from rclpy.action import ActionClient, ActionServer
from rclpy.lifecycle import LifecycleNode

from screw_dynamics.nodes.shared.endpoints import steady_timer

_RETIREMENT = 0.5  # s until an action is destroyed
# s for what was sent last, before it is destroyed with the node: what a receiver has not taken by
# then is lost
_LAST_WORDS = 0.1
_LAST_RESULT = 0.5  # which nobody acknowledges
_LAST_ANSWER = 2.0  # at most, of a server to a request to cancel
_LOOK = 0.01


class ManagedNode(LifecycleNode):
    """A lifecycle node that logs impossible requests on ~/change_state, where rclpy raises."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        service = self._service_change_state
        self.made: dict[Any, Callable[[Any], object]] = {}  # by `making`
        self._retired: list[Any] = []
        self._retirement = steady_timer(self, _RETIREMENT, self._on_retirement)
        self._retirement.cancel()
        self._retired_at = 0.0  # s, the last of them
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
            self._await_receivers()
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
        self._retired_at = time.monotonic()
        self._retirement.reset()

    def _on_retirement(self) -> None:
        """Destroy retired actions; a client stays while its controller is still to be stopped."""
        late = time.monotonic() > self._retired_at + _LAST_ANSWER
        self._destroy_retired([] if late else [one for one in self._retired if _unanswered(one)])

    def _await_receivers(self) -> None:
        """Wait until requests to cancel and results have arrived; no executor spins any more."""
        now = time.monotonic()
        told = max(getattr(action, 'told', -math.inf) for action in self._retired)
        quiet, latest = max(now + _LAST_WORDS, told + _LAST_RESULT), now + _LAST_ANSWER
        unanswered = {action: _unanswered(action) for action in self._retired}
        while self.context.ok() and (now <= quiet or (now <= latest and any(unanswered.values()))):
            time.sleep(_LOOK)
            now = time.monotonic()
            for action, numbers in unanswered.items():
                _leave_unanswered(action, numbers)

    def _destroy_retired(self, kept: Sequence[Any] = ()) -> None:
        if not kept:
            self._retirement.cancel()
        retired, self._retired = self._retired, list(kept)
        for action in retired:
            if action not in kept:
                action.destroy()


def _unanswered(action: Any) -> set[int]:
    """Return the numbers of unanswered requests to cancel; they are private in rclpy."""
    if not isinstance(action, ActionClient) or not action.server_is_ready():
        return set()
    requests = getattr(action, '_pending_cancel_requests', {})
    return {number for number, future in requests.items() if not future.done()}


def _leave_unanswered(client: ActionClient, numbers: set[int]) -> None:
    """Remove what has been answered, as rclpy takes it, or all where the server is gone."""
    if not numbers:
        return
    if not client.server_is_ready():
        numbers.clear()
        return
    with suppress(AttributeError, TypeError):
        response = client._action_type.Impl.CancelGoalService.Response
        number, _ = client._client_handle.take_cancel_response(response)
        numbers.discard(number)
