# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Curves of a motion as HTML, with a cursor at an instant."""

from __future__ import annotations

from html import escape

import numpy as np

from screw_dynamics.common.arrays import Array

_WIDTH, _HEIGHT = 1000, 100  # of the drawing, which is stretched
_PIXELS = 110  # height on the page
_LEFT, _RIGHT = 52, 12  # [px]
_MOST = 600  # points of a curve
_COLOURS = ('#2c7bb6', '#e08214', '#1b9e77', '#c51b7d', '#7b5bb5', '#8c6d31', '#4d4d4d', '#d7301f')


def curves(times: Array, values: Array, names: tuple[str, ...], title: str) -> str:
    """Return curves (T, n) over times (T,) with axes and the names of the joints, as HTML."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 1.0, high + 1.0
    span = max(float(times[-1] - times[0]), 1e-12)
    chosen = np.unique(np.linspace(0, len(times) - 1, min(len(times), _MOST)).round().astype(int))
    x = _WIDTH * (times[chosen] - times[0]) / span
    y = _HEIGHT * (1.0 - (values[chosen] - low) / (high - low))
    lines, legend = [], []
    for j, name in enumerate(names):
        colour = _COLOURS[j % len(_COLOURS)]
        points = ' '.join(f'{a:.1f},{b:.1f}' for a, b in zip(x, y[:, j], strict=True))
        lines.append(f'<polyline points="{points}" stroke="{colour}"/>')
        legend.append(f'<span style="color:{colour}">{escape(name)}</span>')
    if low < 0.0 < high:
        zero = _HEIGHT * high / (high - low)
        lines.insert(0, f'<path d="M0 {zero:.1f}H{_WIDTH}" stroke="#ccc"/>')
    style = 'position:absolute;width:46px;left:0;text-align:right'
    return (
        '<div style="font:11px sans-serif;color:#555">'
        f'<div style="margin-left:{_LEFT}px;line-height:1.5"><b>{escape(title)}</b> '
        f'{" &nbsp;".join(legend)}</div>'
        f'<div style="position:relative;height:{_PIXELS}px">'
        f'<div style="{style};top:0">{high:.3g}</div>'
        f'<div style="{style};bottom:0">{low:.3g}</div>'
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" '
        f'style="position:absolute;left:{_LEFT}px;width:calc(100% - {_LEFT + _RIGHT}px);'
        'height:100%;background:#fafbfc">'
        '<g fill="none" stroke-width="1.4">'
        f'{"".join(lines)}</g></svg></div>'
        f'<div style="margin:0 {_RIGHT}px 0 {_LEFT}px;display:flex;justify-content:space-between">'
        f'<span>{times[0]:.4g} s</span><span>{times[-1]:.4g} s</span></div></div>'
    ).replace('stroke="#', 'vector-effect="non-scaling-stroke" stroke="#')


def cursor(share: float, name: str = 'cursor') -> str:
    """Return the cursor behind the curves, at a share 0 to 1 of the time, as HTML."""
    left = f'calc({_LEFT}px + (100% - {_LEFT + _RIGHT}px) * {share:.5f})'
    return (
        '<div style="position:relative;height:0"><div '
        f'class="{name}" style="position:absolute;left:{left};bottom:13px;height:{_PIXELS}px;'
        'border-left:1.5px solid #c00"></div></div>'
    )


def with_curves(page: str, drawn: str) -> str:
    """Return a page of viser with curves above its player, whose cursor follows it."""
    panel = (
        '<div style="position:fixed;left:12px;right:12px;bottom:52px;background:#ffffffd8;'
        f'padding:6px;border-radius:6px;z-index:2">{drawn}{cursor(0.0)}</div>'
        '<script>setInterval(() => {'
        'const bar = document.querySelector("[role=slider]");'
        'if (!bar) return;'
        'const share = bar.getAttribute("aria-valuenow") / bar.getAttribute("aria-valuemax");'
        'document.querySelector(".cursor").style.left ='
        f'`calc({_LEFT}px + (100% - {_LEFT + _RIGHT}px) * ${{share}})`;'
        '}, 30);</script>'
    )
    return page.replace('</body>', f'{panel}</body>')
