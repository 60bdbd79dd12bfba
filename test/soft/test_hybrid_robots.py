# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Soft segments behind rigid chains: virtual work, payloads, names, limits and bad files."""

import pickle

import numpy as np
import pytest
from oracles import material_points
from oracles.hybrid_points import arc_module, rigid_module

import screw_dynamics as sd
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError, ModelError, TopologyError, UnknownNameError

SOFT = sd.soft
FINGER = sd.share_path('config/soft_finger.yaml')
SIX_AND_ARC = """
tip_link: link_6
pose: {xyz: [0.02, -0.01, 0.05], rpy: [0.3, -0.2, 0.5]}
segments:
  - {name: trunk, type: constant_curvature, length: 0.3, radius: 0.02, mass: 0.4,
     bending_stiffness: 0.06, axial_stiffness: 630.0, damping: 0.1}
"""


def arm_with(text, urdf='planar_2r', **selection):
    return SOFT.append_segments(
        sd.read_urdf(sd.share_path(f'urdf/{urdf}.urdf'), **selection), text
    )


@pytest.fixture(scope='module')
def six_and_arc():
    return arm_with(SIX_AND_ARC, 'iiwa14', tip_link='link_6')


def test_efforts_of_six_joints_and_an_arc_are_those_of_virtual_work(six_and_arc, rng):
    rigid = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'), tip_link='link_6')
    turn = sd.lie.rpy_rotation(0.3, -0.2, 0.5)
    start = rigid.frames['link_6'].pose @ sd.lie.pose(turn, np.array([0.02, -0.01, 0.05]))
    modules = [
        rigid_module(*parts)
        for parts in zip(rigid.home_poses, rigid.screws, rigid.inertias, strict=True)
    ]
    modules.append(arc_module(start, 0.3, 0.02, 0.4, [0.2, 0.2, 2100.0], 0.1))
    assert six_and_arc.joint_names == (
        *(f'joint_{i}' for i in range(1, 7)), 'trunk/curve_x', 'trunk/curve_y', 'trunk/stretch',
    )  # fmt: skip
    jet = rng.uniform(-0.5, 0.5, (4, 9))
    jet[:, 8] *= 0.05
    expected = material_points.efforts(modules, rigid.gravity, jet)
    got = sd.inverse_dynamics(six_and_arc, jet)
    # rounding of the Cauchy integrals, whose circle has a radius of 1/4: 4^d for derivative d
    for row, other, power in zip(got, expected, (1, 4), strict=True):
        bound = 1e-12 * power * np.abs(expected).max()
        np.testing.assert_allclose(row, other, rtol=0, atol=bound)
    matrix = sd.mass_matrix(six_and_arc, jet[0])
    other = material_points.mass_matrix(modules, jet[0])
    np.testing.assert_allclose(matrix, other, rtol=0, atol=1e-12 * np.abs(other).max())
    back = sd.forward_dynamics(six_and_arc, jet[0], jet[1], expected[0])
    np.testing.assert_allclose(back, jet[2], rtol=0, atol=1e-6)


def test_a_rigid_segment_is_a_payload(rng):
    text = (
        'tip_link: tool\nsegments:\n'
        '  - {name: load, type: rigid, length: 0.1, mass: 1.5, com: [0.01, 0.02, 0.03],\n'
        '     inertia: [2.0e-3, 1.0e-4, 0.0, 3.0e-3, 0.0, 2.5e-3]}\n'
    )
    robot = arm_with(text)
    inertia = [[2e-3, 1e-4, 0.0], [1e-4, 3e-3, 0.0], [0.0, 0.0, 2.5e-3]]
    loaded = robot.rigid.with_payload('tool', 1.5, (0.01, 0.02, 0.03), inertia)
    jet = rng.normal(size=(5, 2))
    expected = sd.inverse_dynamics(loaded, jet)
    got = sd.inverse_dynamics(robot, jet)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    tool = sd.frame_pose(loaded, jet[0], 'tool')
    np.testing.assert_allclose(sd.frame_pose(robot, jet[0], 'tool'), tool, atol=1e-14)
    end = tool[:3, 3] + 0.1 * tool[:3, 2]
    np.testing.assert_allclose(sd.frame_pose(robot, jet[0], 'load')[:3, 3], end, atol=1e-14)


