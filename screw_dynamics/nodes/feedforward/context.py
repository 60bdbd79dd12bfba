# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FeedforwardContext`: state of the node that its inputs, outputs and reports share."""

from collections.abc import Mapping

from screw_dynamics.errors import InputError
from screw_dynamics.nodes.feedforward.managed_node import ManagedNode
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline
from screw_dynamics.nodes.shared.parameters import NodeParameters

NO_TIME = 'use_sim_time is set and no time has been received on /clock yet'


class FeedforwardContext:
    """The node, its parameters and what changes with its state."""

    def __init__(self, node: ManagedNode) -> None:
        self.node = node
        self.settings = NodeParameters(node, FeedforwardParameters)
        self.pipeline: FeedforwardPipeline | None = None  # unless the node is configured
        self.uncontrolled_joints: Mapping[str, str] = {}  # with the reasons
        self.active = False

    @property
    def parameters(self) -> FeedforwardParameters:
        """The present parameters."""
        return self.settings.values

    @property
    def configured(self) -> FeedforwardPipeline:
        """The pipeline of the configured node."""
        assert self.pipeline is not None
        return self.pipeline

    def now(self) -> int:
        """Return the time of the node [ns]."""
        now: int = self.node.get_clock().now().nanoseconds
        return now

    def following_time(self) -> int:
        """Return `active_time`; raise InputError also if the node follows no reference."""
        if self.parameters.mode != 'feedforward':
            raise InputError(f'mode: {self.parameters.mode} follows no reference')
        return self.active_time()

    def stream_time(self) -> int:
        """Return `following_time`; raise InputError also if streams are not followed."""
        if self.parameters.publish_spline:
            raise InputError('publish_spline: a stream has no spline, and is not followed')
        return self.following_time()

    def active_time(self) -> int:
        """Return the time of the node [ns]; raise InputError if it has none or is not active."""
        if not self.active:
            raise InputError('the node is not active')
        now = self.now()
        if now == 0:
            raise InputError(NO_TIME)
        return now
