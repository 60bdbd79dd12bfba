# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Visual elements of a URDF."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.viewer.scene import Scene
from screw_dynamics.viewer.visuals import PLAIN, lost_meshes, mesh_file, read_visuals

STL = """solid one
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid one
"""
DAE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
  <library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert><diffuse>
    <color>0 1 0 1</color></diffuse></lambert></technique></profile_COMMON></effect>
  </library_effects>
  <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="s"><float_array id="a" count="9">0 0 0 100 0 0 0 200 0</float_array>
      <technique_common><accessor source="#a" count="3" stride="3"><param name="X" type="float"/>
      <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common>
    </source>
    <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
    <triangles count="1" material="n"><input semantic="VERTEX" source="#v" offset="0"/>
      <p>0 1 2</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material>
    <technique_common><instance_material symbol="n" target="#m"/></technique_common>
  </bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#w"/></scene>
</COLLADA>
"""
URDF = """<robot name="seen">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base">
    <visual><geometry><box size="1 2 3"/></geometry><material name="blue"/></visual>
  </link>
  <link name="arm">
    <inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual>
      <origin xyz="0 0 2" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.5" length="4"/></geometry>
    </visual>
  </link>
  <link name="tool">
    <visual><geometry><mesh filename="FILE" scale="2 3 4"/></geometry></visual>
  </link>
  <joint name="turn" type="continuous">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="fix" type="fixed">
    <parent link="arm"/><child link="tool"/><origin xyz="0 0 5"/>
  </joint>
