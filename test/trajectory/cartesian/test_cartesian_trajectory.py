# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint motions through poses, compared with Pinocchio and with an integrator."""

import re

import numpy as np
import pytest
from oracles.pinocchio_terms import PinocchioTerms
from oracles.robots import named_robot
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ShapeError, TrajectoryError, UnknownNameError
from screw_dynamics.theory.kinematics import hybrid
from screw_dynamics.trajectory.cartesian import PoseWaypoints, cartesian_trajectory

TIMES = np.array([0.0, 1.0, 1.8, 3.0])
ROBOTS = {
    'iiwa14': ('flange', [0.3, 0.5, 0.1, -1.5, 0.2, 1.0, 0.4]),
    'panda': ('panda_hand', [0.1, -0.4, 0.2, -2.0, 0.1, 1.8, 0.6, 0.02]),
    'ur5': ('tool0', [0.2, -1.2, 1.4, -0.9, -1.3, 0.3]),
}


class Arm:
    """A robot, its motion through four poses, and Pinocchio's model of it."""

    def __init__(self, name):
        urdf = named_robot(name) if name == 'ur5' else sd.share_path(f'urdf/{name}.urdf')
        if urdf is None:
            pytest.skip('the package of robot descriptions is not installed')
        self.model = sd.read_urdf(urdf)
        self.frame, start = ROBOTS[name]
        self.start = np.array(start)
        self.waypoints = poses_near(self.model, self.frame, self.start)
        self.found = cartesian_trajectory(self.model, self.waypoints, self.start)
        self.curve = self.found.curve
        self.pinocchio = PinocchioTerms(urdf, self.model)


def poses_near(model, frame, q, times=TIMES, seed=1):
    """Return poses, the first one that of q, others up to 0.15 m and 35 degrees from it."""
    rng = np.random.default_rng(seed)
    pose = sd.frame_pose(model, q, frame)
    moves = rng.uniform(-0.09, 0.09, (len(times), 3))
    turns = rng.uniform(-0.35, 0.35, (len(times), 3))
    moves[0] = turns[0] = 0.0
    rotation = Rotation.from_matrix(pose[:3, :3])
    orientations = [(Rotation.from_rotvec(turn) * rotation).as_quat() for turn in turns]
    return PoseWaypoints(frame, times, pose[:3, 3] + moves, np.array(orientations))


@pytest.fixture(scope='module', params=['panda', 'ur5'])
def arm(request):
    return Arm(request.param)


@pytest.fixture(scope='module')
def iiwa():
    return Arm('iiwa14')


def pose_errors(arm, curve, times, poses):
    """Return the largest distances [m, rad] of Pinocchio's poses along a curve from others."""
    q = curve.jets(times, 1)[:, 0]
    found = np.array([arm.pinocchio.frame_pose(row, arm.frame) for row in q])
    turns = Rotation.from_matrix(found[:, :3, :3] @ poses[:, :3, :3].swapaxes(1, 2))
    distances = np.linalg.norm(found[:, :3, 3] - poses[:, :3, 3], axis=1)
    return distances.max(), turns.magnitude().max()


def test_the_frame_passes_through_the_poses_and_follows_the_path_between_them(arm):
    given = np.tile(np.eye(4), (len(TIMES), 1, 1))
    given[:, :3, :3] = Rotation.from_quat(arm.waypoints.orientations).as_matrix()
    given[:, :3, 3] = arm.waypoints.positions
    assert max(pose_errors(arm, arm.curve, TIMES, given)) <= 1e-10  # Newton's last step
    dense = np.linspace(0.0, 3.0, 701)
    errors = pose_errors(arm, arm.curve, dense, arm.found.path.sample(dense)[0])
    assert max(errors) <= 1e-9  # the tolerance
    assert max(arm.found.distance, arm.found.angle) <= 1e-9
    assert max(errors) <= 2.0 * max(arm.found.distance, arm.found.angle) + 1e-13


