# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Terms of a state against the algorithms of papers, and their text, CSV and JSON."""

import csv
import json
from io import StringIO

import numpy as np

import screw_dynamics as sd
from screw_dynamics.dynamics.state_terms import (
    State,
    state_terms,
    term_text,
    write_terms_csv,
    write_terms_json,
)
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.forward_dynamics import any_order
from screw_dynamics.theory.inverse_dynamics import hybrid as hybrid_dynamics
from screw_dynamics.theory.kinematics import hybrid
from screw_dynamics.theory.lagrange.christoffel import christoffel_symbols

ARM = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
JET = np.array([[0.3, -0.5], [1.0, 2.0], [-0.4, 0.6], [3.0, 1.0], [-2.0, 5.0]])
EFFORTS = np.array([[5.0, -1.0], [2.0, 0.5], [1.0, 0.0]])
STATE = State(JET, EFFORTS, 2, 'link_2', 'hybrid')


def test_numbers_of_all_terms():
    found = {term.name: term.values for term in state_terms(ARM, STATE)}
    closed = SystemMatrices(ARM, JET)
    coriolis = christoffel_symbols(ARM, JET[0]) @ JET[1]
    taus = hybrid_dynamics.inverse_dynamics(ARM, JET)
    expected = {
        'mass_matrix': closed.mass_matrix,
        'coriolis_matrix': coriolis,
        'efforts': np.stack([coriolis @ JET[1], closed.gravity_forces, *taus], axis=1),
        'pose': closed.tree.poses[1][:3],
        'twist': hybrid.twists(ARM, JET[:4])[1].T,
        'forward_dynamics': any_order.forward_dynamics(ARM, JET[0], JET[1], EFFORTS)[2:].T,
    }
    for name, values in expected.items():
        # a robot of metres and kilograms, well conditioned
        bound = 1e-12 * np.abs(values).max()
        np.testing.assert_allclose(found[name], values, rtol=0.0, atol=bound, err_msg=name)
    # V'' = J q''' + 2 J' q'' + J'' q'
    twice = found['jacobian'] @ JET[3] + 2.0 * found['jacobian_dot'] @ JET[2]
    twice += found['jacobian_ddot'] @ JET[1]
    np.testing.assert_allclose(found['twist'][:, 2], twice, rtol=0.0, atol=1e-12)


def test_files_have_every_number():
    terms = state_terms(ARM, STATE)
    write_terms_json(ARM, STATE, terms, file := StringIO())
    content = json.loads(file.getvalue())
    assert content['joint_jet'] == JET.tolist() and content['effort_jet'] == EFFORTS.tolist()
    assert content['joint_names'] == list(ARM.joint_names)
    write_terms_csv(terms, file := StringIO())
    rows = list(csv.DictReader(file.getvalue().splitlines()))
    assert len(rows) == sum(term.values.size for term in terms)
    for row in rows:
        term = content['terms'][row['term']]
        i, j = term['rows'].index(row['row']), term['columns'].index(row['column'])
        assert float(row['value']) == term['values'][i][j]


def test_text_has_five_digits_and_no_rounding_of_zeros():
    mass, *_, twist = state_terms(ARM, State(JET, None, 0, 'link_2', 'body'))[:5]
    line = next(line for line in term_text(mass).splitlines() if line.startswith('joint_2'))
    np.testing.assert_allclose([float(x) for x in line.split()[1:]], mass.values[1], rtol=1e-5)
    assert term_text(twist).startswith('twist of link_2, body [rad/s')
    tiny = mass._replace(values=np.array([[1.0, 1e-17], [0.0, 2.0]]))
    assert term_text(tiny).splitlines()[-2].split() == ['joint_1', '1', '0']
