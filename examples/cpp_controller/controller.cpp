// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Feedforward of a robot with generated C code, in a control loop at 1 kHz of a simulated robot.
//
// The reference is a polynomial of seventh degree from rest to rest. The efforts of the motion
// and weak feedback act on the robot, whose equation of motion is also generated code.

#include "robot.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace
{

constexpr int n = ROBOT_N;
constexpr double tick = 1e-3;      // s
constexpr double duration = 2.0;   // s
constexpr double frequency = 5.0;  // of the feedback, rad/s

using Vector = std::array<double, n>;
using Matrix = std::array<double, n * n>;

struct State
{
  Vector q{};
  Vector qd{};
};

// Joint jets q, q', ... along the motion from zero to a goal, at rest at both ends.
class Reference
{
public:
  explicit Reference(double goal)
  {
    for (int j = 0; j < n; ++j) {
      const double distance = j % 2 == 0 ? goal : -goal;
      // u^4 (35 - 84 u + 70 u^2 - 20 u^3) has three derivatives that vanish at both ends
      coefficients_[4 * n + j] = 35.0 * distance;
      coefficients_[5 * n + j] = -84.0 * distance;
      coefficients_[6 * n + j] = 70.0 * distance;
      coefficients_[7 * n + j] = -20.0 * distance;
      end_[j] = distance;
    }
  }

  std::array<double, (ROBOT_ORDER + 3) * n> jet(double t) const
  {
    std::array<double, (ROBOT_ORDER + 3) * n> result;
    robot_reference(
      1, 8, breaks_.data(), coefficients_.data(), end_.data(), t, result.data());
    return result;
  }

private:
  std::array<double, 2> breaks_{0.0, duration};
  std::array<double, 8 * n> coefficients_{};
  Vector end_{};
};

// Solve M x = b with the Cholesky factor of M, in place.
void solve(Matrix & m, Vector & b)
{
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double rest = m[i * n + j];
      for (int k = 0; k < j; ++k) {
        rest -= m[i * n + k] * m[j * n + k];
      }
      m[i * n + j] = i == j ? std::sqrt(rest) : rest / m[j * n + j];
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) {
      b[i] -= m[i * n + k] * b[k];
    }
    b[i] /= m[i * n + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) {
      b[i] -= m[k * n + i] * b[k];
    }
    b[i] /= m[i * n + i];
  }
}

// Time derivative of a state under efforts: M q'' = tau - C q' - g.
State rate(const State & state, const Vector & efforts)
{
  Matrix mass;
  Vector bias;
  robot_mass_matrix(state.q.data(), mass.data());
  robot_bias_forces(state.q.data(), state.qd.data(), bias.data());
  State result{state.qd, efforts};
  for (int j = 0; j < n; ++j) {
    result.qd[j] -= bias[j];
  }
  solve(mass, result.qd);
  return result;
}

State moved(const State & state, const State & rate, double h)
{
  State result = state;
  for (int j = 0; j < n; ++j) {
    result.q[j] += h * rate.q[j];
    result.qd[j] += h * rate.qd[j];
  }
  return result;
}

// One classical Runge-Kutta step.
State step(const State & state, const Vector & efforts, double h)
{
  const State a = rate(state, efforts);
  const State b = rate(moved(state, a, 0.5 * h), efforts);
  const State c = rate(moved(state, b, 0.5 * h), efforts);
  const State d = rate(moved(state, c, h), efforts);
  State result = moved(moved(state, a, h / 6.0), b, h / 3.0);
  return moved(moved(result, c, h / 3.0), d, h / 6.0);
}

}  // namespace

int main()
{
  const Reference reference(0.6);
  State robot;
  double largest = 0.0;
  double longest = 0.0;
  double computing = 0.0;
  const int ticks = static_cast<int>(std::lround(duration / tick)) + 500;
  for (int k = 0; k < ticks; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    // efforts are held for a tick: those of its middle
    const auto jet = reference.jet((k + 0.5) * tick);
    std::array<double, (ROBOT_ORDER + 1) * n> efforts;
    robot_inverse_dynamics(jet.data(), efforts.data());
    const auto end = std::chrono::steady_clock::now();
    computing += std::chrono::duration<double>(end - begin).count();

    const auto wanted = reference.jet(k * tick);
    Matrix mass;
    robot_mass_matrix(robot.q.data(), mass.data());
    Vector tau;
    for (int j = 0; j < n; ++j) {
      const double position = wanted[j] - robot.q[j];
      const double velocity = wanted[n + j] - robot.qd[j];
      tau[j] = efforts[j] + mass[j * n + j] *
        (frequency * frequency * position + 2.0 * frequency * velocity);
      largest = std::max(largest, std::abs(position));
      longest = std::max(longest, std::abs(wanted[j]));
    }
    robot = step(robot, tau, tick);
  }
  std::printf("%d joints, %d ticks of %g s\n", n, ticks, tick);
  std::printf("largest position of the reference: %.3f\n", longest);
  std::printf("largest tracking error: %.3g\n", largest);
  std::printf("reference and feedforward: %.2f us in the mean\n", 1e6 * computing / ticks);
  return largest < 1e-3 * longest ? 0 : 1;
}
