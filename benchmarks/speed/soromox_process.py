# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""SoRoMoX as a peer: a chain of planar arcs, timed on request (lines of repeats on stdin)."""

from __future__ import annotations

import os
import sys
import time

os.environ['XLA_FLAGS'] = '--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1'
os.environ['JAX_ENABLE_X64'] = '1'

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from soromox.systems.components import LinkSpec  # noqa: E402
from soromox.systems.pcs import PlanarPCS, PlanarPCSStructure  # noqa: E402


def main() -> None:
    """Print the efforts at ones, then seconds per call for every line."""
    count = int(sys.argv[1])
    length, radius, density = map(float, sys.argv[2:5])
    link = LinkSpec.circular(
        length=length, radius=radius, density=density, reference_strain=[0.0, 1.0, 0.0],
        stiffness=jnp.zeros((3, 3)),
    )  # fmt: skip
    structure = PlanarPCSStructure(
        num_gauss_points=8, scale_rotational_basis_by_length=True,
        strain_selector=jnp.array([True, False, False] * count),
    )  # fmt: skip
    gravity = jnp.array([0.0, -9.81])
    robot = PlanarPCS.from_links([link] * count, structure=structure, gravity=gravity)

    @jax.jit
    def efforts(q, qd, qdd):  # type: ignore[no-untyped-def]
        mass, coriolis, weight = robot.dynamics_terms(q, qd)
        return mass, mass @ qdd + coriolis + weight

    q = jnp.ones(count)
    print(*efforts(q, q, q)[1].tolist(), flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        for _ in range(int(line)):
            jax.block_until_ready(efforts(q, q, q))
        print((time.perf_counter() - start) / int(line), flush=True)


if __name__ == '__main__':
    main()
