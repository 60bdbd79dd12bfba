// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Joint motion of polynomials between breaks, sampled without allocation.
#ifndef SCREW_DYNAMICS_CONTROLLERS__SPLINE_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__SPLINE_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace screw_dynamics_controllers
{

constexpr int jet_rows = 5;  // positions to snap
constexpr double largest_speed = 1000.0;  // its fourth power is far from overflow

// When a spline applies, and its trajectory time; see SplinePiece of screw_dynamics_interfaces.
struct Course
{
  std::int64_t begin = 0;    // instant from which it applies [ns]
  double time = 0.0;         // trajectory time there [s]
  double speed = 1.0;        // change of the trajectory time per second
  std::int64_t release = 0;  // instant from which the end is held no longer [ns], 0: never
  std::uint64_t motion = 0;  // number of the motion
  bool continues = false;    // the motion continues the one before
};

// Polynomials in (t - breaks[i]) / (breaks[i + 1] - breaks[i]), the lowest power first; at rest
// before the first break and after the last.
class Spline
{
public:
  Spline(
    std::size_t joints, std::vector<double> breaks, std::vector<double> coefficients,
    std::vector<double> end, const Course & course)
  : course_(course),
    joints_(joints),
    breaks_(std::move(breaks)),
    coefficients_(std::move(coefficients)),
    end_(std::move(end))
  {
    if (breaks_.empty() || end_.size() != joints_) {
      throw std::invalid_argument("spline: expected breaks, and an end for every joint");
    }
    const std::size_t rows = (breaks_.size() - 1) * joints_;
    count_ = rows == 0 ? 0 : coefficients_.size() / rows;
    if (coefficients_.size() != count_ * rows || (rows != 0 && count_ == 0)) {
      throw std::invalid_argument(
              "spline: expected coefficients (segments, count, joints), got " +
              std::to_string(coefficients_.size()) + " numbers");
    }
    const auto finite = [](double x) {return std::isfinite(x);};
    for (const auto * part : {&breaks_, &coefficients_, &end_}) {
      if (!std::all_of(part->begin(), part->end(), finite)) {
        throw std::invalid_argument("spline: expected finite numbers");
      }
    }
    if (!std::isfinite(course_.time) || !(course_.speed >= 0.0 && course_.speed <= largest_speed)) {
      throw std::invalid_argument("spline: expected a finite time and a speed of at least 0");
    }
    const auto step = std::adjacent_find(
      breaks_.begin(), breaks_.end(), [](double a, double b) {return !(a < b);});
    if (step != breaks_.end()) {
      throw std::invalid_argument("spline: expected breaks that increase");
    }
  }

  const Course & course() const noexcept {return course_;}

  // Write the joint jet (jet_rows, joints) at an instant [ns]; return true if the end is held.
  bool sample(std::int64_t instant, double * jet) const noexcept
  {
    const double since = 1e-9 * static_cast<double>(instant - course_.begin);
    const double t = course_.time + course_.speed * since;
    const bool after = breaks_.size() == 1 || t >= breaks_.back();
    if (after || t < breaks_.front()) {
      std::fill(jet, jet + jet_rows * joints_, 0.0);
      const double * place = after ? end_.data() : coefficients_.data();
      std::copy(place, place + joints_, jet);
      return after;
    }
    const auto above = std::upper_bound(breaks_.begin(), breaks_.end(), t);
    const auto segment = static_cast<std::size_t>(above - breaks_.begin()) - 1;
    const double h = breaks_[segment + 1] - breaks_[segment];
    evaluate(segment, (t - breaks_[segment]) / h, course_.speed / h, jet);
    return false;
  }

private:
  // Horner's scheme on all derivatives.
  void evaluate(std::size_t segment, double u, double f1, double * jet) const noexcept
  {
    const double f2 = 2.0 * f1 * f1;
    const double f3 = 3.0 * f1 * f2;
    const double f4 = 4.0 * f1 * f3;
    for (std::size_t j = 0; j < joints_; ++j) {
      double p0 = 0.0, p1 = 0.0, p2 = 0.0, p3 = 0.0, p4 = 0.0;
      for (std::size_t k = count_; k-- > 0; ) {
        p4 = p4 * u + p3;
        p3 = p3 * u + p2;
        p2 = p2 * u + p1;
        p1 = p1 * u + p0;
        p0 = p0 * u + coefficients_[(segment * count_ + k) * joints_ + j];
      }
      jet[j] = p0;
      jet[joints_ + j] = p1 * f1;
      jet[2 * joints_ + j] = p2 * f2;
      jet[3 * joints_ + j] = p3 * f3;
      jet[4 * joints_ + j] = p4 * f4;
    }
  }

  Course course_;
  std::size_t joints_;
  std::size_t count_ = 0;
  std::vector<double> breaks_;
  std::vector<double> coefficients_;
  std::vector<double> end_;
};

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__SPLINE_HPP_
