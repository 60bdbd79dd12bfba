# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A page that needs no server: the scene of viser, and panels that move it."""

from __future__ import annotations

import base64
import json
import re
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.outline import Mark
from screw_dynamics.lie import inverse_pose
from screw_dynamics.model import ScrewModel
from screw_dynamics.viewer.curves import LEFT, RIGHT, cursor, curves
from screw_dynamics.viewer.motion import Motion, Sample, at_rest
from screw_dynamics.viewer.scene import COLOURS, SHARES, UNKNOWN, ZIGZAG, Scene
from screw_dynamics.viewer.signals import EFFORT_NAMES, STYLE, Signal, signals
from screw_dynamics.viewer.stage import (
    CENTRE_OF_MASS,
    POINTS,
    THREADS,
    Stage,
    joint_node,
    segments,
    turns,
)

_RATE = 30.0  # pictures per second
_MOST = 3000  # pictures
_DIGITS = 6
_DARK = (
    'if (matchMedia("(prefers-color-scheme: dark)").matches && !/darkMode/.test(location.search))'
    ' location.search += (location.search ? "&" : "?") + "darkMode"'
)
LEGEND = (
    '<div style="font:11px sans-serif;padding:4px 1em">effort over its limit, else over its '
    'largest value<div style="height:8px;border-radius:4px;margin:3px 0;background:'
    'linear-gradient(90deg,{colours})"></div><div style="display:flex;'
    'justify-content:space-between"><span>0</span><span>100 %</span></div></div>'
).format(
    colours=','.join(
        f'rgb({r:g},{g:g},{b:g}) {share:.0%}'
        for share, (r, g, b) in zip(SHARES, COLOURS, strict=True)
    )
)


def head(name: str) -> str:
    """Return what gives a served page the title of a robot, and the dark mode of the browser."""
    script = escape(f'document.title = {json.dumps(name)}; {_DARK}', quote=True)
    return f'<img src="data:," hidden onerror="{script}">{STYLE}'


def with_panels(
    page: str, stage: Stage, motion: Motion | None, begin: float, visible: set[str]
) -> str:
    """Return a page of viser with panels; `begin` is its first time [s], `visible` are layers."""
    scene, robot, model = stage.scene, stage.scene.robot, stage.scene.model
    tree, times, drawn = model if isinstance(model, ScrewModel) else None, None, {}
    sample = at_rest(robot, scene.start)._replace(motor_positions=None, motor_efforts=None)
    if motion is not None:
        chosen = motion.indices(_RATE, _MOST)
        sample, times = motion.sample(chosen), _plain(motion.times[chosen])
        whole = signals(robot, motion.sample(slice(None)))
        drawn = {signal.name: curves(motion.times, signal) for signal in whole}
    found = signals(robot, sample)
    elastic = sample.motor_positions is not None
    data = {
        'name': model.name,
        'joints': robot.joint_names,
        'times': times,
        'begin': begin,
        'quantity': 'position' if sample.efforts is None else 'effort',
        'efforts': EFFORT_NAMES,
        'curves': drawn,
        'cursor': cursor(0.0),
        'left': LEFT,
        'right': RIGHT,
        'signals': [_record(signal) for signal in found],
        'rings': [(f'{joint_node(mark)}/ring', mark.coordinate) for mark in scene.marks],
        'limits': _plain(scene.limits[0]),
        'scales': _plain(scene.scales),
        'shares': _plain(SHARES),
        'colours': _plain(COLOURS),
        'unknown': UNKNOWN,
        'ring': scene.ring,
        'zigzag': ZIGZAG,
        'springs': stage.spring_nodes() if elastic else [],
        'enlargement': scene.enlargement,
        'loads': [
            (stage.load_node(name), _plain(scene.load_scale * wrench.reshape(-1, 2, 3)[:, ::-1]))
            for name, wrench in sample.wrenches.items()
        ],
        'layers': {
            name: (name in visible, [node.name for node in nodes])
            for name, nodes in stage.layers.items()
        },
        'hidden': [] if elastic else [node.name for node in stage.layers['springs']],
        'legend': LEGEND,
        'centre': CENTRE_OF_MASS,
        'last': len(stage.shown.places) - 1,
        'tree': None if tree is None else _tree(tree, scene.marks),
        'masses': [(mass.place, mass.mass, _plain(mass.com)) for mass in scene.outline.masses],
        'gravity': _plain(model.gravity),
        'low': _plain(scene.low),
        'high': _plain(scene.high),
        'start': _plain(scene.start),
        'tracks': _tracks(scene, sample) if tree is None and motion is not None else [],
        'view': stage.view(),
    }
    text = json.dumps(data, allow_nan=False).replace('<', '\\u003c')  # of no tag
    panels = (Path(__file__).parent / 'page.html').read_text(encoding='utf-8')
    title = f'<title>{escape(model.name)}</title>'
    page = re.sub('<title>.*?</title>', lambda _: title, page, count=1)
    return page.replace('</body>', f'{STYLE}{panels.replace("PAGE_DATA", text)}</body>')


def _tree(model: ScrewModel, marks: list[Mark]) -> list[dict[str, Any]]:
    """Return the joints for the kinematics of the page."""
    joints = []
    for i, mark in enumerate(marks):
        slides = mark.kind == 'prismatic'
        joints.append(
            {
                'parent': int(model.parents[i]),
                'to_axis': (model.home_poses[i] @ mark.pose).ravel().tolist(),
                'to_body': inverse_pose(mark.pose).ravel().tolist(),
                'coordinate': int(model.coordinates[i]),
                'factor': float(model.multipliers[i]),
                'offset': float(model.offsets[i]),
                'turn': 0.0 if slides else 1.0,
                'travel': 1.0 if slides else mark.pitch,
            }
        )
    return joints


def _tracks(scene: Scene, sample: Sample) -> list[tuple[str, str, int, str]]:
    """Return what moves of other kinds than trees: node, property, numbers, all in base64."""
    rows: dict[tuple[str, str], list[Array]] = {}
    for q in sample.position:
        now = scene.at(Sample(q))
        for place, wxyz in enumerate(turns(now.places)):
            rows.setdefault((f'/robot/{place}', 'wxyz'), []).append(wxyz)
            origin = now.places[place, :3, 3]
            rows.setdefault((f'/robot/{place}', 'position'), []).append(origin)
        for k, corners in enumerate(now.surfaces):
            rows.setdefault((f'/soft/{k}', 'vertices'), []).append(corners)
        if now.threads:
            rows.setdefault((THREADS, 'points'), []).append(segments(now.threads))
        points = scene.points(now.places, q)
        if len(points):
            rows.setdefault((POINTS, 'points'), []).append(points)
        rows.setdefault((CENTRE_OF_MASS, 'position'), []).append(np.nan_to_num(now.mass_centre))
    return [
        (*key, values[0].size, base64.b64encode(np.array(values, '<f4').tobytes()).decode())
        for key, values in rows.items()
    ]


def _record(signal: Signal) -> dict[str, Any]:
    known = {key: _plain(getattr(signal, key)) for key in ('low', 'high')}
    return {**signal._asdict(), **known, 'values': _plain(np.atleast_2d(signal.values))}


def _plain(values: Array) -> Any:
    """Return an array as lists with few digits; None for what is not finite."""
    if values.ndim:
        return [_plain(row) for row in values]
    return float(f'{values:.{_DIGITS}g}') if np.isfinite(values) else None
