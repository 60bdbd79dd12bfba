# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Stage`: a scene as nodes of viser, which shows it in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.outline import Mark
from screw_dynamics.lie import axis_angle_rotation, inverse_pose, pose
from screw_dynamics.viewer import shapes
from screw_dynamics.viewer.motion import Sample
from screw_dynamics.viewer.scene import UNKNOWN, Instant, Scene

if TYPE_CHECKING:
    from viser import ViserServer

LAYERS = {
    'links': True,
    'efforts': True,
    'springs': True,
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
_PANEL, _CURVES, _PHONE = 330.0, 240.0, 576.0  # px: width and height of panels; a narrow page
CENTRE_OF_MASS, THREADS, POINTS = '/centre_of_mass', '/threads', '/points'
_AXIS, _MOTOR, _LINK = (90, 90, 105), (240, 140, 20), (98, 110, 126)
_SOFT, _THREAD, _CENTRE = (238, 132, 100), (40, 40, 48), (30, 30, 30)
_FORCE, _TORQUE = (205, 30, 60), (140, 60, 190)


class Stage:
    """The nodes of a scene; `show` moves them, all at once."""

    def __init__(self, server: ViserServer, scene: Scene, curves: bool = False) -> None:
        self._server, self.scene = server, scene
        self._below = _CURVES if curves else 0.0  # px of the page
        self.layers: dict[str, list[Any]] = {name: [] for name in LAYERS}
        self._visible = {name for name, visible in LAYERS.items() if visible}
        self._side = _best_side(scene.space)
        self.shown = scene.at(Sample(scene.start))
        self._springs: list[tuple[bool, Any, Any]] = []
        self._loads: dict[str, Any] = {}
        with server.atomic():
            self._set_up()
            self._add_bodies()
            self._add_joints()
            self._add_soft(self.shown)

    def set_layer(self, name: str, visible: bool) -> None:
        """Show or hide a layer of `LAYERS`."""
        (self._visible.add if visible else self._visible.discard)(name)
        for node in self.layers[name]:
            node.visible = visible

    def names(self, width: int, height: int, line: float) -> list[tuple[str, float, float]]:
        """Return the visible names of joints with their places [px], lines apart, in a picture."""
        if 'names' not in self._visible:
            return []
        scene, to_camera = self.scene, inverse_pose(self.camera(width, height))
        beside = np.array([1.9 * scene.ring, 0.0, 0.0, 1.0])
        found: list[tuple[str, float, float]] = []
        for mark in scene.marks:
            x, y, z, _ = to_camera @ self.shown.places[mark.place] @ mark.pose @ beside
            focus = 0.5 * height / np.tan(0.5 * FIELD) / z
            found.append((_name(mark), 0.5 * width + focus * x, 0.5 * height + focus * y))
        found.sort(key=lambda name: name[2])
        for k, (name, x, y) in enumerate(found):
            for other, beside_x, above in found[:k]:
                longest = 0.6 * line * max(len(name), len(other))
                if abs(x - beside_x) < longest and y < above + line:
                    y = above + line
            found[k] = name, x, y
        return found

    def show(self, sample: Sample) -> None:
        """Draw an instant."""
        now = self.scene.at(sample)
        with self._server.atomic():
            rotations, origins = turns(now.places), now.places[:, :3, 3]
            for place, node in self._places.items():
                node.wxyz, node.position = rotations[place], origins[place]
            sizes = 1.0 + 0.25 * np.minimum(np.nan_to_num(np.abs(now.shares)), 1.5)
            for node, colour, size in zip(self._rings, now.colours(), sizes, strict=True):
                node.color, node.scale = tuple(colour.astype(int).tolist()), float(size)
            if np.isfinite(now.mass_centre).all():
                self._centre.position = now.mass_centre
            self._show_springs(now)
            self._show_loads(now)
            for node, vertices in zip(self._tubes, now.surfaces, strict=True):
                node.vertices = vertices.astype(np.float32)
            if now.threads:
                self._threads.points = segments(now.threads)
            if self._points is not None:
                self._points.points = self.scene.points(now.places, sample.position)
        self.shown = now

    def _set_up(self) -> None:
        """Set the ground, the light and the camera."""
        scene, server = self.scene, self._server
        low, high = scene.reached.min(axis=0), scene.reached.max(axis=0)
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
        ground = min(0.0, float(scene.space[:, 2].min()) - scene.thickness)
        server.scene.add_grid(
            '/grid', infinite_grid=True, cell_size=cell, section_size=5.0 * cell,
            cell_color=(190, 195, 202), section_color=(165, 171, 179), cell_thickness=0.4,
            section_thickness=0.7, fade_distance=6.0 * size, shadow_opacity=0.12,
            position=(0.0, 0.0, ground),
        )  # fmt: skip
        self.aim(server.initial_camera, *_PAGE)
        server.initial_camera.fov = FIELD

    def aim(self, camera: Any, width: int, height: int) -> None:
        """Point a camera of viser at all that the robot reaches, beside the panels of a page."""
        phone = width < _PHONE
        left, below = (0.0, 0.6) if phone else (_PANEL / width, self._below / height)
        free = (left, 0.0, 1.0 - left, 1.0 - min(below, 0.6))
        at = self.camera(width, height, self.scene.reached, free)
        far = (self.scene.reached.mean(axis=0) - at[:3, 3]) @ at[:3, 2]
        camera.position = at[:3, 3]
        camera.look_at = at[:3, 3] + far * at[:3, 2]

    @property
    def _room(self) -> float:
        return (2.6 if self._visible & {'axes', 'frames'} else 1.2) * self.scene.ring

    def view(self) -> dict[str, Any]:
        """Return what a page needs to compute `aim` by itself."""
        axes = look_at(self._side, np.zeros(3))[:3, :3]
        seen = self.scene.reached @ axes
        ways = np.random.default_rng(0).normal(size=(300, 3))
        farthest = np.unique((seen @ ways.T).argmax(axis=0))
        return {
            'axes': axes.tolist(),
            'points': seen[farthest].round(5).tolist(),
            'depth': float(seen[:, 2].mean()),
            'room': self._room,
            'margin': _MARGIN,
            'tan': float(np.tan(0.5 * FIELD)),
            'panel': _PANEL,
            'curves': self._below,
            'phone': _PHONE,
        }

    def camera(
        self,
        width: int,
        height: int,
        points: Array | None = None,
        free: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0),
    ) -> Array:
        """
        Return the nearest pose (4, 4) of a camera whose picture has all points in its free part.

        The part is left, top, right, bottom as shares of the picture; the points are by default
        those of the robot, or of its motion.
        """
        points = self.scene.space if points is None else points
        axes = look_at(self._side, np.zeros(3))[:3, :3]
        across, depth, room = points @ axes[:, :2], points @ axes[:, 2:], self._room
        wide = np.tan(0.5 * FIELD) * np.array([width / height, 1.0])
        low, high = wide * (2.0 * np.array([free[:2], free[2:]]) - 1.0)
        edge = 0.5 * (1.0 - _MARGIN) * (high - low)
        low, high = low + edge, high - edge
        # a camera at c, at the distance d before the origin: low (z + d) <= x - c <= high (z + d)
        last = (across + room - high * depth).max(axis=0)
        first = (across - room - low * depth).min(axis=0)
        distance = ((last - first) / (high - low)).max()
        centre = 0.5 * (first + last - (low + high) * distance)
        return np.asarray(pose(axes, axes @ np.array([*centre, -distance])))

    def _add_bodies(self) -> None:
        scene, add = self.scene, self._server.scene
        at, wxyzs = self.shown.places[:, :3, 3], turns(self.shown.places)
        self._places = {
            place: add.add_frame(
                f'/robot/{place}', show_axes=False, wxyz=wxyzs[place], position=at[place]
            )
            for place in range(len(at))
        }
        for layer, parts, options in (
            ('links', scene.parts, {'side': 'double'}),
            ('inertias', scene.boxes, {'opacity': 0.55}),
        ):
            for part in parts:
                node = add.add_mesh_simple(
                    f'/robot/{part.place}/{part.name}',
                    *part.mesh,
                    color=part.colour,
                    visible=LAYERS[layer],
                    **options,
                )
                self.layers[layer].append(node)

    def _add_joints(self) -> None:
        """Add rings, axes and names, which move with the links; frames and the centre of mass."""
        scene, add, ring = self.scene, self._server.scene, self.scene.ring
        self._rings = []
        for mark in scene.marks:
            at = joint_node(mark)
            add.add_frame(at, show_axes=False, **_placed(mark.pose))
            symbol = shapes.joint_symbol(mark.kind, mark.pitch, ring)
            self._rings.append(add.add_mesh_simple(f'{at}/ring', *symbol, color=UNKNOWN))
            axis = add.add_mesh_simple(
                f'{at}/axis', *_axis_arrow(scene), color=_AXIS, visible=LAYERS['axes']
            )
            self.layers['axes'].append(axis)
            label = add.add_label(
                f'{at}/name',
                _name(mark),
                position=(1.9 * ring, 0.0, 0.0),
                visible=LAYERS['names'],
                anchor='center-left',
            )
            self.layers['names'].append(label)
        self.layers['efforts'] += self._rings
        for name, (place, own) in scene.outline.links.items():
            frame = add.add_frame(
                f'/robot/{place}/{name}/frame', axes_length=2.2 * ring, axes_radius=0.08 * ring,
                visible=LAYERS['frames'], **_placed(own),
            )  # fmt: skip
            self.layers['frames'].append(frame)
        self._centre = add.add_icosphere(
            CENTRE_OF_MASS, 0.6 * ring, color=_CENTRE, visible=LAYERS['centre of mass'],
            position=np.nan_to_num(self.shown.mass_centre),
        )  # fmt: skip
        self.layers['centre of mass'].append(self._centre)

    def _show_springs(self, now: Instant) -> None:
        """Draw pointers of links and motors, and the springs between them."""
        if len(now.deflections) and not self._springs:
            add, ring = self._server.scene, self.scene.ring
            hand = shapes.box(np.array([0.95, 0.16, 0.16]) * ring)
            hand = hand.placed(pose(np.eye(3), np.array([1.48 * ring, 0.0, 0.0])))
            for motor, k in enumerate(self.scene.joints_of_motors):
                at = joint_node(self.scene.marks[k])
                link = add.add_mesh_simple(f'{at}/link', *hand, color=_LINK)
                node = add.add_mesh_simple(f'{at}/motor_{motor}', *hand, color=_MOTOR)
                spring = segments([now.springs[motor]])
                line = add.add_line_segments(
                    f'{at}/spring_{motor}', spring, _MOTOR, thickness=0.07 * ring
                )
                slides = self.scene.marks[k].kind == 'prismatic'
                self._springs.append((slides, node, line))
                self.layers['springs'] += [link, node, line]
        drawn = zip(self._springs, now.deflections, now.springs, strict=False)  # or none
        for (slides, motor_node, line), deflection, points in drawn:
            line.points = segments([points])
            if slides:
                motor_node.position = (0.0, 0.0, deflection)
            else:
                motor_node.wxyz = (np.cos(0.5 * deflection), 0.0, 0.0, np.sin(0.5 * deflection))

    def spring_nodes(self) -> list[tuple[bool, str, str]]:
        """Return whether joints slide, and the nodes of their motors and springs."""
        return [(slides, motor.name, line.name) for slides, motor, line in self._springs]

    def load_node(self, frame: str) -> str:
        """Return the name of the node with the load at a frame."""
        return f'/robot/{self.scene.outline.links[frame][0]}/{frame}/load'

    def _show_loads(self, now: Instant) -> None:
        """Draw forces and torques; of frames without one they have no length."""
        for name in now.loads.keys() - self._loads.keys():
            _, own = self.scene.outline.links[name]
            size = 0.35 * self.scene.ring
            self._loads[name] = self._server.scene.add_arrows(
                self.load_node(name), np.zeros((2, 2, 3)),
                np.array([_FORCE, _TORQUE], np.uint8), shaft_radius=0.5 * size,
                head_radius=size, head_length=2.5 * size, **_placed(own),
            )  # fmt: skip
        for name, node in self._loads.items():
            ends = now.loads.get(name, np.zeros((2, 3)))
            node.points = np.stack([np.zeros((2, 3)), ends], axis=1).astype(np.float32)
            node.visible = bool(ends.any())

    def _add_soft(self, first: Instant) -> None:
        add = self._server.scene
        self._tubes = [
            add.add_mesh_simple(
                f'/soft/{k}', vertices, shapes.grid_faces(*tube.shape), color=_SOFT, side='double',
                opacity=0.6 if first.threads else None,
            )
            for k, (tube, vertices) in enumerate(
                zip(self.scene.tubes, first.surfaces, strict=True)
            )
        ]  # fmt: skip
        self.layers['links'] += self._tubes
        if first.threads:
            self._threads = add.add_line_segments(
                THREADS,
                segments(first.threads),
                _THREAD,
                thickness=0.15 * min(tube.radius for tube in self.scene.tubes),
            )
        points = self.scene.points(first.places, self.scene.start)
        self._points = None
        if len(points):
            size = 0.3 * self.scene.thickness
            self._points = add.add_point_cloud(POINTS, points, _SOFT, point_size=size)


def joint_node(mark: Mark) -> str:
    """Return the name of the node with the axes of a joint."""
    return f'/robot/{mark.place}/~{mark.name}'  # links have names without ~


def _best_side(points: Array) -> Array:
    """Return from where a robot is wide: the usual side, unless another is much better."""
    eighth = axis_angle_rotation(np.array([0.0, 0.0, 1.0]), 0.25 * np.pi)
    sides = [_VIEW, eighth.T @ _VIEW, eighth @ _VIEW, eighth @ eighth @ _VIEW]
    widths = [float(np.ptp(points @ look_at(side, np.zeros(3))[:3, 0])) for side in sides]
    best = int(np.argmax(widths))
    return np.asarray(sides[best if widths[best] > 1.4 * widths[0] else 0])


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


def _placed(at: Array) -> dict[str, Array]:
    return {'wxyz': turns(at[np.newaxis])[0], 'position': at[:3, 3]}


def segments(lines: list[Array]) -> Array:
    """Return the pieces (N, 2, 3) of lines (p, 3)."""
    pieces = [np.stack([line[:-1], line[1:]], axis=1) for line in lines]
    return np.concatenate(pieces).astype(np.float32)
