# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The terms are the same numbers in C, by numba and as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracles.robots import bundled_urdfs

from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.control_terms import control_terms
from screw_dynamics.dynamics.coriolis_matrix import coriolis_matrix
from screw_dynamics.dynamics.effort_partials import effort_partials
from screw_dynamics.dynamics.forward_dynamics import forward_dynamics
from screw_dynamics.dynamics.gravity_forces import gravity_forces
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.dynamics.regressor import regressor
from screw_dynamics.jit import extension_kernels
from screw_dynamics.kinematics.frame_jets import frame_jacobian_jet, frame_twist
from screw_dynamics.kinematics.frames import frame_jacobian, frame_pose
from screw_dynamics.kinematics.task_space import task_to_joint_jet
from screw_dynamics.parsers import read_urdf

URDF = next(path for path in bundled_urdfs() if path.stem == 'branched_gripper')
ARM = next(path for path in bundled_urdfs() if path.stem == 'iiwa14')


def _terms() -> dict[str, np.ndarray]:
    model = read_urdf(URDF)
    q, qd, tau = np.random.default_rng(0).normal(size=(3, 4, model.n))
    jets = np.random.default_rng(1).normal(size=(2, 5, model.n))
    link = model.body_names[-1]
    jet = np.stack([q, qd, tau], axis=1)
    twist = frame_twist(model, jet, link, 'mixed')
    arm = read_urdf(ARM)
    batches = np.random.default_rng(2).normal(size=(3, 6, arm.n))
    states = batches[:, 0]
    terms = control_terms(model, q[0], qd[0], link)
    return {
        'mass_matrix': mass_matrix(model, q),
        'coriolis_matrix': coriolis_matrix(model, q, qd),
        'gravity_forces': gravity_forces(model, q),
        'bias_forces': bias_forces(model, q, qd),
        'forward_dynamics': forward_dynamics(model, q, qd, tau),
        'forward_dynamics_of_one_state': forward_dynamics(arm, *states),
        'forward_dynamics_of_articulated_bodies': forward_dynamics(arm, *batches),
        **{f'control_terms_{i}': x for i, x in enumerate(terms)},
        'effort_partials': effort_partials(model, jets),
        'effort_partials_of_order_0': effort_partials(model, jets[:, :3]),
        'effort_partials_of_one_state': effort_partials(model, jet[0]),
        'regressor': regressor(model, jets),
        'frame_pose': frame_pose(model, q, link),
        'frame_jacobian': frame_jacobian(model, q, link, 'hybrid'),
        'frame_twist': twist,
        'frame_jacobian_jet': frame_jacobian_jet(model, jet, link, 'spatial'),
        'task_to_joint_jet': task_to_joint_jet(model, q, twist, link, 'mixed', damping=0.5),
    }


@pytest.mark.skipif(not extension_kernels(), reason='needs the extension module')
@pytest.mark.parametrize('form', ['numpy', pytest.param('numba', marks=pytest.mark.long)])
def test_all_forms_of_the_kernels_agree(tmp_path, form):
    from helpers.patience import patience  # this file runs as a program too

    file = tmp_path / 'terms.npz'
    environment = os.environ | {'SCREW_DYNAMICS_KERNELS': form}
    environment['PYTHONPATH'] = os.pathsep.join(sys.path)
    subprocess.run(
        [sys.executable, __file__, file], check=True, env=environment, timeout=patience()
    )
    compiled = _terms()
    with np.load(file) as plain:
        assert sorted(plain) == sorted(compiled)
        for name, expected in compiled.items():
            # compiled code may round a product and a sum once instead of twice
            bound = 1e-13 * np.abs(expected).max()
            np.testing.assert_allclose(plain[name], expected, rtol=0.0, atol=bound, err_msg=name)


if __name__ == '__main__':
    assert not extension_kernels()
    np.savez(Path(sys.argv[1]), **_terms())
    assert ('numba' in sys.modules) == (os.environ['SCREW_DYNAMICS_KERNELS'] == 'numba')
