# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Time of recursive forms, closed form and kernel over order and number of joints.

    PYTHONPATH=examples python -m paper_experiments.cost

measures and rewrites cost.csv, which the gallery draws. All forms are run in turn in each round,
processor time is counted, and the best of the rounds, so that ratios within one run hold on other
machines too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from time import thread_time

import numpy as np

import screw_dynamics as sd
from paper_experiments.arms import FORMS, motion
from screw_dynamics.common.arrays import Array
from screw_dynamics.theory.closed_form.second_derivatives import SecondDerivatives

RECORD = Path(__file__).with_name('cost.csv')
JOINTS = (1, 2, 4, 7, 14, 28)
ORDERS = (0, 1, 2, 3, 4, 5)
ROUNDS = 15
LEAST = 0.002  # s of calls per form and round


def second_order(model: sd.ScrewModel, jet: Array) -> Array:
    """Return tau, tau', tau'' (3, n) by the explicit matrices of MK2021."""
    explicit = SecondDerivatives(model, jet)
    inertial = explicit.mass_matrix @ jet[2] + explicit.coriolis_matrix @ jet[1]
    efforts = inertial + explicit.gravity_forces  # MK(1)
    return np.array([efforts, explicit.effort_rates, explicit.effort_second_rates])


def chain(joints: int) -> tuple[sd.ScrewModel, Array]:
    """Return a chain of iiwa links, one arm on the next, and a jet of order 5 of its joints."""
    arm = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'), base_link='link_0')
    links = np.arange(joints) % arm.n
    model = sd.ScrewModel.from_screws(
        np.arange(joints) - 1, arm.home_poses[links], arm.screws[links], arm.inertias[links]
    )
    return model, np.ascontiguousarray(motion(np.array([0.7]), 5)[0][:, links])


def measure(
    joints: Sequence[int] = JOINTS, orders: Sequence[int] = ORDERS, rounds: int = ROUNDS
) -> list[tuple[str, int, int, float]]:
    """Return rows (form, joints, order, best time of a call [s])."""
    rows = []
    for n in joints:
        model, jets = chain(n)
        for order in orders:
            jet = np.ascontiguousarray(jets[: order + 3])
            forms: dict[str, Callable[..., Array]] = {**FORMS, 'kernel': sd.inverse_dynamics}
            if order == 2:
                forms['closed form, explicit'] = second_order
            best = dict.fromkeys(forms, np.inf)
            for _ in range(rounds):
                for name, form in forms.items():
                    best[name] = min(best[name], time_of(form, model, jet))
            rows += [(name, n, order, seconds) for name, seconds in best.items()]
    return rows


def time_of(form: Callable[..., Array], model: sd.ScrewModel, jet: Array) -> float:
    """Return the mean time of a call [s] over as many calls as `LEAST` asks for."""
    calls, begun = 0, thread_time()
    while True:
        form(model, jet)
        calls += 1
        elapsed = thread_time() - begun
        if elapsed > LEAST:
            return elapsed / calls


def recorded() -> dict[tuple[str, int, int], float]:
    """Return the recorded times [µs] by form, number of joints, order."""
    result = {}
    for line in RECORD.read_text(encoding='utf-8').splitlines()[1:]:
        form, joints, order, time = line.rsplit(';', 3)
        result[form, int(joints), int(order)] = float(time)
    return result


def table() -> str:
    """Return the recorded times in Markdown, each relative to the body-fixed recursion."""
    times = recorded()
    forms = ('spatial', 'hybrid', 'closed form', 'closed form, explicit', 'kernel')
    lines = ['| Joints | Order | ' + ' | '.join(forms) + ' |', '|---' * (2 + len(forms)) + '|']
    for n, order in ((7, 0), (7, 2), (7, 3), (7, 5), (2, 2), (14, 2), (28, 2), (28, 5)):
        unit = times['body-fixed', n, order]
        ratios = [times.get((form, n, order), np.nan) / unit for form in forms]
        cells = ['' if np.isnan(ratio) else f'{ratio:.2g}' for ratio in ratios]
        lines.append(f'| {n} | {order} | ' + ' | '.join(cells) + ' |')
    return '\n'.join(lines) + '\n'


def main() -> None:
    """Measure and rewrite the record; print the table of the page."""
    lines = ['form;joints;order;microseconds']
    lines += [f'{form};{n};{order};{1e6 * seconds:.4g}' for form, n, order, seconds in measure()]
    RECORD.write_text('\n'.join(lines) + '\n', encoding='utf-8')
    print(table())


if __name__ == '__main__':
    main()