def test_efforts_in_an_array_to_fill_are_the_same(six_and_arc, rng):
    jet = 0.1 * rng.normal(size=(5, 9))
    out = np.full((3, 9), np.nan)
    assert sd.inverse_dynamics(six_and_arc, jet, out=out) is out
    np.testing.assert_array_equal(out, sd.inverse_dynamics(six_and_arc, jet))
    with pytest.raises(InputError, match='out: expected memory of its own'):
        sd.inverse_dynamics(six_and_arc, jet, out=jet[:3])
    jet[0, 8] = -0.4  # compressed to nothing
    with pytest.raises(InputError, match='trunk: elongation'):
        sd.inverse_dynamics(six_and_arc, jet, out=out)
    with pytest.raises(InputError, match='joint_jet: expected real numbers, got dtype <U'):
        sd.inverse_dynamics(six_and_arc, jet.astype(str))


def test_a_robot_with_segments_can_be_pickled(six_and_arc, rng):
    jet = 0.1 * rng.normal(size=(5, 9))
    robot = pickle.loads(pickle.dumps(Robot(six_and_arc))).model
    efforts = sd.inverse_dynamics(robot, jet)
    np.testing.assert_array_equal(efforts, sd.inverse_dynamics(six_and_arc, jet))
    assert robot.joint_names == six_and_arc.joint_names


def test_limits_of_coordinates_follow_those_of_joints():
    robot = arm_with(FINGER)
    assert robot.limits.lower.tolist() == [-np.pi, -np.pi, -2.0, -2.0]
    assert robot.limits.velocity.tolist() == [6.0, 6.0, np.inf, np.inf]
    jets = np.zeros((1, 3, 4))
    jets[0, 0, 3] = 2.5
    report = sd.check_feasibility(Robot(robot), jets, [0.0])
    assert [(v.joint, v.quantity) for v in report.violations] == [('finger/curve_y', 'position')]


ROUND = 'name: a, length: 0.2, radius: 0.01, mass: 0.1'


@pytest.mark.parametrize(
    ('segment', 'names', 'types'),
    [
        ('type: planar_constant_curvature, youngs_modulus: 1.0e+6', ('a/curve',), 'r'),
        (
            'type: constant_curvature, youngs_modulus: 1.0e+6',
            ('a/curve_x', 'a/curve_y', 'a/stretch'),
            'rrp',
        ),
        (
            'type: constant_curvature, elongation: false, youngs_modulus: 1.0e+6',
            ('a/curve_x', 'a/curve_y'),
            'rr',
        ),
        (
            'type: variable_strain, strains: {bend_y: 2, stretch: 1}, basis: legendre, '
            'youngs_modulus: 1.0e+6',
            ('a/bend_y_1', 'a/bend_y_2', 'a/stretch'),
            'rrp',
        ),
        (
            'type: volume_preserving, neo_hookean: 1.0e+5, viscosity: 100.0',
            (
                'a/stretch', 'a/bend_x_1', 'a/bend_x_2', 'a/bend_y_1', 'a/bend_y_2', 'a/twist',
                'a/shear_x', 'a/shear_y',
            ),
            'rrrrrrpp',
        ),
    ],
)  # fmt: skip
def test_types_of_segments_have_named_coordinates(segment, names, types):
    robot = arm_with(f'segments:\n  - {{{ROUND}, {segment}}}\n')
    assert robot.joint_names[2:] == names
    assert ''.join(kind[0] for kind in robot.coordinate_types[2:]) == types
    moved = sd.inverse_dynamics(robot, np.full((3, robot.n), 0.01))
    assert np.isfinite(moved).all()


def test_stiffness_by_the_material_is_that_of_the_section():
    material = f'segments:\n  - {{{ROUND}, type: constant_curvature, youngs_modulus: 1.0e+6}}\n'
    # by quadrature over the disc: E int x^2 dA and E A
    r, weights = np.polynomial.legendre.leggauss(4)
    r, weights = 0.005 * (r + 1.0), 0.005 * weights
    second, area = np.pi * (weights * r**3).sum(), 2.0 * np.pi * (weights * r).sum()
    bending, axial = 1e6 * second / 0.2, 1e6 * area / 0.2
    arc = arm_with(material).modules[-1]
    np.testing.assert_allclose(arc.stiffness, [bending, bending, axial], rtol=1e-14)


