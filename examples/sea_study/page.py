# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Page and figure of the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill

from sea_study.arms import ARMS, KNEE, MOTION, Arm
from sea_study.plant import DAMPING, EXACT, FREQUENCY, PERIOD, RIGID
from sea_study.story import DRAWS, EFFORT_NOISE, EXCITED, HEADLINE, LATE, LEVEL, NOISE, Step

Stories = Mapping[Arm, Sequence[Step]]
Errors = Mapping[tuple[str, Arm, str], float]  # by condition, arm and feedforward [rad]

WIDTH = 99  # of lines
COLOURS = '#8A929B', '#D55E00', '#0072B2', '#009E73'


def page(stories: Stories, errors: Errors) -> str:
    """Return the page as Markdown."""
    return f"""# Arms with springs: out of the data sheet, identified, learned

{_headline(stories, errors)}

`make demo-sea` writes this page and the figure to `output/demo_sea`; the version in `docs` comes
from `python -m screw_dynamics.demo sea --output docs`.

![Largest errors of the links, step by step](demo_sea.png)

{_lines(story_table(stories))}

KUKA LBR iiwa 14 and Franka Panda (with its hand) stand upright, loaded, with springs of 500 to
2000 N m/rad, and move fast for {MOTION:g} s through a via point. The plant is MuJoCo, which reads
an MJCF file and does not use this package. Errors are the largest of all joints along the motion.
A PD on the motors ({FREQUENCY:g} Hz, damping {DAMPING:g}, at {1e-3 / PERIOD:g} kHz) runs beside
each feedforward.

- **naive rigid**: inverse dynamics of the links, rotors and friction; the PD follows the motion of
  the links. This is what most owners have.
- **rigid**: the same efforts; the PD follows the motion of the motors, θ = q + τ/K.
- **exact**: `sd.elastic_feedforward`, efforts and motion of the motors.
- *all known*: all parameters and the delay of {1e3 * LATE:g} ms are known. *data sheet*:
  stiffness, rotors, friction and load are off by up to {100 * LEVEL:g} %, each joint by another
  amount, and nobody knows the delay.
- *identified*: one run of {EXCITED:g} s, designed by `sd.excitation_motion` and commanded by the
  data sheet, then `sd.identify_drives`, with noise of the encoders ({1e6 * NOISE:g} µrad) and of
  the efforts ({100 * EFFORT_NOISE:g} %); *and delay*: it is in `lead_time`.
- *repeat*: by the data sheet again; `sd.learn_motion` corrects the motion by the errors of its
  last run.

Costs are those of the step: time of the arm, and of one core. Friction is smooth in plant and
feedforward; hysteresis and backlash, over ROS 2: [learning](learning.md#over-ros). The same with
its code: [tutorial](tutorials/sea_arm.md).

## All conditions

What is wrong, one thing at a time: largest error [mrad], rigid / exact, both with the motion of
the motors. Stiffness, rotors, friction or load of all joints are {100 * LEVEL:g} % too large or
too small (the mean of both); *all*: each is off by a random amount, the median of {DRAWS} draws.
Stiff: gears of 5000 to 14000 N m/rad; soft: springs of 125 to 850 N m/rad.

{_lines(condition_table(errors))}

- Exact derivatives pay where springs are soft and all parameters are right to about a per cent;
  with stiff gears a rigid feedforward, with friction and rotors, is hardly worse as soon as a
  parameter is wrong.
- With springs stiffness and load cost most, because they decide where the motors have to be.
- A known delay costs nothing: put it into `lead_time`, with half of the time for which a command
  is held. At 250 Hz the command of the tick itself is 2 ms late.

Drives, with the reasons: `examples/sea_study/arms.py`. Dry friction is
c tanh(velocity / {KNEE:g} rad/s).
"""


def story_table(stories: Stories) -> Iterator[str]:
    """Yield the lines of the table of the steps: errors [mrad] and costs [s]."""
    names = [f'{arm.make} [mrad]' for arm in stories]
    rows = [['known', 'sent', *names, 'the arm moves', 'one core computes']]
    for steps in zip(*stories.values(), strict=True):
        first = steps[0]
        computed = ' and '.join(f'{step.computed:.1f}' for step in steps)
        costs = (f'{first.moved:g} s', f'{computed} s') if first.moved else ('', '')
        rows.append([first.known, first.sent, *(mrad(step.error) for step in steps), *costs])
    yield from _table(rows)


def condition_table(errors: Errors) -> Iterator[str]:
    """Yield the lines of the table of conditions."""
    rows = [['wrong', *(arm.name for arm in ARMS)]]
    for name in dict.fromkeys(name for name, _, _ in errors):
        pairs = ([mrad(errors[name, arm, sent]) for sent in (RIGID, EXACT)] for arm in ARMS)
        rows.append([name, *map(' / '.join, pairs)])
    yield from _table(rows)


def mrad(error: float) -> str:
    """Return an error [rad] in mrad with two digits."""
    value = 1e3 * error
    return f'{value:.0f}' if value >= 9.95 else f'{value:#.2g}'


def save_figure(stories: Stories, path: Path) -> None:
    """Draw the errors of all steps, one panel per arm."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 4.6), dpi=130, layout='constrained')
    panels = figure.subplots(1, len(stories), sharex=True, sharey=True)
    for axis, (arm, steps) in zip(panels, stories.items(), strict=True):
        groups = [step.known.split()[0] for step in steps]
        places = list(dict.fromkeys(groups))
        colours = [COLOURS[places.index(group)] for group in groups]
        names = [f'{step.known}: {step.sent}' for step in steps]
        bars = axis.barh(names, [1e3 * step.error for step in steps], color=colours)
        axis.bar_label(bars, [mrad(step.error) for step in steps], padding=3, fontsize=8)
        axis.set(xscale='log', xlim=(1e-3, 1e3), xlabel='largest error of the links [mrad]')
        axis.set_title(arm.make, loc='left')
        axis.spines[['top', 'right']].set_visible(False)
    panels[0].invert_yaxis()
    figure.suptitle('Arms with springs: 2 s of fast motion', x=0.01, ha='left', weight='bold')
    figure.savefig(path)


def _headline(stories: Stories, errors: Errors) -> str:
    """Return the first paragraph: what the steps leave."""

    def both(place: int) -> str:
        return ' and '.join(mrad(steps[place].error) for steps in stories.values())

    ratios = [errors[HEADLINE, arm, RIGID] / errors[HEADLINE, arm, EXACT] for arm in ARMS]
    return fill(
        f'With all parameters wrong by up to {100 * LEVEL:g} % and {1e3 * LATE:g} ms of unknown '
        f'delay, exact feedforward hardly helps: the errors of a rigid one are '
        f'{min(ratios):.2g} to {max(ratios):.2g} times as large on six arms. Once the drives are '
        f'identified from one run, and the delay is known, exact feedforward leaves '
        f'{both(8)} mrad on two arms with springs; after three repeats that learn, '
        f'{both(-1)} mrad. Rigid controllers as most owners have them leave '
        f'{both(0)} mrad with all known.',
        WIDTH,
    )


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table, the first column on the left and all others on the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for k, (first, *others) in enumerate(rows):
        cells = [first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]
        yield f'| {" | ".join(cells)} |'
        if not k:
            rules = ('-' * (width - 1) + ':' for width in widths[1:])
            yield f'| {"-" * widths[0]} | {" | ".join(rules)} |'


def _lines(lines: Iterator[str]) -> str:
    return '\n'.join(lines)