def test_positions_to_snap_are_continuous_at_poses_and_knots(arm):
    breaks = arm.curve.breaks[1:-1]
    before = arm.curve.jets(np.nextafter(breaks, 0.0))
    after = arm.curve.jets(breaks)
    shortest = np.diff(arm.curve.breaks).min()
    size = np.abs(after).max(axis=(0, 2))
    # rounding of positions, by the factors of the derivatives, up to 9 * 8 * 7 * 6
    bound = 1e4 * np.finfo(float).eps * size[0] / shortest ** np.arange(5) + 1e-13 * size
    assert (np.abs(after - before).max(axis=(0, 2)) <= bound).all()
    assert arm.curve.continuity == 4
    ends = arm.curve.jets([0.0, 3.0])
    assert np.abs(ends[0, 1:]).max() == np.abs(ends[1, 1:]).max() == 0.0


def test_joint_jets_at_the_knots_have_the_twists_of_the_path_with_their_derivatives(arm):
    knots = arm.found.knots.times
    _, twists = arm.found.path.sample(knots)
    body = arm.model.frames[arm.frame].body
    for jet, twist in zip(arm.curve.jets(knots), twists, strict=True):
        angular = hybrid.twists(arm.model, jet)[body, :, :3]
        scale = 1.0 + np.abs(twist).max(axis=1)
        # rows lose digits by rounding of the knots, whose Newton steps end at 1e-11
        assert (np.abs(angular - twist[:, :3]).max(axis=1) <= 1e-8 * scale).all()
        jacobian = arm.pinocchio.frame_jacobian(jet[0], arm.frame, 'hybrid')
        assert np.allclose(jacobian @ jet[1], twist[0], rtol=0.0, atol=1e-9)


def test_a_redundant_robot_follows_the_integral_of_the_least_rates(iiwa):
    """The positions are no accident of Newton's steps: nothing drifts in the nullspace."""

    def rates(time, q):
        _, twists = iiwa.found.path.sample(np.array([time]))
        return np.linalg.pinv(iiwa.pinocchio.frame_jacobian(q, 'flange', 'hybrid')) @ twists[0, 0]

    q = iiwa.curve.jets([0.0], 1)[0, 0]
    for begin, end in zip(TIMES[:-1], TIMES[1:], strict=True):  # the integrand is C3 at the poses
        run = solve_ivp(rates, (begin, end), q, 'DOP853', rtol=1e-11, atol=1e-12)
        q = run.y[:, -1]
        assert np.abs(iiwa.curve.jets([end], 1)[0, 0] - q).max() <= 1e-7


def test_the_weights_choose_the_joints_that_move(iiwa):
    weights = np.array([1.0, 1.0, 30.0, 1.0, 2.0, 1.0, 1.0])
    found = cartesian_trajectory(iiwa.model, iiwa.waypoints, iiwa.start, weights=weights)
    times = np.linspace(0.1, 2.9, 40)
    jets, plain = found.curve.jets(times, 2), iiwa.curve.jets(times, 2)
    for q, rate in jets:
        jacobian = iiwa.pinocchio.frame_jacobian(q, 'flange', 'hybrid')
        # least weighted norm: W q' has no part in the nullspace
        nullspace = np.linalg.svd(jacobian)[2][6]
        # between knots rates are off by some 1e-8 rad/s, here times a weight of 30
        assert abs(nullspace @ (weights * rate)) <= 1e-6
    assert np.abs(jets[:, 1, 2]).max() < 0.3 * np.abs(plain[:, 1, 2]).max()
    assert max(pose_errors(iiwa, found.curve, times, found.path.sample(times)[0])) <= 1e-9


