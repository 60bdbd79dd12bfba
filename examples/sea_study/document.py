# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Document of the comparison: simulations, tables and their interpretation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill

from sea_study import differences
from sea_study.arms import KNEE, MOTION, arms
from sea_study.commands import JITTER
from sea_study.conditions import DELAY, DRAWS, FEEDBACKS, JITTERS, LEVEL, headline
from sea_study.robustness import FALLEN, PERIOD, SUBSTEPS
from sea_study.scene import CLEAN, EXACT, FEEDBACK_DAMPING, GRAVITY, NOISY, RIGID
from sea_study.table import (
    Found,
    arm_table,
    condition_table,
    headline_table,
    ideal_table,
    ratio,
    ratio_table,
    two_digits,
)
from sea_study.tracking import HELD, OWN, RTOL, STEP, Outcome

GAIN = 1.1  # ratio of errors from which on a feedforward counts as better
WIDTH = 99  # of lines


def document(found: Found, outcomes: Sequence[Outcome]) -> str:
    """Return the Markdown document of a comparison."""
    feedback = FEEDBACKS[0]
    steps = ' and '.join(f'{1e3 * PERIOD / n:g} ms with {kind}' for kind, n in SUBSTEPS.items())
    cutoffs = ', '.join(f'{cutoff:g}' for cutoff in differences.CUTOFFS)
    jitter = '; '.join(
        f'{rate:g} Hz: {" / ".join(f"{1e6 * value:.0f}" for value in values)} µs'
        for rate, values in JITTER.items()
    )
    return f"""# Feedforward for arms with elastic joints, compared

{_headline(found)}

`make demo-sea` writes this page and the figure, to `output/demo_sea`; the version in `docs`
comes from `python -m screw_dynamics.demo sea --output docs --without-ros`.

![Largest tracking errors under many conditions](demo_sea.png)

KUKA LBR iiwa 14 and Franka Panda (with its hand), loaded, with the joints of a stiff arm and with
soft series springs, move fast for {MOTION:g} s through a via point. *Hanging*: mounted on the
ceiling, near the straight-down pose. *Upright*: the same joint motion on the floor, unstable
without feedback. The plant is MuJoCo, which reads an MJCF file and does not use this package
(RK4, steps of {steps} joints). Only the
[comparison without feedback](#without-feedback) has our own equations of motion beside it.

All errors are |q - q_ref| of the links during the motion, as `largest / rms` in mrad: the largest
of all joints and the rms over all joints and instants; *falls*: more than {FALLEN:g} rad. At the
beginning an arm rests where feedforward and PD hold it, with its wrong parameters.

## Feedforwards

Each is sent at 1 kHz, for the middle of the millisecond for which it is held
(`lead_time: auto`), unless a row says otherwise.

- **PD alone**: none.
- **PD + gravity**: the efforts of gravity at the reference.
- **rigid**: inverse dynamics of the links + rotor inertia and friction at the link's motion; no
  elastic terms.
- **differences, noisy**: elastic feedforward from positions that an encoder reads at 1 kHz (steps
  of {1e6 * differences.STEP:.0f} µrad, noise of {1e6 * differences.NOISE:.0f} µrad rms):
  Butterworth low-pass of order {differences.ORDER}, forwards and backwards, with the best of
  {cutoffs} Hz in hindsight, then central differences of
  positions and of rigid efforts. No delay of the filter is counted.
- **differences, clean**: the same from exact positions, without a filter. A planner that knows its
  curve can do this.
- **exact**: `sd.elastic_feedforward`.

Beside each runs the same PD in the drives, at {1e-3 / PERIOD:g} kHz and without delay, on
positions and velocities of the motors: {feedback.frequency:g} Hz and damping {FEEDBACK_DAMPING:g}
for the inertia of rotor and link together. Its reference is the exact motor motion for the assumed
parameters, beside the rigid feedforward too, where a rigid controller would take the motion of the
links.

## What remains

All parameters wrong by up to {100 * LEVEL:g} %, {1e3 * DELAY:g} ms of delay that nobody knows:
largest error [mrad], median (worst) of {DRAWS} draws, and ratios of the medians.

{_lines(headline_table(found))}

Ratio of the largest errors, iiwa and Panda, under [all conditions](#all-conditions):

{_lines(ratio_table(found, RIGID))}

- Exact derivatives pay where springs are soft and all parameters are right to about a per cent.
  Then 2 ms of delay, jitter and hold cost less than what a rigid feedforward leaves out. With
  stiff gears a rigid feedforward, with friction and rotors, is hardly worse as soon as a parameter
  is wrong by 5 %.
- What to identify first: with soft springs stiffness and payload, which decide the deflection and
  with it the reference of the PD on the motors; with stiff gears payload and rotor inertia.
- Whoever knows the curve can take clean differences of it: exact derivatives are a convenience
  then. Measured positions need a filter without delay, which only a recording allows.
- A known delay costs nothing: put it into `lead_time`, with half the hold. The command of the tick
  costs most where commands are held for long: at 250 Hz as much as 2 ms of delay, which it is.

## All conditions

- *5 %*, *10 %*, *20 %*: the feedforward and the reference of the PD assume the stiffness, rotor
  inertia or friction of all joints, or the payload, too large or too small by this much; the row
  shows the worse. *all*: each parameter of each joint is wrong by a random amount within the band,
  in the same {DRAWS} draws for every feedforward.
- *delay*: from the node to the motors. *in lead_time*: `lead_time` is the delay + half the hold.
- *with jitter*: ticks are late as those of the node `feedforward` in 60 s of `make bench-node`, on
  two cores that had other work, too (median / 99 % / maximum;
  {jitter}), in {JITTERS} draws. Without other work
  they are [less late](measurements/node.md). A late tick is computed for its own time.
- *tick held*, *middle held*: the instant of the hold for which a command is computed
  (`lead_time: 0` and `auto`). In all other rows it is the middle, and the rate 1000 Hz.
- *PD 1 Hz of links*: position of the links, velocity of the motors. It is stable for light gains
  only.

{_lines(_condition_tables(found))}

## Without feedback

The same feedforwards alone, with right parameters, in two engines: our own equations of motion,
integrated by scipy (DOP853, relative tolerance {RTOL:g}; fixed Runge-Kutta steps of
{1e3 * STEP:g} ms where commands are held, for 1 ms and for its middle), and MuJoCo. Largest and
rms error [rad]. This shows that the equations are right, not what an arm does.
{_ideal(outcomes)}

{_lines(ideal_table(outcomes))}

## The arms

Stiffness, rotor inertia and friction are in `examples/sea_study/arms.py`, with the reasons. Dry
friction is smooth, c tanh(velocity / {KNEE:g} rad/s), in plant and feedforward: no stiction, no
backlash, no hysteresis. A real gear is worse than the row *nominal*. Deflection: largest along the
motion. Frequencies: of free vibration. Cutoff: the best, in hindsight.

{_lines(arm_table())}
"""


