// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// The library of a robot, opened by its path.
#ifndef SCREW_DYNAMICS_CONTROLLERS__ROBOT_LIBRARY_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__ROBOT_LIBRARY_HPP_

#include <dlfcn.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "screw_dynamics_controllers/robot_table.h"

namespace screw_dynamics_controllers
{

// Keeps the library open as long as it exists; raises std::runtime_error.
class RobotLibrary
{
public:
  explicit RobotLibrary(const std::string & path)
  : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), &dlclose)
  {
    if (!handle_) {
      throw std::runtime_error("robot library: " + std::string(dlerror()));
    }
    using Table = const screw_dynamics_robot_table * (*)();
    const auto table =
      reinterpret_cast<Table>(dlsym(handle_.get(), SCREW_DYNAMICS_ROBOT_SYMBOL));
    if (table == nullptr) {
      throw std::runtime_error(
              "robot library: expected the function " SCREW_DYNAMICS_ROBOT_SYMBOL " in " + path);
    }
    robot_ = table();
    if (robot_->version != SCREW_DYNAMICS_ROBOT_VERSION) {
      throw std::runtime_error(
              "robot library: expected version " + std::to_string(SCREW_DYNAMICS_ROBOT_VERSION) +
              " in " + path + ", got " + std::to_string(robot_->version) + ": generate it again");
    }
  }

  const screw_dynamics_robot_table & robot() const noexcept {return *robot_;}

private:
  std::unique_ptr<void, int (*)(void *)> handle_;
  const screw_dynamics_robot_table * robot_ = nullptr;
};

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__ROBOT_LIBRARY_HPP_