</robot>
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return the folder of a ROS package with a mesh and a folder for the URDF."""
    for name in ('urdf', 'meshes'):
        (tmp_path / 'seen_description' / name).mkdir(parents=True)
    (tmp_path / 'seen_description/meshes/one.stl').write_text(STL)
    return tmp_path / 'seen_description'


def written(package: Path, address: str) -> Path:
    path = package / 'urdf/seen.urdf'
    path.write_text(URDF.replace('FILE', address))
    return path


def test_forms_places_and_colours(package):
    visuals = read_visuals(written(package, 'one.obj'))
    ((box, blue),) = visuals.links['base']
    assert blue == (0, 0, 255)
    np.testing.assert_array_equal(np.ptp(box.vertices, axis=0), [1.0, 2.0, 3.0])
    ((cylinder, colour),) = visuals.links['arm']
    assert colour == PLAIN
    # its axis turns from z to x
    np.testing.assert_allclose(cylinder.vertices.min(axis=0), [-2.0, -0.5, 1.5], atol=1e-12)
    np.testing.assert_allclose(cylinder.vertices.max(axis=0), [2.0, 0.5, 2.5], atol=1e-12)
    assert visuals.missing == {'tool': 'one.obj: there is no such file'}


@pytest.mark.parametrize(
    'address',
    [
        '../meshes/one.stl',
        'package://seen_description/meshes/one.stl',
        'file://{}/meshes/one.stl',
        'file://../meshes/one.stl',
    ],
)
def test_meshes_are_found(package, address):
    pytest.importorskip('trimesh', reason='mesh files need trimesh')
    path = written(package, address.format(package))
    visuals = read_visuals(path)
    assert not visuals.missing
    ((mesh, _),) = visuals.links['tool']
    np.testing.assert_array_equal(mesh.vertices.max(axis=0), [2.0, 3.0, 0.0])
    scene = Scene(sd.Robot(sd.read_urdf(path)), visuals)
    (drawn,) = [part for part in scene.parts if part.name == 'tool/0']
    assert drawn.place == 1  # on the arm, which moves it
    np.testing.assert_array_equal(drawn.mesh.vertices.max(axis=0), [2.0, 3.0, 5.0])


def test_packages_are_found_in_the_prefixes_of_ros(package, monkeypatch):
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/nowhere:{package.parent}')
    (package.parent / 'share').mkdir()
    package.rename(package.parent / 'share/seen_description')
    path = package.parent / 'share/seen_description/meshes/one.stl'
    for address in ('package://seen_description/meshes/one.stl', f'file://{path}', str(path)):
        assert mesh_file(address, None) == path
    with pytest.raises(FileNotFoundError, match='^package://other/one.stl: there is no such'):
        mesh_file('package://other/one.stl', None)


@pytest.mark.parametrize('inside', ['', 'seen_description'])
def test_packages_are_found_where_the_caller_says(package, tmp_path, inside):
    pytest.importorskip('trimesh', reason='mesh files need trimesh')
    path = written(package, 'package://seen_description/meshes/one.stl')
    alone = tmp_path / 'alone.urdf'
    elsewhere = tmp_path / 'elsewhere'
    elsewhere.mkdir()
    path.rename(alone)
    package.rename(elsewhere / 'seen_description')
    lost = read_visuals(alone)
    assert lost.lost == {'seen_description': ['package://seen_description/meshes/one.stl']}
    (line,) = lost.warnings('look elsewhere')
    assert line.startswith("1 mesh file of package 'seen_description' not found (looked in and ")
    assert str(tmp_path) in line and line.endswith('): look elsewhere')
    visuals = read_visuals(alone, elsewhere / inside)
    assert 'tool' in visuals.links and not visuals.warnings('')


def test_balls_and_elements_without_form_or_colour():
    text = URDF.replace('<box size="1 2 3"/></geometry><material name="blue"/>',
                        '<sphere radius="0.3"/></geometry><material name="none"/>')  # fmt: skip
    text = text.replace('<mesh filename="FILE" scale="2 3 4"/>', '')
    visuals = read_visuals(text)
    assert set(visuals.links) == {'base', 'arm'} and not visuals.missing
    ((ball, colour),) = visuals.links['base']
    np.testing.assert_allclose(np.linalg.norm(ball.vertices, axis=1), 0.3)
    assert colour == PLAIN
    assert read_visuals('<mujoco model="m"/>').links == {}


def test_links_with_lost_files_are_named(package):
    assert lost_meshes(written(package, 'one.obj')) == ['tool']
    assert lost_meshes(written(package, '../meshes/one.stl')) == []


def test_a_link_whose_file_is_missing_is_a_rod(package):
    path = written(package, 'one.obj')
    text = path.read_text().replace('<cylinder radius="0.5" length="4"/>', '<mesh filename="a"/>')
    path.write_text(text)
    names = [p.name for p in Scene(sd.Robot(sd.read_urdf(path)), read_visuals(path)).parts]
    assert names == ['base/0', 'rod_1', 'turn/drum']


def test_beside_pictures_links_with_mass_are_rods_and_virtual_ones_nothing(package):
    path = written(package, 'one.obj')
    text = re.sub(r'(?s)<link name="(arm|tool)">(.*?)<visual>.*?</visual>', r'<link name="\1">\2',
                  path.read_text())  # fmt: skip
    for there, expected in ((True, ['base/0', 'rod_1', 'turn/drum']), (False, ['base/0'])):
        path.write_text(text if there else re.sub(r'(?s)<inertial>.*</inertial>', '', text))
        names = [p.name for p in Scene(sd.Robot(sd.read_urdf(path)), read_visuals(path)).parts]
        assert names == expected


def test_files_that_are_no_meshes_are_missing(package):
    pytest.importorskip('trimesh', reason='mesh files need trimesh')
    (package / 'meshes/one.stl').write_text('no mesh')
    path = written(package, '../meshes/one.stl')
    visuals = read_visuals(path)
    assert list(visuals.missing) == ['tool']
    (line,) = visuals.warnings('')
    assert line.startswith('a visual element is not drawn: ') and not line.endswith('more')
    assert visuals.details() == [f"link 'tool' is drawn as a rod: {visuals.missing['tool']}"]
    path.write_text(path.read_text().replace('<box size="1 2 3"/>', '<capsule/>'))
    (line,) = read_visuals(path).warnings('')
    assert line == 'a visual element is not drawn: <capsule> is not drawn, and of 1 more'


def test_files_of_collada_have_their_unit_and_colour(package):
    for name in ('trimesh', 'collada'):
        pytest.importorskip(name, reason='files of Collada need trimesh and pycollada')
    (package / 'meshes/one.dae').write_text(DAE)
    ((mesh, green),) = read_visuals(written(package, '../meshes/one.dae')).links['tool']
    assert green == (0, 255, 0)
    # 1 m and 2 m, by the scale of the URDF; trimesh has the unit by way of inches
    np.testing.assert_allclose(mesh.vertices.max(axis=0), [2.0, 6.0, 0.0], rtol=1e-12)


def test_parts_of_a_file_have_their_colours(package):
    trimesh = pytest.importorskip('trimesh', reason='mesh files need trimesh')
    scene = trimesh.Scene()
    for height, colour in ((0.0, (255, 0, 0, 255)), (3.0, (0, 255, 0, 255)), (9.0, (255, 0, 0))):
        box = trimesh.creation.box((1.0, 1.0, 1.0))
        box.visual.face_colors = colour
        scene.add_geometry(
            box, transform=trimesh.transformations.translation_matrix((0, 0, height))
        )
    scene.export(package / 'meshes/three.glb')
    parts = read_visuals(written(package, '../meshes/three.glb')).links['tool']
    heights = {colour: np.ptp(mesh.vertices[:, 2]) for mesh, colour in parts}
    assert heights == {(255, 0, 0): 4.0 * 10.0, (0, 255, 0): 4.0}  # of a scale of 4