def test_sections_of_tubes_and_incompressible_material():
    full, bore = SOFT.circular_section(3e6, 0.01), SOFT.circular_section(3e6, 0.004)
    tube = SOFT.circular_section(3e6, 0.01, shear_modulus=1e6, inner_radius=0.004)
    np.testing.assert_allclose(tube, full - bore, rtol=1e-14)
    with pytest.raises(InputError, match='poissons_ratio: expected at most 0.5, got 0.6'):
        SOFT.circular_section(3e6, 0.01, 0.6)
    with pytest.raises(InputError, match='poissons_ratio: expected no value beside shear'):
        SOFT.circular_section(3e6, 0.01, 0.4, 1e6)
    with pytest.raises(InputError, match='inner_radius: expected less than 0.01, got 0.02'):
        SOFT.circular_section(3e6, 0.01, inner_radius=0.02)


@pytest.mark.parametrize(
    ('old', 'new', 'message'),
    [
        ('length: 0.12', '', r"segments\[0\]: expected an entry 'length', got none"),
        (
            'constant_curvature',
            'constant_curve',
            r"segments\[0\].type: expected one of rigid, .*, got 'constant_curve'",
        ),
        ('density: 1070.0', '', r'segments\[0\].mass: expected either mass or density'),
        (
            'damping: 0.05',
            'damping: fast',
            r"segments\[0\].damping: expected a number, got 'fast'",
        ),
        (
            'damping: 0.05',
            'bending_stiffness: 0.1',
            r'segments\[0\].bending_stiffness: expected no value beside youngs_modulus',
        ),
        ('lower: -2.0', 'lower: 3.0', r'limits.curve_x: expected lower <= upper'),
        ('lower: -2.0', 'lower: .nan', r'limits.curve_x: expected lower <= upper'),
        ('lower: -2.0', 'velocity: 0', r'limits.curve_x.velocity: expected a .* above 0'),
        ('most_tension: 60.0', 'most_tension: 0.5', r'threads\[0\].most_tension: expected at'),
        ('name: finger', 'name: a/b', r"name: expected a name without /, got 'a/b'"),
        ('thread_2', 'thread_1', r'threads\[1\].name: expected every name once'),
        (
            '{finger: [0.008, 0.0]}',
            '{thumb: [0.008, 0.0]}',
            r"threads\[0\].offsets: expected soft segments of finger, got 'thumb'",
        ),
        ('offsets: {finger: [0.008, 0.0]}', 'offsets: {}', r'threads\[0\].offsets: expected one'),
        (
            '{finger: [0.008, 0.0]}',
            '{finger: [0.008, 0.0061]}',
            r'threads\[0\].offsets.finger: expected a place at most 0.01 m, the radius, from',
        ),
        (
            'youngs_modulus: 1.0e+6',
            '',
            r'segments\[0\].bending_stiffness: expected a stiffness, 0 for none, or youngs',
        ),
    ],
)
def test_bad_entries_are_refused_by_name(old, new, message):
    text = FINGER.read_text()
    assert old in text
    require_refused(text.replace(old, new, 1), message)


@pytest.mark.parametrize(
    ('segment', 'message'),
    [
        ('type: rigid, length: 0.1, mass: 1.0, inertia: 3', 'inertia: expected a sequence, got 3'),
        (
            'type: rigid, length: 0.1, mass: 1.0, inertia: [-1, 0, 0, 1, 0, 1]',
            r'segments\[0\].inertia: expected principal moments of 0 or more, got -1',
        ),
        (
            'type: variable_strain, length: 0.1, radius: 0.1, mass: 1.0, strains: {bend: 1}',
            r'segments\[0\].strains: expected strains of .*, got .bend.',
        ),
        (
            'type: variable_strain, length: 0.1, radius: 0.1, mass: 1.0, strains: {bend_x: 1}',
            r'segments\[0\].section_stiffness: expected a stiffness, 0 for none, or youngs',
        ),
        (
            'type: volume_preserving, length: 0.1, radius: 0.1, mass: 1.0',
            r"segments\[0\]: expected an entry 'neo_hookean', got none",
        ),
        (
            'type: planar_constant_curvature, length: 0.1, radius: 0.1, mass: 1.0, '
            'bending_stiffness: 0, poissons_ratio: 0.3',
            r'segments\[0\].poissons_ratio: expected no value without youngs_modulus',
        ),
        (
            'type: variable_strain, length: 0.1, radius: 0.1, mass: 1.0, strains: {bend_x: 1}, '
            'section_stiffness: [-1, 0, 0, 0, 0, 0]',
            r'segments\[0\].section_stiffness: expected 0 or more, got -1',
        ),
        (
            'type: variable_strain, length: 0.1, radius: 0.1, mass: 1.0, strains: {bend_x: 0}, '
            'youngs_modulus: 1.0e+6',
            r'segments\[0\].strains: expected at least one strain, got none',
        ),
    ],
)
def test_bad_values_of_types_are_refused(segment, message):
    require_refused(f'segments:\n  - {{name: a, {segment}}}\n', message)


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('tip_link: tool\n', "document: expected an entry 'segments', got none"),
        ('tip_link: tool\nsegments: []\n', 'segments: expected one or more, got none'),
        ('segments:\n  - {length: 1, length: 2}\n', 'expected every entry once'),
    ],
    ids=['missing', 'empty', 'twice'],
)
def test_bad_documents_are_refused(text, message):
    require_refused(text, message)


