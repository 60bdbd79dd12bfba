# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of the simulations of P2025."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import COLOURS, GREY
from soft_study import arcs, helicoid, helicoid_motion, hybrid

METHODS = {
    'recursive': ('recursion, compiled', 'o'),
    'automatic': ('Lagrange, automatic differentiation', 's'),
    'symbolic': ('Lagrange, SymPy', '^'),
}


def arcs_figure(costs: arcs.Costs, samples: int = arcs.SAMPLES) -> Figure:
    """Return accuracy, times of building and evaluating, and growth of simulation 3."""
    result = Figure(figsize=(12.0, 4.6), dpi=110, layout='constrained')
    axes = result.subplots(1, 3)
    gaps = {count: arcs.differences(count, samples) for count in arcs.CHECKED}
    for count, values in gaps.items():
        axes[0].plot([count] * len(values), values, '.', color=COLOURS[0], ms=4, alpha=0.4)
    means = [values.mean() for values in gaps.values()]
    axes[0].plot(list(gaps), means, 'D-', color=COLOURS[1], label='mean')
    axes[0].axhline(2.0**-52, color=GREY, linewidth=1.0, linestyle=(0, (3, 2)))
    axes[0].set(title='difference of recursion and Lagrange', ylabel='relative difference')
    axes[0].legend(frameon=False)
    for panel, times, title in (
        (axes[1], costs.build, 'time to build'),
        (axes[2], costs.evaluation, 'time of a call'),
    ):
        for k, (name, (label, marker)) in enumerate(METHODS.items()):
            if name in times:
                style = {'color': COLOURS[k], 'marker': marker, 'label': label}
                panel.plot(list(times[name]), list(times[name].values()), **style)
        panel.set(title=title, ylabel='s', xscale='log')
        panel.set_xticks([1, 2, 4, 10, 20], ['1', '2', '4', '10', '20'])
        panel.minorticks_off()
    for axis in axes:
        axis.set(xlabel='bodies', yscale='log')
    handles = axes[2].get_legend_handles_labels()
    result.legend(*handles, loc='outside lower center', ncols=3, frameon=False)
    title = 'P2025, simulation 3: efforts of chains of planar arcs, at random and at unit motions'
    result.suptitle(title, x=0.01, ha='left')
    return result


def hybrid_figure(motion: hybrid.HybridMotion) -> Figure:
    """Return coordinates, inputs and snapshots of simulation 2."""
    result = Figure(figsize=(12.0, 7.6), dpi=85, layout='constrained')
    grid = result.add_gridspec(4, 2, width_ratios=(1.0, 1.0))
    t, q, u = motion.times, motion.position, motion.inputs
    joints, arm, tensions, gripper = (result.add_subplot(grid[i, 0]) for i in range(4))
    wanted = np.array([hybrid.reference(time)[0] for time in t])
    for j in range(6):
        joints.plot(t, q[:, j], color=COLOURS[j], label=f'joint {j + 1}')
        joints.plot(t, wanted[:, j], color=GREY, linewidth=1.0, linestyle=(0, (3, 3)))
    joints.set_ylabel('joints [rad]')
    later = t >= hybrid.PHASES[1]
    for j, name in enumerate(('bend 1', 'bend 2')):
        arm.plot(t, q[:, 6 + j], color=COLOURS[j], label=name)
        ends = np.full(later.sum(), hybrid.SOFT_TARGET[j])
        arm.plot(t[later], ends, color=GREY, linewidth=1.0, linestyle=(0, (3, 3)))
    arm.plot(t, 10.0 * q[:, 8], color=COLOURS[2], label='10 × elongation')
    arm.set_ylabel('soft arm [rad, m]')
    for j in range(3):
        tensions.plot(t, u[:, 6 + j], color=COLOURS[j], label=f'thread {j + 1}')
    tensions.set_ylabel('tensions [N]')
    gripper.plot(t, 1e3 * q[:, 9], color=COLOURS[0], label='1000 × stretch')
    gripper.plot(t, 1e6 * q[:, 10], color=COLOURS[1], label='source [mm²]')
    gripper.plot(t, 1e-6 * u[:, 9], color=COLOURS[2], label='pressure [MPa]')
    gripper.set(ylabel='gripper', xlabel='time [s]')
    for axis in (joints, arm, tensions, gripper):
        axis.set_xlim(t[0], max(t[-1], 1e-3))
        axis.tick_params(labelbottom=axis is gripper)
        axis.legend(frameon=False, fontsize=8, loc='upper left', bbox_to_anchor=(1.0, 1))
        for border in hybrid.PHASES[1:-1]:
            axis.axvline(border, color=GREY, linewidth=0.8)
    space: Any = result.add_subplot(grid[:, 1], projection='3d')
    robot = hybrid.robot()[0]
    chosen = [0.0, 1.0, 2.0, 3.0, 3.2, 5.0, 6.0]
    for k, instant in enumerate(time for time in chosen if time <= t[-1] + 1e-9):
        row = q[int(np.argmin(abs(t - instant)))]
        shade = 0.15 + 0.85 * (k + 1) / len(chosen)
        frames = [sd.frame_pose(robot, row, f'joint_{i + 1}')[:3, 3] for i in range(6)]
        rigid = np.array([np.zeros(3), *frames])
        space.plot(*rigid.T, color='#777777', alpha=shade, linewidth=3.0)
        line = _axis_line(robot, row, 'arm', 'link_6', hybrid.ARM)
        space.plot(*line.T, color=COLOURS[0], alpha=shade, linewidth=2.5)
        ends = np.array([sd.frame_pose(robot, row, n)[:3, 3] for n in ('arm', 'gripper')])
        space.plot(*ends.T, color=COLOURS[1], alpha=shade, linewidth=4.0)
    path = np.array([sd.frame_pose(robot, row, 'tip')[:3, 3] for row in q])
    space.plot(*path.T, color=COLOURS[1], linewidth=0.8)
    _label_space(space, 'snapshots, path of the tip', 0.8)
    title = 'P2025, simulation 2: rigid arm, soft arm and gripper in three phases'
    result.suptitle(title, x=0.01, ha='left')
    return result


