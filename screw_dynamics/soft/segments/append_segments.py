# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`append_segments`: a rigid chain with the soft segments of a YAML file."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.common.yaml_files.document import YamlEntry, is_document, read_document
from screw_dynamics.common.yaml_files.records import built, kind_of, read_record
from screw_dynamics.errors import ModelError, ScrewDynamicsError, shown
from screw_dynamics.lie import pose, rpy_rotation
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import LIMITS
from screw_dynamics.model.screw_model import require_model
from screw_dynamics.soft.actuators.thread import Helix
from screw_dynamics.soft.segments.hybrid_robot import HybridRobot, Segment, Segments
from screw_dynamics.soft.segments.segment_types import ARGUMENTS, SEGMENT_TYPES
from screw_dynamics.soft.segments.thread_set import ThreadSpec

_WHAT = 'soft segments'
FILE_ENTRIES: dict[str, str] = {
    'tip_link': 'Link that carries the segments; by default the frame of the last body.',
    'pose': 'Where the first segment begins in that link: `xyz` [m], `rpy` [rad]; its z axis is '
    'that of the segment.',
    'segments': 'The segments from the link on.',
    'threads': 'Threads through the segments.',
}
SEGMENT_ENTRIES: dict[str, str] = {
    'name': 'Name, also the beginning of the names of its coordinates.',
    'type': 'One of the types below, which have further entries.',
    'limits': 'By coordinate: `lower`, `upper` [rad or m], `velocity` [per s], `effort` '
    '[N m or N], `acceleration` [per s^2], `jerk` [per s^3].',
}


def append_segments(
    model: ScrewModel, source: str | bytes | os.PathLike[str] | Segments
) -> HybridRobot:
    """
    Return a robot of a rigid chain and the soft segments of a YAML file behind it.

    Parameters
    ----------
    model : ScrewModel
        A chain, e.g. of `read_urdf` with `tip_link`, without mimic joints.
    source : str, bytes, path or Segments
        A path, or the document itself (text with a line break), or what `read_segments` returned.

    Returns
    -------
    HybridRobot
        With the coordinates of the model, followed by those of the segments.

    Raises
    ------
    ModelError
        If the file cannot be read, is not YAML, or an entry is unknown, missing or out of range;
        the error names file and entry.
    TopologyError
        If the model branches, or continues behind the link that carries the segments.
    InputError, UnknownNameError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.soft import append_segments
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> robot = append_segments(arm, sd.share_path('config/soft_finger.yaml'))
    >>> sd.inverse_dynamics(robot, np.zeros((5, robot.n))).shape
    (3, 4)
    """
    segments = source if isinstance(source, Segments) else read_segments(source)
    chain = require_model(model)
    try:
        return HybridRobot(chain, segments)
    except ScrewDynamicsError as error:
        error.args = (f'{segments.origin}: {error}',)
        raise


def read_segments(source: str | bytes | os.PathLike[str]) -> Segments:
    """
    Read soft segments from YAML.

    Parameters
    ----------
    source : str, bytes or path
        A path, or the document itself; text with a line break is a document.

    Returns
    -------
    Segments
        For `append_segments`.

    Raises
    ------
    ModelError
        See `append_segments`.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.soft import read_segments
    >>> file = read_segments(sd.share_path('config/soft_finger.yaml'))
    >>> [segment.name for segment in file.segments]
    ['finger']
    """
    document = read_document(source, _WHAT)
    path = f'{_WHAT} text' if is_document(source) else str(source)
    try:
        return replace(_segments(YamlEntry(document, 'document')), origin=path)
    except ScrewDynamicsError as error:
        raise ModelError(f'{path}: {error}') from None


def _segments(root: YamlEntry) -> Segments:
    root.require_keys(FILE_ENTRIES, ('segments',))
    nodes = YamlEntry(root['segments'].value, 'segments').items()
    if not nodes:
        raise ModelError('segments: expected one or more, got none')
    segments: list[Segment] = []
    for node in nodes:
        segments.append(_segment(node, {segment.name for segment in segments}))
    threads = YamlEntry(root.value.get('threads', []), 'threads').items()
    tip = root['tip_link'].text() if 'tip_link' in root.value else None
    start = _pose(YamlEntry(root.value['pose'], 'pose')) if 'pose' in root.value else np.eye(4)
    specs: list[ThreadSpec] = []
    for node in threads:
        specs.append(_thread(node, segments, {spec.name for spec in specs}))
    return Segments(tuple(segments), tuple(specs), tip, start)


def _pose(node: YamlEntry) -> Array:
    node.require_keys(('xyz', 'rpy'))
    xyz, rpy = (
        node[key].finite_array(3) if key in node.value else np.zeros(3) for key in ('xyz', 'rpy')
    )
    result: Array = pose(rpy_rotation(*rpy.tolist()), xyz)
    return result


def _name(node: YamlEntry, taken: set[str]) -> str:
    name = node['name'].text()
    if not name or '/' in name:
        raise ModelError(f'{node.path}.name: expected a name without /, got {shown(name)}')
    if name in taken:
        raise ModelError(f'{node.path}.name: expected every name once, got {shown(name)} again')
    return name


def _segment(node: YamlEntry, taken: set[str]) -> Segment:
    name, kind = _name(node, taken), kind_of(node, SEGMENT_TYPES)
    record = read_record(node, kind, extra=tuple(SEGMENT_ENTRIES))
    segment = Segment(
        name, node['type'].value, built(node, record.body, {'name': name}, ARGUMENTS)
    )
    if 'limits' not in node.value:
        return segment
    node['limits'].require_keys(segment.coordinates)
    limits = {key: _limits(item) for key, item in node['limits'].entries()}
    return replace(segment, limits=limits)


def _limits(node: YamlEntry) -> dict[str, float]:
    node.require_keys(LIMITS)
    values = {key: item.number() for key, item in node.entries()}
    for key in LIMITS[2:]:
        if key in values:
            require_number(f'{node.path}.{key}', values[key], error=ModelError, above=True)
    if (
        values.get('lower', -np.inf) > values.get('upper', np.inf)
        or np.isnan(list(values.values())).any()
    ):
        raise ModelError(f'{node.path}: expected lower <= upper, got {shown(values)}')
    return values


def _thread(node: YamlEntry, segments: list[Segment], taken: set[str]) -> ThreadSpec:
    spec = read_record(node, ThreadSpec)
    _name(node, taken)
    soft: dict[str, Any] = {segment.name: segment.body for segment in segments if segment.body.n}
    offset: Any
    for name, offset in spec.offsets.items():
        if name not in soft:
            raise ModelError(
                f'{node.path}.offsets: expected soft segments of {", ".join(soft)}, got '
                f'{shown(name)}'
            )
        ends = offset.radius if isinstance(offset, Helix) else np.linalg.norm(offset, axis=-1)
        radius = soft[name].radius
        if np.max(ends) > radius * (1.0 + 1e-9):
            item = node['offsets'][name]
            raise ModelError(
                f'{item.path}: expected a place at most {radius:g} m, the radius, from the axis, '
                f'got {shown(item.value)}'
            )
    if not spec.offsets:
        raise ModelError(f'{node.path}.offsets: expected one segment or more, got none')
    return spec