def _headline(found: Found) -> str:
    """Return the first paragraph: where exact feedforward does not help."""
    condition = headline()

    def span(feedforward: str) -> str:
        ratios = [ratio(found, arm, condition, feedforward) for arm in arms()]
        return f'{two_digits(min(ratios))} to {two_digits(max(ratios))}'

    rigid = {arm.name: ratio(found, arm, condition, RIGID) for arm in arms()}
    helpless = [name for name, value in rigid.items() if 1.0 / GAIN <= value < GAIN]
    worse = [name for name, value in rigid.items() if value < 1.0 / GAIN]
    return fill(
        f'With all parameters wrong by up to {100 * LEVEL:g} % and {1e3 * DELAY:g} ms of unknown '
        f'delay, exact feedforward does not help against a rigid one on {len(helpless)} of '
        f'{len(rigid)} arms ({"; ".join(helpless) or "none"}: errors differ by less than '
        f'{100 * (GAIN - 1):.0f} %), and is worse on {len(worse)} ({"; ".join(worse) or "none"}). '
        f'Beside the same PD, the error of the rigid one is {span(RIGID)} times that of the exact '
        f'one, that of finite differences {span(CLEAN)} times without noise and {span(NOISY)} '
        f'times with it, and that of gravity alone {span(GRAVITY)} times.',
        WIDTH,
    )


def _ideal(outcomes: Sequence[Outcome]) -> str:
    """Return the sentence on exact feedforward without feedback."""
    own, mujoco = (
        max(o.largest for o in outcomes if o.feedforward == EXACT and (o.engine == OWN) == same)
        for same in (True, False)
    )
    held = max(o.largest for o in outcomes if o.feedforward == HELD)
    return fill(
        f'Exact feedforward tracks to the tolerance of the integrator, at most {own:.1e} rad in '
        f'our equations and {mujoco:.1e} rad in MuJoCo; held commands track to {held:.1e} rad.',
        WIDTH,
    )


def _condition_tables(found: Found) -> Iterator[str]:
    for arm in arms():
        yield from (f'### {arm.name}', '', *condition_table(found, arm), '')


def _lines(lines: Iterable[str]) -> str:
    return '\n'.join(lines).rstrip()
