/* Copyright screw_dynamics contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Library of a robot written by hand: two pendulums with springs, in closed form.
 *
 * J q'' + w cos q = tau = k (theta - q), motor effort = tau + B theta''.
 */
#include <math.h>

#include "robot_table.h"

#define JOINTS 2
#define ROWS 5
#ifndef EFFORT_RATE /* N m/s */
#define EFFORT_RATE HUGE_VAL
#endif
#ifndef LOWER /* rad, of the first joint */
#define LOWER -HUGE_VAL
#define UPPER HUGE_VAL
#endif
#ifndef VELOCITY /* rad/s */
#define VELOCITY HUGE_VAL
#endif
#ifndef CONTINUOUS /* the second joint */
#define CONTINUOUS 0
#endif
#ifndef URDF_SHA256
#define URDF_SHA256 ""
#endif

static const double inertia[JOINTS] = {2.0, 0.5};
static const double weight[JOINTS] = {12.0, 3.0};
static const double stiffness[JOINTS] = {900.0, 300.0};
static const double rotor[JOINTS] = {0.25, 0.125};

static void inverse_dynamics(const double * jet, double * tau)
{
  for (int j = 0; j < JOINTS; ++j) {
    const double * const q = jet + j;
    const double c = cos(q[0]), s = sin(q[0]);
    const double v = q[JOINTS], a = q[2 * JOINTS];
    tau[j] = inertia[j] * a + weight[j] * c;
    tau[JOINTS + j] = inertia[j] * q[3 * JOINTS] - weight[j] * s * v;
    tau[2 * JOINTS + j] = inertia[j] * q[4 * JOINTS] - weight[j] * (c * v * v + s * a);
  }
}

static void gravity_forces(const double * q, double * g)
{
  for (int j = 0; j < JOINTS; ++j) {
    g[j] = weight[j] * cos(q[j]);
  }
}

static int motor_commands(const double * jet, double * motions, double * efforts)
{
  double tau[3 * JOINTS];
  inverse_dynamics(jet, tau);
  for (int j = 0; j < JOINTS; ++j) {
    for (int row = 0; row < 3; ++row) {
      motions[row * JOINTS + j] = jet[row * JOINTS + j] + tau[row * JOINTS + j] / stiffness[j];
    }
    efforts[j] = tau[j] + rotor[j] * motions[2 * JOINTS + j];
  }
  return 0;
}

const struct screw_dynamics_robot_table * screw_dynamics_robot(void)
{
  static const char * const joint_names[JOINTS] = {"left", "right"};
  static const char * const motor_names[JOINTS] = {"left_motor", "right_motor"};
  static const int joint_of_motor[JOINTS] = {0, 1};
  static const double efforts[JOINTS] = {30.0, 30.0};
  static const double rates[JOINTS] = {EFFORT_RATE, EFFORT_RATE};
  static const double none[JOINTS] = {HUGE_VAL, HUGE_VAL};
  static const double below[JOINTS] = {LOWER, -HUGE_VAL};
  static const double above[JOINTS] = {UPPER, HUGE_VAL};
  static const double speeds[JOINTS] = {VELOCITY, VELOCITY};
  static const int continuous[JOINTS] = {0, CONTINUOUS};
  static const struct screw_dynamics_robot_table table = {
    SCREW_DYNAMICS_ROBOT_VERSION, JOINTS, 2, JOINTS, 3, ROWS, URDF_SHA256, joint_names, motor_names,
    joint_of_motor, continuous, efforts, rates, below, above, speeds, none, none, none, below, above,
    none, none, rates, inverse_dynamics, gravity_forces, motor_commands};
  return &table;
}
