# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Viewer`: a page for web browsers with a robot, its motion and controls."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from html import escape
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from screw_dynamics.common.paths import new_file
from screw_dynamics.common.scalars import require_choice
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.soft.actuators.thread import Thread
from screw_dynamics.viewer.browser import photographer
from screw_dynamics.viewer.curves import cursor, curves, with_curves
from screw_dynamics.viewer.motion import Motion, Sample
from screw_dynamics.viewer.scene import Scene
from screw_dynamics.viewer.stage import LAYERS, Stage
from screw_dynamics.viewer.visuals import Visuals

_EFFORTS = ('effort', "effort' (rate)", "effort'' (second rate)")
_FRAMES = 30.0  # per second, of the animation
_SPEEDS = ('0.1', '0.25', '0.5', '1', '2', '4')
_ENLARGEMENTS = (1.0, 100.0)
_SLIDE = 0.1  # range of lengths without limits, over the reach of the robot
_MOST_PICTURES = 3000  # of a page


class Viewer:
    """
    A server of a page with a robot, its motion and controls; `view` makes it.

    It runs until `stop` or the end of the process, and is a context manager. At the end of a cell
    of a notebook it shows the page.

    Parameters
    ----------
    robot : Robot
    motion : Motion, optional
        Without it the page has sliders for the coordinates.
    visuals : Visuals, optional
        What the URDF shows of the links.
    port : int
        The first one that is free from here on is taken.
    threads : sequence of Thread
        See `view`.
    live : bool
        Without sliders, for samples of a measured robot, which `show` draws.
    host : str
        Address on which the page is served; ``'0.0.0.0'`` for other computers, too.

    Raises
    ------
    ModuleNotFoundError
        If viser is not installed (extra ``view``).

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.Robot(sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')))
    >>> with sd.viewer.Viewer(arm) as viewer:
    ...     print(viewer.address.rpartition(':')[0])
    http://localhost
    """

    def __init__(
        self,
        robot: Robot,
        motion: Motion | None = None,
        visuals: Visuals | None = None,
        port: int = 8080,
        *,
        threads: Sequence[Thread] = (),
        live: bool = False,
        host: str = 'localhost',
    ) -> None:
        import viser

        # of browsers that end in the middle of something
        logging.getLogger('websockets.server').setLevel(logging.CRITICAL)
        self.scene = Scene(robot, visuals, threads)
        if motion is not None:
            self.scene.prepare_for(motion)
        self.motion = motion
        with redirect_stdout(None):  # viser prints a table
            self.server = viser.ViserServer(host, port, label=robot.model.name, verbose=False)
        self.server.gui.configure_theme(
            control_width='medium', show_logo=False, show_share_button=False
        )
        self.stage = Stage(self.server, self.scene)
        self._stopped = threading.Event()
        self._lock = threading.RLock()
        self._plays, self._playing = False, threading.Thread(target=self._run, daemon=True)
        self._live: Sample | None = Sample(np.zeros(robot.n)) if live else None
        self._add_controls()

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return f'http://localhost:{self.server.get_port()}'

    def show(self, sample: Sample) -> None:
        """
        Draw one instant, of a measured robot for example.

        Parameters
        ----------
        sample : Sample
        """
        with self._lock:
            if self._live is not None:
                self._live = sample
            self.stage.show(sample)

    def show_time(self, seconds: float) -> None:
        """
        Draw the motion at a time, and move the slider there.

        Parameters
        ----------
        seconds : float
            Beyond the motion its first or last sample is drawn [s].
        """
        self._slider.value = seconds

    def show_layers(self, *names: str) -> None:
        """
        Draw what is not drawn at first.

        Parameters
        ----------
        *names : str
            ``'axes'``, ``'names'``, ``'frames'``, ``'centre of mass'``, ``'inertias'``.

        Raises
        ------
        InputError
            For another name.
        """
        for name in names:
            self._boxes[require_choice('names', name, LAYERS)].value = True

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """
        Write a page that plays the motion without a server and without a network.

        Parameters
        ----------
        path : path
        """
        with new_file(Path(path)) as place:
            place.write_text(self._page(), encoding='utf-8')

    def save_screenshot(
        self, path: str | os.PathLike[str], size: tuple[int, int] = (1280, 800)
    ) -> None:
        """
        Write a picture (PNG) of the scene, drawn by Chromium or Chrome.

        Parameters
        ----------
        path : path
        size : tuple of int
            Width and height [px].

        Raises
        ------
        InputError
            If there is no such browser, or it does not open the page.
        """
        with photographer(self.server, self.stage, size) as draw, new_file(Path(path)) as place:
            draw().save(place, 'PNG', optimize=True)

    def save_animation(
        self,
        path: str | os.PathLike[str],
        size: tuple[int, int] = (640, 400),
        rate: float = 12.0,
    ) -> None:
        """
        Write the motion as an animated picture (WebP), drawn by Chromium or Chrome.

        Parameters
        ----------
        path : path
        size : tuple of int
            Width and height [px].
        rate : float
            Pictures per second.

        Raises
        ------
        InputError
            If there is no motion, no such browser, or it does not open the page.
        """
        if self.motion is None:
            raise InputError('animation: expected a viewer with a motion, got one without')
        begin, end = self.motion.times[[0, -1]]
        pictures = []
        with photographer(self.server, self.stage, size) as draw:
            for seconds in np.arange(begin, end, 1.0 / rate):
                self.show_time(float(seconds))
                pictures.append(draw())
        with new_file(Path(path)) as place:
            pictures[0].save(
                place, 'WEBP', save_all=True, append_images=pictures[1:], loop=0,
                duration=round(1e3 / rate), quality=70, method=6,
            )  # fmt: skip

    def wait(self) -> None:
        """Return when another thread stops the viewer, or raise KeyboardInterrupt at Ctrl-C."""
        while not self._stopped.wait(1.0):  # the main thread gets signals in between
            pass

    def stop(self) -> None:
        """End the server."""
        self._stopped.set()
        if self._playing.is_alive():
            self._playing.join()
        with redirect_stdout(None):
            self.server.stop()

    def __enter__(self) -> Viewer:
        """Return the viewer."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the server."""
        self.stop()

    def __repr__(self) -> str:
        """Return robot and address."""
        return f'Viewer({self.scene.robot.model.name!r}, {self.address!r})'

    def _repr_html_(self) -> str:
        page = escape(self._page(), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="560" style="border:0"></iframe>'

    def _add_controls(self) -> None:
        gui = self.server.gui
        if self.motion is not None:
            self._add_time(self.motion)
        elif self._live is None:
            self._add_coordinates()
        efforts = None if self.motion is None else self.motion.efforts
        live = self._live is not None
        if live or efforts is not None:
            rows = len(_EFFORTS) if efforts is None else efforts.shape[1]
            chosen = gui.add_dropdown('Rings', _EFFORTS[:rows])

            @chosen.on_update
            def _(_: Any) -> None:
                self.scene.order = _EFFORTS.index(chosen.value)
                self._redraw()
                self._draw_curves()

        motors = None if self.motion is None else self.motion.motor_positions
        if motors is not None or (live and self.scene.robot.drives is not None):
            enlarged = gui.add_slider('Deflections x', *_ENLARGEMENTS, 1.0, 10.0)
            self.scene.enlargement = enlarged.value

            @enlarged.on_update
            def _(_: Any) -> None:
                self.scene.enlargement = enlarged.value
                self._redraw()

        with gui.add_folder('Show'):
            self._boxes = {name: self._add_layer(name, seen) for name, seen in LAYERS.items()}

    def _add_layer(self, name: str, visible: bool) -> Any:
        box = self.server.gui.add_checkbox(name, visible)
        box.on_update(lambda _: self.stage.set_layer(name, box.value))
        return box

    def _add_time(self, motion: Motion) -> None:
        gui = self.server.gui
        begin, end = float(motion.times[0]), float(motion.times[-1])
        with gui.add_folder(self.scene.robot.model.name):
            self._slider = gui.add_slider(
                'Time [s]', begin, max(end, begin + 1e-9), max((end - begin) / 1000.0, 1e-9), begin
            )
            play = gui.add_button('Play')
            self._speed = gui.add_dropdown('Speed', _SPEEDS, initial_value='1')
        panel = gui.add_panel()
        with panel.add_tab('Curves'):
            self._curves = gui.add_html('')
            self._cursor = gui.add_html(cursor(0.0))
        panel.float(x=12, y=-12, width=760)
        self._draw_curves()
        self._slider.on_update(lambda _: self._to_slider(motion))
        play.on_click(lambda _: self._toggle(play))
        self._to_slider(motion)
        self._playing.start()

    def _add_coordinates(self) -> None:
        """Add a slider for every coordinate, within its limits."""
        robot, sliders = self.scene.robot, []
        with self.server.gui.add_folder('Coordinates'):
            ranges = _ranges(robot, self.scene.reach)
            for name, (low, high) in zip(robot.joint_names, ranges, strict=True):
                start = min(max(0.0, low), high)
                slider = self.server.gui.add_slider(name, low, high, (high - low) / 500.0, start)
                sliders.append(slider)

        def move(_: Any = None) -> None:
            self.show(Sample(np.array([slider.value for slider in sliders])))

        for slider in sliders:
            slider.on_update(move)
        move()

    def _to_slider(self, motion: Motion) -> None:
        seconds = self._slider.value
        with self._lock, self.server.atomic():
            self.show(motion.sample(motion.index(seconds)))
            self._cursor.content = cursor(_share(motion, seconds))

    def _redraw(self) -> None:
        if self.motion is not None:
            self._to_slider(self.motion)
        elif self._live is not None:
            self.show(self._live)

    def _toggle(self, button: Any) -> None:
        self._plays = not self._plays
        button.label = 'Pause' if self._plays else 'Play'

    def _run(self) -> None:
        """Move the slider while the motion plays."""
        assert self.motion is not None
        begin, end = float(self.motion.times[0]), float(self.motion.times[-1])
        last = time.monotonic()
        while not self._stopped.wait(1.0 / _FRAMES):
            now = time.monotonic()
            if self._plays:
                ahead = self._slider.value + (now - last) * float(self._speed.value)
                self._slider.value = ahead if ahead <= end else begin
            last = now

    def _drawn_curves(self) -> str:
        motion, robot = self.motion, self.scene.robot
        assert motion is not None
        if motion.efforts is None:
            return curves(motion.times, motion.positions, robot.joint_names, 'position')
        order = self.scene.order
        values = motion.efforts[:, order]
        return curves(motion.times, values, robot.joint_names, _EFFORTS[order])

    def _draw_curves(self) -> None:
        if self.motion is not None:
            self._curves.content = self._drawn_curves()

    def _page(self) -> str:
        """Return the motion as a page of its own."""
        with self._lock:
            recording = self.server.get_scene_serializer()
            if self.motion is None:
                return str(recording.as_html())
            times = self.motion.times
            begin, end = float(times[0]), float(times[-1])
            step = max(1.0 / _FRAMES, (end - begin) / _MOST_PICTURES)
            for seconds in np.arange(begin, end + 1e-9, step).tolist():
                self.stage.show(self.motion.sample(self.motion.index(seconds)))
                recording.insert_sleep(step)
            page = recording.as_html()
        self._redraw()
        return with_curves(page, self._drawn_curves())


def _share(motion: Motion, seconds: float) -> float:
    span = float(motion.times[-1] - motion.times[0])
    return (seconds - float(motion.times[0])) / span if span else 0.0


def _ranges(robot: Robot, reach: float) -> list[tuple[float, float]]:
    """Return ranges of sliders: the limits of the coordinates, or half a turn to both sides."""
    kinds, limits = robot.model.coordinate_types, robot.model.limits
    wide = [_SLIDE * reach if kind == 'prismatic' else np.pi for kind in kinds]
    low = np.where(np.isfinite(limits.lower), limits.lower, np.negative(wide)).tolist()
    high = np.where(np.isfinite(limits.upper), limits.upper, wide).tolist()
    return [(a, b) if a < b else (a - 1.0, a + 1.0) for a, b in zip(low, high, strict=True)]
