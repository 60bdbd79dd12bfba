# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths of poses, fastest motions, limits, measured springs, parameters, generated C."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
from oracles.frame_motion import reference_twists
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_joint_jet, random_model

import screw_dynamics as sd
from benchmarks.verification.measures import Measure, difference, subject
from benchmarks.verification.motion_checks import CURVES, MOTIONS, RATIONAL
from screw_dynamics.common.arrays import Array
from screw_dynamics.estimation import measured_motion
from screw_dynamics.estimation.identification import Recording, identify
from screw_dynamics.limits import certify
from screw_dynamics.trajectory import Waypoints, smooth_trajectory

CODE = 'Generated code'
SOFT = 'Soft-rigid robots'
TREE = [
    BodyRecipe('revolute'),
    BodyRecipe('helical'),
    BodyRecipe('prismatic', mimics=0),
    BodyRecipe('revolute', parent_back=2),
]


def _iiwa() -> sd.ScrewModel:
    return sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))


def _path(model: sd.ScrewModel, count: int) -> tuple[sd.PoseWaypoints, Array]:
    """Return poses of the flange along a motion of the joints, and where it begins."""
    start = np.array([0.3, 0.5, 0.1, -1.5, 0.2, 1.0, 0.4])
    times = np.linspace(0.0, 0.8 * count, count)
    turns = np.random.default_rng(1).uniform(-0.1, 0.1, (count, model.n))
    turns[0] = 0.0
    poses = [sd.frame_pose(model, start + turn, 'flange') for turn in turns]
    vectors = np.array([[pose[:3, 3], sd.lie.log_so3(pose[:3, :3])] for pose in poses])
    angles = np.linalg.norm(vectors[:, 1], axis=1, keepdims=True)
    axes = vectors[:, 1] / angles
    quaternions = np.concatenate([axes * np.sin(angles / 2.0), np.cos(angles / 2.0)], axis=1)
    return sd.PoseWaypoints('flange', times, vectors[:, 0], quaternions), start


@subject(CURVES)
def of_poses() -> Iterator[Measure]:
    """Compare the twist of the frame, by its exact motion, with that of the path at knots."""
    model = _iiwa()
    waypoints, start = _path(model, 3)
    found = sd.cartesian_trajectory(model, waypoints, start)
    times = found.knots.times[1:-1]
    _, twists = found.path.sample(times)
    worst = 0.0
    for jet, twist in zip(found.curve.jets(times, rows=2), twists, strict=True):
        own = reference_twists(model, jet, 'flange')['hybrid']
        worst = max(worst, difference(own.jet[0], twist[0]))
    yield Measure(
        sd.cartesian_trajectory, 'exact twists of the joint motion', worst, 1e-9,
        'Newton steps end at 1e-11 rad',
        partial(sd.cartesian_trajectory, model, waypoints, start),
        (partial(sd.cartesian_trajectory, model, *_path(model, 12)), 4.0),
    )  # fmt: skip


@subject(CURVES)
def of_fastest_motions() -> Iterator[Measure]:
    """Compare the time of a slider with the least one, of constant effort back and forth."""
    link = sd.lie.inertia_matrix(2.0, np.zeros(3), np.eye(3))
    slider = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 0, 1, 0, 0]], [link])
    free = np.full((2, 1), np.nan)
    ends = np.array([[0.0], [1.0]])
    curve = smooth_trajectory(Waypoints(slider.joint_names, ends[:, 0], ends, free, free))
    effort, rate = 20.0, 1e4
    fast = sd.retime(slider, curve, {'effort': effort, 'effort_rate': rate})
    a, ramp = effort / 2.0, effort / rate
    # half the way with ramps of the acceleration: v (ramp + v / a) / 2 = 1 / 2 at the fastest
    v = (np.sqrt(ramp**2 + 4.0 / a) - ramp) * a / 2.0
    least = 2.0 * (ramp + v / a)
    yield Measure(
        sd.retime, 'least time of a slider in closed form', fast.duration / least - 1.0, 0.01,
        'the motion is C4, the fastest one has jumps of the jerk',
        partial(sd.retime, slider, curve, {'effort': effort, 'effort_rate': rate}),
    )  # fmt: skip


