# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`load`: which reader reads what, and robots by name of robot_descriptions."""

import sys

import pytest

pytest.importorskip('mujoco')

import screw_dynamics as sd  # noqa: E402

MJCF = """<?xml version="1.0"?>
<!-- a comment with <robot> in it -->
<mujoco model="rod"><worldbody><body name="rod"><joint name="hinge" axis="0 1 0"/>
  <inertial pos="0 0 -1" mass="2" diaginertia="1 1 1"/></body></worldbody></mujoco>"""


def test_mjcf_and_urdf_are_told_apart_by_their_root(tmp_path):
    path = tmp_path / 'robot.xml'
    path.write_text(MJCF)
    assert sd.load(path).joint_names == sd.load(MJCF).joint_names == ('hinge',)
    assert sd.load(path.rename(tmp_path / 'robot.mjcf')).joint_names == ('hinge',)
    urdf = sd.load(sd.share_path('urdf/panda.urdf'))
    assert urdf.drives is None
    assert urdf.model == sd.read_urdf(sd.share_path('urdf/panda.urdf'))


def test_a_name_is_one_of_robot_descriptions(tmp_path, monkeypatch):
    package = tmp_path / 'robot_descriptions'
    package.mkdir()
    (package / '__init__.py').touch()
    (tmp_path / 'rod.xml').write_text(MJCF)
    (package / 'rod_mj_description.py').write_text(f'MJCF_PATH = {str(tmp_path / "rod.xml")!r}')
    (package / 'far_description.py').write_text('raise OSError("no route to the host")')
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.startswith('robot_descriptions')]:
        monkeypatch.delitem(sys.modules, name)
    assert sd.load('rod_mj_description').model.name == 'rod'
    with pytest.raises(sd.errors.ModelError, match='far_description: no route to the host'):
        sd.load('far_description')
    with pytest.raises(sd.errors.UnknownNameError, match='did you mean rod_mj_description'):
        sd.load('rod_description')
