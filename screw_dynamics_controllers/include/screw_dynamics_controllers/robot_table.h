/* Copyright screw_dynamics contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Table of one robot: what a controller or solver reads from the library of generated C.
 *
 * `screw_dynamics generate --controller` writes a source that defines it. Units: m, kg, s, rad,
 * N, N m; motors on the joint side of their gears. A limit that does not exist is infinite.
 */
#ifndef SCREW_DYNAMICS_CONTROLLERS__ROBOT_TABLE_H_
#define SCREW_DYNAMICS_CONTROLLERS__ROBOT_TABLE_H_

#define SCREW_DYNAMICS_ROBOT_VERSION 5
#define SCREW_DYNAMICS_ROBOT_SYMBOL "screw_dynamics_robot"

#ifdef __cplusplus
extern "C" {
#endif

struct screw_dynamics_robot_table
{
  int version;        /* SCREW_DYNAMICS_ROBOT_VERSION */
  int joints;         /* n */
  int order;          /* highest derivative of the efforts, k */
  int motors;         /* m; 0 without drives */
  int motor_rows;     /* rows of motor positions; efforts have two fewer */
  int required_rows;  /* of the joint jet, for efforts and motor commands */
  const char * urdf_sha256;  /* of the text of the URDF, 64 hexadecimal digits; empty: of none */
  const char * const * joint_names;
  const char * const * motor_names;
  const int * joint_of_motor;
  const int * continuous;             /* 1 for joints that turn without limits, (n) */
  const double * efforts;             /* limits of efforts, (n) */
  const double * effort_rates;        /* of their rates, (n) */
  const double * lower;               /* of positions, (n) */
  const double * upper;               /* of positions, (n) */
  const double * velocities;          /* (n) */
  const double * accelerations;       /* (n) */
  const double * jerks;               /* (n) */
  const double * deflections;         /* of springs, (m) */
  const double * motor_lower;         /* of positions, (m) */
  const double * motor_upper;         /* of positions, (m) */
  const double * motor_velocities;    /* (m) */
  const double * motor_efforts;       /* (m) */
  const double * motor_effort_rates;  /* (m) */
  void (* inverse_dynamics)(const double * jet, double * tau);      /* (k + 3, n), (k + 1, n) */
  void (* gravity_forces)(const double * q, double * g);            /* (n), (n) */
  int (* motor_commands)(const double * jet, double * motions, double * efforts); /* or NULL */
  void (* mass_matrix)(const double * q, double * m);               /* (n), (n, n) */
  void (* coriolis_forces)(const double * q, const double * qd, double * c);
  /* efforts of parallel springs, and friction under no load, (n); or NULL */
  void (* drive_forces)(const double * q, const double * qd, double * springs, double * friction);
  const double * rotor_inertias;      /* of joints without springs, else 0, (n) */
};

/* the function that a library of a robot exports */
const struct screw_dynamics_robot_table * screw_dynamics_robot(void);

#ifdef __cplusplus
}
#endif

#endif  /* SCREW_DYNAMICS_CONTROLLERS__ROBOT_TABLE_H_ */
