# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Stage`: a scene as nodes of viser, which shows it in a browser."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import inverse_pose, pose
from screw_dynamics.viewer import shapes
from screw_dynamics.viewer.motion import Sample
from screw_dynamics.viewer.outline import Mark
from screw_dynamics.viewer.scene import Instant, Scene, share_colours

if TYPE_CHECKING:
    from viser import ViserServer

LAYERS = {
    'links': True,
    'efforts': True,
    'axes': False,
    'names': False,
    'frames': False,
    'centre of mass': False,
    'inertias': False,
}
FIELD = np.radians(45.0)  # of the camera
_VIEW = np.array([0.72, -0.62, 0.33])  # from where it looks
_MARGIN = 0.94  # of a picture that the robot may fill
_PAGE = 1280, 800  # px, a browser
_AXIS, _MOTOR, _LINK = (90, 90, 105), (240, 140, 20), (60, 70, 84)
_SOFT, _THREAD, _CENTRE = (238, 132, 100), (40, 40, 48), (30, 30, 30)
_FORCE, _TORQUE = (205, 30, 60), (140, 60, 190)


class Stage:
    """The nodes of a scene; `show` moves them, all at once."""

    def __init__(self, server: ViserServer, scene: Scene) -> None:
        self._server, self._scene = server, scene
        self._layers: dict[str, list[Any]] = {name: [] for name in LAYERS}
        self._visible = {name for name, visible in LAYERS.items() if visible}
        first = scene.at(Sample(np.zeros(scene.robot.n)))
        with server.atomic():
            self._set_up(first)
            self._add_bodies()
            self._add_joints(first)
            self._add_soft(first)
        self.shown = first

    def set_layer(self, name: str, visible: bool) -> None:
        """Show or hide a layer of `LAYERS`."""
        (self._visible.add if visible else self._visible.discard)(name)
        for node in self._layers[name]:
            node.visible = visible

    def names(self, width: int, height: int) -> list[tuple[str, float, float]]:
        """Return the visible names of joints with their places [px] in a picture."""
        if 'names' not in self._visible:
            return []
        scene, to_camera = self._scene, inverse_pose(self.camera(width, height))
        beside = np.array([1.9 * scene.ring, 0.0, 0.0, 1.0])
        points = to_camera @ (self.shown.marks @ beside)[..., np.newaxis]
        places = 0.5 * height * points[:, :2, 0] / points[:, 2] / np.tan(0.5 * FIELD)
        return [
            (_name(mark), 0.5 * width + x, 0.5 * height + y)
            for mark, (x, y) in zip(scene.marks, places.tolist(), strict=True)
        ]

    def show(self, sample: Sample) -> None:
        """Draw an instant."""
        now = self._scene.at(sample)
        with self._server.atomic():
            rotations, origins = turns(now.places), now.places[:, :3, 3]
            for place, node in self._places.items():
                node.wxyz, node.position = rotations[place], origins[place]
            colours = now.colours().astype(np.uint8)
            sizes = 1.0 + 0.25 * np.minimum(np.nan_to_num(np.abs(now.shares)), 1.5)
            for chosen, node in self._rings:
                _place(node, now.marks[chosen])
                node.batched_colors, node.batched_scales = colours[chosen], sizes[chosen]
            if self._axes is not None:
                _place(self._axes, now.marks)
            _place(self._frames, self._scene.frames(now.places))
            if np.isfinite(now.mass_centre).all():
                self._centre.position = now.mass_centre
            self._show_motors(now)
            self._show_loads(now)
            for node, vertices in zip(self._tubes, now.surfaces, strict=True):
                node.vertices = vertices.astype(np.float32)
            if now.threads:
                self._threads.points = _segments(now.threads)
            if self._points is not None:
                self._points.points = self._scene.points(now.places, sample.position)
        self.shown = now

    def _set_up(self, first: Instant) -> None:
        """Set the ground, the light and the camera."""
        scene, server = self._scene, self._server
        low, high = scene.space.min(axis=0), scene.space.max(axis=0)
        size, middle = max(float(np.linalg.norm(high - low)), scene.reach), 0.5 * (low + high)
        server.scene.set_up_direction('+z')
        # lights of its own: the environment of viser is a picture from the network
        server.scene.configure_environment_map(None)
        server.scene.configure_default_lights(False)
        server.scene.add_light_hemisphere(
            '/lights/sky', sky_color=(255, 255, 255), ground_color=(170, 175, 185), intensity=1.5
        )
        for name, place, intensity in (
            ('sun', (0.6, -0.5, 1.0), 1.6),
            ('fill', (-0.5, -0.8, 0.3), 0.6),
        ):
            server.scene.add_light_directional(
                f'/lights/{name}', intensity=intensity, cast_shadow=name == 'sun',
                position=middle + 2.0 * size * np.array(place),
            )  # fmt: skip
        cell = 10.0 ** np.floor(np.log10(0.4 * size))
        server.scene.add_grid(
            '/grid', infinite_grid=True, cell_size=cell, section_size=5.0 * cell,
            cell_color=(222, 226, 231), section_color=(196, 203, 211), cell_thickness=0.6,
            section_thickness=0.9, fade_distance=6.0 * size, shadow_opacity=0.12,
            position=(0.0, 0.0, min(0.0, float(low[2]) - scene.thickness)),
        )  # fmt: skip
        camera = self.camera(*_PAGE)
        distance = (middle - camera[:3, 3]) @ camera[:3, 2]
        # farther and lower than in pictures: below are the curves
        own = camera @ np.array([0.0, 0.17 * distance, -0.3 * distance, 1.0])
        server.initial_camera.position = own[:3]
        server.initial_camera.look_at = own[:3] + 1.3 * distance * camera[:3, 2]
        server.initial_camera.fov = FIELD

    def camera(self, width: int, height: int) -> Array:
        """Return the nearest pose (4, 4) of a camera whose picture has the whole robot in it."""
        points = self._scene.space
        room = (2.6 if self._visible & {'axes', 'frames'} else 1.2) * self._scene.ring
        axes = look_at(_VIEW, np.zeros(3))[:3, :3]
        high = np.tan(0.5 * FIELD)
        across, depth = points @ axes[:, :2], points @ axes[:, 2:]
        wide = _MARGIN * high * np.array([width / height, 1.0])
        first = (across - room + wide * depth).min(axis=0)
        last = (across + room - wide * depth).max(axis=0)
        # the camera at distance d before the origin sees |x - c| <= wide (z + d)
        distance = ((last - first) / (2.0 * wide)).max()
        return np.asarray(pose(axes, axes @ np.array([*(0.5 * (first + last)), -distance])))

    def _add_bodies(self) -> None:
        scene, add = self._scene, self._server.scene
        self._places = {}
        for place in sorted({p.place for p in (*scene.parts, *scene.boxes)}):
            self._places[place] = add.add_frame(f'/robot/{place}', show_axes=False)
        for part in scene.parts:
            self._layers['links'].append(
                add.add_mesh_simple(
                    f'/robot/{part.place}/{part.name}',
                    *part.mesh,
                    color=part.colour,
                    side='double',
                )
            )
        for part in scene.boxes:
            name = f'/robot/{part.place}/{part.name}'
            node = add.add_mesh_simple(
                name, *part.mesh, color=part.colour, opacity=0.55, visible=LAYERS['inertias']
            )
            self._layers['inertias'].append(node)

    def _add_joints(self, first: Instant) -> None:
        scene, add = self._scene, self._server.scene
        self._rings: list[tuple[list[int], Any]] = []

        def form(k: int) -> tuple[str, float]:
            return scene.marks[k].kind, scene.marks[k].pitch

        for (kind, pitch), group in groupby(sorted(range(len(scene.marks)), key=form), form):
            chosen = list(group)
            mesh = shapes.joint_symbol(kind, pitch, scene.ring)
            node = add.add_batched_meshes_simple(
                f'/joints/{kind}_{len(self._rings)}', *mesh, *_posed(first.marks[chosen]),
                batched_scales=np.ones(len(chosen), np.float32), lod='off',
                batched_colors=share_colours(first.shares[chosen]).astype(np.uint8),
            )  # fmt: skip
            self._rings.append((chosen, node))
            self._layers['efforts'].append(node)
        self._axes = self._batch('/joints/axes', 'axes', _axis_arrow(scene), first.marks, _AXIS)
        for mark in scene.marks:
            label = add.add_label(
                f'/robot/{mark.place}/{mark.name}/name',
                _name(mark),
                position=mark.pose[:3, 3] + 1.9 * scene.ring * mark.pose[:3, 0],
                visible=LAYERS['names'],
            )
            self._layers['names'].append(label)
        frames = _posed(scene.frames(first.places))
        self._frames = add.add_batched_axes(
            '/frames', *frames, axes_length=2.2 * scene.ring, axes_radius=0.08 * scene.ring,
            visible=LAYERS['frames'],
        )  # fmt: skip
        self._layers['frames'].append(self._frames)
        self._centre = add.add_icosphere(
            '/centre_of_mass', 0.6 * scene.ring, color=_CENTRE, visible=LAYERS['centre of mass']
        )
        self._layers['centre of mass'].append(self._centre)
        self._motors: list[Any] = []
        self._loads: Any = None

    def _batch(
        self, name: str, layer: str, mesh: shapes.Mesh, poses: Array, colour: shapes.Colour
    ) -> Any:
        if not len(poses):
            return None
        node = self._server.scene.add_batched_meshes_simple(
            name, *mesh, *_posed(poses), batched_colors=colour, lod='off', visible=LAYERS[layer]
        )
        self._layers[layer].append(node)
        return node

    def _show_motors(self, now: Instant) -> None:
        """Draw pointers of links and motors, and the springs between them."""
        if not len(now.motors):
            return
        chosen = self._scene.joints_of_motors
        if not self._motors:
            add, ring = self._server.scene, self._scene.ring
            hand = shapes.box(np.array([0.95, 0.16, 0.16]) * ring)
            shift = pose(np.eye(3), np.array([1.48 * ring, 0.0, 0.0]))
            for name, poses, colour in (
                ('links', now.marks[chosen], _LINK),
                ('motors', now.motors, _MOTOR),
            ):
                self._motors.append(
                    add.add_batched_meshes_simple(
                        f'/springs/{name}',
                        *hand.placed(shift),
                        *_posed(poses),
                        lod='off',
                        batched_colors=colour,
                    )  # fmt: skip
                )
            self._motors.append(
                add.add_line_segments(
                    '/springs/lines', _segments(list(now.springs)), _MOTOR, thickness=0.07 * ring
                )
            )
        _place(self._motors[0], now.marks[chosen])
        _place(self._motors[1], now.motors)
        self._motors[2].points = _segments(list(now.springs))

    def _show_loads(self, now: Instant) -> None:
        if not len(now.loads):
            return
        arrows = now.loads.reshape(-1, 2, 3)
        if self._loads is None:
            colours = np.tile(np.array([_FORCE, _TORQUE], np.uint8), (len(now.loads), 1))
            size = 0.35 * self._scene.ring
            self._loads = self._server.scene.add_arrows(
                '/loads', arrows, colours, shaft_radius=0.5 * size, head_radius=size,
                head_length=2.5 * size,
            )  # fmt: skip
        self._loads.points = arrows.astype(np.float32)

    def _add_soft(self, first: Instant) -> None:
        add = self._server.scene
        self._tubes = [
            add.add_mesh_simple(
                f'/soft/{k}', vertices, tube.faces, color=_SOFT, side='double',
                opacity=0.6 if first.threads else None,
            )
            for k, (tube, vertices) in enumerate(
                zip(self._scene.tubes, first.surfaces, strict=True)
            )
        ]  # fmt: skip
        self._layers['links'] += self._tubes
        if first.threads:
            self._threads = add.add_line_segments(
                '/threads',
                _segments(first.threads),
                _THREAD,
                thickness=0.15 * min(tube.radius for tube in self._scene.tubes),
            )
        points = self._scene.points(first.places, np.zeros(self._scene.robot.n))
        self._points = None
        if len(points):
            size = 0.3 * self._scene.thickness
            self._points = add.add_point_cloud('/points', points, _SOFT, point_size=size)


