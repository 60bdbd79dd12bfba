# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The experiments of the papers: printed expressions, published forms and the kernel agree."""

from __future__ import annotations

import numpy as np
import pytest

sp = pytest.importorskip('sympy', reason='printed expressions need SymPy')
pytest.importorskip('matplotlib', reason='figures need matplotlib')

import screw_dynamics as sd  # noqa: E402
from gallery import iiwa_second_order, panda_third_order, planar_2r  # noqa: E402

# a form differs from the kernel by roundings of sums of a hundred terms
CLOSE = 1e-13


def test_printed_expressions_are_those_of_the_theory() -> None:
    """All six, symbolically; masses and lengths are exact in floats."""
    difference = planar_2r.printed() - planar_2r.of_theory()
    assert all(sp.expand(entry.rewrite(sp.exp)) == 0 for entry in difference)


def test_printed_expressions_are_those_of_the_kernel() -> None:
    paper, kernel = planar_2r.efforts(np.linspace(0.0, 6.0, 13))
    assert np.abs(kernel - paper).max() <= CLOSE * np.abs(paper).max()


@pytest.mark.filterwarnings('ignore::screw_dynamics.errors.InertiaWarning')
def test_forms_agree_on_the_iiwa() -> None:
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    jets = iiwa_second_order.motion(np.array([0.1, 2.3]), np.full(7, 0.6), 2.0, 5)
    found = iiwa_second_order.differences(model, jets)
    assert set(found) == set(iiwa_second_order.FORMS)
    assert max(values.max() for values in found.values()) <= CLOSE


def test_forms_agree_on_the_panda() -> None:
    model = panda_third_order.panda()
    jets = panda_third_order.panda_jets(model, np.array([0.1, 2.3]))
    assert jets.shape == (2, 6, model.n)
    assert max(v.max() for v in iiwa_second_order.differences(model, jets).values()) <= CLOSE