def require_refused(text, message):
    with pytest.raises(ModelError, match=message) as caught:
        SOFT.read_segments(text)
    assert str(caught.value).startswith('soft segments text: ')
    assert '\n' not in str(caught.value)


def test_the_name_of_a_bad_file_is_in_the_error(tmp_path):
    path = tmp_path / 'bad.yaml'
    path.write_text('segments: 3\n')
    with pytest.raises(ModelError, match=r'bad.yaml: segments: expected a sequence, got 3'):
        SOFT.read_segments(path)


def test_the_name_of_the_file_is_in_errors_of_appending(tmp_path):
    path = tmp_path / 'mine.yaml'
    for old, new, kind, message in (
        ('tip_link: tool', 'tip_link: hand', UnknownNameError, 'tip_link: unknown link'),
        ('tip_link: tool', 'tip_link: link_1', TopologyError, 'tip_link: expected a link on'),
        ('name: finger', 'name: link_1', InputError, r'segments\[0\].name: expected a name of no'),
    ):
        text = FINGER.read_text().replace(old, new)
        path.write_text(text.replace('offsets: {finger', 'offsets: {link_1') if 'name' in old
                        else text)  # fmt: skip
        with pytest.raises(kind, match=f'mine.yaml: {message}'):
            arm_with(path)


def test_a_coordinate_without_stiffness_is_explicit():
    bend = f'{ROUND}, type: constant_curvature, bending_stiffness: 0'
    arc = arm_with(f'segments:\n  - {{{bend}, axial_stiffness: 0}}\n').modules[-1]
    np.testing.assert_array_equal(arc.stiffness, np.zeros(3))
    # without elongation there is no axial stiffness to state
    arc = arm_with(f'segments:\n  - {{{bend}, elongation: false}}\n').modules[-1]
    np.testing.assert_array_equal(arc.stiffness, np.zeros(2))


def test_control_terms_are_those_of_the_single_functions(six_and_arc, rng):
    q, qd = 0.1 * rng.normal(size=(2, 9))
    terms = sd.control_terms(six_and_arc, q, qd, 'trunk', 'hybrid')
    expected = (
        sd.mass_matrix(six_and_arc, q),
        sd.inverse_dynamics(six_and_arc, np.array([q, qd, 0.0 * q]))[0],
        sd.gravity_forces(six_and_arc, q),
        sd.frame_pose(six_and_arc, q, 'trunk'),
        sd.frame_jacobian(six_and_arc, q, 'trunk', 'hybrid'),
    )
    for got, other in zip(terms, expected, strict=True):
        np.testing.assert_allclose(got, other, rtol=0, atol=1e-12 * np.abs(other).max())
    again = sd.control_terms(six_and_arc, 0.0 * q, qd, 'tip', out=terms)
    assert again.mass_matrix is terms.mass_matrix
    np.testing.assert_array_equal(terms.mass_matrix, sd.mass_matrix(six_and_arc, 0.0 * q))


def test_segments_need_a_chain_and_its_last_link():
    arc = f'segments:\n  - {{{ROUND}, type: planar_constant_curvature, bending_stiffness: 0}}\n'
    with pytest.raises(TopologyError, match='expected a chain, in which it follows'):
        arm_with(arc, 'branched_gripper')
    with pytest.raises(TopologyError, match="expected a link on the last body 'link_2'"):
        arm_with('tip_link: link_1\n' + arc)
    with pytest.raises(UnknownNameError, match='tip_link'):
        arm_with('tip_link: hand\n' + arc)
    with pytest.raises(InputError, match='expected a name of no link, joint or other segment'):
        arm_with(arc.replace('name: a', 'name: link_1'))
    with pytest.raises(UnknownNameError, match='elbow'):
        sd.frame_pose(arm_with(arc), np.zeros(3), 'elbow')
    with pytest.raises(InputError, match='wrenches only inverse_dynamics accepts'):
        arm_with(arc).frame('tool')
