// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// To be preloaded into a controller manager: records every update of the controller, and writes
// it to the file WATCH_UPDATE at the end: counts of commands and of references; per update
// instant [s, ns], duration [us], allocations, locks, commands, references. Doubles in binary.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "screw_dynamics_controllers/feedforward_controller.hpp"
#include "watched.hpp"

namespace
{

using screw_dynamics_controllers::FeedforwardController;
using Update = controller_interface::return_type (
  FeedforwardController *, const rclcpp::Time &, const rclcpp::Duration &);

class Record
{
public:
  // allocated before the first update
  Record() {rows_.reserve(std::size_t{1} << 22);}

  ~Record()
  {
    const char * const path = std::getenv("WATCH_UPDATE");
    std::FILE * const file = path == nullptr ? nullptr : std::fopen(path, "wb");
    if (file != nullptr) {
      std::fwrite(counts_, sizeof(double), 2, file);
      std::fwrite(rows_.data(), sizeof(double), rows_.size(), file);
      std::fclose(file);
    }
  }

  void count(std::size_t commands, std::size_t references)
  {
    counts_[0] = static_cast<double>(commands);
    counts_[1] = static_cast<double>(references);
    full_ = rows_.size() + 5 + commands + references > rows_.capacity();
  }

  void add(double value)
  {
    if (!full_) {
      rows_.push_back(value);
    }
  }

private:
  std::vector<double> rows_;
  double counts_[2] = {0.0, 0.0};
  bool full_ = false;
};

Record record;

}  // namespace

namespace screw_dynamics_controllers
{

// In the place of the function of the controller, which it calls.
controller_interface::return_type FeedforwardController::update_and_write_commands(
  const rclcpp::Time & time, const rclcpp::Duration & period)
{
  static auto * const original = [] {
      void * const library =
        dlopen("libscrew_dynamics_controllers.so", RTLD_LAZY | RTLD_NOLOAD);
      void * const symbol = library == nullptr ? nullptr : dlsym(
        library, "_ZN26screw_dynamics_controllers21FeedforwardController25update_and_write_commands"
        "ERKN6rclcpp4TimeERKNS1_8DurationE");
      if (symbol == nullptr || !watched::works()) {
        std::abort();
      }
      return reinterpret_cast<Update *>(symbol);
    }();
  watched::allocations = watched::locks = 0;
  watched::counting = true;
  const auto begin = std::chrono::steady_clock::now();
  const auto result = original(this, time, period);
  const auto end = std::chrono::steady_clock::now();
  watched::counting = false;
  // positions, velocities and accelerations: a jerk is unknown again after the update
  const auto references = ordered_exported_reference_interfaces_.size() * 3 / 4;
  record.count(command_interfaces_.size(), references);
  record.add(static_cast<double>(time.nanoseconds() / 1'000'000'000));
  record.add(static_cast<double>(time.nanoseconds() % 1'000'000'000));
  record.add(std::chrono::duration<double, std::micro>(end - begin).count());
  record.add(static_cast<double>(watched::allocations));
  record.add(static_cast<double>(watched::locks));
  for (const auto & command : command_interfaces_) {
    record.add(command.get_optional().value_or(std::nan("")));
  }
  for (std::size_t i = 0; i < references; ++i) {
    record.add(
      ordered_exported_reference_interfaces_[i]->get_optional().value_or(std::nan("")));
  }
  return result;
}

}  // namespace screw_dynamics_controllers