@subject(MOTIONS)
def of_limits() -> Iterator[Measure]:
    """Compare the worst efforts of a motion with exact ones."""
    model, rng = _iiwa(), np.random.default_rng(3)
    times = np.linspace(0.0, 1.0, 12)
    jets = np.stack([random_joint_jet(rng, model.n, 1) for _ in times])
    exact = np.array([reference_efforts(model, jet).efforts[0] for jet in jets])
    report = sd.check_feasibility(model, jets, times)
    found = {check.joint: check.worst for check in report.checks if check.quantity == 'effort'}
    got = [found[name] for name in model.joint_names]
    limits = model.limits.effort
    worst = np.abs(exact / limits).argmax(axis=0)
    expected = exact[worst, np.arange(model.n)]
    many = np.tile(jets, (100, 1, 1))
    yield Measure(
        sd.check_feasibility, "d'Alembert", difference(got, expected),
        call=lambda: sd.check_feasibility(model, many[:120], np.arange(120.0)),
        growth=(lambda: sd.check_feasibility(model, many, np.arange(1200.0)), 10.0),
    )  # fmt: skip
    points = rng.uniform(-1.0, 1.0, (8, model.n))
    free = np.full(points.shape, np.nan)
    curve = smooth_trajectory(
        Waypoints(model.joint_names, np.linspace(0.0, 1.5, 8), points, free, free)
    )
    dense = np.linspace(*curve.breaks[[0, -1]], 20_001)
    samples = sd.check_feasibility(model, curve.jets(dense, 4), dense)
    bounds = certify(model, curve)
    worst, least = (
        np.array([check.excess for check in report.checks if check.excess > 0.0])
        for report in (bounds, samples)
    )
    yield Measure(
        certify, '20 000 samples with their own efforts', difference(worst, least), 2e-3,
        'bounds may be 1e-3 of the limit above the truth, never below it',
        partial(certify, model, curve),
    )  # fmt: skip


@subject(MOTIONS)
def of_measured_springs() -> Iterator[Measure]:
    """Compare efforts of cubic springs with rational arithmetic."""
    model, rng = _iiwa(), np.random.default_rng(4)
    drives = sd.Drives(
        {name: sd.JointDrive(sd.CubicSpring(300.0, 7e3)) for name in model.joint_names}
    )
    link, motor = np.zeros((2, 2, model.n))
    link[0] = rng.uniform(-1.0, 1.0, model.n)
    motor[0] = link[0] + rng.uniform(-0.1, 0.1, model.n)
    arguments = (sd.Robot(model, drives), link, motor, np.zeros(model.n))
    bent = [Fraction(a) - Fraction(b) for a, b in zip(motor[0], link[0], strict=True)]
    expected = [float(300 * x + 7000 * x**3) for x in bent]
    yield Measure(
        sd.measured_spring_efforts, RATIONAL,
        difference(sd.measured_spring_efforts(*arguments), expected),
        call=partial(sd.measured_spring_efforts, *arguments),
    )  # fmt: skip


@subject(MOTIONS)
def of_measured_motions() -> Iterator[Measure]:
    """Compare the smoothing spline of samples of quartics with them: any smoothing keeps them."""
    rng = np.random.default_rng(8)
    times, at = np.sort(rng.uniform(0.0, 2.0, 400)), np.linspace(0.3, 1.7, 9)
    curves = [np.polynomial.Polynomial(rng.normal(size=5)) for _ in range(3)]
    call = partial(measured_motion, times, np.stack([c(times) for c in curves], axis=1))
    found = call().jets(at, rows=4)
    expected = np.stack([[c.deriv(d)(at) for d in range(4)] for c in curves], axis=2)
    worst = max(
        difference(row, exact) for row, exact in zip(found.swapaxes(0, 1), expected, strict=True)
    )
    many = np.sort(rng.uniform(0.0, 20.0, 4000))
    values = np.stack([np.sin(many + k) for k in range(3)], axis=1)
    yield Measure(
        measured_motion, 'quartics, which no smoothing changes', worst, 1e-8,
        'rounding of the samples in their third derivative', call,
        (partial(measured_motion, many, values), 10.0),
    )  # fmt: skip


@subject(MOTIONS)
def of_identified_parameters() -> Iterator[Measure]:
    """Identify friction and base parameters from exact efforts of a motion without noise."""
    model, rng = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')), np.random.default_rng(5)
    knots, free = np.linspace(0.0, 12.0, 9), np.full((9, model.n), np.nan)
    points = Waypoints(model.joint_names, knots, rng.uniform(-1.0, 1.0, (9, 2)), free, free)
    times = np.arange(0.0, 12.0, 0.005)
    jets = smooth_trajectory(points).jets(times, rows=3)
    viscous, coulomb = np.array([0.4, 0.7]), np.array([0.3, 0.2])
    rates = jets[:, 1]
    efforts = sd.inverse_dynamics(model, jets)[:, 0]
    efforts += viscous * rates + coulomb * np.tanh(rates / 0.01)
    recording = Recording(model.joint_names, times, jets[:, 0], efforts)
    # sought, the velocity of Coulomb friction is found along a parabola, not to rounding
    call = partial(identify, model, recording, links=True, rotors=False, coulomb_velocity=0.01)
    found = dict(zip(call().names, call().values, strict=True))
    base = sd.base_parameters(model)
    expected = np.concatenate([viscous, coulomb, base.values])
    names = [f'{joint}.{kind}' for kind in ('viscous', 'coulomb') for joint in model.joint_names]
    got = [found[name] for name in (*names, *base.names)]
    yield Measure(
        identify, 'the parameters of the simulated robot', difference(got, expected), 1e-8,
        'rates are those of a smoothing spline', call,
    )  # fmt: skip