def look_at(place: Array, target: Array) -> Array:
    """Return the pose (4, 4) of a camera: z forward, x to the right, y down, level."""
    forward = (target - place) / np.linalg.norm(target - place)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    axes = np.column_stack([right, np.cross(forward, right), forward])
    return np.asarray(pose(axes, place))


def _axis_arrow(scene: Scene) -> shapes.Mesh:
    """Return the arrow along the axis of a joint, to both sides of its origin."""
    length = 5.0 * scene.ring
    mesh = shapes.arrow(0.12)
    return shapes.Mesh((mesh.vertices - [0.0, 0.0, 0.5]) * length, mesh.faces)


def _name(mark: Mark) -> str:
    return f'{mark.name}, h = {mark.pitch:.4g} m/rad' if mark.pitch else mark.name


def turns(poses: Array) -> Array:
    """Return the quaternions (N, 4), w first, of poses (N, 4, 4)."""
    from viser.transforms import SO3

    return np.asarray(SO3.from_matrix(poses[:, :3, :3]).wxyz)


def _posed(poses: Array) -> tuple[Array, Array]:
    return turns(poses), poses[:, :3, 3]


def _place(node: Any, poses: Array) -> None:
    node.batched_wxyzs = turns(poses).astype(np.float32)
    node.batched_positions = poses[:, :3, 3].astype(np.float32)


def _segments(lines: list[Array]) -> Array:
    """Return the pieces (N, 2, 3) of lines (p, 3)."""
    pieces = [np.stack([line[:-1], line[1:]], axis=1) for line in lines]
    return np.concatenate(pieces).astype(np.float32)
