# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs beside drives, coupled motors, and results that hold with another load."""

import pickle
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from helpers.driven_recordings import drawn_drives, driven
from helpers.recordings import COM, Drives, drawn, random_motion, recording

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError
from screw_dynamics.estimation.identification import identify

matplotlib.use('agg')
SURE = 4.0  # standard deviations, one in 16000 of a normal distribution
COUPLING = np.array([[1.0, 0.0], [0.8, 1.0]])  # the second motor turns with the first joint


def within(found, truth):
    """Assert that parameters are within four standard deviations of the truth, and told."""
    rows = {name: (value, deviation) for name, value, deviation in found.rows}
    for name, true in truth.items():
        value, deviation = rows[name]
        assert abs(value - true) < SURE * deviation < 0.3 * abs(true), name


@pytest.fixture(scope='module')
def moved(planar):
    """Return a recording of an arm with friction and rotors, and their parameters."""
    measured, drives = drawn(planar, 21, seconds=15.0)
    fields = zip(('viscous', 'coulomb'), (drives.viscous, drives.coulomb), strict=True)
    return measured, {
        f'{joint}.{field}': value
        for field, values in fields
        for joint, value in zip(planar.joint_names, values.tolist(), strict=True)
    }


def test_springs_of_unknown_geometry(planar, moved):
    """A torque takes the place of the offset, a slope is told from gravity."""
    measured, truth = moved
    q = measured.positions
    springs = {'joint_1': 'linear', 'joint_2': 'constant'}
    held = measured.efforts - np.column_stack((6.0 - 15.0 * q[:, 0], np.full(len(q), 4.0)))
    found = identify(
        planar, replace(measured, efforts=held), offsets=True, parallel_springs=springs
    )
    truth = truth | {'joint_1.spring_torque': 6.0, 'joint_1.spring_stiffness': 15.0}
    within(found, truth | {'joint_2.spring_torque': 4.0})
    assert not any(name.endswith('.offset') for name in found.names)
    shares = found.shares.parts['spring']
    np.testing.assert_allclose(shares[:, 1], -found['joint_2.spring_torque'])
    beside = found.robot().drives.joints['joint_1'].parallel_spring
    assert beside.rest_position == pytest.approx(6.0 / 15.0, rel=0.05)


@pytest.mark.parametrize(
    ('spring', 'entry', 'unit'),
    [
        (sd.GasSpring(150.0, 0.9, 0.8, (0.0, 0.0, 0.5), (0.3, 0.0, 0.0)), 'spring_force', 'N'),
        (sd.BalancingSpring(90.0, (0.0, 0.0, 0.3), (0.2, 0.0, 0.0)), 'spring_rate', 'N/m'),
        (sd.TorsionSpring(12.0, 0.3), 'spring_stiffness', 'N m/rad'),
    ],
)
def test_springs_of_known_geometry(planar, moved, spring, entry, unit):
    """Their force or stiffness is found, whatever that of the record, by the law of the drives."""
    measured, truth = moved
    drives = sd.Drives({'joint_1': sd.JointDrive(parallel_spring=spring)}, urdf_dynamics=False)
    robot, rest = sd.Robot(planar, drives), np.zeros((len(measured.times), 3, 2))
    rest[:, 0] = measured.positions
    support = sd.gravity_forces(planar, measured.positions)
    support -= sd.drives.transmitted_efforts(robot, rest, support[:, np.newaxis])[:, 0]
    held = replace(measured, efforts=measured.efforts - support)
    field = 'force' if entry == 'spring_force' else 'stiffness'
    given = replace(spring, **{field: 2.0 * getattr(spring, field)})
    found = identify(planar, held, parallel_springs={'joint_1': given})
    within(found, truth | {f'joint_1.{entry}': getattr(spring, field)})
    assert unit in str(found)
    beside = found.robot().drives.joints['joint_1'].parallel_spring
    assert getattr(beside, field) == pytest.approx(getattr(spring, field), rel=0.05)


def test_coupled_motors(planar):
    """Friction and rotors of a motor that turns with two joints act on both."""
    rng = np.random.default_rng(22)
    times, jets = random_motion(planar, rng, 15.0)
    drives = Drives(planar, rng)
    efforts = (
        sd.inverse_dynamics(planar, jets)[:, 0] + drives.efforts(jets @ COUPLING.T) @ COUPLING
    )
    measured = recording(planar, rng, times, jets, efforts)
    found = identify(planar, measured, coupling=COUPLING)
    assert (np.abs(found.values - drives.parameters) < SURE * found.standard_deviations).all()
    plain = identify(planar, measured)
    assert (found.residuals < plain.residuals).all()
    with pytest.raises(InputError, match='motors that turn one joint each'):
        found.robot()
    with pytest.raises(ShapeError, match='coupling'):
        identify(planar, measured, coupling=np.eye(3))


@pytest.mark.parametrize(
    ('springs', 'error', 'text'),
    [
        ({'joint_9': 'linear'}, UnknownNameError, 'joint_9'),
        ({'joint_1': 'gas'}, InputError, "'joint_1': expected constant, linear or a ParallelSpr"),
    ],
)
def test_springs_that_cannot_be(planar, moved, springs, error, text):
    with pytest.raises(error, match=text):
        identify(planar, moved[0], parallel_springs=springs)


