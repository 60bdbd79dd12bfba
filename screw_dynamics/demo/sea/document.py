# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The document of the comparison: what was simulated, the table, how to read it."""

from __future__ import annotations

from collections.abc import Sequence

from screw_dynamics.demo.sea.arms import MOTION, REST
from screw_dynamics.demo.sea.scene import (
    DIFFERENCE_STEPS,
    EXACT,
    FEEDBACK_DAMPING,
    FEEDBACK_FREQUENCY,
    HELD,
    NOISE,
    PERIOD,
    RESOLUTION,
    RIGID,
)
from screw_dynamics.demo.sea.table import arm_table, comparison_table, ratios
from screw_dynamics.demo.sea.tracking import FALLEN, OWN, RTOL, SUBSTEPS, Outcome


def document(outcomes: Sequence[Outcome]) -> str:
    """
    Return the Markdown document of a comparison.

    Parameters
    ----------
    outcomes : sequence of Outcome

    Returns
    -------
    str

    """
    exact = [o for o in outcomes if o.feedforward == EXACT and not o.feedback]
    own = max(o.largest for o in exact if o.engine == OWN)
    mujoco = max(o.largest for o in exact if o.engine != OWN)
    least, least_held = (
        min(ratios(outcomes, RIGID, feedforward).values()) for feedforward in (EXACT, HELD)
    )
    feedback = f'{FEEDBACK_FREQUENCY:g} Hz, damping {FEEDBACK_DAMPING:g}'
    step = 1e3 * PERIOD / SUBSTEPS
    steps = ', '.join(map(str, DIFFERENCE_STEPS))
    return f"""# Feedforward for arms with elastic joints, compared

`make demo-sea` writes this page and the figure, to `output/demo_sea`; what is published in `docs`
comes from `python -m screw_dynamics.demo.sea.job --output docs --without-ros`.

![Tracking errors over time](demo_sea.png)

KUKA LBR iiwa 14 and Franka Panda (with its hand), with the joints of a stiff arm and with soft
series springs, move fast for {MOTION:g} s through a via point and then rest for {REST:g} s.
The motors get nothing but a feedforward: no sensor is read. *Hanging*: mounted on the
ceiling, near the straight-down pose. *Upright*: the same joint motion on the floor. Two engines:
our own equations of motion, integrated by scipy (DOP853, relative tolerance {RTOL:g}; fixed
Runge-Kutta steps of {step:g} ms where commands are held), and MuJoCo (RK4, {step:g} ms), which
gets an MJCF file and knows nothing of this package.

- **rigid**: inverse dynamics of the links + rotor inertia and friction at the link's motion.
- **differences, noisy**: tau' and tau'' by central differences from joint torques sampled at 1 kHz
  with the noise of a torque sensor ({NOISE:g} N m rms, steps of {RESOLUTION:g} N m). No delay is
  charged, and the best step of {steps} ms is taken in hindsight.
- **differences, clean**: the same from noise-free torques of the model, step 1 ms.
- **exact, held 1 ms**: `sd.elastic_feedforward`, sent at 1 kHz and held in between.
- **exact**: the same as a continuous function of time.

## Result

Errors in rad: largest and rms of |q - q_ref| over all joints during the motion; *osc.*, the
largest vibration of a spring at rest afterwards (amplitude, without a slow trend); *falls*, an
error beyond {FALLEN:g} rad.

{chr(10).join(comparison_table(outcomes))}

- The exact feedforward tracks to the tolerance of the integrator: at most {own:.1e} rad in our
  equations, {mujoco:.1e} rad in MuJoCo. The error of the rigid one is {least:.0e} times that or
  more; with the exact commands held for 1 ms it still is {least_held:.0f} times theirs or more.
- With held commands the hold sets the error, not the feedforward: it is the error of a staircase.
  Noise-free differences are as good there. What they cannot stand is noise: tau'' of torques with
  noise s has noise sqrt(6) s / h^2, and a step h that tames it no longer sees the motion.
- Upright arms are unstable without feedback: every error grows with the rate in the table below,
  a rigid feedforward lets the arm fall within the second of rest, and the exact one stays because
  it starts from 1e-12. That is a statement about the feedforward, not a recommendation.
- *With PD* is the same in MuJoCo with a light PD ({feedback}) on the motor positions
  around the exact motor motion, for every feedforward alike. It proves nothing about the
  feedforward, but shows what remains in practice: the PD holds up the arm, and what the
  feedforward leaves out remains as an error.

## The arms

Stiffness, rotor inertia and friction are in `screw_dynamics/demo/sea/arms.py`, with the reasons.
Deflection: largest along the motion. Frequencies: of free vibration. Growth: fastest exponential
of the linearised robot at the end, motor efforts held. Step: the best, in hindsight.

{chr(10).join(arm_table())}
"""
