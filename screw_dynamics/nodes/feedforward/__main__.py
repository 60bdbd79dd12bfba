# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main function of the node `feedforward`."""

import sys
from functools import partial

from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.nodes.feedforward.node import NAME, FeedforwardNode
from screw_dynamics.nodes.shared.executor import run_node

main = partial(
    run_node,
    FeedforwardNode,
    NAME,
    purpose='Follows a JointTrajectory, or a stream of references, and publishes the efforts '
    'that it takes with their first and second time derivatives.',
    parameters=FeedforwardParameters,
)

if __name__ == '__main__':
    sys.exit(main())
