# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Document of the comparison: simulations, tables and their interpretation."""

from __future__ import annotations

from collections.abc import Sequence

from sea_study.arms import MOTION, REST
from sea_study.scene import (
    DIFFERENCE_STEPS,
    EXACT,
    FEEDBACK_DAMPING,
    FEEDBACK_FREQUENCY,
    MIDDLE,
    NOISE,
    PERIOD,
    RESOLUTION,
    RIGID,
    TICK,
)
from sea_study.table import arm_table, comparison_table, ratios
from sea_study.tracking import FALLEN, OWN, RTOL, SUBSTEPS, Outcome
from sea_study.wrong_parameters import Mistaken, mistake_table


def document(outcomes: Sequence[Outcome], mistaken: Sequence[Mistaken]) -> str:
    """Return the Markdown document of a comparison."""
    exact = [o for o in outcomes if o.feedforward == EXACT and not o.feedback]
    own = max(o.largest for o in exact if o.engine == OWN)
    mujoco = max(o.largest for o in exact if o.engine != OWN)
    least, least_held = (
        min(ratios(outcomes, RIGID, feedforward).values()) for feedforward in (EXACT, MIDDLE)
    )
    tick = ratios(outcomes, TICK, MIDDLE).values()
    worse = [arm.name for arm, ratio in ratios(outcomes, TICK, RIGID).items() if ratio > 1.0]
    feedback = f'{FEEDBACK_FREQUENCY:g} Hz, damping {FEEDBACK_DAMPING:g}'
    step = 1e3 * PERIOD / SUBSTEPS
    steps = ', '.join(map(str, DIFFERENCE_STEPS))
    return f"""# Feedforward for arms with elastic joints, compared

`make demo-sea` writes this page and the figure, to `output/demo_sea`; the version in `docs`
comes from `python -m screw_dynamics.demo sea --output docs --without-ros`.

![Tracking errors over time](demo_sea.png)

KUKA LBR iiwa 14 and Franka Panda (with its hand), with the joints of a stiff arm and with soft
series springs, move fast for {MOTION:g} s through a via point and then rest for {REST:g} s.
The motors receive a feedforward only: no sensor is read. *Hanging*: mounted on the
ceiling, near the straight-down pose. *Upright*: the same joint motion on the floor. Two engines:
our own equations of motion, integrated by scipy (DOP853, relative tolerance {RTOL:g}; fixed
Runge-Kutta steps of {step:g} ms where commands are held), and MuJoCo (RK4, {step:g} ms), which
reads an MJCF file and does not use this package.

- **rigid**: inverse dynamics of the links + rotor inertia and friction at the link's motion.
- **differences, noisy**: tau' and tau'' by central differences from joint torques sampled at 1 kHz
  with the noise of a torque sensor ({NOISE:g} N m rms, steps of {RESOLUTION:g} N m). No delay is
  counted, and the best step of {steps} ms is chosen in hindsight.
- **differences, clean**: the same from noise-free torques of the model, step 1 ms.
- **exact, tick held**: `sd.elastic_feedforward` of the instant at which a command is sent, held
  for 1 ms until the next. This is the node at 1 kHz with `lead_time: 0.0`, its default.
- **exact, middle held**: the command of the middle of the period for which it is held. This is the
  node at 1 kHz with `lead_time: {0.5 * PERIOD:g}`, if there is no other delay.
- **exact**: the same as a continuous function of time.

Commands by differences are held for 1 ms too, and belong to the middle of their period; the rigid
feedforward is a continuous function of time, as the last one is.

## Result

Errors in rad: largest and rms of |q - q_ref| over all joints during the motion; *osc.*, the
largest vibration of a spring at rest afterwards (amplitude, without a slow trend); *falls*, an
error beyond {FALLEN:g} rad.

{chr(10).join(comparison_table(outcomes))}

- The exact feedforward tracks to the tolerance of the integrator: at most {own:.1e} rad in our
  equations, {mujoco:.1e} rad in MuJoCo. The error of the rigid one is {least:.0e} times that or
  more; with the exact commands of the middle, held for 1 ms, it still is {least_held:.0f} times
  theirs or more.
- A held command belongs to one instant of its period, and which one decides. With that of the
  tick the arm follows half a period late: it is off by up to h / 2 times the fastest joint
  velocity, {min(tick):.0f} to {max(tick):.0f} times the error with that of the middle. The error
  of the rigid feedforward, which is not held here, is smaller than that of the tick on:
  {'; '.join(worse) or 'no arm'}.
  Set `lead_time` to the delay to the motors plus half the time for which a command is held.
- With held commands of the middle the hold sets the error, not the feedforward: it is the error of
  a staircase. Noise-free differences (of the middle, too) are as good there. They fail
  with noise: tau'' of torques with noise s has noise sqrt(6) s / h^2, and a step h that tames
  it no longer sees the motion.
- Upright arms are unstable without feedback: every error grows with the rate in the table below,
  a rigid feedforward lets the arm fall within the second of rest, and the exact one stays because
  it starts from 1e-12. That is a statement about the feedforward, not a recommendation.
- *With PD* is the same in MuJoCo with a light PD ({feedback}) on the motor positions
  around the exact motor motion, for every feedforward alike. It proves nothing about the
  feedforward, but shows what remains in practice: the PD holds up the arm, and what the
  feedforward leaves out remains as an error.

## Wrong parameters

All of the above is computed with the parameters that the arm has. Here the feedforward takes one
of them 10 % too large, in every joint or link. Largest |q - q_ref| [rad] of the hanging arms in
our equations, commands as continuous functions of time: rigid and exact.

{chr(10).join(mistake_table(mistaken))}

- With a stiffness that is known to 10 % the exact feedforward is still some ten times better than
  the rigid one; to know it better pays in proportion.
- Rotor inertia (behind the gear, as large as that of the links) and masses matter more than
  springs, for both feedforwards alike. Without feedback nothing corrects them: identify them
  first.

## The arms

Stiffness, rotor inertia and friction are in `examples/sea_study/arms.py`, with the reasons.
Deflection: largest along the motion. Frequencies: of free vibration. Growth: fastest exponential
of the linearised robot at the end, motor efforts held. Step: the best, in hindsight.

{chr(10).join(arm_table())}
"""
