# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A stream of positions through the reference filter: derivatives, delay, attenuation."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import BLACK, COLOURS, GREY
from screw_dynamics.trajectory import ReferenceFilter

STREAM_PERIOD, TICK = 0.01, 0.001  # s: a stream of 100 Hz, ticks at 1 kHz
NOISE = 5e-5  # rad
BANDWIDTH = 5.0  # Hz
ORDERS = (5, 8)
LABELS = (
    r'$q$  [rad]',
    r'$\dot q$  [rad/s]',
    r'$\ddot q$  [rad/s²]',
    r'$q^{(3)}$  [rad/s³]',
    r'$q^{(4)}$  [rad/s⁴]',
)


def motion(t: Array) -> Array:
    """Return a sine of 0.5 Hz and its derivatives, (5, T)."""
    rate = np.pi
    return np.array([0.5 * rate**d * np.sin(rate * t + 0.5 * np.pi * d) for d in range(5)])


def stream(times: Array) -> Array:
    """Return what is sent: the motion with noise, in steps."""
    samples = np.floor(times / STREAM_PERIOD + 1e-9).astype(int)
    noise = np.random.default_rng(0).normal(scale=NOISE, size=samples[-1] + 1)
    sent: Array = motion(samples * STREAM_PERIOD)[0] + noise[samples]
    return sent


def filtered(values: Array, order: int) -> tuple[Array, float]:
    """Return the output at every tick, (5, T), and the delay."""
    smooth = ReferenceFilter(1, order, BANDWIDTH)
    smooth.start(values[:1])
    out = np.empty((len(values), 5, 1))
    for i, value in enumerate(values):
        if i:
            smooth.advance(TICK)
        if value != smooth.goal[0]:
            smooth.follow([value])
        smooth.sample(0.0, out[i])
    return out[:, :, 0].T, smooth.delay


def differences(values: Array) -> Array:
    """Return the derivatives of the samples by differences, (5, T) with steps between them."""
    every = round(STREAM_PERIOD / TICK)
    samples = values[::every]
    rows = [samples]
    for _ in range(4):
        rows.append(np.diff(rows[-1], prepend=rows[-1][:1]) / STREAM_PERIOD)
    return np.repeat(rows, every, axis=1)[:, : len(values)]


def figure() -> Figure:
    """Return the figure."""
    times = np.arange(0.0, 3.0, TICK)
    sent = stream(times)
    shown = times >= 1.0
    result = Figure(figsize=(12.0, 9.0), dpi=120)
    grid = result.add_gridspec(5, 2, width_ratios=(1.7, 1.0), hspace=0.28, wspace=0.2)
    rough = differences(sent)
    smooth = {order: filtered(sent, order) for order in ORDERS}
    axes = [result.add_subplot(grid[d, 0]) for d in range(5)]
    for d, axis in enumerate(axes):
        axis.plot(times[shown], rough[d, shown], color='#C9CED4', linewidth=0.8)
        for (output, _), colour, alpha in zip(smooth.values(), COLOURS, (0.45, 1.0), strict=False):
            axis.plot(times[shown], output[d, shown], color=colour, alpha=alpha, linewidth=1.1)
        true = motion(times)[d]
        axis.plot(times[shown], true[shown], color=BLACK, linestyle=':', linewidth=1.2)
        # the steps of the stream in snap would hide everything else
        reach = max(np.abs(true).max(), np.abs(smooth[ORDERS[-1]][0][d, shown]).max())
        reach *= 1.25 if d < 3 else 2.5
        axis.set_ylim(-reach, reach)
        axis.set_ylabel(LABELS[d])
        axis.set_xlim(1.0, 3.0)
        if d < 4:
            axis.set_xticklabels([])
    axes[-1].set_xlabel('time [s]')
    axes[0].set_title(
        f'100 Hz stream with {1e6 * NOISE:g} µrad of noise, bandwidth {BANDWIDTH:g} Hz',
        color=BLACK,
        fontsize=11,
        loc='left',
    )
    _draw_delay(result.add_subplot(grid[:2, 1]), times, sent, smooth)
    _draw_attenuation(result.add_subplot(grid[3:, 1]))
    handles = [
        Line2D([], [], color=BLACK, linestyle=':', label='motion'),
        Line2D([], [], color='#C9CED4', label='stream, differences'),
        *(
            Line2D([], [], color=colour, label=f'filter of order {order}, {1e3 * delay:.0f} ms')
            for (order, (_, delay)), colour in zip(smooth.items(), COLOURS, strict=False)
        ),
    ]
    result.legend(handles=handles, loc='upper center', ncols=4, frameon=False)
    result.subplots_adjust(left=0.09, right=0.98, top=0.92, bottom=0.06)
    return result


def _draw_delay(
    axis: Axes, times: Array, sent: Array, smooth: dict[int, tuple[Array, float]]
) -> None:
    part = (times >= 1.9) & (times <= 2.1)
    axis.step(times[part], sent[part], where='post', color='#9AA1A9', linewidth=1.0)
    axis.plot(times[part], motion(times)[0][part], color=BLACK, linestyle=':')
    for (output, delay), colour, height in zip(
        smooth.values(), COLOURS, (-0.02, 0.02), strict=False
    ):
        axis.plot(times[part], output[0, part], color=colour)
        begin = 2.0 + height / (0.5 * np.pi)  # where the motion passes this height
        late = 0.5 * STREAM_PERIOD + delay
        axis.annotate(
            '',
            (begin + late, height),
            (begin, height),
            arrowprops={'arrowstyle': '->', 'color': colour},
        )
    axis.set_title(
        'delay: N / ω and half a step of the stream', color=BLACK, fontsize=11, loc='left'
    )
    axis.set_ylabel(LABELS[0])
    axis.set_xlabel('time [s]')
    axis.set_xlim(1.9, 2.1)


def _draw_attenuation(axis: Axes) -> None:
    frequencies = np.logspace(0, 3, 400)
    for order, colour in zip(ORDERS, COLOURS, strict=False):
        pole = ReferenceFilter(1, order, BANDWIDTH).pole
        gain = (1.0 + (2.0 * np.pi * frequencies / pole) ** 2) ** (-0.5 * order)
        axis.loglog(frequencies, gain, color=colour)
        axis.loglog(
            frequencies,
            gain * (2.0 * np.pi * frequencies / pole) ** 4,
            color=colour,
            dashes=(3, 2),
        )
    axis.axvline(1.0 / STREAM_PERIOD, color=GREY, linewidth=0.8)
    axis.text(1.05 / STREAM_PERIOD, 3.0, 'steps of\nthe stream', color=GREY, fontsize=9, va='top')
    axis.set_ylim(1e-9, 5.0)
    axis.set_title(
        'amplitude of q, and of snap / ω⁴ (dashed)', color=BLACK, fontsize=11, loc='left'
    )
    axis.set_xlabel('frequency [Hz]')
