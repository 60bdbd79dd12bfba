# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""MJCF documents as MuJoCo compiles them, without what says nothing about motion and inertia."""

from __future__ import annotations

import warnings
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from screw_dynamics.common.results import optional_library
from screw_dynamics.errors import ModelError

# elements that neither move nor weigh anything, and those that are left out
_REMOVED = (
    *('sensors', 'keys', 'tuples', 'texts', 'numerics', 'excludes', 'pairs', 'tendons'),
    *('skins', 'lights', 'cameras', 'materials', 'textures', 'hfields'),
)


class CompiledMjcf:
    """
    A document as MuJoCo's `model`, in which every body and joint has a name.

    `left_out` has by kind the names of what the robot will lack. Raises ModelError with MuJoCo's
    message, and ModuleNotFoundError without MuJoCo.
    """

    def __init__(self, source: Path | str, where: str) -> None:
        self.where = where
        self.mujoco = optional_library('mujoco', 'mujoco')
        self.left_out: dict[str, list[str]] = {}
        try:
            if isinstance(source, str):
                spec = self.mujoco.MjSpec.from_string(source)
            elif source.suffix in ('.xml', '.urdf'):
                spec = self.mujoco.MjSpec.from_file(str(source))
            else:  # MuJoCo opens no files of other suffixes
                spec = self.mujoco.MjSpec.from_string(source.read_text('utf-8'))
                spec.modelfiledir = str(source.parent)
            self._name(spec)
            self._remove(spec)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                self.model: Any = spec.compile()
        except (ValueError, TypeError) as error:
            text = '; '.join(filter(None, map(str.strip, str(error).splitlines())))
            raise ModelError(f'{where}: MuJoCo: {text}') from None
        self.remarks = [f'{where}: MuJoCo: {one.message}' for one in caught]
        self.name = spec.modelname or 'robot'
        self.joints = [self.model.joint(j).name for j in range(self.model.njnt)]
        self._note_forces()

    def note(self, what: str, name: str, present: Any = True) -> None:
        """Note what is left out, if it is not 0."""
        if np.any(present):
            self.left_out.setdefault(what, []).append(name)

    def kind(self, joint: int) -> str:
        """Return 'free', 'ball', 'slide' or 'hinge'."""
        kind = self.mujoco.mjtJoint(int(self.model.jnt_type[joint])).name
        return str(kind).removeprefix('mjJNT_').lower()

    def is_scalar(self, joint: int) -> bool:
        """Return whether a joint is a hinge or slide."""
        return self.kind(joint) in ('hinge', 'slide')

    def _name(self, spec: Any) -> None:
        """Name what has no name: joints as their bodies."""
        for kind, elements in (
            ('body', spec.bodies),
            ('joint', spec.joints),
            ('tendon', spec.tendons),
            ('actuator', spec.actuators),
        ):
            taken = {element.name for element in elements}
            for element in elements:
                if not element.name:
                    name = f'{element.parent.name}_joint' if kind == 'joint' else kind
                    names = (f'{name}_{k}' if k > 1 else name for k in count(1))
                    element.name = next(name for name in names if name not in taken)
                    taken.add(element.name)

    def _note_forces(self) -> None:
        """Note forces on bodies that no joint has."""
        model = self.model
        for i in range(model.nbody):
            name = model.body(i).name
            self.note('gravity compensation', name, model.body_gravcomp[i])
            self.note('motion of mocap bodies', name, model.body_mocapid[i] >= 0)
            self.note('plugins', name, model.body_plugin[i] >= 0)
        for name in ('density', 'viscosity'):
            self.note('fluid', name, getattr(model.opt, name))
        for i in range(model.nflex):
            self.note('flexes', model.flex(i).name)

    def _remove(self, spec: Any) -> None:
        """Remove what is of no use, so that no mesh or picture of it has to be there."""
        mujoco = self.mujoco
        joint = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
        others = [actuator for actuator in spec.actuators if actuator.trntype not in joint]
        for tendon in spec.tendons:
            self.note('tendons', tendon.name)
        for pair in spec.pairs:
            self.note('contact pairs', f'{pair.geomname1} and {pair.geomname2}')
        for actuator in others:
            self.note('actuators that act on no joint', actuator.name)
        of_tendons = mujoco.mjtEq.mjEQ_TENDON
        others += [equality for equality in spec.equalities if equality.type == of_tendons]
        for kind in _REMOVED:
            others += getattr(spec, kind, [])
        others += _weightless_geoms(spec)
        for element in others:
            spec.delete(element)
        meshes = {geom.meshname for geom in spec.geoms}
        for mesh in spec.meshes:
            if mesh.name not in meshes:
                spec.delete(mesh)
        # MuJoCo computes the poses of sites
        sites = {site.name for site in spec.sites}
        for frame in spec.frames:
            if frame.name and frame.name not in sites:
                frame.parent.add_site(name=frame.name).set_frame(frame)
        for element in (*spec.geoms, *spec.sites):
            element.material = ''
        spec.compiler.fusestatic = False  # which would remove frames


def _weightless_geoms(spec: Any) -> list[Any]:
    """Return geoms that give their body no inertia."""
    every = int(spec.compiler.inertiafromgeom) == 1  # of false, true, auto
    bodies = [body for body in spec.bodies if body.explicitinertial and not every]
    return [geom for body in (spec.worldbody, *bodies) for geom in body.geoms]