def helicoid_figure(motion: helicoid_motion.CircleMotion) -> Figure:
    """Return errors of tips and lengths, coordinates, tensions and snapshots of simulation 1."""
    result = Figure(figsize=(12.0, 8.2), dpi=80, layout='constrained')
    grid = result.add_gridspec(4, 2, width_ratios=(1.2, 1.0))
    t = motion.times
    errors, lengths, shapes, tensions = (result.add_subplot(grid[i, 0]) for i in range(4))
    away = 1e3 * helicoid_motion.distances(motion)
    for i in range(3):
        errors.plot(t, away[:, i], color=COLOURS[i], label=f'tip {i + 1}')
        own = motion.position[:, i * helicoid.BODY :]
        for j, style in ((0, '-'), (1, '--'), (3, ':')):
            shapes.plot(t, own[:, j], style, color=COLOURS[i])
    errors.set_ylabel('tips from\ncircles [mm]')
    errors.legend(frameon=False, fontsize=8, ncols=3)
    for j in range(9):
        line, colour = ('-', '--', ':')[j % 3], COLOURS[j // 3]
        lengths.plot(t, 1e3 * (motion.lengths - motion.wanted)[:, j], line, color=colour)
        tensions.plot(t, motion.tensions[:, j], line, color=colour)
    lengths.set_ylabel('threads from\nreference [mm]')
    shapes.set_ylabel('stretch (full),\nbends (dashed, dotted)')
    tensions.set(ylabel='tensions [N]', xlabel='time [s]')
    for axis in (errors, lengths, shapes, tensions):
        axis.set_xlim(t[0], t[-1])
        axis.tick_params(labelbottom=axis is tensions)
    for axis in (errors, tensions):
        axis.set_ylim(bottom=0.0)
    space: Any = result.add_subplot(grid[:, 1], projection='3d')
    robot = helicoid.arm()[0]
    chosen = [int(np.argmin(abs(t - instant))) for instant in t[-1] * np.array([0.5, 0.75, 1.0])]
    for k, index in enumerate(chosen):
        for i in range(3):
            shade = (0.25, 0.45, 1.0)[k]
            draw_wires(space, robot, motion.position[index], i, COLOURS[i], shade)
    turn = np.array([helicoid.targets(time) for time in np.linspace(0.0, helicoid.PERIOD, 60)])
    for i in range(3):
        space.plot(*turn[:, i].T, color='black', linewidth=0.8)
        space.plot(*motion.tips[:, i].T, color=COLOURS[i], linewidth=1.6)
    _label_space(space, 'snapshots, paths, circles', 0.95)
    space.invert_zaxis()  # it hangs
    title = 'P2025, simulation 1: three bodies with nine threads follow circles from rest'
    result.suptitle(title, x=0.01, ha='left')
    return result


def _label_space(space: Any, title: str, zoom: float) -> None:
    """Set equal scales, a title, and labels that do not overlap on short axes."""
    space.set_title(title)
    ranges = [np.ptp(limits) for limits in (space.get_xlim(), space.get_ylim(), space.get_zlim())]
    space.set_box_aspect(ranges, zoom=zoom)  # with room for the labels
    for name, size in zip('xyz', ranges, strict=True):
        axis = getattr(space, f'{name}axis')
        axis.set_major_locator(MaxNLocator(max(2, round(6 * size / max(ranges)))))
        axis.label.set_text(f'{name} [m]')
        axis.labelpad = 13.0
        space.tick_params(name, labelsize=9, pad=4.0)


def draw_wires(
    axis: Axes, robot: sd.soft.SoftRobot, q: Array, index: int, colour: str, shade: float
) -> None:
    """Draw four lines along the surface of a body and the rim of its end."""
    module: Any = robot.modules[index]
    before = robot.module_names[index - 1] if index else 'base'
    pose = sd.frame_pose(robot, q, before)
    heights, angles = np.linspace(0.0, module.length, 15), np.linspace(0.0, 2.0 * np.pi, 25)
    lines = [
        np.stack([module.radius * np.cos(a) + 0.0 * heights,
                  module.radius * np.sin(a) + 0.0 * heights, heights], axis=-1)
        for a in np.pi * np.arange(4) / 2
    ]  # fmt: skip
    rim = [module.radius * np.cos(angles), module.radius * np.sin(angles)]
    lines.append(np.stack([*rim, 0.0 * angles + module.length], axis=-1))
    for line in lines:
        moved = module.places(line, q[robot.slices[index]]) @ pose[:3, :3].T + pose[:3, 3]
        axis.plot(*moved.T, color=colour, alpha=min(shade, 1.0), linewidth=1.0)


def _axis_line(robot: sd.soft.SoftRobot, q: Array, name: str, before: str, own: slice) -> Array:
    """Return points of the axis of a rod of constant curvature, in the frame of the base."""
    pose = sd.frame_pose(robot, q, before)
    module: Any = robot.modules[robot.module_names.index(name)]
    points = module.positions(q[own]).reshape(-1, 4, 3).mean(axis=1)
    return np.vstack([pose[:3, 3], points @ pose[:3, :3].T + pose[:3, 3]])
