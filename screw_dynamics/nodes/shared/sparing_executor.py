# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SparingExecutor`: a single-threaded executor whose waits for ticks cost little."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Coroutine
from contextlib import ExitStack, suppress
from typing import Any, TypeAlias

from rclpy.context import Context
from rclpy.event_handler import EventHandler
from rclpy.exceptions import InvalidHandle
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.utilities import timeout_sec_to_nsec
from rclpy.waitable import NumberOfEntities

# s: events of endpoints, such as an incompatible QoS, are looked for during _LOOK of every _LOOKS
_LOOK, _LOOKS = 0.02, 1.0
_Taker: TypeAlias = Callable[[Any], Callable[[], Coroutine[Any, Any, None]] | None]
_Ready: TypeAlias = tuple[_Taker, Any]  # and the timer or subscription
_KINDS = ('subscription', 'client', 'service')


class SparingExecutor(SingleThreadedExecutor):
    """
    A single-threaded executor that keeps its wait set and calls timers and subscriptions itself.

    rclpy prepares everything anew for each wait, and waits twice per callback: of a node with
    ticks at 1 kHz that is most of the cost. Here only what is neither a timer nor a subscription
    is left to rclpy, and so are all callbacks while a coroutine is suspended. Events of endpoints,
    of which every publisher and subscription has some, are waited for once in a while: an event
    lasts until it is taken.
    """

    def __init__(self, *, context: Context | None = None) -> None:
        self._kept: _KeptWait | None = None
        self._changed = True
        super().__init__(context=context)
        self._looks, self._next_look = True, 0.0

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Wait for callbacks and execute those of ready timers and subscriptions, or another."""
        now = time.monotonic()
        self._looks = now < self._next_look - _LOOKS + _LOOK
        if now >= self._next_look:
            self._looks, self._next_look = True, now + _LOOKS
        if self._looks or self._suspended:
            super().spin_once(timeout_sec)
            return
        kept = self._prepared()
        others = kept.wait(timeout_sec_to_nsec(timeout_sec))
        if not self._context.ok():
            raise ExternalShutdownException
        for take, entity in kept.ready:
            execute = take(entity)
            if execute is not None:
                with suppress(StopIteration):  # the end of a coroutine that waits for nothing
                    execute().send(None)
        if others:
            super().spin_once(0.0)

    @property
    def _suspended(self) -> bool:
        """True if tasks are not done: new ones, or callbacks that wait for something."""
        return any(not (task.done() or task.cancelled()) for task, _, _ in self._tasks)

    def can_execute(self, entity: Any) -> bool:
        """Return True if an entity is to be waited for."""
        if not self._looks and isinstance(entity, EventHandler):
            return False
        return bool(super().can_execute(entity))

    def wake(self) -> None:
        """Wake the executor because entities were created or destroyed."""
        self._changed = True
        super().wake()

    def add_node(self, node: Node) -> bool:
        """Add a node; return False if it was there already."""
        self._changed = True
        return bool(super().add_node(node))

    def remove_node(self, node: Node) -> None:
        """Remove a node."""
        super().remove_node(node)
        self._release()

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """Stop executing callbacks and release all entities."""
        done = super().shutdown(timeout_sec)
        self._release()
        return bool(done)

    def _release(self) -> None:
        self._changed = True
        if self._kept is not None:
            self._kept.release()
            self._kept = None

    def _prepared(self) -> _KeptWait:
        if self._kept is None or self._changed:
            self._release()
            self._changed = False  # before the entities are read: they may change meanwhile
            takers = self._take_timer, self._take_subscription
            guards = [self._guard, self._sigint_gc]
            self._kept = _KeptWait(self.get_nodes(), takers, guards, self._context)
        return self._kept


class _KeptWait:
    """
    A wait for the entities of some nodes, which are in use until `release` is called.

    `takers` return what a ready timer or subscription has to call, `guards` only wake. `ready` are
    the timers and subscriptions found by the last wait, each with its taker.
    """

    def __init__(
        self,
        nodes: list[Node],
        takers: tuple[_Taker, _Taker],
        guards: list[Any],
        context: Context,
    ) -> None:
        self.ready: list[_Ready] = []
        self._used = ExitStack()
        self._direct: dict[int, _Ready] = {}  # by pointer
        self._guards: dict[int, Any] = {}
        lists: list[list[Any]] = [[], [], [], [], []]
        subscriptions, conditions, timers, clients, services = lists
        self._waitables: list[Any] = []
        for node in nodes:
            timers += self._in_use(node.timers, takers[0])
            subscriptions += self._in_use(node.subscriptions, takers[1])
            clients += self._in_use(node.clients)
            services += self._in_use(node.services)
            conditions += self._in_use(node.guards)
            self._guards.update((one.handle.pointer, one) for one in node.guards)
            self._waitables += [one for one in node.waitables if not isinstance(one, EventHandler)]
        conditions += self._in_use(guards)
        count = NumberOfEntities(*map(len, lists))
        for waitable in self._waitables:
            self._used.enter_context(waitable)
            count += waitable.get_num_entities()
        self._used.enter_context(context.handle)
        sizes = (getattr(count, name) for name in count.__slots__)
        self._set = rclpy_implementation.WaitSet(*sizes, context.handle)
        adders = ('subscription', 'guard_condition', 'timer', 'client', 'service')
        self._adders = [
            (getattr(self._set, f'add_{kind}'), handle)
            for kind, handles in zip(adders, lists, strict=True)
            for handle in handles
        ]

    def _in_use(self, entities: Any, taker: _Taker | None = None) -> list[Any]:
        """Return the handles of entities, which are not destroyed until `release`."""
        handles = []
        for entity in entities:
            try:
                self._used.enter_context(entity.handle)
            except InvalidHandle:  # destroyed already
                continue
            handles.append(entity.handle)
            if taker is not None and not inspect.iscoroutinefunction(entity.callback):
                self._direct[entity.handle.pointer] = taker, entity
        return handles

    def wait(self, nanoseconds: int) -> bool:
        """Wait; set `ready` and return True if something else is ready, too."""
        self._set.clear_entities()
        for add, handle in self._adders:
            add(handle)
        for waitable in self._waitables:
            waitable.add_to_wait_set(self._set)
        self._set.wait(nanoseconds)
        ready, self.ready = self._set.get_ready_entities, []
        pointers = ready('timer')
        for kind in _KINDS:
            pointers += ready(kind)
        others = False
        for pointer in pointers:
            found = self._direct.get(pointer)
            if found is None:
                others = True
            else:
                self.ready.append(found)
        for pointer in ready('guard_condition'):
            guard = self._guards.get(pointer)
            if guard is not None:
                guard._executor_triggered = others = True  # as rclpy does: the wait has reset it
        return others

    def release(self) -> None:
        """Let the entities be destroyed."""
        self._used.close()