@subject(CODE)
def of_generated_code() -> Iterator[Measure]:
    """Compare C of a tree of all joints, compiled, with d'Alembert."""
    rng = np.random.default_rng(6)
    model = random_model(rng, TREE)
    jets = [random_joint_jet(rng, model.n, 5) for _ in range(5)]
    worst = 0.0
    compiler = shutil.which('cc')
    if compiler is None:
        raise FileNotFoundError('cc: expected a C compiler, got none')
    with tempfile.TemporaryDirectory() as folder:
        code = sd.generate_c(model, 'tree', order=5)
        for name, text in code.files.items():
            Path(folder, name).write_text(text, encoding='ascii')
        library = Path(folder, 'tree.so')
        command = [compiler, '-O2', '-shared', '-fPIC', '-o', library, Path(folder, 'tree.c')]
        subprocess.run([*command, '-lm'], check=True)
        function = ctypes.CDLL(str(library)).tree_inverse_dynamics
        out = np.empty((6, model.n))
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (*jets, out)]
        for jet, pointer in zip(jets, pointers, strict=False):
            function(pointer, pointers[-1])
            exact = reference_efforts(model, jet)
            for row, expected, scale in zip(out, exact.efforts, exact.scale, strict=True):
                worst = max(worst, difference(row, expected, 1e-3 * float(scale)))
    yield Measure(
        sd.generate_c, "d'Alembert, of efforts to order 5 by the compiled code", worst,
        call=partial(sd.generate_c, model, 'tree', order=5),
    )  # fmt: skip


@subject(SOFT)
def of_actuators() -> Iterator[Measure]:
    """Compare a hinge and threads through an arc with the closed form of their lengths."""
    rod = sd.soft.ConstantCurvature(0.3, 0.02, 0.4, 0.06, 630.0, 0.1)
    robot = sd.soft.SoftRobot([sd.soft.Joint('revolute', (0, 1, 0)), rod])
    places = 0.015 * np.array([[1.0, 0.0], [-0.5, 0.8], [-0.4, -0.9]])
    threads = [sd.soft.Thread(robot, {'body_1': place}) for place in places]
    drives = [sd.soft.JointEffort(robot, 'joint_1'), *threads]
    rng = np.random.default_rng(7)
    jet, inputs = rng.uniform(-0.1, 0.1, (5, robot.n)), rng.uniform(0.5, 1.0, (3, 4))
    matrix = np.zeros((robot.n, 4))  # lengths are 0.3 + q_3 - x q_1 - y q_2
    matrix[0, 0], matrix[1:3, 1:], matrix[3, 1:] = 1.0, places.T, -1.0
    closed = 'closed form of the lengths'
    call = partial(sd.soft.actuation_matrix, drives, jet[:1])
    yield Measure(sd.soft.actuation_matrix, closed, difference(call()[0], matrix), call=call)
    call = partial(sd.soft.actuation_efforts, drives, jet[:3], inputs)
    yield Measure(
        sd.soft.actuation_efforts, closed, difference(call(), inputs @ matrix.T), call=call
    )
    call = partial(sd.soft.collocated_coordinates, drives, *jet[:2])
    found, shift = call(), np.array([0.0, 0.3, 0.3, 0.3])
    worst = max(
        difference(found.position, jet[0] @ matrix - shift),
        difference(found.velocity, jet[1] @ matrix),
    )
    yield Measure(sd.soft.collocated_coordinates, closed, worst, call=call)
    wanted = rng.normal(size=4)
    call = partial(sd.soft.linearising_inputs, drives, *jet[:2], wanted)
    moved = sd.forward_dynamics(robot, *jet[:2], matrix @ call())
    yield Measure(
        sd.soft.linearising_inputs, 'accelerations of the simulated robot',
        difference(moved @ matrix, wanted), 1e-10, 'condition of the mass matrix, 1e4', call,
    )  # fmt: skip
    efforts = matrix[1:, 1:] @ [3.0, 1.0, 2.0]
    call = partial(sd.soft.allocate_tensions, matrix[1:, 1:], efforts)
    yield Measure(
        sd.soft.allocate_tensions, 'the tensions that cause the efforts',
        difference(call(), [3.0, 1.0, 2.0]), call=call,
    )  # fmt: skip
