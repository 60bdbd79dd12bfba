# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Models as YAML documents; every float is reproduced exactly."""

import os
from typing import Any

import numpy as np

from screw_dynamics.common.yaml_files.document import YamlEntry, read_document, write_document
from screw_dynamics.errors import ModelError, shown
from screw_dynamics.model.records import LIMITS, Frame, JointLimits, ModelRecord

FORMAT = 'screw_dynamics model'
VERSION = 1
_COLUMNS = (*LIMITS, 'damping', 'friction')  # of coordinates
_OPTIONAL = ('acceleration', 'jerk')  # infinite without an entry


def to_yaml(model: ModelRecord, path: str | os.PathLike[str] | None = None) -> str:
    """
    Return a model as YAML text; write it to a file if a path is given.

    Parameters
    ----------
    model : ScrewModel
    path : str or path, optional
        File to write.
    """
    document = {
        'format': FORMAT,
        'version': VERSION,
        'name': model.name,
        'base_link': model.base_link,
        'gravity': model.gravity.tolist(),
        'coordinates': [_coordinate(model, j) for j in range(model.n)],
        'bodies': [_body(model, i) for i in range(model.body_count)],
        'frames': {
            name: {'body': _body_name(model, frame.body), 'pose': frame.pose.tolist()}
            for name, frame in model.frames.items()
        },
    }
    return write_document(document, path)


def fields_from_yaml(source: str | bytes | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of a model; see `ScrewModel.from_yaml`, whose errors it raises."""
    root = YamlEntry(read_document(source, 'model'), 'model')
    if root['format'].text() != FORMAT:
        raise ModelError(f'model.format: expected {FORMAT!r}, got {shown(root["format"].text())}')
    if root['version'].value != VERSION:
        raise ModelError(f'model.version: expected {VERSION}, got {shown(root["version"].value)}')
    coordinates, bodies = root['coordinates'].items(), root['bodies'].items()
    joint_names, body_names = _names(coordinates), _names(bodies)
    *limits, damping, friction = (
        np.array([_number(node, key) for node in coordinates], dtype=float) for key in _COLUMNS
    )
    return dict(
        joint_names=joint_names,
        tree_joint_names=tuple(node['joint'].text() for node in bodies),
        body_names=body_names,
        joint_types=tuple(node['type'].text() for node in bodies),
        parents=np.array([node['parent'].index(body_names, -1) for node in bodies], np.int64),
        home_poses=np.array([node['home_pose'].array(4, 4) for node in bodies]).reshape(-1, 4, 4),
        screws=np.array([node['screw'].array(6) for node in bodies]).reshape(-1, 6),
        inertias=np.array([node['inertia'].array(6, 6) for node in bodies]).reshape(-1, 6, 6),
        gravity=root['gravity'].array(3),
        coordinates=np.array([node['coordinate'].index(joint_names) for node in bodies], np.int64),
        multipliers=np.array([node['multiplier'].number() for node in bodies], dtype=float),
        offsets=np.array([node['offset'].number() for node in bodies], dtype=float),
        limits=JointLimits(*limits),
        damping=damping,
        friction=friction,
        frames={
            name: Frame(node['body'].index(body_names, -1), node['pose'].array(4, 4))
            for name, node in root['frames'].entries()
        },
        base_link=root['base_link'].text(),
        name=root['name'].text(),
    )


def _number(coordinate: YamlEntry, key: str) -> float:
    known = key in coordinate.value or key not in _OPTIONAL
    return coordinate[key].number() if known else np.inf


def _names(nodes: list[YamlEntry]) -> tuple[str, ...]:
    """Return the names of entries; they must be unique, as other entries refer to them."""
    names: dict[str, YamlEntry] = {}
    for node in nodes:
        name = node['name'].text()
        if name in names:
            raise ModelError(
                f'{node.path}.name: expected a unique name, got {shown(name)}, '
                f'the name of {names[name].path}'
            )
        names[name] = node
    return tuple(names)


def _coordinate(model: ModelRecord, j: int) -> dict[str, Any]:
    limits = (getattr(model.limits, name) for name in LIMITS)
    values = (float(column[j]) for column in (*limits, model.damping, model.friction))
    return {'name': model.joint_names[j], **dict(zip(_COLUMNS, values, strict=True))}


def _body(model: ModelRecord, i: int) -> dict[str, Any]:
    return {
        'name': model.body_names[i],
        'joint': model.tree_joint_names[i],
        'type': model.joint_types[i],
        'parent': _body_name(model, int(model.parents[i])),
        'coordinate': model.joint_names[model.coordinates[i]],
        'multiplier': float(model.multipliers[i]),
        'offset': float(model.offsets[i]),
        'home_pose': model.home_poses[i].tolist(),
        'screw': model.screws[i].tolist(),
        'inertia': model.inertias[i].tolist(),
    }


def _body_name(model: ModelRecord, body: int) -> str | None:
    """Return the name of a body, None for the base."""
    return None if body < 0 else model.body_names[body]
