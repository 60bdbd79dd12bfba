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

// Polynomials in (t - breaks[i]) / (breaks[i + 1] - breaks[i]), the lowest power first; at rest
// before the first break and after the last.
class Spline
{
public:
  Spline(
    std::size_t joints, std::vector<double> breaks, std::vector<double> coefficients,
    std::vector<double> end, std::int64_t begin, bool continues)
  : begin_(begin),
    continues_(continues),
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
    const auto step = std::adjacent_find(
      breaks_.begin(), breaks_.end(), [](double a, double b) {return !(a < b);});
    if (step != breaks_.end()) {
      throw std::invalid_argument("spline: expected breaks that increase");
    }
  }

  // Instant of the first break [ns].
  std::int64_t begin() const noexcept {return begin_;}
  bool continues() const noexcept {return continues_;}
  double last() const noexcept {return breaks_.back() - breaks_.front();}

  // Write the joint jet (jet_rows, joints) at a time after the first break [s].
  void sample(double since, double * jet) const noexcept
  {
    const double t = breaks_.front() + since;
    if (breaks_.size() == 1 || t >= breaks_.back() || t < breaks_.front()) {
      std::fill(jet, jet + jet_rows * joints_, 0.0);
      const bool after = breaks_.size() == 1 || t >= breaks_.back();
      const double * place = after ? end_.data() : coefficients_.data();
      std::copy(place, place + joints_, jet);
      return;
    }
    const auto above = std::upper_bound(breaks_.begin(), breaks_.end(), t);
    const auto segment = static_cast<std::size_t>(above - breaks_.begin()) - 1;
    const double h = breaks_[segment + 1] - breaks_[segment];
    evaluate(segment, (t - breaks_[segment]) / h, 1.0 / h, jet);
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

  std::int64_t begin_;
  bool continues_;
  std::size_t joints_;
  std::size_t count_ = 0;
  std::vector<double> breaks_;
  std::vector<double> coefficients_;
  std::vector<double> end_;
};

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__SPLINE_HPP_
