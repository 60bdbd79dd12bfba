// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Efforts of motors that lead links and motors back to their reference.
#ifndef SCREW_DYNAMICS_CONTROLLERS__FEEDBACK_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__FEEDBACK_HPP_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace screw_dynamics_controllers
{

// Of n links and m motors at poses (p, n): gains (p, m, 2 n + 2 m) by the errors of q, q', theta
// and theta', and (p, m, n) by the integrals of those of the links. Without poses there is none.
struct FeedbackGains
{
  std::vector<double> poses, gains, integral_gains;
};

// u = K e + Ki integral(e_q), with gains that are linear between neighbouring poses.
class Feedback
{
public:
  // Raises std::invalid_argument.
  Feedback(std::size_t links, std::size_t motors, const FeedbackGains & gains)
  : n_(links), m_(motors), gains_(gains), errors_(3 * n_ + 2 * m_)
  {
    const std::size_t count = gains_.poses.size() / n_;
    require("poses", gains_.poses, count * n_);
    require("gains", gains_.gains, count * m_ * 2 * (n_ + m_));
    require("integral_gains", gains_.integral_gains, count * m_ * n_);
  }

  bool used() const noexcept {return !gains_.poses.empty();}

  // Forget the integral.
  void reset() noexcept
  {
    std::fill(errors_.begin(), errors_.end(), 0.0);
    known_ = false;
  }

  // Add the feedback to efforts (m) at a time [ns], and clip them at limits (m), with the reference
  // of links (2, n) and motors (2, m), and the measured q, q', theta, theta'. The integral advances
  // on demand, and not where an effort is clipped.
  void add(
    const double * links, const double * motors, const double * measured, std::int64_t now,
    bool integrates, const double * limits, double * efforts) noexcept
  {
    const std::size_t states = 2 * (n_ + m_);
    for (std::size_t i = 0; i < states; ++i) {
      errors_[i] = (i < 2 * n_ ? links[i] : motors[i - 2 * n_]) - measured[i];
    }
    const double step = integrates && known_ ? 1e-9 * static_cast<double>(now - last_) : 0.0;
    last_ = now;
    known_ = true;
    double * const integral = errors_.data() + states;
    advance(integral, step);
    find(links);
    bool clipped = false;
    for (std::size_t i = 0; i < m_; ++i) {
      double effort = efforts[i];
      for (std::size_t k = 0; k < 2; ++k) {
        if (weights_[k] == 0.0) {
          continue;
        }
        const std::size_t row = (at_ + k) * m_ + i;
        effort += weights_[k] * (dot(&gains_.gains[row * states], errors_.data(), states) +
          dot(&gains_.integral_gains[row * n_], integral, n_));
      }
      efforts[i] = std::clamp(effort, -limits[i], limits[i]);
      clipped = clipped || efforts[i] != effort;
    }
    if (clipped) {
      advance(integral, -step);
    }
  }

private:
  void require(const char * name, const std::vector<double> & values, std::size_t count) const
  {
    const auto finite = [](double x) {return std::isfinite(x);};
    if (values.size() != count || !std::all_of(values.begin(), values.end(), finite)) {
      throw std::invalid_argument(
              std::string("feedback.") + name + ": expected " + std::to_string(count) +
              " finite numbers, got " + std::to_string(values.size()));
    }
  }

  static double dot(const double * a, const double * b, std::size_t count) noexcept
  {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  void advance(double * integral, double step) noexcept
  {
    for (std::size_t j = 0; j < n_; ++j) {
      integral[j] += step * errors_[j];
    }
  }

  // Find the place that is nearest to q on the line through the poses.
  void find(const double * q) noexcept
  {
    const std::size_t count = gains_.poses.size() / n_;
    double nearest = std::numeric_limits<double>::infinity();
    at_ = 0;
    weights_ = {1.0, 0.0};
    for (std::size_t k = 0; k + 1 < count; ++k) {
      const double * const a = &gains_.poses[k * n_];
      double along = 0.0, square = 0.0, distance = 0.0;
      for (std::size_t j = 0; j < n_; ++j) {
        const double way = a[n_ + j] - a[j];
        along += (q[j] - a[j]) * way;
        square += way * way;
      }
      const double share = square > 0.0 ? std::clamp(along / square, 0.0, 1.0) : 0.0;
      for (std::size_t j = 0; j < n_; ++j) {
        const double away = a[j] + share * (a[n_ + j] - a[j]) - q[j];
        distance += away * away;
      }
      if (distance < nearest) {
        nearest = distance;
        at_ = k;
        weights_[0] = 1.0 - share;
        weights_[1] = share;
      }
    }
  }

  std::size_t n_, m_;
  FeedbackGains gains_;
  std::vector<double> errors_;  // of q, q', theta, theta', and the integrals of the first ones
  std::size_t at_ = 0;          // the poses of the weights are this one and the next
  std::array<double, 2> weights_{};
  std::int64_t last_ = 0;
  bool known_ = false;
};

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__FEEDBACK_HPP_
