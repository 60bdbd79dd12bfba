# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main function of the node `load_observer`."""

import sys
from functools import partial

from screw_dynamics.nodes.load_observer.node import NAME, LoadObserverNode
from screw_dynamics.nodes.load_observer.parameters import LoadObserverParameters
from screw_dynamics.nodes.shared.executor import run_node

main = partial(
    run_node,
    LoadObserverNode,
    NAME,
    purpose='Estimates external efforts and wrenches from joint states, and detects contacts.',
    parameters=LoadObserverParameters,
)

if __name__ == '__main__':
    sys.exit(main())
