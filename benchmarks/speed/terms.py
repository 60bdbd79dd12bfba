# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Terms of one state beside the cheapest equivalents of Pinocchio: calls, batches, growth."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pinocchio
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from benchmarks.report import Report, Requirement, microseconds
from benchmarks.speed.peers import from_chain, iiwa
from benchmarks.timing import race

FIGURES = {'call': 1.3, 'call in a loop': 1.3, 'per sample of a batch': 0.25}
AIMED = {'frame_pose, call': 1.0}
GROWTH = 1.1
BATCH = 4096
SIZES = (28, 112)
_FRAME = 'flange'


class Pair(NamedTuple):
    """A function with its arguments between model and `out`, and Pinocchio's equivalent."""

    own: Callable[..., object]
    arguments: tuple[Any, ...]
    peer: Callable[..., object]
    peer_arguments: tuple[Any, ...]


def pairs(model: sd.ScrewModel, peer: pinocchio.Model, frame: str) -> dict[str, Pair]:
    """Return the functions of states (q, q', q'') and their equivalents."""
    q, qd, qdd = np.random.default_rng(4).uniform(-1.0, 1.0, size=(3, model.n))
    p = pinocchio
    number = peer.getFrameId(frame) if peer.existFrame(frame) else 0
    jet = np.stack([q, qd, qdd])
    return {
        'mass_matrix': Pair(sd.mass_matrix, (q,), p.crba, (q,)),
        'coriolis_matrix': Pair(sd.coriolis_matrix, (q, qd), p.computeCoriolisMatrix, (q, qd)),
        'gravity_forces': Pair(sd.gravity_forces, (q,), p.computeGeneralizedGravity, (q,)),
        'bias_forces': Pair(sd.bias_forces, (q, qd), p.nonLinearEffects, (q, qd)),
        'forward_dynamics': Pair(sd.forward_dynamics, (q, qd, qdd), p.aba, (q, qd, qdd)),
        'frame_pose': Pair(sd.frame_pose, (q, frame), p.framesForwardKinematics, (q,)),
        'frame_jacobian': Pair(
            sd.frame_jacobian, (q, frame, 'body'), p.computeFrameJacobian, (q, number)
        ),
        'frame_twist, to acceleration': Pair(
            sd.frame_twist, (jet, frame, 'body'), p.forwardKinematics, (q, qd, qdd)
        ),
        'control_terms': Pair(
            sd.control_terms, (q, qd, frame, 'body'), _five, (q, qd, number)
        ),
    }  # fmt: skip


def _five(model: Any, data: Any, q: Any, qd: Any, frame: int) -> None:
    pinocchio.crba(model, data, q)
    pinocchio.nonLinearEffects(model, data, q, qd)
    pinocchio.computeGeneralizedGravity(model, data, q)
    pinocchio.framesForwardKinematics(model, data, q)
    pinocchio.computeFrameJacobian(model, data, q, frame)


def measure(report: Report) -> None:
    """Add own and peer's calls, and the ratios of `FIGURES` to the latter, by function."""
    model, peer = iiwa()
    cells = []
    for name, pair in pairs(model, peer, _FRAME).items():
        own = (model, *pair.arguments)
        batch = (model, *(_repeated(x) for x in pair.arguments))
        measured = race(
            {
                'peer': (pair.peer, (peer, peer.createData(), *pair.peer_arguments)),
                'own': (pair.own, own),
                'out': _in_a_loop(model, pair),
                'batch': (partial(pair.own, out=pair.own(*batch)), batch),
            },
            rounds=31,
        )
        of_peer = measured['peer']
        values = (
            measured['own'].ratio(of_peer),
            measured['out'].ratio(of_peer),
            measured['batch'].ratio(of_peer) / BATCH,
        )
        times = microseconds(measured['own'].best), microseconds(of_peer.best)
        cells.append([name, *times, *(f'{value:.2f}' for value in values)])
        for (figure, bound), value in zip(FIGURES.items(), values, strict=True):
            aimed = AIMED.get(f'{name}, {figure}')
            report.require(Requirement(f'{name}, {figure} / pinocchio', value, bound, aimed))
    for name, exponent in growth().items():
        text = f'{name}, growth exponent in joints, {SIZES[0]} to {SIZES[1]}'
        report.require(Requirement(text, exponent, GROWTH))
    report.heading('Terms of one state beside Pinocchio')
    report.text(
        "Pinocchio's cheapest equivalent from Python: crba, computeCoriolisMatrix, "
        'computeGeneralizedGravity, nonLinearEffects, aba, framesForwardKinematics, '
        'computeFrameJacobian, forwardKinematics with accelerations; for `control_terms` the five '
        f'calls that it replaces. Batches of {BATCH} states.'
    )
    report.table(['function', 'µs (best)', 'Pinocchio, µs', *FIGURES], cells)


def _in_a_loop(model: sd.ScrewModel, pair: Pair) -> tuple[Callable[..., object], tuple[Any, ...]]:
    """Return the call of a control loop: of a `Workspace`, or with the array to fill."""
    method = getattr(sd.Workspace(model), pair.own.__name__, None)
    if method is not None:
        return method, pair.arguments
    own = (model, *pair.arguments)
    return partial(pair.own, out=pair.own(*own)), own


def _repeated(value: Any) -> Any:
    return np.repeat(value[np.newaxis], BATCH, axis=0) if isinstance(value, np.ndarray) else value


def growth() -> dict[str, float]:
    """Return the exponents of the time in the number of joints of the recursions in O(n)."""
    times: dict[str, list[float]] = {}
    rng = np.random.default_rng(5)
    for n in SIZES:
        model = random_model(rng, [BodyRecipe(coordinate_axis=True)] * n, length=0.3)
        calls = {}
        for name, pair in pairs(model, from_chain(model), model.body_names[-1]).items():
            if name in ('mass_matrix', 'coriolis_matrix', 'control_terms'):
                continue
            arguments = (model, *pair.arguments)
            calls[name] = partial(pair.own, out=pair.own(*arguments)), arguments
        for name, measured in race(calls, rounds=31).items():
            times.setdefault(name, []).append(measured.best)
    steps = np.log(SIZES[1] / SIZES[0])
    return {name: float(np.log(b / a) / steps) for name, (a, b) in times.items()}
