# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Viewer`: a page for web browsers with a robot, its motion and controls."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from screw_dynamics.common.paths import new_file
from screw_dynamics.common.scalars import require_choice
from screw_dynamics.drives.robot import Robot
from screw_dynamics.viewer.browser import photographer
from screw_dynamics.viewer.curves import cursor, curves
from screw_dynamics.viewer.motion import Motion, Sample, at_rest
from screw_dynamics.viewer.page import LEGEND, head, with_panels
from screw_dynamics.viewer.scene import Scene
from screw_dynamics.viewer.signals import EFFORT_NAMES, numbers, signals
from screw_dynamics.viewer.stage import LAYERS, Stage
from screw_dynamics.viewer.visuals import Visuals

_RATE = 30.0  # pictures per second
_SPEEDS = ('0.1', '0.25', '0.5', '1', '2', '4')
_ENLARGEMENTS = (1.0, 100.0, 1.0, 10.0)  # least, most, step, first


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
    threads : sequence of soft.Thread
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
        threads: Sequence[object] = (),
        live: bool = False,
        host: str = 'localhost',
    ) -> None:
        import viser

        # of browsers that end in the middle of something
        logging.getLogger('websockets.server').setLevel(logging.CRITICAL)
        self.scene = Scene(robot, visuals, threads)
        if motion is not None:
            self.scene.prepare_for(motion)
        self.motion, self._live = motion, live
        with _quiet():
            self.server = viser.ViserServer(host, port, label=robot.model.name, verbose=False)
        self.server.gui.configure_theme(
            control_width='medium', show_logo=False, show_share_button=False
        )
        self.stage = Stage(self.server, self.scene, motion is not None)
        self.server.on_client_connect(lambda client: self._fit(client))
        self._stopped, self._lock = threading.Event(), threading.RLock()
        self._plays, self._playing = False, threading.Thread(target=self._run, daemon=True)
        self.shown = Sample(self.scene.start)
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
        with self._lock, self.server.atomic():
            self.shown = sample
            self.stage.show(sample)
            self._numbers.content = numbers(signals(self.scene.robot, sample), self._joint.value)

    def set_status(self, text: str) -> None:
        """
        Write a line above the controls, or remove it.

        Parameters
        ----------
        text : str
            Empty for none.
        """
        self._status.content, self._status.visible = text, bool(text)

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

    def wait(self) -> None:
        """Return when another thread stops the viewer, or raise KeyboardInterrupt at Ctrl-C."""
        while not self._stopped.wait(1.0):  # the main thread gets signals in between
            pass

    def stop(self) -> None:
        """End the server."""
        self._stopped.set()
        if self._playing.is_alive():
            self._playing.join()
        with _quiet():
            self.server.stop()

    def __enter__(self) -> Viewer:
        """Return the viewer."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the server."""
        self.stop()

    def __repr__(self) -> str:
        """Return robot and address."""
        return f'Viewer({self.scene.robot.model.name!r}, {self.address!r})'

    def _repr_html_(self) -> str:
        page = escape(self._page(), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="560" style="border:0"></iframe>'

    def _page(self) -> str:
        """Return a page that needs no server."""
        with self._lock:
            page = self.server.get_scene_serializer().as_html()
            begin = 0.0 if self.motion is None else float(self._slider.value)
            visible = {name for name, box in self._boxes.items() if box.value}
            return with_panels(page, self.stage, self.motion, begin, visible)

    def _add_controls(self) -> None:
        gui, robot, motion = self.server.gui, self.scene.robot, self.motion
        gui.add_html(head(robot.model.name))
        self._status = gui.add_markdown('', visible=False)
        names = list(EFFORT_NAMES) if self._live else []
        if motion is not None:
            self._add_time(motion)
            self._signals = {s.name: s for s in signals(robot, motion.sample(slice(None)))}
            names = list(self._signals)
        if names:
            start = 'effort' if 'effort' in names else names[0]
            self._quantity = gui.add_dropdown('Quantity', names, initial_value=start)
            self._quantity.on_update(lambda _: self._choose())
        self._joint = gui.add_dropdown('Joint', robot.joint_names or ('none',))
        self._joint.on_update(lambda _: self.show(self.shown))
        self._numbers = gui.add_html('')
        begin = self._choose if names else self._add_coordinates()
        elastic = robot.drives is not None
        if elastic if motion is None else motion.motor_positions is not None:
            enlarged = gui.add_slider('Deflections x', *_ENLARGEMENTS)
            self.scene.enlargement = enlarged.value

            @enlarged.on_update
            def _(_: Any) -> None:
                self.scene.enlargement = enlarged.value
                self.show(self.shown)

        gui.add_button('Fit view').on_click(lambda event: self._fit(event.client))
        with gui.add_folder('Show', expand_by_default=False):
            gui.add_html(LEGEND)
            self._boxes = {name: self._add_layer(name, seen) for name, seen in LAYERS.items()}
        begin()

    def _fit(self, client: Any) -> None:
        self.stage.aim(client.camera, client.camera.image_width, client.camera.image_height)

    def _add_layer(self, name: str, visible: bool) -> Any:
        box = self.server.gui.add_checkbox(name, visible)
        box.on_update(lambda _: self.stage.set_layer(name, box.value))
        return box

    def _add_time(self, motion: Motion) -> None:
        gui = self.server.gui
        begin, end = float(motion.times[0]), float(motion.times[-1])
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
        self._slider.on_update(lambda _: self._to_slider(motion))
        play.on_click(lambda _: self._toggle(play))
        self._playing.start()

    def _add_coordinates(self) -> Callable[[], None]:
        """Add a slider for every coordinate, within its limits; return what draws them."""
        scene, sliders = self.scene, []
        with self.server.gui.add_folder('Coordinates'):
            ranges = scene.low.tolist(), scene.high.tolist(), scene.start.tolist()
            for name, low, high, start in zip(scene.robot.joint_names, *ranges, strict=True):
                slider = self.server.gui.add_slider(name, low, high, (high - low) / 500.0, start)
                sliders.append(slider)

        def move(event: Any = None) -> None:
            held = at_rest(scene.robot, np.array([slider.value for slider in sliders]))
            scene.prepare(held.efforts, {})
            self.show(held)
            if event is not None:
                self._joint.value = scene.robot.joint_names[sliders.index(event.target)]

        for slider in sliders:
            slider.on_update(move)
        return move

    def _choose(self) -> None:
        """Draw the chosen quantity: its curves, and rings of an effort or its derivative."""
        name = self._quantity.value
        self.scene.order = EFFORT_NAMES.index(name) if name in EFFORT_NAMES else 0
        if self.motion is None:
            self.show(self.shown)
            return
        self._curves.content = curves(self.motion.times, self._signals[name])
        self._to_slider(self.motion)

    def _to_slider(self, motion: Motion) -> None:
        seconds = self._slider.value
        with self._lock, self.server.atomic():
            self.show(motion.sample(motion.index(seconds)))
            self._cursor.content = cursor(_share(motion, seconds))

    def _toggle(self, button: Any) -> None:
        self._plays = not self._plays
        button.label = 'Pause' if self._plays else 'Play'

    def _run(self) -> None:
        """Move the slider while the motion plays."""
        assert self.motion is not None
        begin, end = float(self.motion.times[0]), float(self.motion.times[-1])
        last = time.monotonic()
        while not self._stopped.wait(1.0 / _RATE):
            now = time.monotonic()
            if self._plays:
                ahead = self._slider.value + (now - last) * float(self._speed.value)
                self._slider.value = ahead if ahead <= end else begin
            last = now


def _share(motion: Motion, seconds: float) -> float:
    span = float(motion.times[-1] - motion.times[0])
    return (seconds - float(motion.times[0])) / span if span else 0.0


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out what viser prints in the block by rich: a table with its address."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