@pytest.mark.parametrize('redundant', [False, True])
def test_it_continues_a_moving_robot_from_position_to_snap(redundant, iiwa):
    arm = iiwa if redundant else Arm('ur5')
    rng = np.random.default_rng(3)
    start = np.concatenate((arm.start[None], rng.uniform(-0.3, 0.3, (4, arm.model.n))))
    found = cartesian_trajectory(arm.model, arm.waypoints, start, begin=0.2)
    jets = found.curve.jets([0.2, 3.0])
    assert np.abs(jets[0] - start).max() <= 1e-12
    assert not jets[1, 1:].any()
    times = np.linspace(0.2, 3.0, 301)
    assert max(pose_errors(arm, found.curve, times, found.path.sample(times)[0])) <= 1e-9
    after = found.curve.jets(found.knots.times[1:-1])
    before = found.curve.jets(np.nextafter(found.knots.times[1:-1], 0.0))
    scale = np.abs(after).max(axis=(0, 2))
    assert (np.abs(after - before).max(axis=(0, 2)) <= 1e-7 * scale).all()


def test_a_motion_that_is_followed_already_continues_without_a_bend(iiwa):
    """Joining the same poses again at any instant leaves the motion as it is."""
    jet = iiwa.curve.jets([1.0])[0]
    again = cartesian_trajectory(iiwa.model, iiwa.waypoints, jet, begin=1.0)
    assert np.abs(again.curve.jets([1.0])[0] - jet).max() <= 1e-12
    # the path through the rest of the poses is another smooth curve, the end pose the same
    assert max(again.distance, again.angle) <= 1e-9
    end = sd.frame_pose(iiwa.model, again.curve.end, 'flange')
    assert np.abs(end - sd.frame_pose(iiwa.model, iiwa.curve.end, 'flange')).max() <= 1e-10


def test_positions_alone_leave_the_orientation_free(iiwa):
    found = cartesian_trajectory(iiwa.model, iiwa.waypoints, iiwa.start, components='linear')
    times = np.linspace(0.0, 3.0, 200)
    assert pose_errors(iiwa, found.curve, times, found.path.sample(times)[0])[0] <= 1e-9
    assert found.angle == 0.0
    rates, all_rates = (
        np.linalg.norm(c.jets(times, 2)[:, 1], axis=1) for c in (found.curve, iiwa.curve)
    )
    assert rates.max() < all_rates.max()


def test_a_robot_with_few_joints_follows_poses_that_it_can_reach():
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    frame = list(model.frames)[-1]
    q = np.array([[0.4, 0.9], [0.8, 0.6], [0.2, 1.2]])
    positions = sd.frame_pose(model, q, frame)[:, :3, 3]
    found = cartesian_trajectory(
        model,
        PoseWaypoints(frame, [0.0, 1.0, 2.0], positions, 3 * [[0.0, 0.0, 0.0, 1.0]]),
        [0.5, 0.8],
        components='linear',
    )
    assert np.abs(found.curve.jets([0.0, 1.0, 2.0], 1)[:, 0] - q).max() <= 1e-8
    assert found.distance <= 1e-9


def lifted(waypoints, pose, height):
    """Return the waypoints with one of them higher."""
    positions = waypoints.positions.copy()
    positions[pose, 2] += height
    return PoseWaypoints(waypoints.frame, waypoints.times, positions, waypoints.orientations)


@pytest.mark.parametrize(
    ('pose', 'text'),
    [
        (0, r'pose #0 \(at 0 s\): expected a pose that frame flange reaches from the start '),
        (
            2,
            r'frame flange cannot follow the path from pose #1 to pose #2 beyond 1\.\d+ s: '
            r'pose #2 is out of reach from here: 0\.\d+ m and .* degrees are left',
        ),
    ],
)
def test_a_pose_out_of_reach_is_named(pose, text, iiwa):
    with pytest.raises(TrajectoryError, match='^' + text):
        cartesian_trajectory(iiwa.model, lifted(iiwa.waypoints, pose, 1.5), iiwa.start)


def test_a_singular_configuration_is_named(iiwa):
    """Stretched, the arm cannot move its wrist along itself."""
    pose = sd.frame_pose(iiwa.model, np.zeros(7), 'flange')
    goal = PoseWaypoints('flange', [1.0], [pose[:3, 3] - [0, 0, 0.2]], [[0, 0, 0, 1]])
    with pytest.raises(TrajectoryError, match=r'from the start to pose #0 beyond 0 s: .*singular'):
        cartesian_trajectory(iiwa.model, goal, np.zeros(7))


