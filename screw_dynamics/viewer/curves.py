# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Curves of a signal over time as HTML, with a cursor at an instant."""

from __future__ import annotations

import colorsys
from html import escape

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.viewer.signals import Signal

_WIDTH, _HEIGHT = 1000, 100  # of the drawing, which is stretched
_PIXELS = 130  # height of all charts on the page
LEFT, RIGHT = 58, 12  # [px]
_MOST = 500  # points of a curve
_FEW = ('#2c7bb6', '#e08214', '#1b9e77', '#c51b7d', '#7b5bb5', '#8c6d31', '#777777', '#d7301f')
_STYLE = (
    '.curves{font:11px/1.5 sans-serif}'
    f'.curves .legend{{margin-left:{LEFT}px;max-height:5em;overflow-y:auto}}'
    '.curves label{white-space:nowrap;margin-right:.7em;cursor:pointer}'
    '.curves label:has(:not(:checked)){opacity:.35}.curves input{display:none}'
    f'.curves .chart{{position:relative}}.curves b{{position:absolute;left:{LEFT + 4}px}}'
    f'.curves svg{{position:absolute;left:{LEFT}px;width:calc(100% - {LEFT + RIGHT}px);'
    'height:100%;background:#8881}'
    '.curves polyline,.curves path{fill:none;vector-effect:non-scaling-stroke}'
    f'.curves .y{{position:absolute;left:0;width:{LEFT - 5}px;text-align:right;'
    'transform:translateY(-50%);line-height:1}'
    f'.curves .x{{position:relative;height:1.5em;margin:0 {RIGHT}px 0 {LEFT}px}}'
    '.curves .x span{position:absolute;transform:translateX(-50%);white-space:nowrap}'
)


def colours(count: int) -> list[str]:
    """Return distinct colours of curves; of many they differ in hue and in lightness."""
    if count <= len(_FEW):
        return list(_FEW[:count])
    found = []
    for k in range(count):
        hue, light = k / count, (0.36, 0.52, 0.24, 0.64)[k % 4]
        parts = colorsys.hls_to_rgb(hue, light, 0.75)
        found.append('#' + ''.join(f'{round(255 * part):02x}' for part in parts))
    return found


def curves(times: Array, signal: Signal) -> str:
    """Return the curves of a motion (T, k) as HTML: a chart for each unit, and a legend."""
    chosen = np.unique(np.linspace(0, len(times) - 1, min(len(times), _MOST)).round().astype(int))
    span = max(float(times[-1] - times[0]), 1e-12)
    x = _WIDTH * (times[chosen] - times[0]) / span
    hues, units = colours(len(signal.owners)), sorted(set(signal.units))
    legend, rules, charts = [], [], []
    for k, (name, colour) in enumerate(zip(signal.owners, hues, strict=True)):
        box = f'<input type="checkbox" checked data-curve="{k}">'
        legend.append(f'<label style="color:{colour}">{box}&#9632; {escape(name)}</label>')
        rules.append(f'.curves:has([data-curve="{k}"]:not(:checked)) .curve{k}{{display:none}}')
    for unit in units:
        owners = [k for k, own in enumerate(signal.units) if own == unit]
        values = signal.values[chosen][:, owners]
        lines = [f'curve{k}" stroke="{hues[k]}' for k in owners]
        title = escape(f'{signal.name} [{unit}]')
        charts.append(_chart(title, x, values, lines, _PIXELS // len(units)))
    along = ticks(float(times[0]), float(times[0]) + span, 7)
    marks = ''.join(
        f'<span style="left:{100.0 * (tick - times[0]) / span:.2f}%">{tick:.6g}{unit}</span>'
        for tick, unit in zip(along, [''] * (len(along) - 1) + [' s'], strict=True)
    )
    return (
        f'<style>{_STYLE}{"".join(rules)}</style><div class="curves">'
        f'<div class="legend">{" ".join(legend)}</div>'
        f'{"".join(charts)}'
        f'<div class="x">{marks}</div></div>'
    )


def _chart(title: str, x: Array, values: Array, lines: list[str], pixels: int) -> str:
    low, high = float(values.min()), float(values.max())
    low, high = min(low, 0.0), max(high, 0.0)  # with the line of zero
    room = 0.05 * (high - low) or 1.0
    low, high = low - room, high + room
    y = _HEIGHT * (high - values) / (high - low)
    drawn, labels = [], []
    for tick in ticks(low, high, pixels // 20):
        height = (high - tick) / (high - low)
        colour = '#8889' if tick == 0.0 else '#8883'
        drawn.append(f'<path d="M0 {_HEIGHT * height:.2f}H{_WIDTH}" stroke="{colour}"/>')
        labels.append(f'<div class="y" style="top:{100.0 * height:.2f}%">{tick:.6g}</div>')
    for column, line in zip(y.T, lines, strict=True):
        points = ' '.join(f'{a:.1f},{b:.1f}' for a, b in zip(x, column, strict=True))
        drawn.append(f'<polyline points="{points}" stroke-width="1.5" class="{line}"/>')
    return (
        f'<div class="chart" style="height:{pixels}px">{"".join(labels)}<b>{title}</b>'
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none">'
        f'{"".join(drawn)}</svg></div>'
    )


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most about `most` round numbers within an interval."""
    rough = (high - low) / most
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * min(s for s in (1.0, 2.0, 2.5, 5.0, 10.0) if s * power >= rough * (1.0 - 1e-9))
    numbers = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1.0)
    return [float(f'{number * step:.12g}') + 0.0 for number in numbers]


def cursor(share: float) -> str:
    """Return the cursor behind the curves, at a share 0 to 1 of the time, as HTML."""
    left = f'calc({LEFT}px + (100% - {LEFT + RIGHT}px) * {share:.5f})'
    return (
        '<div style="position:relative;height:0"><div class="cursor" style="position:absolute;'
        f'left:{left};bottom:17px;height:{_PIXELS}px;border-left:1.5px solid #c00"></div></div>'
    )
