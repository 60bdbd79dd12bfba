# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A workspace: the results of the functions, in arrays that are made once."""

import tracemalloc

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, UnknownNameError
from screw_dynamics.kernels.kernel import kernel_form

TREE = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))  # a joint mimics another
ARM = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
SOFT = sd.soft.append_segments(
    sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')), sd.share_path('config/soft_finger.yaml')
)
FRAMES = [name for name, frame in TREE.frames.items() if frame.body >= 0][:2]


def calls(robot, jet, tau):
    """Return for methods of a workspace, by name, the inputs of a state."""
    q, qd, tip = jet[0], jet[1], list(robot.frames)[-1]
    return {
        'gravity_forces_jet': (jet,),
        'regressor': (jet,),
        'mass_matrix': (q,),
        'gravity_forces': (q,),
        'bias_forces': (q, qd),
        'coriolis_matrix': (q, qd),
        'forward_dynamics': (q, qd, tau),
        'frame_pose': (q, tip),
        'frame_jacobian': (q, tip, 'hybrid'),
    }


@pytest.mark.parametrize('robot', [TREE, ARM, SOFT], ids=lambda robot: robot.name)
def test_results_are_those_of_the_functions(robot, rng):
    loop = sd.Workspace(robot, order=2)
    arrays = {}
    for _ in range(3):
        jet, tau = 0.3 * rng.normal(size=(5, robot.n)), rng.normal(size=robot.n)
        np.testing.assert_array_equal(loop.efforts(jet), sd.inverse_dynamics(robot, jet))
        for name, inputs in calls(robot, jet, tau).items():
            if robot is SOFT and name in ('coriolis_matrix', 'regressor'):
                with pytest.raises(InputError, match='expected a ScrewModel, got'):
                    getattr(loop, name)(*inputs)
                continue
            found = getattr(loop, name)(*inputs)
            np.testing.assert_array_equal(found, getattr(sd, name)(robot, *inputs))
            if robot is not SOFT or not name.startswith('frame'):
                assert arrays.setdefault(name, found) is found


def test_wrenches_are_those_of_the_recursion_of_the_papers(rng):
    loop = sd.Workspace(TREE, 2, FRAMES)
    for _ in range(3):
        jet = rng.normal(size=(5, TREE.n))
        loop.wrenches[...] = rng.normal(size=(2, 3, 6))
        wrenches = dict(zip(FRAMES, loop.wrenches, strict=True))
        expected = sd.recursive_body_fixed(TREE, jet, wrenches)
        assert np.abs(expected - sd.recursive_body_fixed(TREE, jet)).max() > 0.1
        tolerance = 1e-12 * np.abs(expected).max()
        np.testing.assert_allclose(loop.efforts(jet), expected, rtol=0, atol=tolerance)


def test_lists_are_converted(rng):
    loop, q = sd.Workspace(ARM), rng.normal(size=ARM.n)
    np.testing.assert_array_equal(loop.mass_matrix(q.tolist()), sd.mass_matrix(ARM, q))
    jet = rng.normal(size=(ARM.n, 5)).T
    np.testing.assert_array_equal(loop.efforts(jet), sd.inverse_dynamics(ARM, jet))


def test_what_is_wrong_is_named(rng):
    loop = sd.Workspace(TREE, 2, FRAMES)
    jet = np.zeros((5, TREE.n))
    with pytest.raises(ShapeError, match=r'joint_jet: expected shape \(5, 7\), got \(4, 7\)'):
        loop.efforts(jet[:4])
    with pytest.raises(InputError, match='joint_jet: expected an array of real numbers'):
        loop.efforts([[1.0], [1.0, 2.0]])
    with pytest.raises(ShapeError, match=r'result: expected shape .* of one state'):
        loop.mass_matrix(jet)
    with pytest.raises(ShapeError, match='qd: expected shape'):
        loop.bias_forces(jet[0], jet)
    jet[4, 1] = np.nan
    with pytest.raises(NotFiniteError, match=f'joint {TREE.joint_names[1]!r}, derivative 4'):
        loop.efforts(jet)
    with pytest.raises(NotFiniteError, match='joint_jet'):
        loop.gravity_forces_jet(jet)
    jet[4, 1], loop.wrenches[1, 0, 2] = 0.0, np.inf
    with pytest.raises(NotFiniteError, match='wrench_jets'):
        loop.efforts(jet)
    with pytest.raises(UnknownNameError, match="frame 'nose'"):
        loop.frame_pose(jet[0], 'nose')
    with pytest.raises(InputError, match='representation'):
        loop.frame_jacobian(jet[0], FRAMES[0], 'world')


def test_arguments_are_checked():
    with pytest.raises(InputError, match='model: expected a ScrewModel, got int'):
        sd.Workspace(3)
    with pytest.raises(InputError, match='order: expected'):
        sd.Workspace(ARM, -1)
    with pytest.raises(UnknownNameError, match="frame 'nose'"):
        sd.Workspace(TREE, 0, ['nose'])
    with pytest.raises(InputError, match='expected one on a moving link, got the base'):
        sd.Workspace(TREE, 0, [TREE.base_link])


@pytest.mark.skipif(kernel_form() != 'c', reason='Python allocates')
def test_nothing_is_allocated(rng):
    loop, jet, tau = sd.Workspace(ARM), rng.normal(size=(5, ARM.n)), rng.normal(size=ARM.n)
    todo = [(getattr(loop, name), inputs) for name, inputs in calls(ARM, jet, tau).items()]
    loaded = sd.Workspace(TREE, 2, FRAMES)
    todo += [(loop.efforts, (jet,)), (loaded.efforts, (rng.normal(size=(5, TREE.n)),))]
    for call, inputs in todo:
        call(*inputs)
    tracemalloc.start()
    for call, inputs in todo:
        call(*inputs)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500  # bytes: frames of calls and a tuple, but no array (8 n^2 + 112)