def test_a_path_that_leads_through_a_stretched_arm_names_the_direction_that_is_lost(iiwa):
    start = np.zeros((5, 7))
    start[0] = iiwa.start
    start[1, 3] = 2.0  # the frame swings out of reach and returns
    pose = sd.frame_pose(iiwa.model, iiwa.start, 'flange')
    turn = Rotation.from_matrix(pose[:3, :3]).as_quat()
    goal = PoseWaypoints('flange', [3.0], [pose[:3, 3]], [turn])
    with pytest.raises(TrajectoryError, match='the joints move it least along') as caught:
        cartesian_trajectory(iiwa.model, goal, start, limited=False)
    time, least, largest = (
        float(found)
        for found in re.search(
            r'beyond ([\d.]+) s: .*singular value (\S+) of ([\d.]+)$', str(caught.value)
        ).groups()
    )
    assert 0.0 < time < 3.0
    assert least < 0.01 * largest


def test_a_joint_beyond_its_limit_is_named(iiwa):
    # half a turn of the flange, while the last joint is near its limit
    start = iiwa.start.copy()
    start[6] = 2.9
    pose = sd.frame_pose(iiwa.model, start, 'flange')
    turned = pose[:3, :3] @ Rotation.from_rotvec([0, 0, 0.6]).as_matrix()
    goal = PoseWaypoints('flange', [1.0], [pose[:3, 3]], [Rotation.from_matrix(turned).as_quat()])
    with pytest.raises(
        TrajectoryError,
        match=r'position of joint joint_7 at 0\.\d+ s, on the way to pose #0: expected within '
        r'\[-3\.05433, 3\.05433\], got 3\.',
    ):
        cartesian_trajectory(iiwa.model, goal, start)
    beyond = cartesian_trajectory(iiwa.model, goal, start, limited=False)
    assert beyond.curve.end[6] > 3.05433


def test_arguments_are_checked(iiwa):
    model, waypoints, start = iiwa.model, iiwa.waypoints, iiwa.start
    with pytest.raises(UnknownNameError, match="unknown frame 'nose'"):
        cartesian_trajectory(
            model, PoseWaypoints('nose', [1.0], [[0, 0, 0]], [[0, 0, 0, 1]]), start
        )
    with pytest.raises(ShapeError, match=r'start: expected shape \(7,\) or \(5, 7\), got \(6,\)'):
        cartesian_trajectory(model, waypoints, start[:6])
    with pytest.raises(InputError, match="components: expected one of all, linear, got 'wx'"):
        cartesian_trajectory(model, waypoints, start, components='wx')
    with pytest.raises(InputError, match='weights: expected numbers above 0'):
        cartesian_trajectory(model, waypoints, start, weights=np.zeros(7))
    with pytest.raises(InputError, match='tolerance: expected a finite number of 1e-10 or more'):
        cartesian_trajectory(model, waypoints, start, tolerance=0.0)
    with pytest.raises(TrajectoryError, match='expected poses after the begin at 3 s'):
        cartesian_trajectory(model, waypoints, start, begin=3.0)
    with pytest.raises(InputError, match='waypoints: expected PoseWaypoints, got list'):
        cartesian_trajectory(model, [waypoints], start)


def test_poses_of_a_frame_that_no_joint_moves_are_named(tmp_path):
    (tmp_path / 'table.urdf').write_text('<robot name="table"><link name="top"/></robot>')
    table = sd.read_urdf(tmp_path / 'table.urdf')
    goal = PoseWaypoints('top', [1.0], [[0, 0, 0]], [[0, 0, 0, 1]])
    with pytest.raises(
        TrajectoryError, match="frame 'top': expected joints that move it, got none$"
    ):
        cartesian_trajectory(table, goal, [])


def test_no_poses_are_an_error():
    with pytest.raises(TrajectoryError, match='expected at least one number, got none'):
        PoseWaypoints('flange', [], [], [])