def test_friction_of_one_load_holds_with_another(planar):
    """Known or identified; with the load of the first recording much remains."""
    loads = [('tool', mass, COM, np.zeros((3, 3))) for mass in (1.0, 3.0)]
    measured, _ = drawn(planar, 23, loads[0], seconds=12.0)
    other, _ = drawn(planar, 23, loads[1], seconds=12.0)
    found = identify(planar, measured, payload='tool')
    kept = found.validate(other, model=planar.with_payload(*loads[1]))
    np.testing.assert_allclose(kept, found.residuals, rtol=0.1)
    assert (found.validate(other) > 3.0 * kept).all()
    shares = found.explain(other, model=planar.with_payload(*loads[1]))
    np.testing.assert_allclose(np.sqrt(np.mean(shares.rest**2, axis=0)), kept)
    known = identify(planar.with_payload(*loads[0]), measured)
    np.testing.assert_allclose(
        known.validate(other, model=planar.with_payload(*loads[1])), kept, rtol=0.1
    )
    with pytest.raises(InputError, match='model: expected joints joint_1, joint_2'):
        found.validate(other, model=sd.read_urdf(sd.share_path('urdf/panda.urdf')))


def test_drives_of_one_load_hold_with_another(planar):
    """Their results are explained and drawn too, have no errors of links, and pickle."""
    rng = np.random.default_rng(24)
    drives = drawn_drives(planar, rng)
    loads = [('tool', mass, COM, np.zeros((3, 3))) for mass in (1.0, 3.0)]
    measured, other = (
        driven(planar.with_payload(*load), drives, rng, seconds=12.0) for load in loads
    )
    robot = sd.Robot(planar, drives)
    found = sd.identify_drives(robot, measured, payload='tool')
    assert not any(name.startswith('link.') for name in found.names)
    assert found.covariance.shape == (len(found.names),) * 2
    kept = found.validate(other, model=planar.with_payload(*loads[1]))
    noise = 0.02 * np.abs(other.motor_efforts).max(axis=0)
    np.testing.assert_allclose(kept, noise, rtol=0.3)
    assert (found.validate(other) > 3.0 * kept).any()
    np.testing.assert_allclose(found.validate(measured), found.residuals, rtol=1e-6)
    np.testing.assert_allclose(
        found.validate(measured, consistent=True), found.residuals, rtol=0.02
    )
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.validate(other), found.validate(other))
    whole = sum(found.shares.shares.values())
    np.testing.assert_allclose(whole, 1.0, atol=1e-12)
    assert len(found.plot().axes) == 6


def test_springs_beside_motors(planar):
    """Sought from the efforts of motors as from those of joints, in place of what is given."""
    rng = np.random.default_rng(25)
    drives, spring = drawn_drives(planar, rng), sd.TorsionSpring(12.0, 0.3)
    true = replace(drives.joints['joint_1'], parallel_spring=spring)
    measured = driven(planar, sd.Drives({**drives.joints, 'joint_1': true}), rng, seconds=12.0)
    given = replace(true, parallel_spring=sd.TorsionSpring(30.0))
    robot = sd.Robot(planar, sd.Drives({**drives.joints, 'joint_1': given}))
    for sought in 'linear', spring:
        springs = {'joint_1': sought}
        found = sd.identify_drives(robot, measured, parallel_springs=springs, link_uncertainty=0.0)
        within(found, {'joint_1.spring_stiffness': 12.0})
        beside = found.robot.drives.joints['joint_1'].parallel_spring
        assert beside.rest_position == pytest.approx(0.3, abs=0.05)
        assert 'spring' in found.shares.parts and found.residuals[0] < 0.2 * found.before[0]


def test_coupled_motors_that_report_their_own_efforts(planar):
    """Friction and rotors of both come out of them; no robot has such motors."""
    rng = np.random.default_rng(26)
    times, jets = random_motion(planar, rng, 15.0)
    drives = Drives(planar, rng)
    links = sd.inverse_dynamics(planar, jets)[:, 0] @ np.linalg.inv(COUPLING)
    measured = recording(planar, rng, times, jets, links + drives.efforts(jets @ COUPLING.T))
    measured = replace(measured, efforts=None, motor_efforts=measured.efforts)
    found = sd.identify_drives(planar, measured, coupling=COUPLING, link_uncertainty=0.0)
    fields = 'viscous', 'coulomb', 'rotor_inertia'
    names = [f'{joint}.{field}' for field in fields for joint in planar.joint_names]
    for name, true in zip(names, drives.parameters, strict=True):
        deviation = found.standard_deviations[found.names.index(name)]
        assert abs(found[name] - true) < SURE * deviation < true
    plain = sd.identify_drives(planar, measured, link_uncertainty=0.0)
    assert (found.residuals < plain.residuals).all()
    with pytest.raises(InputError, match='motors that turn one joint each'):
        _ = found.robot
