# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The recordings of real robots that are installed: accepted as they are, and what comes out."""

from dataclasses import replace

import numpy as np
import pytest

import screw_dynamics as sd
from benchmarks.recorded.plain_fit import plain

FOLDER = 'examples/recorded'
KINDS = {
    'ur10': set(),
    'franka_fer': {'held', 'clock'},
    'hebi_arm': {'spikes', 'held', 'gear'},
    'double_pendulum': {'spikes', 'late', 'held'},
}


def urdf_of(name):
    """Return the URDF of a recording; the Franka had no hand."""
    if name != 'franka_fer':
        return sd.share_path(f'{FOLDER}/{name}.urdf').read_text()
    whole = sd.share_path('urdf/panda.urdf').read_text()
    return whole.partition('<joint name="panda_hand_joint"')[0] + '</robot>'


@pytest.fixture(scope='module')
def of():
    """Return a function of model, recording and identification by name, computed once."""
    found = {}

    def of(name):
        if name not in found:
            model = sd.read_urdf(urdf_of(name))
            recording = sd.Recording.from_file(sd.share_path(f'{FOLDER}/{name}.npz'))
            found[name] = model, recording, sd.identify(model, recording, offsets=True)
        return found[name]

    return of


@pytest.mark.filterwarnings('ignore:recording', 'ignore:links', 'ignore:non-physical links')
@pytest.mark.parametrize('name', KINDS)
def test_accepted_and_as_good_as_a_plain_fit(of, name):
    """
    A low-pass in both directions, Pinocchio and a bounded least squares leave as much.

    They choose the best of three cut-offs by what is left: 1.1. Nothing is found that is not so.
    """
    pytest.importorskip('pinocchio')
    model, recording, found = of(name)
    assert found.names[0].startswith(model.joint_names[0])
    beside = plain(urdf_of(name), recording, found.shares.times)
    assert (found.residuals < 1.1 * beside).all(), found.residuals / beside
    assert (found.residuals < found.before).all()
    assert {finding.kind for finding in found.findings} <= KINDS[name]


@pytest.mark.filterwarnings('ignore:recording')
def test_half_of_the_ur10_explains_the_other(of):
    """
    Unseen efforts, and friction at the speed that a joint mostly has.

    Friction of gears is no straight line over velocity: halves with other speeds share it out
    otherwise, by 20 % between the Coulomb and the viscous part.
    """
    model, recording, found = of('ur10')
    middle = recording.times[-1] / 2.0
    half = sd.identify(model, recording.between(middle, np.inf), offsets=True, links=True)
    unseen = half.validate(recording.between(0.0, middle))
    assert (unseen < [1.5, 4.0, 2.5, 0.6, 0.7, 2.5]).all(), unseen
    assert (unseen < 0.5 * found.before).all()  # the model alone left 21.5 to 4 N m
    speeds = found.shares.jets[:, 1].std(axis=0)
    one, other = (
        [
            each[f'{name}.coulomb'] + each[f'{name}.viscous'] * v
            for name, v in zip(model.joint_names, speeds, strict=True)
        ]
        for each in (found, half)
    )
    np.testing.assert_allclose(one, other, rtol=0.1)


@pytest.mark.filterwarnings('ignore:recording')
def test_springs_of_the_hebi_arm(of):
    """
    The modules compute efforts from deflections: their constants come out to rounding.

    Hall sensors behind the gear are a second opinion, in steps of 0.6 to 3.9 mrad: the springs of
    J2 to J4 are wound up by 25 to 52 mrad, and their bands hold. There is no backlash.
    """
    model, recording, found = of('hebi_arm')
    constants = {'J1': 130.0, 'J2': 120.0, 'J3': 70.0, 'J4': 70.0, 'J5': 70.0}
    for name, constant in constants.items():
        np.testing.assert_allclose(found[f'{name}.stiffness'], constant, rtol=1e-6)
    halls = sd.identify(model, replace(recording, deflections=None, motor_efforts=None))
    springs = {spring.joint: spring for spring in halls.springs}
    for name in ('J2', 'J3', 'J4'):
        band = 1.96 * springs[name].deviation
        assert abs(springs[name].stiffness - constants[name]) < band < 0.5 * constants[name]
    rows = [row for spring in (*found.springs, *halls.springs) for row, *_ in spring.rows]
    assert set(rows) == {'stiffness'}


@pytest.mark.filterwarnings('ignore:non-physical links')
def test_an_undeclared_root_is_named():
    """As Drake wants it, `world` is a parent alone."""
    with pytest.warns(UserWarning, match='not declared.*world'):
        sd.read_urdf(urdf_of('double_pendulum'))


@pytest.mark.filterwarnings('ignore:recording')
def test_a_reversed_position_shows_in_negative_friction(of):
    """Of a wrist, whose effort is too small beside errors of the model for a sign of its own."""
    model, recording, found = of('ur10')
    turned = recording.positions * [1.0, 1.0, 1.0, -1.0, 1.0, 1.0]
    reverse = sd.identify(model, replace(recording, positions=turned), offsets=True)
    joints = [
        [one.joints for one in x.findings if one.kind == 'negative'] for x in (found, reverse)
    ]
    assert joints == [[], [('wrist_1_joint',)]]
