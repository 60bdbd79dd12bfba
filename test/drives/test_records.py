# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of elastic joints as values: hashes, copies, text of other kinds."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from oracles.random_models import random_model

import screw_dynamics as sd

TABLE = sd.TabulatedSpring([-0.1, 0.0, 0.2], [-3.0, 0.0, 5.0])
PAIR = sd.AntagonisticPair('quadratic', 10.0, quadratic_stiffness=5.0)
JOINTS = {
    'a': sd.JointDrive(TABLE, sd.Motor(0.1), rotor=sd.Rotor((0, 0, 1), 'body_1')),
    'b': sd.JointDrive(PAIR),
    'c': sd.JointDrive(),
}


def test_equal_records_have_equal_hashes():
    record = sd.Drives(JOINTS)
    other = sd.Drives(dict(reversed(JOINTS.items())))
    assert record == other and hash(record) == hash(other)
    assert len({record, other, sd.Drives(JOINTS, True), sd.Drives({})}) == 3


@pytest.mark.parametrize(
    'again', [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_are_read_only_and_equal(again, rng):
    model = random_model(rng, 3)
    record = sd.Drives(dict(zip(model.joint_names, JOINTS.values(), strict=True)))
    table = sd.Robot(model, record).motors
    hash(table)
    for original in (record, table, TABLE, PAIR):
        assert again(original) == original and hash(again(original)) == hash(original)
    arrays = [again(TABLE).coefficients]
    arrays += [x for x in vars(again(table)).values() if isinstance(x, np.ndarray)]
    assert len(arrays) > 8
    for array in arrays:
        assert not array.flags.writeable


def test_text_of_numpy_is_text():
    record = sd.Drives(
        {
            np.str_('a'): sd.JointDrive(
                sd.AntagonisticPair(np.str_('quadratic'), 10.0, quadratic_stiffness=5.0),
                rotor=sd.Rotor(carrier=np.str_('hand')),
            )
        }
    )
    plain = sd.Drives({'a': sd.JointDrive(PAIR, rotor=sd.Rotor(carrier='hand'))})
    assert record == plain and record.to_yaml() == plain.to_yaml()
    assert sd.Drives.from_yaml(record.to_yaml()) == record
